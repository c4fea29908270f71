"""The catalogue as a result: the metrics there are, for people to look through."""

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
    without_options="save plot jobs quiet",
    examples=("irassay metrics RBP",),
)
def metrics(pattern: Annotated[str, Option("Show only names that contain this.", metavar="PATTERN")] = "") -> Catalogue:
    """List every metric: parameters with defaults, range, what it needs, a sentence, and where it comes from."""
    known = catalogue()
    found = tuple(m for m in known.values() if pattern.lower() in m.name.lower())
    if not found:  # another tool's name, or a slip of the fingers, which parse says something of
        found = (known[parse(pattern).name],)
    return Catalogue(found, pattern)
