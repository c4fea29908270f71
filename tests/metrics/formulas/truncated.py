"""Lists that end on purpose, marked by a terminal document."""

from tests.metrics.formulas.classic import AP, nDCG
from tests.metrics.formulas.rankings import RankedList, plain, transcribes


@transcribes(plain, "Terminal", "Terminal(metric='nDCG')", "Terminal(r_t=0.4)")
def Terminal(r: RankedList, metric: str = "AP", r_t: float | None = None) -> float:
    """The document has the lowest relevant grade with probability r_t; the topic always has one more to find."""
    chance = r_t if r_t is not None else sum(r.b) / r.R if r.R else 1.0
    loop = {"AP": AP, "nDCG": nDCG}[metric]
    found = RankedList([*r.docs, "terminal"], r.judged | {"terminal": 1})
    missed = RankedList([*r.docs, "nothing"], r.judged | {"terminal": 1})
    return chance * loop(found) + (1 - chance) * loop(missed)
