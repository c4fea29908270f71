"""The meta-evaluations: one question per file; `irassay.meta.discrimination` is the method, imported on first use.

Importing a submodule usually sets an attribute of the same name; this package keeps its methods there instead.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from irassay.declarations import index
from irassay.installed import load_installed


def _method_locations() -> dict[str, str]:
    """Where each method is defined, by name, as module:function."""
    commands = index()["commands"]
    return {name.removeprefix("meta "): commands[name]["where"] for name in commands if name.startswith("meta ")}


class _Methods(ModuleType):
    """The package, whose attributes are its methods; its modules are imported by path."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _method_locations()):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        from irassay.method import METHODS

        location = _method_locations().get(name)
        if location is None:
            if f"meta {name}" not in METHODS and not name.startswith("_"):
                load_installed("methods")
            if f"meta {name}" in METHODS:  # a user's own, or an installed one
                return METHODS[f"meta {name}"]
            raise AttributeError(f"module 'irassay.meta' has no attribute {name!r}")
        module, _, function = location.partition(":")
        self.__dict__[name] = getattr(import_module(module), function)
        return self.__dict__[name]

    def __dir__(self) -> list[str]:
        return sorted(_method_locations())


sys.modules[__name__].__class__ = _Methods
