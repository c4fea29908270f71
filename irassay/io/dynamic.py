"""Dynamic Domain runs: documents returned over several iterations, and how they are judged by passages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.lines import Layout, read_table, sound
from irassay.io.passage_qrels import PassageQrels
from irassay.io.sources import Source, files
from irassay.io.trec import distinct
from irassay.judging.judge import Judged
from irassay.prose import at, counted, some
from irassay.rankings.passages import Passages
from irassay.rankings.turns import layout

RUN = Layout(("topic", "iteration", "doc", "score"), frozenset({"iteration", "score"}))
Lengths = Mapping[str, float] | pl.DataFrame


@dataclass(frozen=True, eq=False)
class DynamicRun:
    """What one system returned in each iteration, as it was written."""

    name: str
    frame: pl.DataFrame  # topic, iteration (from 0), doc, score
    source: str = ""
    notes: tuple[str, ...] = ()
    lines: Ints | None = field(default=None, repr=False)  # [row] of the file; None where row i is line i + 1

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[Sequence[str]]], name: str = "run") -> "DynamicRun":
        """A run from the documents of each iteration, in order: `{topic: [[doc, …], …]}`.

        >>> DynamicRun.of({"DD-1": [["a", "b"], ["c"]]}).frame.rows()
        [('DD-1', 0, 'a', 0.0), ('DD-1', 0, 'b', -1.0), ('DD-1', 1, 'c', 0.0)]
        """
        rows = [
            (topic, iteration, doc, float(-place))
            for topic, iterations in lists.items()
            for iteration, docs in enumerate(iterations)
            for place, doc in enumerate(docs)
        ]
        types = {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String, "score": pl.Float64}
        return cls(name, pl.DataFrame(rows, schema=types, orient="row"), name)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics answered, in order of first appearance."""
        return tuple(self.frame["topic"].unique(maintain_order=True))

    def place(self, row: int) -> str:
        """Where a row was read, for messages."""
        return at(self.source or self.name, row + 1 if self.lines is None else int(self.lines[row]))


def read_dynamic_run(path: str | Path) -> DynamicRun:
    """A Dynamic Domain run: `topic iteration document score` a line, iterations from 0; further fields are ignored."""
    source = Source(path)
    table = sound(read_table(source, RUN), source, RUN)
    iteration = table.frame["iteration"].to_numpy()
    wrong = np.flatnonzero((iteration != np.floor(iteration)) | (iteration < 0))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{at(source.name, table.line(row))}: found the iteration {iteration[row]:g}, expected a whole number "
            "from 0 on; number the iterations of a topic 0, 1, 2, …"
        )
    frame = table.frame.with_columns(pl.col("iteration").cast(pl.Int64))
    name = source.path.name.removesuffix(".gz")
    notes: tuple[str, ...] = ()
    if iteration.min() > 0:
        notes = (f"{name}: no topic has an iteration 0, with which iterations begin; it is taken to be empty",)
    return DynamicRun(name, frame, source.name, notes, table.lines)


def read_dynamic_runs(paths: str | Path | Iterable[str | Path]) -> list[DynamicRun]:
    """The Dynamic Domain runs in files, folders and globs, each named by its file."""
    found = files(paths)
    runs = [read_dynamic_run(path) for path in found]
    names = distinct([run.name for run in runs], found)
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def judge_dynamic(
    run: DynamicRun,
    truth: PassageQrels,
    *,
    order: str = "score",
    on_duplicate: str = "nonrelevant",
    missing: str = "skip",
    depth: int | None = None,
    max_grade: float | None = None,
    lengths: Lengths | None = None,
) -> Judged:
    """The run's documents with their ratings: one row for each topic, iteration after iteration.

    Within an iteration documents are in order of score, equal ones as in the file; order='file' ignores scores. A
    document listed again, later in the file, is not relevant (on_duplicate='nonrelevant', as in the track), left out
    ('first') or an error. Topics without results are left out, or count as empty lists (missing='zero').
    """
    _check(order=(order, "score", "file"), missing=(missing, "skip", "zero", "error"))
    _check(on_duplicate=(on_duplicate, "nonrelevant", "first", "error"))
    offer = truth.offer
    notes = [*run.notes, *truth.notes]
    frame = run.frame.with_row_index("row").with_columns(
        repeated=pl.struct("topic", "doc").is_first_distinct().not_(),
        turns=(pl.col("iteration").max() + 1).over("topic"),
    )
    frame = _without_copies(run, frame, on_duplicate, notes)
    rows = _rows(run, truth, missing, notes)
    frame = frame.join(rows, on="topic", maintain_order="left").join(
        offer.places.select("topic", "doc", "document"), on=["topic", "doc"], how="left", maintain_order="left"
    )
    by_score = [-pl.col("score")] if order == "score" else []
    frame = frame.sort("n", "iteration", *by_score, "row")
    if depth is not None:
        frame = _cut(frame, depth)
    words, lengths_known = words_of(frame["doc"], lengths)
    document = frame["document"].fill_null(-1).to_numpy().astype(np.int64)
    repeated = frame["repeated"].to_numpy()
    turns = np.zeros(rows.height, dtype=np.int64)
    turns[frame["n"].to_numpy()] = frame["turns"].to_numpy()
    top = float(offer.pool.grade.max(initial=0)) or 1.0
    if max_grade is not None and max_grade < top:
        raise InputError(
            f"max_grade={max_grade:g}, but a document of {truth.source} has ratings of {top:g} in all; raise it"
        )
    rankings, spread = layout(
        offer.pool,
        rows["t"].to_numpy(),
        turns,
        frame["n"].to_numpy(),
        frame["iteration"].to_numpy() + 1,
        np.where(repeated, -1, document),
        float(max_grade or top),
        carries=frozenset({"aspects", "turns", "passages"} | ({"lengths"} if lengths is not None else set())),
    )
    passages = Passages(
        rankings.topic,
        spread(document, -1),
        spread(repeated, False),
        spread(frame["row"].to_numpy().astype(np.int64), np.iinfo(np.int64).max),
        offer.nuggets,
        lengths_known,
    )
    rankings = replace(rankings, passages=passages)
    if len(lengths_known):
        past = float(lengths_known.mean())
        rankings = replace(rankings, words=spread(words, past), past_words=past)
        if unknown := int(np.isnan(words).sum()):
            notes.append(f"{run.name}: {counted(unknown, 'result')} without a length in the file of lengths")
    return Judged(run.name, rankings, truth.topics, tuple(notes))


def _check(**choices: tuple[str, ...]) -> None:
    for name, (value, *known) in choices.items():
        if value not in known:
            raise InputError(f"{name}={value!r} is not known for Dynamic Domain runs; choose one of {', '.join(known)}")


def _without_copies(run: DynamicRun, frame: pl.DataFrame, on_duplicate: str, notes: list[str]) -> pl.DataFrame:
    copies = frame.filter("repeated")
    if not copies.height:
        return frame
    row = copies.row(0, named=True)
    if on_duplicate == "error":
        raise InputError(
            f"{run.place(row['row'])}: found document {row['doc']} for topic {row['topic']} a second time; delete it, "
            "or say on_duplicate='first' or 'nonrelevant' (--on-duplicate)"
        )
    taken = (
        "left out" if on_duplicate == "first" else "not relevant (but P counts every line, as the track's precision)"
    )
    notes.append(f"{run.name}: {counted(copies.height, 'document')} listed again in a topic: {taken}")
    return frame.filter(~pl.col("repeated")) if on_duplicate == "first" else frame


def _rows(run: DynamicRun, truth: PassageQrels, missing: str, notes: list[str]) -> pl.DataFrame:
    """topic, t, n: the rows of the batch, in the order of the truth."""
    answered = set(run.topics)
    unjudged = [topic for topic in run.topics if topic not in truth.subtopics]
    absent = [topic for topic in truth.topics if topic not in answered]
    if len(unjudged) == len(answered):
        raise InputError(
            f"no topic of {run.source} (it has {some(run.topics, 3)}) is judged in {truth.source} (it has "
            f"{some(truth.topics, 3)}); check that the two belong together"
        )
    if absent and missing == "error":
        raise InputError(
            f"{run.source} has no results for {len(absent)} judged topics ({some(absent)}); add them, or say "
            "missing='zero' or 'skip' (--missing)"
        )
    if unjudged:
        notes.append(f"{run.name}: {counted(len(unjudged), 'topic')} without judgements left out ({some(unjudged)})")
    if absent:
        scored = "scored 0" if missing == "zero" else "skipped"
        notes.append(f"{run.name}: {counted(len(absent), 'judged topic')} without results, {scored} ({some(absent)})")
    rows = [(topic, t) for t, topic in enumerate(truth.topics) if missing == "zero" or topic in answered]
    frame = pl.DataFrame(rows, schema={"topic": pl.String, "t": pl.Int64}, orient="row")
    return frame.with_columns(n=pl.int_range(pl.len()))


def words_of(doc: pl.Series, lengths: Lengths | None) -> tuple[Floats, Floats]:
    """The words of each document [m], NaN where unknown, and those of all documents, ascending."""
    if lengths is None:
        return np.full(len(doc), np.nan), np.zeros(0)
    if not isinstance(lengths, pl.DataFrame):
        lengths = pl.DataFrame({"doc": list(lengths), "words": [float(words) for words in lengths.values()]})
    known = lengths.select("doc", pl.col("words").cast(pl.Float64))
    joined = doc.to_frame("doc").join(known, on="doc", how="left", maintain_order="left")
    return joined["words"].fill_null(np.nan).to_numpy(), np.sort(known["words"].to_numpy())


def _cut(frame: pl.DataFrame, depth: int) -> pl.DataFrame:
    """The first `depth` results of each list; one that is cut ends with the iteration it is cut in."""
    if depth < 1:
        raise InputError(f"depth={depth}; expected a number of results, 1 or more")
    whole = pl.len().over("n") <= depth
    frame = frame.with_columns(whole=whole).filter(pl.int_range(pl.len()).over("n") < depth)
    ended = pl.when("whole").then("turns").otherwise(pl.col("iteration").max().over("n") + 1)
    return frame.with_columns(turns=ended)
