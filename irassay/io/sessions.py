"""Sessions: several queries of one user, the results of each, and judgements that hold for the whole session."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.dynamic import Lengths, words_of
from irassay.io.lines import number
from irassay.io.sources import Source
from irassay.io.trec import Qrels, read_qrels
from irassay.judging.judge import Judged
from irassay.judging.pool import Weights, offered
from irassay.prose import at, counted, some
from irassay.rankings.batch import Rankings, share
from irassay.rankings.turns import layout

COLUMNS = "session query rank document"
TYPES = {"session": pl.String, "query": pl.Int64, "rank": pl.Int64, "doc": pl.String}


@dataclass(frozen=True, eq=False)
class Sessions:
    """The results of every query of every session, in order."""

    name: str
    frame: pl.DataFrame  # session, query (from 1), rank, doc
    queries: Mapping[str, int]  # session -> number of its queries, those without results too
    source: str = ""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, lists: Mapping[str, Sequence[Sequence[str]]], name: str = "sessions") -> "Sessions":
        """Sessions from the results of each query, in order: `{session: [[doc, …], …]}`.

        >>> Sessions.of({"s": [[], ["a", "b"]]}).frame.rows()
        [('s', 2, 1, 'a'), ('s', 2, 2, 'b')]
        """
        rows = [
            (session, query, rank, doc)
            for session, queries in lists.items()
            for query, docs in enumerate(queries, 1)
            for rank, doc in enumerate(docs, 1)
        ]
        counts = {session: len(queries) for session, queries in lists.items()}
        return cls(name, pl.DataFrame(rows, schema=TYPES, orient="row"), counts, name)

    @property
    def sessions(self) -> tuple[str, ...]:
        """The sessions, in order of first appearance."""
        return tuple(self.queries)


@dataclass(frozen=True, eq=False)
class JudgedQueries:
    """One ranking for each query, those without results too, and the session that each belongs to."""

    rankings: Rankings
    session: Ints  # [n] which of the sessions
    sessions: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def mean(self, scores: Floats) -> Floats:
        """[session] the mean of scores [n] over the queries of each session."""
        total = np.zeros(len(self.sessions))
        np.add.at(total, self.session, scores)
        return share(total, np.bincount(self.session, minlength=len(self.sessions)))


def read_sessions(path: str | Path) -> Sessions:
    """Sessions from a file of TAB-separated `session query rank document`, or a folder with such a file `results`.

    Queries and ranks are whole numbers from 1; a header and further columns are ignored. A query without results has
    a line with `no results` (or nothing) for a rank; numbers left out are queries without results, too.
    """
    source = Source(_inside(path, "results"))
    rows: list[tuple[str, int, int, str]] = []
    queries: dict[str, int] = {}
    for line, fields in _lines(source):
        query = _whole(fields[1]) if len(fields) > 1 else None
        if query is None and _is_header(line, fields):
            continue
        if query is None or query < 1:
            found = f"the query {fields[1]!r}" if len(fields) > 1 else "1 field"
            raise InputError(
                f"{at(source.name, line)}: found {found}, expected {COLUMNS}, separated by TAB, with queries numbered "
                "1, 2, …"
            )
        session = fields[0]
        queries[session] = max(query, queries.get(session, 0))
        if "".join(fields[2:4]).lower() in ("", "no results"):
            continue
        rank = _whole(fields[2])
        if rank is None or rank < 1 or len(fields) < 4 or not fields[3]:
            found = f"the rank {fields[2]!r}" if rank is None or rank < 1 else "no document"
            raise InputError(f"{at(source.name, line)}: found {found}, expected {COLUMNS}, separated by TAB")
        rows.append((session, query, rank, fields[3]))
    if not queries:
        raise InputError(f"{source.name} has no lines; expected some of: {COLUMNS}")
    frame = pl.DataFrame(rows, schema=TYPES, orient="row")
    name = source.path.parent.name if Path(path).is_dir() else source.path.name.removesuffix(".gz")
    return Sessions(name, _in_order(frame, source.name), queries, source.name)


def read_session_qrels(path: str | Path) -> Qrels:
    """Judgements by session: TAB-separated `session document grade`, with or without a header, or TREC qrels.

    A folder stands for its file `qrels`.
    """
    source = Source(_inside(path, "qrels"))
    rows: list[tuple[str, str, float]] = []
    for line, fields in _lines(source):
        grade = number(fields[2].encode()) if len(fields) == 3 else None
        if grade is None and _is_header(line, fields):
            continue
        if grade is None and not rows:
            return read_qrels(source.path)
        if grade is None:
            found = f"the grade {fields[2]!r}" if len(fields) == 3 else f"{len(fields)} fields"
            raise InputError(f"{at(source.name, line)}: found {found}, expected session, document and grade")
        rows.append((fields[0], fields[1], grade))
    types = {"topic": pl.String, "doc": pl.String, "grade": pl.Float64}
    return Qrels.of(pl.DataFrame(rows, schema=types, orient="row"), source.name)


def read_session_table(path: str | Path) -> dict[str, dict[str, str]]:
    """What else is known of each session (who, which task, ratings): TAB-separated, with a header; session first.

    A folder stands for its file `session`. The answer is column -> session -> value.
    """
    source = Source(_inside(path, "session"))
    lines = list(_lines(source))
    header = lines[0][1] if lines else []
    columns: dict[str, dict[str, str]] = {name: {} for name in header[1:]}
    for line, fields in lines[1:]:
        if len(fields) != len(header):
            raise InputError(
                f"{at(source.name, line)}: found {len(fields)} fields, expected {len(header)} ({', '.join(header)})"
            )
        for name, value in zip(header[1:], fields[1:], strict=True):
            if fields[0] in columns[name]:
                raise InputError(
                    f"{at(source.name, line)}: found session {fields[0]} a second time; keep one line a session"
                )
            columns[name][fields[0]] = value
    return columns


def judge_sessions(sessions: Sessions, qrels: Qrels, **options: Any) -> Judged:
    """One ranking for each session: the results of its queries, one query after the other.

    A document that several queries find counts each time. Options: `missing` ('zero', 'skip' or 'error') for judged
    sessions that are absent, `on_duplicate` ('error', 'first' or 'nonrelevant') for a document twice in one query's
    list, `depth` results a query, `max_grade`, `subtopics`, `weights`, and `lengths` (document, words).
    """
    rankings, _, notes = _judged(sessions, qrels, by_query=False, **options)
    return Judged(sessions.name, rankings, qrels.topics, notes)


def judge_queries(sessions: Sessions, qrels: Qrels, **options: Any) -> JudgedQueries:
    """One ranking for each query, judged as its session; the options are those of `judge_sessions`."""
    rankings, session, notes = _judged(sessions, qrels, by_query=True, **options)
    return JudgedQueries(rankings, session, qrels.topics, notes)


def _judged(
    sessions: Sessions,
    qrels: Qrels,
    by_query: bool,
    *,
    missing: str = "zero",
    on_duplicate: str = "error",
    depth: int | None = None,
    max_grade: float | None = None,
    subtopics: bool = False,
    weights: Weights | None = None,
    lengths: Lengths | None = None,
) -> tuple[Rankings, Ints, tuple[str, ...]]:
    """A batch by session or by query, which session each row is of, and what is to be said."""
    offer = offered(qrels, subtopics, weights)
    notes = [*sessions.notes, *qrels.notes, *_on_sessions(sessions, qrels, missing)]
    kept = [session for session in qrels.topics if missing == "zero" or session in sessions.queries]
    t = np.array([offer.topics[session] for session in kept], dtype=np.int64)
    turns = np.array([sessions.queries.get(session, 0) for session in kept], dtype=np.int64)
    first = np.cumsum(turns) - turns  # row of the first query of each session
    found = _without_copies(sessions, on_duplicate, notes)
    frame = found.join(_numbered(kept), on="session", maintain_order="left").sort("n", maintain_order=True)
    if depth is not None:
        frame = frame.filter(pl.int_range(pl.len()).over("session", "query") < depth)
    size = offer.pool.grade.shape[1]
    places = pl.DataFrame(
        {"doc": offer.index.docs, "t": offer.index.place // size, "document": offer.index.place % size}
    )
    frame = frame.with_columns(t=pl.Series(t[frame["n"].to_numpy()])).join(
        places, on=["t", "doc"], how="left", maintain_order="left"
    )
    session, query = frame["n"].to_numpy(), frame["query"].to_numpy()
    carries = {
        "aspects": subtopics,
        "weights": weights is not None,
        "lengths": lengths is not None,
        "turns": not by_query,
    }
    rankings, spread = layout(
        offer.pool,
        np.repeat(t, turns) if by_query else t,
        np.ones(turns.sum(), dtype=np.int64) if by_query else turns,
        first[session] + query - 1 if by_query else session,
        np.ones_like(query) if by_query else query,
        np.where(frame["repeated"], -1, frame["document"].fill_null(-1)).astype(np.int64),
        _scale(qrels, max_grade),
        carries=frozenset(name for name, brought in carries.items() if brought),
    )
    if lengths is not None:
        words, every = words_of(frame["doc"], lengths)
        past = float(every.mean())
        rankings = replace(rankings, words=spread(words, past), past_words=past)
        if unknown := int(np.isnan(words).sum()):
            notes.append(f"{sessions.name}: {counted(unknown, 'result')} without a length in the file of lengths")
    return rankings, np.repeat(t, turns) if by_query else t, tuple(notes)


def _on_sessions(sessions: Sessions, qrels: Qrels, missing: str) -> Iterator[str]:
    """What is to be said of sessions that only the results or only the judgements have."""
    if missing not in ("zero", "skip", "error"):
        raise InputError(f"missing={missing!r} is not known; choose one of zero, skip, error")
    judged = set(qrels.topics)
    unjudged = [name for name in sessions.sessions if name not in judged]
    absent = [name for name in qrels.topics if name not in sessions.queries]
    if len(unjudged) == len(sessions.sessions):
        raise InputError(
            f"no session of {sessions.source} (it has {some(sessions.sessions, 3)}) is judged in {qrels.source} (it "
            f"has {some(qrels.topics, 3)}); check that the two belong together"
        )
    if absent and missing == "error":
        raise InputError(
            f"{sessions.source} does not have {len(absent)} judged sessions ({some(absent)}); add them, or say "
            "missing='zero' or 'skip' (--missing)"
        )
    if unjudged:
        yield f"{sessions.name}: {counted(len(unjudged), 'session')} without judgements left out ({some(unjudged)})"
    if absent:
        scored = "scored 0" if missing == "zero" else "skipped"
        yield f"{sessions.name}: {counted(len(absent), 'judged session')} without queries, {scored} ({some(absent)})"


def _without_copies(sessions: Sessions, on_duplicate: str, notes: list[str]) -> pl.DataFrame:
    """The results, with a document that its query listed before marked as repeated, or left out."""
    frame = sessions.frame.with_columns(repeated=~pl.struct("session", "query", "doc").is_first_distinct())
    copies = frame.filter("repeated")
    if not copies.height:
        return frame
    if on_duplicate not in ("first", "nonrelevant"):
        row = copies.row(0, named=True)
        raise InputError(
            f"{sessions.source}: query {row['query']} of session {row['session']} lists document {row['doc']} twice; "
            "delete one, or say on_duplicate='first' or 'nonrelevant' (--on-duplicate)"
        )
    treated = "left out" if on_duplicate == "first" else "not relevant"
    notes.append(f"{sessions.name}: {counted(copies.height, 'document')} listed again by a query, {treated}")
    return frame.filter(~pl.col("repeated")) if on_duplicate == "first" else frame


def _scale(qrels: Qrels, max_grade: float | None) -> float:
    if max_grade is not None and max_grade < qrels.max_grade:
        raise InputError(f"max_grade={max_grade:g}, but {qrels.source} has a grade {qrels.max_grade:g}; raise it")
    return float(max_grade or qrels.max_grade or 1.0)


def _numbered(names: list[str]) -> pl.DataFrame:
    rows = [(name, n) for n, name in enumerate(names)]
    return pl.DataFrame(rows, schema={"session": pl.String, "n": pl.Int64}, orient="row")


def _in_order(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """The results by session, query and rank; two at one rank are an error."""
    twice = frame.filter(pl.struct("session", "query", "rank").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise InputError(
            f"{source}: query {row['query']} of session {row['session']} has two results at rank {row['rank']}; "
            "number the results of a query 1, 2, …"
        )
    first = pl.col("row").min().over("session")
    return frame.with_row_index("row").sort(first, "query", "rank").drop("row")


def _lines(source: Source) -> Iterator[tuple[int, list[str]]]:
    """The number and the fields, separated by TAB, of each line that is not blank."""
    line = 0
    for block in source.blocks():
        for text in block.decode(errors="replace").split("\n")[:-1]:
            line += 1
            if text.strip():
                yield line, [part.strip() for part in text.rstrip("\r").split("\t")]


def _is_header(line: int, fields: list[str]) -> bool:
    return line == 1 and fields[0].lower().startswith("session")


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _inside(path: str | Path, name: str) -> str | Path:
    return Path(path) / name if Path(path).is_dir() else path
