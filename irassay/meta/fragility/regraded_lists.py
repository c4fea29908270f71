"""The lists of systems with their judged documents, scored again under many altered grades of a topic at once."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.missing_topics import scores_with_unanswered
from irassay.meta.robustness.rejudged_scores import PooledRuns
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings, stacked_batches
from irassay.rankings.pool import Pool
from irassay.stats.draws import slices

CELLS_AT_ONCE = 1 << 17  # of an array [version, document or rank]; larger ones are slow to allocate and to read


@dataclass(frozen=True, eq=False)
class RegradedLists:
    """The lists of one system, a row per topic, and where their results are among the topic's judged documents."""

    lists: Rankings
    slot: Ints  # [topic, rank] -1 where not judged


@dataclass(frozen=True, eq=False)
class States:
    """Topics with altered grades."""

    topic: Ints  # [state]
    grade: Floats  # [state, document]


@dataclass(frozen=True, eq=False)
class RegradedPair:
    """Two systems whose difference is scored under altered grades of the judged documents."""

    metric: Metric
    first: RegradedLists
    second: RegradedLists
    pool: Pool

    @property
    def grade(self) -> Floats:
        """[topic, document] the original grades."""
        return self.pool.grade

    @cached_property
    def grades(self) -> Floats:
        """The grades that a document may be given: those of the judgements, and 0."""
        return np.unique(np.append(self.pool.grade[self.pool.listed], 0.0))

    @cached_property
    def returned_documents(self) -> tuple[Bools, Bools]:
        """[topic, document] the judged documents that each of the two systems returns, as far as the metric looks."""
        return _documents_in_lists(self.first.slot, self.pool), _documents_in_lists(self.second.slot, self.pool)

    @cached_property
    def uses_pool(self) -> bool:
        """Whether judged documents that neither system returns change a score."""
        return "pool" in self.metric.meaning.needs

    def kind(self, grade: Floats) -> Floats:
        """[…] equal numbers for grades that the metric does not distinguish."""
        return grade

    def differences(self, state: States, row: Ints, slot: Ints, grade: Floats) -> Floats:
        """[version] first minus second, better is higher, after some documents of a state got other grades.

        `row` [version] are the states that are changed, `slot` and `grade` [version, change] the documents and their
        new grades.
        """
        parts = []
        width = max(1, self.grade.shape[1], self.first.lists.depth, self.second.lists.depth)
        for some in slices(len(row), CELLS_AT_ONCE // width):
            altered = state.grade[row[some]]
            np.put_along_axis(altered, slot[some], grade[some], axis=1)
            parts.append(self.rescored_differences(state.topic[row[some]], altered))
        return np.concatenate(parts) if parts else np.zeros(0)

    def rescored_differences(self, topic: Ints, grade: Floats) -> Floats:
        """[version] first minus second, better is higher, on topics with these grades [version, document]."""
        first, second = (self._scores(each, topic, grade) for each in (self.first, self.second))
        return first - second if self.metric.meaning.higher_is_better else second - first

    def _scores(self, system: RegradedLists, topic: Ints, grade: Floats) -> Floats:
        rows, slot = system.lists[topic], system.slot[topic]
        regraded = np.where(slot >= 0, np.take_along_axis(grade, slot.clip(0), axis=1), 0.0)
        values = {name: array[topic] for name, array in rows.topic_values.items()}
        pool = Pool(grade, self.pool.size[topic], grade[:, :, None], np.ones((len(topic), 1)))
        altered = replace(
            rows,
            grade=regraded,
            aspects=regraded[:, :, None],
            topic=np.arange(len(topic)),
            pool=pool,
            topic_values=values,
        )
        scores = self.metric.score(altered)[:, None]
        return scores_with_unanswered(altered, scores, [self.metric], "zero")[:, 0]


def _documents_in_lists(slot: Ints, pool: Pool) -> Bools:
    """[topic, document] whether a document is in the list of its topic, given slots [topic, rank]."""
    returned = np.zeros(pool.grade.shape, dtype=np.bool_)
    topic, rank = np.nonzero(slot >= 0)
    returned[topic, slot[topic, rank]] = True
    return returned


def system_lists(pooled: PooledRuns, metric: Metric) -> list[RegradedLists]:
    """[system] the lists of every system, in the order of topics, cut to what the metric uses."""
    width = pooled.pool.grade.shape[1]
    cut = [part.top(metric.reach) for part in pooled.parts]
    every = []
    for system in range(len(pooled.systems)):
        chosen = [(part, np.flatnonzero(part.system == system)) for part in cut]
        chosen = [(part, rows) for part, rows in chosen if len(rows)]
        lists = stacked_batches([part.lists[rows] for part, rows in chosen])
        place = np.full((len(lists), lists.depth), -1, dtype=np.int64)
        start = 0
        for part, rows in chosen:
            place[start : start + len(rows), : part.place.shape[1]] = part.place[rows]
            start += len(rows)
        order = np.argsort(lists.topic)
        every.append(RegradedLists(lists[order], np.where(place >= 0, place % width, -1)[order]))
    return every


def regraded_pair(
    pooled: PooledRuns, first: RegradedLists, second: RegradedLists, metric: Metric, topics: Ints
) -> RegradedPair:
    """The pair on some topics."""
    pool = pooled.pool
    kept = Pool(pool.grade[topics], pool.size[topics], pool.aspects[topics], pool.weights[topics])

    def lists(system: RegradedLists) -> RegradedLists:
        rows = system.lists[topics]
        values = {name: array[topics] for name, array in rows.topic_values.items()}
        rows = replace(rows, topic=np.arange(len(topics)), pool=kept, topic_values=values)
        return RegradedLists(rows, system.slot[topics])

    return RegradedPair(metric, lists(first), lists(second), kept)
