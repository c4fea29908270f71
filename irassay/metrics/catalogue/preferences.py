"""trec_eval's measures of preferences: how many of the judges' preferences between documents a list meets.

A list meets the preference of a over b if it has a, and b after it or not at all.
"""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.metrics.catalogue.sets import COUNT
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import one_of
from irassay.rankings.batch import Rankings
from irassay.rankings.preferences import RankedGroup, ranked_groups

TREC_EVAL: dict[str, Any] = {
    "cite": "buckley2005", "takes": {}, "needs": "preferences pool", "ties": "docid-asc"
}  # fmt: skip
Pairs = Annotated[
    str,
    one_of("all", "any", "both"),
    "Pairs that count: all; those of which the list has a document (any); or those of which it has both.",
]
PairsOfResults = Annotated[str, one_of("all", "both"), "Pairs that count: all, or those of which the list has both."]
Each = Annotated[
    str,
    one_of("preference", "pair", "group"),
    "What counts equally: preferences; pairs of documents, whichever is preferred; or groups of judgements.",
]


def topic_scores(r: Rankings, score: Callable[[list[RankedGroup]], float]) -> Floats:
    """[n] the score of each list, from the groups of judgements about it."""
    groups = (r.pool.preferences[topic] for topic in r.topic.tolist())
    documents = r.passages.document
    return np.array([score(list(ranked_groups(own, row))) for own, row in zip(groups, documents, strict=True)])


def met_count(group: RankedGroup, preferred: Bools) -> int:
    """How many of these preferences the list meets."""
    return int(group.met(preferred).sum())


def ratio(part: float, whole: float) -> float:
    """part / whole; 0 without a whole."""
    return part / whole if whole else 0.0


@metric(
    "NumPrefs", trec_eval="prefs_num_prefs_poss", starts_at_zero=False, scores_empty=True, **TREC_EVAL, **COUNT,
    formula=r"\text{NumPrefs} = \sum_{t} | \{ (a, b) : a \succ b \} |",
)  # fmt: skip
def NumPrefs(r: Rankings) -> Floats:
    """The number of preferences, summed over topics."""
    return topic_scores(r, lambda groups: float(sum(group.preferred.sum() for group in groups)))


@metric(
    "NumPrefsMet", trec_eval="prefs_num_prefs_ful prefs_num_prefs_ful_ret",
    variants={"prefs_num_prefs_ful_ret": {"pairs": "both"}}, **TREC_EVAL, **COUNT,
    formula=r"\text{NumPrefsMet} = \sum_{t} \sum_{a \succ b} [r_a < r_b]",
)  # fmt: skip
def NumPrefsMet(r: Rankings, pairs: PairsOfResults = "all") -> Floats:
    """The number of preferences that the list meets, summed over topics."""
    return topic_scores(r, lambda groups: float(sum(met_count(group, group.within(pairs)) for group in groups)))


@metric(
    "Prefs",
    trec_eval="prefs_simp prefs_pair prefs_avgjg prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_simp_imp "
    "prefs_pair_imp prefs_avgjg_imp",
    variants={
        f"prefs_{name}{end}": each | pairs
        for name, each in (("simp", {}), ("pair", {"each": "pair"}), ("avgjg", {"each": "group"}))
        for end, pairs in (("", {}), ("_ret", {"pairs": "both"}), ("_imp", {"pairs": "any"}))
    },
    **TREC_EVAL,
    formula=r"\text{Prefs} = \frac{\sum_{a \succ b} [r_a < r_b]}{| \{ (a, b) : a \succ b \} |}",
)
def Prefs(r: Rankings, each: Each = "preference", pairs: Pairs = "all") -> Floats:
    """The share of preferences that the list meets."""

    def share_met(groups: list[RankedGroup]) -> float:
        parts = [(group, group.within(pairs)) for group in groups]
        if each == "pair":
            counts = np.sum([preferred for _, preferred in parts], axis=0)  # [p, p] preferences of i over j
            both = np.triu(counts + counts.T, 1)
            met = groups[0].met(counts)
            return ratio(float(np.divide(met, both, where=both > 0, out=np.zeros(both.shape)).sum()), (both > 0).sum())
        met_of = [(met_count(group, preferred), int(preferred.sum())) for group, preferred in parts]
        if each == "group":
            return sum(ratio(*one) for one in met_of) / len(groups)
        return ratio(*map(sum, zip(*met_of, strict=True)))

    return topic_scores(r, share_met)


@metric(
    "PrefsRnonrel", trec_eval="prefs_avgjg_Rnonrel prefs_avgjg_Rnonrel_ret",
    variants={"prefs_avgjg_Rnonrel_ret": {"pairs": "both"}}, **TREC_EVAL,
    formula=r"\text{PrefsRnonrel} = \frac{1}{|u|} \sum_{u} \frac{\sum_{a \succ_u b} [r_a < r_b] + \max(0, R_u - N_u) "
    r"\, F_u}{| \{ (a, b) : a \succ_u b \} | + \max(0, R_u - N_u) \, R_u}",
)  # fmt: skip
def PrefsRnonrel(r: Rankings, pairs: PairsOfResults = "all") -> Floats:
    """The share of preferences that the list meets in a group with as many nonrelevant documents as relevant ones.

    Averaged over groups; 0 if one of them has no preferences. As in trec_eval: missing nonrelevant documents (level 0)
    count as ranked last; of too many, the first ones count, and in a group without subgroups every document that it
    lists counts as preferred to each of them.
    """

    def mean_share(groups: list[RankedGroup]) -> float:
        shares = [balanced_share(group, pairs) for group in groups]
        return float(np.mean(shares)) if np.isfinite(shares).all() else 0.0

    return topic_scores(r, mean_share)


def balanced_share(group: RankedGroup, scope: str) -> float:
    """The share of a group's preferences that the list meets, with R nonrelevant documents; NaN if there are none."""
    last = group.retrieved if scope == "both" else len(group.level)
    relevant, nonrelevant = group.level > 0, group.level == 0
    R, N = int(relevant[:last].sum()), int(nonrelevant[:last].sum())
    preferred, extra_met, extra = group.within(scope), 0, 0
    if R >= N:
        extra_met, extra = (R - N) * int(relevant[: group.retrieved].sum()), (R - N) * int(relevant.sum())
    elif group.has_subgroups:
        left_out = nonrelevant & (nonrelevant.cumsum() > relevant.sum())
        preferred = preferred & ~(left_out[:, None] | left_out)
    else:
        counted = np.arange(len(group.level)) < last
        kept = nonrelevant & counted & (nonrelevant.cumsum() <= R)
        listed = ~np.isnan(group.level) & counted
        preferred = np.where(nonrelevant, listed[:, None] & kept, preferred)
    possible = int(preferred.sum()) + extra
    return (met_count(group, preferred) + extra_met) / possible if possible else np.nan
