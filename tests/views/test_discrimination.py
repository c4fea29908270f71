"""The view of discriminative power."""

import numpy as np

from irassay.meta.discrimination import discrimination
from irassay.views.view import column, view_of
from tests.support.examples import RESULTS, tiny


def test_the_most_powerful_metric_comes_first() -> None:
    power = view_of(RESULTS["grid discrimination"]).tables[0]
    assert column(power, "metric") == [name for name, _ in RESULTS["grid discrimination"].ranked()]


def test_small_results_are_said_in_sentences_that_say_something() -> None:
    noise = tiny(np.random.default_rng(1).random((4, 4, 2)), ("one", "other"))
    assert view_of(discrimination(noise, test="t", levels=(1e-6,))).sentences == (
        "No metric separates any of 6 pairs of systems at 1e-06 (paired t, uncorrected).",
        "The pairs are of 4 systems on 4 topics.",
    )
    rng = np.random.default_rng(2)
    alone = tiny(np.linspace(0, 1, 12)[:, None, None] + rng.random((12, 20, 1)) / 100, ("one",))
    assert not any("the 1 worst" in sentence for sentence in view_of(discrimination(alone)).sentences)
    two = tiny(rng.random((2, 8, 2)), ("one", "other"))  # of which none can be left out
    assert not any("worst runs" in note for note in view_of(discrimination(two, test="tukey")).notes)
    assert any("worst runs" in note for note in view_of(discrimination(noise, test="tukey")).notes)


def test_small_p_values_have_a_panel_of_their_own() -> None:
    asl = dict(view_of(RESULTS["discrimination"]).charts)["asl"]().to_dict()
    assert asl["hconcat"][1]["encoding"]["y"]["scale"]["domain"] == [0, 0.1]


def test_metrics_that_separate_significantly_fewer_systems_are_named() -> None:
    rng = np.random.default_rng(3)
    level = np.arange(8)[:, None, None] / 8
    values = np.concatenate([level + sd * rng.normal(size=(8, 30, 1)) for sd in (0.1, 0.1, 1.0)], axis=2)
    sentence = "c separates significantly fewer systems than another metric; the other 2 may separate the most."
    assert sentence in view_of(discrimination(tiny(values, ("a", "b", "c")))).sentences
    noisy = np.concatenate([values[:, :, :1], values[:, :, 2:] + [0.0, 0.5] * rng.normal(size=(8, 30, 1))], axis=2)
    sentence = "Only a may separate the most; b and c separate significantly fewer systems than another metric."
    assert sentence in view_of(discrimination(tiny(noisy, ("a", "b", "c")))).sentences


def test_metrics_with_skewed_scores_of_unequal_scale_are_warned_of() -> None:
    rng = np.random.default_rng(4)
    level = np.linspace(0, 3, 8)[:, None, None]
    skewed = np.linspace(1, 8, 8)[:, None, None] * rng.exponential(size=(8, 30, 5)) + 4 * level
    values = np.concatenate([skewed, level + rng.normal(size=(8, 30, 1))], axis=2)
    made = tiny(values, ("a", "b", "c", "d", "e", "normal"))
    found = discrimination(made, trials=200)
    [warning] = [note for note in view_of(found).notes if "too often" in note]
    assert "by a, b, c, d and 1 more seem skewed" in warning and "bootstrap-max-t" in warning
    by_bootstrap = discrimination(made, test="bootstrap-max-t", trials=200)
    assert not any("skew" in note for note in view_of(by_bootstrap).notes)


def test_the_warning_does_not_depend_on_what_the_test_found() -> None:
    rng = np.random.default_rng(5)
    skewed = (rng.exponential(size=(8, 30, 1)) - 1) * np.linspace(1, 8, 8)[:, None, None]  # all means are equal
    found = discrimination(tiny(skewed, ("a",)), trials=200)
    assert not found.power().any() and found.skewed == ("a",)
    assert any("bootstrap-max-t" in note for note in view_of(found).notes)
    few = discrimination(tiny(skewed[:, :4], ("a",)))  # the signs of 4 topics cannot be significant
    assert few.skewed == () and not any("skew" in note for note in view_of(few).notes)
