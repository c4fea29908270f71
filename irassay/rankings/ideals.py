"""Ideal rankings of documents about several aspects: built greedily, as ndeval builds them, for many topics at once."""

import math
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, NDArray
from irassay.rankings.batch import Pool

CELLS_AT_A_TIME = 1 << 19  # documents times aspects that are ranked together, so that they stay in the cache
FIRST_REACH = 20  # ranks that every ideal has; deeper ones have twice as many, or four times, …


def about(aspects: NDArray[Any], rel: float) -> Bools:
    """Whether a document is relevant to an aspect, any shape."""
    level = math.ceil(rel) if aspects.dtype.kind == "i" else rel
    return np.asarray(aspects >= level)


def offered(pool: Pool, rel: float) -> Bools:
    """[t, a] whether any document is relevant to the aspect."""
    found: Bools = pool.once(("aspects offered", rel), lambda: about(pool.aspects, rel).any(axis=1))
    return found


def ideal_novelty(pool: Pool, alpha: float, rel: float, depth: int | None) -> Floats:
    """[t, depth] what each rank of the greedy ideal adds; every relevant document has a rank if no depth is given.

    The greedy ideal takes, rank by rank, the document of the largest gain, that of the largest id if several have it.
    It need not be the best there is.
    """
    most = pool.grade.shape[1]
    reach = most if depth is None else FIRST_REACH * 2 ** max(0, math.ceil(math.log2(depth / FIRST_REACH)))
    key = ("greedy", alpha, rel, min(reach, most))
    gains: Floats = pool.once(key, lambda: greedy(about(pool.aspects, rel), alpha, min(reach, most)))
    return gains[:, :depth]


def greedy(about: Bools, alpha: float, depth: int) -> Floats:
    """[t, depth] the gains of the greedy order of documents [t, p, a], which come in descending order of id.

    >>> apart, alike = [[True, False]], [[False, True], [False, True]]
    >>> greedy(np.array([alike + apart]), alpha=0.5, depth=3)
    array([[1. , 1. , 0.5]])
    """
    topics, _, aspects = about.shape
    useful = about.any(axis=2)
    kept = int(useful.sum(axis=1).max(initial=0))
    order = np.argsort(~useful, axis=1, kind="stable")[:, :kept]
    about = about[np.arange(topics)[:, None], order]
    gains = np.zeros((topics, depth))
    rows = max(1, CELLS_AT_A_TIME // max(1, kept * aspects))
    for start in range(0, topics, rows):
        gains[start : start + rows, :kept] = _greedy(about[start : start + rows], alpha, min(depth, kept))
    return gains


def _greedy(about: Bools, alpha: float, depth: int) -> Floats:
    """[t, depth] the same for a block; a document's aspects are added in order, for ties depend on the last bit."""
    topics, documents, aspects = about.shape
    document, aspect = np.nonzero(about.reshape(topics * documents, aspects))
    count = np.bincount(document, minlength=topics * documents)
    nth = np.arange(len(document)) - np.repeat(count.cumsum() - count, count)  # among the document's aspects
    place = np.full((int(count.max(initial=0)), topics * documents), aspects)  # past its aspects, one that is worth 0
    place[nth, document] = aspect
    place = place.reshape(len(place), topics, documents) + (aspects + 1) * np.arange(topics)[:, None]
    worth = np.ones((topics, aspects + 1))
    worth[:, aspects] = 0.0
    taken = np.zeros((topics, documents))  # minus infinity where a document has its rank
    gain, part = np.empty_like(taken), np.empty_like(taken)
    gains, row = np.empty((topics, depth)), np.arange(topics)
    for rank in range(depth):
        gain[:] = taken
        for places in place:
            gain += worth.take(places, out=part, mode="clip")
        best = gain.argmax(axis=1)
        gains[:, rank] = gain[row, best]
        taken[row, best] = -np.inf
        worth[:, :aspects] *= 1 - alpha * about[row, best]
    return gains
