"""The view of consistency."""

import numpy as np

from irassay.meta.consistency import consistency
from irassay.views.view import column, view_of
from tests.support.examples import tiny


def test_small_results_are_said_in_sentences_that_say_something() -> None:
    two = tiny(np.random.default_rng(1).random((3, 8, 2)), ("one", "other"))
    assert any(note.startswith("The one split (seed 0)") for note in view_of(consistency(two, splits=1)).notes)
    assert "The difference is not significant" in view_of(consistency(two, splits=20)).sentences[2]


def test_of_equally_consistent_metrics_none_is_the_most_or_the_least() -> None:
    values = np.random.default_rng(1).random((3, 8, 1))
    first, *others = view_of(consistency(tiny(np.repeat(values, 2, axis=2), ("one", "other")), splits=20)).sentences
    assert first.startswith("Every metric ranks the systems equally consistently")
    assert not any("least consistent" in each for each in others)


def test_metrics_that_share_the_first_place_are_all_named() -> None:
    rng = np.random.default_rng(1)
    steady, noisy = (np.arange(5)[:, None, None] + rng.normal(size=(5, 12, 1)) * sd for sd in (0.1, 5))
    scores = tiny(np.concatenate([noisy, steady, steady], axis=2), ("noisy", "one", "other"))
    first, *_ = view_of(consistency(scores, splits=20)).sentences
    assert first.startswith("one and other rank the systems most consistently over halves of the topics: mean tau ")


def test_metrics_behind_another_are_counted_or_named_and_a_constant_one_is_neither() -> None:
    rng = np.random.default_rng(3)
    level = np.arange(8)[:, None, None] / 8
    quiet, noisy = (level + sd * rng.normal(size=(8, 30, n)) for sd, n in ((0.1, 2), (3.0, 3)))
    scores = tiny(np.concatenate([quiet, noisy, np.ones((8, 30, 1))], axis=2), ("a", "b", "c", "d", "e", "flat"))
    seen = view_of(consistency(scores, splits=50))
    sentence = (
        "3 metrics are significantly less consistent than another metric; the other 2 may be the most consistent."
    )
    assert sentence in seen.sentences
    assert column(seen.tables[0], "may be best") == ["yes", "yes", "no", "no", "no", ""]
    one = scores.select(metrics=["a", "b", "c"])
    sentence = "c is significantly less consistent than another metric; the other 2 may be the most consistent."
    assert sentence in view_of(consistency(one, splits=50)).sentences


def test_too_few_topics_for_a_test_are_no_verdict() -> None:
    scores = tiny(np.random.default_rng(1).random((6, 5, 3)), ("a", "b", "c"))
    sentence = "On these topics the differences between metrics cannot be tested."
    assert sentence in view_of(consistency(scores, splits=20)).sentences
