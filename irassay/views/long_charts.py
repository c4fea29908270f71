"""Charts taller than a screen, which have their axis above as well as below."""

from copy import copy
from typing import Any

TALL = 700  # pixels


def with_axis_above(spec: dict[str, Any]) -> dict[str, Any]:
    """The Vega-Lite specification with a second axis above, where layers of named rows are taller than a screen."""
    layers, height = spec.get("layer"), spec.get("height")
    if not layers or not isinstance(height, dict) or height.get("step", 0) * _rows(layers) < TALL:
        return spec
    first = next((n for n, layer in enumerate(layers) if _across(layer).get("title")), None)
    if first is None:
        return spec
    # Axes that layers do not share are drawn for each of them: the first keeps its own, an unseen one has that above.
    axis = _across(layers[first]).get("axis") or {}
    placed = [_with_axis(layer, axis if n == first else None) for n, layer in enumerate(layers)]
    above = _with_axis(layers[first], {**axis, "orient": "top", "grid": False})
    above["mark"] = {"type": "point", "opacity": 0, "tooltip": False}
    above["encoding"] = {name: each for name, each in above["encoding"].items() if name in ("x", "y")}
    resolved = {**spec.get("resolve", {}), "axis": {"x": "independent"}}
    return {**spec, "layer": [*placed, above], "resolve": resolved}


def _rows(layers: list[dict[str, Any]]) -> int:
    """How many names there are from the top down."""
    sorts = [layer.get("encoding", {}).get("y", {}).get("sort") for layer in layers]
    return max((len(names) for names in sorts if isinstance(names, list)), default=0)


def _across(layer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = layer.get("encoding", {}).get("x", {})
    return found


def _with_axis(layer: dict[str, Any], axis: dict[str, Any] | None) -> dict[str, Any]:
    """The layer with this axis, or none, of what goes from left to right."""
    if "x" not in layer.get("encoding", {}):
        return layer
    made = copy(layer)
    made["encoding"] = {**layer["encoding"], "x": {**_across(layer), "axis": axis}}
    return made
