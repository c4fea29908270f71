"""The nuggets of judged passages, as a list and as arrays for some topics at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Ints, NDArray
from irassay.rankings.passages import Nuggets


@dataclass(frozen=True, eq=False)
class NuggetList:
    """Every nugget of every topic, and every document that has it."""

    nugget: pl.DataFrame  # t, number, rating, documents
    has: pl.DataFrame  # t, document, number, len: how often a document has a nugget; sorted by t, document, number
    discounted: pl.DataFrame  # t, document, aspect, rating / log2(j + 1) of the document's j-th best passage

    def count(self, topics: int) -> Ints:
        """[t] nuggets."""
        return np.bincount(self.nugget["t"].to_numpy(), minlength=topics)

    def of(self, row: Ints, shape: tuple[int, int, int]) -> Nuggets:
        """The nuggets of topics with a row [t] in a pool of this shape [g, p, a]; -1 for topics without one."""
        g, p, _ = shape
        (t, number, *values) = _columns_with_rows(self.nugget, row)
        width = int(number.max(initial=-1)) + 1
        rating, documents = np.zeros((g, width)), np.zeros((g, width), dtype=np.int64)
        rating[t, number], documents[t, number] = values
        t, document, nugget, times = _columns_with_rows(self.has, row)
        start = np.concatenate([[0], np.cumsum(np.bincount(t * p + document, minlength=g * p))])
        discounted = np.zeros(shape)
        *where, worth = _columns_with_rows(self.discounted, row)
        np.add.at(discounted, tuple(where), worth)
        return Nuggets(rating, documents, start.astype(np.int64), nugget, times.astype(np.float64), discounted)


def _columns_with_rows(frame: pl.DataFrame, row: Ints) -> list[NDArray[Any]]:
    """The columns of a frame for topics that have a row, with the row instead of the topic."""
    at = row[frame["t"].to_numpy()]
    return [at[at >= 0], *(frame[name].to_numpy()[at >= 0] for name in frame.columns[1:])]


def nugget_list(frame: pl.DataFrame) -> NuggetList:
    """The nuggets of judged passages, from rows of t, aspect, document, doc, nugget and rating."""
    frame = frame.with_row_index("row")
    # the jig goes through subtopics, their documents and their passages; the rating it sees last is the nugget's
    first = pl.col("row").min().over("t", "aspect", "doc")
    frame = frame.sort("t", "aspect", first, "row")
    of = frame.group_by("t", "nugget", maintain_order=True).agg(
        pl.col("rating").last(), pl.col("doc").n_unique().alias("documents")
    )
    of = of.with_columns(pl.int_range(pl.len()).over("t").alias("number"))
    has = frame.join(of.select("t", "nugget", "number"), on=["t", "nugget"])
    has = has.group_by("t", "document", "number").len().sort("t", "document", "number")
    return NuggetList(of.select("t", "number", "rating", "documents"), has, _discounted_ratings(frame))


def _discounted_ratings(frame: pl.DataFrame) -> pl.DataFrame:
    """Ratings as in the track's scorer of 2015 and 2016: the j-th best passage's rating / log2(j + 1)."""
    key = ["t", "document", "aspect"]
    best = frame.filter(pl.col("rating") > 0).sort(*key, "rating", descending=[False, False, False, True])
    rank = best.select((pl.int_range(pl.len()).over(key) + 1).alias("j"))["j"].to_numpy()
    return best.select(*key, rating=best["rating"].to_numpy() / np.log2(rank + 1))
