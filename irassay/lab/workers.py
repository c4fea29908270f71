"""Worker processes as the server sees them: spawned, kept warm, called one request at a time, killed when necessary."""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

from irassay.lab.problems import ProblemError
from irassay.lab.worker import serve

START_SECONDS = 60  # for a worker to import the libraries and to run users' files
WATCH_SECONDS = 0.25  # between two looks at a worker's memory
Listener = Callable[[float, str], None]  # share of the work done, and what is being done


class WorkerProblem(Exception):  # noqa: N818 - an answer: the problem document that a worker sent
    """The problem document with which a worker answered."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        super().__init__(document.get("detail", ""))
        self.document = dict(document)


class Worker:
    """One worker process; at most one call at a time."""

    def __init__(self, define: tuple[str, ...], memory: int) -> None:
        self.memory, self.define = memory, define  # bytes that the process may use
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Any] | None = None
        self._listener: Listener | None = None
        self._killed: ProblemError | None = None
        self.is_alive = True
        spawned = get_context("spawn")  # a fork would copy locks that other threads hold
        self._pipe, child = spawned.Pipe()
        self._process = spawned.Process(target=serve, args=(child, define), daemon=True, name="irassay-lab-worker")
        self._process.start()
        child.close()
        self.ready: asyncio.Future[Any] = self._new_answer()
        Thread(target=self._listen, daemon=True).start()

    def _new_answer(self) -> "asyncio.Future[Any]":
        self._answer = self._loop.create_future()
        return self._answer

    def _listen(self) -> None:
        """In a thread: passes on what the process sends, until it ends."""
        try:
            while True:
                message = self._pipe.recv()
                self._loop.call_soon_threadsafe(self._receive, *message)
        except (EOFError, OSError):
            with suppress(RuntimeError):  # the loop may be closed
                self._loop.call_soon_threadsafe(self._end)

    def _receive(self, kind: str, content: Any) -> None:
        if kind == "progress":
            if self._listener:
                self._listener(*content)
        elif self._answer and not self._answer.done():
            if kind == "done":
                self._answer.set_result(content)
            else:
                self._answer.set_exception(WorkerProblem(content))

    def _end(self) -> None:
        self.is_alive = False
        if self._answer and not self._answer.done():
            why = "The process ended before the answer was complete; it may have run out of memory."
            problem = self._killed or ProblemError(503, why)
            self._answer.set_exception(WorkerProblem(problem.document()))

    async def call(self, operation: str, seconds: float, listener: Listener | None = None, **arguments: Any) -> Any:
        """What an operation returns; WorkerProblem if it fails, takes longer than this, or uses too much memory."""
        if not self.is_alive:
            raise WorkerProblem(ProblemError(503, "The process ended; try again.").document())
        answer, self._listener = self._new_answer(), listener
        await asyncio.to_thread(self._send, (operation, arguments))
        deadline = self._loop.time() + seconds
        try:
            while not answer.done():
                await asyncio.wait([answer], timeout=WATCH_SECONDS)
                if answer.done():
                    break
                if self._loop.time() > deadline:
                    self.kill(f"This took longer than {seconds:g} s and was stopped. Ask for less, or allow more time.")
                elif self._used_memory() > self.memory:
                    why = f"This used more than {self.memory >> 20} MiB of memory and was stopped. Ask for less."
                    self.kill(why, status=507)
            return answer.result()
        except asyncio.CancelledError:
            self.kill("The work was cancelled.")
            raise

    def _send(self, message: Any) -> None:
        with suppress(OSError, ValueError):  # it ended; `_listen` says so
            self._pipe.send(message)

    def _used_memory(self) -> int:
        """Bytes of memory that the process uses; 0 where the system does not say."""
        with suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")
        return 0

    def kill(self, reason: str = "", status: int = 503) -> None:
        """Ends the process at once; a call that waits for it is told why."""
        self._killed = self._killed or (ProblemError(status, reason) if reason else None)
        self.is_alive = False
        with suppress(OSError, ValueError, AttributeError):
            self._process.kill()

    def close(self) -> None:
        """Ends the process and waits for it."""
        self.kill("The lab is shutting down.")
        with suppress(OSError, ValueError, AssertionError):
            self._process.join(2)


class InteractiveWorker:
    """The worker for short questions while a person waits; a newer request of a client replaces one that waits."""

    def __init__(self, define: tuple[str, ...], memory: int) -> None:
        self.define, self._memory = define, memory
        self._worker: Worker | None = None
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()
        self._busy = False

    async def start(self) -> dict[str, Any]:
        """Starts the worker; returns what users' files declare."""
        self._worker = Worker(self.define, self._memory)
        return await asyncio.wait_for(asyncio.shield(self._worker.ready), START_SECONDS)

    async def call(self, operation: str, client: str = "", seconds: float = 60, **arguments: Any) -> Any:
        """What an operation returns; ProblemError 409 if a newer request of the same client replaced it."""
        await self._turn(client)
        try:
            if self._worker is None or not self._worker.is_alive:
                await self.start()
            assert self._worker is not None
            return await self._worker.call(operation, seconds, **arguments)
        finally:
            self._pass_turn()

    async def _turn(self, client: str) -> None:
        """Waits until the worker is free for this request."""
        if not self._busy:
            self._busy = True
            return
        for entry in [each for each in self._waiting if client and each[0] == client]:
            self._waiting.remove(entry)
            entry[1].set_exception(ProblemError(409, "A newer request replaced this one."))
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((client, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._pass_turn()
            else:
                with suppress(ValueError):
                    self._waiting.remove((client, turn))
            raise

    def _pass_turn(self) -> None:
        while self._waiting:
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._busy = False

    def close(self) -> None:
        """Ends the worker."""
        if self._worker:
            self._worker.close()
