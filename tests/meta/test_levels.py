"""Levels of significance, which every method takes, and other numbers that are not as they should be."""

from collections.abc import Callable

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.robustness.method import robustness, robustness_of_scores
from irassay.meta.similarity import similarity
from irassay.scores import Scores
from irassay.simulation import simulate
from tests.support.examples import tiny


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 1.0, 5.0])
def test_a_level_of_significance_lies_between_0_and_1(alpha: float) -> None:
    scores = tiny(np.random.default_rng(0).random((4, 10, 2)), ("one", "other"))
    calls = [
        lambda: similarity(scores, alpha=alpha),
        lambda: consistency(scores, alpha=alpha),
        lambda: agreement(scores, alpha=alpha),
        lambda: robustness_of_scores(scores, scores, alpha=alpha),
        lambda: alternatives(scores, reference="one", alpha=alpha),
        lambda: discrimination(scores, levels=(alpha,)),
    ]
    for call in calls:
        with pytest.raises(InputError, match=r"between 0 and 1|above 0 and below 1|of at least 1e-15 and below 1"):
            call()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda scores: discrimination(scores, levels=()), "needs a level of significance; give one in levels"),
        (lambda scores: discrimination(scores, levels=0.05), r"levels must be a tuple, such as \(0.05,\); found 0.05"),
        (
            lambda scores: discrimination(scores, levels=("a",)),
            "levels must be a number above 0 and below 1; found 'a'",
        ),
        (lambda scores: similarity(scores, subsets=0), "subsets must be a whole number from 2 to 10,000,000; found 0"),
        (
            lambda scores: similarity(scores, subsets=2.5),
            "subsets must be a whole number from 2 to 10,000,000; found 2.5",
        ),
        (lambda scores: similarity(scores, also=3), r"also must be a tuple, such as \(3,\); found 3"),
        (lambda scores: consistency(scores, subsets=1), "subsets must be a whole number from 2 to 10,000,000; found 1"),
        (
            lambda scores: agreement(scores, alpha="x"),
            "alpha must be a number of at least 1e-15 and below 1; found 'x'",
        ),
    ],
)
def test_settings_of_another_kind_are_refused_in_a_sentence(call: Callable[[Scores], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call(tiny(np.random.default_rng(0).random((4, 10, 2)), ("one", "other")))


def test_a_share_to_keep_is_given_in_a_tuple() -> None:
    made = simulate(seed=1, topics=6, systems=4)
    with pytest.raises(InputError, match=r"thin must be a tuple, such as \(2,\); found 2"):
        robustness(list(made.runs), made.qrels, ["AP"], thin=2)
