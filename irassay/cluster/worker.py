"""What a worker of a cluster does: it checks versions, runs users' files, gets shared data once, and runs blocks."""

import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import import_module
from os import getpid
from socket import gethostname
from threading import Lock
from typing import Any, NamedTuple

from irassay.errors import InputError
from irassay.parallel import run_here
from irassay.provenance import DEFINED_FILES

SHARED_AT_ONCE = 2  # objects kept unpickled in a worker
Received = tuple[Callable[[Any, Any], Any], Any]  # a block function and its shared data


class Refused(Exception):  # noqa: N818 - the client makes an InputError of it
    """This worker cannot do the work, for a reason that is no fault of the input."""


class Versions(NamedTuple):
    """The versions of irassay and Python."""

    irassay: str
    python: str

    def __str__(self) -> str:
        return f"{f'irassay {self.irassay}' if self.irassay else 'no irassay'} with Python {self.python}"

    def check_equal(self, expected: "Versions", worker: str) -> None:
        """An error that names both, if a worker's versions are not the expected ones."""
        if self != expected:
            raise InputError(f"The worker {worker} has {self}, but this process has {expected}. Install the same.")


@cache
def own_versions() -> Versions:
    """The versions in this process."""
    from importlib.metadata import version  # slow to import

    return Versions(version("irassay"), f"{sys.version_info[0]}.{sys.version_info[1]}")


class SentFile(NamedTuple):
    """A user's file."""

    path: str
    content: bytes
    sha256: str


class SentWork(NamedTuple):
    """What the blocks of a map share: users' files, and the pickled block function with its shared data."""

    files: tuple[SentFile, ...]
    pickled: bytes

    def as_bytes(self) -> bytes:
        """The same, to be sent."""
        return pickle.dumps(tuple(self), protocol=5)


_RECEIVED: OrderedDict[str, Received] = OrderedDict()
_RUN_FILES: dict[str, str] = {}  # hashes of the users' files that were run here
_LOCK = Lock()  # a worker may have several threads


def run_block(block: bytes, sent: bytes, token: str, versions: Versions) -> bytes:
    """The pickled result of a pickled block; `token` identifies what was sent for all blocks."""
    own_versions().check_equal(Versions(*versions), worker_address())
    function, shared = _received_work(sent, token)
    (result,) = run_here(function, [pickle.loads(block)], shared)
    return pickle.dumps(result, protocol=5)


def worker_address() -> str:
    """The address of this worker; of another process, its machine and number."""
    from distributed import get_worker

    try:
        return str(get_worker().address)
    except ValueError:
        return f"{gethostname()}, process {getpid()}"


def _received_work(sent: bytes, token: str) -> Received:
    """The block function and the shared data, unpickled once."""
    with _LOCK:
        if token not in _RECEIVED:
            files, pickled = pickle.loads(sent)
            for file in files:
                _run_file(SentFile(*file))
            try:
                _RECEIVED[token] = pickle.loads(pickled)
            except InputError as error:
                hint = "Metrics of your own must be in a file that irassay.define or --define runs."
                raise Refused(f"The worker {worker_address()} cannot use what it was sent: {error} {hint}") from None
            while len(_RECEIVED) > SHARED_AT_ONCE:
                _RECEIVED.popitem(last=False)
        _RECEIVED.move_to_end(token)
        return _RECEIVED[token]


def _run_file(file: SentFile) -> None:
    """Runs a user's file, once in a worker; another version of it needs another worker."""
    found = sha256(file.content).hexdigest()
    if found != file.sha256:
        raise Refused(f"{file.path} reached the worker {worker_address()} with other content: SHA-256 {found}.")
    if _RUN_FILES.get(file.path, file.sha256) != file.sha256:
        raise Refused(f"The worker {worker_address()} has run another version of {file.path}. Start it again.")
    if file.path not in DEFINED_FILES:
        import_module("irassay.userfile").define_content(file.path, file.content)  # a module above this one
    _RUN_FILES[file.path] = file.sha256
