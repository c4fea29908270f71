"""A worker process: it reads, computes and draws. The server talks to it through a pipe, and may kill it."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from irassay.errors import InputError, spelled_as

PROGRESS_SECONDS = 0.1  # between two messages about progress


def serve(pipe: Connection, define: tuple[str, ...]) -> None:
    """Does what the server asks, one request after another, until the server is gone."""
    from irassay.limits import die_with_parent

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when a worker ends
    die_with_parent()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for stream in (1, 2) if not os.environ.get("IRASSAY_TRACEBACK") else (1,):
        os.dup2(null, stream)  # users' code and libraries may print
    sys.setrecursionlimit(5000)
    with suppress(EOFError, OSError):
        pipe.send(outcome(lambda progress: user_declarations(define), pipe))
        while True:
            operation, arguments = pipe.recv()
            pipe.send(outcome(lambda progress: OPERATIONS[operation](progress=progress, **arguments), pipe))  # noqa: B023


def outcome(work: Callable[[Any], Any], pipe: Connection) -> tuple[str, Any]:
    """What a piece of work returned, or the problem that ended it."""
    from irassay.lab.problems import DISK_IS_FULL, PointedError, full_disk_problem, input_problem
    from irassay.parallel import context

    sent = [0.0]

    def progress(share: float, label: str) -> None:
        if monotonic() - sent[0] >= PROGRESS_SECONDS:
            sent[0] = monotonic()
            pipe.send(("progress", (min(1.0, max(0.0, share)), label)))

    try:
        with context(jobs=os.cpu_count() or 1):
            return "done", work(progress)
    except (InputError, PointedError) as error:
        return "problem", input_problem(error)
    except MemoryError:
        return "problem", problem(507, "There is not enough memory for this. Give fewer runs, topics or metrics.")
    except OSError as error:
        if error.errno in DISK_IS_FULL:
            return "problem", full_disk_problem().document()
        return "problem", problem(500, f"{error.strerror or 'A file cannot be read'}.")
    except BaseException as error:  # a panic of a library is not an Exception; users' code may raise anything
        if os.environ.get("IRASSAY_TRACEBACK"):
            import traceback

            traceback.print_exc()
        text = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:300]}; please report it"
        return "problem", problem(500, text)


def problem(status: int, detail: str) -> dict[str, Any]:
    """A problem document without pointers."""
    from irassay.lab.problems import ProblemError

    return ProblemError(status, detail).document()


def user_declarations(paths: tuple[str, ...]) -> dict[str, Any]:
    """Runs users' files; returns the metrics and methods that they and installed packages declare, as in the index."""
    import irassay.ask  # imports what nearly every request needs
    import irassay.first_look  # noqa: F401
    from irassay.declarations import index
    from irassay.installed import load_installed
    from irassay.lab.answers import record_user_files
    from irassay.lab.metric_entries import metric_entries

    if not (load_installed("metrics") + load_installed("methods") or paths):
        return {"commands": {}, "metrics": {}}
    from pkgutil import resolve_name

    from irassay.method import METHODS
    from irassay.userfile import define

    built_in = index()["metrics"]
    for path in paths:
        define(path)
    record_user_files()
    entry = resolve_name("irassay.cli.index:command_entry")
    commands = {path: entry(method) for path, method in METHODS.items() if path not in index()["commands"]}
    commands = {
        path: described for path, described in commands.items() if not described["where"].startswith("irassay.")
    }
    return {"commands": commands, "metrics": {n: e for n, e in metric_entries().items() if n not in built_in}}


def check(progress: Any, folder: str | None, **request: Any) -> None:
    """Refuses a request that cannot be answered."""
    from irassay.lab.answers import check_request

    check_request(**request, folder=Path(folder) if folder else None)


def answer(progress: Any, folder: str | None, target: str, **request: Any) -> None:
    """Answers a method's request."""
    from irassay.lab.answers import compute_answer

    compute_answer(**request, folder=Path(folder) if folder else None, target=Path(target), progress=progress)


def write(progress: Any, job: str, form: str, chart: int, target: str) -> None:
    """Writes a saved answer in a format."""
    from irassay.lab.answers import write_format

    write_format(Path(job), form, chart, Path(target))


def panel(progress: Any, job: str) -> dict[str, Any]:
    """A saved answer as a piece of a page."""
    from irassay.lab.answers import saved_answer
    from irassay.lab.panels import assay_panel, panel_of

    result, options = saved_answer(Path(job))
    with spelled_as("keyword"):
        return assay_panel(result) if result.saved_as == "assay" else panel_of(result.view(**options))


def notes(progress: Any, folder: str, paths: tuple[str, ...], names: dict[str, str]) -> list[str]:
    """What `validate` reports about files."""
    from irassay.ask import ask
    from irassay.lab.answers import working_in

    with working_in(Path(folder), names):
        result: Any = ask("validate", {"paths": paths})
    return [str(each) for each in result.problems]


def bench(progress: Any, metrics: Sequence[str], **request: Any) -> dict[str, Any]:
    """Means, order and curves of user models."""
    from irassay.lab.answers import check_metrics
    from irassay.lab.bench import bench_answer

    check_metrics(metrics)
    return bench_answer(metrics=metrics, **request)


def release(progress: Any, **request: Any) -> dict[str, Any]:
    """What the bench shows once a slider is released."""
    from irassay.lab.bench import released_answer

    return released_answer(**request)


def leaderboard(progress: Any, **request: Any) -> dict[str, Any]:
    """Means with intervals, by system and metric."""
    from irassay.lab.bench import leaderboard_answer

    return leaderboard_answer(**request)


def topics(progress: Any, **request: Any) -> dict[str, Any]:
    """Scores by topic and system."""
    from irassay.lab.bench import topics_answer

    return topics_answer(**request)


def metric(progress: Any, text: str) -> dict[str, Any]:
    """What a metric string says: name, parameters and cutoff."""
    from irassay.lab.metric_entries import metric_parts

    return metric_parts(text)


def define_file(progress: Any, path: str) -> dict[str, Any]:
    """Runs a user's file again; returns what all users' files declare, and the metrics of this one."""
    from irassay.metrics.metric import METRICS

    def own() -> list[str]:
        return [n for n, metric in METRICS.items() if metric.declaration.function.__code__.co_filename == path]

    for name in own():
        del METRICS[name]  # it is declared again
    return {**user_declarations((path,)), "own": own()}


OPERATIONS: dict[str, Callable[..., Any]] = {
    "check": check, "answer": answer, "write": write, "panel": panel, "notes": notes, "bench": bench,
    "release": release, "leaderboard": leaderboard, "topics": topics, "metric": metric, "define": define_file,
}  # fmt: skip
