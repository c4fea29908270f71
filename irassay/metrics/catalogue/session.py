"""Metrics of sessions of several queries or iterations."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, Ints, share, weighted_rows
from irassay.domains import Domain
from irassay.metrics.catalogue.adaptive import aINSQ, goal_met_or_not
from irassay.metrics.catalogue.effort import seconds
from irassay.metrics.catalogue.static import INSQ, power_tail
from irassay.metrics.cwl import browse
from irassay.metrics.decorators import PLAIN_PARAMETERS, metric
from irassay.metrics.parameters import ABOVE_ONE, FLAG, FRACTION, GOAL, Goal, one_of
from irassay.parallel import check_cancelled
from irassay.rankings.batch import Rankings
from irassay.rankings.scenarios import with_results_only
from irassay.rankings.turns import PAGE, descending_values, in_turns, rank_in_turn, turns_taken, value_at_turns

Dialect = Annotated[
    str, one_of("jig", "jiang"), "Whose definition: the TREC Dynamic Domain scorer's (jig), or jiang2016's (jiang)."
]
Base = Annotated[float, ABOVE_ONE, "Base of the logarithm in the discount by rank."]
QueryBase = Annotated[
    float | None,
    Domain("number", 1, open="low", optional=True),
    "Base of the logarithm in the discount by query; None: late queries are not discounted.",
]
UNBOUNDED: dict[str, Any] = {"takes": {}, "high": np.inf, "monotone": True}
SMALLEST_CHANCE = 1e-18  # esNDCG ignores results that are examined with a smaller probability
MAX_EMPTY_TURNS = 64  # in a row that are processed one by one


def discount(position: Any, base: float | None, dialect: str) -> Floats:
    """jig: 1/(1 + log_base(i)); jiang: 1/log_base(i + base - 1); without a base, none."""
    if base is None:
        return np.ones(np.shape(position))
    shift = 0.0 if dialect == "jig" else base - 1
    return 1 / (np.log(position + shift) / np.log(base) + (1 if dialect == "jig" else 0))


def exponential(grade: Floats) -> Floats:
    """2^g - 1, and 0 below grade 0."""
    return np.exp2(np.maximum(grade, 0.0)) - 1


def discounted_session_gain(r: Rankings, dialect: str, b: float, bq: float | None, k: int | None) -> Floats:
    """[n] the gain of a session, discounted by the rank within the turn and by the turn."""
    rank = rank_in_turn(r)
    if dialect == "jig":
        gain, inside = r.aspects.sum(axis=2), in_turns(r, k)
    else:
        gain, inside = exponential(r.grade), in_turns(r) & (rank <= (np.inf if k is None else k))
    return np.asarray((gain * inside * discount(rank, b, dialect) * discount(r.turn, bq, dialect)).sum(axis=1))


@metric(
    "sDCG", cite=("jarvelin2008", "yang2017", "jiang2016"), needs="turns", **UNBOUNDED,
    formula=r"\text{sDCG} &= \sum_{q=1}^{k} \sum_{i} \frac{\sum_a x_{qia}}{(1 + \log_b i) "
    r"(1 + \log_{\text{bq}} q)} \\ "
    r"\text{sDCG}_{\text{jiang}} &= \sum_{q} \sum_{i=1}^{k} \frac{2^{x_{qi}} - 1}"
    r"{\log_b(i + b - 1) \log_{\text{bq}}(q + \text{bq} - 1)}",
)  # fmt: skip
def sDCG(
    r: Rankings,
    dialect: Dialect = "jig",
    b: Base = 2.0,
    bq: QueryBase = 4.0,
    per_query: Annotated[bool, FLAG, "Divide by the number of queries."] = False,
    k: int | None = None,
) -> Floats:
    """The gain of a session, with each result discounted by its rank and by the position of its query.

    'jig' sums the ratings of a document over aspects, and k counts iterations; 'jiang' has gain 2^g - 1, and k cuts
    the list of each query. With bq=None late queries are not discounted; per_query divides by the number of queries.
    """
    total = discounted_session_gain(r, dialect, b, bq, k)
    return share(total, turns_taken(r, k if dialect == "jig" else None)) if per_query else total


@metric(
    "nsDCG", cite=("kanoulas2011", "yang2017", "jiang2016"), needs="turns pool", **UNBOUNDED,
    formula=r"\text{nsDCG} &= \frac{\text{sDCG}}{\sum_{j=1}^{5k} D_j \, X_j} \\ "
    r"\{ D_j \} &= \left\{ \frac{1}{(1 + \log_b i) (1 + \log_{\text{bq}} q)} : i \le 5, \, q \le k \right\} \\ "
    r"\text{nsDCG}_{\text{jiang}} &= \frac{\text{sDCG}_{\text{jiang}}}{\sum_{q=1}^{Q} \sum_{i=1}^{k} "
    r"\frac{2^{x^*_i} - 1}{\log_b(i + b - 1) \log_{\text{bq}}(q + \text{bq} - 1)}}",
)  # fmt: skip
def nsDCG(r: Rankings, dialect: Dialect = "jig", b: Base = 2.0, bq: QueryBase = 4.0, k: int | None = None) -> Floats:
    """sDCG divided by that of an ideal session.

    For 'jig' that is the best order of the judged documents over k iterations of five results; for 'jiang' the best
    list, repeated by every query of the session.
    """
    pool = r.pool

    def best_pages(turns: int) -> Floats:
        turns = min(turns, max(pool.aspects.shape[1], 1))  # later turns have no documents left
        by_turn = discount(np.arange(1, turns + 1), bq, dialect)[:, None]
        weights = -np.sort(-(by_turn * discount(np.arange(1, PAGE + 1), b, dialect)).ravel())
        ratings = descending_values(pool.aspects.sum(axis=2), pool.listed)[:, : len(weights)]
        return weighted_rows(ratings, weights[: ratings.shape[1]])

    def best_list() -> Floats:
        gain = descending_values(exponential(pool.grade), pool.listed)[:, :k]
        return weighted_rows(gain, discount(np.arange(1, gain.shape[1] + 1), b, dialect))

    total = discounted_session_gain(r, dialect, b, bq, k)
    if dialect == "jig":
        best = value_at_turns(r, k, lambda turns: pool.once(("nsDCG", b, bq, turns), lambda: best_pages(turns)))
        return share(total, best)
    repeated = np.concatenate([[0.0], discount(np.arange(1, r.turns.max(initial=0) + 1), bq, dialect).cumsum()])
    return share(total, pool.once(("nsDCG", b, k), best_list)[r.topic] * repeated[r.turns])


@metric(
    "esNDCG", cite=("kanoulas2011", "jiang2016"), needs="turns pool", **UNBOUNDED,
    formula=r"\text{esNDCG} &= \sum_{\omega} P(\omega) \, \frac{\sum_{i=1}^{|\omega|} D(i) \, "
    r"(2^{x_{\omega_i}} - 1)}{\sum_{i=1}^{|\omega|} D(i) \, g^*_i} \qquad g^*_i = 2^{x^*_i} - 1 \\ "
    r"P(\omega) &= \rho^{Q - 1} (1 - \rho)^{[Q < Q_s]} \prod_{q=1}^{Q} \pi^{i_q - 1} (1 - \pi)^{[i_q < n_q]} \\ "
    r"\rho &= \text{P\_reform} \qquad \pi = \text{P\_down}",
)  # fmt: skip
def esNDCG(
    r: Rankings,
    P_reform: Annotated[float, FRACTION, "Probability of continuing to the next query."] = 0.8,
    P_down: Annotated[float, FRACTION, "Probability of continuing to the next result of a query."] = 0.7,
    path_discount: Annotated[bool, FLAG, "Discount results by their place in everything read so far."] = False,
    k: int | None = None,
) -> Floats:
    """The expected share of the ideal gain for a user who reads on or reformulates at random.

    Continues to the next result with probability P_down, and after that to the next query with probability P_reform; k
    cuts the list of each query. The expectation is exact, over every path: the recursion follows the probability of
    having seen each number of results, and the gain that comes with it.
    """
    gain = exponential(r.grade)
    queries, sizes, starts = _turn_sizes(r, k, P_down)  # [q], [n, q], [n, q]
    longest = int(sizes.max(axis=0, initial=0).sum())
    discounts = discount(np.arange(1, longest + 1), 2.0 if path_discount else None, "jiang")
    ideal = descending_values(exponential(r.pool.grade), r.pool.listed)[:, :longest]
    ideal = np.pad(ideal, [(0, 0), (0, longest - ideal.shape[1])])
    best = np.pad((ideal * discounts).cumsum(axis=1), [(0, 0), (1, 0)])[r.topic]  # [n, length]
    chance, earned = np.zeros((len(r), longest + 1)), np.zeros((len(r), longest + 1))
    chance[:, 0] = 1.0
    score = np.zeros(len(r))
    reads = before = 0
    for q, number in enumerate(queries.tolist()):
        empty, before = number - 1 - before, number  # queries in between that have no results
        if empty:
            score += np.where(r.turns >= number, 1 - P_reform**empty, 0.0) * share(earned, best).sum(axis=1)
            chance, earned = chance * P_reform**empty, earned * P_reform**empty
        chance, earned = _state_after_query(chance, earned, gain, sizes[:, q], starts[:, q], discounts, P_down, reads)
        reads += int(sizes[:, q].max(initial=0))
        stops = np.where(r.turns == number, 1.0, np.where(r.turns > number, 1 - P_reform, 0.0))
        score += stops * share(earned, best).sum(axis=1)
        chance, earned = chance * P_reform, earned * P_reform
    return score


def _turn_sizes(r: Rankings, k: int | None, P_down: float) -> tuple[Ints, Ints, Ints]:
    """[q] turns that have results or end a session, [n, q] results that are examined, and where the turn begins.

    Short gaps of turns without results are kept, because a closed form would round differently.
    """
    inside = in_turns(r)
    turn = np.broadcast_to(r.turn, inside.shape)
    row, column = np.nonzero(inside)
    used = np.unique(np.concatenate([turn[row, column], r.turns[r.turns > 0]]))
    gaps = [
        np.arange(n + 1, m)
        for n, m in zip([0, *used[:-1].tolist()], used.tolist(), strict=True)
        if m - n <= MAX_EMPTY_TURNS
    ]
    queries = np.sort(np.concatenate([used, *gaps]))
    last = len(queries)
    cell = row * last + np.searchsorted(queries, turn[row, column])
    results = np.bincount(cell, minlength=len(r) * last).reshape(len(r), last)
    reach = np.inf if P_down == 1 else 1 if P_down == 0 else np.ceil(np.log(SMALLEST_CHANCE) / np.log(P_down)) + 1
    sizes = np.minimum(results, min(reach, np.inf if k is None else k)).astype(np.int64)
    return queries, sizes, results.cumsum(axis=1) - results


def _state_after_query(
    chance: Floats, earned: Floats, gain: Floats, size: Any, start: Any, discounts: Floats, P_down: float, reads: int
) -> tuple[Floats, Floats]:
    """The probability of having seen each number of results, and the gain with it, after one more query."""
    none = (size == 0)[:, None]
    next_chance, next_earned = np.where(none, chance, 0.0), np.where(none, earned, 0.0)
    path, rows = reads + 1, np.arange(len(size))  # lengths that a path can have so far
    gain_here = np.zeros((len(size), path))
    for i in range(int(size.max(initial=0))):
        here = np.where(i < size, gain[rows, np.minimum(start + i, gain.shape[1] - 1)], 0.0)
        gain_here = gain_here + here[:, None] * discounts[i : i + path]
        stop = np.where(i + 1 < size, P_down**i * (1 - P_down), np.where(i + 1 == size, P_down**i, 0.0))[:, None]
        next_chance[:, i + 1 : i + 1 + path] += stop * chance[:, :path]
        next_earned[:, i + 1 : i + 1 + path] += stop * (earned[:, :path] + chance[:, :path] * gain_here)
    return next_chance, next_earned


@metric(
    "sINSQ", cite="moffat2012", takes=PLAIN_PARAMETERS, needs="turns", uses="costs",
    unchecked="all of it, because it is experimental and ours; moffat2012 hints at it without a formula (section 7)",
    formula=r"\text{sINSQ} = \frac{1}{Q} \sum_{q=1}^{Q} \text{aINSQ}_q(T_q) \qquad T_q = \max "
    r"\left( \text{floor}, T - \sum_{r < q} \sum_{i} g_{ri} \right)",
)  # fmt: skip
def sINSQ(
    r: Rankings,
    T: Goal = 5.0,
    floor: Annotated[float, GOAL, "Smallest goal of a query, however much was found before."] = 0.25,
    adaptive: Annotated[bool, FLAG, "Browse each list as aINSQ does, not as INSQ does."] = True,
    k: int | None = None,
) -> Floats:
    """The mean over queries of aINSQ, whose goal is T minus the gain of all earlier queries of the session.

    Experimental, and not a published metric: moffat2012 hints that a user's goal for the next query accounts for what
    was found before, and gives no formula. The gain found is that of all results of the earlier queries. The goal does
    not fall below `floor`. Queries without results score 0, and k counts queries.
    """
    model, past, more = (aINSQ, goal_met_or_not, {"shift": 0}) if adaptive else (INSQ, power_tail, {"power": 2.0})
    inside, wanted, total = in_turns(r, k), np.full(len(r), T), np.zeros(len(r))
    for number in np.unique(np.broadcast_to(r.turn, inside.shape)[inside]):
        check_cancelled()
        keep = inside & (r.turn == number)
        query = with_results_only(r, keep).top(int(keep.sum(axis=1).max()))
        goal = np.maximum(floor, wanted)
        C = partial(model.declaration.function, T=goal[:, None], **more)
        total += browse(query, C, partial(past, T=goal, **more)).score("ERG") * keep.any(axis=1)
        wanted -= query.gain.sum(axis=1)
    return share(total, turns_taken(r, k))


@metric(
    "TotTime", cite=("albahem2019", "smucker2012"), takes={"rel": 1}, needs="turns lengths", uses="lengths",
    high=np.inf, higher_is_better=False, starts_at_zero=False,
    formula=r"\text{TotTime} = \sum_{i} \left( 4.4 + (0.39 + 0.25 \, b_i) (0.018 \, l_i + 7.8) \right)",
)  # fmt: skip
def TotTime(r: Rankings, k: int | None = None) -> Floats:
    """The seconds it takes to go through all results of the first k iterations; lower is better."""
    inside = in_turns(r, k)
    return np.where(inside, seconds(replace(r, retrieved=inside.sum(axis=1))), 0.0).sum(axis=1)


@metric(
    "RecipIter", cite="albahem2019", takes={}, needs="turns", starts_at_zero=False,
    formula=r"\text{RecipIter} = \frac{1}{\min(Q, k)}",
)  # fmt: skip
def RecipIter(r: Rankings, k: int | None = None) -> Floats:
    """1 divided by the number of iterations, at most k."""
    return share(np.ones(len(r)), turns_taken(r, k))


@metric(
    "NegIter",
    cite="albahem2019",
    takes={},
    needs="turns",
    low=-np.inf,
    high=0.0,
    counts=True,
    starts_at_zero=False,
    formula=r"\text{NegIter} = -\min(Q, k)",
)
def NegIter(r: Rankings, k: int | None = None) -> Floats:
    """Minus the number of iterations, at most k."""
    return -turns_taken(r, k).astype(np.float64)
