"""How a result shows itself in a Python session: what it is of and how it was made, on one line."""

import dataclasses
import reprlib
from typing import Any

SHOWN = 4  # names of a tuple
LEFT_OUT = ("notes", "cite")


class Result:
    """A result whose arrays and notes stay out of its repr; its view prints them."""

    def __repr__(self) -> str:
        """The names and settings, without the numbers."""
        short = reprlib.Repr()
        short.maxtuple, short.maxstring = SHOWN, 60
        names = [field.name for field in dataclasses.fields(self) if field.name not in LEFT_OUT]  # type: ignore[arg-type]
        said = [f"{name}={short.repr(_named(value))}" for name in names if _plain(value := getattr(self, name))]
        return f"{type(self).__name__}({', '.join(said)})"


def _named(value: Any) -> Any:
    return tuple(getattr(item, "name", item) for item in value) if isinstance(value, tuple) else value


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(isinstance(item, str) for item in _named(value))
    return isinstance(value, str | int | float)
