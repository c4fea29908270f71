"""Results as a set, counts, unjudged results and utility, as in trec_eval, ir_measures and ranx."""

from tests.metrics.formulas.rankings import RankedList, plain, ratio, transcribes


@transcribes(plain, "SetF", "SetF(beta=2.0,dialect='trec_eval')@5", *(
    f"SetF(beta={beta},dialect='{dialect}')"
    for beta in (0, 0.5, 2)
    for dialect in ("original", "trec_eval", "ir_measures")
))  # fmt: skip
def SetF(r: RankedList, beta: float = 1.0, dialect: str = "original", k: int | None = None) -> float:
    w = beta**2 if dialect == "original" else beta
    P, R = sum(r.b[:k]) / (k or r.n), ratio(sum(r.b[:k]), r.R)
    return ratio((1 + w) * P * R, w * P + R)


@transcribes(plain, "SetAP", "SetAP@5")
def SetAP(r: RankedList, k: int | None = None) -> float:
    return sum(r.b[:k]) / (k or r.n) * ratio(sum(r.b[:k]), r.R)


@transcribes(plain, "RelP", "RelP@5")
def RelP(r: RankedList, k: int | None = None) -> float:
    return ratio(sum(r.b[:k]), min(k or r.n, r.R))


@transcribes(plain, "Hits", "NumRelRet", "Hits@5")
def relevant_results(r: RankedList, k: int | None = None) -> float:
    return sum(r.b[:k])


@transcribes(plain, "NumQ")
def NumQ(r: RankedList) -> float:
    return 1.0


@transcribes(plain, "NumRet")
def NumRet(r: RankedList) -> float:
    return len(r.docs)


@transcribes(plain, "NumRel")
def NumRel(r: RankedList) -> float:
    return sum(grade >= 1 for grade in r.judged.values())


@transcribes(plain, "NumNonrelRet")
def NumNonrelRet(r: RankedList) -> float:
    return sum(r.judged.get(doc) == 0 for doc in r.docs)


def is_unjudged(r: RankedList, doc: str) -> bool:
    """Whether a result has no grade, or one below 0."""
    return r.judged.get(doc, -1) < 0


@transcribes(plain, "Unj", "Unj@5")
def Unj(r: RankedList, k: int | None = None) -> float:
    return sum(is_unjudged(r, doc) for doc in r.docs[:k]) / (k or r.n)


@transcribes(plain, "RBP_resid")
def RBP_resid(r: RankedList, p: float = 0.9) -> float:
    holes = [i for i, doc in enumerate(r.docs, 1) if is_unjudged(r, doc)]
    return p**r.n + (1 - p) * sum(p ** (i - 1) for i in holes) if holes else 0.0


@transcribes(plain, "utility", "utility(a=2.0,b=-0.5,c=-1.0,d=0.1,N=100)")
def utility(r: RankedList, a: float = 1.0, b: float = -1.0, c: float = 0.0, d: float = 0.0, N: int = 0) -> float:
    found = sum(r.b)
    return a * found + b * (r.n - found) + c * (r.R - found) + d * (N - r.n - (r.R - found))
