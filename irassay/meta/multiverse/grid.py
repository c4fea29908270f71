"""The grid of defensible analyses: its dimensions and the default choices of each, declared here and only here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from irassay.errors import InputError, argument
from irassay.io.order_settings import Ties
from irassay.metrics.grammar import metric_strings, parse
from irassay.metrics.metric import Metric
from irassay.prose import did_you_mean
from irassay.stats.paired_test import find_test

NO_CUTOFF = "none"
OWN_GAIN = "as named"


@dataclass(frozen=True)
class MetricChoice:
    """A metric of the grid, with its gains and cutoffs, the most usual first, and what its mean estimates."""

    metric: str
    gains: tuple[str, ...]
    cutoffs: tuple[str, ...]
    estimand: str
    default_gain: str = "linear"

    def string(self, gain: str, cutoff: str) -> str:
        """The metric as it is written."""
        if gain == OWN_GAIN:
            return self.metric
        name, _, own = self.metric.rstrip(")").partition("(")
        given = [own] * bool(own) + [f"gain='{gain}'"] * (gain != self.default_gain)
        inside = f"({','.join(given)})" if given else ""
        return f"{name}{inside}{'' if cutoff == NO_CUTOFF else f'@{cutoff}'}"


GRADED_GAINS = ("linear", "exp", "binary")
METRICS = (
    MetricChoice("nDCG", GRADED_GAINS, ("10", "5", "20", "100"), "gain, relative to the ideal list"),
    MetricChoice("AP", ("binary",), (NO_CUTOFF, "100"), "precision over all relevant documents", "binary"),
    MetricChoice("P", ("binary",), ("10", "5", "20"), "gain per result", "binary"),
    MetricChoice("RBP(p=0.8)", GRADED_GAINS, (NO_CUTOFF,), "gain per result"),
    MetricChoice("RBP(p=0.95)", GRADED_GAINS, (NO_CUTOFF,), "gain per result"),
    MetricChoice("ERR", ("exp", "linear"), ("10", "20"), "rank of a satisfying result", "exp"),
    MetricChoice("RR", ("binary",), ("10",), "rank of a satisfying result", "binary"),
)
CHOICES: Mapping[str, tuple[str, ...]] = {  # of the other dimensions, the most usual first
    "ties": ("docid", "docid-asc", "file"),
    "missing": ("zero", "skip"),
    "unjudged": ("not relevant", "left out"),
    "judgements": ("given",),
    "test": ("t", "wilcoxon", "permutation"),
}
DIMENSIONS = ("metric", "gain", "cutoff", *CHOICES)


@dataclass(frozen=True)
class Specification:
    """One analysis, but for its test."""

    metric: str
    gain: str
    cutoff: str
    ties: Ties
    missing: str
    unjudged: str
    judgements: str
    estimand: str
    scored_as: str  # the string of the metric


@dataclass(frozen=True)
class AnalysisGrid:
    """The metrics of the grid, and the choices of its other dimensions."""

    metrics: tuple[MetricChoice, ...]
    choices: Mapping[str, tuple[str, ...]]

    def specifications(self) -> list[Specification]:
        """All combinations, without tests."""
        return [
            Specification(each.metric, gain, cutoff, *rest, each.estimand, each.string(gain, cutoff))  # type: ignore
            for each in self.metrics
            for gain, cutoff in product(each.gains, each.cutoffs)
            for rest in product(*(self.choices[name] for name in CHOICES if name != "test"))
        ]

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests."""
        return self.choices["test"]


def analysis_grid(
    named: Sequence[Metric], other: bool, only: Sequence[str], add: Sequence[str], without: Sequence[str]
) -> AnalysisGrid:
    """The default grid with metrics of the claim, with other judgements, and as options change it."""
    choices = dict(CHOICES) | {"judgements": ("given", "other") if other else ("given",)}
    grid = _with_metrics(AnalysisGrid(METRICS, choices), named)
    for dimension, values in _named_choices("add", add):
        grid = _with_choices(grid, dimension, values)
    for dimension, values in _named_choices("only", only):
        grid = _with_only(grid, dimension, values)
    for dimension in without:
        _check_dimension("without", dimension)
        grid = _with_first(grid, dimension)
    for text in _strings(grid):
        parse(text)
    for test in grid.tests:
        find_test(test)
    return grid


def check_grid(only: Sequence[str], add: Sequence[str], without: Sequence[str]) -> None:
    """Refuses changes of the grid that are wrong whatever metrics are named."""
    analysis_grid((), True, (), add, without)
    for _ in _named_choices("only", only):
        pass


def without_gain(grid: AnalysisGrid, gain: str) -> AnalysisGrid:
    """The grid without one of the gains; metrics that have no other are left out."""
    cut = [(each, tuple(own for own in each.gains if own != gain)) for each in grid.metrics]
    return replace(grid, metrics=tuple(replace(each, gains=left) for each, left in cut if left))


def _strings(grid: AnalysisGrid) -> Iterator[str]:
    return (each.string(*rest) for each in grid.metrics for rest in product(each.gains, each.cutoffs))


def _with_values(choice: MetricChoice, dimension: str, values: tuple[str, ...]) -> MetricChoice:
    """The metric with these gains or cutoffs."""
    return replace(choice, gains=values) if dimension == "gain" else replace(choice, cutoffs=values)


def _with_metrics(grid: AnalysisGrid, metrics: Sequence[Metric]) -> AnalysisGrid:
    """The grid with those of the metrics that it does not have."""
    for metric in metrics:
        if str(metric) not in {str(parse(text)) for text in _strings(grid)}:
            cutoff = NO_CUTOFF if metric.size is None else str(metric.size)
            own = MetricChoice(str(metric), (OWN_GAIN,), (cutoff,), "as the named metric")
            grid = replace(grid, metrics=(*grid.metrics, own))
    return grid


def _named_choices(option: str, given: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The dimension and the choices of each NAME=CHOICE,CHOICE."""
    for text in given:
        dimension, sign, values = text.partition("=")
        split = metric_strings(values) if dimension == "metric" else values.split(",")
        chosen = tuple(value.strip() for value in split if value.strip())
        if not sign or not chosen:
            raise InputError(argument(option, text), ": write DIMENSION=CHOICE,CHOICE, such as cutoff=10,20.")
        _check_dimension(option, dimension)
        yield dimension, chosen


def _check_dimension(option: str, name: str) -> None:
    if name not in DIMENSIONS:
        hint = did_you_mean(name, DIMENSIONS, f"the dimensions are {', '.join(DIMENSIONS)}.")
        raise InputError(argument(option, name), f": there is no such dimension; {hint}")


def _with_choices(grid: AnalysisGrid, dimension: str, values: tuple[str, ...]) -> AnalysisGrid:
    """The grid with further choices: gains and cutoffs for metrics that have several."""
    if dimension == "metric":
        return _with_metrics(grid, [parse(name) for name in values])
    if dimension in ("gain", "cutoff"):
        field = f"{dimension}s"
        several = [len(getattr(each, field)) > 1 for each in grid.metrics]
        metrics = zip(grid.metrics, several, strict=True)
        merged = [
            _with_values(each, dimension, tuple(dict.fromkeys((*getattr(each, field), *values)))) if more else each
            for each, more in metrics
        ]
        return replace(grid, metrics=tuple(merged))
    allowed = {"test": None, "judgements": ()}.get(dimension, CHOICES.get(dimension, ()))
    if allowed is not None and (odd := [value for value in values if value not in allowed]):
        raise InputError(
            argument("add", f"{dimension}={odd[0]}"), f": the choices are {', '.join(CHOICES[dimension])}."
        )
    merged_values = tuple(dict.fromkeys((*grid.choices[dimension], *values)))
    return replace(grid, choices={**grid.choices, dimension: merged_values})


def _with_only(grid: AnalysisGrid, dimension: str, values: tuple[str, ...]) -> AnalysisGrid:
    """The grid with only these choices of a dimension; metrics without any of them are left out."""
    if dimension in CHOICES:
        kept = tuple(value for value in grid.choices[dimension] if value in values)
        known = grid.choices[dimension]
        grid = replace(grid, choices={**grid.choices, dimension: kept})
    elif dimension == "metric":
        known = tuple(each.metric for each in grid.metrics)
        kept = tuple(name for name in known if name in values)
        grid = replace(grid, metrics=tuple(each for each in grid.metrics if each.metric in values))
    else:
        field = f"{dimension}s"
        known = tuple(dict.fromkeys(value for each in grid.metrics for value in getattr(each, field)))
        kept = tuple(value for value in known if value in values)
        cut = [(each, tuple(v for v in getattr(each, field) if v in values)) for each in grid.metrics]
        grid = replace(grid, metrics=tuple(_with_values(each, dimension, left) for each, left in cut if left))
    if odd := [value for value in values if value not in kept]:
        raise InputError(argument("only", f"{dimension}={odd[0]}"), f": the choices are {', '.join(known)}.")
    return grid


def _with_first(grid: AnalysisGrid, dimension: str) -> AnalysisGrid:
    """The grid with the first choice of a dimension only."""
    if dimension in CHOICES:
        return replace(grid, choices={**grid.choices, dimension: grid.choices[dimension][:1]})
    if dimension == "metric":
        return replace(grid, metrics=grid.metrics[:1])
    field = f"{dimension}s"
    return replace(
        grid, metrics=tuple(_with_values(each, dimension, getattr(each, field)[:1]) for each in grid.metrics)
    )
