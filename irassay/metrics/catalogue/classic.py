"""Classic metrics, and others that are defined directly, without a user model."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, share
from irassay.errors import InputError
from irassay.metrics.cwl import ENDS, stopping_probability, weighted_sum
from irassay.metrics.decorators import PLAIN_PARAMETERS, metric, stop_model, user_model
from irassay.metrics.parameters import ABOVE_ONE, GainWeight, one_of
from irassay.metrics.tails import no_tail
from irassay.rankings.batch import Rankings
from irassay.rankings.ties import TieGroups

LEVEL = {"rel": 1}
Norm = Annotated[
    str, one_of("R", "min"), "Divide by all relevant documents (R), or by the cutoff if that is smaller (min)."
]
POOLED: dict[str, Any] = {"needs": "pool", "monotone": True, "swap_monotone": True}


def mean_AP_of_ties(r: Rankings, ties: TieGroups, norm: str, k: int | None) -> Floats:
    """[n] AP over all orders of tied results (mcsherry2008, section 2).

    The expected precision at a relevant result counts those before its group and, of its group, those before it.
    """
    relevant, inner = ties.totals(r.relevant), r.rank - 1 - ties.start  # of the group; ranks of it before this one
    total = np.concatenate([np.zeros((len(r), 1)), r.relevant.cumsum(axis=1)], axis=1)
    before = np.take_along_axis(total, ties.start, axis=1)
    found = before + 1 + share(inner * (relevant - 1), ties.size - 1)
    stops = relevant / ties.size
    relevant_count = np.minimum(r.relevant_known, k) if norm == "min" and k is not None else r.relevant_known
    return share((stops * found / r.rank)[:, :k].sum(axis=1), relevant_count)


@stop_model(
    "AP", cite="harman1992", gain="binary", needs="pool", monotone="AVG", swap_monotone="AVG",
    tied_mean=mean_AP_of_ties,
    aliases="MAP average_precision", trec_eval="map map_cut",
    empty_list="an empty list scores 0, and so does any list of a topic without relevant documents; the bounds of a "
    "topic without results are 0 and the score of a perfect list at the cutoff",
    formula=r"L(i) &= \frac{b_i}{R} \\ "
    r"\text{AP} &= \frac{1}{R} \sum_{i=1}^{k} b_i \, \frac{B_i}{i}",
)  # fmt: skip
def AP(r: Rankings, norm: Norm = "R", k: int | None = None) -> Floats:
    """Stops at each of the topic's relevant documents with equal probability, and scores the precision there."""
    relevant_count = np.minimum(r.relevant_known, k) if norm == "min" and k is not None else r.relevant_known
    return share(r.relevant.astype(np.float64), relevant_count[:, None])


@user_model(
    "AP", cite="chen2023", when_A_is_given=True, tail=no_tail,
    formula=r"C(i) = \frac{S_{i+1}}{S_i} \qquad S_i = \sum_{j=i}^{n} \frac{g_j}{j}",
)  # fmt: skip
def AP_over_the_list(r: Rankings) -> Floats:
    """Continues past rank i with probability S(i+1)/S(i), where S(i) is the sum of gain(j)/j from rank i down."""
    S = np.flip(np.flip(r.gain / r.rank, axis=1).cumsum(axis=1), axis=1)
    after = np.minimum(share(np.pad(S, ((0, 0), (0, 1)))[:, 1:], S), 1.0)
    return np.where(S > 0, after, 1.0)  # with nothing to find the user never stops, and gains nothing


@metric(
    "TrAP", cite="harman1992", takes={"gain": "linear", "max_grade": None}, uses="costs", **POOLED,
    formula=r"\text{TrAP} = \frac{1}{R} \sum_{i=1}^{n} g_i \, \frac{G_i}{E_i}",
)  # fmt: skip
def TrAP(r: Rankings, horizon: int | None = None) -> Floats:
    """The gain of each result times the gain per unit of cost so far, summed and divided by the relevant documents.

    This is the expected utility of cwl_eval, whose documentation says that the sum is divided by the number of relevant
    results in the list; it is divided by those of the topic. Its weights do not sum to 1, so it is no user model.
    """
    r = r if horizon is None else r.top(horizon)
    known = r.at_best("documents with gain", lambda ideal: (ideal.gain > 0).sum(axis=1))
    return share((r.gain * r.total_gain / r.total_cost).sum(axis=1), known)


@metric(
    "GAP",
    cite=("robertson2010", "jiang2016"),
    takes={"effort": None, "max_grade": None},
    limits=lambda m: (0.0, 1.0 if m.params["dialect"] == "original" and m.params["effort"] is None else np.inf),
    uses="costs",
    **POOLED,
    formula=r"\text{GAP} &= \frac{\sum_i [x_i > 0] \, G_i / E_i}{\sum_j g^*_j} \qquad g_i = \sum_{s=1}^{x_i} h_s \\ "
    r"\text{GAP}_{\text{original}} &= \frac{\sum_i [x_i > 0] \, \frac{1}{E_i} \sum_{j \le i} \min(g_i, g_j)}"
    r"{\sum_j g^*_j}",
)
def GAP(
    r: Rankings,
    h: tuple[float, ...] = (0.4, 0.6),
    dialect: Annotated[str, one_of("jiang", "original"), "Whose definition: jiang2016's or robertson2010's."] = "jiang",
) -> Floats:
    """AP for users who accept grades from s up with probability h(s), divided by the expected number of relevant ones.

    This is equation 3 of jiang2016, and can exceed 1: a result of a low grade stops as many users as one of the top
    grade, but adds less to the divisor. dialect='original' is robertson2010's: at a result, earlier ones count only for
    users who accept them too, so that no list scores more than 1.
    """
    expected = r.at_best("expected relevant", lambda ideal: ideal.gain.sum(axis=1))
    stops = r.judged & (r.grade > 0)
    if dialect == "jiang":
        return share((stops * (r.total_gain / r.total_cost)).sum(axis=1), expected)
    total, below = np.zeros(len(r)), 0.0
    for level in np.unique(r.gain[stops]):
        relevant = stops & (r.gain >= level)
        total += (level - below) * (relevant * relevant.cumsum(axis=1) / r.total_cost).sum(axis=1)
        below = level
    return share(total, expected)


def one_each(r: Rankings, **_: Any) -> Floats:
    """[1, depth] 1 for every result."""
    return np.ones((1, r.depth))


@metric(
    "R", cite="cleverdon1966", takes=LEVEL, weights=one_each, normalised=True,
    aliases="Recall SetR", trec_eval="recall set_recall", **POOLED,
    formula=r"\text{R} = \frac{1}{R} \sum_{i=1}^{k} b_i",
)  # fmt: skip
def R(r: Rankings) -> Floats:
    """The share of the topic's relevant documents that are in the list."""
    return share(r.relevant.sum(axis=1), r.relevant_known)


@metric(
    "Rprec", cite="buckley2005", takes=LEVEL, aliases="RPrec r_precision r-precision R-precision R-prec",
    trec_eval="Rprec", **POOLED,
    formula=r"\text{Rprec} = \frac{1}{R} \sum_{i=1}^{R} b_i",
)  # fmt: skip
def Rprec(r: Rankings) -> Floats:
    """Precision at rank R, where R is the number of the topic's relevant documents."""
    relevant_count = r.relevant_known
    return share((r.relevant & (r.rank <= relevant_count[:, None])).sum(axis=1), relevant_count)


@metric(
    "Success", cite="craswell2004", takes=LEVEL, monotone=True, swap_monotone=True,
    aliases="hit hit_rate HitRate hit-rate", trec_eval="success",
    formula=r"\text{Success} = \max_{i \le k} b_i",
)  # fmt: skip
def Success(r: Rankings) -> Floats:
    """1 if the list has a relevant result, 0 otherwise."""
    return np.asarray(r.relevant.any(axis=1), dtype=np.float64)


@metric(
    "bpref", cite="buckley2004", takes=LEVEL, aliases="Bpref BPref", trec_eval="bpref", **POOLED,
    formula=r"\text{bpref} = \frac{1}{R} \sum_{i} b_i \left( 1 - \frac{\min(N_i, R)}{\min(N, R)} \right)",
)  # fmt: skip
def bpref(r: Rankings) -> Floats:
    """How rarely judged nonrelevant results precede relevant ones; unjudged results are ignored."""
    relevant_count = r.relevant_known
    pool, rel = r.pool, r.metric_view.rel
    rejected = pool.once(("N", rel), lambda: ((pool.grade >= 0) & (pool.grade < rel) & pool.listed).sum(axis=1))
    against = r.judged & (r.grade >= 0) & (r.grade < rel)
    most = np.minimum(relevant_count, rejected[r.topic])[:, None]  # repeated results can be more than are rejected
    worth = 1 - share(np.minimum(against.cumsum(axis=1), most).astype(np.float64), most)
    return share((r.relevant * worth).sum(axis=1), relevant_count)


@metric(
    "Judged", cite="macavaney2022", takes={}, starts_at_zero=False, of_judging=True,
    formula=r"\text{Judged} = \frac{1}{\min(k, n)} \sum_{i \le k} [\text{the result at rank } i \text{ is judged}]",
)  # fmt: skip
def Judged(r: Rankings) -> Floats:
    """The share of results that are judged, whatever the grade."""
    return share(r.judged.sum(axis=1), r.retrieved)


GAINS = PLAIN_PARAMETERS | {"gain": "raw"}
Discount = Annotated[
    str,
    one_of("log2", "jk", "dd"),
    "Discount at rank i: 1/log2(i+1) (log2), 1/log_b(i) from rank b (jk), or 1/(1 + log_b(i)) (dd).",
]
EndOfRate = Annotated[
    str | None,
    one_of(*ENDS),
    "Divide the gain by the discounted cost of results, up to the end of the list (list) or the cutoff (others).",
]
Base = Annotated[float, ABOVE_ONE, "Base b of the logarithm, for discounts jk and dd."]


def discounts(rank: Floats, discount: str, b: float) -> Floats:
    """[1, depth] log2: 1/log2(i+1); jk: 1/log_b(i) from rank b; dd: 1/(1 + log_b(i))."""
    if discount == "log2":
        if b != 2:
            raise InputError(
                f"the discount log2 has base 2, so b={b:g} has no effect; leave it out, or add discount='jk' or 'dd'."
            )
        return 1 / np.log2(rank + 1)
    log = np.log(rank) / np.log(b)
    return 1 / np.maximum(log, 1.0) if discount == "jk" else 1 / (1 + log)


def discounted_gain(r: Rankings, discount: str, b: float, effort: Any, end: str | None, k: int | None) -> Floats:
    """[n] the discounted gain; with efforts or an end, divided by the discounted effort (jiang2016, M1)."""
    if effort is None and end is None:
        return r.gain @ discounts(r.rank, discount, b)[0]
    if k is not None and end != "list":
        r = r.to_depth(k)
    last = r.retrieved if k is None or end == "list" else np.full(len(r), k)
    V = np.where(r.rank <= last[:, None], discounts(r.rank, discount, b), 0.0)
    return share(weighted_sum(V, r.gain), weighted_sum(V, r.cost))


def by_rank(r: Rankings, discount: str, b: float, **_: Any) -> Floats:
    """[1, depth] what a gain of 1 adds to the discounted gain."""
    return discounts(r.rank, discount, b)


def costs_if_divided(params: Mapping[str, Any]) -> str:
    """Costs, if the gain is divided by them: with an end or efforts."""
    return "" if params["end"] is None and params["effort"] is None else "costs"


WEIGHTS: dict[str, Any] = {
    "weights": by_rank, "linear_if": lambda params: params["end"] is None, "uses": costs_if_divided
}  # fmt: skip


@metric(
    "DCG", cite="jarvelin2002", takes=GAINS, raw=True, high=np.inf, monotone=True, static=True,
    swap_monotone=True, trec_eval="dcg",
    variants={"dcg_burges": {"gain": "exp"}}, **WEIGHTS,
    formula=r"\text{DCG} &= \sum_{i=1}^{k} D(i) \, g_i \qquad D(i) = \frac{1}{\log_2(i+1)} \\ "
    r"\text{DCG}_{\text{effort or end}} &= \frac{\sum_i D(i) \, g_i}{\sum_i D(i) \, c_i}",
)  # fmt: skip
def DCG(
    r: Rankings,
    discount: Discount = "log2",
    b: Base = 2.0,
    effort: Any = None,
    end: EndOfRate = None,
    k: int | None = None,
) -> Floats:
    """The sum of gains, each discounted by the logarithm of its rank."""
    return discounted_gain(r, discount, b, effort, end, k)


@metric(
    "nDCG", cite="jarvelin2002", takes=GAINS, raw=True, normalised=True, aliases="NDCG ndcg_at MSnDCG",
    trec_eval="ndcg ndcg_cut", variants={"ndcg_burges": {"gain": "exp"}}, **WEIGHTS, **POOLED,
    formula=r"\text{nDCG} = \frac{\sum_{i=1}^{k} D(i) \, g_i}{\sum_{i=1}^{k} D(i) \, g^*_i} \qquad D(i) = "
    r"\frac{1}{\log_2(i+1)}",
)  # fmt: skip
def nDCG(
    r: Rankings,
    discount: Discount = "log2",
    b: Base = 2.0,
    effort: Any = None,
    end: EndOfRate = None,
    k: int | None = None,
) -> Floats:
    """DCG divided by that of the best order of all judged documents."""

    def best(ideal: Rankings) -> Floats:
        if effort is None and end is None:
            best_gains = -np.sort(-ideal.gain, axis=1)[:, :k]
            return best_gains @ discounts(ideal.rank[:, :k], discount, b)[0]
        return discounted_gain(ideal if k is None else ideal.top(k), discount, b, effort, end, k)

    return share(discounted_gain(r, discount, b, effort, end, k), r.at_best(("DCG", discount, b, end, k), best))


@metric(
    "nERR", cite=("chapelle2009", "sakai2011"), takes=PLAIN_PARAMETERS | {"gain": "exp"}, **POOLED,
    formula=r"\text{nERR} = \frac{\sum_{i=1}^{k} \frac{g_i}{i} \prod_{j<i} (1 - g_j)}{\sum_{i=1}^{k} "
    r"\frac{g^*_i}{i} \prod_{j<i} (1 - g^*_j)}",
)  # fmt: skip
def nERR(r: Rankings, k: int | None = None) -> Floats:
    """ERR divided by that of the best order of all judged documents."""

    def err(batch: Rankings) -> Floats:
        return (stopping_probability(1 - batch.gain) / batch.rank).sum(axis=1)

    return share(err(r), r.at_best(("ERR", k), lambda ideal: err(ideal if k is None else ideal.top(k))))


def blended_ratio(r: Rankings, beta: float) -> Floats:
    """[n, depth] precision at each rank, blended with the share of the ideal gain reached so far."""
    cumulated = r.at_best("cumulated", lambda ideal: ideal.total_gain)  # [n, p]
    ideal_gain = cumulated[:, np.minimum(np.arange(r.depth), cumulated.shape[1] - 1)]
    return (r.relevant.cumsum(axis=1) + beta * r.total_gain) / (r.rank + beta * ideal_gain)


@metric(
    "Q", cite="sakai2004", takes=GAINS, raw=True, **POOLED,
    formula=r"\text{Q} &= \frac{1}{R} \sum_{i} b_i \, \text{BR}(i) \qquad \text{BR}(i) = \frac{B_i + \beta G_i}"
    r"{i + \beta G^*_i} \\ "
    r"\text{Q@}k &= \frac{1}{\min(R, k)} \sum_{i=1}^{k} b_i \, \text{BR}(i)",
)  # fmt: skip
def Q(r: Rankings, beta: GainWeight = 1.0, norm: Norm = "min", k: int | None = None) -> Floats:
    """AP with precision blended with the share of the ideal gain reached so far."""
    relevant_count = r.relevant_known if k is None or norm == "R" else np.minimum(r.relevant_known, k)
    return share((r.relevant * blended_ratio(r, beta)).sum(axis=1), relevant_count)
