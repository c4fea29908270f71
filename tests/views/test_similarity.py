"""The view of similarity."""

import numpy as np

from irassay.meta.similarity import similarity
from irassay.views.view import column, view_of
from tests.support.examples import RESULTS, tiny


def test_the_table_holds_what_the_result_says() -> None:
    found = RESULTS["grid similarity"]
    table = view_of(found).tables[0]
    assert len(table.rows) == 39 * 38 // 2 and table.most is not None
    taus = [value for value in column(table, "tau") if isinstance(value, float)]
    assert taus == sorted(taus, reverse=True)
    for one, other, tau in zip(*(column(table, name) for name in ("metric", "other metric", "tau")), strict=True):
        assert found.of(one, other) == tau


def test_one_pair_is_said_in_one_sentence() -> None:
    two = tiny(np.random.default_rng(1).random((3, 8, 2)), ("one", "other"))
    (said,) = view_of(similarity(two, subsets=5)).sentences
    assert said.startswith("The rankings of 3 systems on 8 topics by one and other have a tau of")
