"""What users take away, from C alone: the general formulas of C/W/L/A on a list that everybody leaves at rank 10."""

from collections.abc import Callable, Sequence
from math import log2, prod

from tests.metrics.formulas.rankings import TOP, Loop, RankedList, plain, transcribes

LAST = 10
MODELS: dict[str, Callable[[Sequence[float], int], float]] = {
    "RBP": lambda g, i: 0.8,
    "SDCG": lambda g, i: log2(i + 1) / log2(i + 2),
    "INST": lambda g, i: ((i + 2 - sum(g[:i]) - 1) / (i + 2 - sum(g[:i]))) ** 2,
    "ERR": lambda g, i: 1 - g[i - 1],
}


def aggregated(r: RankedList, model: str, A: str) -> float:
    """The sum of L(i) A(i); ERG is the sum of V g divided by that of V."""
    g = [(2**x - 1) / 2**TOP if model == "ERR" else x / TOP for x in (r.x + [0] * LAST)[:LAST]]
    C = [MODELS[model](g, i) for i in range(1, LAST)] + [0.0]
    V = [prod(C[:i]) for i in range(LAST)]
    L = [v * (1 - c) for v, c in zip(V, C, strict=True)]
    takes: dict[str, Callable[[int], float]] = {
        "ERG": lambda i: sum(g[:i]) / sum(V),
        "ETG": lambda i: sum(g[:i]),
        "AVG": lambda i: sum(g[:i]) / i,
        "MAX": lambda i: max(g[:i]),
        "FIN": lambda i: g[i - 1],
        "PE": lambda i: 0.5 * max(g[:i]) + 0.5 * g[i - 1],
        "ERR": lambda i: 1 / i,
    }
    return sum(L[i - 1] * takes[A](i) for i in range(1, LAST + 1))


def loop_for(model: str, A: str) -> Loop:
    """The loop of one model and aggregation, which ignores the parameters in the metric's string."""
    return lambda r, **given: aggregated(r, model, A)


for model in MODELS:
    for A in ("ERG", "ETG", "AVG", "MAX", "FIN", "PE", "ERR"):
        transcribes(plain, f"{model}(A='{A}',end='stop')@{LAST}")(loop_for(model, A))
