"""Turns: a session as one long ranking whose results remember their query or iteration."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.rankings.batch import Rankings

PAGE = 5  # documents an iteration of Dynamic Domain returns


def within(r: Rankings, k: int | None = None) -> Bools:
    """[n, depth] true at the results of the first k turns; without k, of all."""
    inside = r.rank <= r.retrieved[:, None]
    return inside if k is None else inside & (r.turn <= k)


def place(r: Rankings) -> Floats:
    """[n|1, depth] the rank of each result within its turn, from 1."""
    column = np.arange(r.depth)
    begins = np.ones(r.turn.shape, dtype=bool)
    begins[:, 1:] = r.turn[:, 1:] != r.turn[:, :-1]
    first = np.maximum.accumulate(np.where(begins, column, 0), axis=1)
    return (column - first + 1).astype(np.float64)


def taken(r: Rankings, k: int | None = None) -> Ints:
    """[n] turns taken, empty ones too, at most k."""
    return r.turns if k is None else np.minimum(r.turns, k)


def by_turn(r: Rankings, values: Floats, last: int) -> tuple[Floats, Ints]:
    """[n, last] the sum of values [n, depth] in each turn up to `last`, and how many results it has."""
    inside = within(r, last)
    row, column = np.nonzero(inside)
    cell = row * last + np.broadcast_to(r.turn, inside.shape)[row, column] - 1
    total: Floats = np.bincount(cell, weights=values[row, column], minlength=len(r) * last).astype(np.float64)
    count: Ints = np.bincount(cell, minlength=len(r) * last).astype(np.int64)
    return total.reshape(len(r), last), count.reshape(len(r), last)


def at_size(r: Rankings, k: int | None, bound: Callable[[int], Floats], topic: Ints | None = None) -> Floats:
    """[n] `bound` [t] (or [], one for all) of each row's topic for k turns; without k, for as many as the row has."""
    topic = r.topic if topic is None else topic
    found = np.zeros(len(r))
    size = r.turns if k is None else np.full(len(r), k)
    for turns in np.unique(size[size > 0]).tolist():
        rows, limit = size == turns, bound(turns)
        found[rows] = limit[topic[rows]] if limit.ndim else limit
    return found


def downwards(values: Any, listed: Bools) -> Floats:
    """The values along axis 1 from the largest down, those listed [t, p] first and 0 after them."""
    mask = listed.reshape(listed.shape + (1,) * (values.ndim - 2))
    ordered = -np.sort(np.where(mask, -values.astype(np.float64), np.inf), axis=1)
    return np.where(np.isneginf(ordered), 0.0, ordered)


def repeats_counted(r: Rankings) -> Rankings:
    """The lists with a document judged each time it is listed, not only the first time."""
    again = r.passages.repeated & (r.passages.document >= 0)
    if not again.any():
        return r
    grade = r.pool.grade[r.topic[:, None], r.passages.document]
    return replace(r, grade=np.where(again, grade, r.grade), judged=r.judged | again)
