"""The view of the catalogue: every metric with its parameters and what it models."""

from typing import Any

from irassay.metrics.listing import Catalogue
from irassay.metrics.metric import Metric
from irassay.prose import count_phrase
from irassay.rankings.gain import compact
from irassay.views.explanation import unchecked_note
from irassay.views.view import Table, View


def view(result: Catalogue) -> View:
    """Every metric with its parameters, range and needs, one sentence, and its source."""
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
        for metric in result.metrics
    )
    columns = ("metric", "parameters", "range", "monotone", "needs", "what it models", "source")
    table = Table("metrics", columns, rows, brief=() if result.pattern else ("metric", "what it models"))
    sentence = (
        f"{count_phrase(len(rows), 'metric')}; user models also take A, beta, gain, effort, end, horizon and max_grade."
        if rows
        else f"No metric's name contains '{result.pattern}'."
    )
    weighted = any(metric.declaration.weighted for metric in result.metrics)
    notes = ("aspects without a relevant document carry no weight, unless weights are given",) * weighted
    unchecked = tuple(unchecked_note(each.declaration) for each in result.metrics if each.declaration.unchecked)
    return View("Metrics", (sentence,), (table,), (*notes, *unchecked))


def shown_defaults(metric: Metric) -> dict[str, Any]:
    """The defaults that distinguish metrics: own parameters, gain and aggregation."""
    defaults = metric.declaration.defaults
    own = {key: defaults[key] for key in metric.declaration.own}
    more = ("gain", "A" if metric.declaration.kind == "user_model" else "rel")
    return own | {key: defaults[key] for key in more if key in defaults}
