"""The decorators that turn a function into a metric and add it to the catalogue."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from irassay.argument_types import checked_argument
from irassay.declarations import doc, index
from irassay.errors import InputError, as_found
from irassay.metrics.aliases import register_aliases
from irassay.metrics.declaration import Declaration
from irassay.metrics.metric import METRICS, Metric
from irassay.metrics.parameters import common_parameter, own_parameters

MODEL_PARAMETERS: dict[str, Any] = {
    "gain": "linear", "rel": 1, "effort": None, "A": "ERG", "beta": 0.5, "end": "infinite", "horizon": None,
    "max_grade": None, "judged_only": False,
}  # fmt: skip
PLAIN_PARAMETERS = {"gain": "linear", "rel": 1, "max_grade": None}

Register = Callable[[Callable[..., Any]], Metric]


def _check_texts(name: object, decorator: str, **texts: object) -> None:
    """Refuses a decorator without a name, and other arguments that are not text."""
    if not isinstance(name, str):
        raise InputError(f"A metric needs a name: write @irassay.{decorator}('Mine'), not @irassay.{decorator}.")
    if odd := next((key for key, value in texts.items() if not isinstance(value, str)), ""):
        raise InputError(f"{odd} must be text; found {as_found(texts[odd])}.")


def user_model(
    name: str,
    cite: str | tuple[str, ...] = (),
    *,
    gain: str = "linear",
    A: str = "ERG",
    monotone: str = "",
    linear: str = "",
    static: str = "",
    swap_monotone: str = "",
    when_A_is_given: bool = False,
    **traits: Any,
) -> Register:
    """Registers a function that returns C, the probability of continuing after each rank [n, depth].

    W, L, every aggregation, effort, cutoff and bounds are derived from it. `monotone` names the aggregations, separated
    by spaces, under which a better grade never lowers the score; `linear` those under which the score is a sum of
    gains, each times a weight by rank; `static` those of them whose weights never grow with rank; `swap_monotone` those
    under which moving a better result up past a worse one never lowers the score.
    """
    sets = {"monotone": monotone, "linear": linear, "static": static, "swap_monotone": swap_monotone}
    _check_texts(name, "user_model", gain=gain, A=A, **sets)
    checked_argument("when_A_is_given", bool, when_A_is_given)
    traits |= {key: frozenset(names.split()) for key, names in sets.items()}
    common = MODEL_PARAMETERS | {"gain": gain, "A": None if when_A_is_given else A}

    def register(function: Callable[..., Any]) -> Metric:
        declaration = _declaration(name, function, "user_model", cite, common, traits)
        if not when_A_is_given:
            return _register(declaration)
        METRICS[name] = replace(METRICS[name], declaration=replace(METRICS[name].declaration, with_A=declaration))
        return METRICS[name]

    return register


def stop_model(
    name: str,
    cite: str | tuple[str, ...] = (),
    *,
    gain: str = "linear",
    monotone: str = "AVG",
    swap_monotone: str = "",
    **traits: Any,
) -> Register:
    """Registers a function that returns L, the probability of stopping at each rank [n, depth].

    Rows may sum to less than 1; the rest earns nothing. The gain of a stop is the average so far (A='AVG') unless
    another aggregation is given.
    """
    _check_texts(name, "stop_model", gain=gain, monotone=monotone, swap_monotone=swap_monotone)
    common = {key: MODEL_PARAMETERS[key] for key in ("rel", "effort", "A", "beta", "max_grade", "judged_only")}
    common = {"gain": gain} | common | {"A": None}
    traits |= {"monotone": frozenset(monotone.split()), "swap_monotone": frozenset(swap_monotone.split())}
    return lambda function: _register(_declaration(name, function, "stop_model", cite, common, traits))


def metric(
    name: str,
    cite: str | tuple[str, ...] = (),
    *,
    takes: Mapping[str, Any] = PLAIN_PARAMETERS,
    monotone: bool = False,
    static: bool = False,
    swap_monotone: bool = False,
    **traits: Any,
) -> Register:
    """Registers a function that returns the score of each ranking [n].

    `takes` names the common parameters that matter to it, with their defaults, such as rel or gain. `weights`, for a
    score that is a sum of gains, returns what a gain of 1 at each rank adds [n|1, depth].
    """
    _check_texts(name, "metric")
    checked_argument("takes", Mapping[str, Any], takes)
    common = {**takes, "judged_only": False}
    for key, holds in (("monotone", monotone), ("static", static), ("swap_monotone", swap_monotone)):
        traits[key] = frozenset([""] if checked_argument(key, bool, holds) else [])
    return lambda function: _register(_declaration(name, function, "metric", cite, common, traits))


def _declaration(
    name: str,
    function: Callable[..., Any],
    kind: str,
    cite: str | tuple[str, ...],
    common: Mapping[str, Any],
    traits: Mapping[str, Any],
) -> Declaration:
    if not doc(function):
        subject = "the metric" if kind == "metric" else "what the user does"
        raise InputError(f"{name} has no docstring; describe {subject} in one sentence.")
    own = own_parameters(function)
    if any(parameter.default is inspect.Parameter.empty for parameter in own.values()):
        raise InputError(f"{name}: every parameter after the rankings needs a default.")
    by_threshold = "h" in own and isinstance(own["h"].default, tuple)  # h replaces gain
    common = {key: value for key, value in common.items() if key not in own and not (key == "gain" and by_threshold)}
    needs = frozenset(traits.get("needs", "").split())
    names = {key: tuple(traits.get(key, "").split()) for key in ("aliases", "trec_eval")}
    if "turns" not in needs:
        common["unit"] = "document"
    return Declaration(
        name=name,
        function=function,
        kind=kind,
        cite=(cite,) if isinstance(cite, str) else tuple(cite),
        parameters=own | {key: common_parameter(key, default) for key, default in common.items()},
        own=tuple(own),
        sized="k" in list(inspect.signature(function).parameters)[1:],
        **{**traits, **names, "needs": needs},
    )


def _register(declaration: Declaration) -> Metric:
    if not declaration.name.isidentifier():
        raise InputError(f"'{declaration.name}' cannot be a metric's name; use letters, digits and underscores.")
    family = index()["metrics"].get(declaration.name, {}).get("module", declaration.function.__module__)
    if family != declaration.function.__module__:  # so that a name of the catalogue is known to be taken
        import_module(family)
    if declaration.name in METRICS:
        where = METRICS[declaration.name].declaration.source_location
        raise InputError(f"There is already a metric {declaration.name} ({where}); choose another name.")
    register_aliases(declaration)
    METRICS[declaration.name] = Metric(declaration, declaration.name, cutoff=_default_cutoff(declaration))
    return METRICS[declaration.name]


def _default_cutoff(declaration: Declaration) -> int | None:
    """The default of a function's own k, such as 5 in `def MyTop(r, k=5)`; None if it has none."""
    k = inspect.signature(declaration.function).parameters.get("k")
    default = None if k is None or k.default is k.empty else k.default
    if default is None or (isinstance(default, int) and not isinstance(default, bool) and default > 0):
        return default
    where = declaration.source_location
    raise InputError(
        f"{where}: the cutoff k of {declaration.name} must be a whole number above 0; found {as_found(default)}."
    )
