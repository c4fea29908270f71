"""altair, imported when the first chart is drawn, since that takes a while."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError

_UNCHECKED_LOCK = Lock()
_unchecked_users, _unchecked_switch = (
    0,
    ExitStack(),
)  # altair's switch belongs to the process: the last one turns it back


@contextmanager
def unchecked() -> Iterator[None]:
    """A context in which altair does not check its charts, which takes it a second a page; the tests let it."""
    global _unchecked_users
    with _UNCHECKED_LOCK:
        _unchecked_users += 1
        if _unchecked_users == 1:
            _unchecked_switch.enter_context(_of_altair("utils").schemapi.debug_mode(False))
    try:
        yield
    finally:
        with _UNCHECKED_LOCK:
            _unchecked_users -= 1
            if _unchecked_users == 0:
                _unchecked_switch.close()


def _of_altair(name: str) -> Any:
    if name.startswith("__"):  # which Python asks modules for as it imports them
        raise AttributeError(name)
    try:
        return getattr(import_module("altair"), name)
    except AttributeError:
        if sys.flags.optimize < 2:
            raise
        raise InputError("no chart can be drawn by python -OO, as altair needs docstrings; run it without") from None


if TYPE_CHECKING:
    from altair import *  # noqa: F403
    from altair import TopLevelMixin

    AnyChart = TopLevelMixin  # what any function that draws returns, for type checkers alone
else:
    __getattr__ = _of_altair
