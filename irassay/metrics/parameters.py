"""Parameters of metrics, each with a domain and a sentence; those that several metrics share are declared here.

A metric declares its own parameters in its signature, `p: Annotated[float, PROBABILITY, "Probability of …"] = 0.8`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from irassay.domains import Domain
from irassay.metrics.cwl import AGGREGATIONS, ENDS
from irassay.rankings.gain import GAIN_NAMES

LARGEST = 1e100  # magnitude of a parameter, so that results stay finite


def one_of(*words: str) -> Domain:
    """A choice between words."""
    return Domain("word", words=words)


FLAG = Domain("flag")
NUMBER = Domain("number")
PROBABILITY = Domain("number", 0, 1, "both")
FRACTION = Domain("number", 0, 1)
POSITIVE = Domain("number", 0, open="low")
NOT_NEGATIVE = Domain("number", 0)
ABOVE_ONE = Domain("number", 1, open="low")
GOAL = Domain("number", 0, 10_000, "low")

# Shared by several metrics.
Persistence = Annotated[float, PROBABILITY, "Probability of continuing to the next result."]
Goal = Annotated[float, GOAL, "Gain that the user wants; a fully relevant result has a gain of 1."]
GainWeight = Annotated[float, NOT_NEGATIVE, "Weight of the gain relative to precision; 0 is precision alone."]

# Parameters that the decorators add, or that mean the same in every metric.
COMMON: dict[str, tuple[Domain, str]] = {
    "gain": (
        Domain("table", 0, words=GAIN_NAMES, example="(0,0.4,1)"),
        "Gain of each grade: 1 from `rel` up (binary), proportional to the grade (linear), "
        "2^grade - 1 (exp), the grade itself (raw), or a table by grade.",
    ),
    "rel": (POSITIVE, "Lowest grade that counts as relevant."),
    "effort": (
        Domain("table", 0, open="low", words=("time", "words"), example="(0.25,1,1)"),
        "Cost of examining a result: seconds by grade as in jiang2016 (time), its length in words (words), or a table "
        "by grade; by default 1.",
    ),
    "A": (
        one_of(*AGGREGATIONS),
        "What the user takes away (chen2023): gain per unit of cost (ERG), all gain (ETG); or, on stopping, the gain "
        "per unit of cost so far (AVG), the best gain (MAX), the last gain (FIN), a mix of best and last (PE), or 1 "
        "divided by the cost so far (ERR).",
    ),
    "beta": (FRACTION, "Weight of the best result against the last one, for A='PE'."),
    "end": (
        one_of(*ENDS),
        "What happens past the list: the user continues through results without gain (infinite), stops at the cutoff "
        "(stop) or at the end of the list (list), or continues without being counted (leak).",
    ),
    "horizon": (Domain("whole", 1), "Follow the user for this many ranks only, as cwl_eval does."),
    "max_grade": (Domain("number", 0, 1000, "low"), "Top of the judging scale; by default, that of the judgements."),
    "judged_only": (FLAG, "Remove unjudged results from the list first."),
    "unit": (one_of("document", "iteration"), "What the cutoff counts; an iteration has five documents."),
    "h": (
        Domain("table", 0, example="(0.4,0.6)"),
        "For each grade from 1 up, the probability that it is the lowest grade a user accepts; they sum to 1.",
    ),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Parameter:
    """One parameter of a metric."""

    name: str
    default: Any
    domain: Domain
    sentence: str = ""

    def packed(self) -> dict[str, Any]:
        """The parameter as plain data for the index, without its default, so that metrics can share it."""
        return {**self.domain.packed(), "sentence": self.sentence}


def domain_like(default: Any) -> Domain:
    """The domain of values of the same kind as a default; any value if it has no kind."""
    kinds = ((bool, FLAG), (int | float, NUMBER), (tuple, Domain("table")), (str, Domain("text")))
    return next((domain for kind, domain in kinds if isinstance(default, kind)), Domain("any"))


def common_parameter(name: str, default: Any) -> Parameter:
    """A parameter that means the same in every metric, with the default it has in this one."""
    domain, sentence = COMMON.get(name, (domain_like(default), ""))
    return Parameter(name, default, domain, sentence)


def own_parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """The parameters that a metric's function takes after the rankings, except its cutoff k."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return {each.name: _declared_parameter(function, each) for each in parameters if each.name != "k"}


def _declared_parameter(function: Callable[..., Any], parameter: inspect.Parameter) -> Parameter:
    hint = parameter.annotation
    if isinstance(hint, str):  # in a file with `from __future__ import annotations`
        hint = get_type_hints(function, include_extras=True).get(parameter.name)
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    common = common_parameter(parameter.name, parameter.default)
    default_domain = domain_like(parameter.default) if notes else common.domain
    domain = next((note for note in notes if isinstance(note, Domain)), default_domain)
    sentence = next((note for note in notes if isinstance(note, str)), common.sentence)
    return Parameter(parameter.name, parameter.default, domain, sentence)
