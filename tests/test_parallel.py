"""Work in blocks gives the same result however many workers there are, and ends when it is cancelled."""

import math
import operator
import subprocess
import sys
import threading
from contextvars import ContextVar
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.io.scan import library
from irassay.parallel import (
    as_one_step,
    check_cancelled,
    context,
    map_blocks,
    prefetched,
    process_executor,
    stage,
    sum_blocks,
    with_progress,
)

JOBS = [1, 2, 5]
SEEN: ContextVar[str] = ContextVar("seen", default="nothing")


def powers(n: int, base: int) -> list[int]:
    """The first powers, in blocks of their own."""
    return map_blocks(operator.pow, [base] * n, 2, doing="inner")


@pytest.mark.parametrize("jobs", JOBS)
def test_results_come_in_the_order_of_the_blocks(jobs: int) -> None:
    steps: list[tuple[int, int]] = []
    with context(jobs=jobs, progress=lambda doing: lambda *done: steps.append(done)):
        found = map_blocks(operator.pow, range(5, 0, -1), 2, doing="squaring")
    assert found == [25, 16, 9, 4, 1]
    assert steps == [(n, 5) for n in range(1, 6)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_other_processes_give_the_same_results(jobs: int) -> None:
    with context(executor=process_executor(jobs)):
        assert map_blocks(powers, [1, 2, 3], 3) == [[9], [9, 9], [9, 9, 9]]
        assert map_blocks(powers, [], 3) == []
        with pytest.raises(ZeroDivisionError):
            map_blocks(operator.truediv, [1.0, 2.0], 0)


def test_no_blocks_give_no_results() -> None:
    with context(jobs=3):
        assert map_blocks(operator.pow, [], 2) == []


def test_sums_leave_the_parts_alone() -> None:
    parts = [np.ones(2), np.ones(2)]
    with context(jobs=2):
        np.testing.assert_array_equal(sum_blocks(operator.mul, [*parts, parts[0]], 1), [3, 3])
    np.testing.assert_array_equal(parts, np.ones((2, 2)))


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_in_a_block_is_not_lost(jobs: int) -> None:
    with context(jobs=jobs), pytest.raises(ValueError, match=r"math domain error|expected a positive"):
        map_blocks(math.log, [1.0, -1.0], 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_blocks_within_blocks_report_no_progress(jobs: int) -> None:
    reports: list[str] = []
    with context(jobs=jobs, progress=lambda doing: lambda done, total: reports.append(doing)):
        map_blocks(powers, [2, 3], 2, doing="outer")
    assert reports == ["outer", "outer"]


def test_stages_are_reported_as_parts_of_one_thing() -> None:
    steps: list[tuple[str, int, int]] = []
    with context(progress=lambda doing: lambda done, total: steps.append((doing, done, total))), as_one_step("whole"):
        for nth in range(2):
            with stage(nth, 2):
                map_blocks(operator.pow, [1, 2], 2, doing="part")
    assert steps == [("whole", n, 1000) for n in (250, 500, 750, 1000)]


@pytest.mark.parametrize("jobs", [None, *JOBS])
def test_prefetched_items_come_in_order_from_as_many_threads_as_jobs(jobs: int | None) -> None:
    threads: set[int] = set()
    number = jobs or 2
    all_begun = threading.Barrier(number, timeout=60)

    def square(n: int) -> int:
        threads.add(threading.get_ident())
        if n < number:
            all_begun.wait()  # ends only if so many threads are at work
        return n * n

    with context(jobs=jobs):
        assert list(prefetched(square, range(20))) == [n * n for n in range(20)]
    assert len(threads) == number and (threading.get_ident() in threads) == (jobs == 1)


def test_prefetching_takes_no_more_items_than_it_works_on() -> None:
    taken: list[int] = []
    with context(jobs=2):
        results = prefetched(str, (taken.append(n) or n for n in range(100)))
        assert next(results) == "0" and len(taken) <= 3
        results.close()


@pytest.mark.parametrize("jobs", [None, *JOBS])
def test_workers_see_the_callers_context_variables(jobs: int | None) -> None:
    token = SEEN.set("this")
    try:
        with context(jobs=jobs):
            assert list(prefetched(lambda n: SEEN.get(), range(4))) == ["this"] * 4
            assert map_blocks(lambda block, shared: SEEN.get(), range(4)) == ["this"] * 4
    finally:
        SEEN.reset(token)


@pytest.mark.parametrize("jobs", JOBS)
def test_once_cancelled_no_block_goes_on_and_none_is_begun(jobs: int) -> None:
    event, begun, ended = threading.Event(), list[int](), list[int]()
    all_begun = threading.Barrier(jobs, timeout=60)

    def work(block: int, shared: None) -> None:
        begun.append(block)
        all_begun.wait()
        event.set()
        check_cancelled()
        ended.append(block)

    with context(jobs=jobs, cancel=event), pytest.raises(ia.Cancelled):
        map_blocks(work, range(10))
    assert len(begun) == jobs and not ended


@pytest.mark.parametrize("jobs", [None, *JOBS])
def test_what_is_cancelled_already_is_not_begun(jobs: int | None) -> None:
    event, done = threading.Event(), list[int]()
    event.set()
    with context(jobs=jobs, cancel=event):
        with pytest.raises(ia.Cancelled):
            map_blocks(operator.pow, [1, 2], 2)
        with pytest.raises(ia.Cancelled):
            list(prefetched(done.append, range(3)))
        with pytest.raises(ia.Cancelled):
            list(with_progress([1, 2], 2, "counting"))
        with pytest.raises(ia.Cancelled):
            ia.metrics()
    assert not done
    check_cancelled()  # outside, nothing is cancelled


@pytest.mark.usefixtures("forgotten")
def test_a_users_metric_that_asks_another_one_is_cancelled_too() -> None:
    event = threading.Event()

    @ia.metric("Twofold")
    def twofold(r):  # type: ignore[no-untyped-def]
        """Asks another metric after the work was cancelled."""
        event.set()
        return 2 * ia.parse("P@5").score(r)

    with context(cancel=event), pytest.raises(ia.Cancelled):
        ia.score({"a": {"1": {"x": 1.0}}}, {"1": {"x": 1}}, ["Twofold"])


FORK = """
import multiprocessing, irassay as ia
MEMORY = {"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"]
def scored(given):
    try:
        return float(ia.score(*given).means()[0, 0])
    except ia.InputError as error:
        return str(error)
print(scored(MEMORY))
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(*pool.map_async(scored, [("run", "qrels", ["AP"]), MEMORY]).get(timeout=60), sep="\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="where a fork is usual")
@pytest.mark.skipif(library() is None, reason="the scanner is not compiled, or turned off")
def test_a_fork_of_a_process_that_used_polars_scans_files_and_refuses_the_rest(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    done = subprocess.run([sys.executable, "-c", FORK], cwd=tmp_path, capture_output=True, text=True, check=True)
    before, scanned, refused = done.stdout.splitlines()
    assert before == scanned == "1.0" and "forked from one that had used polars" in refused and "'spawn'" in refused
