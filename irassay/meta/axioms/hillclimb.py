"""A search for violations among rankings too many to enumerate: random ones, then their neighbours, uphill.

Every round scores some fresh random rankings and some that differ by a few edits from those that came closest to
breaking the property, or broke it most. What is found is a sample, and finding nothing proves nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from irassay.meta.axioms.comparing import Pair
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.treescores import tolerance
from irassay.meta.axioms.witness import Witness, distinct, first_named, renamings
from irassay.metrics.metric import Metric
from irassay.parallel import check_cancelled, map_blocks
from irassay.rankings.batch import Rankings
from irassay.rankings.enumeration import Indices, Letters, Space

ROUND = 256  # rankings looked at in a round
PAIRS = 1024  # pairs of rankings compared in a round
LENGTHS = 4  # of the random rankings of a round
ELITE = 64  # pairs whose neighbours are looked at next
EDITS = ("put", "insert", "delete", "swap", "add")

String = tuple[int, ...]


@dataclass(frozen=True)
class Sampled:
    """What the search found of one metric and one property."""

    cases: int  # different pairs compared
    violations: int
    witnesses: tuple[Witness, ...]


@dataclass
class Search:
    """The state of one search."""

    metric: Metric
    axiom: Axiom
    space: Space
    rng: np.random.Generator
    margin: dict[Pair, float] = field(default_factory=dict)  # of every pair compared
    score: dict[int, float] = field(default_factory=dict)  # of every ranking scored

    def look(self, strings: Sequence[String], most: int = PAIRS) -> None:
        """Compares the pairs that the property finds in, or next to, some strings; at most so many of them."""
        pairs = [pair for pair in self.pairs(strings, most) if pair not in self.margin and 0 not in pair]
        new = [index for index in dict.fromkeys(i for pair in pairs for i in pair) if index not in self.score]
        if new:
            scores = self.metric.score(batch(self.space, [self.space.decoded(index) for index in new]))
            self.score.update(zip(new, scores.tolist(), strict=True))
        sign = 1 if self.metric.declaration.higher_is_better else -1
        self.margin |= {(w, b): sign * (self.score[w] - self.score[b]) for w, b in pairs}

    def pairs(self, strings: Sequence[String], most: int) -> list[Pair]:
        """The pairs that the property finds in some strings of any length, each once; some of them if too many."""
        worse: list[Indices] = []
        better: list[Indices] = []
        for length in sorted({len(string) for string in strings}):
            of_length = [string for string in strings if len(string) == length]
            some = self.space.spelled(np.array(of_length, dtype=np.int8).reshape(len(of_length), length))
            for low, high in self.axiom.pairs(some, self.metric.size):
                worse.append(low)
                better.append(high)
        if not worse:
            return []
        lows, highs = np.concatenate(worse), np.concatenate(better)
        if len(lows) > most:
            chosen = np.sort(self.rng.choice(len(lows), most, replace=False))
            lows, highs = lows[chosen], highs[chosen]
        return list(dict.fromkeys(zip(map(int, lows), map(int, highs), strict=True)))

    def elite(self) -> list[Pair]:
        """The pairs that break the property most, or come closest to it."""
        return sorted(self.margin, key=lambda pair: -self.margin[pair])[:ELITE]

    def broken(self) -> list[Pair]:
        """The pairs that break the property, shortest first."""
        if not self.margin:
            return []
        least = tolerance(np.array(list(self.score.values())))
        strict = self.axiom.strict
        bad = (pair for pair, margin in self.margin.items() if (margin >= -least if strict else margin > least))
        return sorted(bad, key=lambda pair: (len(self.space.decoded(max(pair))), pair))

    def shrink(self) -> None:
        """Takes letters out of the shortest pair that breaks the property for as long as what is left breaks it."""
        shortest = None
        while (broken := self.broken()) and broken[0] != shortest:
            shortest = broken[0]
            parts = [self.space.decoded(index) for index in shortest]
            cuts = {string[:i] + string[i + 1 :] for string in parts for i in range(len(string))}
            self.look(sorted(cuts | {cut[:-1] for cut in cuts}), most=20 * PAIRS)

    def renamed(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs with the first aspects first, each where that breaks the property just as well."""
        names = renamings(self.space)
        forms = [first_named(self.space, pair, names) for pair in pairs]
        strings = {self.space.decoded(index) for form in forms for index in form}
        self.look(sorted(strings | {string[:-1] for string in strings}), most=20 * PAIRS)
        broken = set(self.broken())
        return [form if form in broken else pair for pair, form in zip(pairs, forms, strict=True)]


def climbed(
    metrics: Sequence[Metric],
    axioms: Sequence[Axiom],
    space: Space,
    sample: int,
    witnesses: int,
    seed: int,
) -> list[list[Sampled]]:
    """[metric][property] what a search of `sample` rankings finds; the same for any number of jobs."""
    work = [(m, p) for m in range(len(metrics)) for p in range(len(axioms))]
    shared = list(metrics), list(axioms), space, sample, witnesses, seed
    found = map_blocks(_search_result, work, shared, doing="trying rankings")
    return [found[m * len(axioms) : (m + 1) * len(axioms)] for m in range(len(metrics))]


def _search_result(place: tuple[int, int], shared: tuple[list[Metric], list[Axiom], Space, int, int, int]) -> Sampled:
    """What the search for one metric and one property finds; its draws belong to its place."""
    (m, p), (metrics, axioms, space, sample, witnesses, seed) = place, shared
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))
    return climb(Search(metrics[m], axioms[p], space, rng), sample, witnesses)


def climb(search: Search, sample: int, witnesses: int) -> Sampled:
    """One search: rounds of random rankings and neighbours of the best, then the shortest violation made shorter."""
    left = sample
    while left > 0:
        check_cancelled()
        size = min(ROUND, left)
        left -= size
        parents = [search.space.decoded(min(pair)) for pair in search.elite()]
        bred = size // 2 if parents else 0
        lengths = search.rng.integers(1, search.space.depth + 1, size=LENGTHS).tolist()
        fresh = [random_string(search.space, lengths[i % LENGTHS], search.rng) for i in range(size - bred)]
        near = [edited(parents[search.rng.integers(len(parents))], search.space, search.rng) for _ in range(bred)]
        search.look(fresh + near)
    tried, bad = len(search.margin), len(search.broken())
    search.shrink()
    pairs = search.renamed(distinct(search.space, search.broken(), witnesses))
    found = (Witness.of(search.metric, search.axiom, search.space, pair, search.score) for pair in pairs)
    return Sampled(tried, bad, tuple(found))


def random_string(space: Space, length: int, rng: np.random.Generator) -> String:
    """A string in which documents that are not relevant are rare, frequent or in between."""
    kinds = np.array(space.relevant)[rng.integers(len(space.relevant), size=length)]
    return tuple(np.where(rng.random(length) < rng.random(), space.nothing, kinds).tolist())


def edited(string: String, space: Space, rng: np.random.Generator) -> String:
    """The string after one to three random edits, no longer than the space is deep."""
    for _ in range(int(rng.integers(1, 4))):
        i, letter = int(rng.integers(len(string) + 1)), int(rng.integers(space.q))
        match EDITS[int(rng.integers(len(EDITS)))]:
            case "put" if i < len(string):
                string = (*string[:i], letter, *string[i + 1 :])
            case "insert" if len(string) < space.depth:
                string = (*string[:i], letter, *string[i:])
            case "delete" if len(string) > 1:
                string = string[:i] + string[i + 1 :]
            case "swap" if i + 1 < len(string):
                string = (*string[:i], string[i + 1], string[i], *string[i + 2 :])
            case "add" if len(string) < space.depth:
                string = (*string, letter)
    return string


def batch(space: Space, strings: Iterable[String]) -> Rankings:
    """Strings of any length as one batch."""
    rows = list(strings)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    letters: Letters = np.full((len(rows), max(int(lengths.max(initial=0)), 1)), space.nothing, dtype=np.int8)
    for row, string in enumerate(rows):
        letters[row, : len(string)] = string
    return space.rankings(letters, lengths)
