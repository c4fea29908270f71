"""The view of curves over a parameter: how well each of its values agrees with the ratings."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.satisfaction.sensitivity import Sensitivity
from irassay.prose import count_phrase
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_title, line_legend, number_axis, tooltips
from irassay.views.pair_maps import pair_maps
from irassay.views.table_columns import column_table, interval_columns
from irassay.views.theme import inline_data
from irassay.views.view import View


def view(result: Sensitivity) -> View:
    """The best value on each curve, and the range of values that do not differ significantly from it."""
    sentences = [_best_sentences(result, m) for m in range(len(result.metrics))]
    v, m = (index.ravel() for index in np.indices(result.pearson.shape))
    columns: dict[str, Any] = {
        "metric": [result.metrics[i] for i in m],
        **result.value_columns(v),
        **interval_columns("r", *(r[v, m] for r in (result.pearson, result.pearson_low, result.pearson_high))),
        "rho": result.spearman[v, m],
        "NRMSE": result.nrmse[v, m],
    }
    notes = (
        *result.notes,
        "Significantly: the 95% interval of the difference of two r does not include 0, for one value at a time.",
        "A value chosen at the maximum of its curve looks better on these units than it is on others; fit it with "
        "cross-validation to see by how much.",
    )
    drawn = partial(sensitivity_map if result.second else sensitivity_curves, result)
    charts = (("sensitivity", drawn),)
    digits = tuple(None if name in result.parameters else 4 for name in columns)  # values as they were given
    table = column_table("curves", columns, "Curves", digits=digits, max_rows=60)
    return View("Sensitivity", tuple(sentences), (table,), notes, charts)


def _best_sentences(result: Sensitivity, m: int) -> str:
    """The value at which a metric correlates best, and the values that do not differ significantly from it."""
    name, _, r = result.best()[m]
    if np.isnan(r):
        parameters = " and ".join(result.parameters)
        return f"{name} has the same score for all units at every {parameters}, so it has no correlation."
    at = f"at {result.value_text(result.best_places()[m])} (r = {r:.3f})"
    if r <= 0:
        return f"{name} correlates positively with the ratings at no value. It comes closest {at}."
    return f"{name} correlates best with the ratings {at}. {_plausible_text(result, m)}"


def _plausible_text(result: Sensitivity, m: int) -> str:
    """The values that do not differ significantly from a metric's best one."""
    if result.second:
        count = int(result.indistinct[:, m].sum())
        return f"{count} of {len(result.values)} pairs of values do not differ significantly from it."
    _, low, high = result.plausible()[m]
    if low == high:
        return "Every other value is significantly worse."
    between = (result.values >= low) & (result.values <= high)
    if not result.indistinct[between, m].all():
        alike = count_phrase(int(result.indistinct[:, m].sum()), "value")
        return f"{alike} of {len(result.values)} do not differ significantly from it, between {low:g} and {high:g}."
    return f"None of the values tried from {low:g} to {high:g} differs significantly from it."


def sensitivity_map(result: Sensitivity) -> "alt.AnyChart":
    """r over pairs of values, a map for each metric: the best pair framed, those like it dotted."""
    marks = {"r": result.pearson, "like the best": result.indistinct}
    title = chart_title(
        f"Correlation with ratings over {result.parameter} and {result.second}",
        "frame: highest r; dots: pairs of values that do not differ significantly from it",
    )
    return pair_maps(result, marks, result.best_places(), ".2f").properties(title=title)


def sensitivity_curves(result: Sensitivity) -> "alt.AnyChart":
    """r and rho over the values, a line for each metric, r with its interval; axes include 0."""
    nothing = np.full_like(result.pearson, np.nan)
    axes: dict[str, Any] = {"of": ("Pearson's r", "Spearman's rho"), "value": result.values, "metric": result.metrics}
    correlation = np.stack([result.pearson, result.spearman])  # [of, value, metric]
    ends = {"low": [result.pearson_low, nothing], "high": [result.pearson_high, nothing]}
    points = cell_rows(axes, {"correlation": correlation, **ends}, ~np.isnan(correlation))
    y = alt.Scale(zero=True)
    colour = alt.Color("metric:N", sort=list(result.metrics), legend=line_legend())
    base = alt.Chart(width=300, height=240).encode(x=number_axis("value", result.parameter), color=colour)
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", scale=y, title=None), y2="high:Q")
    line = base.mark_line(point=True).encode(
        y=alt.Y("correlation:Q", scale=y, title=None),
        tooltip=["metric:N", "value:Q", *tooltips(correlation=".3f", low=".3f", high=".3f")],
    )
    title = chart_title(f"Correlation with ratings over {result.parameter}", "bands: 95% intervals of r")
    facet = alt.Facet("of:N", title=None)
    return alt.layer(band, line, data=inline_data(points)).facet(facet=facet, columns=2).properties(title=title)
