"""One map over blocks of work: in a row, in threads, or in processes, always with the same answer."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Block = TypeVar("Block")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # blocks done, blocks in all


def each_block(
    function: Callable[[Block], Result],
    blocks: Iterable[Block],
    jobs: int = 1,
    *,
    processes: bool = False,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """What `function` returns for each block, one after another, in the order of the blocks.

    Threads suit work that numpy does, which lets go of the interpreter; `processes` suits plain Python, and
    then function and blocks must be picklable. `progress` is told how many blocks are done, in the calling
    thread.
    """
    work = list(blocks)
    if jobs == 1 or len(work) < 2:
        yield from _reported(map(function, work), len(work), progress)
        return
    pool: type[Executor] = ProcessPoolExecutor if processes else ThreadPoolExecutor
    with pool(min(jobs, len(work))) as executor:  # type: ignore[call-arg]
        yield from _reported(executor.map(function, work), len(work), progress)


def map_blocks(
    function: Callable[[Block], Result],
    blocks: Iterable[Block],
    jobs: int = 1,
    *,
    processes: bool = False,
    progress: Progress | None = None,
) -> list[Result]:
    """What `function` returns for each block, in the order of the blocks, whatever the number of jobs.

    >>> map_blocks(lambda n: n * n, range(4), jobs=2)
    [0, 1, 4, 9]
    """
    return list(each_block(function, blocks, jobs, processes=processes, progress=progress))


def sum_blocks(
    function: Callable[[Block], NDArray[Any]],
    blocks: Iterable[Block],
    jobs: int = 1,
    *,
    processes: bool = False,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """The sum of the arrays that `function` returns, added in the order of the blocks and not kept.

    >>> sum_blocks(np.arange, [3, 3, 3], jobs=2)
    array([0, 3, 6])
    """
    results = each_block(function, blocks, jobs, processes=processes, progress=progress)
    total = np.array(next(results))
    for result in results:
        total += result
    return total


def _reported(results: Iterable[Result], total: int, progress: Progress | None) -> Iterator[Result]:
    """The results, each one reported as it arrives."""
    for done, result in enumerate(results, start=1):
        if progress is not None:
            progress(done, total)
        yield result
