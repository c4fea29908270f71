"""Sessions as one long ranking whose results keep the number of their query or iteration (turn)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.rankings.batch import Rankings

PAGE = 5  # documents per iteration of Dynamic Domain


def in_turns(r: Rankings, k: int | None = None) -> Bools:
    """[n, depth] whether a result is in the first k turns; without k, in any turn."""
    return r.inside if k is None else r.inside & (r.turn <= k)


def rank_in_turn(r: Rankings) -> Floats:
    """[n|1, depth] the rank of each result within its turn, from 1."""
    column = np.arange(r.depth)
    begins = np.ones(r.turn.shape, dtype=bool)
    begins[:, 1:] = r.turn[:, 1:] != r.turn[:, :-1]
    first = np.maximum.accumulate(np.where(begins, column, 0), axis=1)
    return (column - first + 1).astype(np.float64)


def turns_taken(r: Rankings, k: int | None = None) -> Ints:
    """[n] the number of turns, empty ones included, at most k."""
    return r.turns if k is None else np.minimum(r.turns, k)


def sums_by_turn(r: Rankings, values: Floats, last: int) -> tuple[Floats, Ints]:
    """[n, last] the sum of values [n, depth] in each turn up to `last`, and its number of results."""
    inside = in_turns(r, last)
    row, column = np.nonzero(inside)
    cell = row * last + np.broadcast_to(r.turn, inside.shape)[row, column] - 1
    total: Floats = np.bincount(cell, weights=values[row, column], minlength=len(r) * last).astype(np.float64)
    count: Ints = np.bincount(cell, minlength=len(r) * last).astype(np.int64)
    return total.reshape(len(r), last), count.reshape(len(r), last)


def value_at_turns(r: Rankings, k: int | None, bound: Callable[[int], Floats], topic: Ints | None = None) -> Floats:
    """[n] `bound` [t] (or [], one for all) of each row's topic for k turns; without k, for the row's own number."""
    topic = r.topic if topic is None else topic
    values = np.zeros(len(r))
    size = r.turns if k is None else np.full(len(r), k)
    for turns in np.unique(size[size > 0]).tolist():
        rows, limit = size == turns, bound(turns)
        values[rows] = limit[topic[rows]] if limit.ndim else limit
    return values


def descending_values(values: Any, listed: Bools) -> Floats:
    """The values along axis 1 in descending order, those of listed documents [t, p] first, then 0."""
    mask = listed.reshape(listed.shape + (1,) * (values.ndim - 2))
    ordered = -np.sort(np.where(mask, -values.astype(np.float64), np.inf), axis=1)
    return np.where(np.isneginf(ordered), 0.0, ordered)


def with_repeats_counted(r: Rankings) -> Rankings:
    """The lists with a document judged each time it is listed, not only the first time."""
    repeated = r.passages.repeated & (r.passages.document >= 0)
    if not repeated.any():
        return r
    grade = r.pool.grade[r.topic[:, None], r.passages.document]
    return replace(r, grade=np.where(repeated, grade, r.grade), judged=r.judged | repeated)
