"""Other rank metrics of trec_eval and ir_measures: recall levels, geometric means, gains and overlap."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, Ints, share
from irassay.metrics.catalogue.classic import AP, GAINS, LEVEL, POOLED, bpref
from irassay.metrics.catalogue.sets import relevant_count
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import FLAG, FRACTION, POSITIVE, Persistence, one_of
from irassay.rankings.batch import Rankings

Rounding = Annotated[
    str,
    one_of("trec_eval9", "up", "nearest"),
    "How a recall level becomes a number of documents: floor(x + 0.9) as in trec_eval 9 (trec_eval9), rounded up (up), "
    "or to the nearest as in trec_eval 10 (nearest).",
]
NEAREST = {"rounding": "nearest"}


def recall_target(r: Rankings, recall: float, rounding: str) -> Ints:
    """[n] the number of relevant documents at a recall level, rounded in one of three ways."""
    part = recall * r.relevant_known
    add = {"trec_eval9": 0.9, "nearest": 0.5, "up": 1 - 1e-9}[rounding]  # 0.1 * 30 is 3.0000000000000004
    return np.floor(part + add).astype(np.int64)


def best_from(r: Rankings, needed: Ints) -> Floats:
    """[n] the best precision at any rank with at least this many relevant results so far; 0 if there is none."""
    seen = r.relevant.cumsum(axis=1)
    return np.where(seen >= needed[:, None], seen / r.rank, 0.0).max(axis=1, initial=0.0)


RecallLevel = Annotated[float, FRACTION, "Level of recall."]


@metric(
    "IPrec", cite="buckley2005", takes=LEVEL, number_is="recall", trec_eval="iprec_at_recall",
    variants={"iprec_at_recall": NEAREST}, **POOLED,
    formula=r"\text{IPrec} = \max \left\{ \frac{B_i}"
    r"{i} : B_i \ge \lfloor \text{recall} \cdot R + 0.9 \rfloor \right\}",
)  # fmt: skip
def IPrec(r: Rankings, recall: RecallLevel = 0.0, rounding: Rounding = "trec_eval9") -> Floats:
    """The best precision at a recall level or beyond; trec_eval 9 and 10 round the number of documents differently."""
    return best_from(r, recall_target(r, recall, rounding))


@metric(
    "AP11", cite="buckley2005", takes=LEVEL, aliases="eleven_pt_avg 11-pt_avg", trec_eval="11pt_avg",
    variants=dict.fromkeys(("11pt_avg", "eleven_pt_avg", "11-pt_avg"), NEAREST), **POOLED,
    formula=r"\text{AP11} = \frac{1}{11} \sum_{j=0}^{10} \text{IPrec}(j / 10)",
)  # fmt: skip
def AP11(r: Rankings, rounding: Rounding = "trec_eval9") -> Floats:
    """Interpolated precision, averaged over the eleven recall levels from 0 to 1."""
    levels = [best_from(r, recall_target(r, tenth / 10, rounding)) for tenth in range(11)]
    return sum(levels, start=np.zeros(len(r))) / len(levels)  # added one by one, however many lists there are


Multiple = Annotated[float, POSITIVE, "Multiple of the number of relevant documents at which precision is measured."]


@metric(
    "RprecMult", cite="buckley2005", takes=LEVEL, number_is="mult", trec_eval="Rprec_mult", **POOLED,
    formula=r"\text{RprecMult} = \frac{1}{\rho} \sum_{i=1}^{\rho} b_i "
    r"\qquad \rho = \lfloor \text{mult} \cdot R + 0.9 \rfloor",
)  # fmt: skip
def RprecMult(r: Rankings, mult: Multiple = 1.0) -> Floats:
    """Precision at a multiple of the topic's number of relevant documents."""
    cut = recall_target(r, mult, "trec_eval9")
    return share((r.relevant & (r.rank <= cut[:, None])).sum(axis=1), cut)


@metric(
    "GMAP", cite="robertson2006", takes=LEVEL, over_topics="geometric", trec_eval="gm_map", uses="costs", **POOLED,
    formula=r"\text{GMAP} = \exp \left( \frac{1}{|t|} \sum_{t} \ln \max(\text{AP}_t, 10^{-5}) \right)",
)  # fmt: skip
def GMAP(r: Rankings) -> Floats:
    """AP with a geometric mean over topics, so that hard topics weigh more; each counts as at least 0.00001."""
    return AP(rel=r.metric_view.rel).score(r)


@metric(
    "GMbpref", cite=("buckley2004", "robertson2006"), takes=LEVEL, over_topics="geometric", trec_eval="gm_bpref",
    **POOLED,
    formula=r"\text{GMbpref} = \exp \left( \frac{1}{|t|} \sum_{t} \ln \max(\text{bpref}_t, 10^{-5}) \right)",
)  # fmt: skip
def GMbpref(r: Rankings) -> Floats:
    """bpref with a geometric mean over topics; each counts as at least 0.00001."""
    return bpref(rel=r.metric_view.rel).score(r)


@metric(
    "infAP", cite="yilmaz2006", takes=LEVEL, needs="pool", high=np.inf, trec_eval="infAP",
    formula=r"\text{infAP} = \frac{1}{R} \sum_{i} b_i \left( \frac{1}{i} + \frac{i-1}{i} \cdot \frac{J_i}"
    r"{i-1} \cdot \frac{B_{i-1} + 10^{-5}}{B_{i-1} + N_i + 2 \cdot 10^{-5}} \right)",
)  # fmt: skip
def infAP(r: Rankings) -> Floats:
    """AP estimated from a pool judged at random in part; grades below 0 mark pooled documents that are not judged."""
    tiny = 0.00001
    relevant, holes = r.relevant, r.judged & (r.grade < 0)
    against = r.judged & (r.grade >= 0) & (r.grade < r.metric_view.rel)
    hits, misses = relevant.cumsum(axis=1) - 1, against.cumsum(axis=1)
    above = r.rank - 1
    pooled = share(hits + misses + holes.cumsum(axis=1), np.broadcast_to(above, relevant.shape))
    precision = 1 / r.rank + (above / r.rank) * pooled * ((hits + tiny) / (hits + misses + 2 * tiny))
    return share((relevant * precision).sum(axis=1), r.relevant_known)


@metric(
    "binG", cite="buckley2005", takes=LEVEL, trec_eval="binG", **POOLED,
    formula=r"\text{binG} = \frac{1}{R} \sum_{i} \frac{b_i}{\log_2(2 + i - B_i)}",
)  # fmt: skip
def binG(r: Rankings) -> Floats:
    """The mean over relevant documents of 1/log2(2 + the number of nonrelevant results before)."""
    before = r.rank - r.relevant.cumsum(axis=1)
    return share((r.relevant / np.log2(2 + before)).sum(axis=1), r.relevant_known)


def ideal_gains(r: Rankings, depth: int) -> Floats:
    """[n, depth] the gains of the topic's documents, largest first, then 0."""

    def gains(ideal: Rankings) -> Floats:
        ordered = -np.sort(-ideal.gain, axis=1)
        return np.pad(ordered, ((0, 0), (0, max(0, depth - ordered.shape[1]))))

    return r.at_best(("gains", depth), gains)


@metric(
    "G", cite="buckley2005", takes=GAINS, raw=True, needs="pool", trec_eval="G",
    formula=r"\text{G} = \frac{1}{\sum_j g^*_j} \sum_{i=1}^{n} \frac{g_i}{\log_2 \left( 2 + \max \left( 0, "
    r"\sum_{j \le i} \max(g^*_j, 1) - G_i \right) \right)}",
)  # fmt: skip
def G(r: Rankings) -> Floats:
    """The sum of gains, each discounted by the logarithm of the gain missed so far, divided by the total gain."""
    ideal = ideal_gains(r, r.depth)
    behind = np.maximum(ideal[:, : r.depth], 1.0).cumsum(axis=1) - r.total_gain
    return share((r.gain / np.log2(2 + np.maximum(behind, 0.0))).sum(axis=1), ideal.sum(axis=1))


DCG_SO_FAR = (  # its formula
    r" \\ \Delta_i &= \sum_{j \le i} \frac{g_j}{\log_2(j+1)}"
    r" \qquad \Delta^*_i = \sum_{j \le i} \frac{g^*_j}{\log_2(j+1)}"
)


def dcg_by_rank(gain: Floats) -> Floats:
    """[n, depth + 1] DCG after 0, 1, 2, … results."""
    rank = np.arange(1, gain.shape[1] + 1)
    return np.pad((gain / np.log2(rank + 1)).cumsum(axis=1), ((0, 0), (1, 0)))


@metric(
    "nDCG_rel", cite="buckley2005", takes=GAINS, raw=True, needs="pool", trec_eval="ndcg_rel",
    formula=r"\text{nDCG\_rel} &= \frac{1}{R} \left( \sum_{i : g_i > 0} \frac{\Delta_i}{\Delta^*_i} + "
    r"(R - B_n) \, \frac{\Delta_n}{\Delta^*_\infty} \right)" + DCG_SO_FAR,
)  # fmt: skip
def nDCG_rel(r: Rankings) -> Floats:
    """The mean of nDCG at each relevant document's rank; missed documents count at the end of the list."""
    gain = ideal_gains(r, r.depth)
    ideal, mine = dcg_by_rank(gain), dcg_by_rank(r.gain)
    hit, relevant = r.gain > 0, (gain > 0).sum(axis=1)
    at_hits = (share(mine[:, 1:], ideal[:, 1 : r.depth + 1]) * hit).sum(axis=1)
    missed = (relevant - hit.sum(axis=1)) * share(mine[:, -1], ideal[:, -1])
    return share(at_hits + missed, relevant)


@metric(
    "Rndcg", cite="buckley2005", takes=GAINS, raw=True, needs="pool", trec_eval="Rndcg",
    formula=r"\text{Rndcg} &= \frac{1}{|S|} \sum_{i \in S} \frac{\Delta_i}{\Delta^*_i} "
    r"\qquad S = \{ i : g^*_{i+1} < g^*_i \} \cup \{ \infty : n > R + 1 \}" + DCG_SO_FAR,
)  # fmt: skip
def Rndcg(r: Rankings) -> Floats:
    """The mean of nDCG at the ranks where the gain of a perfect list drops, and at the end of the list."""
    gain = ideal_gains(r, r.depth)
    ideal, mine = dcg_by_rank(gain), dcg_by_rank(r.gain)
    lower = np.pad(gain, ((0, 0), (0, 1)))[:, 1:]
    edge = (gain > 0) & (lower < gain)  # [n, p] the last document of each gain
    place = np.minimum(np.arange(1, gain.shape[1] + 1), r.retrieved[:, None])
    at_edges = (share(np.take_along_axis(mine, place, axis=1), ideal[:, 1:]) * edge).sum(axis=1)
    beyond = r.retrieved > (gain > 0).sum(axis=1) + 1
    total = at_edges + beyond * share(mine[:, -1], ideal[:, -1])
    return np.where(r.relevant_known > 0, share(total, edge.sum(axis=1) + beyond), 0.0)


@metric(
    "Accuracy", cite="macavaney2022", takes=LEVEL, monotone=False,
    formula=r"\text{Accuracy} = \frac{\sum_{i < j} b_i (1 - b_j)}{\sum_{i, j} b_i (1 - b_j)}",
)  # fmt: skip
def Accuracy(r: Rankings) -> Floats:
    """The share of pairs of a relevant and a nonrelevant result in which the relevant one is first.

    0 if no result is relevant; ir_measures leaves such topics out of its mean.
    """
    others = ~r.relevant & r.inside
    wrong = (others.cumsum(axis=1) * r.relevant).sum(axis=1)
    pairs = others.sum(axis=1) * relevant_count(r)
    return np.where(relevant_count(r) > 0, 1 - share(wrong, pairs), 0.0)


Normalize = Annotated[bool, FLAG, "Divide by the overlap of a perfect list."]
CompatDialect = Annotated[
    str,
    one_of("original", "ir_measures"),
    "How many ranks are compared: 1,000 as in the authors' program, or as many as the longer list has (ir_measures).",
]
COMPARED_RANKS = 1000  # of the authors' program, however long the lists are


def depth_was_the_longer_list(params: Mapping[str, Any]) -> str:
    """What changed in 0.2.0."""
    if params["dialect"] != "original":
        return ""
    return "{metrics} now compares 1,000 ranks, as its authors do; dialect='ir_measures' gives the earlier number"


@metric(
    "Compat", cite="clarke2021", takes={}, needs="pool", aliases="compatibility", ties="docid-asc",
    changed=depth_was_the_longer_list,
    formula=r"\text{Compat} &= \frac{\text{RBO}(d, d^*)}{\text{RBO}(d^*, d^*)} \\ "
    r"\text{RBO}(d, d^*) &= "
    r"\frac{\sum_{i=1}^{1000} p^{i-1} \, | \{ d_1 \ldots d_i \} \cap \{ d^*_1 \ldots d^*_i \} | \, / \, i}"
    r"{\sum_{i=1}^{1000} p^{i-1}}",
)  # fmt: skip
def Compat(
    r: Rankings, p: Persistence = 0.95, normalize: Normalize = True, dialect: CompatDialect = "original"
) -> Floats:
    """Rank-biased overlap of the list with the most similar perfect list, divided by the largest possible.

    As in the authors' program, 1,000 ranks are compared, however long the lists are, and equal scores are ordered by
    ascending document id, unless another order is set.
    """
    pool = r.pool
    relevant = (pool.grade > 0) & pool.listed
    relevant_in_pool = relevant.sum(axis=1)[r.topic]
    longer = np.maximum(r.retrieved, relevant_in_pool)
    last = np.full_like(longer, COMPARED_RANKS) if dialect == "original" else longer
    rank = np.arange(1, max(r.depth, pool.grade.shape[1], COMPARED_RANKS) + 1, dtype=np.float64)
    reach = np.pad((p ** (rank - 1) / rank).cumsum(), (1, 0))  # [rank] the worth of overlap from rank 1 to here

    place = np.zeros(r.grade.shape, dtype=np.int64)  # in the perfect list; 0 if not in it
    for grade in np.unique(pool.grade[relevant]):
        same = r.judged & (r.grade == grade)
        better = ((pool.grade > grade) & pool.listed).sum(axis=1)[r.topic]
        place += same * (better[:, None] + same.cumsum(axis=1))
    start = np.minimum(np.maximum(place, np.arange(1, r.depth + 1)), last[:, None] + 1)
    score = ((reach[last][:, None] - reach[start - 1]) * (place > 0)).sum(axis=1)
    if not normalize:
        return share(score, (1 - p**last) / (1 - p))
    ideal = np.minimum(relevant_in_pool, last)
    best = ideal * reach[last] - reach.cumsum()[np.maximum(ideal - 1, 0)]
    return share(score, np.where(ideal > 0, best, 0.0))
