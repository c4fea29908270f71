"""Comparisons that hold for every user: dominance of cumulated gains, its significance, and where it ends.

With S_k the total lead of one system over another in the first k ranks, and any attention w that does not grow with
rank, the sum of w_i (S_i - S_{i-1}) equals that of (w_k - w_{k+1}) S_k (Abel). So the lead is at least 0 for every such
user if and only if S_k is, at every k.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.parallel import check_cancelled

CELLS = 1 << 22  # of an array [pair, topic, rank] at a time
FLIPPED_RANKS = 16  # of a pair, those with the smallest t, at which signs are flipped
MAX_STEPS = 1024  # of a distribution of sums; larger sums are rounded to so many steps
MAX_FLIPPED = 256  # topics; with more, t's p-value is close to that of sign flips
PAST_LIST = 10  # users are followed up to so many times the depth in search of a crossing
CROSSING_GRID, CROSSING_STEPS = 200, 30


class PairCurves(NamedTuple):
    """What the leads of pairs of systems at all ranks say, in both directions: first minus second, and the reverse."""

    dominates: Bools  # [pair, direction] the mean lead is at least 0 at every rank
    convex: Bools  # [pair, direction] it is at least 0 for every convex attention
    worst: Ints  # [pair, direction] the rank k, from 1, with the smallest lead divided by k
    worst_lead: Floats  # [pair, direction] that mean lead divided by k
    p: Floats  # [pair, direction] that the lead is above 0 at every rank
    p_elsewhere: Floats  # [pair, direction] the same at the ranks that enough topics reach; 1 if there is none
    shown: Bools  # [pair, rank] enough topics differ for a p-value below alpha


def pair_curves(cumulated: Floats, first: Ints, second: Ints, noise: float, alpha: float, unit: float) -> PairCurves:
    """The leads of pairs of systems, from gains cumulated over ranks [system, topic, rank].

    p is by intersection-union [berger1982]: the largest over ranks. At each rank it is the larger of Student's
    one-sided t and of the sign flips. Flips never give less than 1/2 for each topic that differs, which is applied at
    every rank. They are carried out at the ranks with the smallest t, for pairs that t finds significant. All gains are
    multiples of `unit`; 0 if there is none. Leads up to `noise` are 0.
    """
    step = max(1, CELLS // max(1, cumulated[0].size))
    parts = []
    for start in range(0, len(first), step):
        check_cancelled()
        lead = cumulated[first[start : start + step]] - cumulated[second[start : start + step]]
        parts.append(_curves_of(lead, noise, alpha, unit))
    return PairCurves(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _curves_of(lead: Floats, noise: float, alpha: float, unit: float) -> PairCurves:
    """As `pair_curves`, for the leads [pair, topic, rank] of the first systems."""
    from scipy.special import stdtr

    pairs, topics, ranks = lead.shape
    lead[np.abs(lead) <= noise] = 0.0
    total = lead.sum(axis=1)
    total[np.abs(total) <= noise * topics] = 0.0
    spread = topics * np.einsum("ptk,ptk->pk", lead, lead) - total**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(total == 0, 0.0, total * np.sqrt((topics - 1) / np.maximum(spread, 0.0)))
    floor = 0.5 ** np.count_nonzero(lead, axis=1).astype(np.float64)
    shown = floor <= alpha
    fields: dict[str, list[Any]] = {name: [] for name in PairCurves._fields}
    for sign in (1, -1):
        at_rank = np.maximum(stdtr(topics - 1, -sign * t), floor)
        rows = np.flatnonzero(shown.any(axis=1) & (np.where(shown, at_rank, 0.0).max(axis=1, initial=0.0) < alpha))
        if len(rows):
            order = np.argsort(np.where(shown[rows], sign * t[rows], np.inf), axis=1)[:, :FLIPPED_RANKS]
            chosen = sign * np.take_along_axis(lead[rows], order[:, None, :], axis=2).swapaxes(1, 2)
            flips = sign_flip_p(chosen.reshape(-1, topics), unit).reshape(order.shape)
            at_rank[rows[:, None], order] = np.maximum(at_rank[rows[:, None], order], flips)
        by_rank = sign * total / np.arange(1, ranks + 1)
        worst = by_rank.argmin(axis=1)
        fields["dominates"].append((sign * total >= 0).all(axis=1))
        fields["convex"].append(is_convex_dominant(sign * total))
        fields["worst"].append(worst + 1)
        fields["worst_lead"].append(by_rank[np.arange(pairs), worst] / topics)
        fields["p"].append(at_rank.max(axis=1))
        fields["p_elsewhere"].append(np.where(shown.any(axis=1), np.where(shown, at_rank, 0.0).max(axis=1), 1.0))
    return PairCurves(*(np.stack(values, axis=1) if values else shown for values in fields.values()))


def sign_flip_p(lead: Floats, unit: float) -> Floats:
    """[row] the share of all sign flips of the leads [row, topic] whose sum is at least the observed one.

    Flipping a random half of the topics gives a sum as large if the absolute leads of that half add up to no more than
    the negative leads. The distribution of that sum is exact if all leads are multiples of `unit` and the negative ones
    sum to at most MAX_STEPS units, or else rounded to so many steps. Rows where more than MAX_FLIPPED topics differ
    get 0: there is no need for flips.

    >>> sign_flip_p(np.array([[1.0, 2, 3], [1, -1, 3], [0, 0, 0]]), unit=1)
    array([0.125, 0.375, 1.   ])
    """
    size, most = np.abs(lead), np.maximum(-lead, 0.0).sum(axis=1)
    differ = np.count_nonzero(size, axis=1)
    p = np.where(most == 0, 0.5**differ, 0.0)
    rows = np.flatnonzero((most > 0) & (differ <= MAX_FLIPPED))
    if not len(rows):
        return p
    step = np.where((unit > 0) & (most <= MAX_STEPS * unit), unit, most / MAX_STEPS)[rows, None]
    size, limit = np.rint(size[rows] / step).astype(np.int64), np.rint(most[rows] / step[:, 0]).astype(np.int64)
    size = -np.sort(-size, axis=1)[:, : int(differ[rows].max())]
    order = np.argsort(limit)
    for part in np.array_split(order, 1 + int(size.size * MAX_STEPS) // CELLS // 8):
        if len(part):
            p[rows[part]] = _limited_sums(size[part], limit[part])
    return p


def _limited_sums(size: Ints, limit: Ints) -> Floats:
    """[row] the probability that a random subset of the sizes [row, topic] adds up to at most the limit [row]."""
    steps = np.arange(int(limit.max()) + 1)
    share = np.zeros((len(size), len(steps)))
    share[:, 0] = 1.0
    for column in size.T:
        source = steps - column[:, None]
        share = (share + np.where(source >= 0, np.take_along_axis(share, np.maximum(source, 0), axis=1), 0.0)) / 2
    return np.where(steps <= limit[:, None], share, 0.0).sum(axis=1)


def is_convex_dominant(total: Floats) -> Bools:
    """[pair] whether the lead is at least 0 for every attention that is not growing and convex up to the last rank.

    By summing twice: S_n and every S_1 + … + S_k with k < n must be at least 0.
    """
    twice = np.cumsum(total, axis=1)[:, :-1]
    return np.asarray((twice >= 0).all(axis=1) & (total[:, -1] >= 0))


Attention = Callable[[Floats, Floats], Floats]  # [rank] and a parameter [n, 1] to weights [n, rank]


def rbp_attention(rank: Floats, p: Floats) -> Floats:
    """[n, rank] p^(i-1), up to a factor."""
    return np.asarray(p ** (rank - 1))


def insq_attention(rank: Floats, T: Floats) -> Floats:
    """[n, rank] 1/(i + 2T - 1)², up to a factor."""
    return np.asarray((1 + 2 * T - 1) ** 2 / (rank + 2 * T - 1) ** 2)


def persistence_grid(depth: int) -> Floats:
    """Values of p at which RBP's user expects to see from 1 to PAST_LIST · depth results."""
    return np.asarray(1 - 1 / np.geomspace(1.001, PAST_LIST * depth, CROSSING_GRID))


def goal_grid(depth: int) -> Floats:
    """Values of T for INSQ, from nearly 0 up to PAST_LIST · depth."""
    return np.geomspace(0.001, PAST_LIST * depth, CROSSING_GRID)


def first_crossing(step: Floats, attention: Attention, grid: Floats) -> Floats:
    """[pair] the smallest parameter at which the sum of attention times gain changes its sign; NaN if it never does.

    `step` [pair, rank] is the difference of gains at each rank.

    >>> crossing = first_crossing(np.array([[1.0, -2.0], [1.0, 1.0]]), rbp_attention, persistence_grid(2))
    >>> crossing.round(6)
    array([0.5, nan])
    """
    rank = np.arange(1.0, step.shape[1] + 1)
    value = step @ attention(rank, grid[:, None]).T  # [pair, parameter]
    sign = np.sign(value)
    change = sign[:, 1:] * sign[:, :-1] < 0
    rows = np.flatnonzero(change.any(axis=1))
    crossing = np.full(len(step), np.nan)
    place = change[rows].argmax(axis=1)
    low, high, start = grid[place], grid[place + 1], sign[rows, place]
    for _ in range(CROSSING_STEPS):  # bisection
        middle = (low + high) / 2
        same = np.sign(np.einsum("pk,pk->p", step[rows], attention(rank, middle[:, None]))) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    crossing[rows] = (low + high) / 2
    return crossing
