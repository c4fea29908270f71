"""What the paired tests work on: scores on the same topics, the pairs of systems, and what a tie is."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.errors import InputError, argument

ELEMENTS = 1 << 21  # numbers in one temporary array: 16 MB
MAX_PAIRS = 20_000_000  # of systems that are compared
PANEL_COLUMNS = 32  # columns in a product: handing small ones to threads costs more than computing them
MAX_EXPONENT = 200  # a metric whose largest score lies beyond 2^±LARGE is scaled, so that squares neither vanish nor overflow
MAX_OFFSET = 2.0**20  # times their range that scores may lie from 0
CANCELLATION = 1e-3  # below this share of the systems' own variation, a difference of two sums has lost digits

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores of K systems on T topics by one or more metrics, the pairs to be compared, and what is asked of them."""

    values: Floats  # [metric, topic, system] in units of 2^exponent
    i: Ints  # [pair]
    j: Ints  # [pair]
    baseline: int | None
    noise: float
    exponent: Ints  # [metric] 0 but for scores next to the largest or smallest numbers there are
    by_name: Ints  # [system] the systems in the order of their names, which resamples of systems go by
    alternative: Alternative = "two-sided"  # what is asked of system i less system j
    united: bool = False  # all metrics are one family

    @property
    def metrics(self) -> int:
        """How many metrics there are."""
        return self.values.shape[0]

    @property
    def topics(self) -> int:
        """How many topics there are."""
        return self.values.shape[1]

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return self.values.shape[2]

    @property
    def sides(self) -> int:
        """How many tails of a symmetric distribution p is made of."""
        return 2 if self.alternative == "two-sided" else 1

    def in_units(self, x: Floats) -> Floats:
        """[metric, ...] as the metrics count."""
        return np.ldexp(x, self.exponent.reshape(-1, *[1] * (x.ndim - 1)))

    def extent(self, x: Floats, out: Floats | None = None) -> Floats:
        """How far x, of system i less system j, lies towards the alternative: |x|, x, or -x."""
        if self.alternative == "two-sided":
            return np.abs(x, out=out)
        return np.positive(x, out=out) if self.alternative == "greater" else np.negative(x, out=out)

    @cached_property
    def span(self) -> Floats:
        """[metric] the range of the scores."""
        return np.ptp(self.values, axis=(1, 2))

    @cached_property
    def mean(self) -> Floats:
        """[metric, system] the mean over topics."""
        return self.values.mean(axis=1)

    @cached_property
    def difference(self) -> Floats:
        """[metric, pair] the mean of system i less that of system j, ties being exactly 0."""
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
        found = []
        for metric, pairs in self.chunks():
            gap = self.differences(metric, pairs)
            gap -= gap.mean(axis=1, keepdims=True)
            second, third = (np.mean(gap**power, axis=1) for power in (2, 3))
            spread = self.squares[metric, pairs] > 0
            found.append(np.where(spread, third / np.where(spread, second, 1.0) ** 1.5, 0.0))
        return np.concatenate(found).reshape(self.difference.shape)

    @cached_property
    def constant(self) -> Bools:
        """[metric, pair] true where every topic has the same difference, and it is not 0."""
        return (self.squares == 0) & (self.difference != 0)

    def flipped(self, p: Floats) -> Floats:
        """[metric, pair] the p-values, but where differences have no spread those of flipping their signs."""
        least = 2.0 ** -float(self.topics + 1 - self.sides)
        return np.where(self.squares > 0, p, np.where(self.extent(self.difference) > 0, least, 1.0))

    def extents(self, sums: Floats, room: Floats) -> Iterator[tuple[slice, Floats]]:
        """Every pair, a system at a time: where those pairs are, and [pair, trial] their extents, made in `room`.

        `sums` are [system, trial].
        """
        if self.baseline is not None:
            gap = np.subtract(sums[self.i], sums[self.baseline], out=room[: len(self.i)])
            yield slice(0, len(self.i)), self.extent(gap, gap)
            return
        start = 0
        for system in range(self.systems - 1):
            end = start + self.systems - 1 - system
            gap = np.subtract(sums[system], sums[system + 1 :], out=room[: end - start])
            yield slice(start, end), self.extent(gap, gap)
            start = end

    def differences(self, metric: int, pairs: slice | Ints) -> Floats:
        """[pair, topic] system i less system j, rounded so that equal differences are equal numbers.

        The grid is a power of two, at least twice the noise: a decimal score never falls half-way between
        two of its points, and sums of points are exact.
        """
        rows = np.ascontiguousarray(self.values[metric].T)  # [system, topic]
        gap = rows[self.i[pairs]] - rows[self.j[pairs]]
        if self.noise * self.span[metric] > 0:
            unit = 2.0 ** math.ceil(math.log2(2 * self.noise * self.span[metric]))
            gap /= unit
            np.rint(gap, out=gap)
            gap *= unit
        return gap

    def chunks(self) -> list[tuple[int, slice]]:
        """Every metric with slices of its pairs, each small enough to hold all differences at once."""
        size = max(1, ELEMENTS // self.topics)
        starts = range(0, len(self.i), size)
        return [(m, slice(s, min(s + size, len(self.i)))) for m in range(self.metrics) for s in starts]

    def _squares(self, metric: int) -> Floats:
        """[pair] from one Gram matrix; pairs that it would resolve badly, from their own differences."""
        table, span = self.values[metric], self.span[metric]
        centred = table - table.mean(axis=1, keepdims=True)
        centred -= centred.mean(axis=0)
        panels = range(0, self.systems, PANEL_COLUMNS)
        gram = np.hstack([centred.T @ centred[:, at : at + PANEL_COLUMNS] for at in panels])  # [system, system]
        own = gram.diagonal()[self.i] + gram.diagonal()[self.j]
        squares = own - 2 * gram[self.i, self.j]
        close = np.flatnonzero(squares <= CANCELLATION * np.maximum(own, self.topics * CANCELLATION * span**2))
        size = max(1, ELEMENTS // self.topics)
        for start in range(0, len(close), size):
            pairs = close[start : start + size]
            gap = table.T[self.i[pairs]] - table.T[self.j[pairs]]  # [pair, topic]
            gap -= gap.mean(axis=1, keepdims=True)
            spread = np.abs(gap).max(axis=1) > self.noise * span
            squares[pairs] = np.where(spread, np.einsum("pt,pt->p", gap, gap), 0.0)
        return squares


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a test found for every metric and pair."""

    statistic: Floats  # [metric, pair]
    p: Floats  # [metric, pair]
    unit: Floats  # [metric, pair] critical value times this = smallest significant difference
    null: Floats  # [metric, trial] of a family test: the largest statistic of each resample, ascending
    trials: int = 0  # resamples drawn or enumerated; 0: a formula
    exact: bool = False  # enumerated, not drawn
    centred: Callable[[], Floats] | None = None  # [metric, trial] as null, of centred differences: for intervals


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

    Pairs are ordered with i < j; against a baseline, j is the baseline, so that differences read "system less
    baseline". Without names, systems count as named in the order given.
    """
    cube = np.asarray(cube, dtype=np.float64)
    if cube.ndim != 3:
        raise InputError(f"Scores must have the axes [system, topic, metric]; found {cube.ndim} axes.")
    systems, topics, metrics = cube.shape
    if systems < 2:
        same = " (the same run given twice counts once)" if systems else ""
        raise InputError(f"A comparison needs at least two systems; found {systems}{same}. Give more runs.")
    if topics < 2:
        raise InputError(
            f"A paired test needs at least two topics that every system has; found {topics}. "
            "Give runs and judgements that share more topics."
        )
    if metrics < 1:
        raise InputError("A comparison needs at least one metric; found none.")
    holes = int(np.count_nonzero(~np.isfinite(cube)))
    if holes:
        raise InputError(
            f"{holes} of {cube.size} scores are missing or not finite; a paired test needs every system on every "
            "topic. Keep the topics that all systems have, or count missing ones as 0."
        )
    if baseline is not None and not 0 <= baseline < systems:
        raise InputError(f"The baseline is system {baseline}, but systems are numbered 0 to {systems - 1}.")
    if baseline is None:
        if (pairs_of := systems * (systems - 1) // 2) > MAX_PAIRS:
            raise InputError(
                f"{systems:,} systems have {pairs_of:,} pairs, and up to {MAX_PAIRS:,} are compared; give fewer, "
                f"or {argument('baseline')}."
            )
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
    far = np.abs(low) > MAX_OFFSET * (high - low)  # where sums would round away what differs; the subtraction is exact
    if far.any():
        values = np.where(far[:, None, None], values - low[:, None, None], values)
    by_name = np.arange(systems) if names is None else np.array(sorted(range(systems), key=lambda s: names[s]))
    pairs = i.astype(np.int64), j.astype(np.int64)
    return Sample(values, *pairs, baseline, noise, exponent, by_name, alternative, united)
