"""How one other set of judgements changes rankings, mean scores and significant differences."""

from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Floats, Signs
from irassay.meta.agreement import outcome_counts, signed_decisions
from irassay.meta.complete_scores import ROUNDING_SHARE, CompleteScores, complete_scores
from irassay.stats.compare_correlations import midranks
from irassay.stats.correlation import tau_ap
from irassay.stats.jackknife import halved_means, jackknife_error
from irassay.stats.paired_test import PairedTest
from irassay.stats.rank_codes import rank_codes, taus

if TYPE_CHECKING:
    from irassay.meta.robustness.rejudged_scores import RejudgedScores

TOP_SYSTEMS = 10  # systems whose fall is also reported separately


def case_measures(
    case: "RejudgedScores", shared: tuple[PairedTest, float, CompleteScores, Signs, Floats]
) -> dict[str, Any]:
    """The measures of one case, each [metric], given the scores and decisions under the reference judgements.

    The last of `shared` is the sign of each metric: -1 where lower is better.
    """
    test, alpha, reference, decisions, sign = shared
    scores = reference.scores
    altered = complete_scores(case.scores.select(scores.systems, scores.keys, scores.metrics), "Robustness")
    tests, p = test.run(altered.values, names=altered.scores.systems)
    counts = outcome_counts(decisions, signed_decisions(tests.difference, p, alpha))  # [metric, metric]
    return {
        "tau_error": _tau_error(reference, altered, test.seed) if case.kind == "other" else np.full(len(sign), np.nan),
        **_ranking_changes(reference, altered, [scores.systems.index(name) for name in case.own]),
        **_score_changes(reference.means * sign, altered.means * sign),
        **{name: count.diagonal() for name, count in counts.items()},
    }


def _ranking_changes(reference: CompleteScores, altered: CompleteScores, own: list[int]) -> dict[str, Any]:
    """How the ranking of the systems changed: measures [metric]."""
    codes = [rank_codes(each.means.T, each.noise) for each in (reference, altered)]  # [metric, system]
    ranks = [midranks(-each) for each in codes]  # [metric, system] 1 is best
    fall = ranks[1] - ranks[0]
    top = np.where(ranks[0] <= TOP_SYSTEMS, fall, -np.inf).max(axis=1)
    ranked = np.all([np.ptp(each, axis=1) > 0 for each in codes], axis=0)
    by_tau_ap = np.full(len(fall), np.nan)
    if ranked.any():
        by_tau_ap[ranked] = tau_ap(*(each[ranked].astype(np.float64) for each in codes), ties="b")
    return {
        "tau": taus(*codes),
        "tau_ap": by_tau_ap,
        "fall": fall.max(axis=1),
        "fallen": fall.argmax(axis=1),
        "fall_top": np.where(np.isinf(top), np.nan, top),
        "own_fall": fall[:, own].max(axis=1) if own else np.full(len(fall), np.nan),
    }


def _tau_error(reference: CompleteScores, altered: CompleteScores, seed: int) -> Floats:
    """[metric] the standard error of tau over topics, by the delete-d jackknife [shao1989]."""
    systems, topics, metrics = reference.values.shape
    halves = halved_means(seed, reference.values, altered.values)
    codes = [
        rank_codes(means.reshape(-1, systems), np.tile(each.noise, len(means)))
        for means, each in zip(halves, (reference, altered), strict=True)
    ]
    return jackknife_error(taus(*codes).reshape(-1, metrics), topics, topics // 2)


def _score_changes(reference: Floats, altered: Floats) -> dict[str, Any]:
    """How the mean scores [system, metric] changed: on average, and in relation to the system's score."""
    change = altered - reference
    scale = np.maximum(np.abs(reference).max(axis=0), np.abs(altered).max(axis=0))
    change = np.where(np.abs(change) <= ROUNDING_SHARE * scale, 0.0, change)  # the same sum, added in another order
    bias, mean = change.mean(axis=0), reference.mean(axis=0)
    bias = np.where(np.abs(bias) <= ROUNDING_SHARE * scale, 0.0, bias)
    centred = reference - mean
    spread = (centred**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "bias": bias,
            "relative_bias": np.where(mean == 0, np.nan, bias / mean),
            "slope": np.where(spread == 0, np.nan, (centred * change).sum(axis=0) / spread),
        }
