"""Metrics for topics with several aspects: novelty, aspects as topics, and the gain summed over aspects."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log, log2, prod
from typing import Any

import polars as pl

import irassay as ia
from irassay.metrics.grammar import parse
from tests.metrics.formulas.classic import AP, nDCG
from tests.metrics.formulas.rankings import TOP, RankedList, ratio, transcribes
from tests.metrics.formulas.static import P


@dataclass(frozen=True)
class AspectList:
    """The documents of one list from the top, and the grades of the topic's judged documents by aspect."""

    docs: list[str]
    judged: dict[str, dict[str, int]]
    given_weights: dict[str, float] | None

    def b(self, doc: str, aspect: str) -> int:
        """1 if the document is relevant to the aspect."""
        return int(self.judged[aspect].get(doc, 0) >= 1)

    @cached_property
    def known(self) -> list[str]:
        """The aspects with a relevant document."""
        return [aspect for aspect, grades in self.judged.items() if any(grade >= 1 for grade in grades.values())]

    @property
    def w(self) -> dict[str, float]:
        """The weights of aspects: as given, or equal for those with a relevant document."""
        return self.given_weights or {aspect: 1 / len(self.known) for aspect in self.known}

    @cached_property
    def pool(self) -> list[str]:
        """The judged documents, largest id first."""
        return sorted({doc for grades in self.judged.values() for doc in grades}, reverse=True)

    def novelty(self, docs: list[str], alpha: float) -> list[float]:
        """What each of the documents adds: for each of its aspects (1 - alpha) to the number of earlier ones about it."""
        return [
            sum(self.b(doc, a) * (1 - alpha) ** sum(self.b(other, a) for other in docs[:i]) for a in self.judged)
            for i, doc in enumerate(docs)
        ]

    @cached_property
    def greedy(self) -> dict[float, list[float]]:
        """What each rank of the greedy ideal adds, by alpha."""
        return {}

    def greedy_novelty(self, alpha: float) -> list[float]:
        """What each rank adds if every rank takes the document that adds most, and of equal ones that of largest id."""
        if alpha not in self.greedy:
            chosen: list[str] = []
            for _ in self.pool:
                left = [doc for doc in self.pool if doc not in chosen]
                chosen.append(max(left, key=lambda doc: round(self.novelty([*chosen, doc], alpha)[-1], 9)))
            self.greedy[alpha] = self.novelty(chosen, alpha)
        return self.greedy[alpha]

    def of_aspect(self, aspect: str) -> RankedList:
        """The list judged for one aspect."""
        return RankedList(self.docs, self.judged[aspect])


def random_aspect_lists(weighted: bool) -> dict[str, AspectList]:
    """Lists by topic, of topics with one to four aspects, of which some have nothing relevant."""
    chance = random.Random(26)
    lists = {}
    for t in range(200):
        docs = [f"d{i:02}" for i in range(chance.choice([3, 8, 14]))]
        aspects = [f"a{i}" for i in range(chance.randint(1, 4))]
        grades = [-1, 0] if t % 9 == 0 else [-1, 0, 0, 1, 2, 3]
        judged = {
            a: {doc: chance.choice(grades) for doc in docs if chance.random() < 0.5} or {docs[0]: 0} for a in aspects
        }
        weights = {a: chance.randint(1, 4) / 8 for a in aspects} if weighted else None
        lists[f"t{t}"] = AspectList(chance.sample(docs, chance.randint(1, len(docs))), judged, weights)
    return lists


def scores_by_aspect(metrics: list[str], weighted: bool) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of lists with aspects, and the lists by topic."""
    lists = random_aspect_lists(weighted)
    rows = [
        (topic, aspect, doc, grade)
        for topic, r in lists.items()
        for aspect, grades in r.judged.items()
        for doc, grade in grades.items()
    ]
    qrels = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row")
    run = {topic: {doc: -float(i) for i, doc in enumerate(r.docs)} for topic, r in lists.items()}
    weights = {topic: r.given_weights for topic, r in lists.items()} if weighted else None
    return ia.score(run, qrels, metrics, qrels_format="subtopic", max_grade=TOP, weights=weights), lists


def equal(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Aspects without weights."""
    return scores_by_aspect(metrics, weighted=False)


def weighted(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Aspects with weights, which need not sum to 1."""
    return scores_by_aspect(metrics, weighted=True)


@transcribes(equal, "StRecall", "StRecall@3")
def StRecall(r: AspectList, k: int | None = None) -> float:
    return ratio(sum(any(r.b(doc, a) for doc in r.docs[:k]) for a in r.known), len(r.known))


def endless_sum(alpha: float, k: int | None, discount: Any) -> float:
    """The sum of (1 - alpha)^(i-1) times the discount of rank i: to rank k, or until it is negligible."""
    last = k or (1 if alpha == 1 else ceil(log(1e-18) / log(1 - alpha)) + 1)
    return sum((1 - alpha) ** (i - 1) * discount(i) for i in range(1, last + 1))


def against_any_collection(r: AspectList, alpha: float, k: int | None, discount: Any) -> float:
    """Discounted novelty over that of a list whose every result is about every aspect; at rank 1 not divided."""
    total = sum(v * discount(i) for i, v in enumerate(r.novelty(r.docs[:k], alpha), 1))
    return total if k == 1 else ratio(total, len(r.known) * endless_sum(alpha, k, discount))


def against_the_ideal(r: AspectList, alpha: float, k: int | None, discount: Any) -> float:
    """Discounted novelty over that of the greedy ideal."""
    mine, best = r.novelty(r.docs[:k], alpha), r.greedy_novelty(alpha)[:k]
    return ratio(*(sum(v * discount(i) for i, v in enumerate(each, 1)) for each in (mine, best)))


@transcribes(equal, "alpha_DCG", "alpha_DCG@5", "alpha_DCG(alpha=0.9)@5", "alpha_DCG@1")
def alpha_DCG(r: AspectList, alpha: float = 0.5, k: int | None = None) -> float:
    return against_any_collection(r, alpha, k, lambda i: 1 / log2(i + 1))


@transcribes(equal, "alpha_nDCG", "alpha_nDCG@5", "alpha_nDCG(alpha=0.9)@5")
def alpha_nDCG(r: AspectList, alpha: float = 0.5, k: int | None = None) -> float:
    return against_the_ideal(r, alpha, k, lambda i: 1 / log2(i + 1))


@transcribes(equal, "ERR_IA", "ERR_IA@5", "ERR_IA@1")
def ERR_IA(r: AspectList, alpha: float = 0.5, k: int | None = None) -> float:
    return against_any_collection(r, alpha, k, lambda i: 1 / i)


@transcribes(equal, "nERR_IA", "nERR_IA@5")
def nERR_IA(r: AspectList, alpha: float = 0.5, k: int | None = None) -> float:
    return against_the_ideal(r, alpha, k, lambda i: 1 / i)


@transcribes(equal, "NRBP", "NRBP(alpha=0.3,beta=0.8)")
def NRBP(r: AspectList, alpha: float = 0.5, beta: float = 0.5) -> float:
    total = sum(v * beta ** (i - 1) for i, v in enumerate(r.novelty(r.docs, alpha), 1))
    return ratio((1 - (1 - alpha) * beta) * total, len(r.known))


@transcribes(equal, "nNRBP", "nNRBP(beta=0.8)")
def nNRBP(r: AspectList, alpha: float = 0.5, beta: float = 0.5) -> float:
    return against_the_ideal(r, alpha, None, lambda i: beta ** (i - 1))


@transcribes(equal, "RBU")
@transcribes(weighted, "RBU(dialect='albahem2019')", "RBU(p=0.9,e=0.1)")
def RBU(r: AspectList, dialect: str = "java", p: float | None = None, e: float | None = None) -> float:
    p = p or {"java": 0.8, "albahem2019": 0.99}[dialect]
    e = e or {"java": 0.03, "albahem2019": 0.05}[dialect]
    total = -sum(e * p ** (i - 1) for i in range(1, len(r.docs) + 1))
    for aspect, weight in r.w.items():
        top = max(0, *r.judged[aspect].values())
        q = [(2 ** max(0, r.judged[aspect].get(doc, 0)) - 1) / 2**top for doc in r.docs]
        total += weight * sum(p**i * q[i] * prod(1 - each for each in q[:i]) for i in range(len(q)))
    return total * (p if dialect == "albahem2019" else 1 - p)


@transcribes(equal, "IA", "IA(metric='nDCG@5')")
@transcribes(weighted, "IA(metric='nDCG')@5")
def IA(r: AspectList, metric: str = "AP", k: int | None = None) -> float:
    loop = {"AP": AP, "nDCG": nDCG}[parse(metric).name]
    cutoff = k or parse(metric).cutoff
    return sum(w * loop(r.of_aspect(a), k=cutoff) for a, w in r.w.items())


@transcribes(equal, "AP_IA")
def AP_IA(r: AspectList) -> float:
    return ratio(sum(AP(r.of_aspect(a)) for a in r.known), len(r.known))


@transcribes(equal, "P_IA", "P_IA@5")
def P_IA(r: AspectList, k: int | None = None) -> float:
    return ratio(sum(P(r.of_aspect(a), k) for a in r.known), len(r.known))


def global_gains(r: AspectList, docs: list[str]) -> list[float]:
    """The gain of each document over all aspects, by weight."""
    return [sum(w * max(0, r.judged[a].get(doc, 0)) for a, w in r.w.items()) for doc in docs]


@transcribes(equal, "D", "D_nDCG@5")
@transcribes(weighted, "D@5", "D_nDCG")
def D_nDCG(r: AspectList, k: int | None = None) -> float:
    mine, best = global_gains(r, r.docs), sorted(global_gains(r, r.pool), reverse=True)
    return ratio(*(sum(g / log2(i + 1) for i, g in enumerate(each[:k], 1)) for each in (mine, best)))


@transcribes(equal, "D_Q", "D_Q@5")
@transcribes(weighted, "D(metric='Q@5')")
def D_Q(r: AspectList, k: int | None = None, metric: str = "Q") -> float:
    k = k or parse(metric).cutoff
    mine, best = global_gains(r, r.docs), sorted(global_gains(r, r.pool), reverse=True)
    found = sum(g > 0 for g in best)
    total = sum(
        (sum(each > 0 for each in mine[:i]) + sum(mine[:i])) / (i + sum(best[:i]))
        for i, g in enumerate(mine[:k], 1)
        if g > 0
    )
    return ratio(total, min(found, k) if k else found)


@transcribes(equal, "Dsharp", "Dsharp_nDCG@5")
@transcribes(weighted, "Dsharp(gamma=0.2)@5", "Dsharp_nDCG")
def Dsharp_nDCG(r: AspectList, gamma: float = 0.5, k: int | None = None) -> float:
    return gamma * StRecall(r, k) + (1 - gamma) * D_nDCG(r, k)


@transcribes(equal, "Dsharp_Q", "Dsharp_Q(gamma=0.2)@5")
def Dsharp_Q(r: AspectList, gamma: float = 0.5, k: int | None = None) -> float:
    return gamma * StRecall(r, k) + (1 - gamma) * D_Q(r, k)
