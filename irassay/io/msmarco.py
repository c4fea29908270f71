"""Runs and judgements of two or three columns without a header, as in MS MARCO."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.foreign import foreign_kind
from irassay.io.lines import Layout, parsed_number, read_table, valid_table
from irassay.io.named_columns import qrels_from_columns, run_from_columns
from irassay.io.reader import FileOrFolder, Reader, by_head, file_name
from irassay.io.records import numbered_fields
from irassay.io.sources import opened_source
from irassay.io.trec import Qrels, Run, comment_notes
from irassay.notes import Note

Third = Literal["rank", "score"]
LAYOUTS = {third: Layout(("topic", "doc", third), frozenset({third})) for third in ("rank", "score", "grade")}
PAIRS = Layout(("topic", "doc"), frozenset())
UNUSED = Layout(("topic", "unused", "doc"), frozenset())
OTHER: dict[Third, tuple[str, str]] = {"rank": ("scores", "scored"), "score": ("ranks", "msmarco")}


def read_run(third: Third, file: FileOrFolder, columns: Collection[str] = ()) -> Run:
    """A run of `topic document rank`, or of `topic document score`."""
    source, layout = opened_source(file), LAYOUTS[third]
    table = valid_table(read_table(source, layout), source, layout)
    values = table.frame[third].to_numpy()
    lines = np.arange(1, len(values) + 1) if table.lines is None else table.lines
    if third == "rank" and len(wrong := np.flatnonzero((values != np.floor(values)) | (values < 0))):
        found = f"found the rank {values[wrong[0]]:g}; expected a whole number"
        message = f"{source.name}, line {lines[wrong[0]]}: {found}; if column 3 holds scores, use "
        raise InputError(message, argument("run_format", "scored"), ".", file=source.name, line=int(lines[wrong[0]]))
    topic = table.frame["topic"].rank("dense").to_numpy()
    notes = comment_notes(table.comments, file_name(source))
    if _column_evidence(topic, values) == "unsure":
        other, name = OTHER[third]
        text = f"column 3 of {source.name} was read as {third}s; if it holds {other}, use "
        notes += (Note((text, argument("run_format", name))),)
    return run_from_columns(table.frame, source, lines, notes)


def read_judgements(file: FileOrFolder) -> Qrels:
    """Judgements of `topic document grade`; or of `topic document` or `topic 0 document`, all with grade 1."""
    source = opened_source(file)
    lines = list(_line_fields(source.head()))
    third = lines and len(lines[0]) > 2
    unused = third and len(lines) > 1 and all(len(line) > 2 and line[1].upper() in (b"0", b"Q0") for line in lines)
    layout = UNUSED if unused else LAYOUTS["grade"] if third else PAIRS
    table = valid_table(read_table(source, layout), source, layout)
    frame = table.frame if "grade" in table.frame.columns else table.frame.with_columns(grade=pl.lit(1.0))
    numbered = np.arange(1, frame.height + 1) if table.lines is None else table.lines
    notes = comment_notes(table.comments, source.name)
    return qrels_from_columns(frame.select("topic", "doc", "grade"), source, numbered, notes)


def third_column(head: bytes) -> Third | None:
    """What column 3 of a run holds, by the first bytes of the file; None if it does not have three columns."""
    first = next(_line_fields(head), [])
    if len(first) != 3 or parsed_number(first[2]) is None:
        return None
    lines = [fields for fields in _line_fields(head) if len(fields) == 3 and parsed_number(fields[2]) is not None]
    _, topic = np.unique([fields[0] for fields in lines], return_inverse=True)
    values = np.array([float(fields[2]) for fields in lines])
    verdict = _column_evidence(topic, values)
    return (
        "rank"
        if verdict == "rank" or (verdict == "unsure" and not (_value_steps(topic, values) < 0).all())
        else "score"
    )


def _column_evidence(topic: Ints, values: Floats) -> Literal["rank", "score", "unsure"]:
    """Ranks are whole numbers from 0 or 1, each once per topic, and rise in the file; anything else is a score."""
    if (values != np.floor(values)).any() or values.min() < 0:
        return "score"
    order = np.lexsort((values, topic))
    same = topic[order][1:] == topic[order][:-1]
    step = np.diff(values[order])[same]
    first = values[order][np.concatenate(([True], ~same))]
    if (step == 0).any() or not same.any():
        return "score" if same.any() else "rank"
    counted = (step == 1).all() and (first == first[0]).all() and first[0] <= 1
    rises = (_value_steps(topic, values) > 0).all()
    return "rank" if counted and rises else "unsure" if counted or rises else "score"


def _value_steps(topic: Ints, values: Floats) -> Floats:
    """Differences between each value of a topic and the next one in the file."""
    order = np.argsort(topic, kind="stable")
    return np.diff(values[order])[topic[order][1:] == topic[order][:-1]]


def _line_fields(head: bytes) -> Iterator[list[bytes]]:
    """The fields of the complete lines among the first bytes of a file."""
    end = head.rfind(b"\n") + 1
    return (fields for _, fields in numbered_fields(head[:end] or head + b"\n", 0))


def _are_judgements(head: bytes) -> bool:
    first = next(_line_fields(head), [])
    if len(first) == 3:
        return parsed_number(first[2]) is not None or first[1].upper() in (b"0", b"Q0")
    return len(first) == 2 and all(len(fields) == 2 for fields in _line_fields(head)) and not foreign_kind(head)


READER = Reader(
    "msmarco",
    "trec",
    partial(read_run, "rank"),
    read_judgements,
    by_head(lambda head: third_column(head) == "rank"),
    by_head(_are_judgements),
    surely_run=True,
)
SCORED = Reader(
    "scored", "trec", partial(read_run, "score"), read_judgements, by_head(lambda head: third_column(head) == "score")
)
