"""Metrics of whole sessions, which have several queries or iterations."""

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.domains import Domain
from irassay.metrics.catalogue.effort import seconds
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import ABOVE_ONE, FLAG, FRACTION, one_of
from irassay.rankings.batch import Rankings, share
from irassay.rankings.turns import PAGE, at_size, downwards, place, taken, within

Dialect = Annotated[
    str, one_of("jig", "jiang"), "Whose definition: the TREC Dynamic Domain scorer's (jig), or jiang2016's (jiang)."
]
Base = Annotated[float, ABOVE_ONE, "Base of the logarithm in the discount by rank."]
QueryBase = Annotated[
    float | None,
    Domain("number", 1, open="low", optional=True),
    "Base of the logarithm in the discount by query; None leaves late queries undiscounted.",
]
UNBOUNDED: dict[str, Any] = {"takes": {}, "high": np.inf, "monotone": True}
SMALLEST_CHANCE = 1e-18  # results that are looked at with a smaller probability are left out of esNDCG
MAX_EMPTY_TURNS = 64  # turns without results that are gone through one by one


def discount(position: Any, base: float | None, dialect: str) -> Floats:
    """jig: 1/(1 + log_base(i)); jiang: 1/log_base(i + base - 1); without a base, none."""
    if base is None:
        return np.ones(np.shape(position))
    shift = 0.0 if dialect == "jig" else base - 1
    return 1 / (np.log(position + shift) / np.log(base) + (1 if dialect == "jig" else 0))


def exponential(grade: Floats) -> Floats:
    """2^g - 1, and nothing below grade 0."""
    return np.exp2(np.maximum(grade, 0.0)) - 1


def discounted_session_gain(r: Rankings, dialect: str, b: float, bq: float | None, k: int | None) -> Floats:
    """[n] the gain of a session, discounted by the rank within the turn and by the turn."""
    rank = place(r)
    if dialect == "jig":
        gain, inside = r.aspects.sum(axis=2), within(r, k)
    else:
        gain, inside = exponential(r.grade), within(r) & (rank <= (np.inf if k is None else k))
    return np.asarray((gain * inside * discount(rank, b, dialect) * discount(r.turn, bq, dialect)).sum(axis=1))


@metric("sDCG", cite=("jarvelin2008", "yang2017", "jiang2016"), needs="turns", **UNBOUNDED)
def sDCG(
    r: Rankings,
    dialect: Dialect = "jig",
    b: Base = 2.0,
    bq: QueryBase = 4.0,
    per_query: Annotated[bool, FLAG, "Divide by the number of queries."] = False,
    k: int | None = None,
) -> Floats:
    """The gain of all queries of a session, each result discounted by its rank and by how late its query came.

    'jig' sums the ratings of a document over aspects, and k counts iterations; 'jiang' has gain 2^g - 1, and k cuts
    the list of each query. bq=None leaves late queries undiscounted; per_query divides by the number of queries.
    """
    total = discounted_session_gain(r, dialect, b, bq, k)
    return share(total, taken(r, k if dialect == "jig" else None)) if per_query else total


@metric("nsDCG", cite=("kanoulas2011", "yang2017", "jiang2016"), needs="turns pool", **UNBOUNDED)
def nsDCG(r: Rankings, dialect: Dialect = "jig", b: Base = 2.0, bq: QueryBase = 4.0, k: int | None = None) -> Floats:
    """sDCG as a share of the best there is.

    For 'jig' that is the best order of the judged documents over k iterations of five results; for 'jiang' the best
    list, found again by every query of the session.
    """
    pool = r.pool

    def best_pages(turns: int) -> Floats:
        turns = min(turns, max(pool.aspects.shape[1], 1))  # no document is left for later ones
        by_turn = discount(np.arange(1, turns + 1), bq, dialect)[:, None]
        weights = -np.sort(-(by_turn * discount(np.arange(1, PAGE + 1), b, dialect)).ravel())
        ratings = downwards(pool.aspects.sum(axis=2), pool.listed)[:, : len(weights)]
        return ratings @ weights[: ratings.shape[1]]

    def best_list() -> Floats:
        gain = downwards(exponential(pool.grade), pool.listed)[:, :k]
        return gain @ discount(np.arange(1, gain.shape[1] + 1), b, dialect)

    total = discounted_session_gain(r, dialect, b, bq, k)
    if dialect == "jig":
        return share(total, at_size(r, k, lambda turns: pool.once(("nsDCG", b, bq, turns), lambda: best_pages(turns))))
    repeated = np.concatenate([[0.0], discount(np.arange(1, r.turns.max(initial=0) + 1), bq, dialect).cumsum()])
    return share(total, pool.once(("nsDCG", b, k), best_list)[r.topic] * repeated[r.turns])


@metric("esNDCG", cite=("kanoulas2011", "jiang2016"), needs="turns pool", **UNBOUNDED)
def esNDCG(
    r: Rankings,
    P_reform: Annotated[float, FRACTION, "Probability of going on to the next query."] = 0.8,
    P_down: Annotated[float, FRACTION, "Probability of going on to the next result of a query."] = 0.7,
    path_discount: Annotated[bool, FLAG, "Discount results by their place in all that was read."] = False,
    k: int | None = None,
) -> Floats:
    """The expected share of the ideal gain on the way of a user who reads on or reformulates by chance.

    Goes on to the next result with probability P_down, and from where the reading ends to the next query with
    P_reform; k cuts the list of each query. The expectation is exact, over every path: what is followed is the
    probability of having seen so many results, and the gain that comes with it.
    """
    gain = exponential(r.grade)
    queries, sizes, starts = _turn_sizes(r, k, P_down)  # [q], [n, q], [n, q]
    longest = int(sizes.max(axis=0, initial=0).sum())
    at = discount(np.arange(1, longest + 1), 2.0 if path_discount else None, "jiang")
    ideal = downwards(exponential(r.pool.grade), r.pool.listed)[:, :longest]
    ideal = np.pad(ideal, [(0, 0), (0, longest - ideal.shape[1])])
    best = np.pad((ideal * at).cumsum(axis=1), [(0, 0), (1, 0)])[r.topic]  # [n, length]
    chance, earned = np.zeros((len(r), longest + 1)), np.zeros((len(r), longest + 1))
    chance[:, 0] = 1.0
    score = np.zeros(len(r))
    reads = before = 0
    for q, number in enumerate(queries.tolist()):
        empty, before = number - 1 - before, number  # queries in between that have no results
        if empty:
            score += np.where(r.turns >= number, 1 - P_reform**empty, 0.0) * share(earned, best).sum(axis=1)
            chance, earned = chance * P_reform**empty, earned * P_reform**empty
        chance, earned = _read(chance, earned, gain, sizes[:, q], starts[:, q], at, P_down, reads)
        reads += int(sizes[:, q].max(initial=0))
        stops = np.where(r.turns == number, 1.0, np.where(r.turns > number, 1 - P_reform, 0.0))
        score += stops * share(earned, best).sum(axis=1)
        chance, earned = chance * P_reform, earned * P_reform
    return score


def _turn_sizes(r: Rankings, k: int | None, P_down: float) -> tuple[Ints, Ints, Ints]:
    """[q] turns that have results or end a session, [n, q] results that are looked at, and where the turn begins.

    A few turns without results in a row are kept, as there always were: a closed form rounds otherwise.
    """
    inside = within(r)
    turn = np.broadcast_to(r.turn, inside.shape)
    row, column = np.nonzero(inside)
    used = np.unique(np.concatenate([turn[row, column], r.turns[r.turns > 0]]))
    gaps = [np.arange(n + 1, m) for n, m in zip([0, *used[:-1].tolist()], used.tolist(), strict=True) if m - n <= MAX_EMPTY_TURNS]
    queries = np.sort(np.concatenate([used, *gaps]))
    last = len(queries)
    cell = row * last + np.searchsorted(queries, turn[row, column])
    whole = np.bincount(cell, minlength=len(r) * last).reshape(len(r), last)
    far = np.inf if P_down == 1 else 1 if P_down == 0 else np.ceil(np.log(SMALLEST_CHANCE) / np.log(P_down)) + 1
    sizes = np.minimum(whole, min(far, np.inf if k is None else k)).astype(np.int64)
    return queries, sizes, whole.cumsum(axis=1) - whole


def _read(
    chance: Floats, earned: Floats, gain: Floats, size: Any, start: Any, at: Floats, P_down: float, reads: int
) -> tuple[Floats, Floats]:
    """The chance of having seen each number of results, and the gain that comes with it, after one more query."""
    none = (size == 0)[:, None]
    next_chance, next_earned = np.where(none, chance, 0.0), np.where(none, earned, 0.0)
    path, rows = reads + 1, np.arange(len(size))  # lengths that a path can have so far
    found = np.zeros((len(size), path))
    for i in range(int(size.max(initial=0))):
        here = np.where(i < size, gain[rows, np.minimum(start + i, gain.shape[1] - 1)], 0.0)
        found = found + here[:, None] * at[i : i + path]
        stop = np.where(i + 1 < size, P_down**i * (1 - P_down), np.where(i + 1 == size, P_down**i, 0.0))[:, None]
        next_chance[:, i + 1 : i + 1 + path] += stop * chance[:, :path]
        next_earned[:, i + 1 : i + 1 + path] += stop * (earned[:, :path] + chance[:, :path] * found)
    return next_chance, next_earned


@metric(
    "TotTime",
    cite=("albahem2019", "smucker2012"),
    takes={"rel": 1},
    needs="turns lengths",
    uses="lengths",
    high=np.inf,
    higher_is_better=False,
    starts_at_zero=False,
)
def TotTime(r: Rankings, k: int | None = None) -> Floats:
    """The seconds it takes to go through all results of the first k iterations; the fewer, the better."""
    inside = within(r, k)
    return np.where(inside, seconds(replace(r, retrieved=inside.sum(axis=1))), 0.0).sum(axis=1)


@metric("RecipIter", cite="albahem2019", takes={}, needs="turns", starts_at_zero=False)
def RecipIter(r: Rankings, k: int | None = None) -> Floats:
    """One divided by the number of iterations, at most k."""
    return share(np.ones(len(r)), taken(r, k))


@metric(
    "NegIter", cite="albahem2019", takes={}, needs="turns", low=-np.inf, high=0.0, counts=True, starts_at_zero=False
)
def NegIter(r: Rankings, k: int | None = None) -> Floats:
    """The number of iterations, at most k, with a minus: the fewer, the better."""
    return -taken(r, k).astype(np.float64)
