"""Axioms: each says of pairs of rankings which one should not score higher.

An axiom is a function of some enumerated rankings that yields pairs of index arrays (worse, better). A metric breaks it
on every pair of which it scores the worse ranking higher. The first sentence of the docstring says what should hold.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.declarations import doc, is_built_in
from irassay.errors import InputError
from irassay.prose import did_you_mean
from irassay.rankings.enumeration import Indices, Strings

Pairs = tuple[Indices, Indices]  # (worse, better), each [pairs]
Relation = Callable[..., Iterable[Pairs]]

AXIOMS: dict[str, "Axiom"] = {}
STRICT = "strict_"
STRICT_PHRASES = (  # how the sentence of a strict axiom says that a tie is not enough
    ("should not lower the score", "should raise the score"),
    ("should not raise the score", "should lower the score"),
    ("should not score above", "should score below"),
    ("should gain at least as much as", "should gain more than"),
)


@dataclass(frozen=True)
class Axiom:
    """A rule for pairs of rankings."""

    name: str
    title: str
    relation: Relation = field(repr=False)
    cite: tuple[str, ...] = ()
    strict: bool = False  # the better ranking must score higher; a tie breaks the axiom

    __axiom__ = True  # saved by its name

    def __reduce__(self) -> tuple[Any, ...]:  # pickled by its name, too
        return named_axiom, (self.name,)

    @cached_property
    def uses_cutoff(self) -> bool:
        """Whether the axiom is about the first k results, where k is the metric's cutoff."""
        return "k" in inspect.signature(self.relation).parameters

    @property
    def summary(self) -> str:
        """What should hold, in one sentence."""
        sentence = " ".join(doc(self.relation).split("\n\n")[0].split())
        if self.name.startswith(STRICT):
            for weak, strict in STRICT_PHRASES:
                sentence = sentence.replace(weak, strict)
        return sentence

    def pairs(self, s: Strings, k: int | None = None) -> Iterator[Pairs]:
        """The pairs (worse, better) that the axiom relates among, or next to, some rankings."""
        for value in self._yielded_values(s, k):
            worse, better = self._index_arrays(value)
            if len(worse) != len(better):
                counts = f"{len(worse)} worse and {len(better)} better rankings"
                raise InputError(f"{self.name} ({self.location}) yields {counts}; expected as many of each.")
            if len(worse):
                low, high = min(worse.min(), better.min()), max(worse.max(), better.max())
                if low < 0 or high >= s.space.size:
                    ranking = f"a ranking of more than {s.space.depth} results"
                    raise InputError(f"{self.name} ({self.location}) yields {ranking}; check s.room before s.then.")
                yield worse, better

    def _yielded_values(self, s: Strings, k: int | None) -> Iterator[Any]:
        """What the function yields; an error in a user's axiom names its file and line."""
        try:
            yield from (
                self.relation(s, k=s.space.depth if k is None else k) if self.uses_cutoff else self.relation(s)
            ) or ()
        except InputError as problem:
            raise InputError(f"{self._error_location(problem)}: {self.name}: {problem}") from None
        except Exception as problem:
            if is_built_in(self.relation):
                raise
            where = self._error_location(problem)
            raise InputError(f"{where}: {self.name}: {type(problem).__name__}: {problem}") from problem

    def _index_arrays(self, value: Any) -> Pairs:
        """A yielded value as two arrays of indices; InputError for anything else."""
        if isinstance(value, tuple | list) and len(value) == 2:
            worse, better = (side if isinstance(side, np.ndarray) else np.empty(0) for side in value)
            if all(side.ndim == 1 and side.dtype.kind in "iuO" for side in (worse, better)):
                return worse, better
        expected = "(worse, better), two arrays of indices such as s.index and s.then(letter) (docs/axioms.md)"
        raise InputError(f"{self.name} ({self.location}) yields {_description(value)}; expected {expected}.")

    def _error_location(self, problem: BaseException) -> str:
        """The innermost line of the axiom's file on the way to an error."""
        from traceback import walk_tb

        file = inspect.unwrap(self.relation).__code__.co_filename
        lines = [line for frame, line in walk_tb(problem.__traceback__) if frame.f_code.co_filename == file]
        return f"{file}, line {lines[-1]}" if lines else self.location

    @property
    def location(self) -> str:
        """The file and line of the function."""
        code = inspect.unwrap(self.relation).__code__
        return f"{code.co_filename}, line {code.co_firstlineno}"

    def strict_variant(self) -> "Axiom":
        """The variant that equal scores break too."""
        if self.strict:
            return self
        return replace(self, name=STRICT + self.name, title=f"strict {self.title}", strict=True)


@checks_arguments
def axiom(
    name: str, cite: str | tuple[str, ...] = (), *, title: str = "", strict: bool = False
) -> Callable[[Relation], Axiom]:
    """Register a function of enumerated rankings that yields pairs (worse, better) as an axiom.

    A parameter `k` receives the metric's cutoff.
    """

    def register(relation: Relation) -> Axiom:
        if not doc(relation):
            raise InputError(f"{name} has no docstring; say in one sentence what should hold.")
        if not name.isidentifier() or name.startswith(STRICT):
            fix = f"use letters, digits and underscores, and no {STRICT} in front"
            raise InputError(f"'{name}' cannot be the name of an axiom; {fix}.")
        if name in AXIOMS:
            raise InputError(f"There is already an axiom {name} ({AXIOMS[name].location}); use another name.")
        cited = (cite,) if isinstance(cite, str) else tuple(cite)
        AXIOMS[name] = Axiom(name, title or name.replace("_", " "), relation, cited, strict)
        return AXIOMS[name]

    return register


def axiom_key(name: str) -> str:
    """A name as axioms, checks and groups are registered: lower case, underscores for hyphens and spaces."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def named_axiom(name: str, others: Sequence[str] = ()) -> Axiom:
    """The axiom with this name; `strict_` in front gives its strict variant. `others` are names that exist besides."""
    key = axiom_key(name)
    bare = key.removeprefix(STRICT)
    by_title = {axiom_key(each.title): each for each in AXIOMS.values()}
    match = AXIOMS.get(bare) or by_title.get(bare)
    if match is None:
        names = [*AXIOMS, *others]
        hint = did_you_mean(bare, names)
        there = f"{hint} There are" if hint else "there are"
        raise InputError(f"There is no axiom '{name}'; {there} {', '.join(names)} (docs/axioms.md).", argument="axioms")
    return match if key == bare else match.strict_variant()


def _description(value: Any) -> str:
    if isinstance(value, tuple | list):
        inner = " and ".join(map(_description, value[:3]))
        return f"a {type(value).__name__} of {inner}" if value else "an empty tuple"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {list(value.shape)}"
    return f"{value!r}" if isinstance(value, str | int | float) else f"a {type(value).__name__}"


@axiom("relevance", cite="albahem2018", title="relevance monotonicity")
def relevance(s: Strings) -> Iterator[Pairs]:
    """A relevant result added at the end should not lower the score."""
    if s.room:
        for r in s.space.relevant:
            yield s.index, s.then(r)


@axiom("irrelevance", cite="albahem2018", title="irrelevance monotonicity")
def irrelevance(s: Strings) -> Iterator[Pairs]:
    """A result that is not relevant, added at the end, should not raise the score."""
    if s.room:
        yield s.then(s.space.nothing), s.index


@axiom("redundancy", cite="albahem2018")
def redundancy(s: Strings) -> Iterator[Pairs]:
    """A result on an aspect already seen, added at the end, should not score above one on an aspect not yet seen.

    If aspects differ in weight, the new one must not weigh less. If documents have several aspects, or grades, both
    documents have the same number of aspects with the same grades.
    """
    if not s.room:
        return
    table, weights = s.space.table, np.array(s.space.weights)
    for p in s.space.relevant:
        for n in s.space.relevant:
            same_grades = sorted(table[p]) == sorted(table[n])
            if same_grades and weights[table[n] > 0].sum() >= weights[table[p] > 0].sum() - 1e-12:
                rows = s.covered[:, table[p] > 0].all(axis=1) & ~s.covered[:, table[n] > 0].any(axis=1)
                yield s.then(p)[rows], s.then(n)[rows]


@axiom("priority", cite=("amigo2013", "amigo2018"))
def priority(s: Strings) -> Iterator[Pairs]:
    """A better result moved up past the worse one just above it should not lower the score."""
    for i in range(s.length - 1):
        rows = s.below(i, i + 1)
        yield s.index[rows], s.exchanged(i, i + 1)[rows]


@axiom("swap", cite="ferrante2015")
def swap(s: Strings) -> Iterator[Pairs]:
    """A better result exchanged with a worse one anywhere above it should not lower the score."""
    for i in range(s.length - 1):
        for j in range(i + 1, s.length):
            rows = s.below(i, j)
            yield s.index[rows], s.exchanged(i, j)[rows]


@axiom("replacement", cite="ferrante2015")
def replacement(s: Strings) -> Iterator[Pairs]:
    """A result replaced by one that is better by one step should not lower the score."""
    yield from one_step_up(s, s.length)


@axiom("top_heaviness", cite="amigo2013", title="top-heaviness")
def top_heaviness(s: Strings) -> Iterator[Pairs]:
    """A result moved up one place should gain at least as much as the same move loses further down.

    Two results are exchanged for the better at the top, and the same two for the worse below.
    """
    for i in range(s.length - 3):
        for j in range(i + 2, s.length - 1):
            same = (s.letters[:, i] == s.letters[:, j + 1]) & (s.letters[:, i + 1] == s.letters[:, j])
            rows = same & s.below(i, i + 1)
            yield s.index[rows], (s.exchanged(i, i + 1) + s.exchanged(j, j + 1) - s.index)[rows]


@axiom("monotonicity", cite="moffat2013", title="monotonicity (Moffat)")
def monotonicity(s: Strings) -> Iterator[Pairs]:
    """A result added at the end, relevant or not, should not lower the score."""
    if s.room:
        for letter in range(s.space.q):
            yield s.index, s.then(letter)


@axiom("convergence", cite="moffat2013", strict=True)
def convergence(s: Strings, k: int) -> Iterator[Pairs]:
    """A result among the first k replaced by a better one should raise the score."""
    yield from one_step_up(s, min(k, s.length))


@axiom("top_weightedness", cite="moffat2013", title="top-weightedness", strict=True)
def top_weightedness(s: Strings, k: int) -> Iterator[Pairs]:
    """A better result moved up past the worse one just above it, both among the first k, should raise the score."""
    for i in range(min(k, s.length) - 1):
        rows = s.below(i, i + 1)
        yield s.index[rows], s.exchanged(i, i + 1)[rows]


def one_step_up(s: Strings, k: int) -> Iterator[Pairs]:
    """The rankings with a document among the first k that can be one step better, and those with the better one."""
    for i, (low, high) in product(range(k), np.argwhere(s.space.one_worse).tolist()):
        rows = s.letters[:, i] == low
        yield s.index[rows], s.put(i, high)[rows]
