"""What a cluster gains: the same work with one job, with threads, and on workers of a LocalCluster.

    python benchmarks/cluster.py --workers 1 2            # the curve, on this machine
    python benchmarks/cluster.py --workers 1 2 4 8 16     # on a larger one
    python benchmarks/cluster.py --large 1000             # 1,000 runs of a million lines, and the memory of each worker
    python benchmarks/cluster.py --folder 10000           # a folder of so many runs, and the memory of this process

Runs are files of one folder: 20 different ones, each under many names, so that they fit on the disk.
"""

import argparse
import operator
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as on the command line and in workers; before numpy is imported
import numpy as np

import irassay as ia
from irassay.parallel import context, map_blocks
from irassay.stats.paired_test import PairedTest

DIFFERENT = 20  # runs with content of their own
METRICS = ["AP", "nDCG@10", "P@10", "RBP"]
SCHEDULER_RATE = 1000  # the model: tasks that a scheduler handles in a second


@contextmanager
def workers(number: int) -> Iterator[Any]:
    import distributed

    quiet: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=number, threads_per_worker=1, **quiet) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The median of some repetitions."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def run_text(rng: np.random.Generator, topics: int, depth: int, documents: int) -> str:
    lines = []
    for topic in range(topics):
        docs = rng.choice(documents, depth, replace=False)
        lines += [f"{topic} Q0 d{doc} {rank} {depth - rank} tag\n" for rank, doc in enumerate(docs.tolist())]
    return "".join(lines)


def written_collection(folder: Path, runs: int, topics: int, depth: int) -> tuple[Path, Path]:
    """Judgements of 50 documents per topic, and runs, of which those with the same content are one file."""
    rng, documents = np.random.default_rng(1), 2 * depth
    judged = ((topic, doc) for topic in range(topics) for doc in rng.choice(documents, 50, replace=False).tolist())
    qrels, place = folder / "qrels.txt", folder / "runs"
    qrels.write_text("".join(f"{topic} 0 d{doc} {rng.integers(0, 3)}\n" for topic, doc in judged))
    place.mkdir()
    for nth in range(runs):
        path = place / f"run{nth:05}.txt"
        if nth < DIFFERENT:
            path.write_text(run_text(rng, topics, depth, documents))
        else:
            os.link(place / f"run{nth % DIFFERENT:05}.txt", path)
    return place, qrels


def flips_work(trials: int, systems: int) -> Callable[[], Any]:
    values = np.random.default_rng(2).normal(size=(systems, 50, 1)) / 5
    return lambda: PairedTest("max-t-stepdown", trials=trials).run(values)


def curve(given: argparse.Namespace, folder: Path) -> None:
    place, qrels = written_collection(folder, given.runs, given.topics, given.depth)
    work: dict[str, Callable[[], Any]] = {
        f"score {given.runs} runs × {given.topics} × {given.depth}": lambda: ia.score(place, qrels, METRICS),
        f"{given.trials:,} flips × {given.systems * (given.systems - 1) // 2:,} pairs": flips_work(
            given.trials, given.systems
        ),
        f"axioms, depth {given.axioms_depth}": lambda: ia.axioms(METRICS, depth=given.axioms_depth),
    }
    times: dict[str, dict[str, float]] = {name: {} for name in work}
    for jobs in (1, given.jobs):
        with context(jobs=jobs):
            for name, job in work.items():
                times[name][f"{jobs} jobs"] = seconds(job, given.times)
    per_task, per_map = 0.0, 0.0
    for number in given.workers:
        with workers(number) as client, context(cluster=client):
            map_blocks(operator.pow, range(number * 8), 2)  # imports
            for name, job in work.items():
                times[name][f"{number} workers"] = seconds(job, given.times)
            if number == given.workers[-1]:
                per_map = seconds(lambda: map_blocks(operator.pow, [1, 2], 2), 9)
                per_task = (seconds(lambda: map_blocks(operator.pow, range(1000), 2)) - per_map) / 1000
    columns = list(dict.fromkeys(column for each in times.values() for column in each))
    print("| work | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for name, each in times.items():
        print(f"| {name} | " + " | ".join(f"{each[column]:.2f} s" for column in columns) + " |")
    print(f"\nA map costs {1000 * per_map:.0f} ms, and each block {1000 * per_task:.1f} ms more.")
    last = given.workers[-1]
    if last > 1:
        smallest = per_map / (1 - 1 / last)
        print(f"On {last} workers a map pays if it takes more than {1000 * smallest:.0f} ms in one process,")
        print(f"and if a block takes more than {1000 * per_task * last / (last - 1):.1f} ms.")
    if len(given.workers) > 1:
        numbers = np.array(given.workers)
        for name, each in times.items():
            taken = np.array([each[f"{number} workers"] for number in numbers])
            slope, fixed = np.polyfit(1 / numbers, taken, 1, w=1 / taken)  # seconds = fixed + slope / workers
            tasks = 256 if name.startswith("score") else 64
            bound = max(fixed, per_map) + max(slope / 64, tasks / SCHEDULER_RATE)
            gain = each["1 jobs"] / bound
            print(f"Model, 64 workers: {name} takes {bound:.2f} s, {gain:.1f} times faster than one job.")


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def register_synthetic(text: bytes) -> None:
    """A file system whose every file has the same content; its own name for each."""
    import io
    from typing import Any  # here, because workers get this function alone

    import fsspec

    class Synthetic(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "synthetic"

        def info(self, path: str, **more: Any) -> dict[str, Any]:
            folder = path.endswith("runs")
            return {"name": path, "size": 0 if folder else len(text), "type": "directory" if folder else "file"}

        def _open(self, path: str, mode: str = "rb", **more: Any) -> Any:
            return io.BytesIO(text)

    fsspec.register_implementation("synthetic", Synthetic, clobber=True)


def large(runs: int, number: int, folder: Path) -> None:
    """Runs of a million lines at addresses, on workers that may use 500 MB each."""
    text = run_text(np.random.default_rng(3), 1000, 1000, 2000).encode()
    _, qrels = written_collection(folder, 1, 1000, 50)
    register_synthetic(text)
    with workers(number) as client, context(cluster=client):
        client.run(register_synthetic, text)
        start = time.perf_counter()
        scores = ia.score([f"synthetic://run{nth:05}" for nth in range(runs)], qrels, METRICS)
        taken, peaks = time.perf_counter() - start, client.run(peak_megabytes)
    lines = text.count(b"\n") * len(scores.systems)
    print(f"{lines:,} lines in {taken:.0f} s ({lines / taken / 1e6:.1f} million a second) on {number} workers")
    print("peak memory of the workers:", ", ".join(f"{peak:.0f} MB" for peak in peaks.values()))


def many(runs: int, number: int, folder: Path) -> None:
    """A folder of many small runs: the memory of this process as it scores ever more of them."""
    place, qrels = written_collection(folder, runs, 20, 100)
    with workers(number) as client, context(cluster=client):
        paths = sorted(place.iterdir())
        for part in (runs // 100, runs // 10, runs):
            before, start = peak_megabytes(), time.perf_counter()
            scores = ia.score(paths[:part], qrels, METRICS)
            taken, own = time.perf_counter() - start, scores.values.nbytes / 2**20
            print(f"{part} runs: {taken:.1f} s, peak {before:.0f} to {peak_megabytes():.0f} MB, scores {own:.1f} MB")
        print("workers:", ", ".join(f"{peak:.0f} MB" for peak in client.run(peak_megabytes).values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--times", type=int, default=3)
    for name, default in {"runs": 1000, "topics": 200, "depth": 1000, "trials": 10**6, "systems": 129}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--axioms-depth", type=int, default=13)
    parser.add_argument("--large", type=int, default=0, metavar="RUNS")
    parser.add_argument("--folder", type=int, default=0, metavar="RUNS")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.large:
            large(given.large, given.workers[-1], Path(folder))
        elif given.folder:
            many(given.folder, given.workers[-1], Path(folder))
        else:
            curve(given, Path(folder))


if __name__ == "__main__":
    main()
