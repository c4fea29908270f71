"""The join of runs and judgements: the results that are judged, and documents listed twice."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.io.scan import DocumentKeys, joined_bytes, keys_of, library
from irassay.io.tie_order import OrderedLists
from irassay.io.trec import Run
from irassay.judging.index import DocumentIndex, topic_hashes
from irassay.judging.kinds import Copies
from irassay.parallel import prefetched

RESULTS_AT_ONCE = 1 << 15  # looked up together, so that their keys stay in cache
MANY_RESULTS = 1 << 20  # from which threads are worth starting


@dataclass(frozen=True, eq=False)
class JudgedResults:
    """The places in the lists of judged results, and of further copies of a document in its list."""

    place: Ints  # [f] ascending
    entry: Ints  # [f] in the index of judged documents
    copies: Ints  # [c] ascending

    def without(self, left_out: Ints) -> "JudgedResults":
        """The judged results except those at some places."""
        kept = ~np.isin(self.place, left_out)
        return replace(self, place=self.place[kept], entry=self.entry[kept])

    def after_removal(self, left_out: Ints) -> "JudgedResults":
        """The judged results and copies once the results at some ascending places are removed from the lists."""
        rest = self.without(left_out)
        copies = np.setdiff1d(self.copies, left_out)
        place, copies = (each - np.searchsorted(left_out, each) for each in (rest.place, copies))
        return JudgedResults(place, rest.entry, copies)


def joined_results(run: Run, results: OrderedLists, index: DocumentIndex, copies: Copies = "list") -> JudgedResults:
    """The judged results and the copies: hashes propose, document ids decide. The only join of runs and judgements."""
    doc = run.frame["doc"]
    doc = doc if doc.len() > MANY_RESULTS else doc.rechunk()  # in one piece, ids are gathered faster
    find_matches = partial(_matches, doc.hash(index.seed).to_numpy(), results, index)
    steps = _list_stretches(results.size)
    parts = list(prefetched(find_matches, steps) if doc.len() > MANY_RESULTS else map(find_matches, steps))
    place, entry, twice = (np.concatenate([np.zeros(0, np.int64), *(p[i] for p in parts)]) for i in range(3))
    same = (doc.gather(results.row(place)) == index.docs.gather(entry)).to_numpy()
    return JudgedResults(place[same], entry[same], _copies_among(run, results, twice, copies))


def document_keys(documents: pl.Series) -> NDArray[np.uint64]:
    """[document] 64-bit keys of documents that are in no index, the same for every run.

    Among a million documents two share a key with a probability of 3e-8.
    """
    return documents.hash(0).to_numpy() if library() is None else keys_of(*joined_bytes(documents))


def _list_stretches(size: Ints) -> Iterator[slice]:
    """Stretches of whole lists, with about RESULTS_AT_ONCE results each."""
    ends = np.flatnonzero(np.diff(np.cumsum(size) // RESULTS_AT_ONCE, prepend=0)) + 1
    edges = np.unique(np.concatenate(([0], ends, [len(size)])))
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield slice(first, last)


def _matches(hashes: DocumentKeys, results: OrderedLists, index: DocumentIndex, step: slice) -> tuple[Ints, Ints, Ints]:
    """Places of the results whose key is in the index, the entries of those keys, and places of repeated keys."""
    size = results.size[step]
    before = int(results.start[step.start])
    span = slice(before, before + int(size.sum()))
    hashed = hashes[span] if isinstance(results.rows, slice) else hashes[results.rows[span]]
    keys = hashed ^ np.repeat(topic_hashes(results.topic[step]), size)
    judged, entry = index.matches(keys)
    twice = _repeated_keys(keys) if _may_repeat(keys, size) else np.zeros(0, np.int64)
    return before + judged, entry, before + twice


def _may_repeat(keys: DocumentKeys, size: Ints) -> bool:
    """Whether two keys of a list share their leading 31 bits: short numbers in short rows sort fast."""
    short = (keys >> np.uint64(33)).astype(np.uint32)
    longest = int(size.max())
    if len(size) * longest > 4 * len(keys):
        return True
    if len(size) * longest == len(keys):
        grid = short.reshape(len(size), longest)
    else:
        past = np.arange(1 << 31, (1 << 31) + longest, dtype=np.uint32)  # larger than all keys, all different
        grid = np.tile(past, (len(size), 1))
        grid[np.arange(longest) < size[:, None]] = short
    grid.sort(axis=1)
    return bool((grid[:, 1:] == grid[:, :-1]).any())


def _repeated_keys(keys: DocumentKeys) -> Ints:
    """The places of keys that occur more than once."""
    ascending = np.sort(keys)
    return np.flatnonzero(np.isin(keys, ascending[1:][ascending[1:] == ascending[:-1]]))


def _copies_among(run: Run, results: OrderedLists, twice: Ints, copies: Copies) -> Ints:
    """The places among `twice` whose document came before in the list, in the run, or in the same turn.

    In a run the turns come in the order of first appearance, each in its own order (the scorer of Dynamic Domain).
    """
    if not len(twice):
        return twice
    row = results.row(twice)
    columns = ("doc", "turn") if copies == "turn" else ("doc",)
    seen = pl.DataFrame({"place": twice, "list": results.list_of(twice)})
    seen = seen.with_columns(run.frame[column].gather(row) for column in columns)
    if copies == "file":
        appears = run.frame.with_row_index("at").select(pl.col("at").min().over("topic", "turn")).to_series()
        seen = seen.with_columns(appears=appears.gather(row)).sort("appears", "place")
    return np.sort(seen.filter(~pl.struct("list", *columns).is_first_distinct())["place"].to_numpy())
