"""How many topics it takes: where the variance of scores comes from, and the size of a new topic set."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.meta.keywords import Alpha, Teams
from irassay.method import method
from irassay.results import Result, Saved
from irassay.scores import Scores
from irassay.settings import Option, Usual
from irassay.stats.tests.anova_tukey import residual_variance


@dataclass(frozen=True)
class Components(Saved):
    """The variance of scores [topic, system], by where it comes from [bodoff2007]."""

    saved_as: ClassVar[str] = "components"

    system: float  # V_S
    topic: float  # V_T
    residual: float  # V_E: topics that suit one system more than another, and everything else
    systems: int
    topics: int

    def relative(self, topics: float | None = None) -> float:
        """E rho²: how well differences of means over so many topics discriminate the systems, 0 to 1."""
        return _ratio(self.system, self.residual / (topics or self.topics))

    def absolute(self, topics: float | None = None) -> float:
        """Phi: how well the means themselves over so many topics are determined, 0 to 1."""
        return _ratio(self.system, (self.topic + self.residual) / (topics or self.topics))

    def topics_for_relative(self, wanted: float) -> int:
        """How many topics give E rho² of at least `wanted`."""
        return _topics_for(wanted, self.system, self.residual)

    def topics_for_absolute(self, wanted: float) -> int:
        """How many topics give Phi of at least `wanted`."""
        return _topics_for(wanted, self.system, self.topic + self.residual)


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Result):
    """How many topics each metric needs to find a difference between two systems, by a paired t-test."""

    saved_as: ClassVar[str] = "plan"

    metrics: tuple[str, ...]
    components: tuple[Components, ...]  # [metric]
    difference: float
    alpha: float
    wanted: float  # the power asked for

    def topics(self) -> Ints:
        """[metric] how many topics find the difference with the power asked for."""
        return np.array([self._topics(c.residual) for c in self.components], dtype=np.int64)

    def _topics(self, residual: float) -> int:
        return topics_for_t(self.difference, residual, alpha=self.alpha, power=self.wanted) if residual > 0 else 2

    def power(self, alpha: float | None = None) -> Floats:
        """[metric] the probability that the topics there are find the difference."""
        level = self.alpha if alpha is None else alpha
        found = [
            power_of_t(c.topics, self.difference, c.residual, alpha=level) if c.residual > 0 else 1.0
            for c in self.components
        ]
        return np.array(found, dtype=np.float64)

    def standardised(self) -> Floats:
        """[metric] the difference in standard deviations of a difference."""
        found = [self.difference / np.sqrt(2 * c.residual) if c.residual > 0 else np.inf for c in self.components]
        return np.array(found, dtype=np.float64)

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and the topics they need, the fewest first."""
        topics = self.topics()
        return [(self.metrics[m], int(topics[m])) for m in np.argsort(topics, kind="stable")]


@method(
    "How many topics does it take to find a difference?",
    cite="sakai2016 bodoff2007",
    path="plan",
    examples=("irassay plan qrels.txt runs/ -m nDCG@10 --difference 0.03",),
)
def plan(
    scores: Annotated[Scores, Usual(("nDCG@10",))],
    *,
    difference: Annotated[float, Option("The difference to be seen.", least=0)] = 0.05,
    alpha: Alpha = 0.05,
    power: Annotated[float, Option("With this probability.")] = 0.8,
    groups: Annotated[
        Teams | Mapping[str, str] | None, "Team of each run (run team); cross-team pairs are then used."
    ] = None,
) -> Plan:
    """How many topics a comparison takes, by metric, given where the variance of these scores comes from."""
    if difference <= 0:
        raise InputError("A plan needs a difference to be seen; give one above 0 with --difference.")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise InputError(f"alpha and power must lie between 0 and 1; found {alpha:g} and {power:g}.")
    whole = scores.complete().oriented()
    team = None if groups is None else [groups.get(system, system) for system in whole.systems]
    found = tuple(components(whole.of(metric).T, team) for metric in whole.metrics)
    return Plan(whole.metrics, found, difference, alpha, power, notes=whole.notes)


def components(X: Floats, groups: Sequence[str] | None = None) -> Components:
    """The variance components of scores [topic, system]; negative estimates become 0.

    With `groups`, a team for each system, the residual variance comes from pairs of different teams only:
    runs of one team resemble each other and would make it too small.

    >>> components(np.array([[0.1, 0.3], [0.5, 0.8], [0.2, 0.4]])).residual.__round__(6)
    0.001667
    """
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or min(X.shape) < 2:
        raise InputError("Variance components need scores of at least two systems on at least two topics.")
    if not np.isfinite(X).all():
        raise InputError("Variance components need every system on every topic; some scores are missing.")
    topics, systems = X.shape
    residual = residual_variance(X)
    by_system = topics * X.mean(axis=0).var(ddof=1)
    by_topic = systems * X.mean(axis=1).var(ddof=1)
    return Components(
        system=max(0.0, float(by_system - residual) / topics),
        topic=max(0.0, float(by_topic - residual) / systems),
        residual=residual if groups is None else _across(X, groups),
        systems=systems,
        topics=topics,
    )


def topics_for_t(difference: float, residual: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """How many topics a paired t-test needs to find a true difference with the given power [sakai2016].

    The variance of a difference is taken to be twice the residual variance.

    >>> topics_for_t(0.1, 0.05)
    81
    """
    from scipy.special import ndtri

    effect = _effect(difference, residual, alpha, power)
    z = float(ndtri(1 - alpha / 2))
    start = ((z + float(ndtri(power))) / effect) ** 2 + z**2 / 2
    return _smallest(lambda n: power_of_t(n, difference, residual, alpha=alpha), power, start)


def power_of_t(topics: int, difference: float, residual: float, *, alpha: float = 0.05) -> float:
    """The probability that a paired t-test over so many topics finds a true difference.

    >>> round(power_of_t(81, 0.1, 0.05), 6)
    0.802829
    """
    from scipy.special import nctdtr, stdtrit

    shift = difference / math.sqrt(2 * residual) * math.sqrt(topics)
    critical = stdtrit(topics - 1, 1 - alpha / 2)
    # P(t < c | shift) = P(t > -c | -shift): the upper tail keeps its digits as a lower one
    return float(nctdtr(topics - 1, -shift, -critical) + nctdtr(topics - 1, shift, -critical))


def topics_for_anova(
    difference: float, residual: float, systems: int, *, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many topics a one-way analysis of variance needs when the two extreme systems differ by `difference`.

    The variance within a system is taken to be the residual variance [sakai2016].
    """
    _effect(difference, residual, alpha, power)
    if systems < 2:
        raise InputError(f"An analysis of variance needs at least two systems; found {systems}.")

    def reached(n: int) -> float:
        from scipy.special import fdtri, ncfdtr

        first, second = systems - 1, systems * (n - 1)
        shift = n * difference**2 / (2 * residual)
        return 1 - float(ncfdtr(first, second, shift, float(fdtri(first, second, 1 - alpha))))

    return _smallest(reached, power, residual / difference**2)


def topics_for_width(width: float, residual: float, *, alpha: float = 0.05) -> int:
    """How many topics make the expected confidence interval of a difference no wider than `width` [sakai2016].

    >>> topics_for_width(0.1, 0.05)
    156
    """
    _effect(width, residual, alpha, 0.5)

    def narrowness(n: int) -> float:
        from scipy.special import gammaln, stdtrit

        bias = math.sqrt(2 / (n - 1)) * math.exp(gammaln(n / 2) - gammaln((n - 1) / 2))  # c4: E(sd) / sigma
        return -float(stdtrit(n - 1, 1 - alpha / 2)) * bias * math.sqrt(2 * residual / n)

    return _smallest(narrowness, -width / 2, 2 * residual / width**2)


def _smallest(reached: Callable[[int], float], wanted: float, start: float) -> int:
    """The smallest n from 2 on with reached(n) >= wanted; reached grows with n."""
    high = max(2, math.ceil(start))
    while reached(high) < wanted:
        high *= 2
    low = 1  # too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= wanted else (middle, high)
    return high


def _effect(difference: float, residual: float, alpha: float, power: float) -> float:
    """The difference in standard deviations of a difference, after checking the request."""
    if not difference > 0:
        raise InputError(f"The difference to be found must be positive; found {difference:g}.")
    if not residual > 0:
        raise InputError(f"The residual variance must be positive; found {residual:g}. Are all scores equal?")
    if not (0 < alpha < 1 and 0 < power < 1):
        raise InputError(f"alpha and power must lie between 0 and 1; found {alpha:g} and {power:g}.")
    return difference / math.sqrt(2 * residual)


def _across(X: Floats, groups: Sequence[str]) -> float:
    """Half the mean variance of the differences between systems of different groups."""
    if len(groups) != X.shape[1]:
        raise InputError(f"There are {X.shape[1]} systems, but {len(groups)} groups were given.")
    _, group = np.unique(np.array(groups), return_inverse=True)
    i, j = np.triu_indices(X.shape[1], k=1)
    apart = group[i] != group[j]
    if not apart.any():
        raise InputError(f"All systems are of the group '{groups[0]}'; leave the groups out.")
    centred = X - X.mean(axis=0)
    gram = centred.T @ centred
    square = gram.diagonal()[i] + gram.diagonal()[j] - 2 * gram[i, j]
    return float(square[apart].mean() / (2 * (X.shape[0] - 1)))


def _ratio(signal: float, noise: float) -> float:
    """signal / (signal + noise), NaN where there is neither."""
    return signal / (signal + noise) if signal + noise > 0 else math.nan


def _topics_for(wanted: float, signal: float, noise: float) -> int:
    """The smallest n with signal / (signal + noise / n) >= wanted."""
    if not 0 < wanted < 1:
        raise InputError(f"A reliability must lie between 0 and 1; found {wanted:g}.")
    if signal == 0:
        raise InputError("The systems' means do not differ beyond chance, so no number of topics tells them apart.")
    return max(1, math.ceil(wanted / (1 - wanted) * noise / signal - 1e-9))
