"""A topic that a run does not answer: one rule, whoever reads the run and however it is scored."""

import pickle

import numpy as np
import pytest

import irassay as ia
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.missing_topics import refuses_unanswered, scored_topics, scores_with_unanswered
from irassay.judging.policy import Missing
from irassay.meta.robustness.rejudged_scores import rejudged_scores
from irassay.metrics.grammar import parse
from irassay.scoring.batches import batch_scores
from irassay.scoring.judged_runs import JudgedRuns

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 1}, "3": {"c": 2}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "3": {"d": 2.0, "c": 1.0}}


@pytest.mark.parametrize(("missing", "expected"), [("zero", [0, 1, 2]), ("error", [0, 1, 2]), ("skip", [0, 2])])
def test_the_topics_that_are_scored(missing: Missing, expected: list[int]) -> None:
    answered = np.array([True, False, True])
    assert scored_topics(answered, missing).tolist() == expected
    assert refuses_unanswered(answered, missing) == (missing == "error")
    assert not refuses_unanswered(np.ones(3, dtype=np.bool_), missing)


def test_an_unanswered_topic_scores_0_unless_0_is_not_the_worst() -> None:
    metrics = [parse(name) for name in ("AP", "NegIter", "NumRet")]
    r = judge(Run.of(RUN), Qrels.of(QRELS)).rankings
    values = scores_with_unanswered(r, np.full((3, 3), 0.5), metrics, "zero")
    assert (values[[0, 2]] == 0.5).all()
    assert values[1, 0] == 0 and np.isnan(values[1, 1])
    assert np.isnan(scores_with_unanswered(r, np.full((3, 3), 0.5), metrics, "skip")[1]).all()


def test_robustness_has_the_same_rule_as_score() -> None:
    runs = {"one": RUN, "two": {**RUN, "2": {"b": 1.0}}}
    metrics = ["AP", "P@2", "NumRet"]
    reference, _ = rejudged_scores(JudgedRuns.of(runs, QRELS, metrics), thin=(1.0,), repeats=1)
    np.testing.assert_array_equal(reference.values, ia.score(runs, QRELS, metrics).values)


def test_lists_can_be_scored_in_another_process() -> None:
    """What scores a batch, and the batch itself, survive being sent there."""
    r = judge(Run.of(RUN), Qrels.of(QRELS)).rankings
    metrics = [parse(name) for name in ("AP", "nDCG@10", "RBP(p=0.5)")]
    function, batch, same = pickle.loads(pickle.dumps((batch_scores, r, metrics)))
    np.testing.assert_array_equal(function(batch, same), batch_scores(r, metrics))
