"""The view of the catalogue: every metric, what it takes and what it models."""

from typing import Any

from irassay.metrics.listing import Catalogue
from irassay.metrics.metric import Metric
from irassay.prose import counted
from irassay.rankings.gain import compact
from irassay.views.view import Table, View


def view(result: Catalogue) -> View:
    """Every metric with its parameters, range and needs, one sentence, and its source."""
    found, pattern = result.metrics, result.pattern
    rows = tuple(
        (
            metric.name + ("@k" if metric.declaration.sized else ""),
            ", ".join(f"{key}={compact(value)}" for key, value in shown_defaults(metric).items()),
            "[{:g}, {:g}]".format(*metric.range).replace("inf", "∞"),
            "yes" if metric.monotone else "no",
            " ".join(sorted(metric.declaration.needs)),
            metric.declaration.summary,
            " ".join(metric.declaration.cite),
        )
        for metric in found
    )
    table = Table("metrics", ("metric", "parameters", "range", "monotone", "needs", "what it models", "source"), rows)
    sentence = (
        f"{counted(len(found), 'metric')}; user models also take A, beta, gain, effort, end, horizon and max_grade."
    )
    weighted = any(metric.declaration.weighted for metric in found)
    notes = ("aspects without a relevant document carry no weight, unless weights are given",) * weighted
    return View("Metrics", (sentence,) if found else (f"No metric's name contains '{pattern}'.",), (table,), notes)


def shown_defaults(metric: Metric) -> dict[str, Any]:
    """The defaults that tell one metric from another: its own parameters, its gain and its aggregation."""
    defaults = metric.declaration.defaults
    own = {key: defaults[key] for key in metric.declaration.own}
    if metric.declaration.kind == "user_model":
        return own | {key: defaults[key] for key in ("gain", "A") if key in defaults}
    return own | {key: value for key, value in defaults.items() if key in ("gain", "rel")}
