"""NTCIREVAL's metrics for finding one highly relevant document, and normalised cumulative utility."""

from collections.abc import Sequence

from tests.metrics.formulas.classic import blended
from tests.metrics.formulas.rankings import RankedList, plain, ratio, transcribes


def preferred_rank(r: RankedList) -> int:
    """The rank of the first result of the highest grade in the list; 0 if nothing is relevant."""
    return r.x.index(max(r.x)) + 1 if max(r.x) > 0 else 0


@transcribes(plain, "O")
def O(r: RankedList) -> float:  # noqa: E743  its name in the papers
    return blended(r, r.b.index(1) + 1, 1.0) if 1 in r.b else 0.0


@transcribes(plain, "P_measure", "P_measure(beta=0.5)")
def P_measure(r: RankedList, beta: float = 1.0) -> float:
    rank = preferred_rank(r)
    return blended(r, rank, beta) if rank else 0.0


@transcribes(plain, "P_plus", "P_plus@5")
def P_plus(r: RankedList, k: int | None = None) -> float:
    r = r if k is None else r.top(k)
    rank = preferred_rank(r)
    return ratio(sum(r.b[i - 1] * blended(r, i, 1.0) for i in range(1, rank + 1)), sum(r.b[:rank]))


STOPS = ((1, 2, 3), (1, 1, 1), (0, 0.5, 4))


@transcribes(
    plain, "NCU", "NCU(stop='rb')", "NCU(stop='rb',beta=0.0,gamma=0.5)", "NCU(stop='u')",
    *(f"NCU(beta={beta},stops={stops})" for beta in (0, 2) for stops in STOPS),
)  # fmt: skip
def NCU(
    r: RankedList, stop: str = "gu", beta: float = 1.0, gamma: float = 0.99, stops: Sequence[float] = (1, 2, 3)
) -> float:
    """Users stop by gain, or stop value; by gamma to the number of relevant results before; or at each equally."""
    total = whole = 0.0
    values = (0, *stops)
    for i, b in enumerate(r.b, 1):
        weight = {"gu": values[r.x[i - 1]], "rb": gamma ** (r.B[i - 1] - 1), "u": 1}[stop]
        total += b * weight * blended(r, i, beta)
    for number in range(r.R):
        whole += {"gu": values[r.best[number]], "rb": gamma**number, "u": 1}[stop]
    return ratio(total, whole)
