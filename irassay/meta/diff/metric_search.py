"""The smallest set of conventions that gives the values of one metric in two tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.diff.conventions import Choices, ConventionSpace
from irassay.meta.diff.rescoring import Cell, Rescorer
from irassay.parallel import check_cancelled

SAMPLE_RUNS, SAMPLE_CELLS, MORE_CELLS = 4, 40, 16  # of one metric; more cells where the first choice fails
MAX_ROUNDS = 4
MAX_GROUPS = 3  # of runs with conventions of their own
LEAST_SHARE = 0.8  # of the values of each table that must come out before conventions are named
MAX_CANDIDATES = 200  # of each table, compared with each other
SOME_ORDER = ("ties", "other")  # the choice that is named only if no exact order fits

Pair = tuple[Choices, Choices]  # of the two tables
Difference = tuple[str, Any, Any]  # a convention and its values in the two tables


@dataclass(frozen=True, eq=False)
class Values:
    """The values of one metric in two tables, where both have one."""

    space: ConventionSpace
    cells: tuple[Cell, ...]
    values: Floats  # [table, cell]
    tolerance: Floats  # [table, cell] half a unit of the last place
    differs: Bools  # [cell]

    def part(self, keep: Bools) -> "Values":
        """Some of the cells."""
        cells = tuple(cell for cell, is_kept in zip(self.cells, keep, strict=True) if is_kept)
        return Values(self.space, cells, self.values[:, keep], self.tolerance[:, keep], self.differs[keep])

    def hits(self, table: int, scores: Floats) -> Bools:
        """[cell] whether the values of a table are these scores, or between the lowest and the highest of them."""
        value, tolerance = self.values[table], self.tolerance[table]
        return np.asarray((value >= scores[0] - tolerance) & (value <= scores[1] + tolerance), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class CellExplanation:
    """The choices of the two tables, for the cells of some runs, and which values come out under them."""

    runs: tuple[str, ...]
    choices: Pair
    explained: Bools = field(repr=False)  # [cell] of all cells of the metric


def differences(space: ConventionSpace, pair: Pair) -> set[Difference]:
    """The conventions in which two choices differ."""
    names = {name for choices in pair for name, _ in choices}
    values = ((name, space.value(pair[0], name), space.value(pair[1], name)) for name in names)
    return {(name, one, two) for name, one, two in values if one != two}


def explanations(values: Values, rescorer: Rescorer, earlier: Sequence[Pair], changes: int) -> list[CellExplanation]:
    """Conventions that explain the values of a metric: for all runs, or else for groups of runs.

    `changes` is the number of conventions in which a table may differ from the reference.
    """
    result: list[CellExplanation] = []
    remaining = values.differs.copy()
    run = np.array([system for system, _ in values.cells], dtype=object)
    for _ in range(MAX_GROUPS):
        systems = sorted(set(run[remaining]))
        inside = np.isin(run, systems)
        found = _one_choice(values.part(inside), rescorer, earlier, changes)
        if found is None:
            break
        explained = np.zeros(len(values.cells), dtype=np.bool_)
        explained[inside] = found[1]
        explained &= remaining
        if not explained.any():
            break
        result.append(CellExplanation(tuple(systems), found[0], explained))
        remaining &= ~explained
        if set(run[remaining]) == set(systems):
            break  # no run is done, so the rest does not belong to another group
        if not remaining.any():
            break
    return result


def _one_choice(values: Values, rescorer: Rescorer, earlier: Sequence[Pair], changes: int) -> tuple[Pair, Bools] | None:
    """The choices that explain most values of all cells, searched on a sample that grows where they fail."""
    sample, best = _first_sample(values), None
    for _ in range(MAX_ROUNDS):
        pair = _best_pair(values.part(sample), rescorer, earlier, changes)
        if pair is None:
            return best
        scores = rescorer.scores(values.cells, values.space, pair)
        assert scores[0] is not None and scores[1] is not None
        explained = values.hits(0, scores[0]) & values.hits(1, scores[1])
        if best is None or explained[values.differs].sum() > best[1][values.differs].sum():
            best = pair, explained
        failed = np.flatnonzero(values.differs & ~explained & ~sample)
        if not len(failed):
            break
        sample = sample.copy()
        sample[_spread(failed, MORE_CELLS)] = True
    return best


def _first_sample(values: Values) -> Bools:
    """[cell] some cells of a few runs, mostly such that differ."""
    run = np.array([system for system, _ in values.cells], dtype=object)
    systems = sorted(set(run[values.differs]))
    inside = np.isin(run, [systems[i] for i in _spread(np.arange(len(systems)), SAMPLE_RUNS)])
    sample = np.zeros(len(values.cells), dtype=np.bool_)
    sample[_spread(np.flatnonzero(inside & values.differs), SAMPLE_CELLS)] = True
    sample[_spread(np.flatnonzero(inside & ~values.differs), SAMPLE_CELLS // 4)] = True
    return sample


def _spread(places: Ints, number: int) -> Ints:
    """At most this many of the places, evenly spread."""
    if len(places) <= number:
        return places
    return places[np.linspace(0, len(places) - 1, number).round().astype(np.intp)]


def _best_pair(values: Values, rescorer: Rescorer, earlier: Sequence[Pair], changes: int) -> Pair | None:
    """The choices of the two tables that differ least among those under which most values of the sample come out.

    Choices that explained other metrics are tried first, and those with fewer changes before those with more.
    """
    hits: list[dict[Choices, int]] = [{}, {}]  # [table] the number of values that come out under each choice
    space = values.space
    known = [(_possible_choices(one, space), _possible_choices(two, space)) for one, two in earlier]
    before = dict.fromkeys(
        each for pair in known for choices in pair for each in _choice_variants(choices, values.space)
    )
    for stage in range(-1, changes + 1):
        candidates = list(before) if stage < 0 else space.candidates(stage)
        for choices, scores in zip(candidates, _choice_scores(rescorer, values, candidates), strict=True):
            if scores is not None:
                for table in (0, 1):
                    hits[table][choices] = int(values.hits(table, scores).sum())
        most = [max(each.values(), default=0) for each in hits]
        exact = [max((n for choices, n in each.items() if SOME_ORDER not in choices), default=0) for each in hits]
        if min(exact if stage < 1 else most) == len(values.cells):
            break
    if min(most) < LEAST_SHARE * len(values.cells):
        return None
    one, two = (
        [choices for choices, number in each.items() if number == top][:MAX_CANDIDATES]
        for each, top in zip(hits, most, strict=True)
    )
    preferred = {difference for pair in known for difference in differences(space, pair)}

    def cost(pair: Pair) -> tuple[int, int, int, int]:
        differing, vague = differences(space, pair), sum(SOME_ORDER in choices for choices in pair)
        return vague, len(differing - preferred), len(differing), len(pair[0]) + len(pair[1])

    return min(product(one, two), key=cost)


def _possible_choices(choices: Choices, space: ConventionSpace) -> Choices:
    """The choices that a metric can have, apart from those that are its reference anyway."""
    return frozenset(
        (name, value)
        for name, value in choices
        if value in space.options.get(name, ()) and value != space.reference(name)
    )


def _choice_variants(choices: Choices, space: ConventionSpace) -> Iterator[Choices]:
    """The choices and all parts of them; also with an exact order of equal scores instead of some order."""
    exact = [("ties", order) for order in space.options["ties"][1:]] if SOME_ORDER in choices else []
    for whole in (choices, *((choices - {SOME_ORDER}) | {order} for order in exact)):
        yield from (frozenset(part) for size in range(len(whole) + 1) for part in combinations(sorted(whole), size))


def _choice_scores(rescorer: Rescorer, values: Values, candidates: Sequence[Choices]) -> Iterable[Floats | None]:
    for start in range(0, len(candidates), 64):
        check_cancelled()
        yield from rescorer.scores(values.cells, values.space, candidates[start : start + 64])
