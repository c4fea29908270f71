"""Runs read again under other conventions, and the scores of some of their lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.input_files import are_files, open_inputs, run_files
from irassay.io.records import first_tag
from irassay.io.run_names import run_name
from irassay.io.trec import Run
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import judged_runs
from irassay.judging.scanned_runs import judged_lists
from irassay.meta.diff.conventions import (
    READING,
    REARRANGED,
    Choices,
    ConventionSpace,
    convention_scores,
    reading_policy,
)
from irassay.notes import Note
from irassay.prose import first_few
from irassay.rankings.batch import Rankings, stacked_batches

CELLS_AT_A_TIME = 1 << 25  # results read together
BY_GRADE = ("best first", "worst first")  # the orders of equal scores with the extreme values

Cell = tuple[str, str]  # a run and a topic
Batch = tuple[Rankings, Ints]  # lists, and their positions among some cells


@dataclass(frozen=True, eq=False)
class ReadLists:
    """Lists read under one policy, in batches that share a pool, and where the list of each cell is."""

    systems: tuple[str, ...]
    batches: tuple[Rankings, ...]
    place: Mapping[Cell, tuple[int, int]]  # batch and row

    def cell_batches(self, cells: Sequence[Cell]) -> list[Batch]:
        """The lists of some cells."""
        parts: dict[int, list[tuple[int, int]]] = {}
        for n, cell in enumerate(cells):
            if cell in self.place:
                batch, row = self.place[cell]
                parts.setdefault(batch, []).append((row, n))
        return [
            (self.batches[b][np.array([row for row, _ in of])], np.array([n for _, n in of])) for b, of in parts.items()
        ]


@dataclass(frozen=True, eq=False)
class Rescorer:
    """Judgements and runs by the name of their system, to be scored under any conventions."""

    qrels: Any
    runs: Mapping[str, Any]  # of each system
    policy: JudgingPolicy
    grades: tuple[float, ...]  # that were given
    longest: int  # list
    repeats: bool  # some document is listed twice for a topic
    notes: tuple[str, ...] = ()
    read: dict[tuple[Any, ...], list[ReadLists]] = field(default_factory=dict, repr=False)

    def lists(
        self, policy: JudgingPolicy, systems: Sequence[str], arrangement: str = "", needs: frozenset[str] = frozenset()
    ) -> ReadLists:
        """The lists of these systems under a policy; with an arrangement, the rows of each run in that order first.

        `needs` is what the metric needs.
        """
        by_pool: dict[int, list[tuple[str, JudgedLists]]] = {}
        given = [self.runs[name] for name in systems]
        if arrangement:
            source = judged_runs(given, self.qrels, policy)
            grades = _grade_frame(source.judgements) if arrangement in BY_GRADE else None
            read = (run if isinstance(run, Run) else run.read(source.policy) for run in source.runs)
            given = [replace(run, frame=_arranged_rows(run.frame, arrangement, grades), lines=None) for run in read]
        for name, run in zip(systems, judged_lists(given, self.qrels, policy, needs), strict=True):
            by_pool.setdefault(id(run.batches[0].pool), []).append((name, run))
        place: dict[Cell, tuple[int, int]] = {}
        batches: list[Rankings] = []
        for runs in by_pool.values():
            start = 0
            for name, run in runs:
                topics = run.in_order(run.topic)
                place |= {(name, run.topics[t]): (len(batches), start + row) for row, t in enumerate(topics.tolist())}
                start += len(topics)
            batches.append(stacked_batches([run.rankings for _, run in runs]))
        return ReadLists(tuple(systems), tuple(batches), place)

    def scores(
        self, cells: Sequence[Cell], space: ConventionSpace, candidates: Sequence[Choices]
    ) -> list[Floats | None]:
        """[lowest and highest, cell] the scores of some cells under each of several choices.

        The two differ only if equal scores may be in any order. A topic without results scores 0.
        """
        systems = sorted({system for system, _ in cells})
        size = max(1, CELLS_AT_A_TIME // max(1, self.longest * len({topic for _, topic in cells})))
        if len(systems) > size:
            return self._scores_in_parts(cells, space, candidates, systems, size)
        picked: dict[tuple[Any, ...], list[list[Batch]]] = {}
        result: list[Floats | None] = []
        for choices in candidates:
            key = tuple(space.value(choices, name) for name in READING)
            if key not in picked:
                policy, ties = reading_policy(space, choices, self.policy), space.value(choices, "ties")
                arrangements = BY_GRADE if ties == "other" else (ties,) if ties in REARRANGED else ("",)
                try:
                    picked[key] = [
                        self._cell_batches(cells, systems, policy, each, space.metric.needs) for each in arrangements
                    ]
                except InputError:  # such as runs without ranks, which cannot be ordered by them
                    picked[key] = []
            values = [_cell_scores(len(cells), lists, space, choices) for lists in picked[key]]
            known = [each for each in values if each is not None]
            extremes = np.stack([np.min(known, axis=0), np.max(known, axis=0)]) if known else None
            result.append(extremes if len(known) == len(values) else None)
        return result

    def _cell_batches(
        self,
        cells: Sequence[Cell],
        systems: Sequence[str],
        policy: JudgingPolicy,
        arrangement: str,
        needs: frozenset[str],
    ) -> list[Batch]:
        """The lists of some cells; those of systems that were not read before are read now."""
        key = (*(getattr(policy, name) for name in READING), arrangement, "aspects" in needs)
        parts = self.read.setdefault(key, [])
        before = {system for part in parts for system in part.systems}
        if unread := [system for system in systems if system not in before]:
            parts.append(self.lists(policy, unread, arrangement, needs))
        return [batch for part in parts for batch in part.cell_batches(cells)]

    def _scores_in_parts(
        self,
        cells: Sequence[Cell],
        space: ConventionSpace,
        candidates: Sequence[Choices],
        systems: Sequence[str],
        size: int,
    ) -> list[Floats | None]:
        """The same for more runs than fit into memory, some at a time."""
        result: list[Floats | None] = [np.zeros((2, len(cells))) for _ in candidates]
        for start in range(0, len(systems), size):
            some = {*systems[start : start + size]}
            places = [n for n, (system, _) in enumerate(cells) if system in some]
            self.read.clear()
            parts = self.scores([cells[n] for n in places], space, candidates)
            for n, part in enumerate(parts):
                values = result[n]
                if values is None or part is None:
                    result[n] = None
                else:
                    values[:, places] = part
        return result


def _cell_scores(number: int, picked: Sequence[Batch], space: ConventionSpace, choices: Choices) -> Floats | None:
    values = np.zeros(number)
    for r, positions in picked:
        scores = convention_scores(r, space, choices)
        if scores is None:
            return None
        values[positions] = scores
    return values


def _grade_frame(judgements: Any) -> pl.DataFrame:
    """The grade of each document by topic."""
    return judgements.frame.group_by("topic", "doc").agg(pl.col("grade").max())


def _arranged_rows(frame: pl.DataFrame, arrangement: str, grades: pl.DataFrame | None) -> pl.DataFrame:
    """The rows of a run reversed, or those of each topic by grade."""
    if grades is None:
        return frame.reverse()
    joined = frame.join(grades, on=["topic", "doc"], how="left", maintain_order="left")
    order = joined.with_columns(pl.col("grade").fill_null(0)).sort(
        "topic", "grade", descending=[False, arrangement == BY_GRADE[0]], maintain_order=True
    )
    return order.select(frame.columns)


def rescorer(systems: Sequence[str], qrels: Any, runs: Any, policy: JudgingPolicy) -> Rescorer:
    """The runs of these systems, found by file name or tag; a note counts systems without a run."""
    runs, qrels = open_inputs(runs, qrels)
    if are_files(runs):
        files = run_files(runs)
        by_name: dict[str, Any] = {run_name(source.path): source.name for source in files}
        by_tag = {first_tag(source): source.name for source in files}
    else:
        by_name = {run.name: run for run in judged_runs(runs, qrels, policy).runs}
        by_tag = {}
    found = {name: by_name.get(name, by_tag.get(name)) for name in systems}
    found = {name: run for name, run in found.items() if run is not None}
    if not found and len(systems) == len(by_name) == 1:
        found = {systems[0]: next(iter(by_name.values()))}
    if not found:
        found_names = f"they score {first_few(list(systems))}, and the runs are {first_few(list(by_name))}"
        raise InputError(
            f"No run belongs to the tables: {found_names}. Name the tables after the runs, or give one run.",
            argument="runs",
        )
    without = [name for name in systems if name not in found]
    text = f"without a run, so not scored again: {first_few(without)}"
    notes = (Note(text, "", len(without), "system"),) if without else ()
    try:
        grades, longest = _grades_and_length(list(found.values()), qrels, replace(policy, on_duplicate="error"))
        repeats = False
    except InputError:
        grades, longest = _grades_and_length(list(found.values()), qrels, replace(policy, on_duplicate="first"))
        repeats = True
    return Rescorer(qrels, found, policy, grades, longest, repeats, notes)


def _grades_and_length(runs: list[Any], qrels: Any, policy: JudgingPolicy) -> tuple[tuple[float, ...], int]:
    """The grades that were given, and the length of the longest list; InputError if a file cannot be read."""
    grades, longest = np.zeros(0), 0
    for run in judged_lists(runs, qrels, policy):
        pool = run.batches[0].pool
        grades = np.unique(pool.grade[pool.listed])
        longest = max(longest, *(int(r.retrieved.max(initial=0)) for r in run.batches))
    return tuple(grades.tolist()), longest
