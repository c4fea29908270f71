"""The view of an assay."""

import numpy as np
import pytest

from irassay.assays.assay import assay
from irassay.scores import Scores
from irassay.views.assay import head_to_head, means_view
from irassay.views.assay.landscape import METRIC, label_places, labelled_points
from irassay.views.formats import view_text
from irassay.views.view import view_of
from tests.support.assays import METRICS, QUICK, nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)


def test_the_comparison_and_the_leaders_go_by_one_test(assay_of_nine):
    leaders = means_view(assay_of_nine).tables[1]
    assert leaders.columns[-1] == "not significantly below (step-down max-T)"
    row = next(row for row in leaders.rows if row[0] == assay_of_nine.main)
    assert row[1] == assay_of_nine.comparison.ranked()[0][0]
    top = int(assay_of_nine.comparison.order[0])
    assert row[1] == assay_of_nine.comparison.systems[top]
    assert row[-1] == int((assay_of_nine.comparison.verdicts()[top] == 0).sum()) - 1


def test_every_point_has_its_name_or_of_many_the_best_and_the_ends():
    rng = np.random.default_rng(4)
    points = [
        {"metric": f"metric {n}", "kind": METRIC, "consistency": 0.8 + 0.1 * a, "power": 0.3 + 0.2 * b}
        for n, (a, b) in enumerate(rng.random((40, 2)))
    ]
    assert sorted(label_places(points[:14])) == list(range(14))
    assert labelled_points(points[:14], set()) == list(range(14))
    chosen = labelled_points(points, {"metric 7"})
    ends = {pick(range(40), key=lambda n: points[n][key]) for pick in (min, max) for key in ("consistency", "power")}
    assert set(chosen) == ends | {7}
    assert list(label_places(points, chosen)) == chosen


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "latex", "markdown"])
def test_an_assay_has_the_same_view_in_every_format(assay_of_nine, form):
    text = view_text(view_of(assay_of_nine), form)
    assert "AP_IA" in text or r"AP\_IA" in text
    if form == "csv":
        assert text.splitlines()[0].startswith("metric,criterion,estimate,low,high,replication")
        assert len(text.splitlines()) == 1 + 4 * (len(METRICS) + 2)


def test_a_notebook_shows_the_answer_and_the_estimates_of_an_assay_and_names_the_other_tables(assay_of_nine):
    for text in (str(assay_of_nine), assay_of_nine._repr_html_()):
        assert "bold: may be best" in text and "how often it matters here" not in text
        assert ".view() also shows: Profile; Axioms; Cost" in text
    assert "how often it matters here" in str(assay_of_nine.view())


def test_a_metric_by_which_all_systems_tie_has_no_first_system():
    values = np.random.default_rng(0).random((4, 12, 2))
    values[:, :, 1] = 0.5
    found = assay(scores=Scores(values, tuple("abcd"), tuple(map(str, range(12))), ("x", "flat")), **QUICK)
    leaders = means_view(found).tables[1]
    assert leaders.rows[1][1] is None and leaders.rows[1][3] == "all systems"


def test_the_interval_of_a_difference_stays_within_what_is_possible_and_none_is_said_to_be_missing():
    values = np.arange(6)[:, None, None] + np.random.default_rng(0).normal(size=(6, 12, 2)) * np.array([0.3, 9.0])
    found = assay(scores=Scores(values, tuple("abcdef"), tuple(map(str, range(12))), ("x", "y")), **QUICK)
    assert found.profile is not None
    table = head_to_head(found, found.profile)
    for name, difference, low, high, remark in table.rows:
        reach = 1 if name == "discriminative power" else 2
        assert np.isnan(low) or -reach <= low <= difference <= high <= reach
        assert remark.startswith("no interval") == np.isnan(low)
