"""Charts: what all of them share, and how they reach a file."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

# Okabe and Ito's colours, which people with colour-blindness can tell apart.
from irassay.views import altair as alt
from irassay.views.view import View

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])


def data(rows: list[dict[str, Any]]) -> Any:
    """Rows as inline chart data."""
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


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
    }
    return {
        "font": "Helvetica, Arial, sans-serif",
        "background": ground,
        "view": {"stroke": "transparent"},
        "axis": axis,
        "legend": {"labelColor": ink, "titleColor": ink, "labelLimit": 320},
        "title": {"color": ink, "anchor": "start", "fontSize": 14},
        "header": {"labelColor": ink, "titleColor": ink},
        "mark": {"color": COLOURS[0]},
        "text": {"color": ink},
        "rule": {"color": ink},
        # Black is a colour of its own on white only.
        "range": {"category": [ink if colour == "#000000" else colour for colour in COLOURS]},
    }


def themed(chart: Any, dark: bool = False) -> dict[str, Any]:
    """The Vega-Lite specification with our fonts and colours."""
    spec: dict[str, Any] = chart.to_dict()
    spec["config"] = {**spec.get("config", {}), **config(dark)}
    return spec


def save(chart: Any, path: Path) -> None:
    """Writes a chart as SVG, PNG, PDF or a page of its own, by the ending of the name."""
    import vl_convert

    spec = themed(chart)
    if path.suffix == ".png":
        path.write_bytes(vl_convert.vegalite_to_png(spec, scale=2))
    elif path.suffix == ".pdf":
        path.write_bytes(vl_convert.vegalite_to_pdf(spec))
    elif path.suffix == ".html":
        path.write_text(vl_convert.vegalite_to_html(spec, bundle=True), encoding="utf-8")
    else:
        path.write_text(vl_convert.vegalite_to_svg(spec), encoding="utf-8")


def draw(view: View, path: Path) -> list[Path]:
    """Writes the charts of a view, the first to the named file, others beside it with their name added: the files."""
    targets = [path.with_stem(f"{path.stem}-{name}") if i else path for i, (name, _) in enumerate(view.charts)]
    for target, (_, make) in zip(targets, view.charts, strict=True):
        save(make(), target)
    return targets


def dashed(chart: Any) -> Any:
    """A chart with a colour a line, in which lines beyond the number of colours differ by their dashes."""
    spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
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

    import vl_convert

    drawn = vl_convert.vegalite_to_png(themed(view.charts[0][1]()), scale=1.5)
    return f'<img alt="{escape(view.title)}" src="data:image/png;base64,{base64.b64encode(drawn).decode()}">'
