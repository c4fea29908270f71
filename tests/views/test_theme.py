"""What charts look like."""

from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.views.charts import line_channels
from irassay.views.labels import label_offsets, label_width
from irassay.views.theme import LINE_COLOURS, draw_charts
from tests.support.assays import nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)


def test_more_lines_than_colours_differ_by_dashes():
    looks = {name: channel.to_dict() for name, channel in line_channels("metric", [f"m{n}" for n in range(39)]).items()}
    dash = looks["strokeDash"]["scale"]
    assert looks["color"]["scale"]["domain"] == dash["domain"]
    assert len({(n % len(LINE_COLOURS), tuple(each)) for n, each in enumerate(dash["range"])}) == 39
    assert "strokeDash" not in line_channels("metric", ["AP", "RR"])


def test_pictures_are_called_after_what_they_show(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((3, 6, 2))
    scores = ia.Scores(values, ("A", "B", "C"), tuple("123456"), ("AP", "RBP(p=0.5)"))
    drawn = [path.name for path in draw_charts(ia.compare(scores, test="t").view(), tmp_path / "x.svg")]
    assert drawn == ["x.svg", "x-matrix-AP.svg", "x-intervals-RBP-p=0.5.svg", "x-matrix-RBP-p=0.5.svg"]
    assert all((tmp_path / name).is_file() for name in drawn)


def test_names_beside_points_hide_neither_points_nor_each_other() -> None:
    rng = np.random.default_rng(2)
    at = rng.random((40, 2)) * (480, 360)
    offset, shown = label_offsets(at, ["a name"] * 40, (480.0, 360.0))
    half = np.array([label_width("a name", 10) / 2, 6.0])
    middle = (at + offset)[shown]
    assert shown.sum() > 20
    for i, one in enumerate(middle):
        assert (np.abs(middle[np.arange(len(middle)) != i] - one) >= 2 * half - 1e-9).any(axis=1).all()
        assert (np.abs(at - one) >= half + 6 - 1e-9).any(axis=1).all()


def test_a_matrix_of_many_systems_is_small_and_says_of_every_pair_what_the_cells_would() -> None:
    from irassay.views.verdict_matrix import matrix_chart

    values = np.random.default_rng(3).normal(np.linspace(0, 1, 80)[:, None], 0.4, (80, 20))[:, :, None]
    scores = ia.Scores(values, tuple(f"s{n}" for n in range(80)), tuple(f"t{n}" for n in range(20)), ("AP",))
    for baseline in (None, "s40"):
        found = ia.compare(scores, test="t", baseline=baseline).by()
        bars = matrix_chart(found, "AP").to_dict()["data"]["values"]
        sign = {"better": 1, "worse": -1, "not significant": 0}
        drawn = np.zeros((80, 80), dtype=int)
        for bar in bars:
            drawn[int(bar["top"] - 0.5), int(bar["left"] - 0.5) : int(bar["right"] - 0.5)] = sign[bar["verdict"]]
        assert (drawn == found.verdicts()[np.ix_(found.order, found.order)]).all()
        assert len(bars) < 80 * 80 / 4
