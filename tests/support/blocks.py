"""Block functions for tests with worker processes, in a module that is quickly imported."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from irassay.errors import InputError


def task_key(block: int, shared: None) -> Any:
    """The key of the cluster's task that this block is."""
    from distributed import get_worker

    return get_worker().get_current_task()


def refused_block(block: int, first: int) -> int:
    if block >= first:
        raise InputError(found=f"block {block} is bad", fix="give another")
    return block


def killed_once(block: int, marker: str) -> int:
    """Kills its own process at the first try of a block."""
    time.sleep(0.05)
    if block == 5 and not Path(marker).exists():
        Path(marker).write_text("killed")
        os.kill(os.getpid(), signal.SIGKILL)
    return block * block


def nap(seconds: float, shared: None) -> None:
    time.sleep(seconds)


def wait_for(path: str) -> None:
    """Returns once there is such a file."""
    while not Path(path).exists():
        time.sleep(0.02)
