"""One check of types for every reader: ids are text or numbers, values are finite numbers; anything else is refused."""

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import polars as pl

from irassay.errors import InputError, as_found
from irassay.io.lines import parsed_number

NUMERIC = frozenset({"grade", "score", "rank", "words"})  # our columns that hold numbers; the others hold ids
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)
LARGEST_WHOLE = 2.0**53  # a larger double need not be the number that was written


def is_plain(value: object) -> bool:
    """Whether a value is text or a number, as ids and scores are: no truth value, date, duration, list or object.

    >>> [is_plain(value) for value in ("d1", 7, np.float32(0.5), True, None, np.timedelta64(1), b"d1", [1])]
    [True, True, True, False, False, False, False, False]
    """
    return isinstance(value, str | Real | Decimal) and not isinstance(value, bool | np.timedelta64)


def finite_number(value: object) -> float | None:
    """The value as a finite number, also if it is written as text; otherwise None.

    >>> finite_number(2), finite_number("1e3"), finite_number(True), finite_number(10**400)
    (2.0, 1000.0, None, None)
    """
    if isinstance(value, str):
        return parsed_number(value.strip().encode(errors="replace"))
    try:
        number = float(value) if is_plain(value) else np.nan  # type: ignore[arg-type]
    except (OverflowError, ValueError):  # ValueError: a signalling NaN
        return None
    return number if np.isfinite(number) else None


def column_of_values(ours: str, values: Sequence[Any], name: str) -> pl.Series:
    """A column of our type from Python objects; the first that is not an id or a finite number is an error."""
    kinds = set(map(type, values))
    try:
        if ours in NUMERIC and kinds <= {int, float}:
            return typed_column(pl.Series(ours, np.array(values, dtype=np.float64)), ours, name)
        if ours not in NUMERIC and kinds <= {str}:
            return typed_column(pl.Series(ours, values, dtype=pl.String), ours, name)
    except OverflowError:
        pass
    except UnicodeEncodeError as error:
        raise _surrogate_error(ours, error) from None
    found: list[str | float] = []
    for row, value in enumerate(values):
        if _is_missing(value) or (value == "" if isinstance(value, str) else False):
            raise _empty_error(ours, row, name)
        one = finite_number(value) if ours in NUMERIC else str(value) if is_plain(value) else None
        if one is None:
            raise _value_error(ours, row, value, name)
        found.append(one)
    try:
        return pl.Series(ours, found, dtype=pl.Float64 if ours in NUMERIC else pl.String)
    except UnicodeEncodeError as error:
        raise _surrogate_error(ours, error) from None


def typed_column(column: pl.Series, ours: str, name: str) -> pl.Series:
    """A column of any type in our type; whole floats, as ids with gaps are stored, become whole numbers.

    >>> typed_column(pl.Series([1.0, 20.0]), "doc", "run").to_list()
    ['1', '20']
    """
    if column.dtype == pl.Object:
        return column_of_values(ours, column.to_list(), name)
    if column.dtype.is_nested():
        raise InputError(file=name, found=f"column {ours!r} holds {column.dtype}", expected="one value per row")
    if not (column.dtype.is_numeric() or column.dtype in TEXT_TYPES):
        expected = "numbers" if ours in NUMERIC else "ids, which are text or numbers"
        raise InputError(file=name, found=f"column {ours!r} holds {column.dtype}", expected=expected)
    plain = column.alias(ours)
    plain = plain.fill_nan(None) if plain.dtype.is_float() else plain
    plain = plain.cast(pl.String) if plain.dtype in TEXT_TYPES else plain
    if plain.null_count():
        raise _empty_error(ours, int(plain.is_null().arg_true()[0]), name)
    if ours in NUMERIC:
        typed = plain.cast(pl.Float64, strict=False)
        wrong = ~typed.is_finite().fill_null(False)
    else:
        wrong = plain.is_infinite() if plain.dtype.is_float() else pl.Series([False])
        is_whole = plain.dtype.is_float() and bool(((plain == plain.floor()) & (plain.abs() <= LARGEST_WHOLE)).all())
        typed = (plain.cast(pl.Int64) if is_whole else plain).cast(pl.String)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise _value_error(ours, row, plain[row], name)
    if ours not in NUMERIC and (typed == "").any():
        raise _empty_error(ours, int((typed == "").arg_true()[0]), name)
    return typed


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return is_plain(value) and bool(value != value)


def _empty_error(ours: str, row: int, name: str) -> InputError:
    found, fix = f"column {ours!r} is empty in row {row}", "fill it in or delete the row"
    return InputError(file=name, found=found, fix=fix)


def _value_error(ours: str, row: int, value: object, name: str) -> InputError:
    expected = "a finite number" if ours in NUMERIC else "an id, which is text or a number"
    return InputError(file=name, found=f"the {ours} in row {row} is {as_found(value)}", expected=expected)


def _surrogate_error(ours: str, error: UnicodeEncodeError) -> InputError:
    found = f"the {ours} {error.object!r} contains an unpaired surrogate (half a character)"
    return InputError(found=found, fix="fix or delete it")
