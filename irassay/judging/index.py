"""Where judged documents lie: an index by a key of topic and document."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.errors import InputError

Keys = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads topic numbers over all bits
SEEDS = 8  # of the hash that are tried: that two documents collide under all of them is out of the question


@dataclass(frozen=True, eq=False)
class Index:
    """Where each judged document lies in the pool, found by a 64-bit key of topic and document."""

    seed: int  # of the hash
    keys: Keys  # [j] ascending, all different
    place: Ints  # [j] in the flattened pool of all topics
    docs: pl.Series  # [j]
    first: NDArray[np.int32]  # [2^bits] the first key with these leading bits, or with larger ones
    taken: NDArray[np.bool_]  # [2^bits] some key has these leading bits
    most: int  # keys with the same leading bits

    def matches(self, keys: Keys) -> tuple[Ints, Ints]:
        """The positions of the keys that are known, and their entries."""
        leading = (keys >> np.uint64(65 - len(self.first).bit_length())).view(np.int64)
        position = np.flatnonzero(self.taken.take(leading))
        wanted, entry = keys.take(position), self.first.take(leading.take(position))
        known = self.keys.take(entry) == wanted
        for _ in range(self.most - 1):
            other = np.flatnonzero(~known)
            entry[other] = np.minimum(entry.take(other) + 1, len(self.keys) - 1)
            known[other] = self.keys.take(entry.take(other)) == wanted.take(other)
        return position[known], entry[known].astype(np.int64)


def spread(topic: Ints) -> Keys:
    """[m] topic numbers over all 64 bits; exclusive-or with a document's hash makes a key of the two."""
    return topic.astype(np.uint64) * GOLDEN


def build_index(doc: pl.Series, topic: Ints, place: Ints) -> Index:
    """An index whose keys all differ, so that a document with a known key is that document or none."""
    for seed in range(SEEDS):
        keys = doc.hash(seed).to_numpy() ^ spread(topic)
        order = np.argsort(keys)
        keys = keys[order]
        if (keys[1:] != keys[:-1]).all():
            break
    else:
        raise InputError(
            "the judgements have a document twice for one topic; make them with Qrels.of, which settles that"
        )
    bits = len(keys).bit_length() + 3
    leading = keys >> np.uint64(64 - bits)
    shared = np.bincount(leading.astype(np.int64), minlength=1 << bits)
    first = np.minimum(np.cumsum(shared) - shared, max(len(keys) - 1, 0)).astype(np.int32)
    return Index(seed, keys, place[order], doc.gather(order), first, shared > 0, int(shared.max()))
