"""A judged topic that a run does not answer: which topics are scored, and what an unanswered one scores.

`zero`: it scores 0, or what the metric gives to an empty list, or nothing where 0 is not the worst. `skip`: it is left
out. `error`: it is refused. All that is decided here and nowhere else.
"""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.judging.policy import Missing
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings


def are_refused(answered: Bools, missing: Missing) -> bool:
    """Whether some topic is not answered, and that is an error."""
    return missing == "error" and not bool(answered.all())


def scored_topics(answered: Bools, missing: Missing) -> Ints:
    """The numbers of the topics that are scored, given which ones [topic] are answered.

    >>> scored_topics(np.array([True, False]), "zero"), scored_topics(np.array([True, False]), "skip")
    (array([0, 1]), array([0]))
    """
    return np.flatnonzero(answered | (missing != "skip"))


def unanswered_rows(r: Rankings) -> Bools:
    """[n] which rows are topics that the run does not answer."""
    return r.turns == 0 if "turns" in r.carries else r.retrieved == 0


def worst_is_zero(metric: Metric) -> bool:
    """Whether nothing is worse than 0."""
    return metric.meaning.higher_is_better and metric.range[1] > 0


def scores_with_unanswered(r: Rankings, scores: Floats, metrics: Sequence[Metric], missing: Missing) -> Floats:
    """[n, column] the scores of a batch, those of unanswered topics by the rule; columns come metric by metric."""
    unanswered = unanswered_rows(r)
    if not unanswered.any():
        return scores
    zero, times = missing == "zero", scores.shape[1] // len(metrics)
    kept = np.repeat([zero and m.meaning.scores_empty for m in metrics], times)
    instead = np.repeat([0.0 if zero and worst_is_zero(m) else np.nan for m in metrics], times)
    scores[unanswered] = np.where(kept, scores[unanswered], instead)
    return scores
