"""The labels of metrics in views: legends below tables and in charts, and chart specifications with labels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from irassay.metrics.labels import MetricLabels, MetricName, metric_labels, typed_labels
from irassay.settings import Settings
from irassay.views.altair import without_validation

if TYPE_CHECKING:
    from irassay.views.view import Table, View

NON_METRIC_COLUMNS = ("system", "run", "topic")  # columns whose cells are not metrics
SUBTITLE_WIDTH = 76  # characters per line below a chart's title


def with_legends(view: "View", names: MetricLabels) -> "View":
    """The view with a legend of its metric labels: below the first table that has such labels, and in charts.

    If no table has any, the legend is a note.
    """
    if not names.labels:
        return view
    tables = list(view.tables)
    for n, table in enumerate(tables):
        if legend := names.legend_for(metric_words(table)):
            tables[n] = replace(table, legend=legend)
            break
    else:
        legend = names.legend_for((*view.sentences, *view.notes))
        view = replace(view, notes=(*view.notes, *([f"names of metrics: {legend}"] if legend else [])))
    methods = f"{view.methods} Names of metrics: {names.legend}." if view.methods and names.legend else view.methods
    return replace(view, tables=tuple(tables), methods=methods, names=names)


def metric_words(table: "Table") -> set[str]:
    """The words of a table that may name metrics: headings and cells, except in columns of systems, runs or topics."""
    kept = [c for c, column in enumerate(table.columns) if column not in NON_METRIC_COLUMNS]
    return {f"{row[c]}" for row in (table.columns, *table.rows) for c in kept if isinstance(row[c], str)}


def chart_specs(view: "View") -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """(name, function that makes the Vega-Lite specification, with labels and their legend) of each chart of a view."""
    return ((f"{name}", partial(_chart_spec, make, view.names)) for name, make in view.charts)


def _chart_spec(make: Callable[[], Any], names: MetricLabels) -> dict[str, Any]:
    with without_validation():
        chart = make()
        spec: dict[str, Any] = with_labels(chart if isinstance(chart, dict) else chart.to_dict(validate=False))
    return with_legend(spec, names.legend_for(set(_chart_words(spec))) if names.labels else "")


def with_labels(spec: Any) -> Any:
    """A specification with the labels of its metrics."""
    if isinstance(spec, MetricName):
        return spec.label
    if isinstance(spec, dict):
        return {name: with_labels(value) for name, value in spec.items()}
    return [with_labels(each) for each in spec] if isinstance(spec, list | tuple) else spec


def _chart_words(spec: Any, key: str = "") -> Iterator[str]:
    """The strings of a chart specification that may name metrics."""
    if isinstance(spec, str):
        if key not in ("field", *NON_METRIC_COLUMNS):
            yield spec
    elif isinstance(spec, dict | list):
        for name, each in spec.items() if isinstance(spec, dict) else ((key, each) for each in spec):
            yield from _chart_words(each, name)


def with_legend(spec: dict[str, Any], legend: str) -> dict[str, Any]:
    """A chart specification with the legend of its metric labels below its title."""
    if not legend:
        return spec
    title = spec.get("title") or spec.get("layer", [{}])[0].get("title") or ""
    title = title if isinstance(title, dict) else {"text": title}
    under = title.get("subtitle") or []
    lines = [*([under] if isinstance(under, str) else under), *wrap(f"names of metrics: {legend}", SUBTITLE_WIDTH)]
    alone = {"text": lines, "fontWeight": "normal", "fontSize": 11}
    return spec | {"title": title | ({"subtitle": lines} if title["text"] else alone)}


def result_labels(result: object) -> MetricLabels:
    """The labels shown to people for the metrics of a result; none if its metrics have labels already."""
    aliases = given_labels(getattr(result, "settings", None) or Settings())
    metrics = getattr(result, "metrics", None) or getattr(result, "metric", None) or aliases
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    simple = [metric for metric_set in getattr(result, "sets", ()) for metric in metric_set]
    every = [*(metrics if several else [metrics]), *simple]
    has_labels = any(isinstance(metric, MetricName) for metric in every)
    return MetricLabels() if has_labels else metric_labels([*map(str, every)], aliases)


def given_labels(settings: Settings) -> dict[str, str]:
    """The aliases and typed parameters of metrics, from the settings of a result and of its inputs."""
    own = (settings.inputs if settings.method == "axioms" else settings.given).get("metrics")  # of a scoring method
    aliases = typed_labels(own or ()) | settings.inputs.get("labels", {})
    for given in settings.inputs.values():
        aliases |= given_labels(given) if isinstance(given, Settings) else {}
    return aliases
