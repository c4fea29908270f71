"""Grades and words to costs: what it takes to go through a result."""

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.rankings.gain import by_grade

EffortMap = str | tuple[float, ...] | None

# Seconds by grade 0, 1, 2 as printed in jiang2016, Table 2; the effort is relative to the top grade's.
JIANG_SECONDS = (9.8, 23.0, 37.6)


def effort_table(effort: EffortMap, max_grade: float) -> tuple[float, ...]:
    """The costs by grade that `effort=` stands for.

    >>> [round(e, 4) for e in effort_table("time", 2)]
    [0.2606, 0.6117, 1.0]
    """
    if effort == "time":
        if max_grade != 2:
            raise InputError(
                f"effort='time' is published for grades 0 to 2 (jiang2016, Table 2), and these go to {max_grade:g}; "
                f"give a table of {max_grade + 1:g} efforts, as in effort=(0.25{',1' * int(max_grade)})"
            )
        return tuple(seconds / JIANG_SECONDS[-1] for seconds in JIANG_SECONDS)
    if isinstance(effort, tuple):
        if min(effort) <= 0:
            raise InputError(f"effort={effort} has an entry that is not above 0; every result must cost something")
        return effort
    raise InputError(f"effort={effort!r} is not known; use 'time', 'words' or a table by grade")


def costs(grade: Floats, effort: EffortMap, max_grade: float) -> Floats:
    """What each grade costs; one below 0 costs as much as grade 0."""
    return by_grade(np.maximum(grade, 0.0), effort_table(effort, max_grade), max_grade, "effort")
