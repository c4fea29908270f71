"""ranks.c from Python: rank codes and counts of pairs."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.compiled import load_library

MADE_FOR = 1  # as in ranks.c
LIBRARY = Path(__file__).parent / "ranks.shared"
Codes = NDArray[np.int16]


class Ranks:
    """The functions of ranks.c; arrays are made contiguous."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def codes(self, scores: Floats, tied: Floats) -> Codes:
        """[row, item] the rank codes of finite scores [row, item], at most `tied` [row] apart where they share one."""
        rows, items = scores.shape
        found = np.empty(scores.shape, dtype=np.int16)
        given = np.ascontiguousarray(scores), np.ascontiguousarray(tied, dtype=np.float64)
        room = np.empty(items), np.empty(2 * items, dtype=np.int32)
        self._library.rank_codes(*_at(*given), rows, items, *_at(*room, found))
        return found

    def pairs_of_rows(self, x: Codes, y: Codes) -> Ints:
        """[4, row] pairs tied by x, by y and by both, and in opposite order, of codes [row, item]."""
        rows, items = x.shape
        found = np.empty((rows, 4), dtype=np.int64)
        room = np.empty(2 * items, dtype=np.int16)
        given = np.ascontiguousarray(x), np.ascontiguousarray(y)
        self._library.pairs_of_rows(*_at(*given), rows, items, *_at(room, found))
        return found.T

    def pairs_of_bits(self, above: NDArray[np.uint64], below: NDArray[np.uint64]) -> Floats:
        """[..., ranking, ranking] pairs in the same less those in opposite order, by bits [..., ranking, word]."""
        rankings, words = above.shape[-2:]
        found = np.empty((*above.shape[:-1], rankings))
        given = np.ascontiguousarray(above), np.ascontiguousarray(below)
        sets = found.size // max(1, rankings**2)
        self._library.pairs_of_bits(*_at(*given), sets, rankings, words, *_at(found))
        return found


@cache
def ranks() -> Ranks | None:
    """The functions of ranks.c; None where it was not compiled, or IRASSAY_NATIVE=0 turns it off."""
    signatures = {"rank_codes": ". ppiippp", "pairs_of_rows": ". ppiipp", "pairs_of_bits": ". ppiiip"}
    library = load_library(LIBRARY, MADE_FOR, signatures)
    return None if library is None else Ranks(library)


def _at(*arrays: NDArray[Any]) -> list[int]:
    return [array.ctypes.data for array in arrays]
