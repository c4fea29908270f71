"""The size of a chart on a page, computed from its specification before it is drawn (docs/decisions/0007)."""

import math
from collections.abc import Iterator
from typing import Any

Channels = dict[str, tuple[dict[str, Any], Any]]  # a channel's specification and its data, by name

# All in pixels.
LETTER_WIDTH, TITLE_LETTER_WIDTH = 5.9, 7.6  # of a label, and of a title
MAX_LABEL_WIDTH = 180  # unless the axis sets it
LINE = 15  # a line of an axis or a legend, or of a title after the first
TITLE = 22  # a title and the space below it
AXIS = 26  # an axis with labels of one line, or the space around the chart
STEP = 20  # a row, unless the chart sets it
LEGEND = 110  # the width of a legend beside the plot without its labels, or of labels that lean over its end
DEFAULT_HEIGHT = 200  # a plot that does not set its height


def height(spec: dict[str, Any]) -> int:
    """The height of the chart on a wide page, or a few pixels more, so that the page does not move when it is drawn."""
    return round(_title(spec) + _body(spec, spec.get("data")) + AXIS)


def width(spec: dict[str, Any]) -> int:
    """About the width of a chart of fixed steps or of several plots, rather too large; 0 if it takes what there is."""
    if isinstance(spec.get("width"), int | float):
        return 0
    body = _width(spec, spec.get("data")) + LEGEND + _longest_legend_label(spec, spec.get("data"))
    return round(max(body, TITLE_LETTER_WIDTH * max(map(len, _title_lines(spec)), default=0) + AXIS))


def _longest_legend_label(spec: dict[str, Any], data: Any) -> float:
    data = spec.get("data") or data
    if parts := next((spec[key] for key in ("hconcat", "vconcat", "concat") if key in spec), None):
        return max(_longest_legend_label(part, data) for part in parts)
    if "spec" in spec:
        return _longest_legend_label(spec["spec"], data)
    channel, rows = dict(_channels(spec, data)).get("color", ({}, None))
    named = channel.get("type") == "nominal" and channel.get("legend", {}) is not None
    return max((LETTER_WIDTH * len(value) for value in _values(channel.get("field"), rows)), default=0.0) * named


def _width(spec: dict[str, Any], data: Any) -> float:
    data = spec.get("data") or data
    if parts := spec.get("hconcat"):
        return sum(_width(part, data) for part in parts)
    if parts := spec.get("vconcat") or spec.get("concat"):
        columns = spec.get("columns", 1) if "concat" in spec else 1
        return columns * max(_width(part, data) for part in parts)
    if "facet" in spec:
        number = len(_values(spec["facet"].get("field"), data)) if "field" in spec["facet"] else 1
        return min(number, spec.get("columns", number)) * (_width(spec["spec"], data) + AXIS)
    channels = dict(_channels(spec, data))
    (x, x_data), (y, y_data) = (channels.get(name, ({}, None)) for name in ("x", "y"))
    given = spec.get("width", DEFAULT_HEIGHT)
    plot = given if isinstance(given, int | float) else given.get("step", STEP) * len(_values(x.get("field"), x_data))
    named = y.get("type") in ("nominal", "ordinal")
    labels = (LETTER_WIDTH * len(value) for value in _values(y.get("field"), y_data)) if named else ()
    return plot + max(labels, default=0.0) + 2 * AXIS


def _title(spec: dict[str, Any]) -> float:
    lines = _title_lines(spec)
    return TITLE + LINE * (len(lines) - 1) if lines else 0


def _title_lines(spec: dict[str, Any]) -> list[str]:
    """The lines of the title and the subtitle."""
    title = spec.get("title") or next((each["title"] for each in spec.get("layer", ()) if each.get("title")), None)
    texts = [title.get("text"), title.get("subtitle")] if isinstance(title, dict) else [title]
    return [line for text in texts if text for line in ([text] if isinstance(text, str) else text)]


def _body(spec: dict[str, Any], data: Any) -> float:
    """The height of everything below the title."""
    data = spec.get("data") or data
    if parts := spec.get("hconcat"):
        return max(_title(part) + _body(part, data) for part in parts)
    if parts := spec.get("vconcat") or spec.get("concat"):
        columns = spec.get("columns", 1) if "concat" in spec else 1
        sizes = [_title(part) + _body(part, data) + LINE for part in parts]
        return sum(max(sizes[start : start + columns]) for start in range(0, len(sizes), columns))
    if "facet" in spec:
        number = len(_values(spec["facet"].get("field"), data)) if "field" in spec["facet"] else 1
        return math.ceil(number / spec.get("columns", number or 1)) * (_body(spec["spec"], data) + LINE)
    channels = dict(_channels(spec, data))
    beside, below = _legends(channels)
    return max(_plot(spec, channels), beside) + _axis(channels) + below


def _channels(spec: dict[str, Any], data: Any) -> Iterator[tuple[str, tuple[dict[str, Any], Any]]]:
    """The channels of a chart and of its layers with their data, the most detailed ones last."""
    parts = [(part.get("encoding", {}), part.get("data") or data) for part in spec.get("layer", ())]
    parts.append((spec.get("encoding", {}), data))
    channels = [(name, (channel, rows)) for encoding, rows in parts for name, channel in encoding.items()]
    yield from sorted(channels, key=lambda each: len(str(each[1][0])) if isinstance(each[1][0], dict) else 0)


def _values(field: Any, data: Any) -> list[str]:
    rows = data.get("values", ()) if isinstance(data, dict) else ()
    return list(dict.fromkeys(str(row[field]) for row in rows if isinstance(row, dict) and field in row))


def _plot(spec: dict[str, Any], channels: Channels) -> float:
    given = spec.get("height")
    if isinstance(given, int | float):
        return given
    y, data = channels.get("y", ({}, None))
    if y.get("type") in ("nominal", "ordinal"):
        return (given or {}).get("step", STEP) * len(_values(y.get("field"), data))
    return DEFAULT_HEIGHT if y else STEP


def _axis(channels: Channels) -> float:
    x, data = channels.get("x", ({}, None))
    axis = x.get("axis", {})
    if not x or axis is None or axis.get("labels") is False:
        return LINE
    room: float = AXIS + (LINE if x.get("title", x.get("field")) else 0)
    if x.get("type") in ("nominal", "ordinal"):
        angle = axis.get("labelAngle", -90 if x.get("type") == "nominal" else 0)
        long = max((LETTER_WIDTH * len(value) for value in _values(x.get("field"), data)), default=0.0)
        room += max(0.0, min(long, axis.get("labelLimit", MAX_LABEL_WIDTH)) * abs(math.sin(math.radians(angle))) - LINE)
    return room


def _legends(channels: Channels) -> tuple[float, float]:
    """The heights of legends beside the plot and below it."""
    beside, below = 0.0, 0.0
    for name in ("color", "shape"):
        channel, data = channels.get(name, ({}, None))
        if "field" not in channel or (legend := channel.get("legend", {})) is None:
            continue
        entries = len((channel.get("scale") or {}).get("domain") or _values(channel["field"], data))
        if legend.get("orient") == "bottom":
            below = below or LINE * ((entries if legend.get("columns") == 1 else 1) + 1)
        else:
            beside += entries * LINE if channel.get("type") in ("nominal", "ordinal") else 64
            beside += LINE if channel.get("title", channel["field"]) else 0
    return beside - AXIS, below
