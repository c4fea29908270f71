"""Work done in blocks, with the same result however many workers there are; progress, and how work is cancelled.

The context (jobs, progress, cancel) is not a setting: it never changes a result, and only this module reads it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from irassay.argument_types import checks_arguments
from irassay.arrays import NDArray
from irassay.errors import InputError, argument, variable_set
from irassay.limits import memory_is_limited

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Block = TypeVar("Block")
Output = TypeVar("Output")
Progress = Callable[[int, int], None]  # steps done, steps in all
Executor = Callable[[Callable[[Any, Any], Any], list[Any], Any], Iterator[Any]]  # block function, blocks, shared data

READ_AHEAD = 2  # threads that prefetch if the context does not set jobs


class Cancelled(Exception):  # noqa: N818 - not an error: it was requested
    """Work ended because the event of `context(cancel=...)` was set."""


@dataclass(frozen=True, eq=False, repr=False)
class Context:
    """How work is done: the number of workers, the receiver of progress, and the event that cancels it."""

    jobs: int | None = None  # None: blocks run one after another, but files are read ahead
    progress: Callable[[str], Progress] | None = None  # from a description of the work to a function to call
    cancel: Event | None = None
    executor: Executor | None = None  # runs the blocks elsewhere; None: in threads of this process


DEFAULT_CONTEXT = Context()
_CONTEXT: ContextVar[Context] = ContextVar("context", default=DEFAULT_CONTEXT)


@checks_arguments
def context(
    jobs: int | None = None,
    progress: Callable[[str], Progress] | None = None,
    cancel: Event | None = None,
    executor: Executor | None = None,
    cluster: Any = None,
) -> AbstractContextManager[None]:
    """Sets how the work inside is done; its result is the same. Arguments that are not given keep their outer values.

    `jobs` is the number of workers. `progress` is called with a description of the work and returns a function of the
    steps done and the total. Once `cancel` is set, the work ends with `Cancelled`.

    `cluster` runs the work on a dask cluster: the address of its scheduler, a file that has it, a dask Client, or
    'local' for a process per core of this machine. `jobs` is then the number of blocks of work sent to each worker at a
    time.

    >>> with context(jobs=2):
    ...     map_blocks(pow, [1, 2, 3], 2)
    [1, 4, 9]
    """
    if jobs is not None and jobs < 1:
        raise InputError(argument=argument("jobs", jobs), found="too few workers", expected="1 or more")
    changes: dict[str, Any] = {"jobs": jobs, "progress": progress, "cancel": cancel, "executor": executor}
    given = {name: value for name, value in changes.items() if value is not None}
    inner = replace(_CONTEXT.get(), **given)
    return variable_set(_CONTEXT, inner) if cluster is None else _on_cluster(cluster, inner)


@contextmanager
def _on_cluster(cluster: Any, inner: Context) -> Iterator[None]:
    """The context with a cluster as its executor."""
    connected_cluster = import_module("irassay.cluster.connection").connected_cluster  # a module above this one
    with connected_cluster(cluster) as executor, variable_set(_CONTEXT, replace(inner, executor=executor)):
        yield


def works_elsewhere() -> bool:
    """Whether an executor runs the blocks, perhaps on other machines."""
    return _CONTEXT.get().executor is not None


def current_jobs() -> int | None:
    """The number of jobs that the context sets, for an executor; None if it sets none."""
    return _CONTEXT.get().jobs


def check_cancelled() -> None:
    """Raises `Cancelled` if the context's event is set; cheap enough for an inner loop."""
    cancel = _CONTEXT.get().cancel
    if cancel is not None and cancel.is_set():
        raise Cancelled("The work was cancelled.")


def as_one_step(doing: str) -> AbstractContextManager[None]:
    """Reports the progress of everything inside under one description."""
    tell = progress_for(doing)
    return context(progress=lambda part: tell)


def stage(nth: int, stages: int) -> AbstractContextManager[None]:
    """Makes everything inside one of several equal stages, with progress in thousandths of all of them."""
    outer = _CONTEXT.get().progress

    def scaled(tell: Progress) -> Progress:
        return lambda done, total: tell(int(1000 * (nth + done / max(total, 1)) / stages), 1000)

    return context(progress=None if outer is None else lambda doing: scaled(outer(doing)))


def progress_for(doing: str) -> Progress:
    """The function to call with the steps done and the total; each call also checks whether to cancel."""
    progress = _CONTEXT.get().progress
    tell = progress(doing) if progress is not None and doing else None

    def report(done: int, total: int) -> None:
        check_cancelled()
        if tell is not None:
            tell(done, total)

    return report


def with_progress(items: Iterable[Output], total: int, doing: str) -> Iterator[Output]:
    """The items one after another, with progress through `total` of them reported."""
    tell = progress_for(doing)
    for done, item in enumerate(items, start=1):
        tell(done, total)
        yield item


def each_block(
    function: Callable[[Block, Any], Output], blocks: Iterable[Block], shared: Any = None, *, doing: str = ""
) -> Iterator[Output]:
    """`function(block, shared)` for each block, one after another, in the order of the blocks.

    The function must be at module level, and it, the blocks, `shared` and the results must be picklable, so that the
    work can move to other processes; `shared` is then sent to each worker once. Threads suit work that numpy does,
    which releases the interpreter lock. `doing` describes the work in a word or two for the progress display.
    """
    work, here = list(blocks), _CONTEXT.get()
    check_cancelled()
    if here.executor is not None:
        results = here.executor(function, work, shared)
    elif len(work) < 2:
        results = (function(block, shared) for block in work)
    else:
        results = _in_threads(partial(_within_block, function, shared), work, here.jobs or 1, ahead=len(work))
    yield from with_progress(results, len(work), doing)


def map_blocks(
    function: Callable[[Block, Any], Output], blocks: Iterable[Block], shared: Any = None, *, doing: str = ""
) -> list[Output]:
    """[block] `function(block, shared)`; see `each_block`."""
    return list(each_block(function, blocks, shared, doing=doing))


def sum_blocks(
    function: Callable[[Block, Any], NDArray[Any]], blocks: Iterable[Block], shared: Any = None, *, doing: str = ""
) -> NDArray[Any]:
    """The sum of the arrays `function(block, shared)`, added one by one in the order of the blocks; see `each_block`.

    >>> sum_blocks(np.full, [3, 3], 0.5)
    array([1., 1., 1.])
    """
    results = each_block(function, blocks, shared, doing=doing)
    total = np.array(next(results))
    for result in results:
        total += result
    return total


def prefetched(function: Callable[[Item], Output], items: Iterable[Item]) -> Iterator[Output]:
    """`function(item)` for each item, in order, with the next ones running in as many threads as there are jobs.

    >>> list(prefetched(str, [1, 2, 3]))
    ['1', '2', '3']
    """
    threads = _CONTEXT.get().jobs or READ_AHEAD
    return _in_threads(function, items, threads, ahead=threads)


def _in_threads(
    function: Callable[[Item], Output], items: Iterable[Item], threads: int, ahead: int
) -> Iterator[Output]:
    """`function(item)` in order, in threads that see the caller's context variables, `ahead` items at a time."""
    if threads == 1 or memory_is_limited():
        for item in items:
            check_cancelled()
            yield function(item)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(threads, ahead)) as pool:
        under_way: deque[Future[Output]] = deque()
        try:
            for item in items:
                check_cancelled()
                under_way.append(pool.submit(copy_context().run, function, item))
                if len(under_way) > ahead:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()


def process_executor(jobs: int) -> Executor:
    """An executor for `context(executor=...)` that runs blocks in other processes, which suits plain Python work."""

    def run(function: Callable[[Any, Any], Any], work: list[Any], shared: Any) -> Iterator[Any]:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        new_processes = get_context("spawn")  # a fork would copy locks that other threads hold
        with ProcessPoolExecutor(min(jobs, len(work)) or 1, new_processes, _receive, (function, shared)) as pool:
            yield from pool.map(_on_received, work)

    return run


_RECEIVED: list[tuple[Callable[[Any, Any], Any], Any]] = []  # in a worker process: the block function and shared data


def _receive(function: Callable[[Any, Any], Any], shared: Any) -> None:
    _RECEIVED[:] = [(function, shared)]


def _on_received(block: Any) -> Any:
    function, shared = _RECEIVED[0]
    return _within_block(function, shared, block)


def run_here(function: Callable[[Block, Any], Output], blocks: Iterable[Block], shared: Any) -> Iterator[Output]:
    """An executor that runs blocks in this thread, one after another."""
    return (_within_block(function, shared, block) for block in blocks)


def _within_block(function: Callable[[Block, Any], Output], shared: Any, block: Block) -> Output:
    """`function(block, shared)`; blocks inside it run one after another and report no progress."""
    check_cancelled()
    with variable_set(_CONTEXT, Context(jobs=1, cancel=_CONTEXT.get().cancel)):
        return function(block, shared)
