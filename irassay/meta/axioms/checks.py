"""Checks of one metric: the numeric properties of moffat2013, and the thresholds of amigo2013.

An axiom relates pairs of rankings. A check may also vary the judgements, look at the user model, or answer with a
number.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from irassay.arrays import Bools
from irassay.declarations import doc
from irassay.errors import InputError
from irassay.meta.axioms.enumerated_scores import MetricScores, with_pool
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.rankings.enumeration import Space

CHECKS: dict[str, "MetricCheck"] = {}


@dataclass(frozen=True)
class CheckFinding:
    """The answer of a check for one metric."""

    holds: bool | None  # None: the check does not apply, or cannot tell
    sentence: str
    cases: int = 1
    violations: int = 0


@dataclass(frozen=True)
class Verdict:
    """A metric, a check, and its answer."""

    metric: str
    check: "MetricCheck"
    finding: CheckFinding


CheckFunction = Callable[[MetricScores], CheckFinding]


@dataclass(frozen=True)
class MetricCheck:
    """A named question about one metric."""

    __check__ = True  # saved by its name, and pickled

    name: str
    title: str
    function: CheckFunction
    cite: tuple[str, ...]
    models_only: bool = False  # it is about the user model of a metric

    @property
    def summary(self) -> str:
        """What should hold, in one sentence."""
        return " ".join(doc(self.function).split("\n\n")[0].split())

    def __reduce__(self) -> tuple[Callable[[str], "MetricCheck"], tuple[str]]:
        return named_check, (self.name,)

    def verdict(self, scores: MetricScores) -> Verdict:
        """The answer for one metric."""
        metric = str(scores.metric)
        if self.models_only and not scores.metric.is_model:
            finding = CheckFinding(None, f"Not tested: {scores.name} is not defined by a probability of continuing.", 0)
        else:
            finding = self.function(scores)
        return Verdict(metric, self, replace(finding, sentence=Note(finding.sentence, metrics=[metric])))


def named_check(name: str) -> MetricCheck:
    """The check with this name."""
    return CHECKS[name]


def metric_check(
    name: str, cite: str, title: str = "", models_only: bool = False
) -> Callable[[CheckFunction], MetricCheck]:
    """Register a question about one metric; the first sentence of the docstring says what should hold."""

    def register(function: CheckFunction) -> MetricCheck:
        if name in CHECKS:
            raise InputError(f"There is already a check {name}; use another name.")
        CHECKS[name] = MetricCheck(name, title or name.replace("_", " "), function, (cite,), models_only)
        return CHECKS[name]

    return register


@metric_check("boundedness", "moffat2013")
def boundedness(scores: MetricScores) -> CheckFinding:
    """Every score should lie within bounds known in advance."""
    metric, space, values, slack = scores.metric, scores.space, scores.values, scores.tolerance
    low, high = metric.range
    if not (np.isfinite(low) and np.isfinite(high)):
        side = "no upper bound" if np.isfinite(low) else "no lower bound" if np.isfinite(high) else "no bounds"
        return CheckFinding(False, f"{scores.name} is declared with {side}.", space.size)
    outside = (values < low - slack) | (values > high + slack)
    if outside.any():
        first = int(np.argmax(outside))
        score = f"{scores.name} scores the ranking {space.text(first)} at {values[first]:.6g}"
        sentence = f"{score}, outside its declared range from {low:g} to {high:g}."
        return CheckFinding(False, sentence, space.size, int(outside.sum()))
    every = f"all {space.size:,} rankings of up to {count_phrase(space.depth, 'result')}"
    return CheckFinding(True, f"{scores.name} gives {every} scores between {low:g} and {high:g}.", space.size)


@metric_check("localisation", "moffat2013")
def localisation(scores: MetricScores) -> CheckFinding:
    """The score should depend only on the first k results, not on what else was judged."""
    space, values = scores.space, scores.values
    prefix = np.arange(space.size)
    while (longer := prefix >= space.first(scores.k + 1)).any():
        prefix = np.where(longer, (prefix - 1) // space.q, prefix)
    differs = np.abs(values - values[prefix]) > scores.tolerance
    if differs.any():
        first = int(np.argmax(differs))
        texts = f"the rankings {space.text(int(prefix[first]))} and {space.text(first)} different scores"
        start = f"first {count_phrase(scores.k, 'result')} {'is' if scores.k == 1 else 'are'}"
        sentence = f"{scores.name} gives {texts}, although their {start} the same."
        return CheckFinding(False, sentence, space.size, int(differs.sum()))
    return pool_finding(scores)


@metric_check("completeness", "moffat2013")
def completeness(scores: MetricScores) -> CheckFinding:
    """There should be a score even if no document is relevant."""
    metric, space = scores.metric, scores.space
    try:
        values = metric.score(with_pool(space, 0).strings(space.depth, 0, 1).rankings())
    except InputError as problem:
        return CheckFinding(False, f"{scores.name} has no score if no document is relevant: {problem}", 1, 1)
    finite = bool(np.isfinite(values).all())
    score = f"scores a ranking at {values[0]:.4g}" if finite else "gives a ranking no finite score"
    sentence = f"If no document is relevant, {scores.name} {score}."
    return CheckFinding(finite, sentence, 1, int(not finite))


@metric_check("realisability", "moffat2013")
def realisability(scores: MetricScores) -> CheckFinding:
    """Some ranking of k results should reach the highest possible score, however many documents are relevant."""
    metric, depth, high = scores.metric, scores.space.depth, scores.metric.range[1]
    if not np.isfinite(high):
        return CheckFinding(None, f"{scores.name} is declared without a highest score.", 0)
    if metric.size is not None and metric.size > depth:
        return CheckFinding(None, f"The cutoff of {scores.name} is deeper than the {depth} results enumerated.", 0)
    few, many = 1, 2 * scores.k if metric.size is not None else max(1, depth // len(scores.space.relevant))
    best = {pool: float(scores.values_with_pool(pool).max()) for pool in sorted({few, many})}
    results = count_phrase(scores.k, "result")
    short = [pool for pool in best if best[pool] < high - scores.tolerance]
    if not short:
        pools = relevant_phrase(scores.space, many)
        pools = f"if {pools}" if many == few else f"whether {few} or {pools}"
        reaches = f"some ranking of up to {results} reaches its highest score, {high:g}"
        return CheckFinding(True, f"By {scores.name}, {reaches}, {pools}.", 2)
    reached = f"no ranking of up to {results} scores above {best[short[0]]:.4g} by {scores.name}"
    sentence = f"If {relevant_phrase(scores.space, short[0])}, {reached}; its highest score is {high:g}."
    return CheckFinding(False, sentence, 2, len(short))


def relevant_phrase(space: Space, pool: int) -> str:
    """That so many documents of each relevant kind are in the pool.

    >>> relevant_phrase(Space.of(1, 2, grades=2), 6), relevant_phrase(Space.of(2, 2), 1)
    ('6 documents of each grade are relevant', '1 document of each aspect is relevant')
    """
    kind = "grade" if space.aspects == 1 else "aspect" if len(space.relevant) == space.aspects else "kind"
    of_each = f" of each {kind}" if len(space.relevant) > 1 else ""
    return f"{count_phrase(pool, 'document')}{of_each} {'is' if pool == 1 else 'are'} relevant"


@metric_check("deepness", "amigo2013", "deepness threshold")
def deepness(scores: MetricScores) -> CheckFinding:
    """From some depth n on, one relevant result at the top should be worth at least n of them below n others."""
    holds = [deep <= top + scores.tolerance for deep, top in _deep_and_top_scores(scores)]
    tried = len(holds)
    if not tried:
        return _too_short(scores, 2)
    smallest = next((n for n in range(1, tried + 1) if all(holds[n - 1 :])), None)
    if smallest is None:
        deep = f"{count_phrase(tried, 'relevant result')} below {count_phrase(tried, 'other')}"
        sentence = f"For {scores.name}, even {deep} outweigh one at the top."
        return CheckFinding(False, sentence, tried, tried - sum(holds))
    worth = "one relevant result at the top is worth at least n of them below n others"
    return CheckFinding(True, f"For {scores.name}, {worth} from n = {smallest} on.", tried)


@metric_check("closeness", "amigo2013", "closeness threshold")
def closeness(scores: MetricScores) -> CheckFinding:
    """For some n of at least 2, n relevant results below n others should be worth at least one at the top."""
    holds = [top <= deep + scores.tolerance for deep, top in _deep_and_top_scores(scores)]
    tried = len(holds) - 1
    if tried < 1:
        return _too_short(scores, 4)
    largest = max((n for n in range(2, tried + 2) if holds[n - 1]), default=None)
    if largest is None:
        where = f"for any n from 2 to {tried + 1}" if tried > 1 else "for n = 2"
        sentence = f"For {scores.name}, n relevant results below n others do not make up for one at the top {where}."
        return CheckFinding(False, sentence, tried, tried)
    worth = "n relevant results below n others are worth at least one at the top"
    return CheckFinding(True, f"For {scores.name}, {worth} up to n = {largest}.", tried)


def _too_short(scores: MetricScores, needed: int) -> CheckFinding:
    shortage = f"Rankings of {scores.space.depth} are too short for {scores.name}"
    return CheckFinding(None, f"{shortage}; this check needs {needed} results.", 0)


def _deep_and_top_scores(scores: MetricScores) -> list[list[float]]:
    """The scores of x^n r^n and of r x^(2n-1) for every n that fits, where r is a document of the top grade."""
    space = scores.space
    x, r = space.nothing, max(space.relevant, key=lambda c: (max(space.grades[c]), -c))
    pairs = [([x] * n + [r] * n, [r] + [x] * (2 * n - 1)) for n in range(1, space.depth // 2 + 1)]
    return [[float(scores.values[space.index_of_letters(letters)]) for letters in pair] for pair in pairs]


def pool_finding(scores: MetricScores) -> CheckFinding:
    """Whether the score stays the same if more or fewer other documents are judged relevant."""
    space, values = scores.space, scores.values
    pool = max((space.judged[c] for c in space.relevant), default=0)
    cases = violations = 0
    pools = relevant_phrase(space, 2 * pool)
    sentence = f"{scores.name} gives every ranking the same score, whether 1, {pool} or {pools}."
    for other in (2 * pool, 1):
        within, others = _within_pool(space, min(pool, other)), scores.values_with_pool(other)
        differs = within & (np.abs(others - values) > scores.tolerance)
        if differs.any():
            first = int(np.argmax(differs))
            as_pooled, other_score = f"{values[first]:.4g} if {relevant_phrase(space, pool)}", f"{others[first]:.4g}"
            sentence = f"{scores.name} scores the ranking {space.text(first)} at {as_pooled}, and at {other_score} "
            sentence += f"if {other} {'is' if other == 1 else 'are'}."
        cases, violations = cases + int(within.sum()), violations + int(differs.sum())
    return CheckFinding(violations == 0, sentence, cases, violations)


def _within_pool(space: Space, pool: int) -> Bools:
    """[size] whether every document of the ranking was judged."""
    if pool >= space.depth:
        return np.ones(space.size, dtype=bool)
    parts = []
    for length in range(space.depth + 1):
        letters = space.strings(length).letters
        parts.append(np.all([(letters == c).sum(axis=1) <= pool for c in space.relevant], axis=0))
    return np.concatenate(parts)
