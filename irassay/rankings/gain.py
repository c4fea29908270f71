"""Grades to gains."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument

GainMap = str | tuple[float, ...]

GAIN_NAMES = ("binary", "linear", "exp", "raw")


def gains(grade: Floats, gain: GainMap, max_grade: float, rel: float, raw: bool = False) -> Floats:
    """The gain of every grade, any shape; grades below 0 have none.

    `raw` leaves 'exp' unscaled at 2^g - 1, as in the DCG family; user models divide by 2^max_grade.

    >>> gains(np.array([-1.0, 0, 1, 2]), "linear", max_grade=2, rel=1)
    array([0. , 0. , 0.5, 1. ])
    >>> gains(np.array([0.0, 1, 2]), "exp", max_grade=2, rel=1)
    array([0.  , 0.25, 0.75])
    """
    if gain == "binary":
        return (grade >= rel).astype(np.float64)
    floor = np.maximum(grade, 0.0)
    if gain == "raw":
        return floor
    if gain == "linear":
        return floor / max_grade if max_grade > 0 else floor
    if gain == "exp":
        if (top := max(max_grade, floor.max(initial=0.0))) > 1000:
            raise InputError(f"gain='exp' doubles with each grade, so it takes grades up to 1000; found {top:g}.")
        return (np.exp2(floor) - 1) / (1.0 if raw else 2.0**max_grade)
    if isinstance(gain, str):
        raise InputError(f"Unknown gain='{gain}'. Use one of {', '.join(GAIN_NAMES)}, or a table by grade.")
    return by_grade(floor, gain, max_grade, "gain")


def by_grade(grade: Floats, table: Sequence[float], max_grade: float, what: str) -> Floats:
    """The entries for grades (not below 0) in a table with one entry per grade of the scale."""
    values = np.asarray(table, dtype=np.float64)
    if len(values) != max_grade + 1:
        scale = f"grades 0 to {max_grade:g} need {max_grade + 1:g}"
        found = f"The table of {what} {compact(table)} has {len(values)} entries, but {scale}"
        fix = ("; give one entry for each grade, or set ", argument("max_grade"), ".")
        raise InputError(found, *fix, argument="max_grade", found=found)
    index = grade.astype(np.intp)
    if not np.array_equal(index, grade):
        raise InputError(f"A table of {what} by grade needs whole grades, but these judgements have fractions.")
    return values[index]


def threshold_gains(h: Sequence[float], max_grade: float) -> tuple[float, ...]:
    """The gain table of a user whose relevance threshold is s with probability h[s-1] (jiang2016, section 3.2).

    >>> threshold_gains((0.4, 0.6), 2)
    (0.0, 0.4, 1.0)
    """
    if len(h) != max_grade or not math.isclose(sum(h), 1, abs_tol=1e-9):
        text = f"h={compact(h)} must have a probability for each grade from 1 to {max_grade:g}, with sum 1."
        raise InputError(text, code="probability-per-grade")
    return (0.0, *(float(total) for total in np.cumsum(h)))


def compact(value: Any) -> str:
    """A parameter's value as written in a metric string.

    >>> compact((0, 0.4, 1.0)), compact("MAX"), compact(2.0)
    ('(0,0.4,1)', "'MAX'", '2.0')
    """
    if isinstance(value, tuple | list):
        inner = ",".join(f"{int(v)}" if isinstance(v, float) and v.is_integer() else compact(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)
