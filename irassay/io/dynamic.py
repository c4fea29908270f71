"""Dynamic Domain runs: documents returned over several iterations."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from irassay.errors import InputError
from irassay.io.lines import Layout, read_table, sound
from irassay.io.passage_qrels import is_passage_qrels, is_tabbed, read_passage_qrels
from irassay.io.reader import Reader, file_name
from irassay.io.sessions import MOST_TURNS
from irassay.io.sources import Source
from irassay.io.trec import Run
from irassay.notes import Note
from irassay.prose import at

RUN = Layout(("topic", "iteration", "doc", "score"), frozenset({"iteration", "score"}))


def dynamic_run(lists: Mapping[str, Sequence[Sequence[str]]], name: str = "run") -> Run:
    """A run from the documents of each iteration, in order: `{topic: [[doc, …], …]}`.

    >>> dynamic_run({"DD-1": [["a", "b"], ["c"]]}).frame.rows()
    [('DD-1', 1, 'a', 0.0), ('DD-1', 1, 'b', -1.0), ('DD-1', 2, 'c', 0.0)]
    """
    rows = [
        (topic, turn, doc, float(-place))
        for topic, iterations in lists.items()
        for turn, docs in enumerate(iterations, 1)
        for place, doc in enumerate(docs)
    ]
    types = {"topic": pl.String, "turn": pl.Int64, "doc": pl.String, "score": pl.Float64}
    return _run(pl.DataFrame(rows, schema=types, orient="row"), name, name)


def read_dynamic_run(path: str | Path | Source, columns: Collection[str] = ()) -> Run:
    """A Dynamic Domain run: `topic iteration document score` a line, iterations from 0; further fields are ignored."""
    source = path if isinstance(path, Source) else Source(path)
    table = sound(read_table(source, RUN), source, RUN)
    iteration = table.frame["iteration"].to_numpy()
    wrong = np.flatnonzero((iteration != np.floor(iteration)) | (iteration < 0) | (iteration > MOST_TURNS))
    if len(wrong):
        row = int(wrong[0])
        most = f"to {MOST_TURNS:,}" if iteration[row] > MOST_TURNS else "on"
        raise InputError(
            f"{at(source.name, table.line(row))}: found the iteration {iteration[row]:g}, expected a whole number "
            f"from 0 {most}; number the iterations of a topic 0, 1, 2, …"
        )
    frame = table.frame.select("topic", pl.col("iteration").cast(pl.Int64).alias("turn") + 1, "doc", "score")
    name = file_name(source)
    notes: tuple[Note, ...] = ()
    if iteration.min() > 0:
        notes = (Note("no topic has an iteration 0, with which iterations begin; it is taken to be empty", name),)
    return replace(_run(frame, name, source.name), notes=notes, lines=table.lines, file=source)


def _run(frame: pl.DataFrame, name: str, source: str) -> Run:
    turns = frame.group_by("topic", maintain_order=True).agg(pl.col("turn").max())
    return Run(name, frame, source, kind="dd", turns=dict(turns.iter_rows()))


READER = Reader(
    "dd", "dd", read_dynamic_run, read_passage_qrels, judgements_look_so=is_passage_qrels, surely_judgements=is_tabbed
)
