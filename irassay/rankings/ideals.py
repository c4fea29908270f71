"""Ideal rankings of documents about several aspects: built greedily, as ndeval builds them, for many topics at once."""

import math
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, NDArray
from irassay.rankings.pool import Pool

CELLS_AT_A_TIME = 1 << 19  # documents times aspects ranked together, so that they stay in the cache
FIRST_REACH = 20  # ranks of every ideal; deeper ones have twice as many, or four times, …


def is_relevant_to(aspects: NDArray[Any], rel: float) -> Bools:
    """Whether a document is relevant to an aspect, any shape."""
    level = math.ceil(rel) if aspects.dtype.kind == "i" else rel
    return np.asarray(aspects >= level)


def covered_aspects(pool: Pool, rel: float) -> Bools:
    """[t, a] whether any document is relevant to the aspect."""
    return np.asarray(pool.once(("covered aspects", rel), lambda: is_relevant_to(pool.aspects, rel).any(axis=1)))


def ideal_novelty(pool: Pool, alpha: float, rel: float, depth: int | None) -> Floats:
    """[t, depth] what each rank of the greedy ideal adds; without a depth every relevant document has a rank.

    The greedy ideal takes, rank by rank, the document with the largest gain, and of equal ones that with the largest
    id. It need not be optimal.
    """
    reach = size = pool.grade.shape[1]
    if depth is not None:
        reach = min(size, FIRST_REACH * 2 ** max(0, math.ceil(math.log2(depth / FIRST_REACH))))
    key = ("greedy", alpha, rel, reach)
    gains: Floats = pool.once(key, lambda: greedy_gains(is_relevant_to(pool.aspects, rel), alpha, reach))
    return gains[:, :depth]


def greedy_gains(has_aspect: Bools, alpha: float, depth: int) -> Floats:
    """[t, depth] the gains of the greedy order of documents [t, p, a], given in descending order of id.

    >>> other, same = [[True, False]], [[False, True], [False, True]]
    >>> greedy_gains(np.array([same + other]), alpha=0.5, depth=3)
    array([[1. , 1. , 0.5]])
    """
    topics, _, aspects = has_aspect.shape
    useful = has_aspect.any(axis=2)
    kept = int(useful.sum(axis=1).max(initial=0))
    order = np.argsort(~useful, axis=1, kind="stable")[:, :kept]
    has_aspect = has_aspect[np.arange(topics)[:, None], order]
    gains = np.zeros((topics, depth))
    rows = max(1, CELLS_AT_A_TIME // max(1, kept * aspects))
    for start in range(0, topics, rows):
        gains[start : start + rows, :kept] = _greedy_block(has_aspect[start : start + rows], alpha, min(depth, kept))
    return gains


def _greedy_block(has_aspect: Bools, alpha: float, depth: int) -> Floats:
    """[t, depth] the same for a block; a document's aspects are added in order, because ties depend on the last bit."""
    topics, documents, aspects = has_aspect.shape
    document, aspect = np.nonzero(has_aspect.reshape(topics * documents, aspects))
    count = np.bincount(document, minlength=topics * documents)
    nth = np.arange(len(document)) - np.repeat(count.cumsum() - count, count)  # among the document's aspects
    place = np.full((int(count.max(initial=0)), topics * documents), aspects)  # past its aspects, one worth 0
    place[nth, document] = aspect
    place = place.reshape(len(place), topics, documents) + (aspects + 1) * np.arange(topics)[:, None]
    worth = np.ones((topics, aspects + 1))
    worth[:, aspects] = 0.0
    taken = np.zeros((topics, documents))  # minus infinity once a document has a rank
    gain, part = np.empty_like(taken), np.empty_like(taken)
    gains, row = np.empty((topics, depth)), np.arange(topics)
    for rank in range(depth):
        gain[:] = taken
        for places in place:
            gain += worth.take(places, out=part, mode="clip")
        best = gain.argmax(axis=1)
        gains[:, rank] = gain[row, best]
        taken[row, best] = -np.inf
        worth[:, :aspects] *= 1 - alpha * has_aspect[row, best]
    return gains
