"""An index of judged documents by a hash of topic and document."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.scan import DocumentKeys

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads topic numbers over all bits
MAX_SEEDS = 8  # seeds tried for the hash; two documents cannot plausibly collide under all of them


@dataclass(frozen=True, eq=False)
class DocumentIndex:
    """The position of each judged document in the pool, by a 64-bit key of topic and document."""

    seed: int  # of the hash
    keys: DocumentKeys  # [j] ascending, all different
    place: Ints  # [j] in the flattened pool of all topics
    docs: pl.Series  # [j]
    first: NDArray[np.int32]  # [2^bits] the first key with these leading bits, or with larger ones
    is_used: NDArray[np.bool_]  # [2^bits] whether a key has these leading bits
    largest_bucket: int  # most keys with the same leading bits

    def matches(self, keys: DocumentKeys) -> tuple[Ints, Ints]:
        """The positions of the keys that are in the index, and their entries."""
        leading = (keys >> np.uint64(65 - len(self.first).bit_length())).view(np.int64)
        position = np.flatnonzero(self.is_used.take(leading))
        key, entry = keys.take(position), self.first.take(leading.take(position))
        is_match = self.keys.take(entry) == key
        for _ in range(self.largest_bucket - 1):
            other = np.flatnonzero(~is_match)
            entry[other] = np.minimum(entry.take(other) + 1, len(self.keys) - 1)
            is_match[other] = self.keys.take(entry.take(other)) == key.take(other)
        return position[is_match], entry[is_match].astype(np.int64)


def topic_hashes(topic: Ints) -> DocumentKeys:
    """[m] topic numbers spread over 64 bits; exclusive-or with a document's hash gives the key."""
    return topic.astype(np.uint64) * GOLDEN


def build_index(doc: pl.Series, topic: Ints, place: Ints) -> DocumentIndex:
    """An index whose keys all differ, so that a key matches one judged document at most."""
    for seed in range(MAX_SEEDS):
        keys = doc.hash(seed).to_numpy() ^ topic_hashes(topic)
        order = np.argsort(keys)
        keys = keys[order]
        if (keys[1:] != keys[:-1]).all():
            break
    else:
        raise InputError(
            "The judgements have a document twice for one topic. Build them with Qrels.of, which resolves duplicates."
        )
    bits = len(keys).bit_length() + 3
    leading = keys >> np.uint64(64 - bits)
    shared = np.bincount(leading.astype(np.int64), minlength=1 << bits)
    first = np.minimum(np.cumsum(shared) - shared, max(len(keys) - 1, 0)).astype(np.int32)
    return DocumentIndex(seed, keys, place[order], doc.gather(order), first, shared > 0, int(shared.max()))
