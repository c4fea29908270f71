"""Other rank metrics of trec_eval and ir_measures: recall levels, geometric means, gains and overlap."""

from math import ceil, floor, log2

from tests.metrics.formulas.classic import AP, bpref, discounted
from tests.metrics.formulas.rankings import RankedList, plain, ratio, transcribes

transcribes(plain, "GMAP")(AP)
transcribes(plain, "GMbpref")(bpref)


@transcribes(plain, "IPrec", *(
    f"IPrec(recall={recall},rounding='{rounding}')"
    for recall in (0.1, 0.3, 0.34, 0.5, 1)
    for rounding in ("trec_eval9", "up", "nearest")
))  # fmt: skip
def IPrec(r: RankedList, recall: float = 0.0, rounding: str = "trec_eval9") -> float:
    """trec_eval rounds in floating point, so that 0.3 * 7 + 0.9 is less than 3."""
    part = recall * r.R
    needed = {"trec_eval9": floor(part + 0.9), "up": ceil(round(part, 9)), "nearest": floor(part + 0.5)}[rounding]
    return max((B / i for i, B in enumerate(r.B, 1) if needed <= B), default=0.0)


@transcribes(plain, "AP11", "AP11(rounding='nearest')")
def AP11(r: RankedList, rounding: str = "trec_eval9") -> float:
    return sum(IPrec(r, tenth / 10, rounding) for tenth in range(11)) / 11


@transcribes(plain, "RprecMult", "RprecMult(mult=1.4)")
def RprecMult(r: RankedList, mult: float = 1.0) -> float:
    cut = floor(mult * r.R + 0.9)
    return ratio(sum(r.b[:cut]), cut)


@transcribes(plain, "infAP")
def infAP(r: RankedList) -> float:
    """Documents before a relevant one: the share in the pool, times the share of these that is relevant."""
    tiny, total = 0.00001, 0.0
    for i, b in enumerate(r.b, 1):
        above = r.docs[: i - 1]
        relevant, rejected = sum(r.b[: i - 1]), sum(r.is_rejected(doc) for doc in above)
        pooled = sum(doc in r.judged for doc in above)
        if b:
            share = ratio(pooled, i - 1) * (relevant + tiny) / (relevant + rejected + 2 * tiny)
            total += 1 / i + (i - 1) / i * share
    return ratio(total, r.R)


@transcribes(plain, "binG")
def binG(r: RankedList) -> float:
    return ratio(sum(b / log2(2 + i - B) for i, (b, B) in enumerate(zip(r.b, r.B, strict=True), 1)), r.R)


@transcribes(plain, "G")
def G(r: RankedList) -> float:
    best = r.best + [0] * r.n
    total = 0.0
    for i in range(1, r.n + 1):
        behind = sum(max(1, g) for g in best[:i]) - sum(r.x[:i])
        total += r.x[i - 1] / log2(2 + max(0, behind))
    return ratio(total, sum(best))


def ndcg_at(r: RankedList, i: int) -> float:
    """The DCG of the first i results divided by that of the ideal list at rank i."""
    return ratio(discounted(r.x, i), discounted(r.best, i))


@transcribes(plain, "nDCG_rel")
def nDCG_rel(r: RankedList) -> float:
    """Missed documents count with DCG at the end of the list, divided by that of the whole ideal."""
    found = sum(ndcg_at(r, i) for i, x in enumerate(r.x, 1) if x > 0)
    missed = (r.R - sum(r.b)) * ratio(discounted(r.x, None), discounted(r.best, None))
    return ratio(found + missed, r.R)


@transcribes(plain, "Rndcg")
def Rndcg(r: RankedList) -> float:
    best = [x for x in r.best if x > 0]
    edges = [i for i in range(1, len(best) + 1) if i == len(best) or best[i] < best[i - 1]]
    values = [ndcg_at(r, i) for i in edges]
    if r.n > len(best) + 1:
        values.append(ratio(discounted(r.x, None), discounted(r.best, None)))
    return sum(values) / len(values) if best else 0.0


@transcribes(plain, "Accuracy")
def Accuracy(r: RankedList) -> float:
    pairs = [(i, j) for i in range(r.n) for j in range(r.n) if r.b[i] and not r.b[j]]
    if not any(r.b):
        return 0.0
    return sum(i < j for i, j in pairs) / len(pairs) if pairs else 1.0


def overlap(a: list[str], b: list[str], p: float, depth: int) -> float:
    """Rank-biased overlap to a depth, divided by its largest value."""
    shared = [len({*a[: d + 1]} & {*b[: d + 1]}) / (d + 1) for d in range(depth)]
    return sum(p**d * s for d, s in enumerate(shared)) / sum(p**d for d in range(depth))


@transcribes(plain, "Compat", "Compat(p=0.5)", "Compat(dialect='ir_measures')", "Compat(normalize=False)")
def Compat(r: RankedList, p: float = 0.95, normalize: bool = True, dialect: str = "original") -> float:
    wanted = [doc for doc in r.judged if r.judged[doc] > 0]
    ideal = sorted(wanted, key=lambda doc: (-r.judged[doc], r.docs.index(doc) if doc in r.docs else 99))
    depth = 1000 if dialect == "original" else max(r.n, len(ideal))
    return ratio(overlap(r.docs, ideal, p, depth), overlap(ideal, ideal, p, depth) if normalize else 1.0)
