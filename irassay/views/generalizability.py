"""The view of the reliability of means over topics, and of the topics needed."""

from typing import Any

import numpy as np

from irassay.arrays import TIE, Floats
from irassay.meta.generalizability import Generalizability
from irassay.prose import agreeing_clause, count_phrase, level_text, name_list
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note, starred_names
from irassay.views.charts import chart_rows, chart_title, interval_lines, line_channels, name_axis, tooltips
from irassay.views.phrases import ORDER_NOT_TESTED
from irassay.views.table_columns import column_table, grid_columns, interval_ends
from irassay.views.theme import inline_data
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

MAX_CURVES = 4  # metrics up to which curves with their bands are easy to distinguish
KINDS = {"E rho² (differences)": ("E rho²", "low", "high"), "Phi (means)": ("Phi", "Phi low", "Phi high")}


def view(result: Generalizability) -> View:
    """The reliability of means by every metric, and the number of topics for a given reliability."""
    order = np.argsort(-np.nan_to_num(result.relative(), nan=-1), kind="stable")
    names = [result.metrics[m] for m in order]
    coefficients = {"metric": names, **{name: each[order] for name, each in _coefficients(result).items()}}
    shares = {f"{name} share of variance": share[order] for name, share in result.shares().items()}
    title = "Reliability of means over topics"
    table = column_table("generalizability", coefficients | shares, title, marks=canonical_cells(names), main=True)
    tables = table, _needed_topics_table(result, order, names), _study_table(result, order, names)
    has_point = any(np.isnan(_coefficients(result)[low]).any() for low in ("low", "Phi low"))
    notes = (
        *result.notes,
        f"E rho² is the reliability of differences between systems over {result.topics} topics, Phi that of the means "
        f"themselves; low and high are the ends of {level_text(result.alpha)} intervals. Those of E rho² are exact "
        "and those of Phi approximate if systems and topics are random samples with normal effects, which runs of few "
        "teams are not. With exponential effects, 74 to 88% of such 95% intervals contained the true value.",
        "Variances are shares of their sum; negative estimates count as 0. If the topics needed are empty, no number "
        "is known to be enough. Reliability does not show that a metric measures what users want.",
        *([ORDER_NOT_TESTED] if len(result.metrics) > 1 else []),
        *(["no interval where it would be the single value 0 or 1."] if has_point else []),
        *canonical_note(result.metrics),
    )
    chart = curves if len(result.metrics) <= MAX_CURVES else reliability_dots
    charts = (("d-study", lambda: chart(result)),)
    return View("Generalizability", _sentences(result, order.tolist()), tables, notes, charts)


def _coefficients(result: Generalizability, topics: int | None = None) -> dict[str, Floats]:
    relative, absolute = result.relative(topics), result.absolute(topics)
    low, high = interval_ends(relative, *result.interval(topics=topics))
    phi_low, phi_high = interval_ends(absolute, *result.absolute_interval(topics=topics))
    return {"E rho²": relative, "low": low, "high": high, "Phi": absolute, "Phi low": phi_low, "Phi high": phi_high}


def _needed_topics_table(result: Generalizability, order: Any, names: list[str]) -> Table:
    columns: dict[str, Any] = {"metric": names}
    for prefix, needed in (("E rho²", result.topics_for_relative()), ("Phi", result.topics_for_absolute())):
        for name, values in zip(("topics", "fewest", "most"), needed, strict=True):
            columns[f"{prefix}: {name}"] = [int(n) if np.isfinite(n) else None for n in values[order]]
    unknown = all(n is None for name, values in columns.items() if name != "metric" for n in values)
    return column_table("needed", columns, f"Topics needed for a reliability of {result.wanted:g}", detail=unknown)


def _study_table(result: Generalizability, order: Any, names: list[str]) -> Table:
    by_size = [_coefficients(result, size) for size in result.sizes]
    values = {name: np.stack([each[name][order] for each in by_size], axis=1) for name in by_size[0]}
    columns = grid_columns({"metric": names, "topics": result.sizes}, values)
    title = "Reliability with other numbers of topics"
    return column_table("d-study", columns, title, max_rows=PAIRS_SHOWN, detail=True)


def _sentences(result: Generalizability, order: list[int]) -> tuple[str, ...]:
    ranked = [m for m in order if not np.isnan(result.relative()[m])]
    about = f"{count_phrase(result.systems, 'system')} on {count_phrase(result.topics, 'topic')}"
    if not ranked:
        return (f"No metric distinguishes {about}.",)
    kind = "reliability of differences between systems"
    relative, low = result.relative(), _coefficients(result)["low"]
    if len(ranked) == 1:
        shown, start = ranked, [f"By {result.metrics[ranked[0]]}, the {kind} is {relative[ranked[0]]:.3f} (E rho²)."]
    elif f"{relative[ranked[0]]:.3f}" == f"{relative[ranked[-1]]:.3f}":
        shown, start = ranked[:1], [f"By every metric, the {kind} is {relative[ranked[0]]:.3f} (E rho²)."]
    else:
        shown = [ranked[0], ranked[-1]]
        first, last = ([m for m in ranked if abs(relative[m] - relative[end]) <= TIE] for end in shown)
        names = [name_list([result.metrics[m] for m in metrics]) for metrics in (first, last)]
        text = f"{{have}} the highest {kind}: {relative[shown[0]]:.3f} (E rho²)."
        start = [
            agreeing_clause(names[0], len(first) == 1, text),
            agreeing_clause(names[1], len(last) == 1, f"{{have}} the lowest: {relative[shown[1]]:.3f}."),
        ]
    enough = sum(low[m] >= result.wanted for m in ranked)
    number = f"{enough} of {count_phrase(len(ranked), 'metric')}" if enough else "No metric"
    reach = f"{number} {'has' if enough < 2 else 'have'} an interval that begins at {result.wanted:g} or above."
    details = [Detail(text) for m in shown for text in _interval_sentences(result, m)]
    details.append(Detail(f"The means are of {about}."))
    return (
        *start,
        *(_needed_sentence(result, m) for m in shown),
        *([reach] if len(ranked) > 1 else []),
        *details,
    )


def _needed_sentence(result: Generalizability, m: int) -> str:
    """The number of topics that a metric needs for the reliability wanted of differences."""
    if not result.relative()[m]:
        return (
            f"By {result.metrics[m]}, no number of topics is known to be enough: systems differ no more than by chance."
        )
    needed = result.topics_for_relative()[0][m]
    return (
        f"By {result.metrics[m]}, a reliability of {result.wanted:g} takes about {count_phrase(int(needed), 'topic')}."
    )


def _interval_sentences(result: Generalizability, m: int) -> list[str]:
    """The intervals of a metric's reliability and of the topics it needs, for differences and for means."""
    values = {name: float(each[m]) for name, each in _coefficients(result).items()}
    relative_ends, absolute_ends = (
        f"{values[low]:.3f} to {values[high]:.3f}" if not np.isnan(values[low]) else ""
        for low, high in (("low", "high"), ("Phi low", "Phi high"))
    )
    interval = f"the interval of E rho² is {relative_ends}" if relative_ends else "E rho² has no interval"
    sentences = [
        f"By {result.metrics[m]}, {interval}; the means themselves have a reliability (Phi) of {values['Phi']:.3f} "
        f"({absolute_ends or 'no interval'})."
    ]
    if result.relative()[m]:
        needed = result.topics_for_relative(), result.topics_for_absolute()
        relative, absolute = (_range_text(*(float(n[m]) for n in ends)) for ends in needed)
        sentences.append(f"Then {result.wanted:g} takes {relative} topics for differences, {absolute} for means.")
    return sentences


def _range_text(needed: float, low: float, high: float) -> str:
    return f"{needed:,.0f} ({low:,.0f} {f'to {high:,.0f}' if np.isfinite(high) else 'or more'})"


def _reliability_rows(result: Generalizability, topics: int) -> list[dict[str, Any]]:
    """The rows of a chart: the reliability of each kind over this many topics, by each metric that has one."""
    names, coefficients = starred_names(result.metrics).values(), _coefficients(result, topics)
    rows: list[dict[str, Any]] = []
    for kind, keys in KINDS.items():
        values = dict(zip(("reliability", "low", "high"), (coefficients[key] for key in keys), strict=True))
        lines = chart_rows({"metric": names, **values}, ~np.isnan(coefficients["E rho²"]))
        rows += [line | {"kind": kind, "topics": topics} for line in lines]
    return rows


def curves(result: Generalizability) -> "alt.AnyChart":
    """The D-study: reliability of differences and of means by the number of topics, with the reliability wanted."""
    largest = max(2 * result.topics, *result.sizes)
    names = [*starred_names(result.metrics).values()]
    sizes = np.unique(np.geomspace(1, largest, 60).round().astype(int)).tolist()
    rows = [row for size in sizes for row in _reliability_rows(result, size)]
    base = alt.Chart().encode(
        x=alt.X(
            "topics:Q",
            title="topics",
            scale=alt.Scale(type="log", domain=[1, largest], nice=False),
            axis=alt.Axis(labelSeparation=10),
        ),
        **line_channels("metric", names),
    )
    y = alt.Scale(domain=[0, 1])
    layers = [
        base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=y), y2="high:Q"),
        base.mark_line().encode(
            y=alt.Y("reliability:Q", title="reliability", scale=y),
            tooltip=tooltips("metric", "kind", topics="d", reliability=".3f", low=".3f", high=".3f"),
        ),
        alt.Chart().mark_rule(strokeDash=[4, 4], color="#888888").encode(y=alt.datum(result.wanted)),
        alt.Chart().mark_rule(strokeDash=[1, 3], color="#888888").encode(x=alt.datum(result.topics)),
    ]
    facet = alt.Facet("kind:N", title=None, sort=list(KINDS))
    chart = alt.layer(*layers, data=inline_data(rows)).properties(width=300, height=240).facet(facet=facet, columns=2)
    under = (
        f"dashed: {result.wanted:g}, as wanted; dotted: {count_phrase(result.topics, 'topic')}, as now; "
        f"bands: {level_text(result.alpha)} intervals"
    )
    return chart.properties(title=chart_title("Reliability by the number of topics", under))


def reliability_dots(result: Generalizability) -> "alt.AnyChart":
    """Reliability of differences and of means over the topics there are, for more metrics than a chart has lines."""
    order = np.argsort(-np.nan_to_num(result.relative(), nan=-1), kind="stable").tolist()
    star_names, rows = starred_names(result.metrics), _reliability_rows(result, result.topics)
    base = alt.Chart().encode(
        y=name_axis("metric", [star_names[result.metrics[m]] for m in order]),
        tooltip=tooltips("metric", "kind", reliability=".3f", low=".3f", high=".3f"),
    )
    layers = [
        alt.Chart().mark_rule(strokeDash=[4, 4], color="#888888").encode(x=alt.datum(result.wanted)),
        interval_lines(base, alt.X("low:Q", title="reliability", scale=alt.Scale(zero=False))),
        base.mark_circle(size=60, opacity=1).encode(x="reliability:Q"),
    ]
    facet = alt.Facet("kind:N", title=None, sort=list(KINDS))
    chart = alt.layer(*layers, data=inline_data(rows)).properties(width=300).facet(facet=facet, columns=2)
    under = f"lines: {level_text(result.alpha)} intervals; dashed: {result.wanted:g}, as wanted"
    return chart.properties(title=chart_title(f"Reliability over {count_phrase(result.topics, 'topic')}", under))
