"""Random rankings with every kind of edge, and the registry of transcriptions."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import irassay as ia

Loop = Callable[..., float]
Scorer = Callable[[list[str]], tuple[ia.Scores, Mapping[str, Any]]]

TOP = 3  # of the scale of grades
LOOPS: dict[str, tuple[Scorer, Loop]] = {}  # by metric: what scores its lists, and the loop that scores one list


def transcribes(scorer: Scorer, *metrics: str) -> Callable[[Loop], Loop]:
    """Registers a loop as the transcription of these metrics' formula.

    The loop gets a list of the scorer, the parameters that the metric's string has, and the cutoff as k.
    """

    def register(loop: Loop) -> Loop:
        assert not LOOPS.keys() & {*metrics}
        LOOPS.update(dict.fromkeys(metrics, (scorer, loop)))
        return loop

    return register


@dataclass(frozen=True)
class RankedList:
    """The documents of one list from the top, and the grades of the topic's judged documents."""

    docs: list[str]
    judged: dict[str, int]

    @cached_property
    def x(self) -> list[int]:
        """Grades from the top; 0 for unjudged results and for grades below 0."""
        return [max(0, self.judged.get(doc, 0)) for doc in self.docs]

    @cached_property
    def b(self) -> list[int]:
        """1 where the result is relevant, 0 elsewhere."""
        return [int(x >= 1) for x in self.x]

    @cached_property
    def g(self) -> list[float]:
        """Linear gains: grades divided by the top of the scale."""
        return [x / TOP for x in self.x]

    @cached_property
    def B(self) -> list[int]:
        """Relevant results so far."""
        return list(accumulate(self.b))

    @property
    def n(self) -> int:
        """The length of the list."""
        return len(self.docs)

    @property
    def R(self) -> int:
        """The topic's relevant documents."""
        return sum(grade >= 1 for grade in self.judged.values())

    @property
    def best(self) -> list[int]:
        """The grades of the ideal list: all judged documents, best first."""
        return sorted((max(0, grade) for grade in self.judged.values()), reverse=True)

    def is_rejected(self, doc: str) -> bool:
        """Whether a document is judged not relevant; a grade below 0 means pooled and not judged."""
        return 0 <= self.judged.get(doc, -1) < 1

    def top(self, k: int) -> "RankedList":
        """The list cut after k results."""
        return RankedList(self.docs[:k], self.judged)


def random_lists(count: int = 200) -> dict[str, RankedList]:
    """Lists by topic: short ones, topics with nothing relevant, unjudged results, grades below 0."""
    chance = random.Random(26)
    lists = {}
    for t in range(count):
        docs = [f"d{i:02}" for i in range(chance.choice([1, 4, 12, 30]))]
        grades = [0] if t % 9 == 0 else [-2, -1, 0, 0, 1, 2, 3]
        judged = {doc: chance.choice(grades) for doc in docs if chance.random() < 0.7} or {docs[0]: 0}
        lists[f"t{t}"] = RankedList(chance.sample(docs, chance.randint(1, len(docs))), judged)
    return lists


def plain(metrics: list[str]) -> tuple[ia.Scores, Mapping[str, Any]]:
    """Scores of plain lists, and the lists by topic."""
    lists = random_lists()
    run = {topic: {doc: -float(i) for i, doc in enumerate(r.docs)} for topic, r in lists.items()}
    return ia.score(run, {topic: r.judged for topic, r in lists.items()}, metrics, max_grade=TOP), lists


def ratio(part: float, whole: float) -> float:
    """part / whole; 0 without a whole."""
    return part / whole if whole else 0.0
