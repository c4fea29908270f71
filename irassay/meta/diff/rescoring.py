"""Runs read again under other conventions, and the scores of some of their lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.input_files import are_files, open_inputs, run_files
from irassay.io.records import first_tag
from irassay.io.run_names import run_name
from irassay.judging.judged import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import judged_runs
from irassay.judging.scanned import judged_lists
from irassay.meta.diff.conventions import READING, Choices, Space, convention_scores, reading_policy
from irassay.notes import Note
from irassay.prose import first_few
from irassay.rankings.batch import Rankings, stacked_batches

CELLS_AT_A_TIME = 1 << 25  # results read together
FEW_SYSTEMS = 16  # read on their own; more are read together with all others

Cell = tuple[str, str]  # a run and a topic
Batch = tuple[Rankings, Ints]  # lists, and their positions among some cells


@dataclass(frozen=True, eq=False)
class ReadLists:
    """Lists read under one policy, in batches that share a pool, and where the list of each cell is."""

    batches: tuple[Rankings, ...]
    place: Mapping[Cell, tuple[int, int]]  # batch and row; a topic without results has none

    def picked(self, cells: Sequence[Cell]) -> list[Batch]:
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
    read: dict[tuple[Any, ...], ReadLists] = field(default_factory=dict, repr=False)

    def lists(self, policy: JudgingPolicy, systems: Sequence[str]) -> ReadLists:
        """The lists of these systems under a policy."""
        by_pool: dict[int, list[tuple[str, JudgedLists]]] = {}
        given = [self.runs[name] for name in systems]
        for name, run in zip(systems, judged_lists(given, self.qrels, policy), strict=True):
            by_pool.setdefault(id(run.batches[0].pool), []).append((name, run))
        place: dict[Cell, tuple[int, int]] = {}
        batches = []
        for runs in by_pool.values():
            start = 0
            for name, run in runs:
                topics = run.in_order(run.topic)
                answered = run.rankings.retrieved > 0
                cells = ((row, (name, run.topics[t])) for row, t in enumerate(topics.tolist()) if answered[row])
                place |= {cell: (len(batches), start + row) for row, cell in cells}
                start += len(topics)
            batches.append(stacked_batches([run.rankings for _, run in runs]))
        return ReadLists(tuple(batches), place)

    def scores(self, cells: Sequence[Cell], space: Space, candidates: Sequence[Choices]) -> list[Floats | None]:
        """[cell] the scores of some cells under each of several choices; a topic without results scores 0."""
        systems = tuple(sorted({system for system, _ in cells}))
        size = max(1, CELLS_AT_A_TIME // max(1, self.longest * len({topic for _, topic in cells})))
        if len(systems) > size:
            return self._scores_in_parts(cells, space, candidates, systems, size)
        if len(systems) > FEW_SYSTEMS and len(self.runs) <= size:
            systems = tuple(self.runs)  # so that metrics that differ on other runs share them
        picked: dict[tuple[Any, ...], list[Batch]] = {}
        result: list[Floats | None] = []
        for choices in candidates:
            key = tuple(space.value(choices, name) for name in READING)
            if key not in picked:
                if (key, systems) not in self.read:
                    self.read[key, systems] = self.lists(reading_policy(space, choices, self.policy), systems)
                picked[key] = self.read[key, systems].picked(cells)
            result.append(_cell_scores(len(cells), picked[key], space, choices))
        return result

    def _scores_in_parts(
        self, cells: Sequence[Cell], space: Space, candidates: Sequence[Choices], systems: tuple[str, ...], size: int
    ) -> list[Floats | None]:
        """The same for more runs than fit into memory, some at a time."""
        result: list[Floats | None] = [np.zeros(len(cells)) for _ in candidates]
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
                    values[places] = part
        return result


def _cell_scores(number: int, picked: Sequence[Batch], space: Space, choices: Choices) -> Floats | None:
    values = np.zeros(number)
    for r, positions in picked:
        scores = convention_scores(r, space, choices)
        if scores is None:
            return None
        values[positions] = scores
    return values


def rescorer(systems: Sequence[str], qrels: Any, runs: Any, policy: JudgingPolicy) -> Rescorer:
    """The runs of these systems, found by file name or tag; a note counts systems without a run."""
    runs, qrels = open_inputs(runs, qrels)
    if are_files(runs):
        files = run_files(runs)
        by_name = {run_name(source.path): source.name for source in files}
        by_tag = {first_tag(source): source.name for source in files}
    else:
        by_name = {run.name: run for run in judged_runs(runs, qrels, policy).runs}
        by_tag = {}
    found = {name: by_name.get(name, by_tag.get(name)) for name in systems}
    found = {name: run for name, run in found.items() if run is not None}
    if not found and len(systems) == len(by_name) == 1:
        found = {systems[0]: next(iter(by_name.values()))}
    if not found:
        names, files_found = first_few(list(systems)), first_few(list(by_name))
        raise InputError(f"No run belongs to the tables: they score {names}, and the runs are {files_found}.")
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
