"""What a metric's name stands for: one function, and what it declares of itself."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from irassay.declarations import doc
from irassay.errors import InputError, argument, as_found
from irassay.metrics.cwl import Tail
from irassay.metrics.parameters import LARGEST, Parameter


def need_message(what: str) -> str:
    """The sentence on what a metric needs and the input did not bring."""
    runs, lengths = argument("run_format", metavar="dd or session"), argument("lengths", metavar="FILE")
    return {
        "aspects": "needs judgements by subtopic, and these have none; give qrels whose second column is the subtopic",
        "turns": f"needs a session or Dynamic Domain run, and this is a plain run; give one with {runs}",
        "lengths": f"needs document lengths; give them with {lengths} (document, words)",
        "passages": "needs passage judgements; give a Dynamic Domain topics XML or a five-column passage table",
        "costs": f"needs what results cost; give {argument('costs', metavar='FILE')} (result type, cost)",
    }[what]


@dataclass(frozen=True, eq=False, repr=False)
class Declaration:
    """One decorated function with its parameters and traits."""

    name: str
    function: Callable[..., Any]
    kind: str  # 'metric' returns scores, 'user_model' C, 'stop_model' L
    cite: tuple[str, ...]
    parameters: Mapping[str, Parameter]  # in the order a metric string shows them
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
    weighted: bool = False  # aspects count by given weights; without, those with a relevant document count alike
    counts_repeats: bool = False  # a document of a session that is listed again counts again
    of_judging: bool = False  # says how much is judged or listed, not how good it is, so that bounds mean nothing
    aliases: tuple[str, ...] = ()  # what other tools call it: ir_measures, ranx, cwl_eval, ndeval, NTCIREVAL
    trec_eval: tuple[str, ...] = ()  # what trec_eval calls it
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # names that stand for it with parameters
    number_is: str = ""  # the parameter that a number after the name gives, if that is no cutoff: rbp.95, IPrec@0.1
    uses: Callable[[Mapping[str, Any]], str] | str = ""  # of 'lengths costs weights', beyond what aggregations use
    implies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what naming a parameter makes of others
    tail: Callable[..., Tail | None] | None = None
    endless: bool = False  # V need not fall to 0, so that ERG needs an end
    over_topics: str = "mean"  # what is said over topics: 'mean', 'sum', or 'geometric' mean
    counts: bool = False  # a score is a whole number of something, which people are shown without decimals
    scores_empty: bool = False  # a topic without an answer scores what an empty list does
    cutoff_is: str = ""  # the parameter that a cutoff gives a value, so that both are not given
    goal: str = ""  # the parameter that says how much the user wants
    with_A: "Declaration | None" = None  # the reading in force when A is asked for

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of every parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    @property
    def all_aliases(self) -> dict[str, Mapping[str, Any]]:
        """Every other name it is understood under, with the parameters that the name implies."""
        return {name: self.variants.get(name, {}) for name in (*self.trec_eval, *self.aliases, *self.variants)}

    @property
    def summary(self) -> str:
        """One sentence for the readers of a report."""
        return " ".join(doc(self.function).split("\n\n")[0].split())

    @property
    def source_location(self) -> str:
        """Where the function was written: file and line."""
        code = inspect.unwrap(self.function).__code__
        return f"{code.co_filename}, line {code.co_firstlineno}"

    def canonical_value(self, key: str, value: Any) -> Any:
        """A parameter's value in the one way that metric strings write it."""
        domain = self.parameters[key].domain if key in self.parameters else None
        if domain is not None and domain.kind == "whole" and isinstance(value, float) and value.is_integer():
            return int(value)
        return domain.canonical(value) if domain is not None and domain.canonical else value

    def check(self, key: str, value: Any) -> None:
        """Refuses a parameter that this metric does not have, or a value it cannot take."""
        if key not in self.parameters:
            hint = f"write {self.name}@{value}" if key in ("k", "cutoff") else f"it takes {', '.join(self.parameters)}"
            raise InputError(f"{self.name} has no parameter '{key}'; {hint}")
        parameter = self.parameters[key]
        if value is parameter.default is None:
            return
        name = f"{self.name}: {key}"
        if isinstance(value, str) and value.startswith("@"):
            if self.varies_by_topic(key):
                return
            raise InputError(f"{name} must be one number for all topics; found {as_found(value)}.")
        try:
            valid = parameter.domain.holds(value)
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise parameter.domain.refusal(name, value)
        numbers = [each for each in (value if isinstance(value, tuple) else [value]) if isinstance(each, int | float)]
        if any(abs(each) > LARGEST for each in numbers):
            raise InputError(f"{name} must be at most {LARGEST:g} in size; found {as_found(value)}.")

    def varies_by_topic(self, key: str) -> bool:
        """Whether a parameter may have another value for each topic: the goals and patience of user models."""
        return self.kind == "user_model" and key in self.own and key in ("p", "T", "K")
