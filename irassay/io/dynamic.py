"""Dynamic Domain runs: documents returned over several iterations."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.lines import Layout, read_table, valid_table
from irassay.io.passage_qrels import is_passage_qrels, is_tabbed, read_passage_qrels
from irassay.io.reader import Reader, file_name
from irassay.io.sessions import MAX_TURNS
from irassay.io.sources import Source, opened_source
from irassay.io.trec import Run, comment_notes
from irassay.notes import Note

RUN_LAYOUT = Layout(("topic", "iteration", "doc", "score"), frozenset({"iteration", "score"}))


def read_dynamic_run(path: str | Path | Source, columns: Collection[str] = ()) -> Run:
    """A Dynamic Domain run, with lines `topic iteration document score`; iterations count from 0."""
    source = opened_source(path)
    table = valid_table(read_table(source, RUN_LAYOUT), source, RUN_LAYOUT)
    iteration = table.frame["iteration"].to_numpy()
    wrong = np.flatnonzero((iteration != np.floor(iteration)) | (iteration < 0) | (iteration > MAX_TURNS))
    if len(wrong):
        row = int(wrong[0])
        limit = f" to {MAX_TURNS:,}" if iteration[row] > MAX_TURNS else ""
        found, fix = f"found the iteration {iteration[row]:g}", "number the iterations of a topic from 0"
        expected = f"a whole number from 0{limit}"
        raise InputError(file=source.name, line=table.line_number(row), found=found, expected=expected, fix=fix)
    frame = table.frame.select("topic", pl.col("iteration").cast(pl.Int64).alias("turn") + 1, "doc", "score")
    name = file_name(source)
    empty_first = Note("no topic has an iteration 0, the first one; it counts as empty", name)
    notes = (*((empty_first,) if iteration.min() > 0 else ()), *comment_notes(table.comments, name))
    turns = dict(frame.group_by("topic", maintain_order=True).agg(pl.col("turn").max()).iter_rows())
    return Run(name, frame, source.name, kind="dd", turns=turns, notes=notes, lines=table.lines, file=source)


READER = Reader(
    "dd", "dd", read_dynamic_run, read_passage_qrels, judgements_look_so=is_passage_qrels, surely_judgements=is_tabbed
)
