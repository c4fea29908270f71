"""Rankings: a batch of judged result lists."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from irassay.argument_types import checked_argument
from irassay.arrays import Bools, Floats, Ints, NDArray, as_numbers, deep_copy, freeze, read_only
from irassay.errors import InputError, argument
from irassay.rankings.effort import EffortMap, costs
from irassay.rankings.gain import GainMap, gains
from irassay.rankings.passages import NO_PASSAGES, Passages
from irassay.rankings.pool import NO_POOL, Pool, one_aspect_pool

MAX_RANK = 1_000_000  # the last rank considered past the end of a list
BY_ROW = ("retrieved", "topic", "turns")  # arrays [n]
SHARED = ("cost", "words", "turn")  # arrays [n|1, depth]
BY_RANK = ("grade", "judged", "aspects", *SHARED)  # arrays [n, depth, …]


class TooFarError(InputError):
    """A cutoff or horizon so far past the list that following it would need far more memory than the data."""

    def __init__(self, depth: int) -> None:
        super().__init__(f"Ranks past the list are followed up to {MAX_RANK:,}, not {depth:,}. Lower the number.")


@dataclass(frozen=True)
class MetricView:
    """How a metric reads grades: their gains, the lowest relevant grade, and their costs."""

    gain: GainMap = "linear"
    rel: float = 1
    effort: EffortMap = None
    raw: bool = False


@dataclass(frozen=True, eq=False)
class Rankings:
    """n result lists of at most `depth` results each. Past its end a row has grade 0 and is not judged."""

    grade: Floats  # [n, depth] grades as judged; 0 where unjudged
    judged: Bools  # [n, depth] whether the document was judged
    retrieved: Ints  # [n] the number of results in the list
    topic: Ints  # [n] the topic's row in the pool
    pool: Pool  # all judged documents of every topic
    max_grade: float  # top of the judging scale
    cost: Floats  # [n|1, depth] the cost of examining each result
    past_cost: float  # the cost of each rank past the list
    words: Floats  # [n|1, depth] document lengths; NaN where unknown
    past_words: float  # the length at each rank past the list
    turn: Ints  # [n|1, depth] the query or iteration of a session, from 1
    turns: Ints  # [n] the number of queries or iterations, empty ones too
    aspects: NDArray[np.int8 | np.float64]  # [n, depth, a] grades by aspect
    carries: frozenset[str] = frozenset()  # what the inputs have: aspects, turns, lengths, passages, weights, costs
    topic_values: Mapping[str, Floats] = field(default_factory=dict)  # [t] by name: values of parameters by topic
    metric_view: MetricView = MetricView()  # how the metric reads grades
    past_grade: float = 0.0  # the grade at each rank past the batch; above 0 only in the best case
    passages: Passages = NO_PASSAGES  # where results are among documents judged by passage

    def __post_init__(self) -> None:
        freeze(self)

    @classmethod
    def of(
        cls,
        grades: Sequence[Any] | Floats,
        best: Sequence[Any] | Floats | None = None,
        max_grade: float | None = None,
        judged: Any = None,
    ) -> "Rankings":
        """Rankings from grades in rank order, one list or several of one length; `best` is the judged pool.

        >>> r = Rankings.of([0, 2, 1], best=[2, 1, 1])
        >>> r.gain, r.relevant_known
        (array([[0. , 1. , 0.5]]), array([3]))
        """
        grade = _number_lists("grades", grades)
        pooled = np.sort(grade, axis=1)[:, ::-1] if best is None else _number_lists("best", best)
        if len(pooled) not in (1, len(grade)):
            raise InputError(f"best must be one list, or {len(grade)} lists like grades; found {len(pooled)}.")
        pooled = np.broadcast_to(pooled, (len(grade), pooled.shape[1]))
        largest = max(grade.max(initial=0), pooled.max(initial=0), 1)
        top = checked_argument("max_grade", float, largest if max_grade is None else max_grade)
        n, depth = grade.shape
        listed = np.ones_like(grade, dtype=bool) if judged is None else _number_lists("judged", judged).astype(bool)
        if listed.shape != grade.shape:
            raise InputError(f"judged must have the shape of grades, {grade.shape}; found {listed.shape}.")
        pool = one_aspect_pool(pooled, np.full(n, pooled.shape[1]))
        return cls(
            grade=grade,
            judged=listed,
            retrieved=np.full(n, depth),
            topic=np.arange(n),
            pool=pool,
            max_grade=float(top),
            **plain_arrays(n, depth),
            aspects=grade[:, :, None],
        )

    def __len__(self) -> int:
        return self.grade.shape[0]

    @property
    def depth(self) -> int:
        """Columns of the batch: the length of its longest list."""
        return self.grade.shape[1]

    @cached_property
    def rank(self) -> Floats:
        """[1, depth] 1, 2, 3, …"""
        return read_only(np.arange(1, self.depth + 1, dtype=np.float64)[None, :])

    @cached_property
    def inside(self) -> Bools:
        """[n, depth] true within the list, false past its end."""
        return read_only(self.rank <= self.retrieved[:, None])

    @cached_property
    def gain(self) -> Floats:
        """[n, depth] the gain of each result for the current metric."""
        gain = self._gains(self.grade)
        if isinstance(self.metric_view.gain, tuple) and self.metric_view.gain[0] != 0:
            gain = gain * self.inside
        return read_only(gain)

    @cached_property
    def past_gain(self) -> float:
        """The gain of each rank past the batch: 0, except in the best case."""
        return float(self._gains(np.array([self.past_grade]))[0]) if self.past_grade > 0 else 0.0

    def _gains(self, grade: Floats) -> Floats:
        view = self.metric_view
        return gains(grade, view.gain, self.max_grade, view.rel, view.raw)

    @cached_property
    def relevant(self) -> Bools:
        """[n, depth] whether the grade is relevant for the metric."""
        return read_only((self.grade >= self.metric_view.rel) & self.judged)

    @cached_property
    def total_gain(self) -> Floats:
        """[n, depth] gain of the results up to and including each rank."""
        return read_only(self.gain.cumsum(axis=1))

    @cached_property
    def best_gain(self) -> Floats:
        """[n, depth] the largest gain up to and including each rank."""
        return read_only(np.maximum.accumulate(self.gain, axis=1))

    @cached_property
    def total_cost(self) -> Floats:
        """[n|1, depth] cost of the results up to and including each rank."""
        return read_only(self.cost.cumsum(axis=1))

    @cached_property
    def relevant_known(self) -> Ints:
        """[n] relevant documents of the topic, retrieved or not."""
        pool, rel = self.pool, self.metric_view.rel
        known: Ints = pool.once(("R", rel), lambda: ((pool.grade >= rel) & pool.listed).sum(axis=1))
        return known[self.topic]

    def seen(self, metric_view: MetricView, max_grade: float | None = None) -> "Rankings":
        """The same lists with a metric's gain, level of relevance and effort."""
        top = float(self.max_grade if max_grade is None else max_grade)
        if metric_view == self.metric_view and top == self.max_grade:
            return self
        views: dict[tuple[MetricView, float], Rankings] = self.__dict__.setdefault("_views", {})
        if (metric_view, top) not in views:
            views[metric_view, top] = self._seen(metric_view, top)
        return views[metric_view, top]

    def _seen(self, metric_view: MetricView, top: float) -> "Rankings":
        view = replace(self, metric_view=metric_view, max_grade=top)
        if top != self.max_grade and (largest := max(self.grade.max(initial=0), self.pool.top)) > top:
            grade = argument("max_grade", top)
            found = f" is too low: the judgements have a grade {largest:g}. Raise it."
            raise InputError(grade, found, code="grade-above-scale")
        if metric_view.gain == "exp" and not self.pool.has_whole_grades:
            raise InputError("gain='exp' needs whole grades, but some grades have fractions. Use 'linear' or 'binary'.")
        if metric_view.effort == "words":
            return replace(view, cost=self.known_words(), past_cost=self.past_words)
        if metric_view.effort is not None:
            past = np.array([self.past_grade])
            cost = costs(self.grade, metric_view.effort, top)
            return replace(view, cost=cost, past_cost=float(costs(past, metric_view.effort, top)[0]))
        return view

    def known_words(self) -> Floats:
        """[n|1, depth] document lengths; an error if a retrieved document has none."""
        if "lengths" not in self.carries:
            found, lengths = "Document lengths are needed", argument("lengths", metavar="FILE")
            raise InputError(found, "; give them with ", lengths, " (document, words).", argument=lengths, found=found)
        if unknown := int((np.isnan(self.words) & self.inside).sum()):
            raise InputError(f"{unknown} retrieved documents have no length in the lengths file. Add them.")
        return self.words

    @property
    def ideal(self) -> "Rankings":
        """[t, p] every topic's judged documents, best grade first, as one list each; rows follow the pool."""
        return self.pool.once(("ideal", self.metric_view, self.max_grade), self._ideal)

    def _ideal(self) -> "Rankings":
        listed = self.pool.listed
        order = np.argsort(np.where(listed, -self.pool.grade, np.inf), axis=1, kind="stable")
        grade = np.take_along_axis(np.where(listed, self.pool.grade, 0.0), order, axis=1)
        t, p = grade.shape
        ideal = Rankings(
            grade=grade,
            judged=np.take_along_axis(listed, order, axis=1),
            retrieved=self.pool.size,
            topic=np.arange(t),
            pool=self.pool,
            max_grade=self.max_grade,
            **plain_arrays(t, p),
            aspects=np.take_along_axis(self.pool.aspects, order[:, :, None], axis=1),
            topic_values=self.topic_values,
        )
        return ideal.seen(self.metric_view)

    def at_best(self, key: Hashable, score: Callable[["Rankings"], Floats]) -> Floats:
        """[n] the score of each row's ideal list, computed once per topic for each `key`."""
        key = ("at best", key, self.metric_view, self.max_grade)
        best: Floats = self.pool.once(key, lambda: score(self.ideal))
        return best[self.topic]

    def isolated_copy(self) -> "Rankings":
        """A copy for user code, which cannot change what built-in metrics see; user metrics share one copied pool."""
        pool: Pool = self.pool.once("isolated copy", lambda: deep_copy(self.pool))
        return replace(deep_copy(replace(self, pool=NO_POOL)), pool=pool)

    def topic_value(self, name: str) -> Floats:
        """[n, 1] the value of a parameter given by topic, for each row's topic."""
        if name not in self.topic_values:
            columns = ", ".join(sorted(self.topic_values)) or "none"
            file = argument("topic_params")
            raise InputError(f"'@{name}' is not a column of ", file, f" (its columns: {columns}).", argument=file)
        return self.topic_values[name][self.topic][:, None]

    def __getitem__(self, rows: slice | Ints) -> "Rankings":
        arrays = {name: array if len(array) == 1 else array[rows] for name, array in self._arrays(SHARED)}
        arrays |= {name: array[rows] for name, array in self._arrays((*BY_ROW, "grade", "judged", "aspects"))}
        return replace(self, **arrays, passages=self.passages[rows])

    def top(self, k: int) -> "Rankings":
        """The lists cut after k results."""
        if k >= self.depth:
            return self
        arrays = {name: array[:, :k] for name, array in self._arrays(BY_RANK)}
        return replace(self, **arrays, retrieved=np.minimum(self.retrieved, k), passages=self.passages.top(k))

    def to_depth(self, depth: int) -> "Rankings":
        """The batch widened with ranks past the lists."""
        if depth <= self.depth:
            return self
        if depth > MAX_RANK:
            raise TooFarError(depth)

        def wide(array: Any, value: Any) -> Any:
            shape = (len(array), depth, *array.shape[2:])  # np.pad takes several times as long
            result = np.full(shape, value, array.dtype, "F" if array.flags.fnc else "C")
            result[:, : self.depth] = array
            return result

        past = {"cost": self.past_cost, "words": self.past_words, "turn": 1}
        arrays = {name: wide(array, past.get(name, 0)) for name, array in self._arrays(BY_RANK)}
        if self.depth:
            arrays["turn"][:, self.depth :] = self.turn[:, -1:]
        return replace(self, **arrays, passages=self.passages.to_depth(depth))

    def _arrays(self, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in names)


def _number_lists(name: str, values: Any) -> Floats:
    """[n, depth] a user's lists as finite numbers."""
    lists = np.atleast_2d(as_numbers(values, f"{name} must be numbers, one list or several of the same length"))
    if lists.ndim > 2 or not np.isfinite(lists).all():
        raise InputError(f"{name} must be finite numbers, one list or several of the same length.")
    return lists


def stacked_batches(parts: Sequence[Rankings]) -> Rankings:
    """Several batches over one pool as one, as wide as the widest, the lists of the first batch first."""
    depth = max(part.depth for part in parts)
    wide = [part.to_depth(depth) for part in parts]

    def joined(name: str) -> Any:
        arrays = [getattr(part, name) for part in wide]
        if name in SHARED:
            if all(len(array) == 1 for array in arrays):
                return arrays[0]
            arrays = [np.broadcast_to(array, (len(part), depth)) for array, part in zip(arrays, wide, strict=True)]
        return np.concatenate(arrays)

    passages = wide[0].passages.followed_by([part.passages for part in wide[1:]])
    return replace(wide[0], **{name: joined(name) for name in (*BY_ROW, *BY_RANK)}, passages=passages)


def plain_arrays(n: int, depth: int) -> dict[str, Any]:
    """The arrays of a plain ad hoc batch: unit costs, one turn, unknown lengths."""
    return {
        "cost": np.ones((1, depth)),
        "past_cost": 1.0,
        "words": np.full((1, depth), np.nan),
        "past_words": np.nan,
        "turn": np.ones((1, depth), dtype=np.int64),
        "turns": np.ones(n, dtype=np.int64),
    }
