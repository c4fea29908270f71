"""Named checks of one metric: numeric properties of moffat2013, and thresholds.

Unlike a property, which relates rankings two by two, a check may vary the judgements, look at the user model, or
answer with a number.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.declarations import doc
from irassay.errors import InputError
from irassay.meta.axioms.treescores import tree_scores
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.prose import counted
from irassay.rankings.enumeration import Space

CHECKS: dict[str, "Check"] = {}


@dataclass(frozen=True)
class Finding:
    """What a check found."""

    holds: bool | None  # None: the check does not apply, or cannot tell
    sentence: str
    cases: int = 1
    violations: int = 0


@dataclass(frozen=True)
class Verdict:
    """What a check found of a metric."""

    metric: str
    check: "Check"
    finding: Finding


@dataclass(frozen=True, eq=False)
class Lab:
    """A metric with all its scores, as checks look at it."""

    metric: Metric
    space: Space
    scores: Floats  # [size]
    tolerance: float

    @property
    def name(self) -> str:
        """What stands for the metric in a finding's sentence, so that a view can put its label there."""
        return "{metrics}"

    @property
    def k(self) -> int:
        """The cutoff within the enumeration, or else its depth."""
        return min(self.metric.size or self.space.depth, self.space.depth)

    def under(self, judged: int) -> Floats:
        """[size] the scores if there were so many judged documents of every relevant kind."""
        return tree_scores(self.metric, with_pool(self.space, judged))

    def score(self, text: str) -> float:
        """The score of a string as people write it."""
        return float(self.scores[self.space.index(text)])


@dataclass(frozen=True)
class Check:
    """A named question about one metric."""

    __check__ = True  # saved by its name, and pickled

    name: str
    title: str
    function: Callable[[Lab], Finding]
    cite: tuple[str, ...]

    @property
    def summary(self) -> str:
        """What is asked, in a sentence."""
        return " ".join(doc(self.function).split("\n\n")[0].split())

    def __reduce__(self) -> tuple[Callable[[str], "Check"], tuple[str]]:
        return check_named, (self.name,)

    def of(self, lab: Lab) -> Verdict:
        """The answer for one metric."""
        name, found = str(lab.metric), self.function(lab)
        return Verdict(name, self, replace(found, sentence=Note(found.sentence, metrics=[name])))


def check_named(name: str) -> Check:
    """The check of this name, for saved results."""
    return CHECKS[name]


def check(name: str, cite: str, title: str = "") -> Callable[[Callable[[Lab], Finding]], Check]:
    """Registers a question about one metric; the first sentence of the docstring says what should be."""

    def register(function: Callable[[Lab], Finding]) -> Check:
        if name in CHECKS:
            raise InputError(f"there is a check {name} already")
        CHECKS[name] = Check(name, title or name.replace("_", " "), function, (cite,))
        return CHECKS[name]

    return register


def with_pool(space: Space, judged: int) -> Space:
    """The same strings with another number of judged documents of every relevant kind."""
    return replace(space, judged=tuple(judged if any(kind) else space.depth for kind in space.grades))


@check("boundedness", "moffat2013")
def boundedness(lab: Lab) -> Finding:
    """Every score should lie between bounds that are known beforehand."""
    low, high = lab.metric.range
    if not (np.isfinite(low) and np.isfinite(high)):
        side = "no upper bound" if np.isfinite(low) else "no lower bound" if np.isfinite(high) else "neither bound"
        return Finding(False, f"{lab.name} declares {side}.", lab.space.size)
    outside = (lab.scores < low - lab.tolerance) | (lab.scores > high + lab.tolerance)
    if outside.any():
        first = int(np.argmax(outside))
        where = f"{lab.scores[first]:.6g}, outside of {low:g} to {high:g}"
        said = f"{lab.name} scores {lab.space.text(first)} at {where}."
        return Finding(False, said, lab.space.size, int(outside.sum()))
    return Finding(True, f"All scores of {lab.name} lie from {low:g} to {high:g}.", lab.space.size)


@check("localisation", "moffat2013")
def localisation(lab: Lab) -> Finding:
    """The score should depend on the first k results only, and not on what else was judged."""
    space = lab.space
    part = np.arange(space.size)
    while (long := part >= space.first(lab.k + 1)).any():
        part = np.where(long, (part - 1) // space.q, part)
    deeper = np.abs(lab.scores - lab.scores[part]) > lab.tolerance
    if deeper.any():
        first = int(np.argmax(deeper))
        texts = f"{space.text(int(part[first]))} and {space.text(first)}"
        said = f"{lab.name} tells {texts} apart, whose first {lab.k} results are the same."
        return Finding(False, said, space.size, int(deeper.sum()))
    return from_the_ranking(lab)


@check("completeness", "moffat2013")
def completeness(lab: Lab) -> Finding:
    """There should be a score also where no document is relevant."""
    try:
        scores = lab.metric.score(with_pool(lab.space, 0).strings(lab.space.depth, 0, 1).rankings())
    except InputError as problem:
        return Finding(False, f"{lab.name} has no score where no document is relevant: {problem}", 1, 1)
    finite = bool(np.isfinite(scores).all())
    given = f"{scores[0]:.4g}" if finite else "no finite score"
    return Finding(finite, f"{lab.name} gives {given} where no document is relevant.", 1, int(not finite))


@check("realisability", "moffat2013")
def realisability(lab: Lab) -> Finding:
    """Some ranking of k results should reach the largest score there can be, however many documents are relevant."""
    metric, high, kinds = lab.metric, lab.metric.range[1], len(lab.space.relevant)
    if not np.isfinite(high):
        return Finding(None, f"{lab.name} declares no largest score.", 0)
    if metric.size is not None and metric.size > lab.space.depth:
        return Finding(None, f"The cutoff of {lab.name} lies deeper than the {lab.space.depth} results enumerated.", 0)
    few, many = 1, 2 * lab.k if metric.size is not None else max(1, lab.space.depth // kinds)
    best = {pool: float(lab.under(pool).max()) for pool in sorted({few, many})}
    short = [pool for pool in best if best[pool] < high - lab.tolerance]
    if not short:
        said = f"Some ranking gets {high:g} from {lab.name}, with {few} and {many} relevant of each kind."
        return Finding(True, said, 2)
    most = f"no ranking of {lab.k} gets more than {best[short[0]]:.4g} of {high:g} from {lab.name}"
    return Finding(False, f"With {short[0]} relevant of each kind, {most}.", 2, len(short))


@check("deepness", "amigo2013", "deepness threshold")
def deepness(lab: Lab) -> Finding:
    """From some depth n on, one relevant result at the top should be worth n of them below n others."""
    holds = [lab.score(deep) <= lab.score(top) + lab.tolerance for deep, top in _deep_and_top(lab)]
    if not holds:
        return Finding(None, f"Rankings of {lab.space.depth} are too short to try {lab.name}; it takes 2 results.", 0)
    least = next((n for n in range(1, len(holds) + 1) if all(holds[n - 1 :])), None)
    if least is None:
        deep = f"{counted(len(holds), 'relevant result')} below {counted(len(holds), 'other')}"
        return Finding(
            False, f"For {lab.name}, even {deep} outweigh one at the top.", len(holds), len(holds) - sum(holds)
        )
    said = f"For {lab.name}, one relevant result at the top is worth n of them below n others from n = {least} on."
    return Finding(True, said, len(holds))


@check("closeness", "amigo2013", "closeness threshold")
def closeness(lab: Lab) -> Finding:
    """For some n of at least 2, n relevant results below n others should be worth one at the top."""
    holds = [lab.score(top) <= lab.score(deep) + lab.tolerance for deep, top in _deep_and_top(lab)]
    if len(holds) < 2:
        return Finding(None, f"Rankings of {lab.space.depth} are too short to try {lab.name}; it takes 4 results.", 0)
    most = max((n for n in range(2, len(holds) + 1) if holds[n - 1]), default=None)
    if most is None:
        tried = f"whatever n from 2 to {len(holds)}" if len(holds) > 2 else "for n = 2"
        said = f"For {lab.name}, n relevant results below n others never make up for one at the top, {tried}."
        return Finding(False, said, len(holds) - 1, len(holds) - 1)
    said = f"For {lab.name}, n relevant results below n others are worth one at the top up to n = {most}."
    return Finding(True, said, len(holds) - 1)


def _deep_and_top(lab: Lab) -> list[tuple[str, str]]:
    """(x^n r^n, r x^(2n-1)) for every n that fits, r a document of the top grade."""
    space = lab.space
    r = space.letters[max(space.relevant, key=lambda c: (max(space.grades[c]), -c))]
    x, comma = space.letters[space.nothing], space.comma
    return [
        (comma.join([x] * n + [r] * n), comma.join([r] + [x] * (2 * n - 1))) for n in range(1, space.depth // 2 + 1)
    ]


def from_the_ranking(lab: Lab) -> Finding:
    """Whether the score stays the same when more or fewer other documents are judged relevant."""
    pool = max((lab.space.judged[c] for c in lab.space.relevant), default=0)
    cases = violations = 0
    said = f"{lab.name} is the same with 1, {pool} and {2 * pool} relevant documents of each kind."
    for other in (2 * pool, 1):
        within, scores = _within_pool(lab.space, min(pool, other)), lab.under(other)
        differs = within & (np.abs(scores - lab.scores) > lab.tolerance)
        if differs.any():
            first = int(np.argmax(differs))
            given = f"{lab.scores[first]:.4g} and {scores[first]:.4g}"
            said = (
                f"{lab.name} scores {lab.space.text(first)} at {given} with {pool} and {other} relevant of each kind."
            )
        cases, violations = cases + int(within.sum()), violations + int(differs.sum())
    return Finding(violations == 0, said, cases, violations)


def _within_pool(space: Space, pool: int) -> Bools:
    """[size] whether every document of the string was judged."""
    if pool >= space.depth:
        return np.ones(space.size, dtype=bool)
    parts = []
    for length in range(space.depth + 1):
        letters = space.strings(length).letters
        parts.append(np.all([(letters == c).sum(axis=1) <= pool for c in space.relevant], axis=0))
    return np.concatenate(parts)
