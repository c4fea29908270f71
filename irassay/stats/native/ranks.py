"""Rank codes and counts of pairs by ranks.c."""

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
    """The functions of ranks.c, which take any arrays."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def codes(self, scores: Floats, tied: Floats) -> Codes:
        """[row, item] the rank codes of finite scores [row, item]; neighbours at most `tied` [row] apart share one."""
        rows, items = scores.shape
        codes = np.empty(scores.shape, dtype=np.int16)
        inputs = np.ascontiguousarray(scores), np.ascontiguousarray(tied, dtype=np.float64)
        room = np.empty(items), np.empty(2 * items, dtype=np.int32)
        self._library.rank_codes(*_addresses(*inputs), rows, items, *_addresses(*room, codes))
        return codes

    def pairs_of_rows(self, x: Codes, y: Codes) -> Ints:
        """[4, row] the pairs tied by x, by y and by both, and in opposite order, of codes [row, item]."""
        rows, items = x.shape
        pairs = np.empty((rows, 4), dtype=np.int64)
        room = np.empty(2 * items, dtype=np.int16)
        inputs = np.ascontiguousarray(x), np.ascontiguousarray(y)
        self._library.pairs_of_rows(*_addresses(*inputs), rows, items, *_addresses(room, pairs))
        return pairs.T

    def pairs_of_bits(self, above: NDArray[np.uint64], below: NDArray[np.uint64]) -> Floats:
        """[..., ranking, ranking] pairs in the same minus those in opposite order, from bits [..., ranking, word]."""
        rankings, words = above.shape[-2:]
        balance = np.empty((*above.shape[:-1], rankings))
        inputs = np.ascontiguousarray(above), np.ascontiguousarray(below)
        sets = balance.size // max(1, rankings**2)
        self._library.pairs_of_bits(*_addresses(*inputs), sets, rankings, words, *_addresses(balance))
        return balance


@cache
def ranks() -> Ranks | None:
    """The functions of ranks.c; None if it was not compiled, or IRASSAY_NATIVE=0 turns it off."""
    signatures = {"rank_codes": ". ppiippp", "pairs_of_rows": ". ppiipp", "pairs_of_bits": ". ppiiip"}
    library = load_library(LIBRARY, MADE_FOR, signatures)
    return None if library is None else Ranks(library)


def _addresses(*arrays: NDArray[Any]) -> list[int]:
    return [array.ctypes.data for array in arrays]
