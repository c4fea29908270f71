"""One map over blocks of work, always with the same answer; how many workers there are is the caller's context.

The context (jobs, progress) is no setting: it never changes a result, and only this module reads it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from irassay.admitted import typed
from irassay.arrays import NDArray
from irassay.errors import SPELLING, InputError
from irassay.limits import scarce

Block = TypeVar("Block")
Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # steps done, steps in all


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """How work is done: by how many workers, and who is told how far it is."""

    jobs: int = 1
    progress: Callable[[str], Progress] | None = None  # from what is being done to who is told


ALONE = Context()
_CONTEXT: ContextVar[Context] = ContextVar("context", default=ALONE)


@typed
@contextmanager
def context(jobs: int | None = None, progress: Callable[[str], Progress] | None = None) -> Iterator[None]:
    """Whatever is computed inside uses so many workers; the result is the same.

    >>> with context(jobs=2):
    ...     map_blocks(lambda n: n * n, range(4))
    [0, 1, 4, 9]
    """
    outer = _CONTEXT.get()
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs={jobs}; expected a number of workers, 1 or more")
    inner = Context(outer.jobs if jobs is None else jobs, outer.progress if progress is None else progress)
    token = _CONTEXT.set(inner)
    try:
        yield
    finally:
        _CONTEXT.reset(token)


@contextmanager
def told_as(doing: str) -> Iterator[None]:
    """Whatever is done inside is told as one thing, whatever its parts are called."""
    tell = telling(doing)
    with context(progress=lambda part: tell):
        yield


@contextmanager
def stage(nth: int, stages: int) -> Iterator[None]:
    """Whatever is done inside is one of so many equal stages, and is told in thousandths of the whole."""
    outer = _CONTEXT.get().progress

    def scaled(tell: Progress) -> Progress:
        return lambda done, total: tell(int(1000 * (nth + done / max(total, 1)) / stages), 1000)

    with context(progress=None if outer is None else lambda doing: scaled(outer(doing))):
        yield


def telling(doing: str) -> Progress:
    """Whom to tell how many steps are done; nobody, where the context has no progress."""
    progress = _CONTEXT.get().progress
    return progress(doing) if progress is not None and doing else lambda done, total: None


def each_told(things: Iterable[Result], total: int, doing: str) -> Iterator[Result]:
    """The things one after another, as many as there are said to be, each told as it comes."""
    yield from _reported(things, total, telling(doing))


def each_block(
    function: Callable[[Block], Result], blocks: Iterable[Block], *, doing: str = "", processes: bool = False
) -> Iterator[Result]:
    """What `function` returns for each block, one after another, in the order of the blocks.

    Threads suit work that numpy does, which lets go of the interpreter; `processes` suits plain Python, and then
    function and blocks must be picklable. `doing` says in a word or two what progress is shown of.
    """
    work, jobs, tell = list(blocks), _CONTEXT.get().jobs, telling(doing)
    if jobs == 1 or len(work) < 2 or scarce():
        yield from _reported(map(function if len(work) < 2 else _apart(function), work), len(work), tell)
        return
    from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

    pool: type[Executor] = ProcessPoolExecutor if processes else ThreadPoolExecutor
    options: dict[str, Any] = {} if processes else {"initializer": SPELLING.set, "initargs": (SPELLING.get(),)}
    with pool(min(jobs, len(work)), **options) as executor:  # type: ignore[call-arg]
        yield from _reported(executor.map(function, work), len(work), tell)


def map_blocks(
    function: Callable[[Block], Result], blocks: Iterable[Block], *, doing: str = "", processes: bool = False
) -> list[Result]:
    """What `function` returns for each block, in the order of the blocks."""
    return list(each_block(function, blocks, doing=doing, processes=processes))


def sum_blocks(
    function: Callable[[Block], NDArray[Any]], blocks: Iterable[Block], *, doing: str = "", processes: bool = False
) -> NDArray[Any]:
    """The sum of the arrays that `function` returns, added in the order of the blocks and not kept.

    >>> sum_blocks(np.arange, [3, 3, 3])
    array([0, 3, 6])
    """
    results = each_block(function, blocks, doing=doing, processes=processes)
    total = np.array(next(results))
    for result in results:
        total += result
    return total


def _apart(function: Callable[[Block], Result]) -> Callable[[Block], Result]:
    """The function, what it does in blocks of its own being told to nobody, as in a thread of its own."""

    def alone(block: Block) -> Result:
        token = _CONTEXT.set(ALONE)
        try:
            return function(block)
        finally:
            _CONTEXT.reset(token)

    return alone


def _reported(results: Iterable[Result], total: int, tell: Progress) -> Iterator[Result]:
    for done, result in enumerate(results, start=1):
        tell(done, total)
        yield result
