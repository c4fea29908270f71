"""The catalogue of metrics as a result, for people to browse."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from irassay.method import method
from irassay.metrics.grammar import catalogue, parse
from irassay.metrics.metric import Metric
from irassay.results import Result
from irassay.settings import Option


@dataclass(frozen=True, eq=False, repr=False)
class Catalogue(Result):
    """Metrics with their parameters, ranges and needs."""

    saved_as: ClassVar[str] = "catalogue"

    metrics: tuple[Metric, ...]
    pattern: str


@method(
    "Which metrics are there, and what does each model?",
    path="metrics",
    without_options="save plot jobs quiet full",
    examples=("irassay metrics RBP",),
)
def metrics(pattern: Annotated[str, Option("Show only names that contain this.", metavar="PATTERN")] = "") -> Catalogue:
    """List the metrics with parameters and defaults, range, needs, a sentence, and source."""
    all_metrics = catalogue()
    matches = tuple(metric for metric in all_metrics.values() if pattern.lower() in metric.name.lower())
    return Catalogue(matches or (all_metrics[parse(pattern).name],), pattern)  # parse knows other tools' names
