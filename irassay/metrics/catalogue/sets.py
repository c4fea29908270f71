"""Results as a set, counts, unjudged results and utility, as in trec_eval, ir_measures and ranx."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, share
from irassay.metrics.catalogue.classic import LEVEL, POOLED, one_each
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import NOT_NEGATIVE, NUMBER, Persistence, one_of
from irassay.rankings.batch import Rankings

COUNT: dict[str, Any] = {"high": np.inf, "over_topics": "sum", "counts": True}
LOWER_IS_BETTER: dict[str, Any] = {"starts_at_zero": False, "higher_is_better": False, "scores_empty": True}
ANY_NUMBER: dict[str, Any] = {"low": -np.inf, "high": np.inf}


def relevant_count(r: Rankings) -> Floats:
    """[n] the number of relevant results in each list."""
    return np.asarray(r.relevant.sum(axis=1), dtype=np.float64)


def result_count(r: Rankings, k: int | None) -> Ints:
    """[n] the divisor of precision: the length of the list, or k even if the list is shorter."""
    return r.retrieved if k is None else np.full(len(r), k)


def unjudged(r: Rankings) -> Bools:
    """[n, depth] true where a result has no grade, or one below 0, which means pooled but not judged."""
    return (~r.judged | (r.grade < 0)) & r.inside


RecallWeight = Annotated[float, NOT_NEGATIVE, "How many times as important recall is as precision."]


FDialect = Annotated[
    str,
    one_of("original", "trec_eval", "ir_measures"),
    "Whose weight: beta squared as in van Rijsbergen's F (original), or beta itself (trec_eval, ir_measures).",
]


def weight_was_not_squared(params: Mapping[str, Any]) -> str:
    """What changed in 0.2.0, for weights whose square differs."""
    if params["dialect"] != "original" or params["beta"] in (0.0, 1.0):
        return ""
    return "{metrics} now weights recall by beta squared; dialect='trec_eval' gives the earlier number"


@metric(
    "SetF", cite="vanrijsbergen1979", takes=LEVEL, needs="pool", aliases="F F1 f1", trec_eval="set_F",
    number_is="beta", variants={"set_F": {"dialect": "trec_eval"}}, changed=weight_was_not_squared,
    formula=r"\text{SetF} = \frac{(1 + \beta^2) \, \pi \, \rho}{\beta^2 \pi + \rho} \qquad \pi = \frac{B_k}"
    r"{k} \qquad \rho = \frac{B_k}{R}",
)  # fmt: skip
def SetF(r: Rankings, beta: RecallWeight = 1.0, dialect: FDialect = "original", k: int | None = None) -> Floats:
    """The weighted harmonic mean of precision P and recall R: (1 + beta²)PR / (beta²P + R).

    In trec_eval (set_F.x) and ir_measures the weight is x, not its square.
    """
    weight = beta**2 if dialect == "original" else beta
    P, R = share(relevant_count(r), result_count(r, k)), share(relevant_count(r), r.relevant_known)
    return share((weight + 1) * P * R, weight * P + R)


@metric(
    "SetAP", cite="buckley2005", takes=LEVEL, trec_eval="set_map", **POOLED,
    formula=r"\text{SetAP} = \frac{B_k}{k} \cdot \frac{B_k}{R}",
)  # fmt: skip
def SetAP(r: Rankings, k: int | None = None) -> Floats:
    """Precision times recall of the results as a set."""
    return np.asarray(share(relevant_count(r), result_count(r, k)) * share(relevant_count(r), r.relevant_known))


@metric(
    "RelP", cite="buckley2005", takes=LEVEL, aliases="SetRelP", trec_eval="set_relative_P relative_P", **POOLED,
    formula=r"\text{RelP} = \frac{B_k}{\min(k, R)}",
)  # fmt: skip
def RelP(r: Rankings, k: int | None = None) -> Floats:
    """Precision divided by the largest possible with the topic's number of relevant documents."""
    return share(relevant_count(r), np.minimum(result_count(r, k), r.relevant_known))


@metric(
    "Hits",
    cite="bassani2022",
    takes=LEVEL,
    high=np.inf,
    counts=True,
    monotone=True,
    weights=one_each,
    aliases="hits",
    static=True,
    swap_monotone=True,
    formula=r"\text{Hits} = \sum_{i=1}^{k} b_i",
)
def Hits(r: Rankings) -> Floats:
    """The number of relevant results."""
    return relevant_count(r)


@metric(
    "NumQ", cite="buckley2005", takes={}, of_judging=True, starts_at_zero=False, scores_empty=True, trec_eval="num_q",
    **COUNT,
    formula=r"\text{NumQ} = \sum_{t} 1",
)  # fmt: skip
def NumQ(r: Rankings) -> Floats:
    """The number of topics: 1 for each, summed."""
    return np.ones(len(r))


@metric(
    "NumRet", cite="buckley2005", takes={}, of_judging=True, starts_at_zero=False, trec_eval="num_ret", **COUNT,
    formula=r"\text{NumRet} = \sum_{t} n_t",
)  # fmt: skip
def NumRet(r: Rankings) -> Floats:
    """The number of results, summed over topics."""
    return r.retrieved.astype(np.float64)


@metric(
    "NumRel", cite="buckley2005", takes=LEVEL, needs="pool", starts_at_zero=False, scores_empty=True,
    trec_eval="num_rel", **COUNT,
    formula=r"\text{NumRel} = \sum_{t} R_t",
)  # fmt: skip
def NumRel(r: Rankings) -> Floats:
    """The number of relevant documents, retrieved or not, summed over topics."""
    return r.relevant_known.astype(np.float64)


@metric(
    "NumRelRet",
    cite="buckley2005",
    takes=LEVEL,
    monotone=True,
    weights=one_each,
    static=True,
    swap_monotone=True,
    trec_eval="num_rel_ret",
    **COUNT,
    formula=r"\text{NumRelRet} = \sum_{t} \sum_{i=1}^{n_t} b_i",
)
def NumRelRet(r: Rankings) -> Floats:
    """The number of relevant results, summed over topics."""
    return relevant_count(r)


@metric(
    "NumNonrelRet", cite="buckley2005", takes=LEVEL, trec_eval="num_nonrel_judged_ret", **LOWER_IS_BETTER, **COUNT,
    formula=r"\text{NumNonrelRet} = \sum_{t} \sum_{i=1}^{n_t} \bar{b}_i",
)  # fmt: skip
def NumNonrelRet(r: Rankings) -> Floats:
    """The number of results judged not relevant, summed over topics."""
    against = r.judged & (r.grade >= 0) & (r.grade < r.metric_view.rel)
    return against.sum(axis=1).astype(np.float64)


@metric(
    "Unj", cite="buckley2005", takes={}, of_judging=True, trec_eval="unj", **LOWER_IS_BETTER,
    formula=r"\text{Unj} = \frac{1}{k} \sum_{i=1}^{k} u_i",
)  # fmt: skip
def Unj(r: Rankings, k: int | None = None) -> Floats:
    """The share of results that are not judged; a grade below 0 means pooled but not judged."""
    return share(unjudged(r).sum(axis=1), result_count(r, k))


@metric(
    "RBP_resid", cite="moffat2008", takes={}, of_judging=True, trec_eval="rbp_resid", **LOWER_IS_BETTER,
    formula=r"\text{RBP\_resid} = \left( p^n + (1-p) \sum_{i=1}^{n} p^{i-1} u_i \right) \cdot \max_i u_i",
)  # fmt: skip
def RBP_resid(r: Rankings, p: Persistence = 0.9) -> Floats:
    """How much higher RBP could be, as in trec_eval: 0 if all results are judged, even if the list is short."""
    holes = unjudged(r)
    weight = p ** (r.rank - 1)
    past = p ** r.retrieved.astype(np.float64)
    return np.where(holes.any(axis=1), past + (1 - p) * (holes * weight).sum(axis=1), 0.0)


@metric(
    "utility", cite="lewis1995", takes=LEVEL, needs="pool", starts_at_zero=False, trec_eval="utility", **ANY_NUMBER,
    formula=r"\text{utility} = a B_n + b \, (n - B_n) + c \, (R - B_n) + d \, (N - n - R + B_n)",
)  # fmt: skip
def utility(
    r: Rankings,
    a: Annotated[float, NUMBER, "Worth of a relevant result."] = 1.0,
    b: Annotated[float, NUMBER, "Worth of a nonrelevant result."] = -1.0,
    c: Annotated[float, NUMBER, "Worth of a relevant document that was missed."] = 0.0,
    d: Annotated[float, NUMBER, "Worth of every other document of the collection."] = 0.0,
    N: Annotated[int, NUMBER, "Documents in the collection."] = 0,
) -> Floats:
    """The utility of the set: a per relevant result, b per other one, c per missed relevant document, d for the rest.

    The rest are the other documents of the collection, which has N.
    """
    hit, ret, relevant = relevant_count(r), r.retrieved, r.relevant_known
    return a * hit + b * (ret - hit) + c * (relevant - hit) + d * (N + hit - ret - relevant)
