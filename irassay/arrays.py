"""The types of arrays; every array states its shape where it is declared."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from irassay.errors import InputError

Value = TypeVar("Value", bound=np.generic)
Dataclass = TypeVar("Dataclass")

NDArray = np.ndarray[tuple[Any, ...], np.dtype[Value]]  # as in numpy.typing, which takes a while to import

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Signs = NDArray[np.int8]
Counts = NDArray[np.float32]  # whole numbers below 2^24, in the type that multiplies fastest


TIE = 1e-10  # a difference below this share of the observed range, or of the largest possible value, is a tie


class Frame(Protocol):
    """A polars frame, as a type that does not need polars imported."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""


def as_numbers(values: Any, expected: str = "Scores must be numbers, [system, topic, metric]") -> Floats:
    """The values as doubles; InputError, which begins with what was expected, if they are not real numbers."""
    try:
        if np.iscomplexobj(values):
            raise ValueError("some are complex")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{expected}: {error}") from None


def scaled_to_unit(x: Floats) -> Floats:
    """[..., n] each row times the power of two that puts its largest magnitude in [0.5, 1): squares stay finite.

    >>> scaled_to_unit(np.array([[3e-200, 1e-200], [0.0, 0.0]])).max(axis=1).round(3)
    array([0.574, 0.   ])
    """
    return np.ldexp(x, -np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1])


def weighted_rows(values: NDArray[Any], weight: Floats) -> Floats:
    """[n] the weighted sum of each row [n, m]; a row has the same sum, to the last bit, whatever rows it is among.

    A product of matrices (@) would be rounded by how many rows there are.

    >>> weighted_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 0.25]))
    array([1. , 2.5])
    """
    return np.einsum("nm,m->n", np.asarray(values, dtype=np.float64), weight)


def share(part: Floats, whole: Floats | Ints) -> Floats:
    """Part of the whole; 0 where there is no whole.

    >>> share(np.array([1.0, 0.0]), np.array([4, 0]))
    array([0.25, 0.  ])
    """
    return np.divide(part, whole, out=np.zeros_like(part, dtype=np.float64), where=np.asarray(whole) != 0)


def read_only(array: NDArray[Value]) -> NDArray[Value]:
    """A view of the array that cannot be written to.

    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def freeze(record: Any) -> None:
    """Makes the arrays of a frozen dataclass read-only, so that one metric cannot change what the next one sees."""
    for name in record.__dataclass_fields__:
        value = getattr(record, name)
        if isinstance(value, np.ndarray) and value.flags.writeable:
            object.__setattr__(record, name, read_only(value))


def deep_copy(record: Dataclass) -> Dataclass:
    """A copy of a dataclass that shares no array with it, nor do the dataclasses in it."""
    changes: dict[str, Any] = {}
    for each in fields(record):  # type: ignore[arg-type]
        value = getattr(record, each.name)
        if isinstance(value, np.ndarray):
            changes[each.name] = value.copy(order="K")
        elif isinstance(value, Mapping):
            plain = {key: item for key, item in value.items() if isinstance(item, np.ndarray | float | int)}
            changes[each.name] = {key: np.copy(v) if isinstance(v, np.ndarray) else v for key, v in plain.items()}
        elif is_dataclass(value) and any(isinstance(getattr(value, f.name), np.ndarray) for f in fields(value)):
            changes[each.name] = deep_copy(value)
    return replace(record, **changes)  # type: ignore[type-var]
