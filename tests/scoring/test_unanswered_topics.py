"""A judged topic that a run does not answer: 0, an empty list's score, or left out, as the metric and `missing` say."""

import math

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.rankings.batch import Rankings
from irassay.scoring.judged_runs import JudgedRuns
from tests.support.runs import session_run

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}}


def left_out(scores: ia.Scores) -> list[str]:
    return [str(note) for note in scores.notes if "whose worst score is not 0" in note]


def test_a_metric_below_0_leaves_out_a_topic_without_results_and_says_so() -> None:
    """No iteration at all would be the best that NegIter can have, so 0 is no score of an unanswered topic."""
    scores = ia.score(session_run({"1": [["a"], ["b"]]}), QRELS, ["RecipIter", "NegIter"])
    np.testing.assert_array_equal(scores.values[0], [[0.5, -2], [0, np.nan]])
    np.testing.assert_array_equal(scores.means(), [[0.25, -2]])
    assert left_out(scores) == ["sessions: 1 topic without results left out of NegIter, whose worst score is not 0"]


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("bounds", [False, True])
def test_a_cost_leaves_out_a_topic_without_results(bounds: bool) -> None:
    @ia.metric("Effort", higher_is_better=False, high=np.inf)
    def _effort(r: Rankings, k: int | None = None) -> Floats:
        """The number of results, which a user would have to read."""
        return r.retrieved.astype(np.float64)

    scores = ia.score(RUN, QRELS, ["Effort", "AP"], bounds=bounds)
    missing = scores.select(topics=("2",))
    assert all(np.isnan(missing.values[0, 0]) == [name.startswith("Effort") for name in scores.metrics])
    assert (missing.of("AP").item(), scores.means()[0, 0]) == (0, 2)
    assert len(left_out(scores)) == 1


def test_a_count_of_faults_scores_an_empty_list_and_is_not_said_to_be_left_out() -> None:
    scores = ia.score(RUN, QRELS, ["NumNonrelRet", "Unj@10", "NumRel", "AP"])
    assert scores.values[0].tolist() == [[1, 0, 1, 1], [0, 0, 1, 0]]
    assert left_out(scores) == []


def test_skipped_topics_have_no_score_by_any_metric() -> None:
    scores = ia.score(RUN, QRELS, ["NumNonrelRet", "NumRel", "AP"], missing="skip")
    np.testing.assert_array_equal(scores.values[0], [[1, 1, 1], [np.nan] * 3])
    assert left_out(scores) == []


def test_topics_with_nothing_relevant_for_some_metric_are_counted_once_where_they_are_left_out() -> None:
    """Topic 2 has nothing at level 2, topic 3 nothing at all."""
    qrels = {"1": {"a": 2}, "2": {"a": 1}, "3": {"a": 0}}
    run = {topic: {"a": 1.0} for topic in qrels}
    scores = ia.score(run, qrels, ["P(rel=1)@1", "P(rel=2)@1"], no_relevant="skip")
    np.testing.assert_array_equal(scores.values[0], [[1, 1], [1, np.nan], [np.nan, np.nan]])
    assert any("2 topics without relevant documents left out" in note for note in scores.notes)


UNANSWERED = {"1": {"a": 2, "b": 0}, "2": {"a": 2, "b": 1, "c": 1, "d": 0}, "3": {"x": 0}}


@pytest.mark.parametrize(
    ("metric", "best_2", "best_3"),
    [
        *((name, 1.0, 1.0) for name in ("P@10", "RBP", "RR", "RR@5", "INST", "Success@1", "P")),
        ("RBP(p=0.5,end='list')", 1.0, 1.0),
        ("RBP(p=0.5)@3", 0.875, 0.875),
        ("DCG@3", 2 + 2 / math.log2(3) + 1, 2 + 2 / math.log2(3) + 1),
        ("ERR@2", 3 / 4 + 1 / 4 * 3 / 4 / 2, 3 / 4 + 1 / 4 * 3 / 4 / 2),
        ("nDCG@10", 1.0, 0.0),
        ("AP", 1.0, 0.0),
        ("AP@2", 2 / 3, 0.0),
        ("R@2", 2 / 3, 0.0),
        ("R(rel=2)@2", 1.0, 0.0),
        ("SetF", 1.0, 0.0),
        ("Compat", 1.0, 0.0),
        ("DCG", None, None),
        ("Hits", None, None),
        ("utility", None, None),
    ],
)
def test_bounds_of_a_topic_that_the_run_does_not_answer(
    metric: str, best_2: float | None, best_3: float | None
) -> None:
    scores = ia.score({"1": {"a": 1.0, "b": 0.5}}, UNANSWERED, [metric], bounds=True)
    for t, best in ((1, best_2), (2, best_3)):
        nothing = [0.0, math.nan, math.nan] if best is None else [0.0, 0.0, best]
        assert scores.values[0, t].tolist() == pytest.approx(nothing, abs=1e-12, nan_ok=True)
    assert any("2 topics without results: [best] is as if" in note for note in scores.notes)


def test_notes_say_what_bounds_of_unanswered_topics_are() -> None:
    """A mean of bounds over fewer topics than the mean of scores does not go unexplained."""
    metrics = ["P@10", "AP", "DCG", "nDCG@10", "Judged@10"]
    notes = ia.score({"1": {"a": 1.0}}, UNANSWERED, metrics, bounds=True).notes
    assert (
        "run: 2 topics without results: [best] is as if all places up to the cutoff were unjudged, "
        "or a perfect list's score for AP, nDCG@10"
    ) in notes
    assert "run: 2 topics without results left out of the bounds of DCG, whose scores have no limit" in notes
    assert not any("no limit" in note for note in ia.score({"1": {"a": 1.0}}, UNANSWERED, metrics).notes)


def test_the_bounds_that_a_profile_uses_count_an_unanswered_topic_as_0() -> None:
    given = JudgedRuns.of({"1": {"a": 1.0}}, UNANSWERED, ["P@10"])
    assert given.scores(bounds=True).values[0, 1:].tolist() == [[0.0] * 3, [0.0] * 3]


def test_bounds_leave_out_what_scores_leave_out() -> None:
    scores = ia.score({"1": {"a": 1.0}}, UNANSWERED, ["P@10"], bounds=True, missing="skip")
    assert np.isnan(scores.values[0, 1:]).all()


def test_the_level_of_relevance_applies_to_metrics_that_have_none_of_their_own() -> None:
    qrels, run = {"1": {"a": 3, "b": 1}, "2": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    metrics = ["AP", "Judged@10", "NumQ", "NumRet", "Unj@10"]
    for bounds in (False, True):
        scores = ia.score(run, qrels, metrics, rel=3, no_relevant="skip", bounds=bounds)
        assert np.isnan(scores.values[0, 1]).all() and not np.isnan(scores.values[0, 0]).any()
        assert scores.notes[0] == "1 topic without relevant documents left out (no_relevant='skip')"
    mixed = ia.score(run, qrels, ["AP(rel=3)", "Judged@10", "AP"], no_relevant="skip")
    assert np.isnan(mixed.values[0, 1]).tolist() == [True, False, False]
    assert "Judged@10, AP keep some of these, because lower grades are relevant there" in mixed.notes[0]


def test_a_run_without_any_judged_result_is_refused_or_scores_0() -> None:
    qrels, run = {"1": {"a": 3}, "2": {"a": 1}}, {"1": {"x": 2.0}, "2": {"y": 1.0}}
    with pytest.raises(InputError, match=r"no result is judged .* use on_unjudged='zero'"):
        ia.score(run, qrels, ["AP"])
    scores = ia.score(run, qrels, ["AP", "P@5"], on_unjudged="zero")
    assert (scores.values == 0).all() and any("no result is judged" in note for note in scores.notes)
