"""The view of fitted parameters: the error to expect on new units."""

from functools import partial
from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.satisfaction.fitting import Fitting
from irassay.views import altair as alt
from irassay.views.charts import (
    SHARE_TIP,
    cell_rows,
    chart_title,
    dashed_line,
    interval_lines,
    name_axis,
    number_axis,
    panels,
    tooltips,
)
from irassay.views.pair_maps import pair_maps
from irassay.views.table_columns import column_table, with_last_row
from irassay.views.theme import COLOURS, row_chart
from irassay.views.view import Cell, View


def view(result: Fitting, alpha: float = 0.05) -> View:
    """The error to expect of each fitted metric, and how well its parameter is determined."""
    nested, optimism, p = result.nrmse(), result.optimism(), result.better_than_mean()
    shares = result.shares()
    sentences = [
        f"{name}: {result.value_text(result.fitted[m])} fits best. Expect an NRMSE of {nested[m]:.4f} on new units "
        f"({nested[m] - optimism[m]:.4f} on those it was fitted to). "
        f"{_folds_text(result, np.flatnonzero(shares[:, m]))}"
        for m, name in enumerate(result.metrics)
    ]
    columns: dict[str, Any] = {
        "metric": result.metrics,
        **result.value_columns(result.fitted),
        "NRMSE (nested)": nested,
        "NRMSE (same units)": nested - optimism,
        "optimism": optimism,
        "skill": result.skill,
        "p (mean)": p,
        **_chosen_columns(result, shares),
        "share of the commonest": shares.max(axis=0),
    }
    values = {*result.value_columns(), *_chosen_columns(result, shares)}  # shown as they were given
    digits = tuple(None if name in values else 4 for name in columns)
    brief = tuple(name for name in columns if name not in ("optimism", "share of the commonest"))
    table = column_table("fitting", columns, "Fitted parameters", p_columns=("p (mean)",), digits=digits, brief=brief)
    mean: dict[str, Cell] = {"metric": "(the mean rating)", "NRMSE (nested)": float(result.error_of_mean.mean())}
    notes = (
        *result.notes,
        f"Values were chosen by {result.objective} on the training units of each fold only; p (mean) tests against "
        f"predicting the mean rating, with the corrected resampled t (significant below {alpha:g}).",
    )
    drawn = partial(_value_maps if result.second else _value_bars, result)
    charts = (("values", drawn), ("errors", partial(_error_chart, result)))
    return View("Fitting", tuple(sentences), (with_last_row(table, mean),), notes, charts)


def _folds_text(result: Fitting, chosen: Ints) -> str:
    """Which values the folds chose, given their places."""
    if len(chosen) == 1:
        return f"All folds chose {'this pair' if result.second else f'{result.values[chosen[0]]:g}'}."
    if result.second:
        return f"Folds chose {len(chosen)} different pairs of values."
    values = result.values[chosen]
    return f"Folds chose values from {values.min():g} to {values.max():g}."


def _chosen_columns(result: Fitting, shares: Floats) -> dict[str, list[float]]:
    """[metric] the smallest and the largest value that folds chose, for each parameter."""
    columns: dict[str, list[float]] = {}
    for name, values in result.value_columns().items():
        seen = [values[shares[:, m] > 0] for m in range(len(result.metrics))]
        of = f" ({name})" if result.second else ""
        columns |= {f"chosen from{of}": [float(v.min()) for v in seen], f"to{of}": [float(v.max()) for v in seen]}
    return columns


def _value_maps(result: Fitting) -> "alt.AnyChart":
    """The share of folds that chose each pair of values, a map for each metric; the fitted pair framed."""
    title = f"Values of {result.parameter} and {result.second} chosen by the folds"
    under = "frame: best on all units"
    return pair_maps(result, {"share of folds": result.shares()}, result.fitted, ".0%").properties(
        title=chart_title(title, under)
    )


def _value_bars(result: Fitting) -> "alt.AnyChart":
    """The share of folds that chose each value, a panel per metric; the fitted value in another colour."""
    kinds = ["best on all units", "another"]
    is_best = np.arange(len(result.values)) == result.fitted[:, None]  # [metric, value]
    drawn = {"share": result.shares().T, "value is": np.where(is_best, *kinds)}
    bars = cell_rows({"metric": result.metrics, "value": result.values}, drawn)
    colours = alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[5]])
    bar = alt.Chart(width=220, height=140).mark_bar()
    bar = bar.encode(
        x=alt.X("value:O", title=result.parameter, axis=alt.Axis(labelAngle=0 if len(result.values) <= 8 else -40)),
        y=alt.Y("share:Q", title="share of folds", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("value is:N", scale=colours, title=None),
        tooltip=["metric:N", "value:Q", *tooltips(share=SHARE_TIP)],
    )
    title = f"Values of {result.parameter} chosen by the folds"
    return panels(bars, (bar,), "metric", result.metrics).properties(title=title)


def _error_chart(result: Fitting) -> "alt.AnyChart":
    """NRMSE on new units with its interval and on the fitted units, with that of the mean rating as a line."""
    nested, (low, high) = result.nrmse(), result.interval()
    kinds = ["on new units", "on the fitted units"]
    errors = {"NRMSE": [nested, nested - result.optimism()], "low": [low, low], "high": [high, high]}
    points = cell_rows({"measured": kinds, "metric": result.metrics}, errors)
    base = row_chart(points).encode(y=name_axis("metric", result.metrics))
    new = base.transform_filter(f"datum.measured == '{kinds[0]}'")
    rules = interval_lines(new, number_axis("low", "NRMSE, 95% interval"))
    colours = alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[5]])
    dots = base.mark_point(filled=True, opacity=1).encode(
        x="NRMSE:Q",
        size=alt.Size("measured:N", scale=alt.Scale(domain=kinds, range=[130, 40]), title=None),
        color=alt.Color("measured:N", scale=colours, title=None),
        tooltip=tooltips("metric", "measured", NRMSE=".4f"),
    )
    line = dashed_line(float(result.error_of_mean.mean()), "mean")
    title = alt.Title("Error of fitted metrics", subtitle="dashed: predicting the mean rating")
    return (line + rules + dots).properties(width=360, title=title)
