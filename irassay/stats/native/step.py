"""The inner loop of the step-down max-T test by step.c."""

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
    """A function that counts the trials above each pair's bar; None if step.c was not compiled or is turned off.

    It takes sums [system, trial], and for each pair, in ascending order of bars, its systems, scale and bar; it fills
    count [pair] and largest [trial]. IRASSAY_NATIVE=0 turns it off.
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
