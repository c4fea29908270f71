"""Metrics of sessions of several queries."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import irassay as ia
from tests.judging.test_sessions import paths
from tests.metrics.formulas.rankings import TOP, ratio, transcribes
from tests.metrics.test_session import rate
from tests.support.runs import session_run


@dataclass(frozen=True)
class Session:
    """The documents that each query returned, and the grades of the session's judged documents."""

    queries: list[list[str]]
    judged: dict[str, int]

    def x(self, docs: list[str]) -> list[int]:
        """The grades of documents, 0 for unjudged ones and below 0."""
        return [max(0, self.judged.get(doc, 0)) for doc in docs]


def sessions(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of sessions of up to four queries, some without results, and the sessions by topic."""
    chance = random.Random(26)
    lists = {}
    for t in range(200):
        docs = [f"d{i:02}" for i in range(14)]
        grades = {doc: chance.randint(-1, TOP if t % 9 else 0) for doc in docs[:10]}
        queries = [chance.sample(docs, chance.choice([0, 1, 3, 4])) for _ in range(chance.randint(1, 4))]
        seen: set[str] = set()
        for query in queries:  # a document that is listed again counts as not relevant; none is here
            query[:] = [doc for doc in query if doc not in seen]
            seen |= {*query}
        lists[f"s{t}"] = Session(queries if seen else [["d00"]], grades)
    run = session_run({topic: s.queries for topic, s in lists.items()})
    return ia.score(run, {topic: s.judged for topic, s in lists.items()}, metrics, max_grade=TOP), lists


def by_position(i: int, base: float | None) -> float:
    """The divisor of jiang2016 at a rank or query."""
    return 1.0 if base is None else log(i + base - 1) / log(base)


def session_gain(s: Session, queries: list[list[int]], k: int | None, bq: float | None) -> float:
    """The gains 2^x - 1 of all queries, each divided by functions of its rank and of its query."""
    return sum(
        (2**x - 1) / (by_position(i, 2.0) * by_position(q, bq))
        for q, grades in enumerate(queries, 1)
        for i, x in enumerate(grades[:k], 1)
    )


@transcribes(sessions, "sDCG(dialect='jiang')@3", "sDCG(dialect='jiang',bq=None,per_query=True)")
def sDCG(s: Session, dialect: str, bq: float | None = 4.0, per_query: bool = False, k: int | None = None) -> float:
    return session_gain(s, [s.x(docs) for docs in s.queries], k, bq) / (len(s.queries) if per_query else 1)


@transcribes(sessions, "nsDCG(dialect='jiang')", "nsDCG(dialect='jiang')@3")
def nsDCG(s: Session, dialect: str, k: int | None = None) -> float:
    """The ideal session repeats the best list for every query."""
    best = sorted((max(0, grade) for grade in s.judged.values()), reverse=True)
    mine = session_gain(s, [s.x(docs) for docs in s.queries], k, 4.0)
    return ratio(mine, session_gain(s, [best] * len(s.queries), k, 4.0))


@transcribes(sessions, "esNDCG", "esNDCG(P_reform=0.5,P_down=0.9,path_discount=True)@2")
def esNDCG(
    s: Session, P_reform: float = 0.8, P_down: float = 0.7, path_discount: bool = False, k: int | None = None
) -> float:
    gains = [[2.0**x - 1 for x in s.x(docs[:k])] for docs in s.queries]
    ideal = sorted((2.0 ** max(0, grade) - 1 for grade in s.judged.values()), reverse=True)
    return paths(gains, ideal, P_reform, P_down, path_discount)


@transcribes(sessions, "sINSQ", "sINSQ(T=1.0,floor=0.5,adaptive=False)@2")
def sINSQ(s: Session, T: float = 5.0, floor: float = 0.25, adaptive: bool = True, k: int | None = None) -> float:
    scores = []
    for docs in s.queries[:k]:
        g = [x / TOP for x in s.x(docs)]
        scores.append(rate(g, max(floor, T), adaptive) if g else 0.0)
        T -= sum(g)
    return sum(scores) / len(scores)


@transcribes(sessions, "RecipIter", "RecipIter@2")
def RecipIter(s: Session, k: int | None = None) -> float:
    return 1 / len(s.queries[:k])


@transcribes(sessions, "NegIter", "NegIter@2")
def NegIter(s: Session, k: int | None = None) -> float:
    return -len(s.queries[:k])
