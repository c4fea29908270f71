"""Verdicts on pairs: what each metric says of every two systems on every topic."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scores import Scores, positions

Sets = tuple[tuple[str, ...], ...]

CELLS_AT_ONCE = 1 << 22  # comparisons held at once


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResult(Result):
    """A result in which metrics win against one another, for each set of simple metrics in each collection."""

    metrics: tuple[str, ...]
    sets: Sets  # of simple metrics
    collections: tuple[str, ...]
    systems: tuple[int, ...]  # [collection]
    topics: tuple[int, ...]  # [collection]

    def beats(self, *question: Any, **questions: Any) -> Bools:
        """[collection, set, metric, other] whether the metric beats the other, as the question is put."""
        raise NotImplementedError

    def wins(self, *question: Any, **questions: Any) -> Ints:
        """[collection, set, metric] how many others the metric beats."""
        return self.beats(*question, **questions).sum(axis=3)

    def ranked(self, chosen: Sequence[str] | None = None, *question: Any, **questions: Any) -> list[tuple[str, int]]:
        """The metrics and their wins over all collections, most first, for one set of simple metrics or the first."""
        place = 0 if chosen is None else positions("set of simple metrics", self.sets, [tuple(chosen)])[0]
        return best_first(self.metrics, self.wins(*question, **questions)[:, place].sum(axis=0))


@dataclass(frozen=True, eq=False)
class TestedMetrics:
    """Which metrics are put to the test, against which sets of simple ones."""

    __test__ = False  # not a test of this project, for all its name

    metrics: tuple[str, ...]
    sets: Sets
    scores: Scores  # of these metrics and then the simple ones, more being better
    simple: tuple[tuple[int, ...], ...]  # [set] where the members of the set stand among the metrics of `scores`

    @cached_property
    def parts(self) -> dict[str, Scores]:
        """The scores by collection, in the order of their first topic."""
        return {name: self._part(name) for name in dict.fromkeys(self.scores.collection)}

    def result(self, found: Sequence[Mapping[str, Floats]]) -> dict[str, Any]:
        """The fields of a contest, and the arrays found in each collection put together."""
        return {
            "metrics": self.metrics,
            "sets": self.sets,
            "collections": tuple(self.parts),
            "systems": tuple(len(part.systems) for part in self.parts.values()),
            "topics": tuple(len(part.topics) for part in self.parts.values()),
        } | {name: np.stack([arrays[name] for arrays in found]) for name in found[0]}

    def missing(self) -> list[str]:
        """A sentence on missing scores, if there are any."""
        holes = sum(int(np.isnan(part.values).any(axis=2).sum()) for part in self.parts.values())
        said = f"{holes} times a system lacks a score on a topic; its pairs there are left out, and counted."
        return [said] if holes else []

    def _part(self, collection: str) -> Scores:
        """The scores in one collection, of the systems that have any there."""
        here = [key for key in self.scores.keys if key[0] == collection]
        part = self.scores if len(here) == len(self.scores.topics) else self.scores.select(topics=here)
        known = (~np.isnan(part.values)).sum(axis=(1, 2))  # [system]
        present = [name for name, count in zip(part.systems, known, strict=True) if count]
        found = part if len(present) == len(part.systems) else part.select(systems=present)
        if len(found.systems) < 2:
            where = f" in collection {collection}" if collection else ""
            raise InputError(f"Comparing metrics takes at least two systems with scores{where}; give more runs.")
        return found


def tested_metrics(
    scores: Scores, simple: Sequence[str], tested: Sequence[str], simple_sets: str | Iterable[Sequence[str]], least: int
) -> TestedMetrics:
    """The metrics to be tested, all but the simple ones where none is named, and the sets of simple ones.

    `least` is how many metrics the method needs besides the simple ones.
    """
    known = scores.metrics
    if not scores.topics:
        raise InputError("Comparing metrics takes scores of at least one topic; there are none.")
    simple = [scores.resolved_metric(name) for name in ([simple] if isinstance(simple, str) else simple)]
    if not simple:
        raise InputError(f"No simple metric was named; name at least one with {argument('simple')}.")
    positions("metric", known, simple)
    chosen = [scores.resolved_metric(name) for name in tested] or [m for m in known if m not in simple]
    both = [m for m in chosen if m in simple]
    if both:
        raise InputError(f"'{both[0]}' is named both as a simple metric and as one to be tested; choose one.")
    if len(chosen) < least:
        raise InputError(
            f"Found {count_phrase(len(chosen), 'metric')} besides the simple ones; at least {least} are needed."
        )
    if not isinstance(simple_sets, str):
        simple_sets = [[scores.resolved_metric(name) for name in members] for members in simple_sets]
    sets = _sets(tuple(dict.fromkeys(simple)), simple_sets)
    used = scores.select(metrics=[*chosen, *dict.fromkeys(simple)]).oriented()
    return TestedMetrics(tuple(chosen), sets, used, tuple(tuple(positions("metric", used.metrics, s)) for s in sets))


def _sets(simple: tuple[str, ...], wanted: str | Iterable[Sequence[str]]) -> Sets:
    """The sets asked for.

    >>> _sets(("p", "strec"), "all")
    (('p',), ('strec',), ('p', 'strec'))
    """
    if wanted == "together":
        return (simple,)
    if wanted == "each":
        return tuple((name,) for name in simple)
    if wanted == "all":
        return tuple(chosen for size in range(1, len(simple) + 1) for chosen in combinations(simple, size))
    if isinstance(wanted, str):
        raise InputError(f"Simple sets are 'together', 'each', 'all' or a list of sets; found '{wanted}'.")
    sets = tuple(tuple(chosen) for chosen in wanted)
    for chosen in sets:
        positions("simple metric", simple, chosen)
    if not sets or not all(sets):
        raise InputError("A set of simple metrics is empty; name at least one metric in each.")
    return sets


def set_label(chosen: Sequence[str]) -> str:
    """What a set of simple metrics is called."""
    return "+".join(f"{metric}" for metric in chosen)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What each metric says of each system, against each other one, on some topics."""

    better: Bools  # [topic, system, metric, other system]
    worse: Bools  # [topic, system, metric, other system]
    known: Bools  # [topic, system, metric, other system] both have a score, and they are two


def verdict_blocks(scores: Scores) -> Iterator[tuple[slice, Verdicts]]:
    """The verdicts on blocks of topics, each small enough to be held at once, of scores of which more is better."""
    values = np.ascontiguousarray(scores.values.transpose(1, 2, 0))  # [topic, metric, system]
    noise = scores.noise()[:, None]  # [metric, 1]
    topics, metrics, systems = values.shape
    two = ~np.eye(systems, dtype=np.bool_)[:, None, :]
    step = max(1, CELLS_AT_ONCE // (metrics * systems**2))
    for start in range(0, topics, step):
        block = slice(start, min(start + step, topics))
        first, second = values[block].transpose(0, 2, 1)[:, :, :, None], values[block][:, None]
        lead = first - second
        known = ~np.isnan(lead) & two
        yield block, Verdicts(lead > noise, lead < -noise, known)


def case_counts(have: Bools, also: Bools) -> Floats:
    """[metric, other] unordered pairs of systems, summed over topics, that have scores under all that is asked.

    `have` and `also` [topic, system, metric] say who has a score under what.
    """
    n = have.transpose(0, 2, 1).astype(np.float64) @ also.astype(np.float64)  # [topic, metric, other]
    return (n * (n - 1) / 2).sum(axis=0)
