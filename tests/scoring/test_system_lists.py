"""What metrics do on the lists of a collection: dominance against plain steps, and counts by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from irassay.metrics.grammar import parse
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.system_lists import ListReader, dominating_pairs, list_counts


@pytest.mark.parametrize(("length", "top"), [(5, 1), (4, 2), (3, 3)])
def test_a_list_dominates_what_exchanges_and_replacements_turn_into_it(length, top):
    every = list(itertools.product(range(top + 1), repeat=length))
    place = {each: n for n, each in enumerate(every)}
    reached = np.zeros((len(every), len(every)), dtype=bool)
    for n, each in enumerate(every):
        for i in range(length):
            if each[i] < top:
                reached[n, place[(*each[:i], each[i] + 1, *each[i + 1 :])]] = True
            for j in range(i + 1, length):
                if each[j] > each[i]:
                    moved = list(each)
                    moved[i], moved[j] = each[j], each[i]
                    reached[n, place[tuple(moved)]] = True
    for _ in range(6):  # all chains of steps
        reached |= (reached.astype(int) @ reached.astype(int)) > 0
    better, worse = dominating_pairs(np.array(every), np.full(len(every), length))
    found = np.zeros_like(reached)
    found[worse, better] = True
    np.testing.assert_array_equal(found, reached)


def test_a_metric_that_scores_the_dominated_list_higher_is_counted():
    qrels = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 1}}
    runs = {
        "top": {"1": {"a": 3.0, "x": 2.0}, "2": {"a": 2.0, "b": 1.0}},
        "low": {"1": {"b": 3.0, "a": 2.0}, "2": {"a": 2.0, "b": 1.0}},
    }
    given = JudgedRuns.of(runs, qrels, ["RR", "P@1", "NumRet"])
    scores = given.scores()
    known = {name: parse(name) for name in scores.metrics}
    lists = ListReader(given, known).lists(scores)
    found = list_counts(lists, scores, known)
    assert found.dominating["RR"] == 1  # topic 1; on topic 2 both are alike
    assert found.against["RR"] == found.against["P@1"] == 0
    assert found.results["RR"] == 8
    assert found.results["P@1"] == 4
    assert found.unjudged["RR"] == 1
    turned = list_counts(
        lists, scores.__class__(-scores.values, scores.systems, scores.topics, scores.metrics), {"RR": parse("RR")}
    )
    assert turned.against["RR"] == 1


def counted(runs, qrels, metrics, values=None):
    """What metrics do on the lists of these runs, by their scores, or by other ones [system, topic, metric]."""
    given = JudgedRuns.of(runs, qrels, metrics)
    scores = given.scores()
    known = {name: parse(name) for name in scores.metrics}
    lists = ListReader(given, known).lists(scores)
    return list_counts(lists, scores if values is None else replace(scores, values=values), known)


def test_lists_of_different_lengths_are_compared_only_as_far_as_a_metric_looks():
    """Of two results and of one, neither list dominates the other; the first result alone is another matter."""
    runs = {"long": {"1": {"b": 2.0, "a": 1.0}}, "short": {"1": {"a": 1.0}}}
    found = counted(runs, {"1": {"a": 1, "b": 0}}, ["RR", "P@1"])
    assert found.dominating == {"RR": 0, "P@1": 1} and found.against == {"RR": 0, "P@1": 0}


def test_a_dominated_list_that_scores_more_by_rounding_alone_is_not_counted_against_a_metric():
    """On topic 1 the second list is dominated; 0.1 + 0.2 exceeds 0.3 by rounding alone, 0.31 does so in earnest."""
    runs = {"top": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}, "low": {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}}
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    for low, against in ((0.1 + 0.2, 0), (0.31, 1)):
        found = counted(runs, qrels, ["RR"], np.array([[[0.3], [1.0]], [[low], [0.0]]]))
        assert (found.dominating["RR"], found.against["RR"]) == (1, against)
