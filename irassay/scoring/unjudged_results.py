"""Unjudged results, and what each could add to the scores of metrics that are sums of gains."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.judged_lists import JudgedLists
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.gain import gains
from irassay.scoring.columns import largest_size

MAX_RESULTS = 1 << 25  # kept
MAX_CELLS = 1 << 24  # of an array [relevant documents, pool]
ROWS_AT_ONCE = 256  # of it
NEGLIGIBLE = 1e-17  # share of the largest weight, too small to matter in double precision


@dataclass(frozen=True, eq=False)
class UnjudgedResults:
    """The unjudged results that a metric uses, and what each would add to the score with the top grade."""

    system: Ints  # [u] ascending within a document
    topic: Ints  # [u] ascending
    document: Ints  # [u] ascending within a topic
    worth: Floats  # [u] before division by an ideal
    share: "Share | None" = None  # None: scores are not divided

    def of_topic(self, topic: int) -> "UnjudgedResults":
        """The results of one topic."""
        return self.subset(slice(*np.searchsorted(self.topic, [topic, topic + 1])))

    def subset(self, rows: Bools | slice) -> "UnjudgedResults":
        """Some of the results."""
        return UnjudgedResults(self.system[rows], self.topic[rows], self.document[rows], self.worth[rows])


@dataclass(frozen=True, eq=False)
class Share:
    """What scores are divided by, if gains are binary."""

    ideal: Floats  # [relevant documents]
    relevant: Ints  # [topic] known relevant documents
    returned: UnjudgedResults | None  # at any rank, worth 1 each, of topics in which further relevant ones matter


class UnjudgedCollector:
    """Collects the unjudged results of every run, for metrics whose bounds can be exact."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = {name: m for name, m in metrics.items() if m.linear and m.monotone}
        self.by_run: list[tuple[Ints, NDArray[np.uint64], Ints]] = []  # topic, key, rank from 0
        self.results = 0
        self.worth: dict[str, list[Floats]] = {}
        self.gain: dict[str, float] = {}  # by metric: gain of the top grade minus gain of no judgement
        self.relevant: dict[str, Ints] = {}  # by metric that is a share: [topic] known relevant documents
        self.growing: dict[str, Bools] = {}  # [topic] whether a further one raises the ideal

    @property
    def reach(self) -> int | None:
        """The number of results of a list needed; None: all, because a share depends on results past the cutoff."""
        return largest_size((None if m.meaning.normalised else m.size for m in self.metrics.values()), default=1)

    def add(self, run: JudgedLists, r: Rankings) -> None:
        """Adds the unjudged results of a run, with its lists; a grade below 0 counts as unjudged."""
        if self.metrics and not self.results and not self.by_run:
            self._begin(r)
        if not self.gain:
            return
        row, rank = np.nonzero(r.inside & ~(r.judged & (r.grade >= 0)))
        inside = self._matters_to_some(r.topic[row], rank)
        row, rank = row[inside], rank[inside]
        self.results += len(row)
        if self.results > MAX_RESULTS:
            self.gain, self.by_run, self.worth = {}, [], {}
            return
        self.by_run.append((r.topic[row], run.keys()[0][row, rank], rank))
        for name in self.gain:
            near = within_cutoff(rank, self.metrics[name])
            cut = r if self.metrics[name].size is None else r.top(self.metrics[name].size or 0)
            self.worth.setdefault(name, []).append(self.metrics[name].weights(cut)[row[near], rank[near]])

    def _begin(self, r: Rankings) -> None:
        """Finds the metrics with exact bounds, and the topics in which further relevant documents matter."""
        for name, metric in self.metrics.items():
            seen = metric.seen(r)
            grade, gain = gain_by_grade(seen)
            if not metric.meaning.normalised:
                self.gain[name] = float(gain[-1] - gain[0])
            elif gain[0] == 0 and len(set(gain[gain > 0])) == 1:
                known = ((seen.pool.grade >= grade[gain > 0][0]) & seen.pool.listed).sum(axis=1)
                ideal = ideals(metric, int(known.max(initial=0)) + 1, seen.max_grade)
                if len(ideal):
                    self.gain[name], self.relevant[name] = float(gain[-1]), known
                    self.growing[name] = ideal[known + 1] > ideal[known]
        self.top = r.max_grade

    def _matters_to_some(self, topic: Ints, rank: Ints) -> Bools:
        """Whether each result matters to some metric."""
        inside = np.zeros(len(rank), dtype=np.bool_)
        for name in self.gain:
            inside |= within_cutoff(rank, self.metrics[name])
            if name in self.growing:
                inside |= self.growing[name][topic]
        return inside

    def by_metric(self) -> dict[str, UnjudgedResults]:
        """The unjudged results by metric, for metrics whose bounds can be exact on these judgements."""
        if not self.by_run:
            return {}
        system = np.repeat(np.arange(len(self.by_run)), [len(topic) for topic, _, _ in self.by_run])
        topic, key, rank = (np.concatenate(each) for each in zip(*self.by_run, strict=True))
        order, document = document_order(topic, key)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        every = UnjudgedResults(system[order], topic[order], document, np.ones(len(order)))
        subsets: dict[bytes, UnjudgedResults] = {}  # shared by metrics that use the same results
        by_metric = {}
        for name, step in self.gain.items():
            worth = np.zeros(len(order))
            worth[place[within_cutoff(rank, self.metrics[name])]] = np.concatenate(self.worth[name]) * step
            matters = worth > NEGLIGIBLE * worth.max(initial=0.0)
            code = np.packbits(matters).tobytes()
            subsets[code] = subsets.get(code) or every.subset(matters)
            share = self._ideal_share(name, every) if name in self.relevant else None
            if share is None or len(share.ideal):
                by_metric[name] = replace(subsets[code], worth=worth[matters], share=share)
        return by_metric

    def _ideal_share(self, name: str, every: UnjudgedResults) -> Share:
        """What the scores of a metric are divided by, given all unjudged results."""
        known, growing, metric = self.relevant[name], self.growing[name], self.metrics[name]
        longest = np.bincount(every.system * len(known) + every.topic, minlength=1).max()
        ideal = ideals(metric, int(known.max(initial=0) + 2 * longest), metric.params.get("max_grade") or self.top)
        past = growing.any() and metric.size is not None
        return Share(ideal, known, every.subset(growing[every.topic]) if past else None)


def document_order(topic: Ints, key: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """The stable order of results by topic and document, and the number of each document in that order."""
    order = np.argsort(topic.astype(np.uint16) if topic.max(initial=0) < 1 << 16 else topic, kind="stable")
    ends = np.cumsum(np.bincount(topic))
    for rows in np.split(order, ends[:-1]):
        rows[:] = rows[np.argsort(key[rows], kind="stable")]
    new = (np.diff(topic[order]) != 0) | (np.diff(key[order]) != 0)
    return order, np.concatenate([[0], np.cumsum(new)])[: len(order)]


def within_cutoff(rank: Ints, metric: Metric) -> Bools:
    """Whether a metric uses each rank, counted from 0."""
    return np.ones(len(rank), dtype=np.bool_) if metric.size is None else rank < metric.size


def gain_by_grade(seen: Rankings) -> tuple[Floats, Floats]:
    """The grades of the scale and of the judgements, from 0 up, and their gains for the metric of this view."""
    grades, view = seen.pool.grade[seen.pool.listed], seen.metric_view
    grade = np.unique(np.concatenate([grades[grades > 0], np.arange(int(seen.max_grade) + 1), [seen.max_grade]]))
    return grade, gains(grade, view.gain, seen.max_grade, view.rel, view.raw)


def ideals(metric: Metric, limit: int, top: float) -> Floats:
    """[relevant documents] the ideal that a normalised metric divides by, computed by scoring one result.

    Empty if that would take too long.
    """
    if limit**2 > MAX_CELLS:
        return np.zeros(0)
    parts = [np.zeros(1)]
    for start in range(1, limit + 1, ROWS_AT_ONCE):
        relevant = np.arange(start, min(start + ROWS_AT_ONCE, limit + 1))[:, None]
        best = np.where(np.arange(limit) < relevant, top, 0.0)
        r = Rankings.of(np.full((len(best), 1), top), best=best, max_grade=top)
        parts.append(metric.weights(r)[:, 0] * metric.seen(r).gain[:, 0] / metric.score(r))
    return np.concatenate(parts)
