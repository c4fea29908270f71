"""The Cube Test: how fast a session fills the user's need, a cube with one prism per aspect."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, share
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import POSITIVE, PROBABILITY, one_of
from irassay.rankings.batch import Rankings
from irassay.rankings.turns import PAGE, descending_values, in_turns, sums_by_turn, turns_taken, value_at_turns

CITE = ("luo2013", "yang2017", "albahem2018")
Dialect = Annotated[
    str,
    one_of("jig", "jig2016", "paper"),
    "Whose definition: TREC Dynamic Domain's scorer of 2017 (jig), or of 2015 and 2016 (jig2016), or luo2013 (paper).",
]
Decay = Annotated[float, PROBABILITY, "Worth of each further document about an aspect, relative to the one before."]
Height = Annotated[float, POSITIVE, "Gain at which an aspect is full, so that no document adds to it."]

ADDED_GAIN = (  # formula of what a result adds to an aspect
    r" \\ y_{ia} &= \min \left( \gamma^{s_{ia} + 1} x_{ia}, \; \text{MH} - \sum_{j < i} y_{ja} \right)"
)


def used_files(params: Mapping[str, Any]) -> str:
    """The weights of aspects, except in the dialect of 2016, which treats all aspects alike."""
    return "" if params.get("dialect") == "jig2016" else "weights"


@dataclass(frozen=True, eq=False)
class ProcessedResults:
    """Results in the order in which a dialect processes them, with their ratings by aspect."""

    rating: Any  # [n, depth, a]
    inside: Bools  # [n, depth] results that count
    weights: Floats  # [n, a] area of each prism
    spent: Ints  # [n|1, depth] time when each result is reached
    time: Ints  # [n] total time


def processed_results(r: Rankings, dialect: str, k: int | None) -> ProcessedResults:
    """The results of the first k iterations as a dialect sees them."""
    if dialect == "jig2016":
        return _processed_in_2016(r, k)
    rating = r.aspects
    if dialect == "paper":
        rating = np.maximum(rating, 0) / (r.pool.top_by_aspect or 1.0)
    return ProcessedResults(rating, in_turns(r, k), r.pool.weights[r.topic], r.turn, turns_taken(r, k))


def _processed_in_2016(r: Rankings, k: int | None) -> ProcessedResults:
    """As in the scorer of 2015 and 2016: in file order up to the first result past k, duplicates included."""
    inside, turn = in_turns(r), np.broadcast_to(r.turn, (len(r), r.depth))
    if r.passages:
        lines = np.argsort(r.passages.line, axis=1, kind="stable")
        document = np.take_along_axis(r.passages.document, lines, axis=1)
        pool_ratings: Any = r.passages.nuggets.discounted
        rating = np.where((document >= 0)[:, :, None], pool_ratings[r.passages.topic[:, None], document], 0.0)
        turn = np.take_along_axis(turn, lines, axis=1)
    else:
        pool_ratings, rating = r.pool.aspects, np.maximum(r.aspects, 0)
    last = np.where(r.retrieved > 0, turn[np.arange(len(r)), np.maximum(r.retrieved - 1, 0)], 0) if r.depth else r.turns
    rated = r.pool.once(("rated aspects", bool(r.passages)), lambda: (pool_ratings > 0).any(axis=1))
    rated = rated[r.passages.topic if r.passages else r.topic]
    weights = share(rated.astype(np.float64), rated.sum(axis=1)[:, None])
    time = last
    if k is not None:
        inside, time = inside & np.logical_and.accumulate(turn <= k, axis=1), np.minimum(last, k)
    return ProcessedResults(rating, inside, weights, np.minimum(turn, last[:, None]), time)


def added_gain(p: ProcessedResults, gamma: float, MH: float, dialect: str) -> Floats:
    """[n, depth] the gain that each result adds, summed over aspects weighted by their area."""
    n, depth, aspects = p.rating.shape
    height = np.zeros((n, aspects))
    worth = np.full((n, aspects), 1.0 if dialect == "paper" else gamma)  # of the next document about each aspect
    added = np.zeros((n, depth))
    for i in range(depth):
        rating = p.rating[:, i]
        about = (rating != 0) & p.inside[:, i, None]
        fits = about & (height < MH)
        discounted = worth * rating
        if dialect == "paper":
            height += np.where(about, rating, 0.0)
            gain = np.where(fits, discounted, 0.0)
        else:
            gain = np.where(fits, np.minimum(discounted, MH - height), 0.0)
            height += gain
        added[:, i] = np.einsum("na,na->n", gain, p.weights)
        worth = np.where(fits if dialect == "jig" else about, worth * gamma, worth)
    return added


def divisor(MH: float, dialect: str) -> float:
    """The height of the cube, which the scorers divide gains by and the paper's equation does not."""
    return 1.0 if dialect == "paper" else MH


@metric(
    "CT", cite=CITE, takes={}, needs="aspects turns", uses=used_files,
    formula=r"\text{CT} &= \frac{1}{\text{MH} \cdot \min(Q, k)} \sum_{i} \sum_{a} w_a y_{ia}" + ADDED_GAIN,
)  # fmt: skip
def CT(r: Rankings, dialect: Dialect = "jig", gamma: Decay = 0.5, MH: Height = 5.0, k: int | None = None) -> Floats:
    """The share of the cube that the first k iterations fill, divided by the number of iterations.

    Each further document about an aspect is worth gamma times the one before, until the aspect is full at MH.
    """
    p = processed_results(r, dialect, k)
    return share(added_gain(p, gamma, MH, dialect).sum(axis=1) / divisor(MH, dialect), p.time)


@metric(
    "ACT", cite=CITE, takes={}, needs="aspects turns", uses=used_files,
    formula=r"\text{ACT} &= \frac{1}{n} \sum_{i=1}^{n} \frac{1}{\text{MH} \cdot q_i} \sum_{j \le i} "
    r"\sum_{a} w_a y_{ja}" + ADDED_GAIN,
)  # fmt: skip
def ACT(r: Rankings, dialect: Dialect = "jig", gamma: Decay = 0.5, MH: Height = 5.0, k: int | None = None) -> Floats:
    """The Cube Test at each result, averaged over the results of the first k iterations.

    In the jig, an iteration without results has one nonrelevant result.
    """
    p = processed_results(r, dialect, k)
    gain = added_gain(p, gamma, MH, dialect)
    speed = np.where(p.inside, gain.cumsum(axis=1) / np.maximum(p.spent, 1), 0.0).sum(axis=1)
    results = p.inside.sum(axis=1)
    if dialect == "jig" and r.turns.max(initial=0) > 1:
        turns = int(p.time.max(initial=0))
        added, count = sums_by_turn(r, gain, turns)
        number = np.arange(1, turns + 1)
        empty = (count == 0) & (number <= p.time[:, None])
        speed = speed + (empty * added.cumsum(axis=1) / number).sum(axis=1)
        results = results + empty.sum(axis=1)
    return share(speed / divisor(MH, dialect), results)


@metric(
    "nCT", cite=CITE, takes={}, needs="aspects turns pool", high=np.inf, uses=used_files,
    formula=r"\text{nCT} = \text{CT} \cdot \frac{\text{MH} \cdot k}{\sum_{a} w_a \min \left( \text{MH}, "
    r"\sum_{i=0}^{5k} \gamma^i x^*_{ia} \right)}",
)  # fmt: skip
def nCT(r: Rankings, gamma: Decay = 0.5, MH: Height = 5.0, k: int | None = None) -> Floats:
    """The Cube Test divided by an upper bound for k iterations of five documents; short sessions can exceed 1.

    The bound is the jig's: it always takes k iterations, does not discount the best document about an aspect, and has
    room for one document too many.
    """
    pool = r.pool

    def bound(turns: int) -> Floats:
        best = descending_values(pool.aspects, pool.listed)[:, : PAGE * turns + 1]  # [t, p, a]
        height = best * gamma ** np.arange(best.shape[1])[:, None]
        full = np.minimum(np.maximum(height, 0).sum(axis=1), MH) + np.minimum(height, 0).sum(axis=1)
        return (full * pool.weights).sum(axis=1) / (MH * turns)

    bounds = value_at_turns(r, k, lambda turns: pool.once(("nCT", gamma, MH, turns), lambda: bound(turns)))
    p = processed_results(r, "jig", k)
    return share(share(added_gain(p, gamma, MH, "jig").sum(axis=1) / MH, p.time), bounds)
