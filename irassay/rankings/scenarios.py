"""Rankings without their unjudged results, or with unjudged results at the top grade."""

from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.rankings.batch import Rankings
from irassay.rankings.pool import Pool


def condensed(r: Rankings) -> Rankings:
    """The lists without their unjudged results; a negative grade counts as unjudged, as in trec_eval -J."""
    return with_results_only(r, r.judged & (r.grade >= 0))


def with_results_only(r: Rankings, keep: Bools) -> Rankings:
    """The lists with some of their results [n, depth], in the same order."""
    order = np.argsort(~keep, axis=1, kind="stable")
    left = keep.sum(axis=1)
    inside = np.arange(r.depth) < left[:, None]

    def packed(array: Any, value: Any) -> Any:
        full = np.broadcast_to(array, (len(r), *array.shape[1:]))
        index, mask = (order, inside) if full.ndim == 2 else (order[:, :, None], inside[:, :, None])
        return np.where(mask, np.take_along_axis(full, index, axis=1), value).astype(array.dtype)

    return replace(
        r,
        grade=packed(r.grade, 0.0),
        judged=packed(r.judged, False),
        retrieved=left,
        cost=packed(r.cost, r.past_cost),
        words=packed(r.words, r.past_words),
        turn=packed(r.turn, 1),
        aspects=packed(r.aspects, 0),
        passages=r.passages.reordered(order).cut_to(inside),
    )


def best_case(r: Rankings, depth: int | None = None, forever: bool = False, pooled: bool = True) -> Rankings:
    """The best case: every unjudged result, and every rank up to `depth`, has the top grade.

    With `pooled` they also join the recall base and the ideal; metrics that use neither turn it off. `forever`
    gives every rank past the batch the top grade too.
    """
    wide = r if depth is None else r.top(depth).to_depth(depth)
    within = wide.rank <= (wide.retrieved[:, None] if depth is None else wide.depth)
    lucky = within & ~(wide.judged & (wide.grade >= 0))
    every_aspect = (r.pool.weights[r.topic] > 0)[:, None, :]
    pool = r.pool
    if pooled:
        pool = extended_pool(pool, r.topic, lucky.sum(axis=1), r.max_grade)
        pool.once("top_by_aspect", lambda: r.pool.top_by_aspect)  # of all judgements, whichever rows these are
    return replace(
        wide,
        grade=np.where(lucky, r.max_grade, wide.grade),
        judged=wide.judged | lucky,
        retrieved=wide.retrieved if depth is None else np.full(len(r), wide.depth),
        topic=np.arange(len(r)) if pooled else r.topic,
        pool=pool,
        aspects=np.where(lucky[:, :, None] & every_aspect, r.max_grade, wide.aspects),
        topic_values={name: values[r.topic] for name, values in r.topic_values.items()} if pooled else r.topic_values,
        past_grade=r.max_grade if forever else 0.0,
    )


def extended_pool(pool: Pool, topic: Ints, extra: Ints, grade: float) -> Pool:
    """A pool for each of n topics: its documents, plus `extra` [n] documents with this grade on each of its aspects."""
    more = int(extra.max(initial=0))
    place = np.arange(pool.grade.shape[1] + more) - pool.size[topic][:, None]
    new = (place >= 0) & (place < extra[:, None])
    grades = np.where(new, grade, np.pad(pool.grade[topic], ((0, 0), (0, more))))
    weights = pool.weights[topic]
    aspects = np.pad(pool.aspects[topic], ((0, 0), (0, more), (0, 0)))
    aspects = np.where(new[:, :, None] & (weights > 0)[:, None, :], grade, aspects)
    return Pool(grades, pool.size[topic] + extra, aspects, weights)
