"""The smallest, expected and largest score over all orders of tied results.

Ends are exact for metrics that no better result moved up ever hurts: the tied results are sorted by grade. The mean is
exact for sums of gains, whose tied results all count as their mean gain [mcsherry2008], and for metrics with a closed
form. Otherwise all orders that differ are scored, or if there are too many, random ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from irassay.arrays import Bools, Floats, Ints, share
from irassay.errors import InputError
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import RunByRun, judged_runs
from irassay.metrics.metric import Metric
from irassay.notes import EqualScores, Note
from irassay.parallel import check_cancelled
from irassay.rankings.batch import Rankings
from irassay.rankings.ties import TieGroups, arrangement_count, arrangements, reordered
from irassay.scoring.batches import batch_scores
from irassay.scoring.columns import Columns, ScoredRun

MAX_ORDERS = 200  # of a list that are scored: all of them if there are no more, otherwise this many random ones
ROWS_AT_ONCE = 1 << 11  # lists in some order, scored together
BY_DOCUMENT = frozenset({"aspects", "lengths", "passages", "preferences", "turns"})  # more than grades matters


@dataclass(frozen=True, eq=False)
class TiedLists:
    """Lists with their tied results, uncut, because a result past the depth may be tied with one before it."""

    r: Rankings
    ties: TieGroups
    names: tuple[str, ...]  # [n] of topics
    depth: int | None  # lists are cut after this many results once they are in some order

    def __getitem__(self, rows: Ints) -> "TiedLists":
        return TiedLists(self.r[rows], self.ties[rows], tuple(self.names[row] for row in rows), self.depth)

    def reach(self, metric: Metric) -> int:
        """The number of results that a metric reads."""
        return min(self.r.depth, *(limit for limit in (metric.reach, self.depth) if limit is not None), 1 << 62)

    def scores(self, metric: Metric, order: Ints | None = None) -> Floats:
        """[n] the scores of the lists, with results in another order [n, depth] if it is given."""
        lists = self.r if order is None else reordered(self.r, order)
        return batch_scores(lists if self.depth is None else lists.top(self.depth), [metric])[:, 0]

    @property
    def codes(self) -> Floats:
        """[n, depth] numbers that differ if grades do, or if only one of two results is judged."""
        return np.where(self.r.judged, self.r.grade + 0.5, 0.0)

    def is_by_grade(self, metric: Metric) -> bool:
        """Whether the metric knows no more of a result than its grade and whether it is judged."""
        by_words = metric.params.get("effort") == "words"
        return not (metric.needs & BY_DOCUMENT or metric.uses & self.r.carries or by_words)

    def affects(self, metric: Metric) -> Bools:
        """[n] whether tied results that the metric reaches differ, as far as it knows them."""
        within = (self.ties.size > 1) & self.r.inside & (self.ties.start < self.reach(metric))
        if self.is_by_grade(metric):
            within &= self.ties.totals(self.codes) != self.codes * self.ties.size
        return np.asarray(within.any(axis=1))


def tied_lists(run: JudgedRun, depth: int | None) -> list[TiedLists]:
    """The lists of a run that was read uncut, batch by batch; InputError if topics have several lists."""
    if run.queries is not None or "turns" in run.batches[0].carries:
        found = f"{run.name} has several queries or iterations per topic"
        raise InputError(f"{found}; the order of tied results can be varied in plain runs only.", found=found)
    parts = zip(run.batches, run.tie_groups(), run.topic, strict=True)
    return [TiedLists(r, ties, tuple(run.topics[t] for t in topic), depth) for r, ties, topic in parts]


@dataclass(frozen=True, eq=False)
class TieRange:
    """The scores of lists over all orders of tied results."""

    ends: Floats  # [n, 3] least, expected, largest
    sampled_mean: Bools  # [n] the expected score is that of random orders
    sampled_ends: Bools  # [n] so are least and largest


def tie_range(lists: TiedLists, metric: Metric, seed: int = 0) -> TieRange:
    """The range of a metric's score for each list."""
    by_grade = lists.is_by_grade(metric)
    ends = np.repeat(lists.scores(metric)[:, None], 3, axis=1)
    sampled_mean, sampled_ends = np.zeros((2, len(lists.r)), dtype=np.bool_)
    rows = np.flatnonzero(lists.affects(metric))
    if not len(rows):
        return TieRange(ends, sampled_mean, sampled_ends)
    tied, mean, exact_ends = lists[rows], None, by_grade and metric.swap_monotone
    if by_grade:
        grade = np.maximum(tied.r.grade, 0.0)
        up, down = (tied.ties.order_by(sign * grade) for sign in (1, -1))
        least, largest = tied.scores(metric, up), tied.scores(metric, down)
        ends[rows, 0] = np.minimum(ends[rows, 0], np.minimum(least, largest))
        ends[rows, 2] = np.maximum(ends[rows, 2], np.maximum(least, largest))
        mean = exact_mean(tied, metric, down, largest)
    if mean is None or not exact_ends:
        drawn, sampled = _scores_over_orders(tied, metric, by_grade, seed)
        if mean is None:
            mean, sampled_mean[rows] = drawn[:, 1], sampled
        if not exact_ends:
            ends[rows, 0] = np.minimum(ends[rows, 0], drawn[:, 0]) if by_grade else drawn[:, 0]
            ends[rows, 2] = np.maximum(ends[rows, 2], drawn[:, 2]) if by_grade else drawn[:, 2]
            sampled_ends[rows] = sampled
    ends[rows, 1] = np.clip(mean, ends[rows, 0], ends[rows, 2])  # of rounding
    return TieRange(ends, sampled_mean, sampled_ends)


def exact_mean(lists: TiedLists, metric: Metric, down: Ints, largest: Floats) -> Floats | None:
    """[n] the mean score over all orders, if it has a closed form; else None.

    `largest` [n] are the scores of the order `down` [n, depth], in which better results come first.
    """
    r, ties, whole = lists.r, lists.ties, replace(metric, cutoff=None)
    if metric.linear:
        gain, weights = whole.seen(r).gain, np.zeros((len(r), r.depth))
        weights[:, : lists.depth] = metric.weights(r if lists.depth is None else r.top(lists.depth))
        expected = (weights * ties.totals(gain) / ties.size).sum(axis=1)
        return share(largest * expected, (weights * np.take_along_axis(gain, down, axis=1)).sum(axis=1))
    params, meaning = metric.params, metric.meaning
    is_plain = params.get("effort") is None and not params["judged_only"] and params.get("unit") != "iteration"
    is_default = params.get("A") == meaning.defaults.get("A") and params.get("end") == meaning.defaults.get("end")
    is_cut = lists.depth is not None and (metric.size is None or metric.size > lists.depth)
    if meaning.tied_mean is None or is_cut or not (is_plain and is_default):
        return None
    mean: Floats = meaning.tied_mean(whole.seen(r), ties, k=metric.size, **{name: params[name] for name in meaning.own})
    return mean


def _scores_over_orders(lists: TiedLists, metric: Metric, by_grade: bool, seed: int) -> tuple[Floats, Bools]:
    """[n, 3] least, mean and largest score over all orders, or over random ones; and [n] whether those were random."""
    count = len(lists.r)
    ends, sampled = np.empty((count, 3)), np.zeros(count, dtype=np.bool_)
    waiting: list[tuple[int, Ints]] = []
    for row, orders, is_random in _orders(lists, metric, by_grade, seed):
        waiting.append((row, orders))
        sampled[row] = is_random
        sizes = [len(each) for _, each in waiting]
        if sum(sizes) >= ROWS_AT_ONCE or row == count - 1:
            rows = np.repeat([one for one, _ in waiting], sizes)
            scores = lists[rows].scores(metric, np.concatenate([each for _, each in waiting]))
            for (one, _), part in zip(waiting, np.split(scores, np.cumsum(sizes)[:-1]), strict=True):
                ends[one] = part.min(), part.mean(), part.max()
            waiting = []
    return ends, sampled


def _orders(lists: TiedLists, metric: Metric, by_grade: bool, seed: int) -> Iterator[tuple[int, Ints, bool]]:
    """Each list with orders of its results [order, depth], and whether these are random."""
    r, ties, same, reach = lists.r, lists.ties, np.arange(lists.r.depth), lists.reach(metric)
    codes = lists.codes if by_grade else np.broadcast_to(same, r.grade.shape)
    for row, name in enumerate(lists.names):
        check_cancelled()
        until = int(((ties.start[row] < reach) & r.inside[row]).sum())
        edges = np.flatnonzero(np.diff(ties.group[row, :until])) + 1
        groups = [part.tolist() for part in np.split(codes[row, :until], edges)]
        if arrangement_count(groups) <= MAX_ORDERS:
            yield row, np.array([[*order, *same[until:]] for order in arrangements(groups)]), False
        else:
            draws = np.random.default_rng([seed, crc32(name.encode())]).random((MAX_ORDERS, r.depth))
            yield row, TieGroups(np.broadcast_to(ties.group[row], draws.shape)).order_by(draws), True


def uncut_runs(runs: Any, qrels: Any, judging: JudgingPolicy, needs: frozenset[str]) -> RunByRun:
    """The runs with whole lists, whatever depth the policy has."""
    return judged_runs(runs, qrels, replace(judging, depth=None), needs)


def tie_range_runs(runs: RunByRun, columns: Columns, depth: int | None) -> Iterator[ScoredRun]:
    """The uncut runs with three scores per metric: least, expected and largest over all orders of tied results."""
    for run in runs:
        lists = tied_lists(run, depth)
        yield tie_range_run(run, columns, [[tie_range(each, metric) for each in lists] for metric in columns.metrics])


def tie_range_run(run: JudgedRun, columns: Columns, ranges: Sequence[Sequence[TieRange]]) -> ScoredRun:
    """The three scores per metric of one run, from the ranges [metric][batch] of its lists."""
    by_metric = [run.in_order([each.ends for each in of_metric]) for of_metric in ranges]
    values, notes = columns.scores(run, np.concatenate(by_metric, axis=1))
    others = (note for note in run.notes if not isinstance(note, EqualScores))
    notes += [*sampling_notes(run.name, columns.metrics, ranges), *geometric_notes(columns.metrics)]
    r = run.batches[0]
    return ScoredRun(run.name, run.topics, values, (*notes, *others), r.max_grade, float(r.pool.top))


def sampling_notes(name: str, metrics: Sequence[Metric], ranges: Sequence[Sequence[TieRange]]) -> list[Note]:
    """Notes on metrics whose numbers are of random orders, in some list of a run."""
    notes = []
    for ends, text in (
        (False, f"whose expected {{metrics}} is the mean of {MAX_ORDERS} random orders, because there are more"),
        (True, f"whose range of {{metrics}} is that of {MAX_ORDERS} random orders, so that it may be wider"),
    ):
        for metric, parts in zip(metrics, ranges, strict=True):
            chosen = [each.sampled_ends if ends else each.sampled_mean for each in parts]
            if count := sum(int(each.sum()) for each in chosen):
                notes.append(Note(text, name, count, "topic", metrics=[str(metric)], caveat=True))
    return notes


def geometric_notes(metrics: Sequence[Metric]) -> list[Note]:
    """A note on each metric with a geometric mean over topics, which is not the mean over orders of that mean."""
    text = (
        "[expected] of all topics by {metrics} is the geometric mean of the topics' expected scores; "
        "the mean over all orders may be lower"
    )
    return [
        Note(text, metrics=[str(metric)], caveat=True)
        for metric in metrics
        if metric.meaning.over_topics == "geometric"
    ]
