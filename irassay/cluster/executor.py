"""Blocks of work on a dask cluster.

A block is a task. What blocks share is sent to every worker once. The results are those of one process, also if workers
are lost on the way: blocks are the same with any number of workers, and a lost block is done again.
"""

import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b, sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

from irassay.cluster.worker import Refused, SentFile, SentWork, own_versions, run_block
from irassay.errors import InputError
from irassay.parallel import Cancelled, check_cancelled, current_jobs, run_here
from irassay.prose import count_phrase
from irassay.provenance import DEFINED_FILES

NO_ANSWER_SECONDS = 20  # without an answer, after which the scheduler is taken to be gone
PING_SECONDS = 2  # between two pings
WORKER_SECONDS = 300  # to wait for a first worker, which a queue may have to start
POLL_SECONDS = 0.1  # between looks at cancelling, and at blocks that were lost
BLOCKS_IN_FLIGHT = 4  # per thread of a worker, so that it need not wait for the next one
BLOCKS_AHEAD = 4  # times as many blocks as are in flight may be done before their turn
RETRIES = 5  # of a block whose worker, or whose shared data, was lost
MAX_KEPT_OBJECTS = 4  # on the workers, for maps that share the same


class ClusterExecutor:
    """An executor that makes each block a task of a cluster."""

    def __init__(self, client: Any) -> None:
        self.client, self.address = client, client.scheduler.address
        self._sent: OrderedDict[str, Any] = OrderedDict()  # futures of shared data by the hash of its content
        self._threads: dict[str, int] = {}  # of each worker
        self._ping: Any = None
        self._asked = self._answered = time.monotonic()

    def __call__(self, function: Callable[[Any, Any], Any], work: list[Any], shared: Any) -> Iterator[Any]:
        """`function(block, shared)` for each block, in order."""
        return self._results(function, work, shared) if len(work) > 1 else run_here(function, work, shared)

    def _results(self, function: Callable[[Any, Any], Any], work: list[Any], shared: Any) -> Iterator[Any]:
        self._await_workers()
        cluster_map = ClusterMap(self, function, work, shared)
        try:
            for nth in range(len(work)):
                while nth not in cluster_map.results:
                    cluster_map.submit_blocks(nth)
                    self.check_scheduler()
                    cluster_map.collect_results()
                yield cluster_map.result(nth)
        finally:
            cluster_map.cancel()

    def in_flight(self, jobs: int | None) -> int:
        """How many blocks are on the workers at a time: `jobs` per worker, by default some for each of its threads."""
        each = self._threads.values()
        return max(1, sum(BLOCKS_IN_FLIGHT * threads for threads in each) if jobs is None else jobs * len(each))

    def sent(self, content: bytes, token: str, again: bool = False) -> Any:
        """The future of shared data on every worker, which are sent once, or `again` if they were lost."""
        if again:
            self._sent.pop(token, None)
        if token not in self._sent:
            key = f"shared-{token}-{uuid4().hex[:8]}"
            how: dict[str, Any] = {"broadcast": True, "direct": False, "asynchronous": True}
            self._sent[token] = self.answer(lambda: self.client.scatter({key: content}, **how))[key]
        self._sent.move_to_end(token)
        while len(self._sent) > MAX_KEPT_OBJECTS:
            self._sent.popitem(last=False)
        return self._sent[token]

    def answer(self, coroutine: Callable[[], Any]) -> Any:
        """What the cluster answers; an error if the work is cancelled or the scheduler is gone before."""
        future = _in_loop(self.client, coroutine)
        while True:
            try:
                return future.result(timeout=POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise
                self.check_scheduler()

    def _await_workers(self) -> None:
        """Returns once there is a worker."""
        self._ping, begun = None, time.monotonic()
        self._asked = begun - PING_SECONDS
        self._threads = {}
        while not self._threads:
            self.check_scheduler()
            if time.monotonic() - begun > WORKER_SECONDS:
                found = f"The scheduler at {self.address} has had no worker for {WORKER_SECONDS} s"
                raise InputError(f"{found}. Start some.")
            if not self._threads:
                time.sleep(0.005 if time.monotonic() - begun < 1 else POLL_SECONDS)

    def check_scheduler(self) -> None:
        """Raises an error if the work is cancelled, or if the scheduler has not answered for some time."""
        check_cancelled()
        now, client = time.monotonic(), self.client
        if self._ping is not None and self._ping.done():
            with suppress(Exception):  # an error is no answer
                self._threads = {address: each["nthreads"] for address, each in self._ping.result()["workers"].items()}
                self._answered = now
            self._ping = None
        if self._ping is None and now - self._asked >= PING_SECONDS and client.status == "running":
            if now - self._asked > NO_ANSWER_SECONDS:  # nothing was asked for long
                self._answered = now
            self._asked = now
            self._ping = _in_loop(client, lambda: client.scheduler.identity(n_workers=-1))
        if client.status == "closed" or now - self._answered > NO_ANSWER_SECONDS:
            problem = f"The scheduler at {self.address} no longer answers, and the work was not finished. Start it"
            raise InputError(f"{problem} again, and then the command.", argument="cluster")


def _in_loop(client: Any, coroutine: Callable[[], Any]) -> Any:
    """A call in the client's thread, as a future."""
    from asyncio import run_coroutine_threadsafe

    async def call() -> Any:
        return await coroutine()

    return run_coroutine_threadsafe(call(), client.loop.asyncio_loop)


class ClusterMap:
    """The blocks of one map: those on the cluster, and the results that wait for their turn."""

    def __init__(
        self, cluster: ClusterExecutor, function: Callable[[Any, Any], Any], work: list[Any], shared: Any
    ) -> None:
        self.cluster, self.work, self.jobs = cluster, work, current_jobs()
        self.name = function.__name__.strip("_").replace("_", " ")
        self.token = uuid4().hex[:12]
        self.content = SentWork(_sent_files(), pickle.dumps((function, shared), protocol=5)).as_bytes()
        self.shared_token = blake2b(self.content, digest_size=16).hexdigest()
        self.shared = cluster.sent(self.content, self.shared_token)
        self.futures: dict[int, Any] = {}  # by number of the block
        self.results: dict[int, Any] = {}  # pickled, or the exception
        self.tries: dict[int, int] = {}
        self.submitted = 0
        self.done: SimpleQueue[int] = SimpleQueue()

    def submit_blocks(self, turn: int) -> None:
        """Keeps the workers busy with blocks, not too far ahead of the one whose turn it is."""
        limit = self.cluster.in_flight(self.jobs)
        last = min(len(self.work), turn + BLOCKS_AHEAD * limit)
        more = max(0, min(limit - len(self.futures), last - self.submitted))
        self._submit(range(self.submitted, self.submitted + more))
        self.submitted += more

    def _submit(self, numbers: Sequence[int]) -> None:
        if not numbers:
            return
        blocks = [self.work[nth] for nth in numbers]
        places = [f"{self.token}-{nth}-{self.tries.get(nth, 0)}" for nth in numbers]
        labels = [getattr(block, "label", nth) for nth, block in zip(numbers, blocks, strict=True)]
        futures = self.cluster.client.map(
            run_block,
            [pickle.dumps(block, protocol=5) for block in blocks],
            key=[(self.name, label, place) for label, place in zip(labels, places, strict=True)],
            pure=False,
            sent=self.shared,
            token=self.shared_token,
            versions=tuple(own_versions()),
        )
        for nth, future in zip(numbers, futures, strict=True):
            future.add_done_callback(lambda _, nth=nth: self.done.put(nth))
            self.futures[nth] = future

    def collect_results(self) -> None:
        """Waits a moment for blocks that are done; submits lost ones again."""
        with suppress(Empty):
            self.done.get(timeout=POLL_SECONDS)
            while True:
                self.done.get_nowait()
        by_status: dict[str, list[int]] = {}
        for nth, future in self.futures.items():
            by_status.setdefault(future.status, []).append(nth)
        if finished := by_status.get("finished"):
            try:
                futures = [self.futures[nth] for nth in finished]
                results = self.cluster.answer(lambda: self.cluster.client.gather(futures, asynchronous=True))
            except (InputError, Cancelled):
                raise
            except Exception:  # a worker was lost after its work
                if self.cluster.client.status == "running":
                    self._submit_again(finished)
            else:
                self.results |= zip(finished, results, strict=True)
                for nth in finished:
                    del self.futures[nth]
        for nth in by_status.get("error", ()):
            self.results[nth] = self.futures.pop(nth).exception()
        lost = [nth for status in ("cancelled", "lost") for nth in by_status.get(status, ())]
        if lost and self.cluster.client.status == "running":
            self.shared = self.cluster.sent(self.content, self.shared_token, again=True)
            self._submit_again(lost)

    def _submit_again(self, numbers: Sequence[int]) -> None:
        for nth in numbers:
            self.tries[nth] = self.tries.get(nth, 0) + 1
            if self.tries[nth] > RETRIES:
                raise InputError(f"A block of work was lost {RETRIES} times with its worker. Start the workers again.")
        self._submit(numbers)

    def result(self, nth: int) -> Any:
        """The result of a block, or the error that it ended with."""
        found = self.results.pop(nth)
        if not isinstance(found, BaseException):
            return pickle.loads(found)
        if type(found).__name__ == "KilledWorker":
            ended = count_phrase(int(getattr(found, "allowed_failures", 3)) + 1, "worker")
            cause = "perhaps it needs more memory than a worker has"
            raise InputError(f"The block of work '{self.name}' ended {ended} one after another; {cause}.") from None
        if isinstance(found, Refused):
            raise InputError(str(found)) from None
        raise found

    def cancel(self) -> None:
        """Cancels the blocks that are not done, without waiting for an answer."""
        client, rest = self.cluster.client, list(self.futures.values())
        if rest and client.status == "running":
            with suppress(Exception):
                _in_loop(client, lambda: client.cancel(rest, asynchronous=True))


def _sent_files() -> tuple[SentFile, ...]:
    """Users' files that were run in this process, with their content and its hash."""
    try:
        contents = [(path, Path(path).read_bytes()) for path in DEFINED_FILES]
    except OSError as error:
        raise InputError(f"There is no file {error.filename} any more, which workers need.") from None
    return tuple(SentFile(path, content, sha256(content).hexdigest()) for path, content in contents)
