"""The types of arrays, once for all; every array states its shape where it is declared."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np

from irassay.errors import InputError

Value = TypeVar("Value", bound=np.generic)
Record = TypeVar("Record")

NDArray = np.ndarray[tuple[Any, ...], np.dtype[Value]]  # as in numpy.typing, which takes a while to import

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Signs = NDArray[np.int8]
Counts = NDArray[np.float32]  # whole numbers below 2^24, in the type that multiplies fastest


TIE = 1e-10  # a difference below this share of the range, or of the largest that could be, is no difference


class Frame(Protocol):
    """A polars frame, spoken of without importing polars."""

    @property
    def columns(self) -> list[str]:
        """What its columns are called."""


def as_numbers(values: Any, what: str = "scores are numbers, [system, topic, metric]") -> Floats:
    """Values as doubles; InputError, which begins with what they should be, where they are no real numbers."""
    try:
        if np.iscomplexobj(values):
            raise ValueError("some are complex")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{what}: {error}") from None


def of_unit_size(x: Floats) -> Floats:
    """[..., n] each row times the power of two that puts its largest size between 0.5 and 1: squares stay finite.

    >>> of_unit_size(np.array([[3e-200, 1e-200], [0.0, 0.0]])).max(axis=1).round(3)
    array([0.574, 0.   ])
    """
    return np.ldexp(x, -np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1])


def read_only(array: NDArray[Value]) -> NDArray[Value]:
    """The same numbers, which nobody who is handed them can change.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def freeze(record: Any) -> None:
    """Makes the arrays of a frozen dataclass read-only, for one metric's slip must not reach the next metric."""
    kind: Any = type(record)
    for name in _field_names(kind):
        value = getattr(record, name)
        if isinstance(value, np.ndarray) and value.flags.writeable:
            object.__setattr__(record, name, read_only(value))


def copied(record: Record) -> Record:
    """A dataclass like this one that shares no array with it, those of dataclasses in it copied, too."""
    made: dict[str, Any] = {}
    for each in fields(record):  # type: ignore[arg-type]
        value = getattr(record, each.name)
        if isinstance(value, np.ndarray):
            made[each.name] = value.copy(order="K")
        elif isinstance(value, Mapping):
            plain = {key: one for key, one in value.items() if isinstance(one, np.ndarray | float | int)}
            made[each.name] = {key: one.copy() if isinstance(one, np.ndarray) else one for key, one in plain.items()}
        elif is_dataclass(value) and any(isinstance(getattr(value, f.name), np.ndarray) for f in fields(value)):
            made[each.name] = copied(value)
    return replace(record, **made)  # type: ignore[type-var]


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))
