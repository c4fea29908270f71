"""Draws: the same numbers for a seed, however many topics are in memory at once."""

import numpy as np
import pytest

from irassay.stats.draws import generator, repeats, resampled_topic_sums, signs


@pytest.mark.parametrize(("topics", "trials"), [(700, 100), (5000, 37), (5003, 600)])
def test_signs_of_many_topics_are_drawn_some_at_a_time_and_are_the_same(topics: int, trials: int) -> None:
    draws = signs(topics, trials, seed=3)
    rows = np.random.default_rng(0).normal(size=(2, topics))
    for block in draws.blocks:
        bits = generator(3, block).integers(0, 2, size=(topics, block.size), dtype=np.int8)
        np.testing.assert_array_equal(draws.draw(block), 1.0 - 2.0 * bits)
        np.testing.assert_allclose(resampled_topic_sums(rows, draws, block), rows @ (1.0 - 2.0 * bits), atol=1e-10)
    assert (draws.parts is not None) == (topics >= 5000)


@pytest.mark.parametrize(("topics", "trials"), [(5000, 37), (5003, 600)])
def test_topics_drawn_with_replacement_are_counted_alike_some_at_a_time(topics: int, trials: int) -> None:
    draws = repeats(topics, trials, seed=3)
    assert draws.parts is not None
    for block in draws.blocks:
        counts = np.concatenate([weight for _, weight in draws.parts(block)])
        np.testing.assert_array_equal(counts, draws.draw(block))
        assert (counts.sum(axis=0) == topics).all()
