"""Scores for methods that need every system on every topic, with notes on what was left out and what is constant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.meta.shared_options import SMALLEST_ALPHA
from irassay.notes import Note
from irassay.prose import count_phrase, name_list
from irassay.scores import Scores

MAX_NAMED_SYSTEMS, MAX_NAMED_GROUPS = 3, 3  # in the note on equal scores: of each group, and in all
ROUNDING_SHARE = 1e-12  # scores that differ by less than this share of themselves are equal


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """Scores without holes, costs negated so that higher is always better."""

    scores: Scores
    constant: Bools  # [metric] every system has the same mean, so there is no ranking
    notes: tuple[str, ...]

    @property
    def values(self) -> Floats:
        """[system, topic, metric] the scores."""
        return self.scores.values

    @property
    def means(self) -> Floats:
        """[system, metric] the mean over topics."""
        return self.values.mean(axis=1)

    @property
    def noise(self) -> Floats:
        """[metric] the largest difference of means that is a tie; infinite if all scores are equal."""
        noise = self.scores.noise()
        return np.where(noise > 0, noise, np.inf)


def checked_alpha(alpha: float) -> float:
    """The level of significance; InputError unless it lies between 0 and 1."""
    if not 0 < alpha < 1:
        raise InputError(argument("alpha"), f" must lie between 0 and 1; found {alpha:g}.", argument="alpha")
    if alpha < SMALLEST_ALPHA:
        raise InputError(argument("alpha", alpha), f" is too small for doubles; give {SMALLEST_ALPHA:g} or more.")
    return alpha


def best_first(names: Sequence[str], values: NDArray[Any]) -> list[tuple[str, Any]]:
    """The names with their values, the largest first; equal ones in the order given, NaN last.

    >>> best_first(("AP", "RR", "P@10"), np.array([0.2, np.nan, 0.3]))
    [('P@10', 0.3), ('AP', 0.2), ('RR', nan)]
    """
    return [(names[n], values[n].item()) for n in np.argsort(-values, kind="stable")]


def mean_of_known(values: Floats) -> Floats:
    """The mean over the first axis, leaving out NaN; NaN if nothing is left."""
    known = np.count_nonzero(~np.isnan(values), axis=0)
    with np.errstate(invalid="ignore"):
        return np.nansum(values, axis=0) / known


def complete_scores(scores: Scores, purpose: str, systems: int = 2, topics: int = 2) -> CompleteScores:
    """The scores on the topics that every system has, costs negated; `purpose` begins the sentence of an error.

    Topics are in the order of their names, so that the order in which they are given changes nothing that is drawn.

    >>> complete_scores(Scores(np.zeros((2, 3, 1)), ("A", "B"), ("1", "2", "3"), ("AP",)), "Similarity").constant
    array([ True])
    """
    complete = scores.complete().with_sorted_topics()
    if not scores.metrics:
        raise InputError(f"{purpose} needs at least one metric; name one.")
    if len(scores.systems) < systems:
        raise InputError(f"{purpose} needs at least {systems} systems; found {len(scores.systems)}. Give more runs.")
    if len(complete.topics) < topics:
        count = f"found {len(complete.topics)} of {len(scores.topics)}. {_advice(scores)}"
        raise InputError(f"{purpose} needs at least {topics} topics that every system has under every metric; {count}")
    oriented = complete.oriented()
    high, low = oriented.values.max(axis=(0, 1)), oriented.values.min(axis=(0, 1))
    is_flat = high - low <= ROUNDING_SHARE * np.maximum(np.abs(high), np.abs(low))  # constant up to rounding
    exact = replace(oriented, values=np.where(is_flat, high, oriented.values))
    constant = np.asarray(np.ptp(exact.values.mean(axis=1), axis=0) <= exact.noise(), dtype=np.bool_)
    return CompleteScores(exact, constant, (*complete.notes, *_notes(exact, constant)))


def _notes(scores: Scores, constant: Bools) -> list[str]:
    """Notes on constant metrics and on systems with the same scores."""
    notes: list[str] = []
    if constant.any():
        names = np.array(scores.metrics)[constant].tolist()
        notes.append(Note("Constant, because every system has the same mean: {metrics}.", metrics=names))
    return [*notes, *same_score_notes(scores)]


def aggregate_notes(metric: str, over_topics: str) -> list[Note]:
    """A note that arithmetic means are compared, if the metric is another aggregate over topics.

    >>> aggregate_notes("GMAP", "geometric")
    ['GMAP is a geometric mean over topics; here arithmetic means are compared']
    """
    if over_topics == "mean":
        return []
    kind = "geometric mean" if over_topics == "geometric" else over_topics
    text = f"{{metrics}} is a {kind} over topics; here arithmetic means are compared"
    return [Note(text, metrics=[metric], caveat=True)]


def same_score_notes(scores: Scores) -> list[str]:
    """A note on systems that have the same scores on every topic by every metric, such as one run under two names.

    >>> same_score_notes(Scores(np.array([[[1.0]], [[2.0]], [[1.0]]]), ("A", "B", "C"), ("1",), ("AP",)))
    ['A and C have the same scores on every topic.']
    """
    systems = len(scores.systems)
    group = np.unique(scores.values.reshape(systems, -1), axis=0, return_inverse=True)[1].reshape(-1)
    same = [np.flatnonzero(group == g) for g in np.flatnonzero(np.bincount(group) > 1)]
    if not same:
        return []
    where = "on every topic" if len(scores.metrics) == 1 else "on every topic by every metric"
    groups = sorted(same, key=lambda each: each[0])
    names = [name_list([scores.systems[s] for s in each], MAX_NAMED_SYSTEMS) for each in groups]
    if len(names) == 1:
        return [f"{names[0]} have the same scores {where}."]
    count = f"{sum(map(len, same))} of {systems} systems have the same scores as another {where}"
    more = f"; and {len(names) - MAX_NAMED_GROUPS} more groups" if len(names) > MAX_NAMED_GROUPS else ""
    return [f"{count}: {'; '.join(names[:MAX_NAMED_GROUPS])}{more}."]


def _advice(scores: Scores) -> str:
    """How to get more topics that every system has."""
    if gap := _missing_metric(scores):
        reason = f"Collection {gap[0]} has no scores for {gap[1]}, but another collection has"
        fix = "leave it out for tables of the same topics; collections need the same metrics"
        return f"{reason}. NAME= names a collection: {fix}."
    holes = np.isnan(scores.values).any(axis=2).sum(axis=1)  # [system]
    worst = int(np.argmax(holes))
    if not holes[worst]:
        return "Give more topics."
    topics = count_phrase(int(holes[worst]), "topic")
    hint = f"With {argument('missing', 'zero')} a topic that a run does not answer counts as 0"
    return f"{scores.systems[worst]} lacks the most ({topics}); leave it out. {hint}, but not in a score table."


def _missing_metric(scores: Scores) -> tuple[str, str] | None:
    """A collection and a metric without scores in it that has scores in another collection."""
    has_score = np.any(~np.isnan(scores.values), axis=0)  # [topic, metric]
    for name in dict.fromkeys(scores.collection):
        inside = np.array(scores.collection) == name
        is_missing = has_score[~inside].any(axis=0) & ~has_score[inside].any(axis=0)
        if is_missing.any():
            return name, scores.metrics[int(np.argmax(is_missing))]
    return None
