"""The declaration of a metric: its function, parameters and traits."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from irassay.declarations import doc
from irassay.errors import InputError, Piece, argument, as_found
from irassay.metrics.cwl import Tail
from irassay.metrics.parameters import LARGEST, Parameter

# The end of a message about an input that a metric needs and does not get.
NEED_MESSAGES: dict[str, tuple[Piece, ...]] = {
    "aspects": (" needs judgements by subtopic; give qrels whose second column is the subtopic.",),
    "turns": (
        " needs a session or Dynamic Domain run, but this is a plain run; give one with ",
        *(argument("run_format", metavar="dd or session"), "."),
    ),
    "lengths": (" needs document lengths; give ", argument("lengths", metavar="FILE"), " (document, words)."),
    "passages": (" needs passage judgements; give a Dynamic Domain topics XML or a five-column passage table.",),
    "preferences": (
        " needs preferences between documents; give a file of them with ",
        *(argument("qrels_format", "prefs"), ", or qrels with ", argument("qrels_format", "qrels_prefs"), "."),
    ),
    "costs": (" needs the costs of results; give ", argument("costs", metavar="FILE"), " (result type, cost)."),
}


@dataclass(frozen=True, eq=False, repr=False)
class Declaration:
    """One decorated function with its parameters and traits."""

    name: str
    function: Callable[..., Any]
    kind: str  # 'metric' returns scores, 'user_model' C, 'stop_model' L
    cite: tuple[str, ...]
    parameters: Mapping[str, Parameter]  # in the order a metric string shows them
    own: tuple[str, ...]  # parameters that the function itself takes
    sized: bool  # the cutoff is the function's own k
    raw: bool = False  # 'exp' gain stays 2^g - 1
    unit_gain: bool = False  # gains must lie in [0, 1]
    needs: frozenset[str] = frozenset()
    has_inner: bool = False  # the parameter `metric` is a metric, whose needs, uses and range count too
    low: float = 0.0
    high: float = 1.0
    limits: Callable[[Any], tuple[float, float]] | None = None  # low and high, if they depend on parameters
    monotone: frozenset[str] = frozenset()  # aggregations under which a better grade never hurts; '' for plain metrics
    monotone_if: Callable[[Mapping[str, Any]], bool] | None = None  # the parameters with which that holds; None: all
    linear: frozenset[str] = frozenset()  # aggregations under which gains of single results add up to the score
    weights: Callable[..., Any] | None = None  # for linear plain metrics: [n|1, depth] what a gain of 1 adds
    normalised: bool = False  # the sum is divided by that of the best order of the topic's documents
    linear_if: Callable[[Mapping[str, Any]], bool] | None = None  # the parameters with which that holds; None: all
    static: frozenset[str] = frozenset()  # aggregations under which weights by rank never grow; '' for plain metrics
    swap_monotone: frozenset[str] = frozenset()  # aggregations under which moving a better result up never hurts
    swap_monotone_if: Callable[[Mapping[str, Any]], bool] | None = None  # the parameters with which that holds
    tied_mean: Callable[..., Any] | None = None  # [n] the mean score over all orders of tied results, in closed form
    higher_is_better: bool = True
    starts_at_zero: bool = True  # finding nothing scores 0
    weighted: bool = False  # aspects have given weights; by default those with a relevant document count equally
    counts_repeats: bool = False  # a document that a session lists again counts again
    of_judging: bool = False  # measures how much is judged or listed, not how good it is, so bounds mean nothing
    formula: str = ""  # the definition in LaTeX
    aliases: tuple[str, ...] = ()  # what other tools call it: ir_measures, ranx, cwl_eval, ndeval, NTCIREVAL
    trec_eval: tuple[str, ...] = ()  # what trec_eval calls it
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # names for it with some parameters
    number_is: str = ""  # the parameter that a number after the name sets, if not the cutoff: rbp.95, IPrec@0.1
    uses: Callable[[Mapping[str, Any]], str] | str = ""  # of 'lengths costs weights', besides those of aggregations
    implies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # values of others that a parameter implies
    tail: Callable[..., Tail | None] | None = None
    endless: bool = False  # V need not fall to 0, so ERG needs an end
    over_topics: str = "mean"  # aggregate over topics: 'mean', 'sum', or 'geometric' mean
    counts: bool = False  # a score is a whole number, shown without decimals
    scores_empty: bool = False  # a topic without an answer scores what an empty list does
    unchecked: str = ""  # what of it was checked against no independent source
    empty_list: str = ""  # what an empty list scores, and its bounds, for `explain`
    cutoff_is: str = ""  # the parameter that the cutoff sets, so that both cannot be given
    goal: str = ""  # the parameter for how much the user wants
    ties: Literal["docid", "docid-asc"] = "docid"  # how its authors order equal scores; descending ids as trec_eval
    changed: Callable[[Mapping[str, Any]], str] | None = None  # a note if numbers changed in this release; '' if not
    with_A: "Declaration | None" = None  # the definition used if A is given

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default of every parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    @property
    def all_aliases(self) -> dict[str, Mapping[str, Any]]:
        """Every other name of it, with the parameters that the name implies."""
        return {name: self.variants.get(name, {}) for name in (*self.trec_eval, *self.aliases, *self.variants)}

    @property
    def summary(self) -> str:
        """One sentence for the readers of a report."""
        return " ".join(doc(self.function).split("\n\n")[0].split())

    @property
    def source_location(self) -> str:
        """Where the function is defined: file and line."""
        code = inspect.unwrap(self.function).__code__
        return f"{code.co_filename}, line {code.co_firstlineno}"

    def canonical_value(self, key: str, value: Any) -> Any:
        """A parameter's value as canonical metric strings write it."""
        domain = self.parameters[key].domain if key in self.parameters else None
        if domain is not None and domain.kind == "whole" and isinstance(value, float) and value.is_integer():
            return int(value)
        return domain.canonical(value) if domain is not None and domain.canonical else value

    def check(self, key: str, value: Any) -> None:
        """Refuses a parameter that this metric does not have, or a value it cannot take."""
        if key not in self.parameters:
            hint = f"write {self.name}@{value}" if key in ("k", "cutoff") else f"it takes {', '.join(self.parameters)}"
            raise InputError(f"{self.name} has no parameter '{key}'; {hint}.")
        parameter = self.parameters[key]
        if value is parameter.default is None:
            return
        name, parts = f"{self.name}: {key}", value if isinstance(value, tuple) else [value]
        too_large = any(isinstance(part, int | float) and LARGEST < abs(part) < math.inf for part in parts)
        if too_large and parameter.domain.high is None:
            raise InputError(f"{name} must be at most {LARGEST:g} in magnitude; found {as_found(value)}.")
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

    def varies_by_topic(self, key: str) -> bool:
        """Whether a parameter may have a different value for each topic: the goals and patience of user models."""
        return self.kind == "user_model" and key in self.own and key in ("p", "T", "K")
