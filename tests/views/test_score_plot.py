"""The picture of scores: means with intervals, against scipy; what has no room is said."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import irassay as ia
from irassay.views.means_chart import mean_intervals


def cube(systems: int = 3, metrics: tuple[str, ...] = ("a", "b"), **more: object) -> ia.Scores:
    values = np.random.default_rng(5).random((systems, 8, len(metrics)))
    names = tuple(f"s{n}" for n in range(systems)), tuple(f"t{n}" for n in range(8))
    return ia.Scores(values, *names, metrics, **more)  # type: ignore[arg-type]


def test_intervals_are_students_of_each_mean_by_topic() -> None:
    scores = cube(metrics=("a", "b", "c"), over_topics=("mean", "sum", "geometric"))
    low, high = mean_intervals(scores)
    for s in range(3):
        a, b, c = scores.values[s].T
        for m, (sample, back) in enumerate(((a, lambda x: x), (b, lambda x: 8 * x), (np.log(c), np.exp))):
            expected = stats.ttest_1samp(sample, 0.0).confidence_interval(0.95)
            assert (low[s, m], high[s, m]) == pytest.approx((back(expected.low), back(expected.high)), abs=1e-12)


def test_holes_are_left_out_and_one_topic_has_no_interval() -> None:
    values = np.array([[[0.2], [0.4], [np.nan]], [[0.3], [np.nan], [np.nan]]])
    low, _ = mean_intervals(ia.Scores(values, ("A", "B"), ("1", "2", "3"), ("m",)))
    assert low[0, 0] == pytest.approx(stats.ttest_1samp([0.2, 0.4], 0).confidence_interval().low) and np.isnan(
        low[1, 0]
    )


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_scores_are_drawn_to_files(ending: str, tmp_path: Path) -> None:
    cube().plot(tmp_path / f"means.{ending}")
    assert (tmp_path / f"means.{ending}").stat().st_size > 1000


def test_a_picture_of_many_systems_and_metrics_shows_some_and_says_so() -> None:
    drawn = cube(500, tuple(f"m{n}" for n in range(15))).plot().to_dict()
    subtitle = " ".join(drawn["title"]["subtitle"])
    assert "the best 60 of 500 systems by m0" in subtitle and "the first 12 of 15 metrics" in subtitle
