"""Metrics: how a name with parameters and a cutoff scores rankings."""

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.declarations import is_built_in
from irassay.errors import InputError, argument, error_line
from irassay.metrics.cwl import MAX_FOLLOWED_RANKS, Browsing, aggregated_gain, browse
from irassay.metrics.declaration import NEED_MESSAGES
from irassay.metrics.specification import MetricSpecification
from irassay.metrics.tails import remaining_ranks
from irassay.parallel import Cancelled, check_cancelled
from irassay.rankings.batch import MAX_RANK, MetricView, Rankings, TooFarError
from irassay.rankings.gain import threshold_gains
from irassay.rankings.scenarios import best_case, condensed
from irassay.rankings.turns import with_repeats_counted

MAX_PADDING = 10_000  # cutoffs beyond this are handled in closed form instead of padding lists

METRICS: dict[str, "Metric"] = {}


class Metric(MetricSpecification):
    """A metric that scores rankings; `RBP(p=0.95) @ 10` in Python as on the command line."""

    def __reduce__(self) -> tuple[Any, ...]:  # by its string, because its functions cannot be pickled
        return _unpickled, (str(self), self.typed_parameters, self.alias)

    def weights(self, r: Rankings) -> Floats:
        """[n, depth] what a gain of 1 at each rank adds to the score of a linear metric, before it is normalised."""
        view, padded = self.seen(r), np.zeros((len(r), r.depth))
        if self.is_model:
            weights = self.browse(view).gain_weights(self.params["A"])
        else:
            assert self.meaning.weights is not None
            weights = self._call(view, self.meaning.weights)
        inside = min(r.depth, weights.shape[1])
        padded[:, :inside] = weights[:, :inside]
        return padded

    def seen(self, r: Rankings) -> Rankings:
        """The rankings as this metric sees them: condensed if requested, with its gains, cut to its cutoff."""
        params, meaning = self.params, self.meaning
        self.check_carried(r)
        if meaning.counts_repeats:
            r = with_repeats_counted(r)
        if params["judged_only"]:
            r = condensed(r)
        try:
            r = r.seen(self._lens(params.get("max_grade") or r.max_grade), params.get("max_grade"))
        except InputError as problem:
            raise problem.with_prefix(f"{self}: ") from None
        return r if self.size is None or "turns" in meaning.needs else r.top(self.size)

    def check_carried(self, r: Rankings) -> None:
        """Refuses rankings whose inputs lack what the metric needs."""
        if missing := self.needs - r.carries - {"pool"}:
            raise InputError(str(self), *NEED_MESSAGES[need := min(missing)], code=f"needs-{need}")
        if "preferences" in r.carries - self.needs and not self.meaning.of_judging:
            why = f"{self} needs grades, but the judgements are read as preferences"
            raise InputError(why, ". Use prefs_simp, or leave out ", argument("qrels_format"), ".")

    def _lens(self, max_grade: float) -> MetricView:
        """The gain, relevance level and effort with which this metric sees grades."""
        params, meaning = self.params, self.meaning
        gain = params.get("gain", "binary")
        if isinstance(meaning.defaults.get("h"), tuple):
            gain = threshold_gains(params["h"], max_grade)
        if meaning.unit_gain and isinstance(gain, tuple) and max(gain) > 1:
            raise InputError(f"this user model needs gains from 0 to 1; divide the table by {max(gain):g}.")
        return MetricView(gain, params.get("rel", 1), params.get("effort"), meaning.raw)

    def score(self, r: Rankings, cache: "BrowsingCache | None" = None) -> Floats:
        """[n] the score of every ranking; `cache` has the user model that was last applied to them."""
        check_cancelled()
        if not len(r):
            return np.zeros(0)
        view, params = self.seen(r), self.params
        if self.is_model:
            try:
                browsing = self.browse(view) if cache is None else cache.browsing(self, view)
                return browsing.score(params["A"], params["beta"])
            except TooFarError as problem:
                raise problem.with_prefix(f"{self}: ") from None
        if self.meaning.kind == "stop_model":
            earned = self.stopping(view) * aggregated_gain(view, params["A"] or "AVG", params["beta"])
            return np.asarray(earned.sum(axis=1))
        result = self._as_doubles(self._call(view, self.meaning.function))
        if result.shape != (len(r),) or np.isnan(result).any():
            actual = "NaN" if np.isnan(result).any() else f"an array of shape {result.shape}"
            raise InputError(f"{self._where} must return one number for each of {len(r)} rankings; found {actual}.")
        return result

    def stopping(self, view: Rankings) -> Floats:
        """[n, depth] L of a stop model, on rankings seen through the metric."""
        L = self._probabilities(view, self._call(view, self.meaning.function), "L")
        if self._is_users_own and (total := L.sum(axis=1).max(initial=0.0)) > 1 + 1e-9:
            raise InputError(f"{self._where}: the stops L of a list must sum to 1 at most; found {total:g}.")
        return L

    def browse(self, view: Rankings) -> Browsing:
        """The metric's user model applied to rankings as `seen` returns them."""
        params, meaning = self.params, self.meaning
        open_end = params["end"] in ("infinite", "leak") and params["horizon"] is None
        if meaning.endless and params["A"] == "ERG" and open_end:
            raise InputError(
                f"{self}: this user may never stop, so the rate is undefined; add end='stop' or end='list'."
            )
        if meaning.sized and self.size is not None and params["end"] != "list":
            if self.size <= MAX_PADDING or meaning.tail is not remaining_ranks:
                view = view.to_depth(self.size)
            elif params["end"] in ("stop", "leak"):
                params["end"] = "infinite"  # it stops at its size by itself

        def continuation(batch: Rankings) -> Floats:
            return self._probabilities(batch, self._call(batch, meaning.function), "C")

        tail = partial(self._call, function=meaning.tail) if meaning.tail else None
        return browse(view, continuation, tail, self.size, params["end"], params["horizon"])

    def has_no_tail(self, r: Rankings) -> bool:
        """Whether the user model has no closed form and is followed rank by rank; one list is enough to tell."""
        return self.meaning.tail is None or self._call(self.seen(r), self.meaning.tail) is NotImplemented

    def _call(self, view: Rankings, function: Callable[..., Any]) -> Any:
        params, meaning = self.params, self.meaning
        arguments: dict[str, Any] = {"k": self.size} if meaning.sized else {}
        for key in meaning.own:
            value = params[key]
            by_topic = isinstance(value, str) and value.startswith("@")
            arguments[key] = self._by_topic(view, key, value[1:]) if by_topic else value
        ours = is_built_in(function)
        try:
            with np.errstate(), nullcontext() if ours else _restored_folder():  # a function may change it for itself
                return function(view if ours else view.isolated_copy(), **arguments)
        except InputError as problem:
            is_named = str(problem).startswith(str(self))
            raise problem if is_named else problem.with_prefix(f"{self}: ") from None
        except (Exception, SystemExit, GeneratorExit) as problem:
            if ours or isinstance(problem, Cancelled):
                raise
            file = inspect.unwrap(meaning.function).__code__.co_filename
            where = f"{file}, line {error_line(problem, file)}"
            raise InputError(f"{where}: {self.name}: {type(problem).__name__}: {problem}") from problem

    def _as_doubles(self, values: Any) -> Floats:
        """What a function returned, as doubles; InputError if it is not real numbers."""
        try:
            array = np.asarray(values.filled(np.nan) if hasattr(values, "filled") else values)  # masked ones
            if array.dtype.kind in "biuf":
                return (
                    np.add(array, 0.0, dtype=np.float64) if self._is_users_own else array.astype(np.float64, copy=False)
                )
            actual = {"c": "complex numbers", "U": "strings", "S": "strings"}.get(array.dtype.kind, "other objects")
        except ValueError:
            actual = "lists of different lengths"
        raise InputError(f"{self._where} must return real numbers; found {actual}.")

    def _by_topic(self, view: Rankings, key: str, name: str) -> Floats:
        """[n, 1] the values of a parameter by topic, each checked."""
        values = view.topic_value(name)
        for value in np.unique(values).tolist():
            self.meaning.check(key, value)
        return values

    def _probabilities(self, view: Rankings, values: Any, curve: str) -> Floats:
        array = self._as_doubles(values)
        if array.ndim != 2 or array.shape[0] not in (1, len(view)) or array.shape[1] != view.depth:
            expected = f"{curve} for each rank, shape [{len(view)}, {view.depth}]"
            raise InputError(f"{self._where} must return {expected}; found shape {list(array.shape)}.")
        if array.size and self._is_users_own and not (array.min() >= -1e-12 and array.max() <= 1 + 1e-12):
            worst = "NaN" if np.isnan(array).any() else f"{array.min() if array.min() < 0 else array.max():g}"
            raise InputError(f"{self._where}: {curve} must be from 0 to 1; found {worst}. Check gains and parameters.")
        return array

    @property
    def _where(self) -> str:
        """The metric and the place of its function, for messages."""
        return f"{self} ({self.meaning.source_location})"

    @property
    def _is_users_own(self) -> bool:
        """Whether the function is a user's, so that C or L may not be a probability."""
        return not is_built_in(self.meaning.function)

    @property
    def reach_of_bounds(self) -> int | None:
        """The number of results that the bounds can depend on; None if it has no limit."""
        return None if self._as_listed else self.reach

    @property
    def _as_listed(self) -> bool:
        """Whether bounds take lists as they are, and nothing past their ends; a horizon reaches past the end."""
        params = self.params
        return "turns" in self.meaning.needs or (params.get("end") == "list" and not params.get("horizon"))

    def bounds(self, r: Rankings) -> tuple[Floats, Floats]:
        """[n] the score with unjudged documents not relevant, and with the top grade."""
        params = self.params
        if params["judged_only"]:
            r = condensed(r)
        depth, forever = self._filled_depth, self._fills_for_ever
        if forever:
            depth = max(MAX_FOLLOWED_RANKS, r.depth)
        if depth is not None and depth > max(MAX_RANK, r.depth):
            raise InputError(f"{self}: {TooFarError(depth)}")
        scale = float(params.get("max_grade") or r.max_grade)
        pooled = self._is_users_own or bool(self.meaning.needs & {"aspects", "pool"})
        best = best_case(replace(r, max_grade=scale), depth, forever, pooled)
        return self.score(r), self.score(best)

    @property
    def _filled_depth(self) -> int | None:
        """The rank up to which the best case has the top grade, even past the list; None if only in the list."""
        return None if self._as_listed else self.size or self.params.get("horizon")

    @property
    def _fills_for_ever(self) -> bool:
        """Whether the best case has the top grade at all ranks past the list."""
        if self._as_listed or self._filled_depth is not None or self.meaning.sized or not self.is_model:
            return False
        return self.params["end"] in ("infinite", "leak")

    @property
    def is_best_if_perfect(self) -> bool:
        """Whether the best score of a topic that a run does not answer is that of a perfect list."""
        return np.isfinite(self.range[0]) and "pool" in self.needs and not self.needs & {"aspects", "turns", "passages"}

    def best_unanswered(self, r: Rankings, filled: Floats) -> Floats:
        """[n] the best score of topics that a run does not answer; NaN if there is no limit.

        For a metric that counts the topic's relevant documents it is that of a perfect list. For others it is the
        score of the top grade at every rank up to the cutoff, which is `filled`, the upper bound of an empty list;
        without a cutoff, the largest possible score.
        """
        low, high = self.range
        if np.isinf(low):
            return np.full(len(r), np.nan)
        if self.is_best_if_perfect:
            gain = self.seen(r).ideal.gain
            perfect = replace(r.ideal, retrieved=(gain > 0).sum(axis=1), carries=r.carries)
            perfect = perfect.top(int(perfect.retrieved.max(initial=0)))
            judged = perfect.judged & perfect.inside
            return self.score(replace(perfect, grade=perfect.grade * judged, judged=judged))[r.topic]
        if self._filled_depth is not None or self._fills_for_ever:
            return self.bounds(r)[1] if "turns" in r.carries else filled  # sessions have a score for each query
        return np.full(len(r), high if np.isfinite(high) else np.nan)


@dataclass(eq=False)
class BrowsingCache:
    """The user model that was last applied to a batch, because the next metric may differ only in its aggregation."""

    key: tuple[object, ...] = ()
    last: Browsing | None = None

    def browsing(self, metric: Metric, view: Rankings) -> Browsing:
        """The metric's user model applied to rankings as `Metric.seen` returns them."""
        own = [param for param in metric.given if param[0] not in ("A", "beta")]
        refused = metric.meaning.endless and metric.params["A"] == "ERG"
        key = (view, metric.meaning, metric.cutoff, own, refused)
        if self.last is None or key != self.key:
            self.key, self.last = key, metric.browse(view)
        return self.last


def _unpickled(text: str, typed_parameters: tuple[str, ...], alias: str) -> Metric:
    from irassay.metrics.grammar import parse

    return replace(parse(text), typed_parameters=typed_parameters, alias=alias)


_USER_CALLS: list[str] = []  # the working folder, once per running call of a user's function
_USER_CALLS_LOCK = Lock()


@contextmanager
def _restored_folder() -> Iterator[None]:
    """Restores the working folder after a user's function, because relative paths start there.

    It belongs to the process, so the folder to restore is the one from before the first of several calls in threads.
    """
    with _USER_CALLS_LOCK:
        _USER_CALLS.append(_USER_CALLS[0] if _USER_CALLS else os.getcwd())
    try:
        yield
    finally:
        with _USER_CALLS_LOCK:
            folder = _USER_CALLS.pop()
            if os.getcwd() != folder:
                os.chdir(folder)
