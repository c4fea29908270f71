"""A search for violations among too many rankings to enumerate: hill climbing from random rankings.

Every round scores some new random rankings, and some that differ by a few edits from those that came closest to
breaking the axiom or broke it most. The result is a sample: finding no violation does not prove that there is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product

import numpy as np

from irassay.arrays import Ints
from irassay.meta.axioms.enumerated_scores import tolerance
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.witness import Pair, Witness, aspect_renamings, canonical_pair, distinct_pairs, pair_order
from irassay.metrics.metric import Metric
from irassay.parallel import check_cancelled, map_blocks
from irassay.rankings.batch import Rankings
from irassay.rankings.enumeration import Indices, Letters, Space

RANKINGS_PER_ROUND = 256
PAIRS_PER_ROUND = 1024
LENGTHS_PER_ROUND = 4  # different lengths of the random rankings
ELITE_PAIRS = 64  # pairs whose neighbours are tried next
EDITS = ("put", "insert", "delete", "swap", "add")

String = tuple[int, ...]


@dataclass
class Search:
    """The state of one search."""

    metric: Metric
    axiom: Axiom
    space: Space
    rng: np.random.Generator
    margin: dict[Pair, float] = field(default_factory=dict)  # of every pair compared
    score: dict[int, float] = field(default_factory=dict)  # of every ranking scored

    def compare_pairs(self, strings: Sequence[String], limit: int = PAIRS_PER_ROUND) -> None:
        """Score the pairs that the axiom relates among, or next to, some strings; at most `limit` of them."""
        pairs = [pair for pair in self.related_pairs(strings, limit) if pair not in self.margin and 0 not in pair]
        new = [index for index in dict.fromkeys(i for pair in pairs for i in pair) if index not in self.score]
        if new:
            scores = self.metric.score(string_batch(self.space, [self.space.decoded(index) for index in new]))
            self.score.update(zip(new, scores.tolist(), strict=True))
        sign = 1 if self.metric.declaration.higher_is_better else -1
        self.margin |= {(w, b): sign * (self.score[w] - self.score[b]) for w, b in pairs}

    def related_pairs(self, strings: Sequence[String], limit: int) -> list[Pair]:
        """The pairs that the axiom relates among some strings of any length, each once; a sample if too many."""
        sides: list[tuple[Indices, Indices]] = []
        for length in sorted({len(string) for string in strings}):
            of_length = [string for string in strings if len(string) == length]
            batch = self.space.strings_from_letters(np.array(of_length, dtype=np.int8).reshape(len(of_length), length))
            sides += self.axiom.pairs(batch, self.metric.size)
        if not sides:
            return []
        worse, better = (np.concatenate(side) for side in zip(*sides, strict=True))
        if len(worse) > limit:
            chosen = np.sort(self.rng.choice(len(worse), limit, replace=False))
            worse, better = worse[chosen], better[chosen]
        return list(dict.fromkeys(zip(map(int, worse), map(int, better), strict=True)))

    def elite_pairs(self) -> list[Pair]:
        """The pairs that break the axiom most, or come closest to that."""
        return sorted(self.margin, key=lambda pair: -self.margin[pair])[:ELITE_PAIRS]

    def violations(self) -> list[Pair]:
        """The pairs that break the axiom, shortest first."""
        tie = tolerance(np.array(list(self.score.values())))
        strict = self.axiom.strict
        broken = (pair for pair, margin in self.margin.items() if (margin >= -tie if strict else margin > tie))
        return sorted(broken, key=partial(pair_order, self.space))

    def shorten_shortest_violation(self) -> None:
        """Delete letters from the shortest violation for as long as what is left still breaks the axiom."""
        shortest = None
        while (broken := self.violations()) and broken[0] != shortest:
            shortest = broken[0]
            parts = [self.space.decoded(index) for index in shortest]
            cuts = {string[:i] + string[i + 1 :] for string in parts for i in range(len(string))}
            self.compare_pairs(sorted(cuts | {cut[:-1] for cut in cuts}), limit=20 * PAIRS_PER_ROUND)

    def canonical_violations(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs in canonical form, each if that form breaks the axiom too."""
        renamings = aspect_renamings(self.space)
        forms = [canonical_pair(self.space, pair, renamings) for pair in pairs]
        strings = {self.space.decoded(index) for form in forms for index in form}
        self.compare_pairs(sorted(strings | {string[:-1] for string in strings}), limit=20 * PAIRS_PER_ROUND)
        broken = set(self.violations())
        return [form if form in broken else pair for pair, form in zip(pairs, forms, strict=True)]


def sampled_counts(
    metrics: Sequence[Metric], axioms: Sequence[Axiom], space: Space, sample: int, witnesses: int, seed: int
) -> tuple[Ints, Ints, tuple[Witness, ...]]:
    """[metric, axiom] the different pairs compared, the violations among them, and the witnesses.

    They are the same for any number of jobs.
    """
    places = list(product(range(len(metrics)), range(len(axioms))))
    shared = list(metrics), list(axioms), space, sample, witnesses, seed
    searches = map_blocks(_search_counts, places, shared, doing="trying rankings")
    cases, violations, found = zip(*searches, strict=True)
    shape = len(metrics), len(axioms)
    return np.reshape(cases, shape), np.reshape(violations, shape), tuple(chain(*found))


def _search_counts(
    place: tuple[int, int], shared: tuple[list[Metric], list[Axiom], Space, int, int, int]
) -> tuple[int, int, list[Witness]]:
    """The pairs compared, the violations and the witnesses of one search for one metric and one axiom.

    There are rounds of random rankings and of neighbours of the elite; then the shortest violation is shortened.
    """
    (m, p), (metrics, axioms, space, sample, witnesses, seed) = place, shared
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=place))
    search = Search(metrics[m], axioms[p], space, rng)
    remaining = sample
    while remaining > 0:
        check_cancelled()
        size = min(RANKINGS_PER_ROUND, remaining)
        remaining -= size
        parents = [space.decoded(min(pair)) for pair in search.elite_pairs()]
        bred = size // 2 if parents else 0
        lengths = rng.integers(1, space.depth + 1, size=LENGTHS_PER_ROUND).tolist()
        fresh = [random_string(space, lengths[i % LENGTHS_PER_ROUND], rng) for i in range(size - bred)]
        near = [edited_string(parents[rng.integers(len(parents))], space, rng) for _ in range(bred)]
        search.compare_pairs(fresh + near)
    cases, violations = len(search.margin), len(search.violations())
    search.shorten_shortest_violation()
    pairs = search.canonical_violations(distinct_pairs(space, search.violations(), witnesses))
    return cases, violations, [Witness.of(search.metric, search.axiom, space, pair, search.score) for pair in pairs]


def random_string(space: Space, length: int, rng: np.random.Generator) -> String:
    """A random string with a random share of documents that are not relevant."""
    kinds = np.array(space.relevant)[rng.integers(len(space.relevant), size=length)]
    return tuple(np.where(rng.random(length) < rng.random(), space.nothing, kinds).tolist())


def edited_string(string: String, space: Space, rng: np.random.Generator) -> String:
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


def string_batch(space: Space, strings: Iterable[String]) -> Rankings:
    """Strings of any length as one batch."""
    rows = list(strings)
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    letters: Letters = np.full((len(rows), max(int(lengths.max(initial=0)), 1)), space.nothing, dtype=np.int8)
    for row, string in enumerate(rows):
        letters[row, : len(string)] = string
    return space.rankings(letters, lengths)
