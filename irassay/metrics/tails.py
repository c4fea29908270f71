"""User models past the end of a list, in closed form."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats
from irassay.rankings.batch import Rankings


def no_tail(r: object, **params: object) -> None:
    """The tail of a model that examines nothing past its size."""


def remaining_ranks(r: Rankings, k: int | None = None, **params: object) -> "Plateau | None":
    """The ranks between the end of the batch and the model's size, if the batch is shorter."""
    return None if k is None or k <= r.depth else Plateau(np.array([float(k - r.depth)]))


def on_unique(function: Callable[..., Floats], *columns: Floats) -> Floats:
    """A function of several columns, evaluated once per distinct row: batches have few end states."""
    rows = np.stack(np.broadcast_arrays(*[np.atleast_1d(np.asarray(c, np.float64)) for c in columns]), axis=1)
    unique, inverse = np.unique(rows, axis=0, return_inverse=True)
    return function(*unique.T)[inverse.reshape(-1)]


def term_numbers(count: int, block: int = 4096) -> Iterator[Floats]:
    """The numbers 0 to count - 1 of the terms of a sum, in blocks, so that a long sum takes little memory."""
    return (np.arange(start, min(start + block, count), dtype=np.float64) for start in range(0, count, block))


@dataclass(frozen=True, eq=False)
class Geometric:
    """C stays the same for ever: RBP, NERR10, TBG; where it is 1, the user never stops: RR, ERR."""

    C: Floats  # [n|1]

    def total(self) -> Floats:
        """1 / (1 - C)."""
        with np.errstate(divide="ignore"):
            return np.asarray(1 / (1 - self.C))

    def stopped(self) -> Floats:
        """All stop eventually, unless C is 1."""
        return (self.C < 1).astype(np.float64)

    def harmonic(self, b: Floats) -> Floats:
        """(1 - C) sum of C^j / (b + j), the Lerch transcendent, summed until C^j is below 1e-17."""
        if (self.C == 1).all():
            return np.zeros_like(b)
        return on_unique(lerch, np.broadcast_to(self.C, b.shape), b)


def lerch(p: Floats, b: Floats) -> Floats:
    """(1 - p) sum over j >= 0 of p^j / (b + j), term by term in blocks."""
    if not p.size:
        return np.zeros(0)
    largest = float(p[p < 1].max(initial=0.0))
    terms = 1 if largest == 0 else int(np.ceil(np.log(1e-17) / np.log(largest))) + 1
    total = np.zeros_like(p)
    for j in term_numbers(terms):
        total += (np.power(p[:, None], j) / (b[:, None] + j)).sum(axis=1)
    return np.where(p < 1, (1 - p) * total, 0.0)


@dataclass(frozen=True, eq=False)
class Power:
    """V falls as (a / (a + j))^s: the INSQ family."""

    a: Floats  # [n|1]
    s: float = 2.0

    def total(self) -> Floats:
        """a^s zeta(s, a)."""
        return on_unique(power_total, self.a, np.full_like(self.a, self.s))

    def stopped(self) -> Floats:
        """All stop eventually."""
        return np.ones_like(np.asarray(self.a))

    def harmonic(self, b: Floats) -> Floats:
        """a^s [S(a) - S(a + 1)] with S(a) = sum over j >= 0 of 1 / ((a + j)^s (b + j))."""
        return on_unique(power_harmonic, np.broadcast_to(self.a, b.shape), b, np.broadcast_to(self.s, b.shape))


def power_total(a: Floats, s: Floats) -> Floats:
    """a^s zeta(s, a), the Hurwitz zeta function; 0 where a is 0, because nothing lies past there."""
    from scipy.special import zeta

    safe = np.where(a > 0, a, 1.0)
    return np.where(a > 0, safe**s * zeta(s, safe), 0.0)


def power_harmonic(a: Floats, b: Floats, s: Floats) -> Floats:
    """a^s [S(a) - S(a + 1)] for each row."""
    return np.where(a > 0, a**s * (power_sum(a, b, s) - power_sum(a + 1, b, s)), 0.0)


def power_sum(a: Floats, b: Floats, s: Floats) -> Floats:
    """S: sum over j >= 0 of 1 / ((a + j)^s (b + j)), accurate even if a is close to b.

    The first J terms are summed directly; from there |a - b| is at most half of b + J, and the binomial series
    sum over m of C(-s, m) (a - b)^m zeta(s + 1 + m, b + J) gains one binary digit per term.
    """
    from scipy.special import zeta

    d = a - b
    J = int(np.ceil(np.maximum(0.0, 2 * np.abs(d) - b)).max(initial=0.0))
    total = np.zeros_like(d)
    for j in term_numbers(J):
        total += (1 / ((np.maximum(a, 1e-300)[:, None] + j) ** s[:, None] * (b[:, None] + j))).sum(axis=1)
    coefficient, power = np.ones_like(d), np.ones_like(d)
    for m in range(64):
        total += coefficient * power * zeta(s + 1 + m, b + J)
        coefficient *= -(s + m) / (m + 1)
        power *= d
    return total


@dataclass(frozen=True, eq=False)
class Plateau:
    """Each of the next `ranks` results is examined, and then none: BPM, and P with a cutoff far past the list."""

    ranks: Floats  # [n|1]

    def total(self) -> Floats:
        """The number of these ranks."""
        return self.ranks

    def stopped(self) -> Floats:
        """All stop, unless the ranks never end."""
        return np.isfinite(self.ranks).astype(np.float64)

    def harmonic(self, b: Floats) -> Floats:
        """All stop at the last rank."""
        return 1 / (b + np.maximum(self.ranks, 1) - 1)


@dataclass(frozen=True, eq=False)
class Linear:
    """V falls by the same amount at every rank until it is 0: U-measure by the start of each result."""

    value: Floats  # [n] V at the first rank past the batch, on its own scale
    step: float  # how much it falls per rank

    def _ranks(self) -> Floats:
        return np.ceil(self.value / self.step)

    def total(self) -> Floats:
        """Sum of an arithmetic series, in units of its first term."""
        m = self._ranks()
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.value > 0, m - self.step * m * (m - 1) / 2 / self.value, 0.0)

    def stopped(self) -> Floats:
        """All stop eventually."""
        return np.ones_like(self.value)

    def harmonic(self, b: Floats) -> Floats:
        """Equal steps of L at m - 1 ranks, and the rest at the last: a difference of two digammas."""
        from scipy.special import digamma

        m, safe = np.maximum(self._ranks(), 1), np.where(self.value > 0, self.value, 1.0)
        even = self.step / safe * (digamma(b + m - 1) - digamma(b))
        rest = (1 - (m - 1) * self.step / safe) / (b + m - 1)
        return np.where(self.value > 0, even + rest, 0.0)
