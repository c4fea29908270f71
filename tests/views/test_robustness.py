"""The view of robustness."""

from dataclasses import replace

import numpy as np

from irassay.meta.robustness.method import robustness_of_scores
from irassay.views.view import column, view_of
from tests.support.examples import RESULTS, tiny


def test_there_is_a_row_for_every_kind_of_other_judgements() -> None:
    robust = view_of(RESULTS["robustness"]).tables[0]
    assert len(robust.rows) == 6 * 2 and "fall of the team" in robust.columns
    assert set(column(robust, "judgements")) == {"other", "thin", "pool", "noise", "team"}


def test_where_nothing_changes_no_system_falls() -> None:
    scores = tiny(np.random.default_rng(2).random((5, 6, 2)), ("one", "other"))
    again = robustness_of_scores(scores, scores.select(topics=scores.topics[::-1]))  # sums of another order
    assert (again.bias == 0).all() and (np.nan_to_num(again.slope) == 0).all()
    shown = view_of(again)
    assert column(shown.tables[0], "system") == [None, None]
    assert "every metric preserves the ranking with a tau of 1.000" in shown.sentences[0]


def test_the_metric_that_keeps_the_most_differences_is_named_if_another_preserves_the_ranking_best() -> None:
    scores = tiny(np.random.default_rng(0).random((5, 6, 2)), ("one", "other"))
    plain = robustness_of_scores(scores, scores)
    counts = {"SSA": np.array([[3, 9]]), "SN": np.array([[1, 1]]), "SSD": np.array([[0, 0]])}
    shown = view_of(replace(plain, tau=np.array([[0.9, 0.8]]), **counts)).sentences
    assert shown[2] == "one keeps 75% of its significant differences; other keeps the most, 90%."
    shown = view_of(replace(plain, tau=np.array([[0.8, 0.9]]), **counts)).sentences
    assert shown[2] == "other keeps 90% of its significant differences."


def test_lines_that_coincide_are_one_line_with_both_names() -> None:
    result = RESULTS["robustness"]
    same = replace(result, tau=result.tau[:, :1].repeat(2, axis=1))
    layers = dict(view_of(same).charts)["thin"]().to_dict()["layer"]
    assert {tuple(layer["encoding"]["color"]["scale"]["domain"]) for layer in layers} == {("AP = RBP",)}


def test_charts_start_where_they_should() -> None:
    charts = dict(view_of(RESULTS["robustness"]).charts)
    assert charts["team"]().to_dict()["encoding"]["x"]["scale"]["domain"][0] <= 0.9
    curves = charts["thin"]().to_dict()
    assert {layer["encoding"]["color"]["legend"]["symbolOpacity"] for layer in curves["layer"]} == {1}
