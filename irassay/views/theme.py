"""Charts: what all of them share, and how they reach a file."""

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
from irassay.prose import visible
from irassay.subprocess_call import DiedError, subprocess_call

# Okabe and Ito's colours, which people with colour-blindness can tell apart.
from irassay.views import altair as alt
from irassay.views.view import PICTURES, View, chart_specs
from irassay.writing import cache_folder, write_file

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>irassay</title><script><!--vega--></script></head>
<body><div id="chart"></div><script type="application/json" id="spec"><!--spec--></script>
<script>vegaEmbed("#chart", JSON.parse(document.getElementById("spec").textContent), {mode: "vega-lite"})</script>
</body></html>
"""
# What a colour means, the same in every picture: ahead, better or significant; behind, worse or reversed; neither.
AHEAD, BEHIND, NEITHER = COLOURS[0], COLOURS[1], "#a8a8a8"
DIMMED = {NEITHER: "#676e7a", "#cccccc": "#454a54"}  # greys that glare on a dark page, and what they are there
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def data(rows: list[dict[str, Any]]) -> Any:
    """Rows as inline chart data."""
    return _inline()(rows)


@cache
def _inline() -> Any:
    """The class of inline data: altair neither checks nor copies its rows, which takes seconds where there are many."""

    class Rows(alt.Data):
        def __init__(self, rows: list[dict[str, Any]]) -> None:
            object.__setattr__(self, "_args", ())
            object.__setattr__(self, "_kwds", {})
            object.__setattr__(self, "_rows", rows)

        def __repr__(self) -> str:  # from which altair makes the names of views
            return f"Rows({crc32(repr(object.__getattribute__(self, '_rows')).encode()):x})"

        def __deepcopy__(self, memo: Any) -> Any:
            return self

        def copy(self, *args: Any, **kwargs: Any) -> Any:
            return self

        def to_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
            return {"values": object.__getattribute__(self, "_rows")}

    return Rows


def config(dark: bool = False) -> dict[str, Any]:
    """Our fonts and colours, as Vega-Lite takes them."""
    ink, ground, grid = ("#e8e8e8", "#16181d", "#3a3d45") if dark else ("#222222", "#ffffff", "#e4e4e4")
    axis = {
        "labelColor": ink,
        "titleColor": ink,
        "gridColor": grid,
        "domainColor": ink,
        "tickColor": ink,
        "labelLimit": 320,
        "labelFlush": False,  # the first and the last label stand at their ticks
    }
    return {
        "font": "Helvetica, Arial, sans-serif",
        "background": ground,
        "view": {"stroke": "transparent"},
        "axis": axis,
        "legend": {"labelColor": ink, "titleColor": ink, "labelLimit": 320},
        "title": {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 14},
        "header": {"labelColor": ink, "titleColor": ink},
        "mark": {"color": COLOURS[0]},
        "text": {"color": ink},
        "rule": {"color": ink},
        # Black is a colour of its own on white only.
        "range": {"category": [ink if colour == "#000000" else colour for colour in COLOURS]},
    }


def themed(chart: Any, dark: bool = False) -> dict[str, Any]:
    """The Vega-Lite specification with our fonts and colours."""
    spec: dict[str, Any] = readable(chart if isinstance(chart, dict) else chart.to_dict())
    spec["config"] = {**spec.get("config", {}), **config(dark)}
    return spec


def readable(spec: Any, key: str = "") -> Any:
    """A specification in which names have no characters that a picture chokes on: they are seen as escapes."""
    if isinstance(spec, str):
        seen = _seen(f"{spec}")
        # Vega-Lite puts titles between quotes in expressions, as they are.
        return seen.replace("\\", "\\\\") if key == "title" and "\\" in seen else seen
    if isinstance(spec, dict):
        return {
            _seen(name): value if isinstance(value, int | float) else readable(value, name)
            for name, value in spec.items()
        }
    return [readable(each, key) for each in spec] if isinstance(spec, list | tuple) else spec


@lru_cache(maxsize=1 << 14)
def _seen(text: str) -> str:
    """A word of a specification, most of which come again and again, without what a picture chokes on."""
    return visible(text, keep="\n")


def save(chart: Any, path: Path) -> None:
    """Writes a chart as SVG, PNG, PDF or a page of its own, by the ending of the name."""
    spec = with_rows(themed(chart))
    if path.suffix == ".png":
        drawn: str | bytes = _drawn("vegalite_to_png", spec, scale=2)
    elif path.suffix == ".pdf":
        drawn = _drawn("vegalite_to_pdf", spec)
    elif path.suffix == ".html":
        drawn = PAGE.replace("<!--spec-->", in_script(spec)).replace("<!--vega-->", runtime())
    else:
        drawn = _drawn("vegalite_to_svg", spec)
    write_file(path, drawn)


class EmptyPictureError(InputError):
    """That a picture would show nothing."""

    def __init__(self) -> None:
        super().__init__("there is nothing to draw: no value of this picture is a number")


def with_rows(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification; EmptyPictureError if it has no rows to show, of which Vega makes a picture without bounds."""
    given = [part["data"] for part in _parts(spec) if isinstance(part.get("data"), dict)]
    if given and not any(rows.get("values", True) for rows in given):
        raise EmptyPictureError
    return spec


def _drawn(how: str, *given: object, **settings: object) -> Any:
    """What vl-convert makes of a specification. It ends the process where there is too little memory for its V8."""
    try:
        return subprocess_call(f"vl_convert:{how}", *given, **settings)
    except (DiedError, ValueError) as died:
        if "invalid size" in str(died):
            raise EmptyPictureError from None
        if isinstance(died, ValueError) and not any(word in str(died) for word in ("canceled", "receiver is gone")):
            raise  # those it says where it cannot begin
        raise InputError(
            f"no picture can be drawn: the program that draws ended in {str(died).splitlines()[-1]}, as where less "
            "than 8 GiB of address space or few open files are allowed (ulimit -v, -n); allow more, or draw a page, "
            "to a file that ends in .html"
        ) from None


@cache
def runtime() -> str:
    """Vega, Vega-Lite and their tooltips, in one script that needs no network; kept, for it takes a second to make."""
    name = f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError, RuntimeError, ValueError):  # there is none, or no home
        return (cache_folder() / name).read_bytes().decode()
    made = str(_drawn("javascript_bundle", "window.vegaEmbed=vegaEmbed;")).replace("</script", r"<\/script")
    with suppress(OSError, RuntimeError, InputError):  # a page can be made without
        cache_folder().mkdir(parents=True, exist_ok=True)
        write_file(cache_folder() / name, made)
    return made


def in_script(value: Any) -> str:
    r"""JSON that may stand in a script element, whatever it says.

    >>> in_script(["</script><!--", float("nan")])
    '["\\u003c/script\\u003e\\u003c!--",null]'
    """
    write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text = write(value)
    except (TypeError, ValueError):
        text = write(finite(value))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def finite(value: Any) -> Any:
    """The same value with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(each) for key, each in value.items()}
    return [finite(each) for each in value] if isinstance(value, list | tuple) else value


def draw(view: View, path: Path) -> list[Path]:
    """Writes the charts of a view, the first to the named file, others beside it with their name added: the files."""
    if path.suffix not in PICTURES:
        raise InputError(f"{path}: a picture's name must end in {', '.join(PICTURES)}")
    charts = list(chart_specs(view))
    called = [re.sub(r"[^\w@.=+-]+", "-", name).strip("-") for name, _ in charts]
    twice = [f"{name}-{called[:i].count(name) + 1}" if name in called[:i] else name for i, name in enumerate(called)]
    targets = [path.with_stem(f"{path.stem}-{name}") if i else path for i, name in enumerate(twice)]
    drawn: list[Path] = []
    for target, (_, make) in zip(targets, charts, strict=True):
        with suppress(EmptyPictureError):
            save(make(), target)
            drawn.append(target)
    return drawn


def _spec(chart: Any) -> dict[str, Any]:
    found: dict[str, Any] = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    return found


def first_chart(view: View) -> Any:
    """The first chart of a view as an altair object, metrics named as people are shown them."""
    if not view.names.labels:
        return view.charts[0][1]()
    return alt.Chart.from_dict(next(chart_specs(view))[1]())


def dashed(chart: Any) -> Any:
    """A chart with a colour a line, in which lines beyond the number of colours differ by their dashes."""
    spec = _spec(chart)
    parts = list(_parts(spec))
    lists = [part for part in parts if isinstance(part.get("values"), list)]
    named = [row["line"] for part in lists for row in part["values"] if "line" in row]
    names = sorted(set(named))
    if len(names) <= len(COLOURS):
        return spec
    dashes = [DASHES[n // len(COLOURS) % len(DASHES)] for n in range(len(names))]
    for part in parts:
        colour = part.get("color")
        if isinstance(colour, dict) and colour.get("field") == "line" and "strokeDash" not in part:
            colour["scale"] = (colour.get("scale") or {}) | {"domain": names}
            same = {key: colour[key] for key in ("field", "type", "title", "legend") if key in colour}
            part["strokeDash"] = same | {"scale": {"domain": names, "range": dashes}}
    return spec


def _parts(spec: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a specification, itself among them, but for rows of data."""
    if isinstance(spec, dict):
        yield spec
        for key, value in spec.items():
            if key != "values":
                yield from _parts(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _parts(value)


def picture(view: View) -> str:
    """The first chart of a view as an image for a page, of bounded size whatever it shows; nothing without a chart."""
    if not view.charts:
        return ""
    import base64

    try:
        drawn = _drawn("vegalite_to_png", with_rows(themed(next(chart_specs(view))[1]())), scale=1.5)
    except EmptyPictureError:
        return ""
    source = f"data:image/png;base64,{base64.b64encode(drawn).decode()}"
    return f'<img style="max-width:100%" alt="{escape(view.title)}" src="{source}">'  # no wider than a notebook's cell
