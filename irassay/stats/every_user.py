"""Comparisons that hold for every user: dominance of cumulated gains, its significance, and where it ends.

With S_k the total lead of one system over another in the first k ranks, and any attention w that does not grow with
rank, the sum of w_i (S_i - S_{i-1}) equals that of (w_k - w_{k+1}) S_k (Abel). So the lead is at least 0 for every such
user if and only if S_k is, at every k.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats, Ints
from irassay.parallel import check_cancelled
from irassay.stats.corrections import holm

ROWS_AT_ONCE = 256  # of sums whose distributions are computed together
FLIPPED_RANKS = 8  # of a pair, those with the smallest t, at which signs are flipped
FLIPPED_P = 0.25  # of t, above which no signs are flipped
COUNTED_SYSTEMS = 10  # for each of which the chance of rare losses counts, at most; more would hide true differences
MAX_STEPS = 1024  # of a distribution of sums; larger sums are rounded to this many steps
MAX_FLIPPED_TOPICS = 256  # with more, t's p-value is close to that of sign flips
PAST_LIST = 10  # users are followed to this many times the depth in search of a crossing
CROSSING_GRID, CROSSING_STEPS = 200, 12


class PairCurves(NamedTuple):
    """What the leads of pairs of systems at all ranks say, in both directions: first minus second, and the reverse."""

    dominates: Bools  # [pair, direction] the mean lead is at least 0 at every rank
    convex: Bools  # [pair, direction] it is at least 0 for every convex attention
    worst: Ints  # [pair, direction] the rank k, from 1, with the smallest lead divided by k
    worst_lead: Floats  # [pair, direction] that mean lead divided by k
    p: Floats  # [pair, direction] that the lead is above 0 at every rank
    p_elsewhere: Floats  # [pair, direction] the same at the ranks that enough topics reach; 1 if there is none
    rare_loss_p: Floats  # [pair, direction] the chance that rare losses are not seen in one of all the systems
    shown: Bools  # [pair, rank] enough topics differ for a p-value below alpha


class PairLeads(NamedTuple):
    """The leads of one system over others, and what they are made of."""

    one: Floats  # [topic, rank] cumulated gains
    others: Floats  # [pair, topic, rank] cumulated gains
    total: Floats  # [pair, rank] leads, summed over topics
    t: Floats  # [pair, rank] Student's t of the leads
    smallest_p: Floats  # [pair, rank] of sign flips: 1/2 for each topic that differs


def pair_curves(cumulated: Ints, alpha: float, largest: float = 1.0, ideal: Floats | None = None) -> PairCurves:
    """The leads of all pairs of systems, in the order of triu_indices, from whole gains cumulated over ranks.

    The gains [system, topic, rank] are in any unit; `largest` is that of one result, and `ideal` [rank] the mean over
    topics of those of an ideal list, if known. p is by intersection-union [berger1982]: the largest over ranks. At each
    rank it is the larger of Student's one-sided t and of the sign flips. Flips never give less than 1/2 for each topic
    that differs, which is applied at every rank. They are carried out at the ranks with the smallest t, unless t's
    p-value is above FLIPPED_P.

    Rare large losses make both p-values too small. So two more must each be at most alpha / 2, or twice the larger one
    is p: that of t without its skewness, at the ranks of the flips, and the chance that losses were not seen, at every
    rank. Such a loss is the largest of four, down to that rank: the gain of one result; the system's largest loss to
    any other on one topic; all that the other gains on average, as if the system returned nothing; and what the system
    lacks of the ideal on average, as if the other returned the ideal.

    With many systems, one of them is likely to lack its rare good results by chance, and all others seem to beat it. So
    `rare_loss_p` counts such chances once for each system (Bonferroni). Those of losses of more than one result count
    at most COUNTED_SYSTEMS times, and once if there are two systems.
    """
    systems, topics, _ = cumulated.shape
    exact = cumulated.astype(np.float64)
    seen = np.maximum((cumulated.max(axis=0) - cumulated).max(axis=1), largest)  # [system, rank] a loss on a topic
    total, square = exact.sum(axis=1), np.einsum("stk,stk->sk", exact, exact)  # [system, rank]
    mean = total / topics
    alone = seen if ideal is None else np.maximum(seen, ideal - mean)
    parts = []
    for one in range(systems - 1):
        check_cancelled()
        others = slice(one + 1, None)
        differ = cumulated[others] != cumulated[one]
        count = np.uint8 if differ.shape[1] < 256 else np.int64  # of topics; eight bits are added fastest
        reached = differ.view(np.uint8).sum(axis=1, dtype=count)
        squares = square[one] + square[others] - 2 * np.einsum("tk,stk->sk", exact[one], exact[others])
        lead = total[one] - total[others]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = lead * np.sqrt((topics - 1) / np.maximum(topics * squares - lead**2, 0.0))
        smallest_p = 0.5 ** np.arange(topics + 1.0)[reached]
        leads = PairLeads(exact[one], exact[others], lead, np.where(lead == 0, 0.0, t), smallest_p)
        losses = np.maximum(alone[one], mean[others]), np.maximum(alone[others], mean[one])  # [pair, rank]
        directed = [
            _directed_curves(leads, sign, loss, largest, systems, alpha)
            for sign, loss in zip((1, -1), losses, strict=True)
        ]
        parts.append((*(np.stack(both, axis=1) for both in zip(*directed, strict=True)), smallest_p <= alpha))
    return PairCurves(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _directed_curves(
    leads: PairLeads, sign: int, loss: Floats, result_loss: float, systems: int, alpha: float
) -> tuple[NDArray[Any], ...]:
    """[pair] the fields of `PairCurves` but for the last, for leads times a sign.

    `loss` [pair, rank] is the largest that could stay unseen on a topic, and `result_loss` that by one result.
    """
    from scipy.special import stdtr

    total, t, topics, ranks = sign * leads.total, sign * leads.t, len(leads.one), leads.total.shape[1]
    shown = leads.smallest_p <= alpha
    any_shown, lowest = shown.any(axis=1), np.where(shown, leads.smallest_p, 0.0).max(axis=1)
    p_elsewhere = np.maximum(stdtr(topics - 1, -np.where(shown, t, np.inf).min(axis=1)), lowest)
    p_elsewhere[~any_shown] = 1.0
    lead = np.where(shown, total / topics, np.inf)
    unseen_p = unseen_loss_p((lead / loss).min(axis=1), topics)
    unseen_result = systems * unseen_loss_p(lead.min(axis=1) / result_loss, topics)
    rows = np.flatnonzero(p_elsewhere < max(alpha, FLIPPED_P))
    if len(rows):
        where = np.where(shown[rows], t[rows], np.inf)
        ranked = np.argpartition(where, min(FLIPPED_RANKS, ranks) - 1, axis=1)[:, :FLIPPED_RANKS]
        others = np.take_along_axis(leads.others[rows], ranked[:, None, :], axis=2)
        by_topic = sign * (leads.one[:, ranked].swapaxes(0, 1) - others).swapaxes(1, 2).reshape(-1, topics)
        hidden = ~np.take_along_axis(shown[rows], ranked, axis=1)
        for largest_p, p_of in ((p_elsewhere, sign_flip_p), (unseen_p, unskewed_p)):
            p = np.where(hidden, 0.0, p_of(by_topic).reshape(ranked.shape)).max(axis=1)
            largest_p[rows] = np.maximum(largest_p[rows], p)
    of_all = np.maximum(unseen_result, (min(systems, COUNTED_SYSTEMS) if systems > 2 else 1) * unseen_p)
    unseen_p = np.minimum(2 * unseen_p, 1.0)  # Bonferroni, of two checks
    p_elsewhere = np.where((p_elsewhere < alpha) & (unseen_p > alpha), unseen_p, p_elsewhere)
    by_rank = total / np.arange(1, ranks + 1)
    worst = by_rank.argmin(axis=1)
    worst_lead = by_rank[np.arange(len(total)), worst] / topics
    at_least = np.maximum(stdtr(topics - 1, -t.min(axis=1)), leads.smallest_p.max(axis=1))
    p = np.maximum(at_least, np.where(any_shown, p_elsewhere, 0.0))
    dominates, convex = np.asarray((total >= 0).all(axis=1)), is_convex_dominant(total)
    return dominates, convex, worst + 1, worst_lead, p, p_elsewhere, np.minimum(2 * of_all, 1.0)


def holm_of_certificates(p: Floats, rare_loss_p: Floats, alpha: float) -> Floats:
    """[pair, direction] p of all pairs with Holm's correction; or the chance of rare losses, if that is above alpha."""
    corrected = holm(p.ravel()).reshape(p.shape)
    return np.where((corrected < alpha) & (rare_loss_p > alpha), rare_loss_p, corrected)


def unskewed_p(lead: Floats) -> Floats:
    """[row] one-sided p of Student's t after Hall's transformation, which removes the skewness of leads [row, topic].

    With S the mean divided by the standard deviation and g the skewness, S becomes S + gS²/3 + g²S³/27 + g/6n
    [hall1992]. It is 0 if all leads are equal.

    >>> unskewed_p(np.array([[1.0] * 11 + [-4], [1.0] * 11 + [0]])).round(4)
    array([0.2342, 0.    ])
    """
    from scipy.special import stdtr

    topics, mean = lead.shape[1], lead.mean(axis=1)
    spread = lead.std(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        S, g = mean / spread, ((lead - mean[:, None]) ** 3).mean(axis=1) / spread**3
        transformed = S + g * S**2 / 3 + g**2 * S**3 / 27 + g / (6 * topics)
        return np.where(spread > 0, stdtr(topics - 1, -transformed * np.sqrt(topics - 1)), 0.0)


def unseen_loss_p(lead: Floats, topics: int) -> Floats:
    """[row] the chance to see no loss of size 1 if such losses are common enough to cancel a lead [row].

    With lead m, a share m / (m + 1) of topics must lose 1 for a mean of 0; no topic does with probability
    (1 + m)^-topics.

    >>> unseen_loss_p(np.array([0.1, 0.2, -0.1]), 20).round(3)
    array([0.149, 0.026, 1.   ])
    """
    return np.asarray((1 + np.maximum(lead, 0.0)) ** -float(topics))


def sign_flip_p(lead: Floats) -> Floats:
    """[row] the share of all sign flips of the whole leads [row, topic] whose sum is at least the observed one.

    Flipping a random half of the topics gives a sum as large if the absolute leads of that half add up to no more than
    the negative leads. The share is exact if the negative leads add up to at most MAX_STEPS; otherwise leads are
    rounded to that many steps. Rows where more than MAX_FLIPPED_TOPICS topics differ get 0: t is then as good as flips.

    >>> sign_flip_p(np.array([[1.0, 2, 3], [1, -1, 3], [0, 0, 0]]))
    array([0.125, 0.375, 1.   ])
    """
    size, most = np.abs(lead), np.maximum(-lead, 0.0).sum(axis=1)
    differ = np.count_nonzero(size, axis=1)
    p = np.where(most == 0, 0.5**differ, 0.0)
    rows = np.flatnonzero((most > 0) & (differ <= MAX_FLIPPED_TOPICS))
    if not len(rows):
        return p
    step = np.maximum(1.0, most[rows] / MAX_STEPS)
    limit, widest = np.rint(most[rows] / step).astype(np.int64), int(differ[rows].max())
    size = np.rint(-np.sort(-size[rows], axis=1)[:, :widest] / step[:, None]).astype(np.int64)
    order = np.argsort(limit)  # so that rows with small limits have small arrays
    for part in np.array_split(order, 1 + len(order) // ROWS_AT_ONCE):
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
    place, change_step = change[rows].argmax(axis=1), step[rows]
    low, high = grid[place], grid[place + 1]
    at_low, at_high = value[rows, place], value[rows, place + 1]
    for _ in range(CROSSING_STEPS):  # false position; an end that stays counts half (Illinois)
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        here = np.einsum("pk,pk->p", change_step, attention(rank, middle[:, None]))
        same = here * at_low > 0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
        at_low, at_high = np.where(same, here, at_low / 2), np.where(same, at_high / 2, here)
    crossing[rows] = middle
    return crossing
