"""The look of all charts, and how they are written to files."""

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zlib import crc32

from irassay.errors import InputError
from irassay.prose import visible_text
from irassay.subprocess_call import DiedError, subprocess_call
from irassay.views import altair as alt
from irassay.views.long_charts import with_axis_above
from irassay.views.metric_labels import chart_specs
from irassay.views.view import PICTURES, View
from irassay.writing import cache_folder, write_file

# Okabe and Ito's colours, which colour-blind people can distinguish.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>irassay</title><script><!--vega--></script></head>
<body><div id="chart"></div><script type="application/json" id="spec"><!--spec--></script>
<script>vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent), {mode: "vega-lite"})</script>
</body></html>
"""
# Colours mean the same in every chart: ahead, better or significant; behind, worse or reversed; neither.
AHEAD, BEHIND, NEITHER = COLOURS[0], COLOURS[1], "#a8a8a8"
# Greys too bright for a dark page and a blue too dark for it, and their replacements.
DARK_COLOURS = {NEITHER: "#676e7a", "#cccccc": "#454a54", COLOURS[0]: "#2f97dd"}
PICTURE_SCALE = 1.5  # pixels per unit of a chart in a notebook
LINE_COLOURS = COLOURS[:-1]  # yellow lines can hardly be seen on white
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [2, 5])


def inline_data(rows: list[dict[str, Any]]) -> Any:
    """Rows as inline chart data."""
    return _inline()(rows)


def row_chart(rows: list[dict[str, Any]], **properties: Any) -> "alt.Chart":
    """A chart of these rows."""
    return alt.Chart(inline_data(rows), **properties)


@cache
def _inline() -> Any:
    """A class of inline data whose rows altair neither checks nor copies, which would take seconds for many rows."""

    class Rows(alt.Data):
        def __init__(self, rows: list[dict[str, Any]]) -> None:
            object.__setattr__(self, "_args", ())
            object.__setattr__(self, "_kwds", {})
            object.__setattr__(self, "_rows", rows)

        def __repr__(self) -> str:  # altair makes the names of views from it
            return f"Rows({crc32(repr(object.__getattribute__(self, '_rows')).encode()):x})"

        def __deepcopy__(self, memo: Any) -> Any:
            return self

        def copy(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def to_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return {"values": object.__getattribute__(self, "_rows")}

    return Rows


def config(dark: bool = False) -> dict[str, Any]:
    """The Vega-Lite configuration of our fonts and colours."""
    ink, ground, grid = ("#e8e8e8", "#16181d", "#3a3d45") if dark else ("#222222", "#ffffff", "#e4e4e4")
    # Black can be seen only on white.
    lines = [DARK_COLOURS.get(colour, colour) if dark else colour for colour in LINE_COLOURS]
    lines = [ink if colour == "#000000" else colour for colour in lines]
    texts = {"labelColor": ink, "titleColor": ink}
    # Without labelFlush the first and the last label stand at their ticks.
    axis = {"gridColor": grid, "domainColor": ink, "tickColor": ink, "labelLimit": 320, "labelFlush": False}
    return {
        "font": "Helvetica, Arial, sans-serif",
        "background": ground,
        "view": {"stroke": "transparent"},
        "axis": texts | axis,
        "axisQuantitative": {"labelSeparation": 6},  # pixels; otherwise numbers may touch
        "legend": texts | {"labelLimit": 320, "symbolLimit": 0},  # all entries
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 14},
        "header": texts,
        "mark": {"color": lines[0]},
        "point": {"opacity": 1},
        "circle": {"opacity": 1},
        "text": {"color": ink},
        "rule": {"color": ink},
        "range": {"category": lines},
    }


def themed_spec(chart: Any, dark: bool = False) -> dict[str, Any]:
    """The Vega-Lite specification of a chart with our fonts and colours."""
    spec: dict[str, Any] = escaped_spec(chart if isinstance(chart, dict) else chart.to_dict())
    spec["config"] = {**spec.get("config", {}), **config(dark)}
    return spec


def escaped_spec(spec: Any, key: str = "") -> Any:
    """A chart specification with control characters escaped, which cannot be drawn."""
    if isinstance(spec, str):
        text = _escaped(f"{spec}")
        # Vega-Lite puts titles between quotes in expressions, as they are.
        return text.replace("\\", "\\\\") if key == "title" and "\\" in text else text
    if isinstance(spec, dict):
        return {
            _escaped(name): value if isinstance(value, int | float) else escaped_spec(value, name)
            for name, value in spec.items()
        }
    return [escaped_spec(each, key) for each in spec] if isinstance(spec, list | tuple) else spec


@lru_cache(maxsize=1 << 14)
def _escaped(text: str) -> str:
    """A string of a specification with control characters escaped; cached, since most strings recur."""
    return visible_text(text, keep="\n")


def save_chart(chart: Any, path: Path) -> None:
    """Write a chart as SVG, PNG, PDF or a page of its own, by the extension of the path."""
    spec = with_axis_above(nonempty_spec(themed_spec(chart)))
    if path.suffix == ".html":
        content = PAGE.replace("<!--spec-->", script_json(spec)).replace("<!--vega-->", runtime())
    else:
        form = path.suffix[1:] if path.suffix in (".png", ".pdf") else "svg"
        content = _converted(f"vegalite_to_{form}", spec, **{"scale": 2} if form == "png" else {})
    write_file(path, content)


class EmptyPictureError(InputError):
    """Raised if a chart would be empty."""

    def __init__(self) -> None:
        super().__init__("There is nothing to draw: no value of this chart is a number.")


def nonempty_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification if it has rows to show, of which Vega needs some; otherwise raises EmptyPictureError."""
    sources = [part["data"] for part in _mappings_in(spec) if isinstance(part.get("data"), dict)]
    if sources and not any(rows.get("values", True) for rows in sources):
        raise EmptyPictureError
    return spec


def _converted(function: str, *arguments: object, **settings: object) -> Any:
    """The output of a function of vl-convert, which ends its process if there is too little memory for V8."""
    try:
        return subprocess_call(f"vl_convert:{function}", *arguments, **settings)
    except (DiedError, ValueError) as died:
        if "invalid size" in str(died):
            raise EmptyPictureError from None
        if isinstance(died, ValueError) and not any(word in str(died) for word in ("canceled", "receiver is gone")):
            raise  # with these messages it could not start
        raise InputError(
            f"The chart cannot be drawn: the drawing process ended with {str(died).splitlines()[-1]}. It needs 8 GiB "
            "of address space and some open files; raise these limits (ulimit -v, -n), or use a file that ends in "
            ".html."
        ) from None


@cache
def runtime() -> str:
    """Vega, Vega-Lite and their tooltips, in one script that needs no network; cached, since it takes a second."""
    name = f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError, RuntimeError, ValueError):  # no such file, or no home folder
        return (cache_folder() / name).read_bytes().decode()
    script = str(_converted("javascript_bundle", "window.vegaEmbed=vegaEmbed;")).replace("</script", r"<\/script")
    with suppress(OSError, RuntimeError, InputError):  # pages work without a cache
        cache_folder().mkdir(parents=True, exist_ok=True)
        write_file(cache_folder() / name, script)
    return script


def script_json(value: Any) -> str:
    r"""JSON that is safe inside a script element.

    >>> script_json(["</script><!--", float("nan")])
    '["\\u003c/script\\u003e\\u003c!--",null]'
    """
    write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text = write(value)
    except (TypeError, ValueError):
        text = write(without_nan(value))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def without_nan(value: Any) -> Any:
    """The same value with None for NaN and infinity, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(each) for key, each in value.items()}
    return [without_nan(each) for each in value] if isinstance(value, list | tuple) else value


def draw_charts(view: View, path: Path) -> list[Path]:
    """Write the charts of a view, the first to this path, others beside it with their names added; return the paths."""
    if path.suffix not in PICTURES:
        raise InputError(f"{path}: the name of a chart file must end in {' or '.join(PICTURES)}.")
    charts = list(chart_specs(view))
    names = [re.sub(r"[^\w@.=+-]+", "-", name).strip("-") for name, _ in charts]
    unique = [f"{name}-{names[:i].count(name) + 1}" if name in names[:i] else name for i, name in enumerate(names)]
    targets = [path.with_stem(f"{path.stem}-{name}") if i else path for i, name in enumerate(unique)]
    drawn: list[Path] = []
    for target, (_, make) in zip(targets, charts, strict=True):
        with suppress(EmptyPictureError):
            save_chart(make(), target)
            drawn.append(target)
    return drawn


def first_chart(view: View) -> Any:
    """The first chart of a view as an altair object, with the labels of its metrics; shown without a network."""
    chart: Any = alt.Chart.from_dict(next(chart_specs(view))[1]()) if view.names.labels else view.charts[0][1]()
    chart = alt.Chart.from_dict(chart) if isinstance(chart, dict) else chart
    kind: Any = type(chart)
    object.__setattr__(chart, "__class__", _offline_class(kind))
    return chart


@cache
def _offline_class(kind: Any) -> Any:
    return type(kind.__name__, (OfflineChart, kind), {})


class OfflineChart:
    """What a notebook shows of an altair chart: Vega-Lite if the front end draws it itself, otherwise a picture.

    altair's default renderer loads Vega from the network. A renderer that the user chose is used instead.
    """

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **options)  # type: ignore[misc]
        spec = nonempty_spec(themed_spec(self))
        picture = base64.b64encode(_converted("vegalite_to_png", spec, scale=PICTURE_SCALE)).decode()
        major, _, _ = alt.SCHEMA_VERSION.partition(".")  # such as v6
        drawable = {f"application/vnd.vegalite.{major}+json": without_nan(spec), "image/png": picture}
        return drawable | {"text/plain": f"<{type(self).__name__} of altair>"}


def _mappings_in(spec: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a specification, including itself but not the rows of data."""
    if isinstance(spec, dict):
        yield spec
        spec = [value for key, value in spec.items() if key != "values"]
    for value in spec if isinstance(spec, list) else ():
        yield from _mappings_in(value)


def chart_image(view: View) -> str:
    """The first chart of a view as an HTML image, no wider than its place; empty without a chart."""
    if not view.charts:
        return ""
    try:
        drawn = _converted(
            "vegalite_to_png", nonempty_spec(themed_spec(next(chart_specs(view))[1]())), scale=PICTURE_SCALE
        )
    except EmptyPictureError:
        return ""
    source = f"data:image/png;base64,{base64.b64encode(drawn).decode()}"
    return f'<img style="max-width:100%" alt="{escape(view.title)}" src="{source}">'
