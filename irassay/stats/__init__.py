"""Statistics over topics: which systems differ, how rankings agree, how many topics it takes."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    try:
        return import_module(f"irassay.stats.{name}")
    except ModuleNotFoundError:
        raise AttributeError(f"module 'irassay.stats' has no attribute {name!r}") from None
