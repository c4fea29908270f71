"""C/W/L/A: from the probability of continuing to every curve and every aggregation of a user model.

C(i) is the probability of continuing past rank i, V(i) that of examining it, L(i) that of stopping there;
W = V / sum V is the share of attention [moffat2012, moffat2017, chen2023].
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from irassay.arrays import Floats, share, weighted_rows
from irassay.errors import InputError
from irassay.rankings.batch import Rankings

AGGREGATIONS = ("ERG", "ETG", "AVG", "MAX", "FIN", "PE", "ERR")
ENDS = ("infinite", "stop", "list", "leak")
MAX_FOLLOWED_RANKS = 1000  # of a model without a closed form


class Tail(Protocol):
    """A user model past the batch, where every rank has the same gain and cost; V(n+1) is taken as 1."""

    def total(self) -> Floats:
        """[n] sum of V over the ranks past the batch."""

    def harmonic(self, b: Floats) -> Floats:
        """[n] sum over j >= 0 of L(n+1+j) / (b + j)."""

    def stopped(self) -> Floats:
        """[n] sum of L past the batch: 1 where V falls to 0, 0 where the user never stops."""


def examination_probability(C: Floats) -> Floats:
    """V: the probability that each rank is examined, the product of the C before it."""
    V = np.ones_like(C)
    np.cumprod(C[:, :-1], axis=1, out=V[:, 1:])
    return V


def stopping_probability(C: Floats) -> Floats:
    """L: the probability that each rank is the last one examined."""
    return examination_probability(C) * (1 - C)


@dataclass(frozen=True, eq=False)
class Browsing:
    """A user model applied to a batch, with its end policy: all that aggregations and `explain` need."""

    C: Floats  # [n|1, depth]
    r: Rankings
    tail: Tail | None  # None: nothing is examined past the batch, or it has no gain and no cost
    counted: Floats | None = None  # [n, depth] 1 where a stop counts, for end='leak'
    past_earns: bool = True  # stops past the batch count
    followed: bool = False  # no closed form: the model was followed rank by rank, and then cut off

    @cached_property
    def V(self) -> Floats:
        """[n|1, depth] the probability that each rank is examined."""
        return examination_probability(self.C)

    @cached_property
    def L(self) -> Floats:
        """[n|1, depth] the probability of stopping at each rank, where that counts."""
        L = self.V * (1 - self.C)
        return L if self.counted is None else L * self.counted

    def past(self) -> Floats:
        """[n|1] V(n+1), the probability of continuing past the batch."""
        return np.zeros(self.C.shape[0]) if self.tail is None else self.C.prod(axis=1)

    def still_there(self) -> float:
        """The largest probability of continuing past the last rank that was followed; 0 with a closed form."""
        return float(self.C.prod(axis=1).max(initial=0.0)) if self.followed else 0.0

    def past_total(self) -> Floats:
        """[n|1] sum of V past the batch."""
        left = self.past()
        if self.tail is None or not left.any():
            return np.zeros_like(left)
        total = self.tail.total()
        return np.multiply(left, total, out=np.zeros(np.broadcast(left, total).shape), where=left > 0)

    def expected_depth(self) -> Floats:
        """[n] V+, the expected number of results examined."""
        return np.broadcast_to(self.V.sum(axis=1) + self.past_total(), len(self.r))

    def weights(self) -> Floats:
        """[n, depth] W, each rank's share of attention; the rest of 1 lies past the batch."""
        return self.V / self.expected_depth()[:, None]

    def reciprocal_past(self) -> Floats:
        """[n] sum of L(i)/E(i) past the batch, where E is the total cost on stopping there."""
        left, r = self.past(), self.r
        if self.tail is None or not self.past_earns or not left.any():
            return np.zeros(len(r))
        spent = r.cost.sum(axis=1)
        b = np.broadcast_to(spent / r.past_cost + 1, len(r))
        return np.asarray(left * self.tail.harmonic(b) / r.past_cost)

    def score(self, A: str, beta: float = 0.5) -> Floats:
        """[n] the model's score under an aggregation: sum L A, or for ERG and ETG the same sum in terms of V."""
        if A == "PE":
            return beta * self.score("MAX") + (1 - beta) * self.score("FIN")
        if A in ("ERG", "ETG"):
            return self._by_weight(A)
        return np.asarray((self.L * aggregated_gain(self.r, A)).sum(axis=1) + self._aggregated_past(A))

    def gain_weights(self, A: str) -> Floats:
        """[n|1, depth] what a gain of 1 adds to the score under ERG, ETG, AVG or FIN, if C depends on no gain."""
        V, r = self.V, self.r
        if A == "ETG":
            return V
        if A == "ERG":
            cost = self._expected_cost()
            return share(np.broadcast_to(V, (len(cost), V.shape[1])), cost[:, None])
        if A == "FIN":
            return self.L
        after = np.cumsum((self.L / r.total_cost)[:, ::-1], axis=1)[:, ::-1]
        return after + self.reciprocal_past()[:, None]

    def _by_weight(self, A: str) -> Floats:
        V, r = self.V, self.r
        beyond = self.past_total() if self.past_earns else np.zeros(1)
        total = weighted_sum(V, r.gain) + (r.past_gain * beyond if r.past_gain else 0.0)
        if A == "ETG":
            return np.asarray(total)
        return share(total, np.broadcast_to(self._expected_cost(), total.shape))

    def _expected_cost(self) -> Floats:
        """[n] the sum of V times cost, past the batch too."""
        return weighted_sum(self.V, self.r.cost) + self.r.past_cost * self.past_total()

    def _aggregated_past(self, A: str) -> Floats | float:
        """The sum of L A past the batch, where every rank gains `past_gain` and costs `past_cost`."""
        if self.tail is None or not self.past_earns:
            return 0.0
        r, g = self.r, self.r.past_gain
        if A == "ERR":
            return self.reciprocal_past()
        if A == "AVG":
            # (G + jg) / (E + je) = g/e + (G - gE/e) / (E + je)
            rate = g / r.past_cost
            gained = r.gain.sum(axis=1) - rate * r.cost.sum(axis=1)
            return rate * self.past() * self.tail.stopped() + gained * self.reciprocal_past()
        best = np.maximum(r.gain.max(axis=1, initial=0.0), g) if A == "MAX" else g
        return self.past() * self.tail.stopped() * best


def aggregated_gain(r: Rankings, A: str, beta: float = 0.5) -> Floats:
    """[n, depth] A(i), the gain of a user who stops at rank i."""
    match A:
        case "ETG":
            return r.total_gain
        case "AVG":
            return r.total_gain / r.total_cost
        case "MAX":
            return r.best_gain
        case "FIN":
            return r.gain
        case "PE":
            return beta * aggregated_gain(r, "MAX") + (1 - beta) * r.gain
        case "ERR":
            return np.broadcast_to(1 / r.total_cost, r.gain.shape)
    raise InputError(f"A='{A}' needs the probability of continuing, which a model defined by its stops does not have.")


def weighted_sum(weight: Floats, values: Floats) -> Floats:
    """[n] the weighted sum over ranks; either argument may be one row for all."""
    if weight.shape[0] == 1:
        return weighted_rows(values, weight[0])
    return np.einsum("ij,ij->i", weight, np.broadcast_to(values, weight.shape))


def browse(
    r: Rankings,
    continuation: Callable[[Rankings], Floats],
    tail: Callable[[Rankings], Tail | None] | None,
    cutoff: int | None = None,
    end: str = "infinite",
    horizon: int | None = None,
) -> Browsing:
    """A user model applied to rankings that are cut to `cutoff`, with one of the end policies.

    infinite: continues through zero gain for ever; stop: C = 0 at the cutoff; list: C = 0 at the end of the list;
    leak: stops past the cutoff (or the list) do not count; `horizon`: only ranks up to it, and L need not sum to 1.
    """
    if horizon is not None:
        r = r.top(horizon).to_depth(horizon)
        return Browsing(continuation(r), r, None)
    last = r.retrieved
    if end in ("stop", "leak") and cutoff is not None:  # stops up to the cutoff count, even past the list
        r, last = r.to_depth(cutoff), np.full(len(r), cutoff)
    if end in ("stop", "list"):
        return Browsing(halted_continuation(continuation(r), last), r, None)
    beyond = NotImplemented if tail is None else tail(r)
    followed = beyond is NotImplemented
    if followed:
        r, beyond = r.to_depth(MAX_FOLLOWED_RANKS), None
    counted = (r.rank <= last[:, None]).astype(np.float64) if end == "leak" else None
    return Browsing(continuation(r), r, beyond, counted, past_earns=end != "leak", followed=followed)


def halted_continuation(C: Floats, last: np.ndarray) -> Floats:
    """C with nothing examined past rank `last` of each row; on an empty list nobody stops and nobody gains."""
    ranks, last = np.arange(1, C.shape[1] + 1), last[:, None]
    return np.where(ranks < last, C, np.where(last > 0, 0.0, 1.0))
