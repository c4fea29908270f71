"""step.c from Python: the inner loop of the step-down max-T test."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.compiled import load_library

MADE_FOR, LANES = 2, 32  # as in step.c
LIBRARY = Path(__file__).parent / "step.shared"
Indices = NDArray[np.int32]
StepDown = Callable[[Floats, Indices, Indices, Floats, Floats, Ints, Floats], None]


@cache
def step_down() -> StepDown | None:
    """What counts, of sums [system, trial] and pairs in the order of their bars, the trials above each bar.

    It takes sums, the first and second system, the scale and the bar of each pair, and fills count [pair] and largest
    [trial]. None where step.c was not compiled, or IRASSAY_NATIVE=0 turns it off.
    """
    library = load_library(LIBRARY, MADE_FOR, {"step_down": ". piippppippp"})
    if library is None:
        return None

    def call(sums: Floats, i: Indices, j: Indices, scale: Floats, bar: Floats, count: Ints, largest: Floats) -> None:
        kinds = ((sums, "f8"), (i, "i4"), (j, "i4"), (scale, "f8"), (bar, "f8"), (count, "i8"), (largest, "f8"))
        assert all(part.flags.c_contiguous and part.dtype == kind for part, kind in kinds)
        strip = np.empty((len(sums), LANES))
        systems, trials = sums.shape
        at = [part.ctypes.data for part in (sums, i, j, scale, bar, strip, count, largest)]
        library.step_down(at[0], systems, trials, *at[1:5], len(i), *at[5:])

    return call
