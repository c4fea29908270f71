"""Work in blocks gives the same answer however many work on it."""

import math

import numpy as np
import pytest

from irassay.parallel import map_blocks, sum_blocks


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("processes", [False, True])
def test_results_come_in_the_order_of_the_blocks(jobs: int, processes: bool) -> None:
    told: list[tuple[int, int]] = []
    found = map_blocks(
        math.factorial, range(5, 0, -1), jobs, processes=processes, progress=lambda *done: told.append(done)
    )
    assert found == [120, 24, 6, 2, 1]
    assert told == [(n, 5) for n in range(1, 6)]


def test_no_blocks_give_no_results() -> None:
    assert map_blocks(math.sqrt, [], jobs=3) == []


def test_sums_leave_the_parts_alone() -> None:
    parts = [np.ones(2), np.ones(2)]
    np.testing.assert_array_equal(sum_blocks(lambda n: parts[n], [0, 1, 1], jobs=2), [3, 3])
    np.testing.assert_array_equal(parts, np.ones((2, 2)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_in_a_block_is_not_lost(jobs: int) -> None:
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        map_blocks(math.sqrt, [1.0, -1.0], jobs)
