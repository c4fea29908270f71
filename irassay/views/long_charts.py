"""Charts taller than a screen, which repeat their axis at the top."""

from typing import Any

SCREEN_HEIGHT = 700  # pixels


def with_axis_above(spec: dict[str, Any]) -> dict[str, Any]:
    """The Vega-Lite specification with a second x axis at the top if its layers of named rows exceed a screen."""
    layers, height = spec.get("layer"), spec.get("height")
    if not layers or not isinstance(height, dict) or height.get("step", 0) * _row_count(layers) < SCREEN_HEIGHT:
        return spec
    first = next((n for n, layer in enumerate(layers) if _x_channel(layer).get("title")), None)
    if first is None:
        return spec
    # Each layer draws its own axis if they are independent: the first layer keeps its axis, and an invisible layer has
    # the one at the top.
    axis = _x_channel(layers[first]).get("axis") or {}
    own = [_with_x_axis(layer, axis if n == first else None) for n, layer in enumerate(layers)]
    above = _with_x_axis(layers[first], {**axis, "orient": "top", "grid": False})
    above["mark"] = {"type": "point", "opacity": 0, "tooltip": False}
    above["encoding"] = {name: each for name, each in above["encoding"].items() if name in ("x", "y")}
    return {**spec, "layer": [*own, above], "resolve": {**spec.get("resolve", {}), "axis": {"x": "independent"}}}


def _row_count(layers: list[dict[str, Any]]) -> int:
    """The number of names on the y axis."""
    sorts = [layer.get("encoding", {}).get("y", {}).get("sort") for layer in layers]
    return max((len(names) for names in sorts if isinstance(names, list)), default=0)


def _x_channel(layer: dict[str, Any]) -> Any:
    return layer.get("encoding", {}).get("x", {})


def _with_x_axis(layer: dict[str, Any], axis: dict[str, Any] | None) -> dict[str, Any]:
    """The layer with this x axis, or none."""
    if "x" not in layer.get("encoding", {}):
        return layer
    return {**layer, "encoding": {**layer["encoding"], "x": {**_x_channel(layer), "axis": axis}}}
