"""Input and outcome of the paired tests: scores on the same topics, pairs of systems, and what counts as a tie."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.parallel import check_cancelled
from irassay.stats.draws import ELEMENTS, slices

MAX_PAIRS = 20_000_000  # pairs of systems in a comparison
PANEL_COLUMNS = 32  # columns in a product: handing small ones to threads costs more than computing them
MAX_EXPONENT = 200  # scores beyond 2^±this are scaled, so that their squares neither vanish nor overflow
MAX_OFFSET = 2.0**20  # how far from 0 scores may be, in multiples of their range
CANCELLATION = 1e-3  # below this share of the systems' own variation, a difference of two sums has lost digits

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores of K systems on T topics by one or more metrics, the pairs to compare, and the direction of the test."""

    values: Floats  # [metric, topic, system] in units of 2^exponent
    i: Ints  # [pair]
    j: Ints  # [pair]
    baseline: int | None
    noise: float
    exponent: Ints  # [metric] 0 except for scores near the largest or smallest doubles
    offset: Floats  # [metric] subtracted from the values, in units of 2^exponent; 0 except for scores far from 0
    by_name: Ints  # [system] the systems in the order of their names, for resamples of systems
    alternative: Alternative = "two-sided"  # of system i minus system j
    united: bool = False  # all metrics are one family

    @property
    def metrics(self) -> int:
        """The number of metrics."""
        return self.values.shape[0]

    @property
    def topics(self) -> int:
        """The number of topics."""
        return self.values.shape[1]

    @property
    def systems(self) -> int:
        """The number of systems."""
        return self.values.shape[2]

    @property
    def sides(self) -> int:
        """The number of tails in p."""
        return 2 if self.alternative == "two-sided" else 1

    def in_units(self, x: Floats) -> Floats:
        """[metric, ...] in the metrics' own units."""
        return np.ldexp(x, self.exponent.reshape(-1, *[1] * (x.ndim - 1)))

    def extent(self, x: Floats, out: Floats | None = None) -> Floats:
        """x, of system i minus system j, in the direction of the alternative: |x|, x, or -x."""
        if self.alternative == "two-sided":
            return np.abs(x, out=out)
        return np.positive(x, out=out) if self.alternative == "greater" else np.negative(x, out=out)

    @cached_property
    def span(self) -> Floats:
        """[metric] the range of the scores."""
        return np.ptp(self.values, axis=(1, 2))

    @cached_property
    def mean(self) -> Floats:
        """[metric, system] the mean of the values over topics."""
        return self.values.mean(axis=1)

    @property
    def mean_score(self) -> Floats:
        """[metric, system] the mean score over topics, in the metrics' own units."""
        return self.in_units(self.mean + self.offset[:, None])

    @cached_property
    def difference(self) -> Floats:
        """[metric, pair] the mean of system i minus that of system j; ties are exactly 0."""
        gap = self.mean[:, self.i] - self.mean[:, self.j]
        return np.where(np.abs(gap) <= self.noise * self.span[:, None], 0.0, gap)

    @cached_property
    def squares(self) -> Floats:
        """[metric, pair] the squared deviations of the differences from their mean, summed over topics."""
        return np.stack([self._squares(metric) for metric in range(self.metrics)])

    @cached_property
    def error(self) -> Floats:
        """[metric, pair] the standard error of the mean difference."""
        return np.sqrt(self.squares / (self.topics * (self.topics - 1)))

    @cached_property
    def t(self) -> Floats:
        """[metric, pair] Student's t; infinite where every topic has the same difference other than 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.difference == 0, 0.0, self.difference / self.error)

    @cached_property
    def skewness(self) -> Floats:
        """[metric, pair] the sample skewness of the differences; 0 where they have no spread."""
        skewness = np.empty(self.difference.shape)
        for metric, pairs in self.chunks():
            check_cancelled()
            gap = self.differences(metric, pairs)
            gap -= gap.mean(axis=1, keepdims=True)
            second, third = (np.mean(gap**power, axis=1) for power in (2, 3))
            spread = self.squares[metric, pairs] > 0
            skewness[metric, pairs] = np.where(spread, third / np.where(spread, second, 1.0) ** 1.5, 0.0)
        return skewness

    @cached_property
    def constant(self) -> Bools:
        """[metric, pair] true where every topic has the same difference other than 0."""
        return (self.squares == 0) & (self.difference != 0)

    def with_sign_flip_p(self, p: Floats) -> Floats:
        """[metric, pair] the p-values; where differences have no spread, p of flipping their signs."""
        smallest = 2.0 ** -float(self.topics + 1 - self.sides)
        return np.where(self.squares > 0, p, np.where(self.extent(self.difference) > 0, smallest, 1.0))

    def extents(self, sums: Floats) -> Iterator[tuple[int, slice, Floats]]:
        """Each metric, the pairs of one system after another, as a slice, and their extents [pair, trial].

        `sums` are [metric and system, trial]. All extents share one array, so they are valid until the next ones.
        """
        room = np.empty((self.systems, sums.shape[1]))
        steps: list[tuple[slice, Any, Any]] = [(slice(0, len(self.i)), self.i, self.baseline)]
        if self.baseline is None:  # each system with all later ones
            starts = np.searchsorted(self.i, np.arange(self.systems)).tolist()
            steps = [(slice(*ends), s, slice(s + 1, None)) for s, ends in enumerate(pairwise(starts))]
        for metric, own in enumerate(sums.reshape(self.metrics, self.systems, -1)):
            check_cancelled()
            for pairs, first, second in steps:
                gap = np.subtract(own[first], own[second], out=room[: pairs.stop - pairs.start])
                yield metric, pairs, self.extent(gap, gap)

    def differences(self, metric: int, pairs: slice | Ints) -> Floats:
        """[pair, topic] system i minus system j, rounded so that equal differences are equal numbers.

        The grid is a power of two, at least twice the noise: a decimal score never falls half-way between two of its
        points, and sums of points are exact.
        """
        rows = np.ascontiguousarray(self.values[metric].T)  # [system, topic]
        gap = rows[self.i[pairs]] - rows[self.j[pairs]]
        return rounded_to_grid(gap, self.grid(metric))

    def grid(self, metric: int) -> float:
        """The step to which differences are rounded; 0 if they are not."""
        noise = self.noise * self.span[metric]
        return 2.0 ** math.ceil(math.log2(2 * noise)) if noise > 0 else 0.0

    def chunks(self) -> list[tuple[int, slice]]:
        """Every metric with slices of its pairs, each small enough to hold all differences at once."""
        return [(m, part) for m in range(self.metrics) for part in slices(len(self.i), ELEMENTS // self.topics)]

    def _squares(self, metric: int) -> Floats:
        """[pair] from one Gram matrix; where that would lose digits, from the pair's own differences."""
        check_cancelled()
        table, span = self.values[metric], self.span[metric]
        centred = table - table.mean(axis=1, keepdims=True)
        centred -= centred.mean(axis=0)
        panels = range(0, self.systems, PANEL_COLUMNS)
        gram = np.hstack([centred.T @ centred[:, at : at + PANEL_COLUMNS] for at in panels])  # [system, system]
        own = gram.diagonal()[self.i] + gram.diagonal()[self.j]
        squares = own - 2 * gram[self.i, self.j]
        close = np.flatnonzero(squares <= CANCELLATION * np.maximum(own, self.topics * CANCELLATION * span**2))
        for part in slices(len(close), ELEMENTS // self.topics):
            pairs = close[part]
            gap = table.T[self.i[pairs]] - table.T[self.j[pairs]]  # [pair, topic]
            gap -= gap.mean(axis=1, keepdims=True)
            spread = np.abs(gap).max(axis=1) > self.noise * span
            squares[pairs] = np.where(spread, np.einsum("pt,pt->p", gap, gap), 0.0)
        return squares


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a test for every metric and pair."""

    statistic: Floats  # [metric, pair]
    p: Floats  # [metric, pair]
    unit: Floats  # [metric, pair] critical value times this = smallest significant difference
    null: Floats | None = None  # [metric, trial] of a family test: the largest statistic of each resample, ascending
    trials: int = 0  # resamples drawn or enumerated; 0: a formula
    exact: bool = False  # enumerated, not drawn
    centred: Callable[[], Floats] | None = None  # [metric, trial] like null, of centred differences: for intervals


def rounded_to_grid(x: Floats, step: float) -> Floats:
    """The numbers, rounded in place to multiples of the step if it is above 0."""
    if step > 0:
        x /= step
        np.rint(x, out=x)
        x *= step
    return x


def sample(
    cube: Floats,
    baseline: int | None = None,
    noise: float = TIE,
    *,
    names: Sequence[str] | None = None,
    alternative: Alternative = "two-sided",
    united: bool = False,
) -> Sample:
    """The scores [system, topic, metric], checked, with all pairs of systems or those with a baseline.

    Pairs are ordered with i < j; with a baseline, j is the baseline, so that differences are "system minus baseline".
    Without names, the systems are in the order of their names.
    """
    cube = np.asarray(cube, dtype=np.float64)
    _check_scores(cube, baseline)
    systems = cube.shape[0]
    if baseline is None:
        i, j = np.triu_indices(systems, k=1)
    else:
        i = np.delete(np.arange(systems), baseline)
        j = np.full(systems - 1, baseline)
    values = np.ascontiguousarray(cube.transpose(2, 1, 0))
    exponent = np.frexp(np.abs(values).max(axis=(1, 2)))[1].astype(np.int64)
    exponent[np.abs(exponent) <= MAX_EXPONENT] = 0
    if exponent.any():
        values = np.ldexp(values, -exponent[:, None, None])
    low, high = values.min(axis=(1, 2)), values.max(axis=(1, 2))
    far = np.abs(low) > MAX_OFFSET * (high - low)  # sums would round differences away; the subtraction is exact
    offset = np.where(far, low, 0.0)
    if far.any():
        values = values - offset[:, None, None]
    by_name = np.arange(systems) if names is None else np.array(sorted(range(systems), key=lambda s: names[s]))
    pairs = i.astype(np.int64), j.astype(np.int64)
    return Sample(values, *pairs, baseline, noise, exponent, offset, by_name, alternative, united)


def _check_scores(cube: Floats, baseline: int | None) -> None:
    """Refuses scores [system, topic, metric] with too few systems or topics, holes, or too many pairs."""
    if cube.ndim != 3:
        raise InputError(f"Scores must have the axes [system, topic, metric]; found {cube.ndim} axes.")
    systems, topics, metrics = cube.shape
    if systems < 2:
        same = " (the same run given twice counts once)" if systems else ""
        text = f"A comparison needs at least two systems; found {systems}{same}. Give more runs."
        raise InputError(text, code="one-system")
    if topics < 2:
        fix = "Give runs and judgements with more topics in common."
        raise InputError(f"A paired test needs at least two topics that all systems share; found {topics}. {fix}")
    if metrics < 1:
        raise InputError("A comparison needs at least one metric; found none.")
    holes = int(np.count_nonzero(~np.isfinite(cube)))
    if holes:
        raise InputError(
            f"{holes} of {cube.size} scores are missing or not finite; a paired test needs every system on every "
            "topic. Keep only the topics that all systems share, or count missing scores as 0."
        )
    if baseline is not None and not 0 <= baseline < systems:
        raise InputError(f"The baseline is system {baseline}, but systems are numbered 0 to {systems - 1}.")
    if baseline is None and (number := systems * (systems - 1) // 2) > MAX_PAIRS:
        reason = f"{systems:,} systems have {number:,} pairs; the limit is {MAX_PAIRS:,}"
        raise InputError(f"{reason}. Give fewer systems, or compare all with one of them (", argument("baseline"), ").")
