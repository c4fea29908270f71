"""The grades of all lists of a collection as one array."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.io.run_names import repeated_name_error
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.scanned_runs import judged_lists
from irassay.notes import Note, NothingJudged, merged_notes
from irassay.parallel import with_progress
from irassay.prose import count_phrase
from irassay.rankings.scenarios import condensed
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.remarks import check_any_judged, file_notes, name_notes, scale_note

MAX_CELLS = 1 << 27  # [system, topic, rank]


@dataclass(frozen=True, eq=False)
class GradeCube:
    """The lists of every system on the same topics, graded."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    grade: Floats  # [system, topic, rank] 0 for unjudged results, grades below 0 and ranks past the list
    ideal: Floats  # [topic, rank] the judged documents of the topic, best first
    grades: Floats  # [grade] above 0 in the judgements of all topics, retrieved or not, ascending
    max_grade: float
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, judged_runs: JudgedRuns) -> "GradeCube":
        """The lists of runs, as deep as the judging policy cuts them."""
        runs = judged_lists(judged_runs.runs, judged_runs.qrels, judged_runs.judging)
        by_run: list[tuple[Floats, Bools]] = []
        names, notes = list[str](), file_notes(judged_runs.runs)
        unmatched, cells = list[NothingJudged](), 0
        for run in with_progress(iter(runs), len(runs), "reading runs"):
            if run.queries is not None or any("turns" in r.carries for r in run.batches):
                raise InputError(
                    f"{run.name} has several queries or iterations per topic; expected one list per topic."
                )
            if run.name in names:
                raise repeated_name_error(run.name)
            grade, answered = _grades_by_topic(run, judged_runs.scoring.judged_only)
            cells += grade.size
            if cells > MAX_CELLS:
                found = f"The lists have more than {MAX_CELLS:,} places"
                raise InputError(f"{found}; cut them with ", argument("depth"), ".", argument="depth", found=found)
            by_run.append((grade, answered))
            names.append(run.name)
            unmatched += [note for note in run.notes if isinstance(note, NothingJudged)]
            notes += [note for note in run.notes if note not in notes]
        check_any_judged(unmatched, len(names), judged_runs.judging)
        counted = np.logical_and.reduce([answered for _, answered in by_run])
        pool = run.batches[0].pool
        if judged_runs.scoring.no_relevant == "skip":
            counted &= ((pool.grade >= judged_runs.scoring.level) & pool.listed).any(axis=1)
        if left_out := int((~counted).sum()):
            notes.append(Note(f"{count_phrase(left_out, 'topic')} left out of every comparison", caveat=True))
        if counted.sum() < 2:
            raise InputError(
                f"Found {count_phrase(int(counted.sum()), 'topic')} that all runs answer; expected at least 2."
            )
        listed = pool.grade[pool.listed & (pool.grade > 0)]
        top = run.batches[0].max_grade
        notes += name_notes(judged_runs.runs, names, judged_runs.judging.names)
        notes.append(scale_note(top, judged_runs.judging.max_grade is None, float(pool.top)))
        topics = tuple(name for name, kept in zip(run.topics, counted, strict=True) if kept)
        cube = stacked_lists([grade[counted] for grade, _ in by_run])
        ideal = ideal_grades(np.where(pool.listed, pool.grade, 0.0)[counted], cube.shape[2])
        return cls(tuple(names), topics, cube, ideal, np.unique(listed), top, merged_notes(notes))


def _grades_by_topic(run: JudgedLists, judged_only: bool) -> tuple[Floats, Bools]:
    """[topic, rank] the grades of a run's lists, at least 0, and [topic] whether it answers the topic."""
    lists = [condensed(r) if judged_only else r for r in run.batches]
    grade = np.zeros((len(run.topics), max(r.depth for r in lists)))
    answered = np.zeros(len(run.topics), dtype=np.bool_)
    for r, topic in zip(lists, run.topic, strict=True):
        grade[topic, : r.depth] = np.maximum(r.grade, 0.0)
        answered[topic] = True
    return grade, answered


def stacked_lists(lists: Sequence[Floats | Bools]) -> Floats:
    """[system, topic, rank] from [topic, rank] of each system, 0 past a list; at least one rank."""
    cube = np.zeros((len(lists), len(lists[0]), max(1, *(each.shape[1] for each in lists))))
    for system, each in enumerate(lists):
        cube[system, :, : each.shape[1]] = each
    return cube


def ideal_grades(grade: Floats, depth: int) -> Floats:
    """[topic, depth] the grades [topic, document] best first; 0 past them and for grades below 0.

    >>> ideal_grades(np.array([[0.0, 2.0, 1.0]]), 2)
    array([[2., 1.]])
    """
    best = -np.sort(-np.maximum(grade, 0.0), axis=1)[:, :depth]
    return np.pad(best, ((0, 0), (0, depth - best.shape[1])))
