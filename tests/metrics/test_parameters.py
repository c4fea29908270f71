"""Parameters: what they may be, by topic too, and that the wrong ones are refused by name."""

import numpy as np
import pytest

import irassay as ia
from irassay.metrics.grammar import catalogue, parse
from irassay.rankings.batch import Rankings

QRELS = {"1": {"a": 1.5, "b": 0.0}, "2": {"a": 2.0, "c": 1.0}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "c": 1.0}}


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_no_value_of_the_wrong_kind_gets_through(name: str) -> None:
    metric = catalogue()[name]
    for key in metric.declaration.defaults:
        for value in ({"a": 1}, object, b"x"):
            with pytest.raises(ia.InputError):
                metric(**{key: value})


@pytest.mark.parametrize("value", [0.0, 1.0, -3.0])
def test_values_by_topic_are_held_to_the_same_rules(value: float) -> None:
    with pytest.raises(ia.InputError, match="p must be"):
        ia.score(RUN, QRELS, ["RBP(p='@p')"], topic_params={"p": {"1": 0.5, "2": value}})


def test_inst_refuses_goals_for_which_c_is_no_probability() -> None:
    with pytest.raises(ia.InputError, match=r"0\.25"):
        parse("INST(T=0.2)")
    assert parse("INST(T=0.25)").score(Rankings.of([1, 0, 1], max_grade=1))[0] > 0


def test_grades_with_fractions_go_with_linear_and_binary_gain_only() -> None:
    assert ia.score(RUN, QRELS, ["RBP", "AP", "nDCG"]).values.shape == (1, 2, 3)
    for metric in ("ERR", "nDCG(gain='exp')", "RBP(gain=(0,0.5,1))"):
        with pytest.raises(ia.InputError, match="needs whole grades"):
            ia.score(RUN, QRELS, [metric])


def test_a_model_without_a_closed_form_says_who_is_left() -> None:
    notes = ia.score(RUN, {"1": {"a": 1}, "2": {"c": 1}}, ["IFT(part='rate',b2=0.0001)"]).notes
    assert any("followed for 1,000 ranks" in note for note in notes)
    assert not any("followed" in note for note in ia.score(RUN, {"1": {"a": 1}, "2": {"c": 1}}, ["IFT", "INST"]).notes)


def test_the_level_of_relevance_reaches_wrapped_metrics() -> None:
    qrels = [("1", "1", "a", 2), ("1", "2", "b", 1), ("1", "1", "c", 1)]
    import polars as pl

    frame = pl.DataFrame(qrels, schema=["topic", "subtopic", "doc", "grade"], orient="row")
    found = ia.score(
        {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}, frame, ["IA(metric='AP')", "AP_IA"], rel=2, qrels_format="subtopic"
    )
    assert found.values[0, 0, 0] == pytest.approx(found.values[0, 0, 1])


def test_a_diversity_metric_of_ad_hoc_judgements_is_a_sentence() -> None:
    with pytest.raises(ia.InputError, match="ad hoc judgements"):
        ia.score(RUN, {"1": {"a": 1}, "2": {"a": 1}}, ["alpha_nDCG@5"])
    one = ia.score(RUN, {"1": {"a": 1}, "2": {"a": 1}}, ["IA(metric='AP')", "AP"], qrels_format="subtopic")
    assert np.allclose(one.values[0, :, 0], one.values[0, :, 1])


def test_a_budget_given_twice_is_refused() -> None:
    with pytest.raises(ia.InputError, match="twice"):
        parse("BPM(K=2)@5")
