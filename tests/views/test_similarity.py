"""The view of similarity."""

import numpy as np

from irassay.meta.similarity import similarity
from irassay.views.view import column, view_of
from tests.support.examples import RESULTS, tiny


def test_the_table_holds_what_the_result_says() -> None:
    found = RESULTS["grid similarity"]
    table = view_of(found).tables[0]
    assert len(table.rows) == 39 * 38 // 2 and table.max_rows is not None
    taus = [value for value in column(table, "tau") if isinstance(value, float)]
    assert taus == sorted(taus, reverse=True)
    for one, other, tau in zip(*(column(table, name) for name in ("metric", "other metric", "tau")), strict=True):
        assert found.of(one, other) == tau


def test_one_pair_has_one_tau() -> None:
    two = tiny(np.random.default_rng(1).random((3, 8, 2)), ("one", "other"))
    sentence, size = view_of(similarity(two, subsets=5)).sentences
    assert sentence.startswith("The rankings of the systems by one and other have a tau of")
    assert size == "The rankings are of 3 systems on 8 topics."


def test_ties_are_named_as_ties() -> None:
    values = np.zeros((4, 6, 4))
    values[:, :, :3] = np.arange(4)[:, None, None] + 0.1 * np.arange(6)[:, None]
    values[:, :, 3] = np.array([0, 1, 3, 2])[:, None]
    most, least, *_, last, _ = view_of(similarity(tiny(values, ("a", "b", "c", "d")), subsets=5)).sentences
    assert most == "3 pairs of metrics rank the systems in exactly the same order, such as a and b."
    assert least == "3 pairs of metrics rank the systems least similarly (tau 0.667), among them a and d."
    assert last == "d is least similar to the others, with a mean tau of 0.667."


def test_where_all_are_equally_alike_none_is_the_least() -> None:
    same = tiny(np.arange(5.0)[:, None, None] + np.zeros((5, 6, 3)), ("a", "b", "c"))
    shown = view_of(similarity(same, subsets=5))
    assert not [line for line in shown.sentences if "least" in line]
    assert shown.sentences[0].endswith("by each of the 3 pairs of metrics have a tau of 1.000.")
    assert sum("no interval" in note for note in shown.notes) == 2
    assert all(np.isnan(column(shown.tables[0], f"low{of}")).all() for of in ("", " (topics)"))


def test_a_tau_of_exactly_nine_tenths_is_0_9_or_more() -> None:
    """Of 16 systems the third metric orders 6 of 120 pairs otherwise."""
    order = [3, 2, 1, 0, *range(4, 16)]
    means = np.stack([np.arange(16.0), np.arange(16.0), order], axis=1)
    found = similarity(tiny(means[:, None, :] + np.zeros((16, 6, 3)), ("a", "b", "c")), subsets=5)
    assert found.of("a", "c") == 0.9
    assert "All of the 3 pairs of metrics have tau ≥ 0.9." in view_of(found).sentences
