"""Lists that stop on purpose, and are rewarded for it, by hand; no program or paper was at hand to compare with."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings

EXACT = partial(pytest.approx, rel=0, abs=1e-12)


def of(grades: list[int], best: list[int], top: int = 1) -> Rankings:
    return Rankings.of([grades], best=[best], max_grade=top)


def none_of(best: list[int], top: int = 1) -> Rankings:
    empty = of([0], best, top).top(0)
    return replace(empty, retrieved=np.zeros(1, dtype=int))


def test_a_list_that_has_it_all_ends_with_a_relevant_document() -> None:
    assert parse("Terminal(metric='AP')").score(of([1, 0, 1], [1, 1])) == EXACT((1 + 2 / 3 + 3 / 4) / 3)
    assert parse("Terminal(metric='P')").score(of([1, 0, 1], [1, 1])) == EXACT(3 / 4)
    assert parse("Terminal(metric='R')").score(of([1, 0, 1], [1, 1])) == EXACT(1)


def test_the_terminal_document_is_relevant_by_the_share_that_was_found() -> None:
    half = of([1, 0], [1, 1])
    assert parse("Terminal(metric='AP')").score(half) == EXACT((1 + 0.5 * 2 / 3) / 3)
    assert parse("Terminal(metric='RBP')").score(half) == EXACT(0.2 * (1 + 0.5 * 0.8**2))
    discount = 1 / np.log2([2, 3, 4])
    assert parse("Terminal(metric='nDCG')").score(half) == EXACT((1 + 0.5 * discount[2]) / discount.sum())


def test_where_nothing_is_relevant_the_empty_list_is_right() -> None:
    for name in ("AP", "nDCG", "R", "P"):
        assert parse(f"Terminal(metric='{name}')").score(none_of([0, 0])) == EXACT(1)
    assert parse("Terminal(metric='AP')").score(of([0, 0], [0, 0])) == EXACT(1 / 3)


def test_where_something_is_relevant_the_empty_list_scores_0() -> None:
    for name in ("AP", "nDCG", "R", "P", "RBP"):
        assert parse(f"Terminal(metric='{name}')").score(none_of([1, 0])) == EXACT(0)


@pytest.mark.parametrize("name", ["AP", "nDCG", "R", "Q"])
def test_all_relevant_documents_and_then_the_end_is_the_best_list(name: str) -> None:
    metric = parse(f"Terminal(metric='{name}')")
    best = [3, 2, 2, 1, 0, 0]
    assert metric.score(of([3, 2, 2, 1], best, 3)) == EXACT(1)
    for grades in ([3, 2, 2], [3, 2, 2, 1, 0], [2, 3, 2, 1]):
        assert metric.score(of(grades, best, 3))[0] <= 1 + 1e-12


@pytest.mark.parametrize("name", ["AP", "nDCG", "RBP", "P"])
def test_going_on_in_vain_costs(name: str) -> None:
    scores = [parse(f"Terminal(metric='{name}')").score(of([1, 1] + [0] * n, [1, 1, 0]))[0] for n in range(4)]
    assert (np.diff(scores) < 0).all()


def test_a_worth_may_be_given() -> None:
    assert parse("Terminal(metric='RBP',r_t=0.25)").score(of([1], [1, 1])) == EXACT(0.2 * (1 + 0.25 * 0.8))
    assert parse("Terminal(metric='AP',r_t=0)").score(of([1], [1, 1])) == EXACT(1 / 3)
    with pytest.raises(InputError, match="r_t must be a number from 0 to 1"):
        parse("Terminal(metric='AP',r_t=2)")


def test_a_cutoff_inside_counts_the_terminal_document_and_one_outside_cuts_the_list() -> None:
    r = of([1, 1, 0, 0], [1, 1])
    assert parse("Terminal(metric='P@4')").score(r) == EXACT(2 / 4)
    assert parse("Terminal(metric='P@5')").score(r) == EXACT(3 / 5)
    assert parse("Terminal(metric='P')@2").score(r) == EXACT(1)


def test_lists_of_several_lengths_end_where_they_end() -> None:
    run = Run.of({"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}})
    judged = judge(run, Qrels.of({"1": {"a": 1, "x": 1}, "2": {"a": 1, "b": 0}, "3": {"a": 0}, "4": {"a": 1}}))
    scores = parse("Terminal(metric='AP')").score(judged.rankings)
    assert scores == EXACT(np.array([(1 + 0.5 * 2 / 4) / 3, (1 + 2 / 2) / 2, 1, 0]))
    assert parse("AP").score(judged.rankings) == EXACT(np.array([0.5, 1, 0, 0]))  # the batch is as it was


def test_it_is_said_that_the_paper_was_not_at_hand() -> None:
    assert "only the idea of the original paper was available" in parse("Terminal").declaration.unchecked


def test_it_goes_by_aspect() -> None:
    r = replace(of([1, 0, 1], [1, 1]), carries=frozenset({"aspects"}))
    inner = "Terminal(metric='nDCG@5')"
    assert parse(f'IA(metric="{inner}")').score(r) == EXACT(parse(inner).score(r))
    assert str(parse("Terminal(metric='ndcg_cut_5')")) == inner


def test_its_range_is_that_of_the_metric_inside() -> None:
    assert parse("Terminal(metric='DCG')").range == (0, np.inf)
    with pytest.raises(InputError, match="there is no metric APP"):
        parse("Terminal(metric='APP')")
