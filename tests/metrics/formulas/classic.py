"""Classic metrics, and others that are defined directly, without a user model."""

from collections.abc import Sequence
from itertools import accumulate
from math import log, log2, prod

from tests.metrics.formulas.rankings import TOP, RankedList, plain, ratio, transcribes
from tests.metrics.formulas.static import H, accepted


@transcribes(plain, "AP", "AP@5", "AP(norm='min')@5")
def AP(r: RankedList, norm: str = "R", k: int | None = None) -> float:
    found = min(r.R, k) if norm == "min" and k else r.R
    return ratio(sum(b * B / i for i, (b, B) in enumerate(zip(r.b[:k], r.B, strict=False), 1)), found)


@transcribes(plain, "AP(A='ERG')")
def AP_over_the_list(r: RankedList, A: str) -> float:
    """C(i) = S(i+1) / S(i), so V(i) = S(i) / S(1); with nothing to find nothing is gained."""
    assert A == "ERG"
    S = [sum(r.g[j] / (j + 1) for j in range(i, r.n)) for i in range(r.n)]
    return ratio(sum(s * g for s, g in zip(S, r.g, strict=True)), sum(S))


@transcribes(plain, "TrAP")
def TrAP(r: RankedList) -> float:
    return ratio(sum(g * G / i for i, (g, G) in enumerate(zip(r.g, accumulate(r.g), strict=True), 1)), r.R)


@transcribes(plain, f"GAP(h={H})", f"GAP(h={H},dialect='original')")
def GAP(r: RankedList, h: Sequence[float], dialect: str = "jiang") -> float:
    total = 0.0
    for i, x in enumerate(r.x, 1):
        if x > 0:
            seen = (accepted(each if dialect == "jiang" else min(each, x), h) for each in r.x[:i])
            total += sum(seen) / i
    return ratio(total, sum(accepted(max(0, grade), h) for grade in r.judged.values()))


@transcribes(plain, "R", "R@5")
def R(r: RankedList, k: int | None = None) -> float:
    return ratio(sum(r.b[:k]), r.R)


@transcribes(plain, "Rprec")
def Rprec(r: RankedList) -> float:
    return ratio(sum(r.b[: r.R]), r.R)


@transcribes(plain, "Success", "Success@3")
def Success(r: RankedList, k: int | None = None) -> float:
    return float(max(r.b[:k]))


@transcribes(plain, "bpref")
def bpref(r: RankedList) -> float:
    rejected = sum(r.is_rejected(doc) for doc in r.judged)
    total = 0.0
    for i, b in enumerate(r.b):
        before = sum(r.is_rejected(doc) for doc in r.docs[:i])
        total += b * (1 - ratio(min(before, r.R), min(rejected, r.R)))
    return ratio(total, r.R)


@transcribes(plain, "Judged", "Judged@5")
def Judged(r: RankedList, k: int | None = None) -> float:
    return sum(doc in r.judged for doc in r.docs[:k]) / min(k or r.n, r.n)


def discount(i: int, kind: str, b: float) -> float:
    """1/log2(i+1), or that of jarvelin2002, or of Dynamic Domain."""
    return 1 / {"log2": log2(i + 1), "jk": max(1.0, log(i) / log(b)), "dd": 1 + log(i) / log(b)}[kind]


def discounted(gains: Sequence[float], k: int | None, kind: str = "log2", b: float = 2.0) -> float:
    """The sum of gains to rank k, each times its discount."""
    return sum(g * discount(i, kind, b) for i, g in enumerate(gains[:k], 1))


def gain(x: int, kind: str) -> float:
    """The gain of a grade in the DCG family."""
    return 2**x - 1 if kind == "exp" else x


@transcribes(plain, "DCG", "DCG@5", "DCG(gain='exp')", "DCG(discount='jk',b=3.0)", "DCG(discount='dd')@5")
def DCG(
    r: RankedList, discount: str = "log2", b: float = 2.0, gain_: str = "raw", k: int | None = None, **more: str
) -> float:
    return discounted([gain(x, more.get("gain", gain_)) for x in r.x], k, discount, b)


@transcribes(plain, "nDCG", "nDCG@5", "nDCG(gain='exp')@10", "nDCG(discount='jk')@5")
def nDCG(r: RankedList, discount: str = "log2", k: int | None = None, **more: str) -> float:
    mine, best = ([gain(x, more.get("gain", "raw")) for x in grades] for grades in (r.x, r.best))
    return ratio(discounted(mine, k, discount), discounted(best, k, discount))


@transcribes(plain, "DCG(end='list')@5")
def DCG_rate(r: RankedList, end: str, k: int) -> float:
    last = min(k, r.n)
    return discounted(r.x, last) / sum(discount(i, "log2", 2.0) for i in range(1, last + 1))


@transcribes(plain, "nERR", "nERR@5")
def nERR(r: RankedList, k: int | None = None) -> float:
    def err(grades: Sequence[int]) -> float:
        g = [(2**x - 1) / 2**TOP for x in grades[:k]]
        return sum(g[i] * prod(1 - each for each in g[:i]) / (i + 1) for i in range(len(g)))

    return ratio(err(r.x), err(r.best))


@transcribes(plain, "Q", "Q@5", "Q(beta=0.5)", "Q(norm='R')@5")
def Q(r: RankedList, beta: float = 1.0, norm: str = "min", k: int | None = None) -> float:
    found = min(r.R, k) if norm == "min" and k else r.R
    return ratio(sum(b * blended(r, i, beta) for i, b in enumerate(r.b[:k], 1)), found)


def blended(r: RankedList, i: int, beta: float) -> float:
    """BR(i): precision blended with the share of the ideal gain."""
    return (r.B[i - 1] + beta * sum(r.x[:i])) / (i + beta * sum(r.best[:i]))
