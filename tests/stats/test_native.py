"""What is compiled from C against what numpy does: the same numbers, to the last bit."""

import numpy as np
import pytest

from irassay.stats import rank_codes as ranking
from irassay.stats.native import ranks, step
from irassay.stats.paired_test import PairedTest
from irassay.stats.tests import max_t

compiled_step = pytest.mark.skipif(step.step_down() is None, reason="step.c is not compiled, or turned off")
compiled_ranks = pytest.mark.skipif(ranks.ranks() is None, reason="ranks.c is not compiled, or turned off")


@compiled_step
@pytest.mark.parametrize("trials", [1, 15, 16, 17, 700])
@pytest.mark.parametrize(("systems", "topics"), [(2, 30), (7, 5), (40, 25)])
@pytest.mark.parametrize("test", ["max-t-stepdown", "max-t"])
def test_max_t_compiled_or_not_is_the_same(test, systems, topics, trials, monkeypatch):
    rng = np.random.default_rng(trials)
    values = rng.random((systems, topics, 3)) + np.linspace(0, 0.5, systems)[:, None, None]
    values[0], values[:, :, 2] = values[1], values[:, :, 2].round(1)  # a pair without differences, and many ties
    how = PairedTest(test, trials=trials, seed=3)
    compiled, p = how.run(values)
    centred = np.array(compiled.centred)
    monkeypatch.setattr(max_t, "step_down", lambda: None)
    plain, expected = how.run(values)
    np.testing.assert_array_equal(p, expected)
    np.testing.assert_allclose(compiled.null, plain.null, rtol=1e-12)
    np.testing.assert_array_equal(centred, plain.centred)


SCORES = {
    "spread": lambda rng, shape: rng.random(shape),
    "many ties": lambda rng, shape: rng.integers(0, 5, shape) / 7,
    "equal": lambda rng, shape: np.ones(shape),
    "one far away": lambda rng, shape: np.where(rng.random(shape) < 0.1, 1e6, rng.random(shape)),
    "tiny": lambda rng, shape: rng.random(shape) * 5e-324,
    "subnormal": lambda rng, shape: rng.random(shape) * 1e-310,
    "huge": lambda rng, shape: (rng.random(shape) - 0.5) * 3.5e308,
    "signed zeros": lambda rng, shape: np.where(rng.random(shape) < 0.5, -0.0, 0.0),
    "infinite": lambda rng, shape: np.where(rng.random(shape) < 0.1, -np.inf, rng.random(shape)),
    "unknown": lambda rng, shape: np.where(rng.random(shape) < 0.1, np.nan, rng.random(shape)),
}


@compiled_ranks
@pytest.mark.filterwarnings("ignore:invalid value|overflow encountered")
@pytest.mark.parametrize("items", [1, 2, 31, 32, 33, 143, 300])
@pytest.mark.parametrize("scores", SCORES)
def test_ranks_compiled_or_not_are_the_same(items, scores, monkeypatch):
    rng = np.random.default_rng(items)
    x, y = (SCORES[scores](rng, (20, items)) for _ in range(2))
    tied = np.abs(rng.choice([0.0, 0.01, 0.2], 20))

    def found():
        codes = ranking.rank_codes(x, tied), ranking.rank_codes(y[:, ::-1], 0.001)
        sets = np.stack([codes[0].reshape(5, 4, items), codes[1].reshape(5, 4, items)])
        return *codes, ranking.taus(*codes), ranking.tau_matrices(sets), ranking.tau_matrices(codes[0])

    compiled = found()
    monkeypatch.setattr(ranking, "ranks", lambda: None)
    for one, other in zip(compiled, found(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("module", "load"), [(step, step.step_down), (ranks, ranks.ranks)])
def test_without_the_compiled_part_nothing_is_missing(module, load, monkeypatch, tmp_path):
    monkeypatch.setenv("IRASSAY_NATIVE", "0")
    assert load.__wrapped__() is None
    monkeypatch.delenv("IRASSAY_NATIVE")
    monkeypatch.setattr(module, "LIBRARY", tmp_path / "none.shared")
    assert load.__wrapped__() is None


@compiled_ranks
def test_pairs_of_codes_may_be_counted_in_any_layout():
    codes = np.random.default_rng(1).integers(0, 7, (4, 9, 2)).astype(np.int16)
    x, y = codes[:, ::-1, 0], codes[:, :, 1]
    expected = ranks.ranks().pairs_of_rows(x.copy(), y.copy())
    np.testing.assert_array_equal(ranks.ranks().pairs_of_rows(x, y), expected)


@pytest.mark.parametrize("module", [step, ranks])
def test_the_number_of_a_compiled_source_is_that_of_its_caller(module):
    """Otherwise the library would never be used, and the tests above would be skipped."""
    source = module.LIBRARY.with_suffix(".c").read_text()
    assert f"int made_for(void) {{ return {module.MADE_FOR}; }}" in source
