"""The types of arrays, once for all; every array states its shape where it is declared."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Indices = NDArray[np.intp]
Signs = NDArray[np.int8]
Counts = NDArray[np.float32]  # whole numbers below 2^24, in the type that multiplies fastest


class Frame(Protocol):
    """A polars frame, spoken of without importing polars."""

    @property
    def columns(self) -> list[str]:
        """What its columns are called."""
