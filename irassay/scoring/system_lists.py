"""The lists of a collection: which of two dominates the other, and what is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.scanned_runs import judged_lists
from irassay.metrics.metric import Metric
from irassay.parallel import check_cancelled, map_blocks
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.columns import largest_size
from irassay.scoring.grade_cube import stacked_lists
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.unjudged_results import UnjudgedCollector, UnjudgedResults

CELLS_AT_ONCE = 1 << 21  # of an array [pair, grade, rank]
MAX_RESULTS = 1 << 28  # of all lists; with more, lists are not compared in pairs


@dataclass(frozen=True, eq=False)
class ListCounts(Saved):
    """Counts of pairs and results for each metric on the lists of this collection; only metrics that were measured."""

    saved_as: ClassVar[str] = "on-lists"

    dominating: Mapping[str, int] = field(default_factory=dict)  # pairs of lists, one of which dominates the other
    against: Mapping[str, int] = field(default_factory=dict)  # of these, those whose dominated list scores higher
    results: Mapping[str, int] = field(default_factory=dict)  # results that the metric uses, in all lists
    unjudged: Mapping[str, int] = field(default_factory=dict)  # of these, results without a judgement


@dataclass(frozen=True, eq=False)
class SystemLists:
    """The lists of all systems, topic by topic."""

    codes: Ints  # [system, topic, rank] 0 for grades up to 0, unjudged results and ranks past the list; then ascending
    judged: Bools  # [system, topic, rank]
    length: Ints  # [system, topic]
    unjudged: Mapping[str, UnjudgedResults] = field(default_factory=dict)  # by metric, if bounds can be exact


class ListReader:
    """Collects the lists of runs, as deep as needed by metrics that score single lists by grade."""

    def __init__(self, judged_runs: JudgedRuns, definitions: Mapping[str, Metric]) -> None:
        self.judged_runs = judged_runs
        usable = {} if judged_runs.scoring.judged_only else list_metrics(definitions)
        self.depth = largest_size(metric.size for metric in usable.values())
        self.collector = UnjudgedCollector({} if judged_runs.judging.costs is not None else usable)
        self.usable = bool(usable)
        self.by_run: list[tuple[Floats, Bools, Ints]] = []  # grade and judged [topic, rank], length [topic]

    def add(self, run: JudgedLists) -> None:
        """Adds the lists of a run; unusable for sessions, Dynamic Domain runs, and very many lists."""
        r = run.batches[0]
        if run.queries is not None or len(run.batches) != 1 or "turns" in r.carries:
            self.usable = False
        if not self.usable:
            return
        cut = r if self.depth is None else r.top(self.depth)
        shape = (len(run.topics), cut.depth)
        grade, judged, size = np.zeros(shape), np.zeros(shape, dtype=np.bool_), np.zeros(shape[0], dtype=np.int64)
        grade[cut.topic], judged[cut.topic], size[cut.topic] = cut.grade, cut.judged, cut.retrieved
        self.by_run.append((grade, judged, size))
        self.collector.add(run, r)
        self.usable = sum(grade.size for grade, _, _ in self.by_run) <= MAX_RESULTS

    def lists(self, scores: Scores) -> SystemLists | None:
        """The lists behind these scores; None if no metric scores single lists, or the lists are unusable."""
        if not self.usable:
            return None
        if not self.by_run:  # scoring did not pass them on
            inputs = self.judged_runs.runs, self.judged_runs.qrels, self.judged_runs.judging
            reach = largest_size([self.depth, self.collector.reach])
            runs = judged_lists(*inputs, reach=reach, with_keys=bool(self.collector.metrics))
            if runs.is_ragged:  # some topic has far more judgements than others
                return None
            for run in runs:
                self.add(run)
                if not self.usable:
                    return None
        grades, judged, sizes = zip(*self.by_run, strict=True)
        grade = stacked_lists(grades)
        if grade.shape[:2] != scores.values.shape[:2]:
            return None
        codes = np.searchsorted(np.unique(grade[grade > 0]), grade, side="right").clip(0)
        return SystemLists(codes, stacked_lists(judged) > 0, np.stack(sizes), self.collector.by_metric())


def dominating_pairs(codes: Ints, length: Ints) -> tuple[Ints, Ints]:
    """[pair] the dominating and the dominated lists, for codes [list, rank] and lengths [list].

    A list dominates another of the same length if up to every rank it has at least as many results of every grade or
    better, and somewhere more: it can be made from the other by moving better results up past worse ones, and by
    replacing results with better ones.

    >>> dominating_pairs(np.array([[2, 0], [0, 2], [1, 1]]), np.array([2, 2, 2]))
    (array([0]), array([1]))
    """
    levels = np.arange(1, codes.max(initial=0) + 1)
    counts = np.cumsum(codes[:, None, :] >= levels[:, None], axis=2, dtype=np.int16)  # [list, grade, rank]
    first, second = np.triu_indices(len(codes), k=1)
    same_length = length[first] == length[second]
    first, second = first[same_length], second[same_length]
    better, worse = [], []
    step = max(1, CELLS_AT_ONCE // max(1, counts[0].size))
    for start in range(0, len(first), step):
        check_cancelled()
        i, j = first[start : start + step], second[start : start + step]
        gap = (counts[i] - counts[j]).reshape(len(i), -1)
        up, down = gap.min(axis=1, initial=0) >= 0, gap.max(axis=1, initial=0) <= 0
        better += [i[up & ~down], j[down & ~up]]
        worse += [j[up & ~down], i[down & ~up]]
    none = np.empty(0, dtype=np.int64)
    return np.concatenate([none, *better]), np.concatenate([none, *worse])


def list_metrics(definitions: Mapping[str, Metric]) -> dict[str, Metric]:
    """The metrics that score single lists by grade."""
    return {name: m for name, m in definitions.items() if not m.meaning.needs & {"aspects", "turns"}}


def list_counts(lists: SystemLists | None, scores: Scores, definitions: Mapping[str, Metric]) -> ListCounts:
    """The counts of metrics that score single lists by grade."""
    if lists is None:
        return ListCounts()
    sizes = {name: metric.size for name, metric in list_metrics(definitions).items()}
    values, noise = scores.oriented().values, scores.noise()
    places = np.arange(lists.codes.shape[2]) < lists.length[:, :, None]
    counts: dict[str, tuple[int, int, int, int]] = {}
    for size in dict.fromkeys(sizes.values()):
        names = [name for name, each in sizes.items() if each == size]
        columns = [scores.metrics.index(name) for name in names]
        totals = _contradicted_pairs(lists, size, values[:, :, columns], noise[columns])
        seen = places[:, :, :size]
        results, unjudged = int(seen.sum()), int((seen & ~lists.judged[:, :, :size]).sum())
        counts |= {name: (*pair, results, unjudged) for name, pair in zip(names, totals.T.tolist(), strict=True)}
    return ListCounts(*({name: each[n] for name, each in counts.items()} for n in range(4)))


def _contradicted_pairs(lists: SystemLists, size: int | None, values: Floats, noise: Floats) -> Ints:
    """[2, metric] the pairs of lists of one topic with a dominating list, and those ordered against it."""
    depth = lists.codes.shape[2] if size is None else size
    shared = lists.codes[:, :, :depth], np.minimum(lists.length, depth), values, noise
    return np.sum(map_blocks(_topic_counts, range(lists.codes.shape[1]), shared, doing="comparing lists"), axis=0)


def _topic_counts(topic: int, shared: tuple[Any, Ints, Floats, Floats]) -> Ints:
    """[2, metric] as `_contradicted_pairs`, for one topic."""
    codes, length, values, noise = shared
    better, worse = dominating_pairs(codes[:, topic], length[:, topic])
    gap = values[worse, topic] - values[better, topic]  # [pair, metric]
    return np.stack([np.count_nonzero(~np.isnan(gap), axis=0), np.count_nonzero(gap > noise, axis=0)])
