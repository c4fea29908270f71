"""The height of a chart on a page, computed from its specification before it is drawn (docs/decisions/0007)."""

import math
from collections.abc import Iterator
from typing import Any

LETTER = 5.9  # pixels of a letter of a label
LONGEST = 180  # pixels of a label, unless its axis says otherwise
LINE = 15  # pixels of a line of an axis, a legend, or a title below the first
TITLE = 22  # pixels of a title, with the space below it
AXIS = 26  # pixels of an axis with labels of one line, and of the space around the chart
STEP = 20  # pixels of a row, unless the chart says otherwise
PLAIN = 200  # pixels of a plot that says nothing of its height


def height(spec: dict[str, Any]) -> int:
    """The height of the chart on a page wide enough for it, or some pixels more: what follows must not move."""
    return round(_title(spec) + _body(spec, spec.get("data")) + AXIS)


def _title(spec: dict[str, Any]) -> float:
    title = spec.get("title") or next((each["title"] for each in spec.get("layer", ()) if each.get("title")), None)
    if not title:
        return 0
    said = title if isinstance(title, dict) else {"text": title}
    lines = [_lines(said.get(part)) for part in ("text", "subtitle")]
    return TITLE + LINE * (sum(lines) - 1)


def _lines(text: Any) -> int:
    return len(text) if isinstance(text, list) else int(bool(text))


def _body(spec: dict[str, Any], data: Any) -> float:
    """The height of what is below the title."""
    data = spec.get("data") or data
    if parts := spec.get("hconcat"):
        return max(_title(part) + _body(part, data) for part in parts)
    if parts := spec.get("vconcat") or spec.get("concat"):
        columns = spec.get("columns", 1) if "concat" in spec else 1
        sizes = [_title(part) + _body(part, data) + LINE for part in parts]
        return sum(max(sizes[at : at + columns]) for at in range(0, len(sizes), columns))
    if "facet" in spec:
        number = len(_values(spec["facet"].get("field"), data)) if "field" in spec["facet"] else 1
        return math.ceil(number / spec.get("columns", number or 1)) * (_body(spec["spec"], data) + LINE)
    channels = dict(_channels(spec, data))
    plot = max(_plot(spec, channels), _beside(channels))
    return plot + _axis(channels) + _below(channels)


def _channels(spec: dict[str, Any], data: Any) -> Iterator[tuple[str, tuple[dict[str, Any], Any]]]:
    """The channels of a chart or of its layers, those that say most last, with the data of each."""
    parts = [(part.get("encoding", {}), part.get("data") or data) for part in spec.get("layer", ())]
    parts.append((spec.get("encoding", {}), data))
    found = [(name, (channel, of)) for encoding, of in parts for name, channel in encoding.items()]
    yield from sorted(found, key=lambda each: len(str(each[1][0])) if isinstance(each[1][0], dict) else 0)


def _values(field: Any, data: Any) -> list[str]:
    rows = data.get("values", ()) if isinstance(data, dict) else ()
    return list(dict.fromkeys(str(row[field]) for row in rows if isinstance(row, dict) and field in row))


def _plot(spec: dict[str, Any], channels: dict[str, tuple[dict[str, Any], Any]]) -> float:
    given = spec.get("height")
    if isinstance(given, int | float):
        return given
    y, data = channels.get("y", ({}, None))
    if y.get("type") in ("nominal", "ordinal"):
        return (given or {}).get("step", STEP) * len(_values(y.get("field"), data))
    return PLAIN if y else STEP


def _axis(channels: dict[str, tuple[dict[str, Any], Any]]) -> float:
    x, data = channels.get("x", ({}, None))
    axis = x.get("axis", {}) or {}
    if not x or axis.get("labels") is False:
        return LINE
    room: float = AXIS + (LINE if x.get("title", x.get("field")) else 0)
    if x.get("type") in ("nominal", "ordinal"):
        angle = axis.get("labelAngle", -90 if x.get("type") == "nominal" else 0)
        long = max((LETTER * len(value) for value in _values(x.get("field"), data)), default=0.0)
        room += max(0.0, min(long, axis.get("labelLimit", LONGEST)) * abs(math.sin(math.radians(angle))) - LINE)
    return room


def _entries(channel: dict[str, Any], data: Any) -> int:
    return len((channel.get("scale") or {}).get("domain") or _values(channel.get("field"), data))


def _legends(channels: dict[str, tuple[dict[str, Any], Any]]) -> Iterator[tuple[dict[str, Any], Any]]:
    for name in ("color", "shape"):
        channel, data = channels.get(name, ({}, None))
        if "field" in channel and channel.get("legend", {}) is not None:
            yield channel, data


def _beside(channels: dict[str, tuple[dict[str, Any], Any]]) -> float:
    """The height of legends beside the plot."""
    found = 0.0
    for channel, data in _legends(channels):
        if (channel.get("legend") or {}).get("orient") != "bottom":
            many = _entries(channel, data) * LINE if channel.get("type") in ("nominal", "ordinal") else 64
            found += many + (LINE if channel.get("title", channel["field"]) else 0)
    return found - AXIS


def _below(channels: dict[str, tuple[dict[str, Any], Any]]) -> float:
    """The height of legends below the plot."""
    found = [(c, d) for c, d in _legends(channels) if (c.get("legend") or {}).get("orient") == "bottom"]
    return sum(LINE * (_entries(c, d) if c["legend"].get("columns") == 1 else 1) + LINE for c, d in found[:1])
