"""Variance components of scores: systems, topics, and the residual."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irassay.arrays import TIE, Floats
from irassay.errors import InputError
from irassay.prose import count_phrase
from irassay.saving import Saved
from irassay.stats.tests.anova_tukey import residual_variance


@dataclass(frozen=True)
class Components(Saved):
    """The variance of scores [topic, system] due to systems, topics and the residual [bodoff2007]."""

    saved_as: ClassVar[str] = "components"

    system: float  # V_S
    topic: float  # V_T
    residual: float  # V_E: interaction of topics with systems, and everything else
    systems: int
    topics: int

    def relative(self, topics: float | None = None) -> float:
        """E rho²: the reliability of differences of means over this many topics, 0 to 1."""
        return _ratio(self.system, self.residual / (topics or self.topics))

    def absolute(self, topics: float | None = None) -> float:
        """Phi: the reliability of the means themselves over this many topics, 0 to 1."""
        return _ratio(self.system, (self.topic + self.residual) / (topics or self.topics))

    def topics_for_relative(self, wanted: float) -> int:
        """How many topics give E rho² of at least `wanted`."""
        return _topics_for(wanted, self.system, self.residual)

    def topics_for_absolute(self, wanted: float) -> int:
        """How many topics give Phi of at least `wanted`."""
        return _topics_for(wanted, self.system, self.topic + self.residual)


def variance_components(X: Floats, groups: Sequence[str] | None = None) -> Components:
    """The variance components of scores [topic, system]; negative estimates become 0.

    With `groups`, a team for each system, the residual variance comes from pairs of different teams only: runs of one
    team resemble each other and would make it too small.

    >>> variance_components(np.array([[0.1, 0.3], [0.5, 0.8], [0.2, 0.4]])).residual.__round__(6)
    0.001667
    """
    X = np.asarray(X, dtype=np.float64)
    topics, systems = X.shape
    if min(X.shape) < 2:
        needs = "Variance components need at least two systems on at least two topics"
        found = f"{count_phrase(systems, 'system')} on {count_phrase(topics, 'topic')}"
        raise InputError(f"{needs}; found {found}. Give more {'topics' if topics < 2 else 'runs'}.")
    if not np.isfinite(X).all():
        raise InputError("Variance components need every system on every topic, but some scores are missing.")
    residual = residual_variance(X)
    if residual <= (TIE * np.abs(X).max()) ** 2:  # rounding
        residual = 0.0
    by_system = topics * X.mean(axis=0).var(ddof=1)
    by_topic = systems * X.mean(axis=1).var(ddof=1)
    system, topic = max(0.0, float(by_system - residual) / topics), max(0.0, float(by_topic - residual) / systems)
    return Components(system, topic, residual if groups is None else _across(X, groups), systems, topics)


def _across(X: Floats, groups: Sequence[str]) -> float:
    """Half the mean variance of the differences between systems of different groups."""
    if len(groups) != X.shape[1]:
        raise InputError(f"There are {X.shape[1]} systems, but {len(groups)} groups; give one for each system.")
    _, group = np.unique(np.array(groups), return_inverse=True)
    i, j = np.triu_indices(X.shape[1], k=1)
    is_across = group[i] != group[j]
    if not is_across.any():
        raise InputError(f"All systems are of the group '{groups[0]}'; leave out the groups.")
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    square = gram.diagonal()[i] + gram.diagonal()[j] - 2 * gram[i, j]
    return float(square[is_across].mean() / (2 * (X.shape[0] - 1)))


def _ratio(signal: float, noise: float) -> float:
    """signal / (signal + noise); NaN if both are 0."""
    return signal / (signal + noise) if signal + noise > 0 else math.nan


def _topics_for(wanted: float, signal: float, noise: float) -> int:
    """The smallest n with signal / (signal + noise / n) >= wanted."""
    if not 0 < wanted < 1:
        raise InputError(f"A reliability must lie between 0 and 1; found {wanted:g}.")
    if signal == 0:
        raise InputError("System means do not differ more than by chance, so no number of topics separates them.")
    return max(1, math.ceil(wanted / (1 - wanted) * noise / signal - 1e-9))
