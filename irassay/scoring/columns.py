"""Judged lists to columns of scores: one per metric, or three with bounds or ties; run by run or many runs at once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import argument
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.missing_topics import scores_with_unanswered, unanswered_rows, worst_is_zero
from irassay.judging.policy import Missing
from irassay.judging.run_blocks import RunBlocks
from irassay.judging.run_facts import UncleanError
from irassay.judging.scanned_runs import ScannedRuns
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.rankings.batch import Rankings, stacked_batches
from irassay.rankings.pool import Pool
from irassay.scores import Scores
from irassay.scoring.batches import (
    batch_scores,
    followed_models,
    nothing_relevant,
    padding_depth,
    remaining_users,
    row_scores,
    rows_at_a_time,
)
from irassay.scoring.remarks import users_left_notes

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

ROWS_WAITING = 1 << 14  # lists of several runs, cut, scored together
TIE_ENDS = ("[least]", "[expected]", "[largest]")  # added to the name of a metric
NONE_LEFT_OUT = np.zeros(1, dtype=np.int64)  # topics, by any metric or by each


@dataclass(frozen=True, eq=False)
class ScoredRun:
    """The scores of a run, with notes."""

    name: str
    topics: tuple[str, ...]
    values: Floats  # [topic, column], NaN if a topic is left out
    notes: tuple[str, ...]
    max_grade: float
    largest: float  # grade that was given


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """The columns of scores: one per metric, or three with bounds; and which topics count."""

    metrics: Sequence[Metric]
    bounds: bool = False
    tie_range: bool = field(default=False, kw_only=True)  # over all orders of tied results
    missing: Missing = "zero"
    no_relevant: str = "zero"
    bounds_unanswered: bool = False  # topics without results have bounds as if their places were unjudged, not 0
    rel: float = 1  # the level of relevance of metrics that have none of their own

    @property
    def ends(self) -> tuple[str, ...]:
        """What is added to a metric's name in each of its columns."""
        return TIE_ENDS if self.tie_range else ("", "[worst]", "[best]") if self.bounds else ("",)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """[column] their names."""
        return tuple(f"{metric}{end}" for metric in self.metrics for end in self.ends)

    @cached_property
    def reach(self) -> int | None:
        """The number of results of a list that metrics use; None if some use all."""
        return None if self.bounds else largest_size(metric.reach for metric in self.metrics)

    def scored_runs(
        self, judged: "ScannedRuns | RunByRun", watch: Callable[[JudgedLists], None] | None = None
    ) -> Iterator[ScoredRun]:
        """Runs with their scores; `watch` gets those that are judged as a whole, not in blocks of topics."""
        if not isinstance(judged, ScannedRuns) or not judged.in_blocks:
            whole = isinstance(judged, ScannedRuns) or (watch is not None and not judged.is_ragged)
            runs = judged if whole else judged.with_separate_pools()  # type: ignore[union-attr]
            yield from self._scored_whole(runs if watch is None else runs_shown_to(watch, runs))
            return
        for i in range(len(judged)):
            try:
                yield self.scored_run(judged, i)
            except UncleanError:
                yield self.generally_scored_run(judged, i)

    def scored_run(self, judged: ScannedRuns, number: int = 0) -> ScoredRun:
        """One run with its scores; UncleanError if only the general reader can read it."""
        if judged.in_blocks:
            return self._scored_in_blocks(RunBlocks(judged, number, self._block_rows))
        (scored,) = self._scored_whole([judged.lists(number)])
        return scored

    def generally_scored_run(self, judged: ScannedRuns, number: int) -> ScoredRun:
        """One run with its scores, read by the general reader."""
        run = judged.general.judged_run(judged.general.runs[number], separate_pools=judged.in_blocks)
        (scored,) = self._scored_whole([run])
        return scored

    def _scored_whole(self, judged: Iterable[JudgedLists]) -> Iterator[ScoredRun]:
        """The scores of runs that are judged as a whole."""
        for run, row_values, left in self.runs_with_scores(judged):
            values, topic_notes = self.scores(run, row_values)
            notes, r = (*topic_notes, *left, *run.notes), run.batches[0]
            yield ScoredRun(run.name, run.topics, values, notes, r.max_grade, float(r.pool.top))

    def _block_rows(self, depth: int, pool: Pool) -> int:
        """The number of lists scored together, as in `batch_scores`."""
        return rows_at_a_time(max(1, depth, padding_depth(self.metrics), pool.grade.shape[1] if self.bounds else 0))

    def _scored_in_blocks(self, run: RunBlocks) -> ScoredRun:
        """The scores of a run that is read some lists at a time."""
        values = np.full((len(run.topics), len(self.names)), np.nan)
        left = np.zeros(len(self.metrics))
        absent, left_out, models = 0, NONE_LEFT_OUT, None
        for r, topics in run:
            models = followed_models([r], self.metrics) if models is None else models
            left = np.maximum(left, remaining_users([r], self.metrics, models))
            scores = batch_scores(r, self.metrics, self.bounds)
            values[topics], unanswered, empty = self._final_scores(r, scores)
            absent, left_out = absent + unanswered, left_out + empty
        topic_notes = self._topic_notes(run.name, values, absent, left_out)
        notes = (*topic_notes, *users_left_notes(self.metrics, left), *run.notes)
        largest = float(run.judgements.scanned.flat.max(initial=0))
        return ScoredRun(run.name, run.topics, values, notes, run.judgements.max_grade, largest)

    def runs_with_scores(self, runs: Iterable[JudgedLists]) -> Iterator[tuple[JudgedLists, Floats, list[Note]]]:
        """Runs, whose lists may then be cut, with the scores [n, column] of their lists and notes on user models.

        Metrics with a cutoff score many runs at once, after the first run, which shows errors early.
        """
        reach = [metric.reach_of_bounds if self.bounds else metric.reach for metric in self.metrics]
        near = [m for m, k in enumerate(reach) if k is not None]
        far = [m for m, k in enumerate(reach) if k is None]
        columns, deepest = self.places(far), max((k for k in reach if k is not None), default=0)
        repeats = any(metric.meaning.counts_repeats for metric in self.metrics)
        waiting: list[tuple[JudgedLists, Floats, list[Note]]] = []
        rows, models = 0, None
        for i, run in enumerate(runs):
            models = followed_models(run.batches, self.metrics) if models is None else models
            left = users_left_notes(self.metrics, remaining_users(run.batches, self.metrics, models))
            plain = run.queries is None and len(run.batches) == 1
            if i and near and plain and not (repeats and run.batches[0].passages.repeated.any()):
                r = run.batches[0]
                values = np.empty((len(r), len(self.names)))
                if far:
                    values[:, columns] = batch_scores(r, [self.metrics[m] for m in far], self.bounds)
                if r.depth > deepest:  # with arrays of its own, so that the rest of the run can be freed
                    r = r.top(deepest)
                    r = replace(r, grade=r.grade.copy(), judged=r.judged.copy(), aspects=r.aspects.copy())
                cut = JudgedLists((r,), run.rows, run.name, run.topics, run.notes, None, about=run.about)
                waiting.append((cut, values, left))
                rows += len(r)
                if rows < ROWS_WAITING:
                    continue
                yield from self._scored_together(waiting, near)
            else:
                yield from self._scored_together(waiting, near)
                yield run, row_scores(run, self.metrics, self.bounds), left
            waiting, rows = [], 0
        yield from self._scored_together(waiting, near)

    def _scored_together(
        self, waiting: list[tuple[JudgedLists, Floats, list[Note]]], near: list[int]
    ) -> list[tuple[JudgedLists, Floats, list[Note]]]:
        """The runs, after those of one depth over one pool have been scored by some metrics as one batch."""
        stacks: dict[tuple[int, int], list[tuple[Rankings, Floats]]] = {}
        for run, values, _ in waiting:
            r = run.batches[0]
            stacks.setdefault((id(r.pool), r.depth), []).append((r, values))
        columns, metrics = self.places(near), [self.metrics[m] for m in near]
        for stack in stacks.values():
            scores = batch_scores(stacked_batches([r for r, _ in stack]), metrics, self.bounds)
            ends = np.cumsum([len(values) for _, values in stack])[:-1]
            for (_, values), part in zip(stack, np.split(scores, ends), strict=True):
                values[:, columns] = part
        return waiting

    def places(self, metrics: list[int]) -> list[int]:
        """The columns of some metrics."""
        times = len(self.ends)
        return [times * m + n for m in metrics for n in range(times)]

    def scores(self, run: JudgedLists, scores: Floats) -> tuple[Floats, list[Note]]:
        """[topic, column] a run's scores by topic from those of its rows [n, column], NaN if left out, and notes."""
        values = np.full((len(run.topics), len(self.names)), np.nan)
        absent, left_out = 0, NONE_LEFT_OUT
        for r, rows, topic in zip(run.batches, run.rows, run.topic, strict=True):
            values[topic], unanswered, empty = self._final_scores(r, scores[rows])
            absent, left_out = absent + unanswered, left_out + empty
        return values, self._topic_notes(run.name, values, absent, left_out)

    def _metrics_without_limit(self, values: Floats) -> list[str]:
        """The metrics that have no bounds for some topics with a score [topic, column]."""
        unbounded = np.logical_or.reduce(np.isnan(values[:, 2::3]) & ~np.isnan(values[:, ::3]), axis=0)  # [metric]
        return [str(m) for m, none in zip(self.metrics, unbounded, strict=True) if none and not m.meaning.of_judging]

    @cached_property
    def _worst_is_zero(self) -> Bools:
        """[column] whether a topic without results counts: as 0, or as the metric's score of an empty list."""
        counts = [metric.meaning.scores_empty or worst_is_zero(metric) for metric in self.metrics]
        return np.repeat(counts, len(self.ends))

    def _final_scores(self, r: Rankings, part: Floats) -> tuple[Floats, int, Ints]:
        """The scores [n, column] of a batch, NaN if left out; and the numbers of topics unanswered and left out.

        The latter by any metric, and by each.
        """
        part = scores_with_unanswered(r, part, self.metrics, self.missing, self.bounds_unanswered)
        unanswered = int(unanswered_rows(r).sum())
        if self.no_relevant != "skip":
            return part, unanswered, NONE_LEFT_OUT
        empty = nothing_relevant(r, self.metrics, self.rel)
        left_out = np.count_nonzero(np.column_stack([empty.any(axis=1), empty]), axis=0)
        return np.where(np.repeat(empty, len(self.ends), axis=1), np.nan, part), unanswered, left_out

    def _topic_notes(self, name: str, values: Floats, absent: int, left_out: Ints) -> list[Note]:
        """Notes on a run's topics, with scores [topic, column], that are left out or have bounds of their own."""
        notes = []
        if absent and self.missing == "zero" and not self._worst_is_zero.all():
            names = [each for each, zero in zip(self.names, self._worst_is_zero, strict=True) if not zero]
            note = "without results left out of {metrics}, whose worst score is not 0"
            notes.append(Note(note, name, absent, "topic", metrics=names, caveat=True))
        if absent and self.missing == "zero" and self.bounds_unanswered:
            note = "without results: [best] is as if all places up to the cutoff were unjudged"
            perfect = [str(m) for m in self.metrics if m.is_best_if_perfect and not m.meaning.of_judging]
            if perfect:
                note += ", or a perfect list's score for {metrics}"
            notes.append(Note(note, name, absent, "topic", metrics=perfect, caveat=True))
            if without_limit := self._metrics_without_limit(values):
                note = "without results left out of the bounds of {metrics}, whose scores have no limit"
                notes.append(Note(note, name, absent, "topic", metrics=without_limit, caveat=True))
        if left_out[0]:
            topics, setting = count_phrase(int(left_out[0]), "topic"), argument("no_relevant", "skip")
            kept = [str(m) for m, count in zip(self.metrics, left_out[1:], strict=True) if count < left_out[0]]
            end = "); {metrics} keep some of these, because lower grades are relevant there" if kept else ")"
            text = (f"{topics} without relevant documents left out (", setting, end)
            notes.append(Note(text, metrics=kept, caveat=True))
        return notes

    def cube(self, values: Floats, systems: Sequence[str], topics: tuple[str, ...], notes: tuple[Note, ...]) -> Scores:
        """The scores [system, topic, column] with their names."""
        meanings = [m.meaning for m in self.metrics for _ in self.ends]
        directions, over = tuple(m.higher_is_better for m in meanings), tuple(m.over_topics for m in meanings)
        cube = Scores(values, tuple(systems), topics, self.names, directions, over_topics=over, notes=notes)
        left_out = self.meaningless
        return cube.select(metrics=[name for name in self.names if name not in left_out]) if left_out else cube

    @property
    def meaningless(self) -> tuple[str, ...]:
        """The bounds of metrics of how much is judged, which are left out."""
        judging = [str(m) for m in self.metrics if m.meaning.of_judging] if self.bounds else []
        return tuple(f"{name}[{end}]" for name in judging for end in ("worst", "best"))


def largest_size(sizes: Iterable[int | None], default: int = 0) -> int | None:
    """The largest number of results used; None if some use all.

    >>> largest_size([10, 5]), largest_size([10, None])
    (10, None)
    """
    known = list(sizes)
    return None if None in known else max((size for size in known if size is not None), default=default)


def runs_shown_to(watch: Callable[[JudgedLists], None], runs: Iterable[JudgedLists]) -> Iterator[JudgedLists]:
    """The runs, each after a call of `watch`."""
    for run in runs:
        watch(run)
        yield run
