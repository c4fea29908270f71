"""Metrics: how a name, its parameters, its cutoff and its user model make a score."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.metrics.cwl import FOLLOWED, Browsing, Tail, browse, taken_away
from irassay.metrics.declaration import Declaration, need
from irassay.metrics.tails import rest
from irassay.rankings.batch import FARTHEST, MetricView, Rankings, TooFarError
from irassay.rankings.gain import compact, threshold_gains
from irassay.rankings.scenarios import best_case, condensed
from irassay.rankings.turns import PAGE, repeats_counted

LAST = 1_000_000_000  # cutoff there is
FAR = 10_000  # places that a cutoff may lie past a list before that is done in closed form

METRICS: dict[str, "Metric"] = {}


@dataclass(frozen=True)
class Metric:
    """A name with its parameters and cutoff; `RBP(p=0.95) @ 10` in Python as on the command line."""

    __metric__: ClassVar[bool] = True  # it is saved by what it is called

    declaration: Declaration = field(compare=False, repr=False)
    name: str
    given: tuple[tuple[str, Any], ...] = ()  # parameters that differ from the default, in signature order
    cutoff: int | None = None
    typed: tuple[str, ...] = field(default=(), compare=False, repr=False)  # parameters given the value they have anyway
    alias: str = field(default="", compare=False, repr=False)  # what people are shown instead

    def __post_init__(self) -> None:
        twice = self.declaration.cutoff_is
        if self.cutoff is not None and twice and twice in {*self.typed, *dict(self.given)}:
            raise InputError(f"{self.label} gives {twice} twice, for the cutoff is {twice}; write one of the two")

    def __call__(self, *cutoff: Any, **params: Any) -> "Metric":
        """The same metric with other parameters, each of which is named."""
        if cutoff:
            name = self.name
            raise InputError(f"parameters of {name} are named, as in {name}(key=value); a cutoff is {name} @ 10")
        asked = dict(self.given) | {key: _tuples(value) for key, value in params.items()}
        meaning = (self.declaration.with_A if asked.get("A") else None) or self.declaration
        for key in params.keys() & meaning.implies.keys():
            asked = {other: v for other, v in meaning.implies[key].items() if other not in self.typed} | asked
        asked = {key: meaning.spelled(key, value) for key, value in asked.items()}
        for key, value in asked.items():
            meaning.check(key, value)
        values = {key: _like(asked[key], default) for key, default in meaning.defaults.items() if key in asked}
        given = tuple((key, value) for key, value in values.items() if value != meaning.defaults[key])
        named = {*self.typed, *params} - {key for key, _ in given}
        return replace(self, given=given, typed=tuple(key for key in meaning.defaults if key in named))

    def called(self, alias: str) -> "Metric":
        """The same metric under another name for people; machines still get its own."""
        return replace(self, alias=alias)

    def __matmul__(self, cutoff: int) -> "Metric":
        if isinstance(cutoff, bool) or not isinstance(cutoff, int) or cutoff < 1:
            raise InputError(f"{self.name}@{cutoff}: the cutoff must be a whole number above 0")
        if cutoff > LAST:
            raise InputError(f"{self.name}: the cutoff has {len(str(cutoff))} digits; it may be up to {LAST:,}")
        return replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return self._spelled(self._said(dict(self.given)))

    @property
    def label(self) -> str:
        """What people are shown: the alias, or the metric with every parameter that was typed."""
        return self.alias or self._spelled(self.told)

    @property
    def told(self) -> dict[str, Any]:
        """The parameters that differ from the default or were typed, in signature order."""
        return self._said({*self.typed, *dict(self.given)})

    def _said(self, keys: Collection[str]) -> dict[str, Any]:
        """Parameters by name, in signature order, with those that naming one of them would otherwise change."""
        said = {*keys, *(other for key in keys for other in self.meaning.implies.get(key, ()))}
        params = self.params
        return {key: params[key] for key in self.meaning.defaults if key in said}

    def _spelled(self, params: dict[str, Any]) -> str:
        inner = ",".join(f"{key}={compact(value)}" for key, value in params.items())
        return self.name + (f"({inner})" if inner else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @cached_property
    def meaning(self) -> Declaration:
        """The definition in force: another one where A is asked for and the metric has a reading for that."""
        return (self.declaration.with_A if dict(self.given).get("A") else None) or self.declaration

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter with the value it has."""
        return dict(self.meaning.defaults) | dict(self.given)

    @property
    def size(self) -> int | None:
        """The cutoff in results: five for each iteration, where it counts iterations."""
        return PAGE * self.cutoff if self.cutoff and self.params.get("unit") == "iteration" else self.cutoff

    @property
    def reach(self) -> int | None:
        """How many results are looked at, whatever follows them; None where there is no such number."""
        params, meaning = self.params, self.meaning
        further = params["judged_only"] or params.get("effort") == "words"
        return None if further or meaning.needs - {"aspects", "pool"} else self.size

    @property
    def is_model(self) -> bool:
        """Whether the metric is a user model, with C, W and L."""
        return self.meaning.kind == "user_model"

    @property
    def monotone(self) -> bool:
        """Whether a better grade anywhere, all else fixed, is declared never to lower the score."""
        params = self.params
        gain = params.get("gain")
        if params.get("effort") is not None or (isinstance(gain, tuple) and list(gain) != sorted(gain)):
            return False
        if self.meaning.monotone_if is not None and not self.meaning.monotone_if(params):
            return False
        unsaid = {"metric": "", "stop_model": "AVG"}.get(self.meaning.kind, "")
        return (params.get("A") or unsaid) in self.meaning.monotone

    def bounded(self, costs: bool = False) -> bool:
        """Whether the two scenarios of `bounds` hold the score, whatever the missing judgements would say.

        Not of lists from which unjudged results are left out, for judged they would come back. With `costs` of results,
        places past the list are charged the dearest, so that models which count costs are not held: results there may
        be cheaper.
        """
        if self.params.get("judged_only") or "pool" in self.meaning.needs:
            return False
        return self.monotone and not (costs and self.meaning.kind != "metric")

    @property
    def linear(self) -> bool:
        """Whether the score is declared to be a sum of gains, each times a weight by rank that depends on no gain.

        Of a metric that is `normalised` that holds as long as the topic's relevant documents stay the same.
        """
        params, meaning = self.params, self.meaning
        if params.get("effort") is not None or params["judged_only"] or params.get("unit") == "iteration":
            return False
        if meaning.linear_if is not None and not meaning.linear_if(params):
            return False
        return meaning.weights is not None if meaning.kind == "metric" else params["A"] in meaning.linear

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

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest score there can be."""
        params, meaning = self.params, self.meaning
        if meaning.limits is not None:
            return meaning.limits(self)
        if params.get("A") == "ETG" or params.get("effort") is not None:
            return meaning.low, np.inf
        gain = params.get("gain")
        return meaning.low, meaning.high * (max(1.0, *gain) if isinstance(gain, tuple) else 1.0)

    def seen(self, r: Rankings) -> Rankings:
        """The rankings as this metric sees them: condensed if asked, through its lens, cut to its cutoff."""
        params, meaning = self.params, self.meaning
        needs = meaning.needs | ({"turns"} if params.get("unit") == "iteration" else set())
        missing = needs - r.carries - {"pool"}
        if missing:
            raise InputError(f"{self} {need(min(missing))}")
        if meaning.counts_repeats:
            r = repeats_counted(r)
        if params["judged_only"]:
            r = condensed(r)
        try:
            r = r.seen(self._lens(params.get("max_grade") or r.max_grade), params.get("max_grade"))
        except InputError as problem:
            raise InputError(f"{self}: {problem}") from None
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

    def score(self, r: Rankings) -> Floats:
        """[n] the score of every ranking."""
        if not len(r):
            return np.zeros(0)
        view, params = self.seen(r), self.params
        if self.is_model:
            try:
                return self.browse(view).score(params["A"], params["beta"])
            except TooFarError as problem:
                raise InputError(f"{self}: {problem}") from None
        if self.meaning.kind == "stop_model":
            earned = self.stopping(view) * taken_away(view, params["A"] or "AVG", params["beta"])
            return np.asarray(earned.sum(axis=1))
        result = self._numbers(self._call(view, self.meaning.function))
        if result.shape != (len(r),) or np.isnan(result).any():
            found = "NaN" if np.isnan(result).any() else f"an array of shape {result.shape}"
            where = f"{self} ({self.meaning.at})"
            raise InputError(f"{where} must return one number for each of {len(r)} rankings, not {found}")
        return result

    def stopping(self, view: Rankings) -> Floats:
        """[n, depth] L of a stop model, on rankings seen through the metric."""
        L = self._probabilities(view, self._call(view, self.meaning.function), "L")
        if self._may_stray and L.sum(axis=1).max(initial=0.0) > 1 + 1e-9:
            most = L.sum(axis=1).max()
            raise InputError(
                f"{self} ({self.meaning.at}): the stops L of a list add up to {most:g}, and may to 1 at most"
            )
        return L

    def browse(self, view: Rankings) -> Browsing:
        """The metric's user model at work on rankings seen through it."""
        params, meaning = self.params, self.meaning
        open_end = params["end"] in ("infinite", "leak") and params["horizon"] is None
        if meaning.endless and params["A"] == "ERG" and open_end:
            raise InputError(f"{self}: this user may never stop, and then has no rate; add end='stop' or end='list'")
        if meaning.sized and self.size is not None and params["end"] != "list":
            if self.size <= FAR or meaning.tail is not rest:
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
        try:
            with np.errstate():  # what a function sets for itself
                return function(view, **arguments)
        except InputError as problem:
            said = str(problem)
            raise problem if said.startswith(str(self)) else InputError(f"{self}: {said}") from None
        except (Exception, SystemExit) as problem:
            if function.__module__.startswith("irassay."):
                raise
            raise InputError(f"{_place(problem, self)}: {self.name}: {type(problem).__name__}: {problem}") from problem

    def _numbers(self, values: Any) -> Floats:
        """What a function returned, if it is real numbers."""
        try:
            array = np.asarray(values)
            if array.dtype.kind in "biuf":
                return array.astype(np.float64, copy=False)
            found = {"c": "complex numbers", "U": "strings", "S": "strings"}.get(array.dtype.kind, "other objects")
        except ValueError:
            found = "lists of different lengths"
        raise InputError(f"{self} ({self.meaning.at}) must return real numbers, not {found}")

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
            where = f"{self} ({self.meaning.at})"
            raise InputError(f"{where} must return {what} for each rank, shape {wanted}, not shape {list(array.shape)}")
        if array.size and self._may_stray and not (array.min() >= -1e-12 and array.max() <= 1 + 1e-12):
            worst = "NaN" if np.isnan(array).any() else f"{array.min() if array.min() < 0 else array.max():g}"
            where = f"{self} ({self.meaning.at})"
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
            depth = max(FOLLOWED, r.depth)
        if depth is not None and depth > max(FARTHEST, r.depth):
            raise InputError(f"{self}: {TooFarError(depth)}")
        scale = float(params.get("max_grade") or r.max_grade)
        pooled = self._may_stray or bool(self.meaning.needs & {"aspects", "pool"})
        best = best_case(replace(r, max_grade=scale), depth, forever, pooled)
        return self.score(r), self.score(best)


def _place(problem: BaseException, of: Metric) -> str:
    file = inspect.unwrap(of.meaning.function).__code__.co_filename
    line, trace = 0, problem.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f"{file}, line {line}"


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list | tuple) else value


def _like(value: Any, default: Any) -> Any:
    """A number in the type of its default, so that T=2 and T=2.0 are one metric."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(default, float):
        return float(value)
    return int(value) if float(value).is_integer() else value
