"""A cluster gives the same answers as one process, also if a worker is lost; what it cannot do it says in a sentence."""

import gzip
import operator
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import irassay as ia
from irassay.ask import ask
from irassay.cli.program import run
from irassay.cluster import connection, executor, worker
from irassay.errors import InputError
from irassay.parallel import context, map_blocks
from irassay.results import Result, result_json
from irassay.simulation import simulate
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.tests import TESTS
from tests.laws.test_methods import cube
from tests.support.blocks import killed_once, nap, refused_block, task_key, wait_for
from tests.support.keywords import SMALL
from tests.support.processes import python_output
from tests.test_ask import CASES, COMMANDS, ROOT, SHARED

FEW = {"splits", "subsets", "bootstraps", "repeats"}  # settings that a test may make small
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes."""
    quiet = {"dashboard_address": ":0", "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as workers,
        distributed.Client(workers, set_as_default=False) as connected,
    ):
        yield connected


def as_text(answer: Result | str) -> str:
    return answer if isinstance(answer, str) else str(result_json(answer))


@pytest.mark.parametrize("command", CASES)
def test_a_command_gives_the_same_bytes_on_a_cluster(
    command: str, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    inputs, settings, _ = CASES[command]
    taken = {each["name"] for each in COMMANDS[command]["arguments"] if each["part"] == "setting"}
    settings = {name: value for name, value in SMALL.items() if name in taken & FEW} | settings
    values = inputs | {SHARED.get(name, name): value for name, value in settings.items()}
    with context(jobs=1):
        expected = as_text(ask(command, values))
    with context(cluster=client):
        assert as_text(ask(command, values)) == expected


@pytest.mark.parametrize("test", sorted(TESTS))
def test_a_paired_test_gives_the_same_p_values_on_a_cluster(test: str, client: Any) -> None:
    how = PairedTest(test, trials=1500 if find_test(test).resamples else None)
    expected = how.run(cube().values)[1].tolist()
    with context(cluster=client):
        assert how.run(cube().values)[1].tolist() == expected


@pytest.mark.parametrize("jobs", [None, 1, 3])
def test_results_come_in_the_order_of_the_blocks_and_progress_counts_them(client: Any, jobs: int | None) -> None:
    steps: list[tuple[int, int]] = []
    with context(jobs, progress=lambda doing: lambda *done: steps.append(done), cluster=client):
        assert map_blocks(operator.pow, range(9, 0, -1), 2, doing="squaring") == [n * n for n in range(9, 0, -1)]
        assert map_blocks(operator.pow, [3], 2) == [9] and map_blocks(operator.pow, [], 2) == []
    assert steps == [(n, 9) for n in range(1, 10)]


def test_tasks_have_readable_names_and_what_they_share_is_sent_once(client: Any) -> None:
    on_cluster = executor.ClusterExecutor(client)
    for _ in range(2):
        assert [key[:2] for key in on_cluster(task_key, [7, 8, 9], None)] == [("task key", n) for n in range(3)]
    assert len(on_cluster._sent) == 1


def test_the_first_error_in_the_order_of_blocks_is_raised(client: Any) -> None:
    with context(cluster=client):
        with pytest.raises(InputError, match=r"Block 2 is bad; give another\.$"):
            map_blocks(refused_block, [0, 1, 2, 3, 4], 2)
        with pytest.raises(ZeroDivisionError):
            map_blocks(operator.truediv, [1.0, 2.0], 0)


def test_blocks_of_a_worker_that_is_killed_are_done_again(client: Any, tmp_path: Path) -> None:
    with context(cluster=client):
        assert map_blocks(killed_once, range(20), str(tmp_path / "marker")) == [n * n for n in range(20)]
    assert (tmp_path / "marker").exists()


def test_cancelling_ends_the_work_and_leaves_the_cluster_usable(client: Any) -> None:
    event = threading.Event()

    def cancel_at_first_block(doing: str) -> Callable[[int, int], None]:
        return lambda done, total: event.set()

    with context(cancel=event, progress=cancel_at_first_block, cluster=client), pytest.raises(ia.Cancelled):
        map_blocks(nap, [0.1] * 10_000, doing="sleeping")
    with context(cluster=client):
        assert map_blocks(operator.pow, [1, 2], 2) == [1, 4]


def test_workers_with_other_versions_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = worker.own_versions()
    for module in (connection, executor):
        monkeypatch.setattr(module, "own_versions", lambda: worker.Versions("9.9", "3.99"))
    both = rf"has irassay {mine.irassay} with Python {mine.python}, but this process has irassay 9.9 with Python 3.99"
    with pytest.raises(InputError, match=both), context(cluster=client):
        pass
    late = executor.ClusterExecutor(client)  # as if its workers had joined later
    with pytest.raises(InputError, match=both):
        list(late(operator.pow, [1, 2], 2))


DEFINED = '''
import irassay as ia
@ia.metric("Halves")
def Halves(r):
    """Half of each judged list."""
    return 0 * r.grade[:, 0] + {value}
'''


@pytest.mark.usefixtures("forgotten")
def test_a_users_file_is_sent_and_another_version_of_it_is_refused(client: Any, tmp_path: Path) -> None:
    path = tmp_path / "halves_on_workers.py"
    path.write_text(DEFINED.format(value=0.5))
    ia.define(path)
    content = path.read_bytes()
    path.unlink()  # the workers get its content
    collection = simulate(seed=2, topics=8, systems=3)
    with context(cluster=client), pytest.raises(InputError, match=r"There is no file .*halves_on_workers.py"):
        map_blocks(operator.pow, [1, 2], 2)
    path.write_bytes(content)
    given = list(collection.runs), collection.qrels, ["Halves", "P@3"]
    with context(cluster=client), pytest.MonkeyPatch.context() as patch:
        patch.setattr("irassay.scoring.batches.ROWS_AT_A_TIME", 2)
        assert ia.score(*given).means()[0, 0] == 0.5
        path.write_text(DEFINED.format(value=0.25))
        with pytest.raises(InputError, match=r"has run another version of .*halves_on_workers.py"):
            ia.score(*given)


@pytest.mark.usefixtures("forgotten")
def test_a_metric_that_is_in_no_file_is_explained(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    @ia.metric("Nowhere")
    def nowhere(r: Any) -> Any:
        """In no file that a worker could run."""
        return 0 * r.grade[:, 0]

    collection = simulate(seed=2, topics=8, systems=3)
    monkeypatch.setattr("irassay.scoring.batches.ROWS_AT_A_TIME", 2)
    with context(cluster=client), pytest.raises(InputError, match=r"Nowhere.*must be in a file"):
        ia.score(list(collection.runs), collection.qrels, ["Nowhere"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("tcp://127.0.0.1:1", "No scheduler answers at tcp://127.0.0.1:1"),
        ("nonsense://x", "No scheduler answers at nonsense://x"),
        ("nowhere/scheduler.json", "There is no scheduler's file nowhere/scheduler.json"),
        (7, "expected an address such as tcp://host:8786"),
    ],
)
def test_what_is_no_cluster_is_refused(given: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECTION_SECONDS", 1)
    with pytest.raises(InputError, match=message), context(cluster=given):
        pass


def test_a_cluster_without_workers_is_refused_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "WORKER_SECONDS", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        distributed.Client(empty, set_as_default=False) as connected,
        context(cluster=connected),
        pytest.raises(InputError, match="has had no worker"),
    ):
        map_blocks(operator.pow, [1, 2], 2)


def test_dask_is_imported_only_when_it_is_asked_for() -> None:
    code = (
        "import irassay as ia, sys; ia.score({'1': {'a': 1.0}}, {'1': {'a': 1}}, ['AP']); print('dask' in sys.modules)"
    )
    assert python_output(code) == "False\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judgements and runs in files: plain, compressed, with ties, and one that only the general reader can read."""
    collection = simulate(seed=5, topics=11, systems=5).write(tmp_path_factory.mktemp("files") / "made")
    first, second, third, *_ = sorted((collection / "runs").iterdir())
    with gzip.open(collection / "runs" / "packed.txt.gz", "wb") as packed:
        packed.write(first.read_bytes())
    lines = second.read_text().splitlines()
    second.write_text("\n".join(lines[1:] + lines[:1]) + "\n")  # a topic comes again
    tied = [line.split() for line in third.read_text().splitlines()]
    third.write_text("".join(" ".join([*each[:4], each[4][:3], each[5]]) + "\n" for each in tied))
    return collection


@pytest.mark.parametrize("more", [(), ("--bounds",), ("--missing", "skip", "--names", "tag"), ("--ties", "docid-asc")])
def test_files_that_workers_read_score_the_same(
    client: Any,
    folder: Path,
    more: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    words = ["score", "qrels.txt", "runs", *"-m AP -m nDCG@10 -m RBP -m P@5 -m IFT --format json".split(), *more]
    address = client.scheduler.address
    printed = []
    for where in ([], ["--cluster", address], ["--cluster", address, "--jobs", "1"]):
        assert run([*words, *where]) == 0
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1] == printed[2] and "sha256" in printed[0].out


def test_a_worker_that_cannot_see_a_file_says_which_one(client: Any, folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")  # of this process
    for path in ("qrels.txt", *(f"runs/{each.name}" for each in (folder / "runs").iterdir())):
        memory.pipe(f"/here/{path}", (folder / path).read_bytes())
    given = "memory://here/runs", "memory://here/qrels.txt", ["AP", "nDCG@10"]
    expected = result_json(ia.score(*given))
    with (
        context(cluster=client),
        pytest.raises(InputError, match=r"The worker tcp://\S+ cannot open memory://here/\S+:"),
    ):
        ia.score(*given)
    in_threads = {"processes": False, "n_workers": 2, "dashboard_address": ":0", "silence_logs": 50}
    with (
        distributed.LocalCluster(**in_threads) as workers,
        distributed.Client(workers, set_as_default=False) as connected,
        context(cluster=connected),
    ):
        assert result_json(ia.score(*given)) == expected


COMMAND = "compare qrels.txt runs -m AP --save saved.json --cluster".split()


@contextmanager
def waiting_command(address: str, client: Any, folder: Path, gate: Path) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, whose blocks wait on the cluster as long as the gate is closed."""
    held = [
        client.submit(wait_for, str(gate), workers=[worker], pure=False)
        for worker, threads in client.nthreads().items()
        for _ in range(threads)
    ]
    others = client.run_on_scheduler(blocks_of_work)
    words = [sys.executable, "-m", "irassay", *COMMAND, address]
    how: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": folder}
    command = subprocess.Popen(words, start_new_session=True, **how)
    try:
        while client.run_on_scheduler(blocks_of_work) <= others:
            assert command.poll() is None, command.communicate()
            time.sleep(0.05)
        yield command
    finally:
        gate.touch()
        command.kill()
        command.wait()
        del held


def blocks_of_work(dask_scheduler: Any) -> set[tuple[Any, ...]]:
    """The keys of the blocks of irassay's work that the cluster has, which are tuples."""
    return {key for key in dask_scheduler.tasks if isinstance(key, tuple)}


def test_an_interrupted_command_ends_with_status_130_and_leaves_nothing_behind(
    client: Any, folder: Path, tmp_path: Path
) -> None:
    with waiting_command(client.scheduler.address, client, folder, tmp_path / "gate") as command:
        command.send_signal(signal.SIGINT)
        printed, message = command.communicate(timeout=120)
        assert (command.returncode, printed, message.strip()) == (130, "", "irassay: Stopped.")
    assert not (folder / "saved.json").exists()


def test_a_scheduler_that_disappears_is_an_error_and_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", ":0"]
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*words, "--scheduler-file", str(place)], **silent)
    words = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--scheduler-file", str(place)]
    worker = subprocess.Popen([*words, "--dashboard-address", ":0"], **silent)
    try:
        with distributed.Client(scheduler_file=str(place), set_as_default=False, timeout=120) as watcher:
            watcher.wait_for_workers(1, timeout=120)
            with waiting_command(str(place), watcher, folder, tmp_path / "gate") as command:
                scheduler.kill()
                printed, message = command.communicate(timeout=120)
                assert command.returncode == 2 and printed == ""
                assert message.startswith("irassay: The scheduler at tcp://") and "no longer answers" in message
        assert not (folder / "saved.json").exists()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
