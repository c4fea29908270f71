"""altair, imported when the first chart is drawn, since that takes a while."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from altair import *  # noqa: F403
    from altair import TopLevelMixin

    AnyChart = TopLevelMixin  # what any function that draws returns, for type checkers alone
else:

    def __getattr__(name: str) -> Any:
        return getattr(import_module("altair"), name)
