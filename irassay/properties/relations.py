"""Properties: which of two rankings common sense holds to be no better than the other.

A property is a function of some enumerated rankings that yields pairs of index arrays (worse, better). A metric
breaks it where it scores the worse one higher. The first sentence of the docstring says what should be.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irassay.enumerate import Indices, Strings
from irassay.errors import InputError

Pairs = tuple[Indices, Indices]  # (worse, better), each [pairs]
Relation = Callable[..., Iterable[Pairs]]

AXIOMS: dict[str, "Axiom"] = {}
STRICT = "strict_"


@dataclass(frozen=True)
class Axiom:
    """A property of rankings two by two."""

    name: str
    title: str
    relation: Relation
    cite: tuple[str, ...] = ()
    strict: bool = False  # the better ranking must score more, not just as much

    @property
    def sized(self) -> bool:
        """Whether the property speaks of the first k results, k the metric's cutoff."""
        return "k" in inspect.signature(self.relation).parameters

    @property
    def summary(self) -> str:
        """What should be, in a sentence."""
        return " ".join((inspect.getdoc(self.relation) or "").split("\n\n")[0].split())

    def pairs(self, s: Strings, k: int | None = None) -> Iterator[Pairs]:
        """The pairs (worse, better) that the property finds in, or next to, some strings."""
        found = self.relation(s, k=s.space.depth if k is None else k) if self.sized else self.relation(s)
        for worse, better in found or ():
            if len(worse) != len(better):
                raise InputError(f"{self.name} ({self.at}) yields {len(worse)} worse and {len(better)} better rankings")
            if len(worse):
                low, high = min(worse.min(), better.min()), max(worse.max(), better.max())
                if low < 0 or high >= s.space.size:
                    raise InputError(f"{self.name} ({self.at}) names a ranking of more than {s.space.depth} results")
                yield worse, better

    @property
    def at(self) -> str:
        """Where the function was written: file and line."""
        code = inspect.unwrap(self.relation).__code__
        return f"{code.co_filename}, line {code.co_firstlineno}"

    def strictly(self) -> "Axiom":
        """The variant under which equal scores break the property too."""
        return (
            self if self.strict else replace(self, name=STRICT + self.name, title=f"strict {self.title}", strict=True)
        )


def axiom(
    name: str, cite: str | tuple[str, ...] = (), *, title: str = "", strict: bool = False
) -> Callable[[Relation], Axiom]:
    """Registers a function of enumerated rankings that yields pairs (worse, better) as a property.

    A parameter `k` receives the metric's cutoff.
    """

    def register(relation: Relation) -> Axiom:
        if not inspect.getdoc(relation):
            raise InputError(f"{name}: say in a docstring what should be, in one sentence ending with a full stop")
        if not name.isidentifier() or name.startswith(STRICT):
            raise InputError(f"'{name}' cannot be a property's name; use letters, digits and underscores")
        if name in AXIOMS:
            raise InputError(f"there is a property {name} already ({AXIOMS[name].at})")
        cited = (cite,) if isinstance(cite, str) else tuple(cite)
        AXIOMS[name] = Axiom(name, title or name.replace("_", " "), relation, cited, strict)
        return AXIOMS[name]

    return register


def spelled(name: str) -> str:
    """A property's name as registered: any case, with hyphens or spaces for underscores."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def named(name: str, others: Sequence[str] = ()) -> Axiom:
    """The property of a name; `strict_` before it asks for its strict variant. `others` are names that exist too."""
    key = spelled(name)
    bare = key.removeprefix(STRICT)
    by_title = {spelled(known.title): known for known in AXIOMS.values()}
    found = AXIOMS.get(bare) or by_title.get(bare)
    if found is None:
        known = [*AXIOMS, *others]
        near = difflib.get_close_matches(bare, known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
        raise InputError(f"there is no property '{name}'; {hint}")
    return found if key == bare else found.strictly()


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

    Where aspects differ in weight, the new one must weigh no less; where a document has several, or grades, both
    documents have as many and the same.
    """
    if not s.room:
        return
    table, weights = s.space.table, np.array(s.space.weights)
    for p in s.space.relevant:
        for n in s.space.relevant:
            alike = sorted(table[p]) == sorted(table[n])
            if alike and weights[table[n] > 0].sum() >= weights[table[p] > 0].sum() - 1e-12:
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
    for i in range(s.length):
        yield from one_step_up(s, i)


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
    for i in range(min(k, s.length)):
        yield from one_step_up(s, i)


@axiom("top_weightedness", cite="moffat2013", title="top-weightedness", strict=True)
def top_weightedness(s: Strings, k: int) -> Iterator[Pairs]:
    """A better result moved up past the worse one just above it, both among the first k, should raise the score."""
    for i in range(min(k, s.length) - 1):
        rows = s.below(i, i + 1)
        yield s.index[rows], s.exchanged(i, i + 1)[rows]


def one_step_up(s: Strings, i: int) -> Iterator[Pairs]:
    """The strings with the document at place i made better by one step."""
    for low, high in np.argwhere(s.space.one_worse).tolist():
        rows = s.letters[:, i] == low
        yield s.index[rows], s.put(i, high)[rows]
