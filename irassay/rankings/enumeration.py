"""Every ranking up to a depth, as batches: strings over the kinds of documents.

A kind is a letter: a, b, … for a document about that aspect, x for one about no aspect; or a document's grade.
Strings are counted by length and then letter by letter, so the strings that extend string i by one letter are
q*i + 1 to q*i + q, and no string is ever looked up.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools
from irassay.errors import InputError
from irassay.rankings.batch import Rankings, plain_arrays
from irassay.rankings.pool import Pool

Letters = NDArray[np.int8]
Indices = NDArray[Any]  # int64, or Python integers where there are more strings than int64 can count

ROWS = 1 << 14  # strings in a block: small enough for a batch to stay in cache
EMPTY = "∅"  # how the ranking without results is shown


@dataclass(frozen=True)
class Space:
    """All strings up to `depth` letters over kinds of documents, and the number of judged documents of each kind."""

    letters: tuple[str, ...]  # [q] the name of each kind
    grades: tuple[tuple[int, ...], ...]  # [q][a] grade of each kind for each aspect
    judged: tuple[int, ...]  # [q] documents of each kind in the pool; any more are unjudged
    depth: int
    weights: tuple[float, ...]  # [a] share of each aspect
    max_grade: int = 1

    @classmethod
    def of(
        cls,
        aspects: int | None = 2,
        depth: int = 10,
        *,
        grades: int = 1,
        pool: int | None = None,
        weights: Sequence[float] | None = None,
        multi_aspect: bool = False,
    ) -> "Space":
        """The strings over `aspects` aspects with grades up to `grades`; one aspect per document unless multi_aspect.

        None stands for two aspects, or for one if there are several grades.

        >>> two = Space.of(2, 3)
        >>> two.letters, two.size, two.text(7), two.index("abx")
        (('a', 'b', 'x'), 40, 'ba', 18)
        >>> Space.of(1, 2, grades=2).text(6), Space.of(2, 2, multi_aspect=True).letters
        ('0,2', ('a', 'b', 'ab', 'x'))
        """
        aspects = aspects or (2 if grades == 1 else 1)
        shares = _shares(aspects, weights)
        several = itertools.product(range(grades + 1), repeat=aspects)
        kinds = [kind for kind in several if any(kind) and (multi_aspect or sum(g > 0 for g in kind) == 1)]
        if aspects == 1 and grades > 1:
            kinds = [(0,), *kinds]
        else:
            kinds = [*sorted(kinds, key=lambda kind: (sum(g > 0 for g in kind), [-g for g in kind])), (0,) * aspects]
        known = depth if pool is None else pool
        return cls(
            letters=tuple(_name(kind, grades) for kind in kinds),
            grades=tuple(kinds),
            judged=tuple(known if any(kind) else depth for kind in kinds),
            depth=depth,
            weights=shares,
            max_grade=grades,
        )

    @property
    def q(self) -> int:
        """The number of kinds of documents."""
        return len(self.letters)

    @property
    def aspects(self) -> int:
        """The number of aspects of a topic."""
        return len(self.weights)

    @property
    def size(self) -> int:
        """The number of strings, the empty one included."""
        return self.first(self.depth + 1)

    @property
    def even(self) -> bool:
        """Whether all aspects have the same weight, so that they are interchangeable."""
        return len(set(self.weights)) == 1

    @property
    def nothing(self) -> int:
        """The kind that is about no aspect."""
        return self.grades.index((0,) * self.aspects)

    @property
    def relevant(self) -> tuple[int, ...]:
        """The kinds that are about some aspect, from the worst to the best."""
        return tuple(sorted((c for c in range(self.q) if any(self.grades[c])), key=lambda c: max(self.grades[c])))

    @cached_property
    def worse(self) -> Bools:
        """[q, q] whether the first kind is nowhere better and somewhere worse than the second."""
        grade = np.array(self.grades)
        return np.all(grade[:, None] <= grade[None], axis=2) & np.any(grade[:, None] < grade[None], axis=2)

    @cached_property
    def one_worse(self) -> Bools:
        """[q, q] whether the first kind is worse than the second with no kind between them."""
        between = (self.worse.astype(np.int64) @ self.worse.astype(np.int64)) > 0
        return self.worse & ~between

    def first(self, length: int) -> int:
        """The index of the first string of a length."""
        return (self.q**length - 1) // (self.q - 1)

    def blocks(self, rows: int = ROWS) -> list[tuple[int, int, int]]:
        """(length, start, stop) of blocks of strings of one length, shortest first; they count within a length."""
        return [
            (length, start, min(start + rows, self.q**length))
            for length in range(self.depth + 1)
            for start in range(0, self.q**length, rows)
        ]

    def strings(self, length: int, start: int = 0, stop: int | None = None) -> "Strings":
        """The strings of one length, or the part of them from `start` to `stop`."""
        place = np.arange(start, self.q**length if stop is None else stop, dtype=np.int64)
        letters = np.empty((len(place), length), dtype=np.int8)
        rest = place
        for i in reversed(range(length)):
            prefix = rest // self.q
            letters[:, i] = rest - prefix * self.q  # faster than %
            rest = prefix
        return Strings(self, place + self.first(length), letters)

    def strings_from_letters(self, letters: Letters) -> "Strings":
        """Strings [n, length] of one length given by their letters, however deep."""
        dtype: Any = np.int64 if self.size < 2**62 else object
        index = np.zeros(len(letters), dtype=dtype)
        for column in letters.T:
            index = index * self.q + 1 + column.astype(dtype)
        return Strings(self, index, letters)

    def decoded(self, index: int) -> tuple[int, ...]:
        """The letters of one string."""
        letters: list[int] = []
        while index > 0:
            index, letter = divmod(int(index) - 1, self.q)
            letters.append(letter)
        return tuple(reversed(letters))

    def text(self, index: int) -> str:
        """A string in readable form: 'abx', or '1,0,2' where a kind takes more than one letter."""
        names = [self.letters[c] for c in self.decoded(index)]
        return self.comma.join(names) or EMPTY

    def index(self, text: str) -> int:
        """The index of a string in readable form."""
        text = "" if text == EMPTY else text
        names = text.split(self.comma) if self.comma and text else list(text)
        unknown = [name for name in names if name not in self.letters]
        if unknown:
            raise InputError(f"'{text}' has an unknown letter '{unknown[0]}'. Letters: {', '.join(self.letters)}.")
        return self.index_of_letters([self.letters.index(name) for name in names])

    def index_of_letters(self, letters: Sequence[int]) -> int:
        """The index of the string with these letters, the inverse of `decoded`."""
        index = 0
        for letter in letters:
            index = index * self.q + 1 + letter
        return index

    @property
    def comma(self) -> str:
        """The separator between letters: none, or a comma where a kind takes more than one letter."""
        return "" if all(len(name) == 1 and name.isalpha() for name in self.letters) else ","

    @cached_property
    def table(self) -> Letters:
        """[q, a] the grade of each kind for each aspect."""
        return np.array(self.grades, dtype=np.int8)

    @cached_property
    def pool(self) -> Pool:
        """One topic with every judged document; all batches share it, and with it the ideal rankings."""
        kinds = np.repeat(np.arange(self.q), self.judged)
        aspects = self.table[kinds][None]
        grade = aspects.max(axis=2).astype(np.float64)
        return Pool(grade, np.array([len(kinds)]), aspects, np.array([self.weights]))

    def rankings(self, letters: Letters, lengths: NDArray[np.int64] | None = None) -> Rankings:
        """The batch of strings [n, length]; with `lengths` [n], each cut to its length."""
        n, columns = letters.shape
        if columns == 0:  # a column past the end, for metrics that look at the first result
            letters, lengths = np.full((n, 1), self.nothing, dtype=np.int8), np.zeros(n, dtype=np.int64)
        retrieved = np.full(n, columns) if lengths is None else lengths
        top = self.table.max(axis=1).astype(np.float64)
        if lengths is None and min(self.judged) >= columns:
            kind = letters.astype(np.intp)
            judged, grade, aspects = np.ones(kind.shape, dtype=bool), top.take(kind), self.table.take(kind, axis=0)
        else:
            inside = np.arange(letters.shape[1]) < retrieved[:, None]
            judged = inside & (self._place(letters) <= np.array(self.judged)[letters])
            grade, aspects = top[letters] * judged, self.table[letters] * judged[:, :, None]
        return Rankings(
            grade=grade,
            judged=judged,
            retrieved=retrieved,
            topic=np.zeros(n, dtype=np.int64),
            pool=self.pool,
            max_grade=float(self.max_grade),
            **plain_arrays(n, letters.shape[1]),
            aspects=aspects,
            carries=frozenset({"aspects", "turns", "weights"}),
        )

    def _place(self, letters: Letters) -> NDArray[Any]:
        """[n, length] the number of documents of the same kind up to each one; 0 if every kind has enough."""
        if min(self.judged) >= letters.shape[1]:
            return np.zeros((1, 1), dtype=np.int64)
        place = np.zeros(letters.shape, dtype=np.int64)
        for c in range(self.q):
            here = letters == c
            place += here * here.cumsum(axis=1)
        return place


@dataclass(frozen=True, eq=False)
class Strings:
    """Some strings of one length: the input of an axiom, with the indices of the strings and of their neighbours."""

    space: Space
    index: Indices  # [n]
    letters: Letters  # [n, length]

    @property
    def length(self) -> int:
        """The number of letters of each string."""
        return self.letters.shape[1]

    @property
    def room(self) -> bool:
        """Whether a letter can be added."""
        return self.length < self.space.depth

    @cached_property
    def covered(self) -> Bools:
        """[n, a] whether the string has a document about each aspect."""
        bit = 1 << np.arange(self.space.aspects)
        about = ((self.space.table > 0) @ bit).astype(np.uint8)  # [q] its aspects, a bit each
        found = np.zeros(len(self.letters), dtype=np.uint8)
        for column in self.letters.T:
            found |= about[column]
        return (found[:, None] & bit) > 0

    def then(self, letter: int) -> Indices:
        """[n] the strings with a letter added at the end."""
        return self.index * self.space.q + 1 + letter

    def put(self, i: int, letter: int) -> Indices:
        """[n] the strings with the letter at place i (from 0) replaced."""
        step = self.space.q ** (self.length - 1 - i)
        return self.index + (letter - self.letters[:, i].astype(self.index.dtype)) * step

    def exchanged(self, i: int, j: int) -> Indices:
        """[n] the strings with the letters at places i and j exchanged."""
        here, there = (self.letters[:, place].astype(self.index.dtype) for place in (i, j))
        q, last = self.space.q, self.length - 1
        return self.index + (there - here) * q ** (last - i) + (here - there) * q ** (last - j)

    def below(self, i: int, j: int) -> Bools:
        """[n] whether the document at place i is worse than the one at place j."""
        return self.space.worse[self.letters[:, i], self.letters[:, j]]

    def rankings(self) -> Rankings:
        """The strings as a batch."""
        return self.space.rankings(self.letters)

    def __iter__(self) -> NoReturn:
        raise InputError(
            "Rankings cannot be iterated one by one. s.index and s.letters hold all of them, one row each, and s.then, "
            "s.put and s.exchanged give their neighbours (docs/axioms.md)."
        )


def _name(kind: tuple[int, ...], grades: int) -> str:
    if len(kind) == 1 and grades > 1:
        return str(kind[0])
    names = [chr(ord("a") + a) + (str(g) if grades > 1 else "") for a, g in enumerate(kind) if g]
    return "".join(names) or "x"


def _shares(aspects: int, weights: Sequence[float] | None) -> tuple[float, ...]:
    if weights is None:
        return (1 / aspects,) * aspects
    if len(weights) != aspects or min(weights) <= 0:
        text = f"weights={tuple(weights)}: expected {aspects} numbers above 0, one for each aspect."
        raise InputError(text, argument="weights")
    return tuple(weight / sum(weights) for weight in weights)


def string_blocks(space: Space, rows: int = ROWS) -> Iterator[Strings]:
    """Every string there is, block by block, shortest first."""
    return (space.strings(*block) for block in space.blocks(rows))
