"""User models that browse the same way whatever they find."""

from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.domains import Domain
from irassay.metrics.decorators import user_model
from irassay.metrics.parameters import ABOVE_ONE, Goal, Persistence
from irassay.metrics.tails import Geometric, Power, no_tail, remaining_ranks
from irassay.rankings.batch import Rankings

ALL = "ERG ETG AVG MAX FIN PE ERR"
SUMS = "ERG ETG AVG FIN"  # aggregations that add up gains, for users who ignore gain when browsing
STATIC: dict[str, Any] = {  # of users who ignore gain when browsing
    "monotone": ALL, "linear": SUMS, "static": "ERG ETG AVG", "swap_monotone": "ERG ETG AVG MAX"
}  # fmt: skip


def number_examined(r: Rankings, k: int | None) -> Any:
    """The number of results a model with a size examines: its cutoff, or else the whole list."""
    return r.retrieved[:, None] if k is None else k


def parameter_column(value: Any) -> Floats:
    """[n|1] a parameter that is one number, or one per topic."""
    return np.asarray(value, dtype=np.float64).reshape(-1)


@user_model(
    "P", cite="cleverdon1966", gain="binary", tail=remaining_ranks, counts_repeats=True, **STATIC,
    aliases="Precision SetP precision prec", trec_eval="P set_P",
    formula=r"C(i) &= [i < k] \\ "
    r"\text{P} &= \frac{1}{k} \sum_{i=1}^{k} b_i",
)  # fmt: skip
def P(r: Rankings, k: int | None = None) -> Floats:
    """Examines exactly k results; without k, the whole list."""
    return np.where(r.rank < number_examined(r, k), 1.0, 0.0)


@user_model(
    "GP", cite="jiang2016", tail=remaining_ranks, **STATIC,
    formula=r"C(i) &= [i < k] \qquad g_i = \sum_{s=1}^{x_i} h_s \\ "
    r"\text{GP} &= \frac{1}{k} \sum_{i=1}^{k} g_i",
)  # fmt: skip
def GP(r: Rankings, h: tuple[float, ...] = (0.4, 0.6), k: int | None = None) -> Floats:
    """Examines exactly k results, and accepts a result of grade s with probability h(1) + … + h(s)."""
    return np.where(r.rank < number_examined(r, k), 1.0, 0.0)


@user_model(
    "SDCG", cite=("jarvelin2002", "moffat2013"), tail=no_tail, **STATIC,
    formula=r"C(i) &= [i < k] \, \frac{\log_2(i+1)}{\log_2(i+2)} \\ "
    r"\text{SDCG} &= \frac{\sum_{i=1}^{k} g_i / \log_2(i+1)}{\sum_{i=1}^{k} 1 / \log_2(i+1)}",
)  # fmt: skip
def SDCG(r: Rankings, k: int | None = None) -> Floats:
    """Reaches rank i with probability 1/log2(i+1), the discount of DCG, and always stops at rank k."""
    return np.where(r.rank < number_examined(r, k), np.log2(r.rank + 1) / np.log2(r.rank + 2), 0.0)


Returns = Annotated[
    float, Domain("number", 0, 1, "low"), "Exponent of the total gain i^b of i relevant results; 1: each adds as much."
]


@user_model(
    "SET", cite="azzopardi2014", tail=no_tail, **STATIC,
    formula=r"C(i) = [i < k] \, \frac{(i+2)^b - (i+1)^b}{(i+1)^b - i^b}",
)  # fmt: skip
def SET(r: Rankings, b: Returns = 0.5, k: int | None = None) -> Floats:
    """Examines at most k results, each worth less than the one before: rank i has a weight of (i+1)^b - i^b.

    As in cwl_eval, whose documentation has the total gain i^b, that is a weight of i^b - (i-1)^b.
    """
    weight = (r.rank + 1) ** b - r.rank**b
    after = (r.rank + 2) ** b - (r.rank + 1) ** b
    return np.where(r.rank < number_examined(r, k), after / weight, 0.0)


def geometric_tail(r: Rankings, p: Any, **_: Any) -> Geometric:
    """Past the list, continues with probability p for ever."""
    return Geometric(parameter_column(p))


@user_model(
    "RBP", cite="moffat2008", tail=geometric_tail, **STATIC, number_is="p",
    implies={"rel": {"gain": "binary"}},  # as in ir_measures, where rel makes gains binary
    formula=r"C(i) &= p \\ "
    r"\text{RBP} &= (1-p) \sum_{i \ge 1} p^{i-1} g_i",
)  # fmt: skip
def RBP(r: Rankings, p: Persistence = 0.8) -> Floats:
    """Continues to the next result with probability p at every rank."""
    return p + 0 * r.rank


@user_model(
    "GRBP", cite="jiang2016", tail=geometric_tail, **STATIC,
    formula=r"C(i) &= p \qquad g_i = \sum_{s=1}^{x_i} h_s \\ "
    r"\text{GRBP} &= (1-p) \sum_{i \ge 1} p^{i-1} g_i",
)  # fmt: skip
def GRBP(r: Rankings, p: Persistence = 0.8, h: tuple[float, ...] = (0.4, 0.6)) -> Floats:
    """Continues with probability p, and accepts a result of grade s with probability h(1) + … + h(s)."""
    return p + 0 * r.rank


def power_tail(r: Rankings, T: Any, power: float = 2.0, **_: Any) -> Power:
    """Past the list, V falls as a power of the rank."""
    return Power(r.depth + 2 * parameter_column(T), power)


Exponent = Annotated[
    float, ABOVE_ONE, "Exponent of the probability to continue: the larger, the sooner the user stops."
]


@user_model(
    "INSQ", cite="moffat2012", tail=power_tail, goal="T", **STATIC,
    formula=r"C(i) &= \left( \frac{i + 2T - 1}{i + 2T} \right)^{\text{power}} \\ "
    r"W(i) &\propto (i + 2T - 1)^{-\text{power}}",
)  # fmt: skip
def INSQ(r: Rankings, T: Goal = 1.0, power: Exponent = 2.0) -> Floats:
    """Wants about T relevant results, and is more likely to continue the deeper it is in the list."""
    return ((r.rank + 2 * T - 1) / (r.rank + 2 * T)) ** power
