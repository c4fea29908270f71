"""The order of the results of a run, best first. It is decided only here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from irassay.arrays import Bools, Ints, NDArray
from irassay.errors import InputError
from irassay.io.order_settings import Ordering
from irassay.io.trec import Run

SortKeys = NDArray[np.float64 | np.float32]


@dataclass(frozen=True, eq=False)
class OrderedLists:
    """The results of a run as rows of its frame: list by list, each in order."""

    rows: slice | Ints  # [m]; a slice if the file is in order already
    topic: Ints  # [k] the topic of each list
    size: Ints  # [k]
    unknown_topics: tuple[str, ...] = ()  # topics of the run that are not among those given
    precision_sensitive: tuple[int, ...] = ()  # topics ordered differently in single and double precision
    tied_lists: int = 0  # lists with equal scores, which are ordered by document id
    all_tied: bool = False  # all results of every list have the same score

    @property
    def start(self) -> Ints:
        """[k] the start of each list."""
        return np.cumsum(self.size) - self.size

    @property
    def rank(self) -> Ints:
        """[m] the rank of each result in its list, from 0."""
        return np.arange(self.size.sum()) - np.repeat(self.start, self.size)

    def row(self, place: Ints) -> Ints:
        """The rows of the frame at these places."""
        return place if isinstance(self.rows, slice) else self.rows[place]

    def row_indices(self) -> Ints:
        """[m] the rows as a new array."""
        return np.arange(self.size.sum()) if isinstance(self.rows, slice) else self.rows.copy()

    def list_of(self, place: Ints) -> Ints:
        """The list of each of these ascending places."""
        edges = np.searchsorted(place, self.start)
        return np.repeat(np.arange(len(edges)), np.diff(edges, append=len(place)))

    def without(self, place: Ints) -> "OrderedLists":
        """The lists without the results at these places."""
        rows = np.delete(self.row_indices(), place)
        return replace(self, rows=rows, size=self.size - np.bincount(self.list_of(place), minlength=len(self.size)))


def ordered_lists(run: Run, topics: Mapping[str, int], ordering: Ordering) -> OrderedLists:
    """The ordered lists of the run for these topics, which map a name to a number."""
    results = _lists_by_topic(run, topics)
    if "turn" in run.frame.columns:
        return _lists_by_turn(run, results, ordering)
    if ordering.order == "file":
        return results
    key = sort_key(run, ordering)[results.rows]  # [m] ascending
    start = results.start
    inside = np.ones(max(len(key) - 1, 0), dtype=bool)  # [m - 1] the next result is in the same list
    inside[start[1:] - 1] = False
    results, key = _sorted_lists(results, key, inside, stable=ordering.ties == "file")
    if ordering.ties != "file":
        tied = np.flatnonzero((key[1:] == key[:-1]) & inside)
        lists = len(np.unique(results.list_of(tied)))
        all_tied = lists == len(results.size) and len(tied) == np.count_nonzero(inside)
        results = replace(_lists_with_ties_by_id(results, tied, run, ordering), tied_lists=lists, all_tied=all_tied)
    if ordering.order == "rank":
        return results
    return replace(results, precision_sensitive=_precision_sensitive_topics(results, key, inside, run, ordering))


def _lists_by_topic(run: Run, topics: Mapping[str, int]) -> OrderedLists:
    """The rows of each known topic together, in file order."""
    stretches = run.frame["topic"].rle().struct.unnest()  # consecutive lines with the same topic
    size = stretches["len"].to_numpy().astype(np.int64)
    topic = np.array([topics.get(name, -1) for name in stretches["value"]], dtype=np.int64)
    known = topic >= 0
    unknown = tuple(dict.fromkeys(run.turns or stretches["value"].filter(topic < 0)))
    unknown = tuple(name for name in unknown if name not in topics)
    if np.bincount(topic[known]).max(initial=0) > 1:  # a topic is not contiguous
        scattered = np.flatnonzero(np.repeat(known, size))
        code = np.repeat(topic[known], size[known])
        sizes = np.bincount(code)
        small = code.astype(np.min_scalar_type(len(sizes)))  # 16-bit numbers are sorted by radix
        present = np.flatnonzero(sizes)
        return OrderedLists(scattered[np.argsort(small, kind="stable")], present, sizes[present], unknown)
    rows = np.flatnonzero(np.repeat(known, size)) if unknown else slice(None)
    return OrderedLists(rows, topic[known], size[known], unknown)


def _lists_by_turn(run: Run, results: OrderedLists, ordering: Ordering) -> OrderedLists:
    """The lists ordered by turn, then by key; equal results as in the file."""
    rows, one = results.row_indices(), np.repeat(np.arange(len(results.size)), results.size)
    key = np.zeros(len(rows)) if ordering.order == "file" else sort_key(run, ordering)[rows]
    return replace(results, rows=rows[np.lexsort((key, run.frame["turn"].to_numpy()[rows], one))])


def sort_key(run: Run, ordering: Ordering) -> SortKeys:
    """[row] the key that results are sorted by, ascending."""
    if ordering.order == "score":
        score = run.frame["score"].to_numpy()
        return -(score if ordering.score_precision == "double" else _as_single(score))
    column = run.with_column("rank").frame["rank"]
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    if not np.isfinite(rank).all():
        row = int(np.flatnonzero(~np.isfinite(rank))[0])
        raise InputError(f"{run.location_of(row)}: found the rank {column[row]!r}; expected a number.")
    if len(rank) > 1 and not rank.any():
        raise InputError(f"{run.source} has rank 0 on every line, so it cannot be ordered by rank; order it by score.")
    return rank


def _as_single(score: SortKeys) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        return score.astype(np.float32)


def _sorted_lists(results: OrderedLists, key: SortKeys, inside: Bools, stable: bool) -> tuple[OrderedLists, SortKeys]:
    """The lists sorted by key, and the sorted key; lists in order are not touched."""
    falls = np.flatnonzero((key[1:] < key[:-1]) & inside)
    if not len(falls):
        return results, key
    rows, key, start = results.row_indices(), key.copy(), results.start
    for one in np.unique(results.list_of(falls)):
        span = slice(start[one], start[one] + results.size[one])
        order = np.argsort(key[span], kind="stable" if stable else None)
        rows[span], key[span] = rows[span][order], key[span][order]
    return replace(results, rows=rows), key


def _lists_with_ties_by_id(results: OrderedLists, tied: Ints, run: Run, ordering: Ordering) -> OrderedLists:
    """The lists with equal results ordered by document id; `tied` are places whose next result is equal."""
    doc = run.frame["doc"]
    if not len(tied) or _tied_in_order(results, tied, doc, ordering).all():
        return results
    members = np.union1d(tied, tied + 1)
    group = np.cumsum(~np.isin(members - 1, tied))
    rows = results.row_indices()
    equal = pl.DataFrame({"group": group, "doc": doc.gather(rows[members])})
    down = ordering.ties == "docid"
    order = equal.select(pl.arg_sort_by("group", "doc", descending=[False, down], maintain_order=True))
    rows[members] = rows[members[order.to_series().to_numpy()]]
    return replace(results, rows=rows)


def _tied_in_order(results: OrderedLists, place: Ints, doc: pl.Series, ordering: Ordering) -> Bools:
    """Whether the results at these places come before the next ones if they are tied."""
    here, after = results.row(place), results.row(place + 1)
    if ordering.ties == "file":
        return here < after
    first, second = doc.gather(here), doc.gather(after)
    return (first >= second if ordering.ties == "docid" else first <= second).to_numpy()


def _precision_sensitive_topics(
    results: OrderedLists, key: SortKeys, inside: Bools, run: Run, ordering: Ordering
) -> tuple[int, ...]:
    """The topics that are ordered differently in single and double precision."""
    if ordering.score_precision == "single":
        score = run.frame["score"].to_numpy()[results.rows]
        moved = np.flatnonzero((score[1:] > score[:-1]) & inside)
    else:
        coarse = _as_single(key)
        close = np.flatnonzero((coarse[1:] == coarse[:-1]) & (key[1:] != key[:-1]) & inside)
        moved = close[~_tied_in_order(results, close, run.frame["doc"], ordering)] if len(close) else close
    return tuple(results.topic[np.unique(results.list_of(moved))].tolist())
