"""What the judges had on offer: the pool of each topic, and a way to find documents in it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.io.lines import number
from irassay.io.trec import Qrels
from irassay.rankings.batch import Pool, share

Keys = NDArray[np.uint64]
Weights = Mapping[str, Mapping[str, float]]  # topic -> subtopic -> weight

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads topic numbers over all bits
SEEDS = 8  # of the hash that are tried: that two documents collide under all of them is out of the question


@dataclass(frozen=True, eq=False)
class Index:
    """Where each judged document lies in the pool, found by a 64-bit key of topic and document."""

    seed: int  # of the hash
    keys: Keys  # [j] ascending, all different
    place: Ints  # [j] in the flattened pool
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


@dataclass(frozen=True, eq=False)
class Offer:
    """The judgements as arrays: a pool, its index, and what its rows and aspects are called."""

    pool: Pool
    index: Index
    topics: dict[str, int]
    aspects: tuple[tuple[str, ...], ...]  # of each topic, in order; none where judgements are ad hoc


def offered(qrels: Qrels, subtopics: bool = False, weights: Weights | None = None) -> Offer:
    """The judgements as a pool, computed once for all runs; `weights` replaces uniform weights of subtopics."""
    flat = None if weights is None else tuple((t, s, w) for t, of in weights.items() for s, w in of.items())
    key = ("offer", subtopics, flat)
    if key not in qrels.once:
        qrels.once[key] = _offered(qrels, subtopics, weights)
    offer: Offer = qrels.once[key]
    return offer


def _offered(qrels: Qrels, subtopics: bool, weights: Weights | None) -> Offer:
    topics = {name: row for row, name in enumerate(qrels.topics)}
    if not topics:
        raise InputError(f"{qrels.source} holds no judgements, so nothing can be scored")
    frame = qrels.frame.with_columns(t=pl.col("topic").replace_strict(topics, return_dtype=pl.Int64))
    best = frame.group_by("t", "doc").agg(pl.col("grade").max()) if qrels.varied else frame
    best = best.select("t", "doc", "grade").sort("t", "doc", descending=[False, True])
    t = best["t"].to_numpy()
    size = np.bincount(t).astype(np.int64)
    slot = np.arange(len(t)) - np.repeat(np.cumsum(size) - size, size)
    grade = np.zeros((len(topics), int(size.max())))
    grade[t, slot] = best["grade"].to_numpy()
    index = _index(best["doc"], t, t * grade.shape[1] + slot)
    if not subtopics:
        pool = Pool(grade, size, grade[:, :, None], np.ones((len(topics), 1)))
        return Offer(pool, index, topics, ((),) * len(topics))
    aspects = _aspects(qrels, weights or {})
    judged = frame.join(best.select("t", "doc", slot=pl.Series(slot)), on=["t", "doc"], how="left")
    by_aspect = _by_aspect(judged, aspects, grade.shape, qrels)
    parts = _uniform(by_aspect) if weights is None else _given(weights, qrels.topics, aspects)
    return Offer(Pool(grade, size, by_aspect, parts), index, topics, aspects)


def _index(doc: pl.Series, topic: Ints, place: Ints) -> Index:
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
    first = np.minimum(np.cumsum(shared) - shared, len(keys) - 1).astype(np.int32)
    return Index(seed, keys, place[order], doc.gather(order), first, shared > 0, int(shared.max()))


def _aspects(qrels: Qrels, weights: Weights) -> tuple[tuple[str, ...], ...]:
    """The subtopics of each topic, judged or weighted, in order: of numbers if all are numbers."""
    named = qrels.frame.group_by("topic").agg(pl.col("subtopic").unique())
    judged = dict(zip(named["topic"], named["subtopic"].to_list(), strict=True))
    return tuple(tuple(_in_order({*judged[topic], *weights.get(topic, ())})) for topic in qrels.topics)


def _in_order(names: set[str]) -> list[str]:
    numeric = all(number(name.encode()) is not None for name in names)
    return sorted(names, key=(lambda name: (float(name), name)) if numeric else None)


def _by_aspect(
    judged: pl.DataFrame, aspects: tuple[tuple[str, ...], ...], shape: tuple[int, ...], qrels: Qrels
) -> NDArray[np.int8 | np.float64]:
    """[t, p, a] the grade of each judged document for each aspect; 0 where it was not judged for it."""
    named = pl.DataFrame(
        {
            "t": np.repeat(np.arange(len(aspects)), [len(names) for names in aspects]),
            "subtopic": [name for names in aspects for name in names],
            "aspect": [i for names in aspects for i in range(len(names))],
        }
    )
    judged = judged.join(named, on=["t", "subtopic"], how="left")
    low, high = judged["grade"].to_numpy().min(), judged["grade"].to_numpy().max()
    small = qrels.whole and low >= -128 and high <= 127
    grades = np.zeros((*shape, max(map(len, aspects))), dtype=np.int8 if small else np.float64)
    grades[tuple(judged[column].to_numpy() for column in ("t", "slot", "aspect"))] = judged["grade"].to_numpy()
    return grades


def _uniform(by_aspect: NDArray[np.int8 | np.float64]) -> Floats:
    """[t, a] the same weight for all aspects that have a relevant document."""
    offers: Floats = (by_aspect.max(axis=1) > 0).astype(np.float64)
    return share(offers, offers.sum(axis=1, keepdims=True))


def _given(weights: Weights, topics: tuple[str, ...], aspects: tuple[tuple[str, ...], ...]) -> Floats:
    """[t, a] the weights as given."""
    table = np.zeros((len(topics), max(map(len, aspects))))
    for t, (topic, names) in enumerate(zip(topics, aspects, strict=True)):
        for a, name in enumerate(names):
            if name not in weights.get(topic, {}):
                raise InputError(f"the weights have none for subtopic {name} of topic {topic}; add one, or 0")
            table[t, a] = weights[topic][name]
    return table
