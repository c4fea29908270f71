"""What installed packages add: metrics, methods and readers, declared as entry points.

A package names a module (or a Reader) under `irassay.metrics`, `irassay.methods` or `irassay.readers`. Entry points are
looked up if something is asked for that irassay does not have, or if everything is listed: nothing else pays for them.
"""

import sys
from contextlib import redirect_stdout
from typing import Any, Literal

from irassay.errors import InputError

_LOADED: dict[str, list[Any]] = {}  # group -> what its entry points name
PACKAGES: dict[str, str] = {}  # name -> version of the packages that were loaded


def load_installed(group: Literal["metrics", "methods", "readers"]) -> list[Any]:
    """The modules and objects that installed packages declare in a group, imported on the first call."""
    if group in _LOADED:
        return _LOADED[group]
    from importlib.metadata import entry_points  # slow to import

    found = _LOADED.setdefault(group, [])  # known at once: a package may look up metrics while it is imported
    for entry in entry_points(group=f"irassay.{group}"):
        package = entry.dist
        name = f"The package {package.name} {package.version}" if package else f"The entry point {entry.value}"
        try:
            with redirect_stdout(sys.stderr):  # standard output may be JSON
                found.append(entry.load())
        except Exception as problem:
            raise InputError(
                f"{name} adds {group} to irassay but cannot be loaded ({type(problem).__name__}: {problem}); "
                "update it or remove it."
            ) from None
        if package:
            PACKAGES[package.name] = package.version
    return found
