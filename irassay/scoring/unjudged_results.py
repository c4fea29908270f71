"""Results that were not judged, and what each could add to the scores by metrics that are sums of gains."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.judged import JudgedLists
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.gain import gains

MAX_RESULTS = 1 << 25  # that are kept
MAX_CELLS = 1 << 24  # of an array [relevant documents, pool]
ROWS = 256  # of it at a time
NEGLIGIBLE = 1e-17  # share of the largest weight that no double shows


@dataclass(frozen=True, eq=False)
class UnjudgedResults:
    """The results that a metric looks at and nobody judged, and what the top grade of each would add to the score."""

    system: Ints  # [u] ascending for each document
    topic: Ints  # [u] ascending
    document: Ints  # [u] ascending for each topic
    worth: Floats  # [u] before it is divided by an ideal
    share: "Share | None" = None  # None: it is no share

    def of(self, topic: int) -> "UnjudgedResults":
        """Those of one topic."""
        some = slice(*np.searchsorted(self.topic, [topic, topic + 1]))
        return UnjudgedResults(self.system[some], self.topic[some], self.document[some], self.worth[some])

    def subset(self, some: Bools) -> "UnjudgedResults":
        """Some of the results."""
        return UnjudgedResults(self.system[some], self.topic[some], self.document[some], self.worth[some])


@dataclass(frozen=True, eq=False)
class Share:
    """What scores are divided by, where gains are binary."""

    ideal: Floats  # [relevant documents]
    relevant: Ints  # [topic] relevant documents that are known
    returned: (
        UnjudgedResults | None
    )  # unjudged results at any rank, 1 each, of topics in which further relevant ones matter


class UnjudgedCollector:
    """What is kept of the lists of every run, for metrics whose bounds can be exact."""

    def __init__(self, metrics: Mapping[str, Metric]) -> None:
        self.metrics = {name: m for name, m in metrics.items() if m.linear and m.monotone}
        self.found: list[tuple[Ints, NDArray[np.uint64], Ints]] = []  # of each run: topic, key, rank from 0
        self.kept = 0
        self.worth: dict[str, list[Floats]] = {}
        self.gain: dict[str, float] = {}  # by metric, how much more the top grade gains than no judgement
        self.relevant: dict[str, Ints] = {}  # by metric that is a share: [topic] relevant documents that are known
        self.growing: dict[str, Bools] = {}  # [topic] whether a further one raises the ideal

    @property
    def reach(self) -> int | None:
        """How many results of a list are to be given; None: all, for a share depends on what lies past its cutoff."""
        sizes = [None if m.meaning.normalised else m.size for m in self.metrics.values()]
        return None if None in sizes else max((size for size in sizes if size is not None), default=1)

    def add(self, run: JudgedLists, r: Rankings) -> None:
        """Keeps the unjudged results of a run, whose lists these are; a grade below 0 is no judgement."""
        if self.metrics and not self.kept and not self.found:
            self._begin(r)
        if not self.gain:
            return
        row, rank = np.nonzero((r.rank <= r.retrieved[:, None]) & ~(r.judged & (r.grade >= 0)))
        inside = self._inside(r.topic[row], rank)
        row, rank = row[inside], rank[inside]
        self.kept += len(row)
        if self.kept > MAX_RESULTS:
            self.gain, self.found, self.worth = {}, [], {}
            return
        self.found.append((r.topic[row], run.keys()[0][row, rank], rank))
        for name in self.gain:
            near = within(rank, self.metrics[name])
            cut = r if self.metrics[name].size is None else r.top(self.metrics[name].size or 0)
            self.worth.setdefault(name, []).append(self.metrics[name].weights(cut)[row[near], rank[near]])

    def _begin(self, r: Rankings) -> None:
        """Finds out by the first run which metrics can say, and of which topics further relevant documents matter."""
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

    def _inside(self, topic: Ints, rank: Ints) -> Bools:
        """Which results matter to some metric."""
        found = np.zeros(len(rank), dtype=np.bool_)
        for name in self.gain:
            found |= within(rank, self.metrics[name])
            if name in self.growing:
                found |= self.growing[name][topic]
        return found

    def parts(self) -> dict[str, UnjudgedResults]:
        """The unjudged results by metric, of the metrics whose bounds can be exact on these judgements."""
        if not self.found:
            return {}
        system = np.repeat(np.arange(len(self.found)), [len(topic) for topic, _, _ in self.found])
        topic, key, rank = (np.concatenate(each) for each in zip(*self.found, strict=True))
        order, document = by_document(topic, key)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        every = UnjudgedResults(system[order], topic[order], document, np.ones(len(order)))
        alike: dict[bytes, UnjudgedResults] = {}
        made = {}
        for name, step in self.gain.items():
            worth = np.zeros(len(order))
            worth[place[within(rank, self.metrics[name])]] = np.concatenate(self.worth[name]) * step
            kept = worth > NEGLIGIBLE * worth.max(initial=0.0)
            same = np.packbits(kept).tobytes()
            alike[same] = alike.get(same) or every.subset(kept)
            made[name] = replace(alike[same], worth=worth[kept])
            if name in self.relevant:
                share = self._share(name, every)
                made[name] = replace(made[name], share=share)
                if not len(share.ideal):
                    del made[name]
        return made

    def _share(self, name: str, every: UnjudgedResults) -> Share:
        """What the scores by a metric are divided by, of all unjudged results."""
        known, growing, metric = self.relevant[name], self.growing[name], self.metrics[name]
        longest = np.bincount(every.system * len(known) + every.topic, minlength=1).max()
        ideal = ideals(metric, int(known.max(initial=0) + 2 * longest), metric.params.get("max_grade") or self.top)
        past = growing.any() and metric.size is not None
        return Share(ideal, known, every.subset(growing[every.topic]) if past else None)


def by_document(topic: Ints, key: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """The order of results by topic and document, otherwise as they came, and in it the number of each document."""
    order = np.argsort(topic.astype(np.uint16) if topic.max(initial=0) < 1 << 16 else topic, kind="stable")
    ends = np.cumsum(np.bincount(topic))
    for some in np.split(order, ends[:-1]):
        some[:] = some[np.argsort(key[some], kind="stable")]
    new = (np.diff(topic[order]) != 0) | (np.diff(key[order]) != 0)
    return order, np.concatenate([[0], np.cumsum(new)])[: len(order)]


def within(rank: Ints, metric: Metric) -> Bools:
    """Which of the ranks, from 0, a metric looks at."""
    return np.ones(len(rank), dtype=np.bool_) if metric.size is None else rank < metric.size


def scale(seen: Rankings) -> Floats:
    """The grades that there are, from 0 up."""
    there = np.unique(seen.pool.grade[seen.pool.listed])
    return np.unique(np.concatenate([there[there > 0], np.arange(int(seen.max_grade) + 1), [seen.max_grade]]))


def gain_by_grade(seen: Rankings) -> tuple[Floats, Floats]:
    """The grades that there are, and the gain of each to the metric that sees the lists so."""
    grade, look = scale(seen), seen.metric_view
    return grade, gains(grade, look.gain, seen.max_grade, look.rel, look.raw)


def ideals(metric: Metric, most: int, top: float) -> Floats:
    """[relevant documents] what the score of a normalised metric is a share of, found by scoring one result.

    Empty where that would take too long.
    """
    if most**2 > MAX_CELLS:
        return np.zeros(0)
    found = [np.zeros(1)]
    for start in range(1, most + 1, ROWS):
        relevant = np.arange(start, min(start + ROWS, most + 1))[:, None]
        best = np.where(np.arange(most) < relevant, top, 0.0)
        r = Rankings.of(np.full((len(best), 1), top), best=best, max_grade=top)
        found.append(metric.weights(r)[:, 0] * metric.seen(r).gain[:, 0] / metric.score(r))
    return np.concatenate(found)
