"""The view of fitted parameters: the error to expect on new units."""

from functools import partial
from typing import Any

from irassay.arrays import Floats
from irassay.meta.satisfaction.fitting import Fitting
from irassay.views import altair as alt
from irassay.views.charts import dashed_line, interval_lines, name_axis, number_axis, panels, tooltips
from irassay.views.theme import COLOURS, row_chart
from irassay.views.view import Table, View, rows


def view(result: Fitting, alpha: float = 0.05) -> View:
    """The error to expect of each fitted metric, and how well its parameter is determined."""
    nested, optimism, p = result.nrmse(), result.optimism(), result.better_than_mean()
    shares = result.shares()
    seen = [result.values[shares[:, m] > 0] for m in range(len(result.metrics))]
    sentences = [
        f"{name}: {result.parameter} = {value:g} fits best; on new units expect an NRMSE of {nested[m]:.4f}, on the "
        f"fitted units it is {nested[m] - optimism[m]:.4f}. {_folds(seen[m])}"
        for m, (name, value) in enumerate(result.best())
    ]
    columns: dict[str, Any] = {
        "metric": result.metrics,
        result.parameter: result.values[result.fitted],
        "NRMSE (nested)": nested,
        "NRMSE (same units)": nested - optimism,
        "optimism": optimism,
        "skill": result.skill,
        "p (mean)": p,
        "chosen from": [float(values.min()) for values in seen],
        "to": [float(values.max()) for values in seen],
        "share of the commonest": shares.max(axis=0),
    }
    mean = ("(the mean rating)", None, float(result.error_of_mean.mean()), *([None] * (len(columns) - 3)))
    table = Table(
        "fitting", tuple(columns), (*rows(*columns.values()), mean), "Fitted parameters", p_columns=("p (mean)",)
    )
    notes = (
        *result.notes,
        f"Values were chosen by {result.objective} on the training units of each fold only; p (mean) tests against "
        f"predicting the mean rating, with the corrected resampled t (significant below {alpha:g}).",
    )
    charts = (("values", partial(_value_bars, result)), ("errors", partial(_error_chart, result)))
    return View("Fitting", tuple(sentences), (table,), notes, charts)


def _folds(values: Floats) -> str:
    if len(values) == 1:
        return f"All folds chose {values[0]:g}."
    return f"Folds chose values from {values.min():g} to {values.max():g}."


def _value_bars(result: Fitting) -> "alt.AnyChart":
    """The share of folds that chose each value, a panel per metric; the fitted value in another colour."""
    shares = result.shares()
    bars = [
        {
            "metric": name,
            "value": float(value),
            "share": float(shares[v, m]),
            "value is": "best on all units" if v == result.fitted[m] else "another",
        }
        for m, name in enumerate(result.metrics)
        for v, value in enumerate(result.values)
    ]
    colours = alt.Scale(domain=["best on all units", "another"], range=[COLOURS[0], COLOURS[5]])
    bar = alt.Chart(width=220, height=140).mark_bar()
    bar = bar.encode(
        x=alt.X("value:O", title=result.parameter, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("share:Q", title="share of folds", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("value is:N", scale=colours, title=None),
        tooltip=["metric:N", "value:Q", alt.Tooltip("share:Q", format=".1%")],
    )
    title = f"Values of {result.parameter} chosen by the folds"
    return panels(bars, (bar,), "metric", result.metrics).properties(title=title)


def _error_chart(result: Fitting) -> "alt.AnyChart":
    """NRMSE on new units with its interval and on the fitted units, with that of the mean rating as a line."""
    nested, (low, high) = result.nrmse(), result.interval()
    kinds = ["on new units", "on the fitted units"]
    points = [
        {"metric": name, "NRMSE": float(value), "measured": kind, "low": float(low[m]), "high": float(high[m])}
        for kind, values in zip(kinds, (nested, nested - result.optimism()), strict=True)
        for m, (name, value) in enumerate(zip(result.metrics, values, strict=True))
    ]
    base = row_chart(points).encode(y=name_axis("metric", result.metrics))
    new = base.transform_filter(f"datum.measured == '{kinds[0]}'")
    rules = interval_lines(new, number_axis("low", "NRMSE, 95 % interval"))
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
