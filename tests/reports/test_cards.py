"""Report cards."""

import pytest

import irassay as ia
from irassay.reports.cards import cards
from irassay.views.explanation import curves
from tests.support.assays import METRICS, nine_systems

made = pytest.fixture(scope="module")(nine_systems)


def test_cards_tell_what_breaks_with_the_counterexample(made):
    found = {card.metric: card for card in cards(made)}
    assert list(found) == METRICS
    assert "AP_IA scores aa at" in found["AP_IA"].broken[0]
    assert "priority" in found["nDCG@10"].kept
    assert found["RR"].near[0][1] >= found["RR"].near[-1][1]
    assert found["AP"].numbers.columns[-2:] == ("replication", "place")
    assert found["INST(T=2.25,A='MAX')"].parameters == "T = 2.25, A = 'MAX'"
    assert found["AP"].cite


def test_a_card_draws_curves_of_user_models_and_bars_of_others(made):
    found = {card.metric: card for card in cards(made)}
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


def test_a_closed_card_shows_the_estimates(made):
    [card] = [card for card in cards(made) if card.metric == "RR"]
    assert made.profile is not None
    m = made.metrics.index("RR")
    assert [name for name, _, _ in card.brief] == [each.name for each in made.profile.criteria]
    assert card.brief[0][1] == f"{made.profile.criteria[0].estimate[m]:.1%}"
    assert card.brief[1][2] == made.profile.criteria[1].selection.may_be_best[m]
