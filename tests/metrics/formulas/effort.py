"""Metrics based on time spent or text read, of documents whose lengths are known."""

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import irassay as ia
from tests.metrics.formulas.rankings import RankedList, random_lists, ratio, transcribes

WORDS = {f"d{i:02}": 30.0 + 47 * i for i in range(30)}
SECONDS = (9.8, 23.0, 37.6)  # by grade


def with_lengths(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of lists with grades up to 2 and document lengths, and the lists by topic."""
    lists = {
        topic: RankedList(r.docs, {doc: min(2, grade) for doc, grade in r.judged.items()})
        for topic, r in random_lists().items()
    }
    run = {topic: {doc: -float(i) for i, doc in enumerate(r.docs)} for topic, r in lists.items()}
    judged = {topic: r.judged for topic, r in lists.items()}
    return ia.score(run, judged, metrics, max_grade=2, lengths=WORDS), lists


def seconds(words: float, relevant: int) -> float:
    """The expected time for a result: its summary, and reading it if it is opened (smucker2012)."""
    return 4.4 + (0.64 if relevant else 0.39) * (0.018 * words + 7.8)


@transcribes(with_lengths, "TBG", "TBG(h=50.0)", "TBG(dialect='jiang')", "TBG(dialect='cwl')")
def TBG(r: RankedList, dialect: str = "original", h: float | None = None) -> float:
    h = h or (31.0 if dialect == "jiang" else 224.0)
    if dialect == "cwl":  # costs of 1: a rate, with V falling to a half every h results
        return (1 - 0.5 ** (1 / h)) * sum(x / 2 * 0.5 ** ((i - 1) / h) for i, x in enumerate(r.x, 1))
    total = spent = 0.0
    for doc, x, b in zip(r.docs, r.x, r.b, strict=True):
        worth = (0.26 * 0, 0.50 * 0.2, 0.55 * 0.8)[x] if dialect == "jiang" else 0.64 * 0.77 * b
        total += worth * 2 ** (-spent / h)
        spent += SECONDS[x] if dialect == "jiang" else seconds(WORDS[doc], b)
    return total


@transcribes(with_lengths, "U", "U(L=5000.0,chars=6.0)", "U(dialect='jiang')", "U(L=40.0,dialect='cwl')")
def U(r: RankedList, dialect: str = "original", L: float = 132000.0, chars: float = 1.0) -> float:
    g = [(2**x - 1) / 4 for x in r.x]
    if dialect == "cwl":  # costs of 1: a rate, with V falling to 0 after L results
        V = [max(0.0, 1 - (i - 1) / L) for i in range(1, int(L) + 2)]
        return ratio(sum(v * each for v, each in zip(V, g, strict=False)), sum(V))
    if dialect == "jiang":
        read, limit = [SECONDS[x] for x in r.x], 99.0
    else:
        read, limit = [200 + 0.2 * b * chars * WORDS[doc] for doc, b in zip(r.docs, r.b, strict=True)], L
    return sum(each * max(0.0, 1 - spent / limit) for each, spent in zip(g, accumulate(read), strict=True))
