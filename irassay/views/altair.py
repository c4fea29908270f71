"""altair, imported when the first chart is drawn, because importing it is slow."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError

_UNCHECKED_LOCK = Lock()
# altair's switch is global to the process, so the last user turns it back.
_unchecked_users, _unchecked_switch = 0, ExitStack()


@contextmanager
def without_validation() -> Iterator[None]:
    """A context in which altair does not validate charts, which takes a second per page; tests validate them."""
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
    if name.startswith("__"):  # Python looks these up in modules it imports
        raise AttributeError(name)
    try:
        return getattr(import_module("altair"), name)
    except AttributeError:
        if sys.flags.optimize < 2:
            raise
        raise InputError("Charts need Python without -OO, because altair needs docstrings; leave out -OO.") from None


if TYPE_CHECKING:
    from altair import *  # noqa: F403
    from altair import TopLevelMixin

    AnyChart = TopLevelMixin  # the type of any chart, for type checkers only
else:
    __getattr__ = _of_altair
