"""The smallest set of conventions under which every value of two tables comes out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.diff.conventions import MAX_CHANGES, Choices, Space
from irassay.meta.diff.rescoring import Cell, Rescorer
from irassay.parallel import check_cancelled

SAMPLE_RUNS, SAMPLE_CELLS, MORE_CELLS = 4, 40, 16  # of one metric; more cells where the first choice fails
MAX_ROUNDS = 4
MAX_GROUPS = 3  # of runs with conventions of their own
LEAST_SHARE = 0.5  # of the values that conventions must explain to be named
MAX_CANDIDATES = 200  # of each table, compared with each other

Difference = tuple[str, Any, Any]  # a convention and its values in the two tables


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one metric in two tables, where both have one."""

    space: Space
    cells: tuple[Cell, ...]
    values: Floats  # [table, cell]
    tolerance: Floats  # [table, cell] half a unit of the last place
    differs: Bools  # [cell]

    def part(self, keep: Bools) -> "Values":
        """Some of the cells."""
        cells = tuple(cell for cell, is_kept in zip(self.cells, keep, strict=True) if is_kept)
        return Values(self.space, cells, self.values[:, keep], self.tolerance[:, keep], self.differs[keep])

    def hits(self, table: int, scores: Floats) -> Bools:
        """[cell] whether these scores are the values of a table."""
        return np.asarray(np.abs(scores - self.values[table]) <= self.tolerance[table], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Explanation:
    """The choices of the two tables, for the cells of some runs, and which values come out under them."""

    runs: tuple[str, ...]
    choices: tuple[Choices, Choices]
    explained: Bools = field(repr=False)  # [cell] of all cells of the metric


def differences(space: Space, pair: tuple[Choices, Choices]) -> set[Difference]:
    """The conventions in which two choices differ."""
    names = {name for choices in pair for name, _ in choices}
    values = ((name, space.value(pair[0], name), space.value(pair[1], name)) for name in names)
    return {(name, one, two) for name, one, two in values if one != two}


def explanations(of: Values, rescorer: Rescorer, preferred: set[Difference]) -> list[Explanation]:
    """Conventions that explain the values of a metric: for all runs, or else for groups of runs."""
    result: list[Explanation] = []
    remaining = of.differs.copy()
    run = np.array([system for system, _ in of.cells], dtype=object)
    for _ in range(MAX_GROUPS):
        systems = sorted(set(run[remaining]))
        inside = np.isin(run, systems)
        found = _one_choice(of.part(inside), rescorer, preferred)
        if found is None:
            break
        explained = np.zeros(len(of.cells), dtype=np.bool_)
        explained[inside] = found[1]
        explained &= remaining
        if not explained.any():
            break
        result.append(Explanation(tuple(systems), found[0], explained))
        remaining &= ~explained
        if set(run[remaining]) == set(systems):
            break  # no run is done, so the rest does not belong to another group
        if not remaining.any():
            break
    return result


def _one_choice(
    of: Values, rescorer: Rescorer, preferred: set[Difference]
) -> tuple[tuple[Choices, Choices], Bools] | None:
    """The choices that explain most values of all cells, searched on a sample that grows where they fail."""
    sample, best = _first_sample(of), None
    for _ in range(MAX_ROUNDS):
        pair = _best_pair(of.part(sample), rescorer, preferred)
        if pair is None:
            return best
        scores = rescorer.scores(of.cells, of.space, pair)
        assert scores[0] is not None and scores[1] is not None
        explained = of.hits(0, scores[0]) & of.hits(1, scores[1])
        if best is None or explained[of.differs].sum() > best[1][of.differs].sum():
            best = pair, explained
        failed = np.flatnonzero(of.differs & ~explained & ~sample)
        if not len(failed):
            break
        sample = sample.copy()
        sample[_spread(failed, MORE_CELLS)] = True
    return best


def _first_sample(of: Values) -> Bools:
    """[cell] some cells of a few runs, mostly such that differ."""
    run = np.array([system for system, _ in of.cells], dtype=object)
    systems = sorted(set(run[of.differs]))
    inside = np.isin(run, [systems[i] for i in _spread(np.arange(len(systems)), SAMPLE_RUNS)])
    sample = np.zeros(len(of.cells), dtype=np.bool_)
    sample[_spread(np.flatnonzero(inside & of.differs), SAMPLE_CELLS)] = True
    sample[_spread(np.flatnonzero(inside & ~of.differs), SAMPLE_CELLS // 4)] = True
    return sample


def _spread(places: Ints, number: int) -> Ints:
    """At most so many of the places, evenly spread."""
    if len(places) <= number:
        return places
    return places[np.linspace(0, len(places) - 1, number).round().astype(np.intp)]


def _best_pair(of: Values, rescorer: Rescorer, preferred: set[Difference]) -> tuple[Choices, Choices] | None:
    """The choices of the two tables that differ least among those that explain most values of the sample."""
    hits: list[list[tuple[int, Choices]]] = [[], []]  # [table] the number of values that come out under each choice
    weight = np.where(of.differs, 1, 0) if of.differs.any() else np.ones(len(of.cells), dtype=np.int64)
    for changes in range(MAX_CHANGES + 1):
        candidates = of.space.candidates(changes)
        for choices, scores in zip(candidates, _scores(rescorer, of, candidates), strict=True):
            for table in (0, 1) if scores is not None else ():
                hits[table].append((int((of.hits(table, scores) * weight).sum()), choices))
        most = [max(number for number, _ in each) for each in hits]
        if min(most) == weight.sum():
            break
    if min(most) < LEAST_SHARE * weight.sum():
        return None
    full = [
        [choices for number, choices in each if number == top][:MAX_CANDIDATES]
        for each, top in zip(hits, most, strict=True)
    ]

    def cost(pair: tuple[Choices, Choices]) -> tuple[int, int, int]:
        differing = differences(of.space, pair)
        return len(differing - preferred), len(differing), len(pair[0]) + len(pair[1])

    return min(((one, two) for one in full[0] for two in full[1]), key=cost)


def _scores(rescorer: Rescorer, of: Values, candidates: Sequence[Choices]) -> Iterable[Floats | None]:
    for start in range(0, len(candidates), 64):
        check_cancelled()
        yield from rescorer.scores(of.cells, of.space, candidates[start : start + 64])
