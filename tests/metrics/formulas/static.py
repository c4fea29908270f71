"""Users who browse the same way whatever they find."""

from collections.abc import Callable, Sequence
from math import log2

from scipy.special import zeta

from tests.metrics.formulas.rankings import RankedList, plain, ratio, transcribes

H = (0.2, 0.3, 0.5)


def rate(C: Callable[[int], float], gain: Sequence[float], past: Callable[[], float]) -> float:
    """The sum of V g divided by the sum of V, where V(i) = C(1) ... C(i-1).

    `past` is the sum of V over the ranks past the list if V is 1 at the first of them.
    """
    V, gained, examined = 1.0, 0.0, 0.0
    for i, g in enumerate(gain, 1):
        gained, examined = gained + V * g, examined + V
        V *= C(i)
    return ratio(gained, examined + (V * past() if V else 0.0))


def power_sum(a: float, s: float = 2.0) -> float:
    """The sum over j >= 0 of (a / (a + j))^s."""
    return float(a**s * zeta(s, a))


def accepted(x: int, h: Sequence[float]) -> float:
    """The probability that a user accepts grade x, whose lowest accepted grade is s with probability h_s."""
    return sum(h[:x])


@transcribes(plain, "P", "P@10")
def P(r: RankedList, k: int | None = None) -> float:
    return sum(r.b[:k]) / (k or r.n)


@transcribes(plain, f"GP(h={H})@10")
def GP(r: RankedList, h: Sequence[float], k: int) -> float:
    return sum(accepted(x, h) for x in r.x[:k]) / k


@transcribes(plain, "SDCG@10")
def SDCG(r: RankedList, k: int) -> float:
    return sum(g / log2(i + 1) for i, g in enumerate(r.g[:k], 1)) / sum(1 / log2(i + 1) for i in range(1, k + 1))


@transcribes(plain, "SET@10", "SET(b=0.3)@10", "SET(b=1.0)@10")
def SET(r: RankedList, k: int, b: float = 0.5) -> float:
    w = [(i + 1) ** b - i**b for i in range(1, k + 1)]
    return sum(wi * g for wi, g in zip(w, r.g, strict=False)) / sum(w)


@transcribes(plain, "RBP", "RBP@10")
def RBP(r: RankedList, k: int | None = None) -> float:
    return rate(lambda i: 0.8, r.g[:k], lambda: 1 / (1 - 0.8))


@transcribes(plain, f"GRBP(h={H})")
def GRBP(r: RankedList, h: Sequence[float]) -> float:
    return (1 - 0.8) * sum(0.8 ** (i - 1) * accepted(x, h) for i, x in enumerate(r.x, 1))


@transcribes(plain, "INSQ", "INSQ(T=2.5)", "INSQ(power=3.0)")
def INSQ(r: RankedList, T: float = 1.0, power: float = 2.0) -> float:
    return rate(lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** power, r.g, lambda: power_sum(r.n + 2 * T, power))
