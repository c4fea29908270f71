"""Grades and document lengths to costs: the effort of reading a result."""

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.rankings.gain import by_grade

EffortMap = str | tuple[float, ...] | None

# Seconds by grade 0, 1, 2 as printed in jiang2016, Table 2; the effort is relative to the top grade's.
JIANG_SECONDS = (9.8, 23.0, 37.6)


def effort_table(effort: EffortMap, max_grade: float) -> tuple[float, ...]:
    """The costs by grade for a value of `effort=`.

    >>> [round(e, 4) for e in effort_table("time", 2)]
    [0.2606, 0.6117, 1.0]
    """
    if effort == "time":
        if max_grade != 2:
            raise InputError(
                f"effort='time' is published for grades 0 to 2 (jiang2016, Table 2), but these go to {max_grade:g}. "
                f"Give a table of {max_grade + 1:g} efforts, such as effort=(0.25{',1' * int(max_grade)})."
            )
        return tuple(seconds / JIANG_SECONDS[-1] for seconds in JIANG_SECONDS)
    if isinstance(effort, tuple):
        if min(effort) <= 0:
            raise InputError(f"effort={effort} has an entry that is not above 0. Every result must have a cost.")
        return effort
    raise InputError(f"Unknown effort={effort!r}. Use 'time', 'words' or a table by grade.")


def costs(grade: Floats, effort: EffortMap, max_grade: float) -> Floats:
    """The cost of each grade; a grade below 0 costs as much as grade 0."""
    return by_grade(np.maximum(grade, 0.0), effort_table(effort, max_grade), max_grade, "effort")
