"""The catalogue of metrics as a result, for people to browse."""

from dataclasses import dataclass
from textwrap import fill
from typing import Annotated, ClassVar

from irassay.declarations import doc
from irassay.errors import InputError
from irassay.method import method
from irassay.metrics.grammar import catalogue, parse
from irassay.metrics.metric import Metric
from irassay.rankings.gain import compact
from irassay.results import Result
from irassay.settings import Option

HELP_WIDTH = 76  # characters; `help` indents by four


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(Result):
    """Metrics with their parameters, ranges and needs."""

    saved_as: ClassVar[str] = "catalogue"

    metrics: tuple[Metric, ...]
    pattern: str


def matching_metrics(pattern: str) -> tuple[Metric, ...]:
    """The metrics whose names contain this, or else the one that another tool calls so; InputError if there is none."""
    all_metrics = catalogue()
    matches = tuple(metric for metric in all_metrics.values() if pattern.lower() in metric.name.lower())
    try:
        return matches or (all_metrics[parse(pattern).name],)
    except InputError as error:
        error.argument = "pattern"
        raise


def check_pattern(pattern: str = "") -> None:
    """Refuses a pattern that fits no metric."""
    matching_metrics(pattern)


@method(
    "Which metrics are there, and what does each model?",
    path="metrics",
    check=check_pattern,
    without_options="save plot jobs quiet full",
    examples=("irassay metrics RBP",),
)
def metrics(pattern: Annotated[str, Option("Show only names that contain this.", metavar="PATTERN")] = "") -> Catalogue:
    """List the metrics with parameters and defaults, range, needs, a sentence, and source."""
    return Catalogue(matching_metrics(pattern), pattern)


def documented_metric(name: str) -> Metric:
    """The metric with this name, which `help` describes: its sentence, formula, parameters and sources."""
    metric = parse(name)
    metric.__dict__["__doc__"] = metric_help(metric)
    return metric


def metric_help(metric: Metric) -> str:
    """The description of a metric: what it models, its formula in LaTeX, its parameters and its sources.

    >>> print(metric_help(parse("RR")).splitlines()[0])
    Stops at the first relevant result.
    """
    declared = metric.declaration
    more = [" ".join(part.split()) for part in doc(declared.function).split("\n\n")[1:] if ">>>" not in part]
    formula = "\n".join(f"  {line.replace('&', '').strip()}" for line in declared.formula.split(r"\\"))
    parts = [declared.summary, *([formula] if declared.formula else []), *more]
    lines = [f"{name}={compact(each.default)}: {each.sentence}" for name, each in declared.parameters.items()]
    sources = ", ".join(declared.cite)
    wrapped = (fill(line, HELP_WIDTH, initial_indent="  ", subsequent_indent="    ") for line in lines)
    parts += ["Parameters, by name:\n" + "\n".join(wrapped)]
    parts += [f"A cutoff is {metric.name} @ 10.", *([f"Sources: {sources}."] if sources else [])]
    return "\n\n".join(parts)
