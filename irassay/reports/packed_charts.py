"""Charts as the page's script reads them: specifications whose data are in columns, with strings numbered."""

from collections.abc import Mapping, Sequence
from typing import Any

from irassay.reports.chart_heights import height, width
from irassay.views.long_charts import with_axis_above
from irassay.views.theme import escaped_spec


def stored_chart(name: str, chart: Any, charts: dict[str, Any], label: str) -> dict[str, Any]:
    """Store a chart for the page's script under a new key; return its key, name and size for the template."""
    spec = with_axis_above(escaped_spec(chart if isinstance(chart, dict) else chart.to_dict(validate=False)))
    spec.pop("config", None)
    spec.pop("$schema", None)
    title = spec.get("title") or spec.get("layer", [{}])[0].get("title") or label
    spec.setdefault("description", title if isinstance(title, str) else title["text"])  # for screen readers
    key = f"{name}-{len(charts) + 1}"
    charts[key] = packed_spec(spec)
    return {"id": key, "name": name, "height": height(spec), "width": width(spec)}


def packed_spec(spec: Any) -> Any:
    """A specification with its data in columns and strings numbered; the page's script unpacks it.

    >>> packed_spec({"data": {"values": [{"a": "x", "b": 1}, {"a": "x", "b": 2}]}})
    {'data': {'packed': {'a': {'words': ['x'], 'at': [0, 0]}, 'b': [1, 2]}}}
    """
    if isinstance(spec, list):
        return [packed_spec(each) for each in spec]
    if not isinstance(spec, dict):
        return spec
    if isinstance(rows := spec.get("values"), list) and rows and isinstance(rows[0], dict):
        return {key: value for key, value in spec.items() if key != "values"} | {"packed": packed_columns(rows)}
    return {key: packed_spec(value) for key, value in spec.items()}


def packed_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rows as columns, None if a row lacks a value, numbers with six digits."""
    packed_columns: dict[str, Any] = {}
    for name in dict.fromkeys(key for row in rows for key in row):
        values = [row.get(name) for row in rows]
        if all(isinstance(value, str) for value in values):
            words = {word: n for n, word in enumerate(dict.fromkeys(values))}
            packed_columns[name] = {"words": list(words), "at": [words[value] for value in values]}
        else:
            packed_columns[name] = [float(f"{value:.6g}") if isinstance(value, float) else value for value in values]
    return packed_columns
