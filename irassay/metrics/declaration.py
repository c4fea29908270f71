"""What a metric's name stands for: one function, and what it declares of itself."""

import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from irassay.declarations import doc
from irassay.errors import InputError, argument
from irassay.metrics.cwl import AGGREGATIONS, ENDS, Tail
from irassay.rankings.gain import GAIN_NAMES, compact


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """The values a parameter may take."""

    words: str
    holds: Callable[[Any], bool]
    spelled: Callable[[Any], Any] = lambda value: value  # the one way to write a value that may be written in several


def is_table(value: Any) -> bool:
    """Whether this is a table of finite numbers."""
    return isinstance(value, tuple) and len(value) > 0 and all(math.isfinite(entry) for entry in value)


def like(default: Any) -> Domain:
    """Values of the kind that a default is of; anything goes where that is not said."""
    if isinstance(default, bool):
        return FLAG
    if isinstance(default, int | float):
        return Domain("a number", lambda value: not isinstance(value, bool) and math.isfinite(value))
    if isinstance(default, tuple):
        return Domain("a table such as (0.4,0.6)", is_table)
    return Domain("text in quotes", lambda value: isinstance(value, str)) if isinstance(default, str) else ANYTHING


def one_of(*names: str) -> Domain:
    """A choice between names."""
    return Domain("one of " + ", ".join(f"'{name}'" for name in names), lambda value: value in names)


LARGEST = 1e100  # number that a parameter may be: what is made of it stays finite
ANYTHING = Domain("anything", lambda value: True)
PROBABILITY = Domain("a number above 0 and below 1", lambda value: 0 < value < 1)
FRACTION = Domain("a number from 0 to 1", lambda value: 0 <= value <= 1)
POSITIVE = Domain("a number above 0", lambda value: value > 0)
NOT_NEGATIVE = Domain("a number not below 0", lambda value: value >= 0)
GOAL = Domain("a number above 0 and at most 10000", lambda value: 0 < value <= 10_000)
WHOLE = Domain("a whole number above 0", lambda value: isinstance(value, int) and value > 0)
FLAG = Domain("True or False", lambda value: isinstance(value, bool))
SWITCH = Domain("0 or 1", lambda value: value in (0, 1))

COMMON_DOMAINS = {
    "gain": Domain(
        f"one of {', '.join(repr(name) for name in GAIN_NAMES)}, or a table by grade such as (0,0.4,1)",
        lambda value: value in GAIN_NAMES or (is_table(value) and min(value) >= 0),
    ),
    "rel": POSITIVE,
    "effort": Domain(
        "'time', 'words', or a table by grade such as (0.25,1,1)",
        lambda value: value in ("time", "words") or (is_table(value) and min(value) > 0),
    ),
    "A": one_of(*AGGREGATIONS),
    "beta": FRACTION,
    "end": one_of(*ENDS),
    "horizon": WHOLE,
    "max_grade": Domain("a number above 0 and at most 1000", lambda value: 0 < value <= 1000),
    "judged_only": FLAG,
    "unit": one_of("document", "iteration"),
    "h": Domain(
        "a table of probabilities for the grades from 1 up, such as (0.4,0.6)",
        lambda value: is_table(value) and min(value) >= 0,
    ),
}


def need(what: str) -> str:
    """The sentence on what a metric needs and the input did not bring."""
    runs, lengths = argument("run_format", shown="dd or session"), argument("lengths", shown="FILE")
    return {
        "aspects": "needs judgements by subtopic, and these have none; give qrels whose second column is the subtopic",
        "turns": f"needs a session or Dynamic Domain run, and this is a plain run; give one with {runs}",
        "lengths": f"needs document lengths; give them with {lengths} (document, words)",
        "passages": "needs passage judgements; give a Dynamic Domain topics XML or a five-column passage table",
        "costs": f"needs what results cost; give {argument('costs', shown='FILE')} (result type, cost)",
    }[what]


@dataclass(frozen=True, eq=False, repr=False)
class Declaration:
    """One decorated function with its defaults and traits."""

    name: str
    function: Callable[..., Any]
    kind: str  # 'metric' returns scores, 'user_model' C, 'stop_model' L
    cite: tuple[str, ...]
    defaults: Mapping[str, Any]  # every parameter, in the order a metric string shows them
    own: tuple[str, ...]  # parameters the function itself takes
    sized: bool  # the cutoff is the function's own k
    raw: bool = False  # 'exp' gain stays 2^g - 1
    unit_gain: bool = False  # gains must lie in [0, 1]
    needs: frozenset[str] = frozenset()
    needs_if: Callable[[Mapping[str, Any]], Collection[str]] | None = None  # further needs that parameters decide
    low: float = 0.0
    high: float = 1.0
    limits: Callable[[Any], tuple[float, float]] | None = None  # low and high of a metric whose parameters decide them
    monotone: frozenset[str] = frozenset()  # aggregations under which a better grade never hurts; '' for plain metrics
    monotone_if: Callable[[Mapping[str, Any]], bool] | None = None  # the parameters with which that holds; None: all
    linear: frozenset[str] = frozenset()  # aggregations under which gains of single results add up to the score
    weights: Callable[..., Any] | None = None  # of plain metrics that add up: [n|1, depth] what a gain of 1 adds
    normalised: bool = False  # the sum is divided by that of the topic's documents in their best order
    linear_if: Callable[[Mapping[str, Any]], bool] | None = None  # the parameters with which that holds; None: all
    higher_is_better: bool = True
    starts_at_zero: bool = True  # finding nothing scores 0
    weighted: bool = False  # aspects count by their weights
    counts_repeats: bool = False  # a document of a session that is listed again counts again
    of_judging: bool = False  # says how much is judged or listed, not how good it is, so that bounds mean nothing
    domains: Mapping[str, Domain] = field(default_factory=dict)
    implies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what naming a parameter makes of others
    tail: Callable[..., Tail | None] | None = None
    endless: bool = False  # V need not fall to 0, so that ERG needs an end
    over_topics: str = "mean"  # what is said over topics: 'mean', 'sum', or 'geometric' mean
    counts: bool = False  # a score is a whole number of something, which people are shown without decimals
    scores_empty: bool = False  # a topic without an answer scores what an empty list does
    cutoff_is: str = ""  # the parameter that a cutoff gives a value, so that both are not given
    goal: str = ""  # the parameter that says how much the user wants
    with_A: "Declaration | None" = None  # the reading in force when A is asked for

    @property
    def summary(self) -> str:
        """One sentence for the readers of a report."""
        return " ".join(doc(self.function).split("\n\n")[0].split())

    @property
    def at(self) -> str:
        """Where the function was written: file and line."""
        code = inspect.unwrap(self.function).__code__
        return f"{code.co_filename}, line {code.co_firstlineno}"

    def spelled(self, key: str, value: Any) -> Any:
        """A parameter's value in the one way that metric strings write it."""
        return self.domains[key].spelled(value) if key in self.domains else value

    def check(self, key: str, value: Any) -> None:
        """Refuses a parameter that this metric does not have, or a value it cannot take."""
        if key not in self.defaults:
            hint = f"write {self.name}@{value}" if key in ("k", "cutoff") else f"it takes {', '.join(self.defaults)}"
            raise InputError(f"{self.name} has no parameter '{key}'; {hint}")
        default = self.defaults[key]
        if value is default is None:
            return
        if isinstance(value, str) and value.startswith("@"):
            if self.varies_by_topic(key):
                return
            raise InputError(f"{self.name}({key}={compact(value)}): {key} must be one number for all topics")
        domain = self.domains.get(key) or COMMON_DOMAINS.get(key) or like(default)
        try:
            valid = domain.holds(value) and (value is None or key == "gain" or like(default).holds(value))
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise InputError(f"{self.name}({key}={compact(value)}): {key} must be {domain.words}")
        numbers = [each for each in (value if isinstance(value, tuple) else [value]) if isinstance(each, int | float)]
        if any(abs(each) > LARGEST for each in numbers):
            raise InputError(f"{self.name}({key}=…): {key} takes numbers up to {LARGEST:g} in size")

    def varies_by_topic(self, key: str) -> bool:
        """Whether a parameter may have another value for each topic: the goals and patience of user models."""
        return self.kind == "user_model" and key in self.own and key in ("p", "T", "K")
