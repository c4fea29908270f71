"""User models that continue or stop depending on what they have found and spent so far."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.domains import Domain
from irassay.metrics.catalogue.static import geometric_tail, number_examined, parameter_column, power_tail
from irassay.metrics.cwl import stopping_probability
from irassay.metrics.decorators import user_model
from irassay.metrics.parameters import FLAG, NOT_NEGATIVE, NUMBER, POSITIVE, Goal, Persistence, one_of
from irassay.metrics.tails import Geometric, Plateau, Power, no_tail
from irassay.rankings.batch import Rankings
from irassay.rankings.ties import TieGroups


def never_ending(r: Rankings, **_: Any) -> Geometric:
    """Past the list there is nothing to stop at."""
    return Geometric(np.ones(len(r)))


def gain_of_list(r: Rankings) -> Floats:
    """[n] the total gain of the list."""
    return r.gain.sum(axis=1)


ONE_STOP: dict[str, Any] = {
    "A": "ERR", "tail": never_ending, "endless": True, "monotone": "ERR", "swap_monotone": "ERR"
}  # fmt: skip


def mean_RR_of_ties(r: Rankings, ties: TieGroups, k: int | None) -> Floats:
    """[n] RR over all orders of tied results (mcsherry2008, section 2).

    A result is relevant, if none before it in its group is, with the probability of one of those that are left.
    """
    left = ties.size - (r.rank - 1 - ties.start)
    first = stopping_probability(1 - np.minimum(ties.totals(r.relevant) / left, 1.0))
    return np.asarray((first / r.rank)[:, :k].sum(axis=1))


@user_model(
    "RR",
    cite="voorhees1999",
    gain="binary",
    aliases="MRR mrr reciprocal_rank",
    trec_eval="recip_rank",
    tied_mean=mean_RR_of_ties,
    **ONE_STOP,
    formula=r"C(i) &= 1 - b_i \\ "
    r"\text{RR} &= \frac{1}{\min \{ i : b_i = 1 \}}",
)
def RR(r: Rankings) -> Floats:
    """Stops at the first relevant result."""
    return np.where(r.relevant, 0.0, 1.0)


@user_model(
    "ERR", cite="chapelle2009", gain="exp", unit_gain=True, **ONE_STOP,
    formula=r"C(i) &= 1 - g_i \qquad g_i = \frac{2^{x_i} - 1}{2^{\text{max\_grade}}} \\ "
    r"\text{ERR} &= \sum_{i=1}^{k} \frac{g_i}{i} \prod_{j<i} (1 - g_j)",
)  # fmt: skip
def ERR(r: Rankings) -> Floats:
    """Stops at each result with the probability that it satisfies, which is its gain."""
    return 1 - r.gain


def goal_met_or_not(r: Rankings, T: Any, shift: int) -> Power:
    """Past the list the remaining goal does not change."""
    return Power(r.depth + shift + 2 * np.maximum(0.0, parameter_column(T) - gain_of_list(r)))


SEEKS_T: dict[str, Any] = {"goal": "T", "unit_gain": True, "monotone": "ERG ETG AVG FIN PE ERR"}


Shift = Annotated[int, Domain("whole", 0, 1), "1 counts ranks from 2, as figure 2c of moffat2012 does."]


@user_model(
    "aINSQ", cite="moffat2012", tail=goal_met_or_not, **SEEKS_T,
    formula=r"C(i) = \left( \frac{i + 2T_i + \text{shift} - 1}{i + 2T_i + \text{shift}} \right)^2 "
    r"\qquad T_i = \max(0, T - G_i)",
)  # fmt: skip
def aINSQ(r: Rankings, T: Goal = 5.0, shift: Shift = 0) -> Floats:
    """Wants T relevant results, and browses as INSQ does for those still missing."""
    remaining = np.maximum(0.0, T - r.total_gain)  # T_i of equation 3; shift=1 gives the paper's figure 2c
    here = r.rank + 2 * remaining + shift
    return ((here - 1) / here) ** 2


def goal_or_beyond(r: Rankings, T: Any) -> Power | Geometric:
    """Past the list the remaining goal does not change; if every result there is worth 1, nor does C."""
    a = r.depth + 2 * parameter_column(T) - gain_of_list(r)
    return Geometric(((a - 1) / a) ** 2) if r.past_gain == 1 else Power(a)


def at_least_half(params: Mapping[str, Any]) -> bool:
    """Whether T is at least 0.5; with less, an early find may end the search before a better result."""
    return isinstance(params["T"], int | float) and params["T"] >= 0.5


InstGoal = Annotated[
    float, Domain("number", 0.25, 10_000), "How much gain the user wants; below 0.25, C would not be a probability."
]


@user_model(
    "INST", cite="bailey2015", tail=goal_or_beyond, monotone_if=at_least_half,
    empty_list="an empty list scores 0: the user goes on past it, through results without gain; the bounds of a topic "
    "without results are 0 and the score of the top grade at every rank, which is 1 if gains are linear",
    **SEEKS_T,
    formula=r"C(i) = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2 \qquad T_i = T - G_i",
)  # fmt: skip
def INST(r: Rankings, T: InstGoal = 1.0) -> Floats:
    """Wants a total gain of T, and becomes more likely to stop as it gets closer to it."""
    remaining = r.rank + 2 * T - r.total_gain
    return ((remaining - 1) / remaining) ** 2


NERR: dict[str, Any] = {
    "cite": "azzopardi2021",
    "unit_gain": True,
    "monotone": "ERG ETG AVG ERR",
    "swap_monotone": "ERG ETG AVG",
}


@user_model(
    "NERR8", tail=no_tail, **NERR,
    formula=r"C(i) = [i < k] \, (1 - g_i)",
)  # fmt: skip
def NERR8(r: Rankings, k: int | None = None) -> Floats:
    """Stops at each result with the probability that it satisfies, and always at rank k."""
    return np.where(r.rank < number_examined(r, k), 1 - r.gain, 0.0)


@user_model(
    "NERR9", tail=no_tail, **NERR,
    formula=r"C(i) = [i < k] \, \frac{i}{i+1} (1 - g_i)",
)  # fmt: skip
def NERR9(r: Rankings, k: int | None = None) -> Floats:
    """If not satisfied at rank i, continues with probability i/(i+1); always stops at rank k."""
    return np.where(r.rank < number_examined(r, k), r.rank / (r.rank + 1) * (1 - r.gain), 0.0)


@user_model(
    "NERR10", tail=geometric_tail, **NERR,
    formula=r"C(i) = p \, (1 - g_i)",
)  # fmt: skip
def NERR10(r: Rankings, p: Persistence = 0.9) -> Floats:
    """If not satisfied by a result, continues with probability p."""
    return p * (1 - r.gain)


@user_model(
    "NERR11", tail=power_tail, goal="T", **NERR,
    formula=r"C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)",
)  # fmt: skip
def NERR11(r: Rankings, T: Goal = 1.0) -> Floats:
    """If not satisfied by a result, continues with the probability of INSQ."""
    return ((r.rank + 2 * T - 1) / (r.rank + 2 * T)) ** 2 * (1 - r.gain)


SLACK = 1e-12  # gains such as 1/3 add up to slightly less than a goal that they meet


def budget_tail(r: Rankings, T: Any, K: Any, dynamic: bool, hb: Any, hc: Any, gain_med: Any, k: int | None) -> Plateau:
    """Past the list costs grow without gain until a limit is reached."""
    if not dynamic:
        hb = hc = 0.0
    K = K if k is None else k
    gained, spent = gain_of_list(r), np.broadcast_to(r.cost.sum(axis=1), len(r))
    drift = gained - (r.depth - 1) * gain_med if r.depth else 0.0 * gained
    # j more results are examined while hb m j < T - G + hb drift and (e + hc m) j < K - E + hc drift
    room = parameter_column(T) - gained + hb * drift
    needed = np.ceil(room / (hb * gain_med) - SLACK) if hb * gain_med > 0 else np.where(room > SLACK, np.inf, 0.0)
    afforded = np.ceil((parameter_column(K) - spent + hc * drift) / (r.past_cost + hc * gain_med) - SLACK)
    return Plateau(np.maximum(np.minimum(needed, afforded), 1.0))


@user_model(
    "BPM", cite="zhang2017", tail=budget_tail, goal="T", cutoff_is="K", uses="costs",
    formula=r"C(i) &= [G_i < T_i] \, [E_i < K_i] \qquad T_1 = T \qquad K_1 = K \\ "
    r"T_{i+1} &= T_i + \text{hb} \, (g_i - \text{gain\_med}) \quad \text{if dynamic} \\ "
    r"K_{i+1} &= K_i + \text{hc} \, (g_i - \text{gain\_med}) \quad \text{if dynamic}",
)  # fmt: skip
def BPM(
    r: Rankings,
    T: Goal = 1.0,
    K: Annotated[float, POSITIVE, "Largest cost the user accepts; the same as the cutoff."] = 10.0,
    dynamic: Annotated[bool, FLAG, "Move both limits with what was found so far."] = False,
    hb: Annotated[float, NOT_NEGATIVE, "How far the goal moves, if dynamic."] = 1.0,
    hc: Annotated[float, NOT_NEGATIVE, "How far the accepted cost moves, if dynamic."] = 1.0,
    gain_med: Annotated[float, NOT_NEGATIVE, "Gain of an average result, which finds are compared with."] = 0.5,
    k: int | None = None,
) -> Floats:
    """Stops after gaining T or spending K, whichever comes first; if dynamic, both limits move with what was found."""
    K = K if k is None else k
    if not dynamic:
        hb = hc = 0.0
    drift = (r.total_gain - r.gain) - (r.rank - 1) * gain_med
    goal, budget = T + hb * drift - SLACK, K + hc * drift - SLACK
    return np.where((r.total_gain < goal) & (r.total_cost < budget), 1.0, 0.0)


def forager_tail(r: Rankings, T: Any, b1: Any, R1: Any, part: str, **_: Any) -> Any:
    """Past the list the gain does not change, nor does the chance to continue by gain; the rate keeps falling."""
    if part != "gain":
        return NotImplemented
    return Geometric(1 - 1 / (1 + b1 * np.exp((parameter_column(T) - gain_of_list(r)) * R1)))


def as_published(params: Mapping[str, Any]) -> bool:
    """Whether the curves are those of the paper; with steeper ones an early find may end the search too soon."""
    return all(params[name] == value for name, value in (("b1", 0.9), ("R1", 1), ("A2", 0.2), ("b2", 0.9), ("R2", 1)))


def forager_uses(params: Mapping[str, Any]) -> str:
    """Costs, if the rate of gain matters."""
    return "" if params["part"] == "gain" else "costs"


IFT_PARTS = one_of("both", "gain", "rate")


@user_model(
    "IFT", cite="azzopardi2018", tail=forager_tail, goal="T", monotone="ERG ETG AVG", monotone_if=as_published,
    uses=forager_uses,
    formula=r"C(i) = \left( 1 - \frac{1}{1 + b_1 e^{(T - G_i) R_1}} \right) \cdot \frac{1}"
    r"{1 + b_2 e^{(A_2 - G_i / E_i) R_2}}",
)  # fmt: skip
def IFT(
    r: Rankings,
    part: Annotated[
        str, IFT_PARTS, "What stops the user: enough gain (gain), too low a rate (rate), or both."
    ] = "both",
    T: Goal = 2.0,
    b1: Annotated[float, POSITIVE, "Odds of continuing when the gain is exactly T."] = 0.9,
    R1: Annotated[float, NUMBER, "How steeply the chance to continue falls as the gain passes T."] = 1.0,
    A2: Annotated[float, NUMBER, "Rate of gain, per unit of cost, below which the user tends to stop."] = 0.2,
    b2: Annotated[float, POSITIVE, "Odds of stopping when the rate is exactly A2."] = 0.9,
    R2: Annotated[float, NUMBER, "How steeply the chance to continue rises with the rate."] = 1.0,
) -> Floats:
    """Forages: continues while the gain is below T and the rate of gain stays above A2."""
    by_gain = 1 - 1 / (1 + b1 * np.exp(np.minimum((T - r.total_gain) * R1, 700)))  # e^700 is nearly the largest double
    by_rate = 1 / (1 + b2 * np.exp(np.minimum((A2 - r.total_gain / r.total_cost) * R2, 700)))
    return by_gain if part == "gain" else by_rate if part == "rate" else by_gain * by_rate
