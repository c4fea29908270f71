"""Connections to a dask cluster: the executor behind `context(cluster=...)`."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from irassay.cluster.executor import ClusterExecutor
from irassay.cluster.worker import Versions, own_versions
from irassay.errors import InputError, argument, as_found, missing_package_error

CONNECTION_SECONDS = 10  # to wait for the scheduler's first answer
HOW_TO_GIVE = "an address such as tcp://host:8786, a scheduler's file, a dask Client, or 'local'"


@contextmanager
def connected_cluster(cluster: Any) -> Iterator[ClusterExecutor]:
    """The executor that runs blocks on a cluster; what was started for it is stopped at the end."""
    try:
        import distributed
    except ImportError:
        raise missing_package_error("dask.distributed", "cluster", argument("cluster")) from None
    if isinstance(cluster, distributed.Client):
        yield _checked_executor(cluster)
        return
    for name in [*logging.root.manager.loggerDict]:
        if name.partition(".")[0] in ("distributed", "asyncio", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what is wrong comes as one of our errors
    local = _local_cluster(distributed) if cluster == "local" else None
    client = None
    try:
        client = _client_of(distributed, local or cluster)
        yield _checked_executor(client)
    finally:
        with suppress(Exception):  # what cannot be closed is gone
            if local is not None:
                _kill_workers(local)
            if client is not None:
                client.close(timeout=0.5)
            if local is not None:
                local.close(timeout=0.5)


def _local_cluster(distributed: Any) -> Any:
    """A worker process for each core of this machine; they leave a Ctrl-C to this process."""
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    quiet = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL, "preload": [deaf]}
    return distributed.LocalCluster(threads_per_worker=1, processes=True, **quiet)


def _kill_workers(local: Any) -> None:
    """Ends the workers at once: none has anything left to do, and asking them would take seconds."""
    local.shutdown_on_close = False  # at the end of this process, too
    for nanny in local.workers.values():
        nanny.auto_restart = False
        if nanny.process is not None and nanny.process.pid:
            with suppress(ProcessLookupError):
                os.kill(nanny.process.pid, signal.SIGKILL)


def _client_of(distributed: Any, cluster: Any) -> Any:
    """A client of the scheduler at an address, in a file, or of a cluster object."""
    how: dict[str, Any] = {"address": cluster}
    if isinstance(cluster, str | Path) and (Path(cluster).is_file() or Path(cluster).suffix == ".json"):
        how = {"scheduler_file": str(cluster)}
        if not Path(cluster).is_file():  # dask would wait for ever
            problem = f"There is no scheduler's file {cluster}; start the scheduler, and wait until it has written it."
            raise InputError(problem, argument="cluster", value=str(cluster))
    elif not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
        given = argument("cluster", cluster)
        raise InputError(argument=given, found=f"found {as_found(cluster)}", expected=HOW_TO_GIVE)
    try:
        return distributed.Client(**how, timeout=CONNECTION_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError) as error:  # dask raises these for a wrong address, too
        found = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        problem = f"No scheduler answers at {cluster} ({found}); give {HOW_TO_GIVE}."
        raise InputError(problem, argument="cluster", value=str(cluster)) from None


def _checked_executor(client: Any) -> ClusterExecutor:
    """The executor of a cluster, if all of its workers have the versions of this process."""
    for address, found in client.get_versions(packages=["irassay"])["workers"].items():
        packages = found["packages"]
        theirs = Versions(packages["irassay"] or "", ".".join(packages["python"].split(".")[:2]))
        theirs.check_equal(own_versions(), address)
    return ClusterExecutor(client)
