"""Limits on memory (ulimit -v): the command runs in a child process, because libraries abort if they get no memory."""

import math
import os
import signal
import sys
import warnings
from contextlib import suppress

# one thread each
SINGLE_THREADED = {
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "_RJEM_MALLOC_CONF": "background_thread:false",
}
SMALLEST_LIMIT = 320 << 20  # bytes; below, libraries cannot be loaded and may retry for ever
THREAD_ROOM = 8 << 30  # bytes of address space that threads may take, including those of libraries
PARENT_DIED = 1  # PR_SET_PDEATHSIG of prctl(2)


def memory_limit() -> float:
    """The bytes of memory that this process may use; infinity without a limit."""
    try:
        import resource
    except ImportError:  # not on this system
        return math.inf
    limits = [resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min(math.inf if limit == resource.RLIM_INFINITY else limit for limit in limits)


def memory_is_limited() -> bool:
    """Whether there may be no room for threads; then none are started, because some would wait for ever."""
    return memory_limit() < THREAD_ROOM


def start_child() -> int | None:
    """Continues in a child process; returns there a pipe on which to report that the end was reached.

    The parent exits as the child does, and returns None if the child ended without that report. If memory is limited,
    what libraries write to standard error themselves is not shown.
    """
    reports, pipe = os.pipe()
    child = os.fork()
    if child:
        os.close(pipe)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal interrupts the child too
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if -status in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            os.kill(os.getpid(), -status)
        if os.read(reports, 1):
            os._exit(status)
        return None
    os.close(reports)
    die_with_parent()
    if memory_limit() == math.inf:
        return pipe
    if memory_is_limited():
        os.environ |= SINGLE_THREADED | os.environ
        _load_blas()
    errors = os.fdopen(os.dup(2), "w", encoding=sys.stderr.encoding)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stderr = errors
    warnings.simplefilter("ignore")  # of libraries that are only partly loaded
    sys.unraisablehook = lambda _: None
    return pipe


def _load_blas() -> None:
    """Loads and uses both copies of OpenBLAS while there is room: with less than 32 MiB left they retry for ever."""
    import numpy as np
    import scipy.special  # noqa: F401

    square = np.ones((128, 128))
    square @ square


def die_with_parent() -> None:
    """Has the system kill this process when its parent dies, where the system can."""
    import ctypes

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PARENT_DIED, int(signal.SIGKILL))
