"""A running lab: the workspace, the workers and the server, from the first line printed to the last job cancelled."""

import asyncio
import logging
import math
import os
import secrets
import shutil
import signal
import socket
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from irassay.errors import InputError, argument
from irassay.io.addresses import Address, located_path
from irassay.io.file_paths import file_paths
from irassay.io.run_names import run_name
from irassay.lab.connections import patient_protocol
from irassay.lab.jobs import Jobs
from irassay.lab.lab import CODE, Lab
from irassay.lab.pages import DEFAULT_METRICS
from irassay.lab.problems import ProblemError
from irassay.lab.security import Gate
from irassay.lab.server import application
from irassay.lab.uploads import UploadLimits, stored_copy, stored_link
from irassay.lab.workers import InteractiveWorker, WorkerProblem
from irassay.lab.workspace import Collection, Workspace


@dataclass(frozen=True)
class LabOptions:
    """How a lab is started."""

    inputs: tuple[str, ...] = ()
    documents: Path | None = None
    workspace: Path | None = None
    host: str = "127.0.0.1"
    port: int = 0
    opens_browser: bool = False
    has_token: bool = True
    define: tuple[str, ...] = ()
    allow_code: bool = False
    demo: bool = False
    jobs: int = 2
    job_seconds: float = 3600
    job_memory: int = 8 << 30
    queue: int = 100
    client_seconds: float = 20
    max_upload: int = 1 << 30
    max_unpacked: int = 4 << 30
    max_files: int = 2000
    max_json: int = 1_000_000


def run_lab(options: LabOptions) -> None:
    """Runs the lab until it is interrupted."""
    for name in ("uvicorn", "python_multipart", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # the log is the lab's own
    temporary = None if options.workspace else tempfile.mkdtemp(prefix="irassay-lab-")
    listener = bound_socket(options.host, options.port)
    try:
        asyncio.run(serve_lab(options, Path(options.workspace or str(temporary)), listener))
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)


def bound_socket(host: str, port: int) -> socket.socket:
    """The socket to listen at; InputError if the address is taken or wrong."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        fix = (argument("port", 0), " picks a free one.")
        raise InputError(f"The lab cannot listen at {host}:{port}: {error.strerror or error}. ", *fix) from None
    return listener


async def serve_lab(options: LabOptions, folder: Path, listener: socket.socket) -> None:
    """Serves the lab until SIGINT or SIGTERM."""
    port = int(listener.getsockname()[1])
    lab = await started_lab(options, folder)
    gate = Gate(secrets.token_urlsafe(24) if options.has_token else "", options.host, port)
    shown_host = f"[{options.host}]" if ":" in options.host else options.host
    config = uvicorn.Config(
        application(lab, gate, options.client_seconds), http=patient_protocol(options.client_seconds), ws="none",
        lifespan="on", log_config=None, access_log=False, server_header=False,
        timeout_keep_alive=math.ceil(options.client_seconds), timeout_graceful_shutdown=3,
    )  # fmt: skip
    server = QuietServer(config)
    address = f"http://{shown_host}:{port}/" + (f"?token={gate.token}" if gate.token else "")
    watcher = asyncio.create_task(announce(server, address, options.opens_browser))
    try:
        await server.serve(sockets=[listener])
    finally:
        watcher.cancel()


class QuietServer(uvicorn.Server):
    """A server that ends on a signal without raising it again."""

    def capture_signals(self) -> Any:
        """Ends the server at SIGINT and SIGTERM."""
        from contextlib import contextmanager

        @contextmanager
        def handlers() -> Any:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                with suppress(NotImplementedError, RuntimeError, ValueError):
                    loop.add_signal_handler(number, self._stop)
            yield

        return handlers()

    def _stop(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


async def announce(server: uvicorn.Server, address: str, opens_browser: bool) -> None:
    """Prints the address once the lab answers, and opens it."""
    while not server.started:
        await asyncio.sleep(0.02)
    print(address, flush=True)
    if opens_browser:
        import webbrowser

        await asyncio.to_thread(webbrowser.open, address)


async def started_lab(options: LabOptions, folder: Path) -> Lab:
    """The lab with its workspace and workers, and the collection of the command line."""
    lab = Lab(
        workspace := Workspace(folder),
        Jobs(workspace, options.define, options.jobs, options.job_memory, options.job_seconds, options.queue),
        InteractiveWorker(options.define, options.job_memory),
        UploadLimits(options.max_upload, options.max_unpacked, options.max_files),
        options.max_json,
        workers_per_job=max(1, (os.cpu_count() or 1) // options.jobs),
        allow_code=options.allow_code,
        define=options.define,
    )
    try:
        declared = await lab.interactive.start()
    except WorkerProblem as problem:
        lab.interactive.close()
        raise InputError(str(problem.document["detail"])) from None
    lab.user_commands, lab.user_metrics = declared["commands"], declared["metrics"]
    try:
        if options.allow_code and (workspace.folder / CODE).is_file():
            await lab.use_code(lab.code_text())  # as it was left; what is wrong with it, the editor says
        if options.demo and not options.inputs and not workspace.collections():
            await asyncio.to_thread(add_simulated, workspace)
        if options.inputs:
            await asyncio.to_thread(add_inputs, workspace, options.inputs, options.documents)
        for collection in workspace.collections():
            if not collection.is_checked:
                lab.checks[collection.id] = asyncio.create_task(check_files(lab, collection))
    except BaseException:
        await lab.jobs.close()
        lab.interactive.close()
        raise
    return lab


def add_inputs(workspace: Workspace, inputs: tuple[str, ...], documents: Path | None) -> None:
    """Makes the files of the command line a collection, unless the workspace has it already."""
    paths = [("qrels", located_path(inputs[0])), *(("run", located_path(path)) for path in file_paths(inputs[1:]))]
    paths += [("documents", Path(documents))] if documents is not None else []
    for role, path in paths:
        if not path.is_file():
            raise InputError(f"There is no file {path}.", argument="documents" if role == "documents" else "inputs")
    upload = workspace.new_upload()
    names = Counter((role, run_name(path)) for role, path in paths)
    files = [stored_link(path, role, upload, with_folders=names[role, run_name(path)] > 1) for role, path in paths]
    known = {tuple((f.role, f.sha256) for f in each.files): each for each in workspace.collections()}
    if collection := known.get(tuple((f.role, f.sha256) for f in files)):
        shutil.rmtree(upload)
        workspace.set_given_paths(collection, [file.given for file in files])
        return
    is_local = not isinstance(paths[0][1], Address)
    name = (is_local and paths[0][1].resolve().parent.name) or files[0].name
    workspace.add_collection(upload, name, files, None)


async def check_files(lab: Lab, collection: Collection) -> None:
    """Reads a collection ahead for the pages, and reports what `validate` does, while the lab already answers."""
    with suppress(WorkerProblem, ProblemError):
        files = lab.scored_files(collection)
        await lab.interactive.call("leaderboard", files=files, metrics=list(DEFAULT_METRICS))
    notes = await lab.file_notes(lab.workspace.collection_folder(collection.id), collection.files)
    lab.workspace.set_notes(collection.id, notes)


def add_simulated(workspace: Workspace) -> None:
    """Adds a simulated collection: judgements, those of a simulated model, runs and side files."""
    from irassay.simulation import simulate

    with tempfile.TemporaryDirectory() as temporary:
        source = simulate(1, 30, 16).write(temporary)
        (source / "model.qrels.txt").write_text(model_judgements((source / "qrels.txt").read_text()))
        roles = {"qrels.txt": "qrels", "model.qrels.txt": "other", "lengths.tsv": "lengths", "groups.tsv": "groups"}
        paths = {source / name: role for name, role in roles.items()}
        paths |= dict.fromkeys(sorted((source / "runs").iterdir()), "run")
        upload = workspace.new_upload()
        files = [stored_copy(path, role, upload) for path, role in paths.items()]
        workspace.add_collection(upload, "Simulated collection", files, None)


def model_judgements(text: str) -> str:
    """Judgements of the same documents by a simulated model, which is a grade off for one document in four."""
    import numpy as np

    lines = [line.split() for line in text.splitlines()]
    grades = np.array([int(line[3]) for line in lines])
    rng = np.random.default_rng(1)
    off = np.where(rng.random(len(grades)) < 0.25, rng.choice([-1, 1], len(grades), p=[0.4, 0.6]), 0)
    noisy = np.clip(grades + off, 0, grades.max(initial=0))
    return "".join(f"{line[0]} 0 {line[2]} {grade}\n" for line, grade in zip(lines, noisy, strict=True))
