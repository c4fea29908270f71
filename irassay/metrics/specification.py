"""A metric's name with its parameters and cutoff, and what follows from these alone."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from irassay.errors import InputError
from irassay.metrics.declaration import Declaration
from irassay.rankings.gain import compact
from irassay.rankings.turns import PAGE

MAX_CUTOFF = 1_000_000_000


@dataclass(frozen=True)
class MetricSpecification:
    """A name with its parameters and cutoff."""

    __metric__: ClassVar[bool] = True  # it is saved by its string

    declaration: Declaration = field(compare=False, repr=False)
    name: str
    given: tuple[tuple[str, Any], ...] = ()  # parameters that differ from the default, in signature order
    cutoff: int | None = None
    typed_parameters: tuple[str, ...] = field(default=(), compare=False, repr=False)  # given, but with their default
    alias: str = field(default="", compare=False, repr=False)  # shown to people instead of the string

    def __post_init__(self) -> None:
        twice = self.declaration.cutoff_is
        if self.cutoff is not None and twice and twice in {*self.typed_parameters, *dict(self.given)}:
            raise InputError(f"{self.label} gives {twice} twice, because the cutoff is {twice}; give one of the two.")

    def __call__(self, *cutoff: Any, **params: Any) -> Self:
        """The same metric with other parameters, given by name."""
        if cutoff:
            name = self.name
            raise InputError(f"Give parameters of {name} by name, as in {name}(key=value); a cutoff is {name} @ 10.")
        requested = dict(self.given) | {key: _as_tuples(value) for key, value in params.items()}
        meaning = (self.declaration.with_A if requested.get("A") else None) or self.declaration
        for key in params.keys() & meaning.implies.keys():
            requested = {
                other: v for other, v in meaning.implies[key].items() if other not in self.typed_parameters
            } | requested
        requested = {key: meaning.canonical_value(key, value) for key, value in requested.items()}
        for key, value in requested.items():
            meaning.check(key, value)
        values = {
            key: _as_default_type(requested[key], default)
            for key, default in meaning.defaults.items()
            if key in requested
        }
        given = tuple((key, value) for key, value in values.items() if value != meaning.defaults[key])
        typed = {*self.typed_parameters, *params} - {key for key, _ in given}
        return replace(self, given=given, typed_parameters=tuple(key for key in meaning.defaults if key in typed))

    def with_alias(self, alias: str) -> Self:
        """The same metric under another name for people; machine formats keep its string."""
        return replace(self, alias=alias)

    def __matmul__(self, cutoff: int) -> Self:
        if isinstance(cutoff, bool) or not isinstance(cutoff, int) or cutoff < 1:
            raise InputError(f"{self.name}@{cutoff}: the cutoff must be a whole number above 0.")
        if cutoff > MAX_CUTOFF:
            raise InputError(
                f"{self.name}: the cutoff has {len(str(cutoff))} digits; it may be at most {MAX_CUTOFF:,}."
            )
        return replace(self, cutoff=cutoff)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return self._metric_string(self._with_implied(dict(self.given)))

    @property
    def label(self) -> str:
        """The name for people: the alias, or the metric with every parameter that was given."""
        return self.alias or self._metric_string(self.shown_parameters)

    def with_level_shown(self) -> str:
        """The canonical string, with the level of relevance if it was given, even the default."""
        keys = {*dict(self.given), *({"rel"} & {*self.typed_parameters})}
        return self._metric_string(self._with_implied(keys))

    @property
    def shown_parameters(self) -> dict[str, Any]:
        """The parameters that differ from the default or were given, in signature order."""
        return self._with_implied({*self.typed_parameters, *dict(self.given)})

    def _with_implied(self, keys: Collection[str]) -> dict[str, Any]:
        """These parameters and those they imply values of, by name, in signature order."""
        all_keys = {*keys, *(other for key in keys for other in self.meaning.implies.get(key, ()))}
        params = self.params
        return {key: params[key] for key in self.meaning.defaults if key in all_keys}

    def _metric_string(self, params: dict[str, Any]) -> str:
        inner = ",".join(f"{key}={compact(value)}" for key, value in params.items())
        return self.name + (f"({inner})" if inner else "") + (f"@{self.cutoff}" if self.cutoff is not None else "")

    @cached_property
    def meaning(self) -> Declaration:
        """The definition in use: a different one if A is given and the metric has a definition for that."""
        return (self.declaration.with_A if dict(self.given).get("A") else None) or self.declaration

    @property
    def params(self) -> dict[str, Any]:
        """Every parameter with its value."""
        return dict(self.meaning.defaults) | dict(self.given)

    @cached_property
    def needs(self) -> frozenset[str]:
        """What the metric needs of its input, with its parameters; it needs lengths if it uses them."""
        params = self.params
        turns = ("turns",) if params.get("unit") == "iteration" else ()
        lengths = ("lengths",) if params.get("effort") == "words" else self.uses & {"lengths"}
        return self.meaning.needs.union(turns, lengths, self.inner.needs if self.inner else ())

    @property
    def inner(self) -> "MetricSpecification | None":
        """The metric that this one is made of, if it has one as a parameter."""
        from irassay.metrics.grammar import parse

        return parse(self.params["metric"]) if self.meaning.has_inner else None

    @property
    def size(self) -> int | None:
        """The cutoff in results: five per iteration, if it counts iterations."""
        return PAGE * self.cutoff if self.cutoff and self.params.get("unit") == "iteration" else self.cutoff

    @property
    def reach(self) -> int | None:
        """The number of results that the score can depend on; None if it has no limit."""
        params, meaning = self.params, self.meaning
        further = params["judged_only"] or params.get("effort") == "words"
        return None if further or meaning.needs - {"aspects", "pool"} else self.size

    @property
    def is_model(self) -> bool:
        """Whether the metric is a user model, with C, W and L."""
        return self.meaning.kind == "user_model"

    @property
    def monotone(self) -> bool:
        """Whether a better grade anywhere, all else equal, is declared never to lower the score."""
        params = self.params
        gain = params.get("gain")
        if params.get("effort") is not None or (isinstance(gain, tuple) and list(gain) != sorted(gain)):
            return False
        if self.meaning.monotone_if is not None and not self.meaning.monotone_if(params):
            return False
        default = "AVG" if self.meaning.kind == "stop_model" else ""
        return (params.get("A") or default) in self.meaning.monotone

    @property
    def uses(self) -> frozenset[str]:
        """The side files that the score depends on: lengths or costs of results, weights of aspects."""
        params, meaning = self.params, self.meaning
        declared = meaning.uses(params) if callable(meaning.uses) else meaning.uses
        files = {
            *declared.split(),
            *(["weights"] if meaning.weighted else []),
            *(self.inner.uses if self.inner else ()),
        }
        if meaning.kind != "metric" and (params["A"] or "AVG") in ("ERG", "AVG", "ERR"):
            files.add("costs")
        if "costs" in files and (effort := params.get("effort")) is not None:  # effort replaces costs
            files = files - {"costs"} | ({"lengths"} if effort == "words" else set())
        return frozenset(files)

    def bounded(self, costs: bool = False) -> bool:
        """Whether the score lies between the two scenarios of `bounds`, whatever the missing judgements are.

        It need not if unjudged results are left out of lists, because they would come back once judged. With `costs` of
        results, ranks past the list cost as much as the dearest type, so for models that count costs the bounds do not
        hold: results there may be cheaper.
        """
        if self.params.get("judged_only") or "pool" in self.meaning.needs:
            return False
        return self.monotone and not (costs and self.meaning.kind != "metric")

    @property
    def linear(self) -> bool:
        """Whether the score is declared to be a sum of gains, each times a weight by rank that depends on no gain.

        For a `normalised` metric that holds as long as the topic's relevant documents stay the same.
        """
        params, meaning = self.params, self.meaning
        if params.get("effort") is not None or params["judged_only"] or params.get("unit") == "iteration":
            return False
        if meaning.linear_if is not None and not meaning.linear_if(params):
            return False
        return meaning.weights is not None if meaning.kind == "metric" else params["A"] in meaning.linear

    @property
    def static(self) -> bool:
        """Whether the score is a sum of gains, with weights that never grow with rank and are the same for all topics.

        What beats another system for every such user, up to a depth, beats it by this metric too, with the same gains.
        """
        params, meaning = self.params, self.meaning
        by_topic = any(isinstance(value, str) and value.startswith("@") for value in params.values())
        endless = not meaning.sized and params.get("end") == "infinite"
        by_length = params.get("end") == "list" or (self.is_model and self.size is None and not endless)
        if not self.linear or meaning.normalised or by_topic or by_length:
            return False
        return (params.get("A") or "") in meaning.static

    @property
    def swap_monotone(self) -> bool:
        """Whether moving a better result up past a worse one is declared never to lower the score."""
        params, meaning = self.params, self.meaning
        gain = params.get("gain")
        if params.get("effort") is not None or (isinstance(gain, tuple) and list(gain) != sorted(gain)):
            return False
        if meaning.swap_monotone_if is not None and not meaning.swap_monotone_if(params):
            return False
        default = "AVG" if meaning.kind == "stop_model" else ""
        return (params.get("A") or default) in meaning.swap_monotone

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible score."""
        params, meaning = self.params, self.meaning
        if meaning.limits is not None:
            return meaning.limits(self)
        if self.inner:
            return self.inner.range
        if params.get("A") == "ETG" or params.get("effort") is not None:
            return meaning.low, np.inf
        gain = params.get("gain")
        return meaning.low, meaning.high * (max(1.0, *gain) if isinstance(gain, tuple) else 1.0)


def _as_tuples(value: Any) -> Any:
    return tuple(_as_tuples(v) for v in value) if isinstance(value, list | tuple) else value


def _as_default_type(value: Any, default: Any) -> Any:
    """A number in the type of its default, so that T=2 and T=2.0 are one metric."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(default, float):
        return float(value)
    return int(value) if float(value).is_integer() else value
