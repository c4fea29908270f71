"""Metrics: how a name, its parameters, its cutoff and its user model make a score."""

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.metrics.cwl import MAX_FOLLOWED_RANKS, Browsing, Tail, browse, aggregated_gain
from irassay.metrics.declaration import need_message
from irassay.metrics.specification import MetricSpecification
from irassay.metrics.tails import remaining_ranks
from irassay.parallel import Cancelled, check_cancelled
from irassay.rankings.batch import FARTHEST, MetricView, Rankings, TooFarError
from irassay.rankings.gain import threshold_gains
from irassay.rankings.scenarios import best_case, condensed
from irassay.rankings.turns import repeats_counted

MAX_PADDING = 10_000  # places that a cutoff may lie past a list before that is done in closed form

METRICS: dict[str, "Metric"] = {}


class Metric(MetricSpecification):
    """A metric, to be put to work on rankings; `RBP(p=0.95) @ 10` in Python as on the command line."""

    def __reduce__(self) -> tuple[Any, ...]:  # by what it is called, for functions are not pickled
        return _again, (str(self), self.typed_parameters, self.alias)

    def weights(self, r: Rankings) -> Floats:
        """[n, depth] what a gain of 1 at each rank adds to the score of a linear metric, before it is normalised."""
        view, found = self.seen(r), np.zeros((len(r), r.depth))
        if self.is_model:
            each = self.browse(view).worth(self.params["A"])
        else:
            assert self.meaning.weights is not None
            each = self._call(view, self.meaning.weights)
        inside = min(r.depth, each.shape[1])
        found[:, :inside] = each[:, :inside]
        return found

    def seen(self, r: Rankings) -> Rankings:
        """The rankings as this metric sees them: condensed if asked, through its lens, cut to its cutoff."""
        params, meaning = self.params, self.meaning
        missing = self.needs - r.carries - {"pool"}
        if missing:
            raise InputError(f"{self} {need_message(min(missing))}")
        if meaning.counts_repeats:
            r = repeats_counted(r)
        if params["judged_only"]:
            r = condensed(r)
        try:
            r = r.seen(self._lens(params.get("max_grade") or r.max_grade), params.get("max_grade"))
        except InputError as problem:
            raise problem.with_prefix(f"{self}: ") from None
        return r if self.size is None or "turns" in meaning.needs else r.top(self.size)

    def _lens(self, max_grade: float) -> MetricView:
        """How this metric looks at grades."""
        params, meaning = self.params, self.meaning
        gain = params.get("gain", "binary")
        if isinstance(meaning.defaults.get("h"), tuple):
            gain = threshold_gains(params["h"], max_grade)
        if meaning.unit_gain and isinstance(gain, tuple) and max(gain) > 1:
            raise InputError(f"this user model takes gains from 0 to 1; divide the table by {max(gain):g}")
        return MetricView(gain, params.get("rel", 1), params.get("effort"), meaning.raw)

    def score(self, r: Rankings, at_work: "BrowsingCache | None" = None) -> Floats:
        """[n] the score of every ranking; the user model that was last at work on them may be at hand."""
        check_cancelled()
        if not len(r):
            return np.zeros(0)
        view, params = self.seen(r), self.params
        if self.is_model:
            try:
                browsing = self.browse(view) if at_work is None else at_work.browsing(self, view)
                return browsing.score(params["A"], params["beta"])
            except TooFarError as problem:
                raise problem.with_prefix(f"{self}: ") from None
        if self.meaning.kind == "stop_model":
            earned = self.stopping(view) * aggregated_gain(view, params["A"] or "AVG", params["beta"])
            return np.asarray(earned.sum(axis=1))
        result = self._numbers(self._call(view, self.meaning.function))
        if result.shape != (len(r),) or np.isnan(result).any():
            found = "NaN" if np.isnan(result).any() else f"an array of shape {result.shape}"
            where = f"{self} ({self.meaning.source_location})"
            raise InputError(f"{where} must return one number for each of {len(r)} rankings, not {found}")
        return result

    def stopping(self, view: Rankings) -> Floats:
        """[n, depth] L of a stop model, on rankings seen through the metric."""
        L = self._probabilities(view, self._call(view, self.meaning.function), "L")
        if self._may_stray and L.sum(axis=1).max(initial=0.0) > 1 + 1e-9:
            most = L.sum(axis=1).max()
            raise InputError(
                f"{self} ({self.meaning.source_location}): the stops L of a list add up to {most:g}, and may to 1 at most"
            )
        return L

    def browse(self, view: Rankings) -> Browsing:
        """The metric's user model at work on rankings seen through it."""
        params, meaning = self.params, self.meaning
        open_end = params["end"] in ("infinite", "leak") and params["horizon"] is None
        if meaning.endless and params["A"] == "ERG" and open_end:
            raise InputError(f"{self}: this user may never stop, and then has no rate; add end='stop' or end='list'")
        if meaning.sized and self.size is not None and params["end"] != "list":
            if self.size <= MAX_PADDING or meaning.tail is not remaining_ranks:
                view = view.to_depth(self.size)
            elif params["end"] in ("stop", "leak"):
                params["end"] = "infinite"  # it stops at its size by itself

        def continuation(batch: Rankings) -> Floats:
            return self._probabilities(batch, self._call(batch, meaning.function), "C")

        def tail(batch: Rankings) -> Tail | None:
            assert meaning.tail is not None
            return self._call(batch, meaning.tail)

        return browse(view, continuation, tail if meaning.tail else None, self.size, params["end"], params["horizon"])

    def has_no_tail(self, r: Rankings) -> bool:
        """Whether the user model is followed rank by rank for want of a closed form; one list is enough to tell."""
        return self.meaning.tail is None or self._call(self.seen(r), self.meaning.tail) is NotImplemented

    def _call(self, view: Rankings, function: Callable[..., Any]) -> Any:
        params, meaning = self.params, self.meaning
        arguments: dict[str, Any] = {"k": self.size} if meaning.sized else {}
        for key in meaning.own:
            value = params[key]
            by_topic = isinstance(value, str) and value.startswith("@")
            arguments[key] = self._by_topic(view, key, value[1:]) if by_topic else value
        ours = function.__module__.startswith("irassay.")
        try:
            with np.errstate(), nullcontext() if ours else _same_folder():  # what a function sets for itself
                return function(view if ours else view.apart(), **arguments)
        except InputError as problem:
            named = str(problem).startswith(str(self))
            raise problem if named else problem.with_prefix(f"{self}: ") from None
        except (Exception, SystemExit, GeneratorExit) as problem:
            if ours or isinstance(problem, Cancelled):
                raise
            raise InputError(f"{_place(problem, self)}: {self.name}: {type(problem).__name__}: {problem}") from problem

    def _numbers(self, values: Any) -> Floats:
        """What a function returned, if it is real numbers."""
        try:
            array = np.asarray(values.filled(np.nan) if hasattr(values, "filled") else values)  # masked ones
            if array.dtype.kind in "biuf":
                return np.add(array, 0.0, dtype=np.float64) if self._may_stray else array.astype(np.float64, copy=False)
            found = {"c": "complex numbers", "U": "strings", "S": "strings"}.get(array.dtype.kind, "other objects")
        except ValueError:
            found = "lists of different lengths"
        raise InputError(f"{self} ({self.meaning.source_location}) must return real numbers, not {found}")

    def _by_topic(self, view: Rankings, key: str, name: str) -> Floats:
        """[n, 1] the values that a parameter has for the topics, each of which it may have."""
        values = view.topic_value(name)
        for value in np.unique(values).tolist():
            self.meaning.check(key, value)
        return values

    def _probabilities(self, view: Rankings, values: Any, what: str) -> Floats:
        array = self._numbers(values)
        if array.ndim != 2 or array.shape[0] not in (1, len(view)) or array.shape[1] != view.depth:
            wanted = f"[{len(view)}, {view.depth}]"
            where = f"{self} ({self.meaning.source_location})"
            raise InputError(f"{where} must return {what} for each rank, shape {wanted}, not shape {list(array.shape)}")
        if array.size and self._may_stray and not (array.min() >= -1e-12 and array.max() <= 1 + 1e-12):
            worst = "NaN" if np.isnan(array).any() else f"{array.min() if array.min() < 0 else array.max():g}"
            where = f"{self} ({self.meaning.source_location})"
            raise InputError(
                f"{where}: {what} is {worst} somewhere, and a probability lies from 0 to 1; check gains and parameters"
            )
        return array

    @property
    def _may_stray(self) -> bool:
        """Whether C or L may be no probability, as those of a user's own function."""
        return not self.meaning.function.__module__.startswith("irassay.")

    @property
    def reach_of_bounds(self) -> int | None:
        """How many results the bounds look at, whatever follows them; None where there is no such number."""
        return None if self._as_listed else self.reach

    @property
    def _as_listed(self) -> bool:
        """Whether bounds take lists as they are: judging more makes none longer, but a horizon reaches past its end."""
        params = self.params
        return "turns" in self.meaning.needs or (params.get("end") == "list" and not params.get("horizon"))

    def bounds(self, r: Rankings) -> tuple[Floats, Floats]:
        """[n] the score with nothing, and with the top grade, assumed of all that was not judged."""
        params = self.params
        if params["judged_only"]:
            r = condensed(r)
        depth = None if self._as_listed else self.size or params.get("horizon")
        forever = depth is None and self.is_model and not self.meaning.sized and params["end"] in ("infinite", "leak")
        if forever:
            depth = max(MAX_FOLLOWED_RANKS, r.depth)
        if depth is not None and depth > max(FARTHEST, r.depth):
            raise InputError(f"{self}: {TooFarError(depth)}")
        scale = float(params.get("max_grade") or r.max_grade)
        pooled = self._may_stray or bool(self.meaning.needs & {"aspects", "pool"})
        best = best_case(replace(r, max_grade=scale), depth, forever, pooled)
        return self.score(r), self.score(best)


@dataclass(eq=False)
class BrowsingCache:
    """The user model that was last at work on a batch, for the next metric may differ in its aggregation alone."""

    key: tuple[object, ...] = ()
    found: Browsing | None = None

    def browsing(self, metric: Metric, view: Rankings) -> Browsing:
        """The metric's user model at work on rankings seen through it."""
        own = [param for param in metric.given if param[0] not in ("A", "beta")]
        refused = metric.meaning.endless and metric.params["A"] == "ERG"
        key = (view, metric.meaning, metric.cutoff, own, refused)
        if self.found is None or key != self.key:
            self.key, self.found = key, metric.browse(view)
        return self.found


def _again(text: str, typed: tuple[str, ...], alias: str) -> Metric:
    """The metric that was pickled."""
    from irassay.metrics.grammar import parse

    return replace(parse(text), typed_parameters=typed, alias=alias)


_USER_CALLS: list[str] = []  # the working folder, once for each user's function that is running, in any thread
_USER_CALLS_LOCK = Lock()


@contextmanager
def _same_folder() -> Iterator[None]:
    """The working folder is restored after a user's function, because files are named from there.

    It belongs to the process: the folder to restore is the one from before the first of several calls in threads.
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


def _place(problem: BaseException, of: Metric) -> str:
    file = inspect.unwrap(of.meaning.function).__code__.co_filename
    line, trace = 0, problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{file}, line {line}"
