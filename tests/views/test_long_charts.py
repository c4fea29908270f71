"""Charts taller than a screen."""

from irassay.views import altair as alt
from irassay.views.charts import interval_lines, name_axis, number_axis
from irassay.views.long_charts import with_axis_above
from irassay.views.theme import inline_data


def forest(rows: int) -> dict:
    names = [f"system {n}" for n in range(rows)]
    base = alt.Chart(inline_data([{"system": n, "low": 0.1, "high": 0.2} for n in names])).encode(
        y=name_axis("system", names)
    )
    chart = interval_lines(base, number_axis("low", "difference")) + base.mark_circle().encode(x="high:Q")
    return chart.properties(height=alt.Step(13)).to_dict()


def test_a_tall_chart_has_its_axis_above_and_below_and_nowhere_else() -> None:
    tall = with_axis_above(forest(100))
    axes = [layer["encoding"]["x"]["axis"] for layer in tall["layer"]]
    assert axes == [{}, None, {"orient": "top", "grid": False}]
    assert tall["layer"][-1]["mark"]["opacity"] == 0
    assert tall["resolve"] == {"axis": {"x": "independent"}}


def test_a_short_chart_stays_as_it_is() -> None:
    assert with_axis_above(forest(10)) == forest(10)
