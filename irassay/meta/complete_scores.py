"""Scores made ready for methods that need every system on every topic: what was left out, and what is constant."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.scores import Scores

ROUNDING_SHARE = 1e-12  # scores that differ by less than this share of themselves are one number, computed in several ways


@dataclass(frozen=True, eq=False)
class CompleteScores:
    """Scores without holes, of which more is always better."""

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
        """[metric] the largest difference of means that is a tie; infinite where all scores are one number."""
        noise = self.scores.noise()
        return np.where(noise > 0, noise, np.inf)


SMALLEST_ALPHA = 1e-15  # level of significance, below which quantiles are rounding


def checked_alpha(alpha: float) -> float:
    """A level of significance, refused unless it lies between 0 and 1."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha lies between 0 and 1; found {alpha:g}.")
    if alpha < SMALLEST_ALPHA:
        raise InputError(f"{argument('alpha', alpha)} is too small for doubles; give {SMALLEST_ALPHA:g} or more.")
    return alpha


def best_first(names: Sequence[str], values: NDArray[Any]) -> list[tuple[str, Any]]:
    """The names with their values, the largest first; equal ones in the order given, NaN last.

    >>> best_first(("AP", "RR", "P@10"), np.array([0.2, np.nan, 0.3]))
    [('P@10', 0.3), ('AP', 0.2), ('RR', nan)]
    """
    return [(names[n], values[n].item()) for n in np.argsort(-values, kind="stable")]


def mean_of_known(values: Floats) -> Floats:
    """The mean over the first axis of what is a number; NaN where nothing is."""
    known = np.count_nonzero(~np.isnan(values), axis=0)
    with np.errstate(invalid="ignore"):
        return np.nansum(values, axis=0) / known


def complete_scores(scores: Scores, purpose: str, systems: int = 2, topics: int = 2) -> CompleteScores:
    """The scores on the topics that every system has, costs negated; `purpose` opens the sentence of refusal.

    >>> complete_scores(Scores(np.zeros((2, 3, 1)), ("A", "B"), ("1", "2", "3"), ("AP",)), "Similarity").constant
    array([ True])
    """
    whole = scores.complete()
    if not scores.metrics:
        raise InputError(f"{purpose} needs at least one metric, and there is none; name some.")
    if len(scores.systems) < systems:
        raise InputError(f"{purpose} needs at least {systems} systems; found {len(scores.systems)}. Give more runs.")
    if len(whole.topics) < topics:
        raise InputError(
            f"{purpose} needs at least {topics} topics that every system has under every metric; found "
            f"{len(whole.topics)} of {len(scores.topics)}. {_advice(scores)}"
        )
    values = _settled(whole.oriented().values)
    settled = replace(whole.oriented(), values=values)
    means = values.mean(axis=1)
    constant = np.asarray(np.ptp(means, axis=0) <= settled.noise(), dtype=np.bool_)
    return CompleteScores(settled, constant, (*whole.notes, *_said(settled, constant)))


def _settled(values: Floats) -> Floats:
    """The scores, a metric that is constant up to rounding made exactly so."""
    high, low = values.max(axis=(0, 1)), values.min(axis=(0, 1))
    flat = high - low <= ROUNDING_SHARE * np.maximum(np.abs(high), np.abs(low))
    return np.where(flat, high, values)


def _said(scores: Scores, constant: Bools) -> list[str]:
    said: list[str] = []
    if constant.any():
        names = [metric for metric, flat in zip(scores.metrics, constant, strict=True) if flat]
        note = "Constant, every system having the same mean, so that it ranks nothing: {metrics}."
        said.append(Note(note, metrics=names))
    alike = len(scores.systems) - len(np.unique(scores.values.reshape(len(scores.systems), -1), axis=0))
    if alike:
        verb = "has" if alike == 1 else "have"
        said.append(f"{alike} of {len(scores.systems)} systems {verb} the same scores as another one on every topic.")
    return said


def _advice(scores: Scores) -> str:
    apart = _without_a_metric(scores)
    if apart:
        collection, metric = apart
        return (
            f"Collection {collection} has no score of {metric}, as another one has. NAME= names a collection: tables "
            "of the same topics are given without it, and collections need the same metrics."
        )
    holes = np.isnan(scores.values).any(axis=2).sum(axis=1)  # [system]
    worst = int(np.argmax(holes))
    if not holes[worst]:
        return "Give more topics."
    return (
        f"{scores.systems[worst]} lacks the most, {count_phrase(int(holes[worst]), 'topic')}; leave it out. What a run does "
        f"not answer counts as 0 with {argument('missing', 'zero')}, but a hole in a table of scores stays one."
    )


def _without_a_metric(scores: Scores) -> tuple[str, str] | None:
    """A collection and a metric that it has no score of, though another one has."""
    known = np.any(~np.isnan(scores.values), axis=0)  # [topic, metric]
    for name in dict.fromkeys(scores.collection):
        inside = np.array([each == name for each in scores.collection])
        lacks = known[~inside].any(axis=0) & ~known[inside].any(axis=0)
        if lacks.any():
            return name, scores.metrics[int(np.argmax(lacks))]
    return None
