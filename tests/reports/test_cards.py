"""Report cards."""

import numpy as np
import pytest

import irassay as ia
from irassay.assays.assay import assay
from irassay.reports.cards import cards
from irassay.scores import Scores
from irassay.views.explanation import curves
from tests.support.assays import METRICS, QUICK, nine_systems

assay_of_nine = pytest.fixture(scope="module")(nine_systems)


def test_cards_tell_what_breaks_with_the_counterexample(assay_of_nine):
    found = {card.metric: card for card in cards(assay_of_nine)}
    assert list(found) == METRICS
    assert "AP_IA scores aa at" in found["AP_IA"].broken[0]
    assert "priority" in found["nDCG@10"].kept
    assert found["RR"].near[0][1] >= found["RR"].near[-1][1]
    assert found["AP"].numbers.columns[-2:] == ("replication", "place")
    assert found["INST(T=2.25,A='MAX')"].parameters == "T = 2.25, A = 'MAX'"
    assert found["AP"].cite


def test_a_card_draws_curves_of_user_models_and_bars_of_others(assay_of_nine):
    found = {card.metric: card for card in cards(assay_of_nine)}
    lines = found["INST(T=2.25,A='MAX')"].curves()
    assert lines["mark"]["type"] == "line"
    drawn = {row["curve"] for row in lines["data"]["values"]}
    assert drawn == {"C continues", "W attention", "L stops = earned", "residual"}  # the first result has the top grade
    assert found["nDCG@10"].curves()["mark"]["type"] == "bar"


def test_curves_that_coincide_are_one_line_with_both_names():
    spec = curves(ia.explain("RBP(p=0.8)", "2,0,1"))
    names = ["C continues", "W attention = L stops", "residual", "earned"]
    assert spec["encoding"]["color"]["scale"]["domain"] == names
    assert list(dict.fromkeys(row["curve"] for row in spec["data"]["values"])) == names
    apart = curves(ia.explain("INST(T=2.25)", "2,0,1"))["encoding"]["color"]["scale"]
    together = spec["encoding"]["color"]["scale"]
    colour = [dict(zip(scale["domain"], scale["range"], strict=True)) for scale in (apart, together)]
    assert colour[0]["residual"] == colour[1]["residual"]


def test_a_closed_card_shows_the_estimates(assay_of_nine):
    [card] = [card for card in cards(assay_of_nine) if card.metric == "RR"]
    assert assay_of_nine.profile is not None
    m = assay_of_nine.metrics.index("RR")
    assert [name for name, _, _ in card.brief] == [each.name for each in assay_of_nine.profile.criteria]
    assert card.brief[0][1] == f"{assay_of_nine.profile.criteria[0].estimate[m]:.1%}"
    assert card.brief[1][2] == assay_of_nine.profile.criteria[1].selection.may_be_best[m]


def test_a_card_counts_the_pairs_on_which_two_metrics_contradict_each_other():
    rng = np.random.default_rng(0)
    values = np.arange(8)[:, None, None] / 8 + rng.normal(size=(8, 24, 3)) * 0.05
    values[:, :, 1:] *= -1
    scores = Scores(values, tuple("abcdefgh"), tuple(map(str, range(24))), ("x", "y", "z"))
    found = assay(scores=scores, **QUICK)
    x, y, _ = cards(found)
    most = found.agreement.SSD[0].max()
    assert 0 < most <= 28 < found.agreement.SSD[0].sum()
    assert f"It contradicts 2 other metrics, each on at most {most} of 28 pairs of systems" in x.agreement
    assert f"It contradicts x on {found.agreement.SSD[0, 1]} of 28 pairs of systems" in y.agreement


def test_a_card_says_which_differences_are_significant():
    rng = np.random.default_rng(0)
    quality = np.arange(4)[:, None, None]
    values = np.concatenate([quality + rng.normal(size=(4, 24, 1)) * 0.01, rng.normal(size=(4, 24, 1))], axis=2)
    found = assay(scores=Scores(values, tuple("abcd"), tuple(map(str, range(24))), ("x", "chance")), **QUICK)
    every, none = (card.remarks[0] for card in cards(found))
    assert every.startswith("Every difference of means is significant; the smallest is ")
    assert none.startswith("No difference of means is significant; the largest is ")
