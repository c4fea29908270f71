"""The room for a chart is known of every chart there is; tests/browser holds it against what is drawn."""

from irassay.meta.axioms.method import axioms
from irassay.reports.chart_heights import height, width
from irassay.views.view import view_of
from tests.support.examples import RESULTS


def test_every_chart_has_room() -> None:
    views = [view_of(found) for found in (*RESULTS.values(), axioms(["AP_IA", "RR"], depth=3, aspects=2))]
    specs = [(name, make()) for view in views for name, make in view.charts]
    assert len(specs) > 10
    for name, chart in specs:
        spec = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
        assert 40 < height(spec) < 20_000, name


def test_a_step_a_row_and_the_lines_of_a_title_are_counted() -> None:
    rows = [{"system": f"s{n}", "mean": n} for n in range(10)]
    encoding = {"x": {"field": "mean", "type": "quantitative"}, "y": {"field": "system", "type": "nominal"}}
    plain = {"data": {"values": rows}, "encoding": encoding, "height": {"step": 13}}
    assert height({**plain, "height": {"step": 14}}) - height(plain) == 10
    assert height({**plain, "title": "one"}) < height({**plain, "title": {"text": "one", "subtitle": ["two", "three"]}})
    bare = {"color": {"field": "mean", "type": "quantitative", "legend": None, "scale": None}, "x": {"axis": None}}
    assert height({**plain, "encoding": encoding | bare})


def test_charts_of_steps_and_of_several_plots_say_how_wide_they_are():
    rows = {"values": [{"metric": name, "other": name} for name in ("AP", "RR", "a long name")]}
    axes = {"x": {"field": "other", "type": "nominal"}, "y": {"field": "metric", "type": "nominal"}}
    matrix = {"data": rows, "mark": "rect", "encoding": axes, "width": {"step": 26}}
    assert 3 * 26 < width(matrix) < 3 * 26 + 300
    assert width({**matrix, "title": "t" * 100}) > 700
    assert width({"hconcat": [matrix, matrix]}) > width(matrix)
    assert width({**matrix, "width": 400}) == 0  # it takes the room that there is
