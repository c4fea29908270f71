"""What judged passages repeat: the nuggets of each topic, and which documents have them."""

import numpy as np
import polars as pl

from irassay.arrays import Floats
from irassay.rankings.passages import Nuggets


def nuggets(frame: pl.DataFrame, shape: tuple[int, int, int]) -> Nuggets:
    """The nuggets of judged passages, from rows of t, aspect, document, doc, nugget and rating."""
    frame = frame.with_row_index("row")
    # the jig goes through subtopics, their documents and their passages; the rating it sees last is the nugget's
    first = pl.col("row").min().over("t", "aspect", "doc")
    frame = frame.sort("t", "aspect", first, "row")
    of = frame.group_by("t", "nugget", maintain_order=True).agg(
        pl.col("rating").last(), pl.col("doc").n_unique().alias("documents")
    )
    number = pl.int_range(pl.len()).over("t").alias("number")
    of = of.with_columns(number)
    width = of.select(pl.col("number").max() + 1).item() or 0
    rating, documents = np.zeros((shape[0], width)), np.zeros((shape[0], width), dtype=np.int64)
    cell = of["t"].to_numpy(), of["number"].to_numpy()
    rating[cell], documents[cell] = of["rating"].to_numpy(), of["documents"].to_numpy()
    has = frame.join(of.select("t", "nugget", "number"), on=["t", "nugget"]).with_columns(
        cell=pl.col("t") * shape[1] + pl.col("document")
    )
    has = has.group_by("cell", "number").len().sort("cell", "number")
    start = np.concatenate([[0], np.cumsum(np.bincount(has["cell"].to_numpy(), minlength=shape[0] * shape[1]))])
    times = has["len"].to_numpy().astype(np.float64)
    return Nuggets(
        rating, documents, start.astype(np.int64), has["number"].to_numpy(), times, _discounted(frame, shape)
    )


def _discounted(frame: pl.DataFrame, shape: tuple[int, int, int]) -> Floats:
    """[t, p, a] ratings as the scorer of 2015 and 2016 had them: sum of the j-th best passage / log2(j + 1)."""
    key = ["t", "document", "aspect"]
    best = frame.filter(pl.col("rating") > 0).sort(*key, "rating", descending=[False, False, False, True])
    rank = best.select((pl.int_range(pl.len()).over(key) + 1).alias("j"))["j"].to_numpy()
    ratings = np.zeros(shape)
    np.add.at(ratings, tuple(best[name].to_numpy() for name in key), best["rating"].to_numpy() / np.log2(rank + 1))
    return ratings
