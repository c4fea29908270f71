"""Runs of several turns as tests write them: `{topic: [[document, …], …]}`, the documents of each turn in order."""

from collections.abc import Mapping, Sequence

import polars as pl

from irassay.io.trec import Run

TYPES = {"topic": pl.String, "turn": pl.Int64, "rank": pl.Int64, "doc": pl.String}


def session_run(lists: Mapping[str, Sequence[Sequence[str]]]) -> Run:
    """Sessions, which are the topics of a run, of these queries."""
    rows = [
        (topic, turn, rank, doc)
        for topic, turns in lists.items()
        for turn, docs in enumerate(turns, 1)
        for rank, doc in enumerate(docs, 1)
    ]
    frame = pl.DataFrame(rows, schema=TYPES, orient="row")
    return Run(
        "sessions", frame, "sessions", kind="session", turns={topic: len(turns) for topic, turns in lists.items()}
    )


def dynamic_run(lists: Mapping[str, Sequence[Sequence[str]]]) -> Run:
    """A Dynamic Domain run of these iterations, the last ones without documents left out."""
    given = session_run(lists)
    frame = given.frame.select("topic", "turn", "doc", -pl.col("rank").cast(float).alias("score"))
    turns = frame.group_by("topic", maintain_order=True).agg(pl.col("turn").max())
    return Run("run", frame, "run", kind="dd", turns=dict(turns.iter_rows()))
