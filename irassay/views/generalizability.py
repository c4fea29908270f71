"""The view of how reliable means over topics are, and of the topics needed."""

from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.meta.generalizability import Generalizability
from irassay.prose import count_phrase
from irassay.views import altair as alt
from irassay.views.canonical import marked, on_canonical, starred
from irassay.views.charts import points, tips
from irassay.views.theme import data
from irassay.views.view import PAIRS_SHOWN, Table, View, by_column

SAID = 3  # metrics that each have a sentence
BANDS = 4  # metrics whose intervals a chart has room for


def view(result: Generalizability) -> View:
    """How reliable the means are by every metric, and how many topics would make them so."""
    order = np.argsort(-np.nan_to_num(result.relative(), nan=-1), kind="stable")
    names = [result.metrics[m] for m in order]
    coefficients = {"metric": names, **{name: each[order] for name, each in _coefficients(result).items()}}
    shares = {f"{name} share of variance": share[order] for name, share in result.shares().items()}
    marks = marked(names)
    tables = (
        by_column(
            "generalizability", coefficients | shares, "Reliability of means over topics", marks=marks, main=True
        ),
        _needed(result, order, names),
        _study(result, order),
    )
    notes = (
        *result.notes,
        f"E rho² is the reliability of differences between systems over {result.topics} topics, Phi that of the means "
        f"themselves; low and high are at {1 - result.alpha:.0%}. E rho²'s are exact and Phi's approximate where the "
        "effects of systems and topics are normal and both are random samples, which runs of few teams are not. Of "
        "effects as skewed as exponential ones, 74 to 88 % of such 95 % intervals held the true value.",
        "Variances are shares of their sum; one that comes out negative counts as 0. Where the topics needed are "
        "empty, no number is known to be enough. Reliability does not show that a metric measures what users want.",
        *on_canonical(result.metrics),
    )
    charts = (("d-study", lambda: curves(result)),)
    return View("Generalizability", _said(result, [int(m) for m in order]), tables, notes, charts)


def _coefficients(result: Generalizability, topics: int | None = None) -> dict[str, Floats]:
    (low, high), (phi_low, phi_high) = result.interval(topics=topics), result.absolute_interval(topics=topics)
    relative = {"E rho²": result.relative(topics), "low": low, "high": high}
    return relative | {"Phi": result.absolute(topics), "Phi low": phi_low, "Phi high": phi_high}


def _needed(result: Generalizability, order: Any, names: list[str]) -> Table:
    columns: dict[str, Any] = {"metric": names}
    for prefix, found in (("E rho²", result.topics_for_relative()), ("Phi", result.topics_for_absolute())):
        for name, values in zip(("topics", "fewest", "most"), found, strict=True):
            columns[f"{prefix}: {name}"] = [int(n) if np.isfinite(n) else None for n in values[order]]
    return by_column("needed", columns, f"Topics needed for a reliability of {result.wanted:g}")


def _study(result: Generalizability, order: Any) -> Table:
    columns = [(size, _coefficients(result, size)) for size in result.sizes]
    rows = tuple(
        (result.metrics[m], size, *(float(each[m]) for each in found.values()))
        for m in order
        for size, found in columns
    )
    head = ("metric", "topics", *columns[0][1])
    return Table("d-study", head, rows, "Reliability with other numbers of topics", most=PAIRS_SHOWN)


def _said(result: Generalizability, order: list[int]) -> tuple[str, ...]:
    known = [m for m in order if not np.isnan(result.relative()[m])]
    about = f"{count_phrase(result.systems, 'system')} on {count_phrase(result.topics, 'topic')}"
    if not known:
        return (f"No metric distinguishes {about}.",)
    few = len(known) <= SAID
    said = [_sentence(result, m, about) for m in (known if few else (known[0], known[-1]))]
    if not few:
        enough = sum(result.interval()[0][m] >= result.wanted for m in known)
        some = "None" if not enough else "All" if enough == len(known) else f"{enough}"
        verb = "has" if enough == 1 else "have"
        said.append(
            f"{some} of {len(known)} metrics {verb} an interval of E rho² that lies at {result.wanted:g} or above; of "
            "the two above, the first has the highest E rho² and the second the lowest."
        )
    return tuple(said)


def _sentence(result: Generalizability, m: int, about: str) -> str:
    (low, high), (phi_low, phi_high) = result.interval(), result.absolute_interval()
    start = (
        f"By {result.metrics[m]}, differences between {about} have a reliability (E rho²) of "
        f"{result.relative()[m]:.3f} ({low[m]:.3f} to {high[m]:.3f}), their means (Phi) of "
        f"{result.absolute()[m]:.3f} ({phi_low[m]:.3f} to {phi_high[m]:.3f})"
    )
    if not result.relative()[m]:
        return f"{start}: they differ no more than chance makes them, and no number of topics is known to be enough."
    relative, absolute = (
        _range(*(float(n[m]) for n in found)) for found in (result.topics_for_relative(), result.topics_for_absolute())
    )
    return f"{start}; {result.wanted:g} takes {relative} topics for differences, {absolute} for means."


def _range(needed: float, fewest: float, most: float) -> str:
    end = f"{fewest:,.0f} to {most:,.0f}" if np.isfinite(most) else f"{fewest:,.0f} or more"
    return f"{needed:,.0f} ({end})"


def curves(result: Generalizability) -> "alt.AnyChart":
    """The D-study: reliability by the number of topics, of differences and of means, with the one wanted."""
    most = max(2 * result.topics, *result.sizes)
    sizes = np.unique(np.geomspace(1, most, 60).round().astype(int)).tolist()
    called = starred(result.metrics)
    kinds = {"E rho² (differences)": ("E rho²", "low", "high"), "Phi (means)": ("Phi", "Phi low", "Phi high")}
    rows = []
    for size in sizes:
        found = _coefficients(result, size)
        for kind, keys in kinds.items():
            columns = dict(zip(("reliability", "low", "high"), (found[key] for key in keys), strict=True))
            named = {"metric": [called[name] for name in result.metrics], **columns}
            rows += [row | {"kind": kind, "topics": size} for row in points(named, ~np.isnan(found["E rho²"]))]
    base = alt.Chart().encode(
        x=alt.X("topics:Q", title="topics", scale=alt.Scale(type="log", domain=[1, most], nice=False)),
        color=alt.Color("metric:N", title=None, sort=list(called.values()), legend=alt.Legend(symbolOpacity=1)),
    )
    y = alt.Scale(domain=[0, 1])
    layers = [
        base.mark_line().encode(
            y=alt.Y("reliability:Q", title="reliability", scale=y),
            tooltip=tips("metric", "kind", topics="d", reliability=".3f", low=".3f", high=".3f"),
        ),
        alt.Chart().mark_rule(strokeDash=[4, 4], color="#888888").encode(y=alt.datum(result.wanted)),
        alt.Chart().mark_rule(strokeDash=[1, 3], color="#888888").encode(x=alt.datum(result.topics)),
    ]
    if len(result.metrics) <= BANDS:
        layers.insert(0, base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=y), y2="high:Q"))
    facet = alt.Facet("kind:N", title=None, sort=list(kinds))
    drawn = alt.layer(*layers, data=data(rows)).properties(width=300, height=240).facet(facet=facet, columns=2)
    title = f"Reliability by the number of topics ({result.topics} now, {result.wanted:g} wanted)"
    return drawn.properties(title=title)
