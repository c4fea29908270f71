"""The meta-evaluations: one question a file; `irassay.meta.discrimination` is the method, imported when asked for.

A submodule of the same name would take a method's place as soon as anything imported it; this package does not let it.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from irassay.declarations import index


def _where() -> dict[str, str]:
    """The methods by name, as module:function."""
    commands = index()["commands"]
    return {name.removeprefix("meta "): commands[name]["where"] for name in commands if name.startswith("meta ")}


class _Methods(ModuleType):
    """The package: its methods are attributes, its modules are imported by path."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _where()):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        from irassay.method import METHODS

        if f"meta {name}" in METHODS and name not in _where():  # a user's own
            return METHODS[f"meta {name}"]
        if name not in _where():
            raise AttributeError(f"module 'irassay.meta' has no attribute {name!r}")
        module, _, function = _where()[name].partition(":")
        found = getattr(import_module(module), function)
        self.__dict__[name] = found
        return found

    def __dir__(self) -> list[str]:
        return sorted(_where())


sys.modules[__name__].__class__ = _Methods
