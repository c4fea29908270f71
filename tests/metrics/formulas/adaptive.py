"""Users who continue or stop depending on what they have found and spent so far."""

from fractions import Fraction
from itertools import accumulate, count
from math import exp, prod

from tests.metrics.formulas.rankings import TOP, RankedList, plain, transcribes
from tests.metrics.formulas.static import power_sum, rate


@transcribes(plain, "RR", "RR@3")
def RR(r: RankedList, k: int | None = None) -> float:
    return next((1 / i for i, b in enumerate(r.b[:k], 1) if b), 0.0)


@transcribes(plain, "ERR", "ERR@5")
def ERR(r: RankedList, k: int | None = None) -> float:
    g = [(2**x - 1) / 2**TOP for x in r.x[:k]]
    return sum(g[i] * prod(1 - each for each in g[:i]) / (i + 1) for i in range(len(g)))


@transcribes(plain, "aINSQ", "aINSQ(T=1.5)", "aINSQ(T=2.0,shift=1)")
def aINSQ(r: RankedList, T: float = 5.0, shift: int = 0) -> float:
    left = [max(0.0, T - G) for G in accumulate(r.g)]
    return rate(
        lambda i: ((i + 2 * left[i - 1] + shift - 1) / (i + 2 * left[i - 1] + shift)) ** 2,
        r.g,
        lambda: power_sum(r.n + 2 * left[-1] + shift),
    )


@transcribes(plain, "INST", "INST(T=2.25)")
def INST(r: RankedList, T: float = 1.0) -> float:
    G = list(accumulate(r.g))
    return rate(lambda i: ((i + 2 * T - G[i - 1] - 1) / (i + 2 * T - G[i - 1])) ** 2, r.g,
                lambda: power_sum(r.n + 2 * T - G[-1]))  # fmt: skip


@transcribes(plain, "NERR8@5")
def NERR8(r: RankedList, k: int) -> float:
    g = (r.g + [0.0] * k)[:k]
    return rate(lambda i: 1 - g[i - 1] if i < k else 0.0, g, lambda: 0.0)


@transcribes(plain, "NERR9@5")
def NERR9(r: RankedList, k: int) -> float:
    g = (r.g + [0.0] * k)[:k]
    return rate(lambda i: i / (i + 1) * (1 - g[i - 1]) if i < k else 0.0, g, lambda: 0.0)


@transcribes(plain, "NERR10")
def NERR10(r: RankedList) -> float:
    return rate(lambda i: 0.9 * (1 - r.g[i - 1]), r.g, lambda: 1 / (1 - 0.9))


@transcribes(plain, "NERR11")
def NERR11(r: RankedList, T: float = 1.0) -> float:
    return rate(lambda i: ((i + 2 * T - 1) / (i + 2 * T)) ** 2 * (1 - r.g[i - 1]), r.g, lambda: power_sum(r.n + 2 * T))


@transcribes(plain, "BPM", "BPM(T=2.0,K=20.0)", "BPM(T=2.0,K=8.0,dynamic=True,hb=0.5)")
def BPM(r: RankedList, T: float = 1, K: float = 10, dynamic: bool = False, hb: float = 1, hc: float = 1) -> float:
    """Goal and budget move after each result by how it compares with an average one; exact, because limits are met."""
    goal, budget, gained, half = Fraction(T), Fraction(K), Fraction(0), Fraction(1, 2)
    for i in count(1):
        g = Fraction(r.x[i - 1], TOP) if i <= r.n else Fraction(0)
        gained += g
        if gained >= goal or i >= budget:
            return float(gained / i)
        if dynamic:
            goal, budget = goal + Fraction(hb) * (g - half), budget + Fraction(hc) * (g - half)
    raise AssertionError("the budget ends")


@transcribes(plain, "IFT(part='gain')", "IFT")
def IFT(r: RankedList, part: str = "both", T: float = 2.0, A2: float = 0.2) -> float:
    """Ranks past the list are followed until hardly a user is left; with the gain alone C stays the same there."""
    G = [*accumulate(r.g), *[sum(r.g)] * 1000]

    def C(i: int) -> float:
        by_gain = 1 - 1 / (1 + 0.9 * exp(T - G[i - 1]))
        by_rate = 1 / (1 + 0.9 * exp(A2 - G[i - 1] / i))
        return by_gain if part == "gain" else by_gain * by_rate

    return rate(C, r.g + [0.0] * (1000 - r.n), lambda: 0.0)
