"""Work in blocks gives the same answer however many work on it."""

import math

import numpy as np
import pytest

from irassay.parallel import as_one_step, context, map_blocks, stage, sum_blocks


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("processes", [False, True])
def test_results_come_in_the_order_of_the_blocks(jobs: int, processes: bool) -> None:
    told: list[tuple[int, int]] = []
    with context(jobs=jobs, progress=lambda doing: lambda *done: told.append(done)):
        found = map_blocks(math.factorial, range(5, 0, -1), doing="counting", processes=processes)
    assert found == [120, 24, 6, 2, 1]
    assert told == [(n, 5) for n in range(1, 6)]


def test_no_blocks_give_no_results() -> None:
    with context(jobs=3):
        assert map_blocks(math.sqrt, []) == []


def test_sums_leave_the_parts_alone() -> None:
    parts = [np.ones(2), np.ones(2)]
    with context(jobs=2):
        np.testing.assert_array_equal(sum_blocks(lambda n: parts[n], [0, 1, 1]), [3, 3])
    np.testing.assert_array_equal(parts, np.ones((2, 2)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_in_a_block_is_not_lost(jobs: int) -> None:
    with context(jobs=jobs), pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        map_blocks(math.sqrt, [1.0, -1.0])


@pytest.mark.parametrize("jobs", [1, 2])
def test_blocks_within_blocks_are_told_to_nobody(jobs: int) -> None:
    told: list[str] = []
    with context(jobs=jobs, progress=lambda doing: lambda done, total: told.append(doing)):
        map_blocks(lambda n: map_blocks(math.sqrt, range(n), doing="inner"), [2, 3], doing="outer")
    assert told == ["outer", "outer"]


def test_stages_are_told_as_parts_of_one_thing() -> None:
    told: list[tuple[str, int, int]] = []
    with context(progress=lambda doing: lambda done, total: told.append((doing, done, total))), as_one_step("whole"):
        for nth in range(2):
            with stage(nth, 2):
                map_blocks(math.sqrt, [1, 2], doing="part")
    assert told == [("whole", n, 1000) for n in (250, 500, 750, 1000)]
