"""altair, imported when the first chart is drawn, since that takes a while."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from altair import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        return getattr(import_module("altair"), name)
