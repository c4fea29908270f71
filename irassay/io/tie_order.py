"""The order of a run: which results answer a topic, best first. It is decided here and nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from irassay.arrays import Bools, Ints, NDArray
from irassay.errors import InputError
from irassay.io.order_settings import Ordering
from irassay.io.trec import Run

Scores = NDArray[np.float64 | np.float32]


@dataclass(frozen=True, eq=False)
class OrderedLists:
    """A run's results, list after list and each in order, as rows of its frame."""

    rows: slice | Ints  # [m]; a slice where the file has them in order already
    topic: Ints  # [k] each list's topic
    size: Ints  # [k]
    unknown_topics: tuple[str, ...] = ()  # topics of the run that were not asked for
    precision_sensitive: tuple[int, ...] = ()  # topics that single and double precision put in different orders
    tied_lists: int = 0  # lists in which results have equal scores, ordered by document id

    @property
    def start(self) -> Ints:
        """[k] where each list begins."""
        return np.cumsum(self.size) - self.size

    def row(self, place: Ints) -> Ints:
        """The rows of the frame that lie at some places."""
        return place if isinstance(self.rows, slice) else self.rows[place]

    def row_indices(self) -> Ints:
        """[m] the rows, as an array of its own."""
        return np.arange(self.size.sum()) if isinstance(self.rows, slice) else self.rows.copy()

    def list_of(self, place: Ints) -> Ints:
        """The list that each of some ascending places belongs to."""
        edges = np.searchsorted(place, self.start)
        return np.repeat(np.arange(len(edges)), np.diff(edges, append=len(place)))

    def without(self, place: Ints) -> "OrderedLists":
        """The lists with the results at some places left out."""
        rows = np.delete(self.row_indices(), place)
        return replace(self, rows=rows, size=self.size - np.bincount(self.list_of(place), minlength=len(self.size)))


def ordered_lists(run: Run, topics: Mapping[str, int], how: Ordering) -> OrderedLists:
    """The run's lists for the topics given, which map a name to a number."""
    found = _lists_by_topic(run, topics)
    if "turn" in run.frame.columns:
        return _lists_by_turn(run, found, how)
    if how.order == "file":
        return found
    key = _sort_key(run, how)[found.rows]  # [m] ascending
    start = found.start
    inside = np.ones(max(len(key) - 1, 0), dtype=bool)  # [m - 1] the next result is of the same list
    inside[start[1:] - 1] = False
    found, key = _sorted_lists(found, key, inside, stable=how.ties == "file")
    if how.ties != "file":
        tied = np.flatnonzero((key[1:] == key[:-1]) & inside)
        found = replace(_lists_with_ties_by_id(found, tied, run, how), tied_lists=len(np.unique(found.list_of(tied))))
    if how.order == "rank":
        return found
    return replace(found, precision_sensitive=_precision_sensitive_topics(found, key, inside, run, how))


def _lists_by_topic(run: Run, topics: Mapping[str, int]) -> OrderedLists:
    """The rows of each known topic together, in file order."""
    stretches = run.frame["topic"].rle().struct.unnest()  # lines in a row that have one topic
    size = stretches["len"].to_numpy().astype(np.int64)
    topic = np.array([topics.get(name, -1) for name in stretches["value"]], dtype=np.int64)
    known = topic >= 0
    unknown = tuple(dict.fromkeys(run.turns or stretches["value"].filter(topic < 0)))
    unknown = tuple(name for name in unknown if name not in topics)
    if np.bincount(topic[known]).max(initial=0) > 1:  # a topic comes back after another one
        scattered = np.flatnonzero(np.repeat(known, size))
        code = np.repeat(topic[known], size[known])
        sizes = np.bincount(code)
        small = code.astype(np.min_scalar_type(len(sizes)))  # numbers of 16 bits are sorted by radix
        present = np.flatnonzero(sizes)
        return OrderedLists(scattered[np.argsort(small, kind="stable")], present, sizes[present], unknown)
    rows = np.flatnonzero(np.repeat(known, size)) if unknown else slice(None)
    return OrderedLists(rows, topic[known], size[known], unknown)


def _lists_by_turn(run: Run, found: OrderedLists, how: Ordering) -> OrderedLists:
    """The lists turn after turn; within a turn by key, equal results as in the file."""
    rows, one = found.row_indices(), np.repeat(np.arange(len(found.size)), found.size)
    key = np.zeros(len(rows)) if how.order == "file" else _sort_key(run, how)[rows]
    return replace(found, rows=rows[np.lexsort((key, run.frame["turn"].to_numpy()[rows], one))])


def _sort_key(run: Run, how: Ordering) -> Scores:
    """[row] what results are sorted by, ascending."""
    if how.order == "score":
        score = run.frame["score"].to_numpy()
        return -(score if how.score_precision == "double" else _as_single(score))
    column = run.with_column("rank").frame["rank"]
    rank = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    if not np.isfinite(rank).all():
        row = int(np.flatnonzero(~np.isfinite(rank))[0])
        raise InputError(f"{run.location_of(row)}: found the rank {column[row]!r}, expected a number")
    if len(rank) > 1 and not rank.any():
        raise InputError(f"{run.source} has rank 0 on every line, so it cannot be ordered by rank; order by score")
    return rank


def _as_single(score: Scores) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        return score.astype(np.float32)


def _sorted_lists(found: OrderedLists, key: Scores, inside: Bools, stable: bool) -> tuple[OrderedLists, Scores]:
    """The lists sorted by key, and the sorted key; only lists out of order are touched."""
    falls = np.flatnonzero((key[1:] < key[:-1]) & inside)
    if not len(falls):
        return found, key
    rows, key, start = found.row_indices(), key.copy(), found.start
    for one in np.unique(found.list_of(falls)):
        span = slice(start[one], start[one] + found.size[one])
        order = np.argsort(key[span], kind="stable" if stable else None)
        rows[span], key[span] = rows[span][order], key[span][order]
    return replace(found, rows=rows), key


def _lists_with_ties_by_id(found: OrderedLists, tied: Ints, run: Run, how: Ordering) -> OrderedLists:
    """The lists with equal results ordered by document id; `tied` are the places whose next one is equal."""
    doc = run.frame["doc"]
    if not len(tied) or _tied_in_order(found, tied, doc, how).all():
        return found
    members = np.union1d(tied, tied + 1)
    group = np.cumsum(~np.isin(members - 1, tied))
    rows = found.row_indices()
    equal = pl.DataFrame({"group": group, "doc": doc.gather(rows[members])})
    down = how.ties == "docid"
    order = equal.select(pl.arg_sort_by("group", "doc", descending=[False, down], maintain_order=True))
    rows[members] = rows[members[order.to_series().to_numpy()]]
    return replace(found, rows=rows)


def _tied_in_order(found: OrderedLists, place: Ints, doc: pl.Series, how: Ordering) -> Bools:
    """Whether the results at some places may, if equal to the next ones, stand before them."""
    here, after = found.row(place), found.row(place + 1)
    if how.ties == "file":
        return here < after
    first, second = doc.gather(here), doc.gather(after)
    return (first >= second if how.ties == "docid" else first <= second).to_numpy()


def _precision_sensitive_topics(
    found: OrderedLists, key: Scores, inside: Bools, run: Run, how: Ordering
) -> tuple[int, ...]:
    """The topics that single and double precision put in different orders."""
    if how.score_precision == "single":
        score = run.frame["score"].to_numpy()[found.rows]
        moved = np.flatnonzero((score[1:] > score[:-1]) & inside)
    else:
        coarse = _as_single(key)
        close = np.flatnonzero((coarse[1:] == coarse[:-1]) & (key[1:] != key[:-1]) & inside)
        moved = close[~_tied_in_order(found, close, run.frame["doc"], how)] if len(close) else close
    return tuple(found.topic[np.unique(found.list_of(moved))].tolist())
