"""Verdicts on pairs: which of two systems each metric prefers, on every topic."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.metrics.grammar import metric_strings
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.stats.draws import slices

Sets = tuple[tuple[str, ...], ...]

CELLS_AT_ONCE = 1 << 22  # comparisons in memory at once


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResult(Result):
    """A result in which metrics beat each other, for each set of simple metrics in each collection."""

    metrics: tuple[str, ...]
    sets: Sets  # of simple metrics
    collections: tuple[str, ...]
    systems: tuple[int, ...]  # [collection]
    topics: tuple[int, ...]  # [collection]

    def beats(self, *question: Any, **questions: Any) -> Bools:
        """[collection, set, metric, other] whether the metric beats the other, by the criterion of the arguments."""
        raise NotImplementedError

    def wins(self, *question: Any, **questions: Any) -> Ints:
        """[collection, set, metric] how many other metrics the metric beats."""
        return self.beats(*question, **questions).sum(axis=3)

    def ranked(self, chosen: Sequence[str] | None = None, *question: Any, **questions: Any) -> list[tuple[str, int]]:
        """The metrics and their wins over all collections, most first, for one set of simple metrics (or the first)."""
        place = 0 if chosen is None else positions("set of simple metrics", self.sets, [tuple(chosen)])[0]
        return best_first(self.metrics, self.wins(*question, **questions)[:, place].sum(axis=0))


@dataclass(frozen=True, eq=False)
class MetricSelection:
    """The metrics to test, and the sets of simple metrics to test them against."""

    metrics: tuple[str, ...]
    sets: Sets
    scores: Scores  # of these metrics and then the simple ones, costs negated
    simple: tuple[tuple[int, ...], ...]  # [set] positions of the members of the set among the metrics of `scores`

    @cached_property
    def parts(self) -> dict[str, Scores]:
        """The scores by collection, in the order of their first topic."""
        return {name: self._part(name) for name in dict.fromkeys(self.scores.collection)}

    def result(self, by_collection: Sequence[Mapping[str, Floats]]) -> dict[str, Any]:
        """The fields of a PairwiseResult, with the arrays of all collections stacked."""
        return {
            "metrics": self.metrics,
            "sets": self.sets,
            "collections": tuple(self.parts),
            "systems": tuple(len(part.systems) for part in self.parts.values()),
            "topics": tuple(len(part.topics) for part in self.parts.values()),
        } | {name: np.stack([arrays[name] for arrays in by_collection]) for name in by_collection[0]}

    def missing_score_notes(self) -> list[str]:
        """A note on missing scores, if there are any."""
        holes = sum(int(np.isnan(part.values).any(axis=2).sum()) for part in self.parts.values())
        return [f"{holes} times a system lacks a score on a topic; its pairs there are left out."] if holes else []

    def _part(self, collection: str) -> Scores:
        """The scores in one collection, of the systems that have scores there, with topics by name."""
        here = [key for key in self.scores.keys if key[0] == collection]
        part = self.scores if len(here) == len(self.scores.topics) else self.scores.select(topics=here)
        has_scores = (~np.isnan(part.values)).any(axis=(1, 2))  # [system]
        part = part if has_scores.all() else part.select(systems=np.array(part.systems)[has_scores].tolist())
        if len(part.systems) < 2:
            where = f" in collection {collection}" if collection else ""
            raise InputError(f"Comparing metrics needs at least two systems with scores{where}; give more runs.")
        return part.with_sorted_topics()


def metric_selection(
    scores: Scores, simple: Sequence[str], tested: Sequence[str], simple_sets: str | Iterable[Sequence[str]], least: int
) -> MetricSelection:
    """The metrics to test, by default all but the simple ones, and the sets of simple metrics.

    `least` is how many metrics the method needs besides the simple ones.
    """
    if not scores.topics:
        raise InputError("Comparing metrics needs scores on at least one topic; give some.")
    simple, chosen = simple_and_tested(scores, simple, tested, least)
    if not isinstance(simple_sets, str):
        simple_sets = [[scores.resolved_metric(name) for name in members] for members in simple_sets]
    sets = _sets(tuple(dict.fromkeys(simple)), simple_sets)
    used = scores.select(metrics=[*chosen, *dict.fromkeys(simple)]).oriented()
    return MetricSelection(tuple(chosen), sets, used, tuple(tuple(positions("metric", used.metrics, s)) for s in sets))


def simple_and_tested(
    scores: Scores, simple: Sequence[str], tested: Sequence[str], least: int
) -> tuple[list[str], list[str]]:
    """The simple metrics and those to test; InputError if the scores do not have them, or too few of them."""
    check_simple_metrics(simple)
    simple = _resolved_metrics(scores, simple, "simple")
    positions("metric", scores.metrics, simple)
    chosen = _resolved_metrics(scores, tested, "tested") or [m for m in scores.metrics if m not in simple]
    if both := [m for m in chosen if m in simple]:
        text = f"'{both[0]}' is named both as a simple metric and as a metric to test; choose one."
        raise InputError(text, argument="tested")
    if len(chosen) < least:
        metrics = count_phrase(len(chosen), "metric")
        needed = f"at least {least} {'is' if least == 1 else 'are'} needed"
        raise InputError(f"Found {metrics} besides the simple ones; {needed}; name more.", argument="metrics")
    return simple, chosen


def check_simple_metrics(simple: Sequence[str]) -> None:
    """Refuses to compare metrics with no simple one."""
    if not simple:
        raise InputError("No simple metric is named; name at least one with ", argument("simple"), ".")


def _resolved_metrics(scores: Scores, names: str | Sequence[str], setting: str) -> list[str]:
    """The metrics that names, given as this setting, stand for; a name may be several, separated by commas."""
    known = {*scores.metrics, *scores.labels.values()}
    every = [names] if isinstance(names, str) else names
    single = (one for name in every for one in ([name] if name in known else metric_strings(name)))
    try:
        return list(dict.fromkeys(scores.resolved_metric(name) for name in single))
    except InputError as error:
        error.argument = setting
        raise


def _sets(simple: tuple[str, ...], choice: str | Iterable[Sequence[str]]) -> Sets:
    """The sets of simple metrics.

    >>> _sets(("p", "strec"), "all")
    (('p',), ('strec',), ('p', 'strec'))
    """
    if isinstance(choice, str):
        sizes = {"together": [len(simple)], "each": [1], "all": range(1, len(simple) + 1)}
        if choice not in sizes:
            raise InputError(argument="simple_sets", value=choice, expected="together, each, all or a list of sets")
        return tuple(chosen for size in sizes[choice] for chosen in combinations(simple, size))
    sets = tuple(tuple(chosen) for chosen in choice)
    for chosen in sets:
        positions("simple metric", simple, chosen)
    if not sets or not all(sets):
        raise InputError("A set of simple metrics is empty; name at least one metric in each.")
    return sets


def set_label(chosen: Sequence[str]) -> str:
    """The label of a set of simple metrics."""
    return "+".join(f"{metric}" for metric in chosen)  # formatting, not str(), gives the label of a metric


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Which of every two systems each metric prefers, on some topics."""

    better: Bools  # [topic, system, metric, other system]
    worse: Bools  # [topic, system, metric, other system]
    known: Bools  # [topic, system, metric, other system] both have a score, and they are not the same system


def verdict_blocks(scores: Scores) -> Iterator[tuple[slice, Verdicts]]:
    """The verdicts of oriented scores, on blocks of topics that are small enough for memory."""
    values = np.ascontiguousarray(scores.values.transpose(1, 2, 0))  # [topic, metric, system]
    noise = scores.noise()[:, None]  # [metric, 1]
    topics, metrics, systems = values.shape
    is_pair = ~np.eye(systems, dtype=np.bool_)[:, None, :]
    for block in slices(topics, CELLS_AT_ONCE // (metrics * systems**2)):
        lead = values[block].transpose(0, 2, 1)[:, :, :, None] - values[block][:, None]
        yield block, Verdicts(lead > noise, lead < -noise, ~np.isnan(lead) & is_pair)


def case_counts(has_score: Bools) -> Floats:
    """[metric, other] how many pairs of systems have scores under both metrics, summed over topics.

    `has_score` [topic, system, metric] says which system has a score under which metric.
    """
    scored = has_score.astype(np.float64)
    n = scored.swapaxes(1, 2) @ scored  # [topic, metric, other] systems
    return (n * (n - 1) / 2).sum(axis=0)
