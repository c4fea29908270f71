"""The compiled step-down test against the numpy one: the same p-values and critical values, to the last bit."""

import numpy as np
import pytest

from irassay.stats import native
from irassay.stats.paired_test import PairedTest
from irassay.stats.tests import max_t


@pytest.mark.skipif(native.step_down() is None, reason="step.c is not compiled, or turned off")
@pytest.mark.parametrize("trials", [1, 15, 16, 17, 700])
@pytest.mark.parametrize(("systems", "topics"), [(2, 30), (7, 5), (40, 25)])
def test_compiled_or_not_the_numbers_are_the_same(systems, topics, trials, monkeypatch):
    rng = np.random.default_rng(trials)
    values = rng.random((systems, topics, 3)) + np.linspace(0, 0.5, systems)[:, None, None]
    values[0], values[:, :, 2] = values[1], values[:, :, 2].round(1)  # a pair without differences, and many ties
    how = PairedTest("max-t-stepdown", trials=trials, seed=3)
    compiled, p = how.run(values)
    monkeypatch.setattr(max_t, "step_down", lambda: None)
    plain, expected = how.run(values)
    np.testing.assert_array_equal(p, expected)
    np.testing.assert_allclose(compiled.null, plain.null, rtol=1e-12)
    np.testing.assert_array_equal(compiled.centred, plain.centred)


def test_without_the_compiled_part_nothing_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("IRASSAY_NATIVE", "0")
    assert native.step_down.__wrapped__() is None
    monkeypatch.delenv("IRASSAY_NATIVE")
    monkeypatch.setattr(native, "LIBRARY", tmp_path / "none.shared")
    assert native.step_down.__wrapped__() is None
