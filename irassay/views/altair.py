"""altair, imported when the first chart is drawn, since that takes a while."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError

if TYPE_CHECKING:
    from altair import *  # noqa: F403
    from altair import TopLevelMixin

    AnyChart = TopLevelMixin  # what any function that draws returns, for type checkers alone
else:

    def __getattr__(name: str) -> Any:
        try:
            return getattr(import_module("altair"), name)
        except AttributeError:
            if sys.flags.optimize < 2:
                raise
            raise InputError(
                "no chart can be drawn by python -OO, as altair needs docstrings; run it without"
            ) from None
