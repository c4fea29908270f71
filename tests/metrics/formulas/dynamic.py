"""Dynamic search, as TREC Dynamic Domain's scorer defines it: the Cube Test, Expected Utility, session DCG, time."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import log
from typing import Any

import polars as pl

import irassay as ia
from irassay.io.passage_qrels import PassageQrels
from tests.metrics.formulas.effort import seconds
from tests.metrics.formulas.rankings import ratio, transcribes
from tests.support.runs import dynamic_run

WORDS = {f"d{i:02}": 40.0 + 61 * i for i in range(24)}


@dataclass(frozen=True)
class Search:
    """The documents of each iteration, and the rated passages: aspect, document, nugget, rating."""

    turns: list[list[str]]
    aspects: list[str]
    passages: list[tuple[str, str, str, float]]
    top: float = 1.0  # the largest rating of a document for an aspect in any topic

    def rating(self, doc: str, aspect: str) -> float:
        """The sum of the ratings of a document's passages for an aspect."""
        return sum(rating for a, d, _, rating in self.passages if (a, d) == (aspect, doc))

    def total(self, doc: str) -> float:
        """The sum of all ratings of a document."""
        return sum(rating for _, d, _, rating in self.passages if d == doc)

    @property
    def judged(self) -> list[str]:
        """The documents with a rated passage."""
        return sorted({doc for _, doc, *_ in self.passages})

    def results(self, k: int | None) -> Iterator[tuple[int, int, str]]:
        """Iteration, rank within it, and document of every result of the first k iterations."""
        return ((q, i, doc) for q, docs in enumerate(self.turns[:k], 1) for i, doc in enumerate(docs, 1))


def searches(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of dynamic searches, and the searches by topic; an iteration in the middle may have no results."""
    chance = random.Random(26)
    lists = {}
    for t in range(200):
        aspects = [f"a{i}" for i in range(chance.randint(1, 3))]
        rating_of = {f"n{i}": float(chance.randint(1, 4)) for i in range(6)}
        passages = [
            (aspect, doc, nugget, rating_of[nugget])
            for aspect in aspects
            for doc in chance.sample(list(WORDS), 5)
            for nugget in chance.sample(list(rating_of), chance.choice([1, 1, 2]))
        ]
        docs, turns = chance.sample(list(WORDS), 16), []
        for _ in range(chance.randint(1, 4)):
            size = chance.choice([0, 2, 5])
            turns.append([docs.pop() for _ in range(min(size, len(docs)))])
        turns.append([docs.pop()])  # the scorer knows of iterations up to the last with results
        lists[f"t{t}"] = Search(turns, aspects, passages)
    top = max(s.rating(doc, aspect) for s in lists.values() for doc in s.judged for aspect in s.aspects)
    lists = {topic: replace(s, top=top) for topic, s in lists.items()}
    columns = ["topic", "subtopic", "doc", "passage", "rating", "nugget"]
    rows = [
        (topic, aspect, doc, f"p{i}", rating, nugget)
        for topic, s in lists.items()
        for i, (aspect, doc, nugget, rating) in enumerate(s.passages)
    ]
    truth = PassageQrels(
        pl.DataFrame(rows, schema=columns, orient="row"), {t: tuple(s.aspects) for t, s in lists.items()}
    )
    run = dynamic_run({topic: s.turns for topic, s in lists.items()})
    return ia.score(run, truth, metrics, lengths=WORDS), lists


def poured(s: Search, k: int | None, gamma: float = 0.5, MH: float = 5.0) -> list[float]:
    """What each result of the first k iterations adds to the cube, with aspects of equal area."""
    height, number, added = dict.fromkeys(s.aspects, 0.0), dict.fromkeys(s.aspects, 0), []
    for _, _, doc in s.results(k):
        total = 0.0
        for a in s.aspects:
            if s.rating(doc, a) and height[a] < MH:
                part = min(gamma ** (number[a] + 1) * s.rating(doc, a), MH - height[a])
                height[a], number[a], total = height[a] + part, number[a] + 1, total + part / len(s.aspects)
        added.append(total)
    return added


@transcribes(searches, "CT", "CT@2", "CT(gamma=0.8,MH=3.0)@3")
def CT(s: Search, gamma: float = 0.5, MH: float = 5.0, k: int | None = None) -> float:
    return sum(poured(s, k, gamma, MH)) / (MH * len(s.turns[:k]))


@transcribes(searches, "CT(dialect='paper')", "CT(dialect='paper',MH=0.7)@2")
def CT_of_the_paper(s: Search, dialect: str, MH: float = 5.0, k: int | None = None) -> float:
    """Equation 7 of albahem2018: relevance on a scale from 0 to 1; an aspect is full once relevances add up to MH."""
    total, docs = 0.0, [doc for _, _, doc in s.results(k)]
    for i, doc in enumerate(docs):
        for a in s.aspects:
            before = [s.rating(other, a) / s.top for other in docs[:i]]
            if sum(before) < MH:
                total += s.rating(doc, a) / s.top * 0.5 ** sum(each > 0 for each in before) / len(s.aspects)
    return total / len(s.turns[:k])


@transcribes(searches, "ACT", "ACT@2")
def ACT(s: Search, k: int | None = None) -> float:
    """An iteration without results counts as one result that adds nothing."""
    parts, filled, speeds = iter(poured(s, k)), 0.0, []
    for q, docs in enumerate(s.turns[:k], 1):
        for _ in docs or [None]:
            filled += next(parts) if docs else 0.0
            speeds.append(filled / (5.0 * q))
    return sum(speeds) / len(speeds)


@transcribes(searches, "nCT", "nCT@2")
def nCT(s: Search, k: int | None = None) -> float:
    """The bound has 5K + 1 documents, and the best one about an aspect is not discounted."""
    K = k or len(s.turns)
    bound = 0.0
    for a in s.aspects:
        best = sorted((s.rating(doc, a) for doc in s.judged), reverse=True)[: 5 * K + 1]
        bound += min(5.0, sum(rating * 0.5**i for i, rating in enumerate(best))) / len(s.aspects)
    return ratio(CT(s, k=k), bound / (5.0 * K))


def by_place(i: int, base: float) -> float:
    """The jig's discount of a rank or an iteration."""
    return 1 / (1 + log(i) / log(base))


@transcribes(searches, "sDCG", "sDCG@2")
def sDCG(s: Search, k: int | None = None) -> float:
    return sum(s.total(doc) * by_place(i, 2) * by_place(q, 4) for q, i, doc in s.results(k))


@transcribes(searches, "nsDCG", "nsDCG@2")
def nsDCG(s: Search, k: int | None = None) -> float:
    """The largest totals at the places with the largest discounts, five per iteration."""
    K = k or len(s.turns)
    places = sorted((by_place(i, 2) * by_place(q, 4) for q in range(1, K + 1) for i in range(1, 6)), reverse=True)
    totals = sorted((s.total(doc) for doc in s.judged), reverse=True)
    return ratio(sDCG(s, k), sum(total * place for total, place in zip(totals, places, strict=False)))


def worth(times: float, gamma: float) -> float:
    """What it is worth to meet a nugget this many times."""
    return (1 - gamma**times) / (1 - gamma)


@transcribes(searches, "EU", "EU@2", "EU(gamma=0.7,a=0.002,p=0.3)@3")
def EU(s: Search, gamma: float = 0.5, a: float = 0.001, p: float = 0.5, k: int | None = None) -> float:
    met: dict[str, float] = {}
    for _, i, doc in s.results(k):
        for _, d, nugget, _ in s.passages:
            if d == doc:
                met[nugget] = met.get(nugget, 0.0) + (1 - p) ** (i - 1)
    rating = {nugget: each for _, _, nugget, each in s.passages}
    learned = sum(rating[nugget] * worth(times, gamma) for nugget, times in met.items())
    read = 0.0
    for docs in s.turns[:k]:
        for i in range(1, len(docs) + 1):
            stop = (1 - p) ** (i - 1) * (1.0 if i == len(docs) else p)
            read += stop * sum(WORDS[doc] for doc in docs[:i])
    return learned - a * read


@transcribes(searches, "nEU", "nEU@2")
def nEU(s: Search, k: int | None = None) -> float:
    """The bounds of the jig; its lists of the shortest or longest documents have empty places in the last one."""
    K, p, a = k or len(s.turns), 0.5, 0.001

    def words(lengths: list[float]) -> float:
        count = min(len(lengths), 5 * K)
        places = [i for i in range(5) for _ in range(K if i <= count % 5 else K - 1)][:count]
        return sum(length * (1 - p) ** i for length, i in zip(lengths, places, strict=False))

    high = 0.0
    for nugget, rating in {(nugget, rating) for _, _, nugget, rating in s.passages}:
        count = min(5 * K, len({doc for _, doc, n, _ in s.passages if n == nugget}))
        met = count // 5 * sum((1 - p) ** i for i in range(5)) + sum((1 - p) ** i for i in range(count % 5))
        high += rating * worth(met, 0.5)
    lengths = sorted(WORDS.values())
    low, high = -a * words(lengths[::-1]), high - a * words(lengths)
    return (EU(s, k=k) - low) / (high - low)


@transcribes(searches, "TotTime", "TotTime@2")
def TotTime(s: Search, k: int | None = None) -> float:
    return sum(seconds(WORDS[doc], int(doc in s.judged)) for _, _, doc in s.results(k))
