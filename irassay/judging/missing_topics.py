"""Judged topics that a run does not answer: which topics are scored, and the score of an unanswered one.

`zero`: it scores 0, or the metric's score of an empty list, or is left out if 0 is not the worst score. `skip`: it is
left out. `error`: it is an error. These rules are here and nowhere else. They are for scores: bounds of an unanswered
topic are those of an empty list whose places up to the cutoff are unjudged.
"""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.policy import Missing
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings


def refuses_unanswered(answered: Bools, missing: Missing) -> bool:
    """Whether an unanswered topic is an error, and there is one."""
    return missing == "error" and not bool(answered.all())


def scored_topics(answered: Bools, missing: Missing) -> Ints:
    """The numbers of the scored topics, given which topics [topic] are answered.

    >>> scored_topics(np.array([True, False]), "zero"), scored_topics(np.array([True, False]), "skip")
    (array([0, 1]), array([0]))
    """
    return np.flatnonzero(answered | (missing != "skip"))


def unanswered_rows(r: Rankings) -> Bools:
    """[n] whether a row is a topic that the run does not answer."""
    return r.turns == 0 if "turns" in r.carries else r.retrieved == 0


def worst_is_zero(metric: Metric) -> bool:
    """Whether no score is worse than 0."""
    return metric.meaning.higher_is_better and metric.range[1] > 0


def scores_with_unanswered(
    r: Rankings, scores: Floats, metrics: Sequence[Metric], missing: Missing, bounds: bool = False
) -> Floats:
    """[n, column] the scores of a batch, those of unanswered topics set by the rule; columns are ordered by metric.

    With `bounds`, which have three columns per metric, what a topic counts as is no bound: the best case is that all
    places of its list are filled with results of the top grade. Without a limit it has no bounds.
    """
    unanswered = unanswered_rows(r)
    if not unanswered.any():
        return scores
    zero, times = missing == "zero", scores.shape[1] // len(metrics)
    filled = scores[unanswered].copy()
    kept = np.repeat([zero and m.meaning.scores_empty for m in metrics], times)
    instead = np.repeat([0.0 if zero and worst_is_zero(m) else np.nan for m in metrics], times)
    scores[unanswered] = np.where(kept, scores[unanswered], instead)
    for m, metric in enumerate(metrics if bounds and zero else ()):
        if worst_is_zero(metric) and not metric.meaning.scores_empty:
            best = metric.best_unanswered(r[np.flatnonzero(unanswered)], filled[:, times * m + 2])
            scores[unanswered, times * m + 1] = np.where(np.isnan(best), np.nan, 0.0)
            scores[unanswered, times * m + 2] = best
    return scores
