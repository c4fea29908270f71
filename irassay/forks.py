"""Forked processes, in which polars would wait for ever for threads that only the parent has."""

import os
from contextlib import suppress
from pathlib import Path

from irassay.errors import InputError

_polars_has_threads = _forked_from_polars = False


def _note_polars() -> None:
    """Notes before a fork whether polars has threads in this process."""
    global _polars_has_threads
    with suppress(OSError):  # only Linux has this folder, and only there is a fork the usual way
        names = [(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
        _polars_has_threads = any(name.removeprefix("polars-").isdigit() for name in names)


def _note_fork() -> None:
    """Notes in the child of a fork that it has none of these threads."""
    global _forked_from_polars
    _forked_from_polars = _forked_from_polars or _polars_has_threads


def check_polars_works() -> None:
    """Raises an error in a process in which polars would wait for ever: forked from one that had used it."""
    if _forked_from_polars:
        raise InputError(
            "This process was forked from one that had used polars, which cannot work here. Start processes with "
            "multiprocessing.get_context('spawn'), or give plain TREC files, which are read without polars."
        )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_note_polars, after_in_child=_note_fork)
