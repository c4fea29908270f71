"""Jobs: one queue, a few workers, and the state of each job in the workspace."""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from irassay.lab.problems import ProblemError
from irassay.lab.workers import Worker, WorkerProblem
from irassay.lab.workspace import Workspace

WRITE_SECONDS = 120  # to write a result in another format


@dataclass(eq=False)
class Job:
    """A job that has not ended: what to do, and how far it is."""

    id: str
    arguments: Mapping[str, Any]
    state: str = "queued"
    progress: float = 0.0
    detail: str = ""
    task: "asyncio.Task[None] | None" = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def document(self) -> dict[str, Any]:
        """The job as the API describes it."""
        return {"id": self.id, "state": self.state, "progress": round(self.progress, 4), "detail": self.detail}

    def set_progress(self, share: float, label: str) -> None:
        """Records its progress."""
        self.progress, self.detail = share, label
        self.notify()

    def notify(self) -> None:
        """Wakes those who follow the job."""
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """The queue of jobs and the workers that do them."""

    def __init__(
        self, workspace: Workspace, define: tuple[str, ...], workers: int, memory: int, seconds: float, max_waiting: int
    ) -> None:
        self.workspace, self.define, self.memory, self.seconds = workspace, define, memory, seconds
        self.workers, self.max_waiting = workers, max_waiting
        self._queue: deque[Job] = deque()
        self._live: dict[str, Job] = {}
        self._idle: list[Worker] = []
        self._running = 0
        self._closed = False
        self._calls = asyncio.Semaphore(workers)  # calls that are no jobs, at a time

    def start(self, collection: str, command: str, request: Mapping[str, Any], arguments: Mapping[str, Any]) -> Job:
        """Queues a job; ProblemError 429 if too many wait."""
        if len(self._queue) >= self.max_waiting:
            text = f"{self.max_waiting} jobs are waiting; wait until some end, or cancel them."
            raise ProblemError(429, text, headers={"Retry-After": "10"})
        id = self.workspace.add_job(collection, command, request)
        job = Job(id, {**arguments, "target": str(self.workspace.job_folder(id))})
        self._live[id] = job
        self._queue.append(job)
        self._start_waiting()
        return job

    def _start_waiting(self) -> None:
        """Gives waiting jobs to free workers."""
        while self._queue and self._running < self.workers and not self._closed:
            job = self._queue.popleft()
            self._running += 1
            job.state = "running"
            job.task = asyncio.create_task(self._run(job))

    async def _run(self, job: Job) -> None:
        problem: Mapping[str, Any] | None = None
        state, detail = "done", ""
        worker: Worker | None = None
        try:
            self._record(job)
            worker = await self._worker()
            await worker.call("answer", self.seconds, job.set_progress, **job.arguments)
        except WorkerProblem as died:
            problem, state, detail = died.document, "failed", died.document["detail"]
        except asyncio.CancelledError:
            state, detail = "cancelled", "The job was cancelled."
        except Exception as error:
            document = ProblemError(500, f"internal error: {type(error).__name__}; please report it").document()
            problem, state, detail = document, "failed", document["detail"]
        finally:
            self._running -= 1
            if worker is not None:
                self._release(worker)
            self._finish(job, state, detail, problem)
            self._start_waiting()

    async def _worker(self) -> Worker:
        """A free worker that has started."""
        while self._idle:
            if (worker := self._idle.pop()).is_alive:
                return worker
        worker = Worker(self.define, self.memory)
        try:
            await asyncio.shield(worker.ready)
        except BaseException:
            worker.kill()
            raise
        return worker

    def _release(self, worker: Worker) -> None:
        """Keeps a worker for the next job, unless users' files were defined again since it started."""
        is_current = worker.define is self.define  # the same files may have another content
        if worker.is_alive and is_current and len(self._idle) < self.workers and not self._closed:
            self._idle.append(worker)
        else:
            worker.kill()

    async def call(self, operation: str, seconds: float = WRITE_SECONDS, **arguments: Any) -> Any:
        """What an operation returns that is no job of its own, such as writing a result in another format."""
        async with self._calls:
            worker = await self._worker()
            try:
                return await worker.call(operation, seconds, **arguments)
            finally:
                self._release(worker)

    def redefine(self, define: tuple[str, ...]) -> None:
        """Runs further jobs in workers with these users' files."""
        self.define = define
        for worker in self._idle:
            worker.kill()
        self._idle.clear()

    def _record(self, job: Job, problem: Mapping[str, Any] | None = None) -> None:
        self.workspace.set_job(job.id, job.state, job.progress, job.detail, problem)
        job.notify()

    def _finish(self, job: Job, state: str, detail: str, problem: Mapping[str, Any] | None) -> None:
        job.state, job.detail = state, detail
        job.progress = 1.0 if state == "done" else job.progress
        self._record(job, problem)
        self._live.pop(job.id, None)
        job.ended.set()
        job.notify()

    def cancel(self, id: str) -> None:
        """Ends a job that has not ended."""
        job = self._live.get(id)
        if job is None:
            return
        if job in self._queue:
            self._queue.remove(job)
            self._finish(job, "cancelled", "The job was cancelled.", None)
        elif job.task:
            job.task.cancel()

    def cancel_collection(self, collection: str) -> None:
        """Cancels the jobs of a collection."""
        for id in [id for id in self._live if self.workspace.job(id)["collection"] == collection]:
            self.cancel(id)

    def live_job(self, id: str) -> Job | None:
        """The job, if it has not ended."""
        return self._live.get(id)

    def document(self, id: str) -> dict[str, Any]:
        """A job as the API describes it; KeyError if there is none."""
        if job := self._live.get(id):
            return job.document()
        stored = self.workspace.job(id)
        document = {name: stored[name] for name in ("id", "state", "progress", "detail")}
        return document | ({"problem": stored["problem"]} if stored["problem"] else {})

    async def close(self) -> None:
        """Cancels every job and ends the workers."""
        self._closed = True
        tasks = [job.task for job in self._live.values() if job.task]
        for id in list(self._live):
            self.cancel(id)
        if tasks:
            await asyncio.wait(tasks, timeout=2)
        for worker in self._idle:
            worker.close()
