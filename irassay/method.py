"""What a method is: one decorated function, whose signature is the whole declaration.

Before the `*` stands what a method is about, after it its settings. The command with its options and help, the Python
call, the settings on the result and in JSON, the works to cite and the laws that test it follow.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, update_wrapper
from typing import Annotated, Any, Generic, ParamSpec, Self, TypeVar, get_args, get_origin, get_type_hints

from irassay.argument_types import checked_argument, os_errors_as_input_errors, checks_arguments
from irassay.declarations import doc, index
from irassay.errors import InputError
from irassay.parallel import check_cancelled
from irassay.results import Result
from irassay.settings import Setting, Settings, composed_keywords, recorded_settings, refuse_unknown, settings_of

P = ParamSpec("P")
R = TypeVar("R")

METHODS: dict[str, "Method[..., Any]"] = {}


class Input:
    """What a method is about, where that is composed from several things.

    `robustness(runs, qrels, metrics, depth=100)` is `robustness(JudgedRuns.of(runs, qrels, metrics, depth=100))`.
    """

    @classmethod
    def of(cls, *given: Any, **policies: Any) -> Self:
        """The input that is composed from these things."""
        raise NotImplementedError


ByIteration = Callable[[Callable[[Any], Any], Mapping[str, Any]], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Traits:
    """What is declared about a method; the first three are promises that laws test."""

    affine: bool  # its answer is the same for scores a + b x, with b > 0
    compares_metrics: bool  # it compares metrics with each other, so one alone may get another answer
    stochastic: bool  # its answer, and not just an interval or a p-value, depends on draws of topics
    by_iteration: ByIteration | None  # the result of the method on the scores of every iteration, if it has one
    without_options: tuple[str, ...]  # options of every command that it does not take
    presenter: str  # module:function that shows its answer, where that is not the view
    examples: tuple[str, ...]


class Method(Generic[P, R]):
    """A question asked of scores, rankings or judgements; called as the function is, with keywords of records too.

    `discrimination(scores, test=PairedTest("t", correction="holm"))` may also be written
    `discrimination(scores, test="t", correction="holm")`.
    """

    def __init__(self, function: Callable[P, R], question: str, cite: str, path: str, traits: Traits) -> None:
        update_wrapper(self, function)
        self.function = function
        self.question = question
        self.cite = tuple(cite.split())  # works that every answer rests on; its view adds those of this one
        self.path = path  # its command, such as 'meta discrimination'
        self.traits = traits
        self.name = function.__name__
        _ = self.settings  # a clash of keywords fails here, at import

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """What stands after the `*`, records flattened."""
        return settings_of(self.function)

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """What stands before the `*`: names and annotated types."""
        hints = get_type_hints(self.function, include_extras=True)
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: hints[p.name] for p in parameters if p.kind is not p.KEYWORD_ONLY}

    @cached_property
    def default_inputs(self) -> dict[str, Any]:
        """The inputs that have a default."""
        parameters = inspect.signature(self.function).parameters
        return {name: p.default for name in self.inputs if (p := parameters[name]).default is not p.empty}

    @cached_property
    def input_type(self) -> type[Input] | None:
        """The type that composes what the method is about, if one does."""
        kinds = list(self.inputs.values())
        return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], Input) else None

    @property
    def summary(self) -> str:
        """The first line of its docstring; its question, where docstrings are stripped."""
        return (doc(self.function) or self.question).split("\n")[0]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The answer, with the settings that it was made with."""
        check_cancelled()
        with os_errors_as_input_errors():
            about, given = self._bound(args, self._with_current_keywords(kwargs))
        first = next(iter(about.values()), None)
        if self.traits.by_iteration is not None and isinstance(first, Mapping):
            repeated: R = self.traits.by_iteration(lambda scores: self(scores, **given), first)
            return repeated
        self._check(about)
        with os_errors_as_input_errors():
            made = composed_keywords(self.function, given)
            result = self.function(**about, **made)  # type: ignore[call-arg]
        if not isinstance(result, Result):
            return result
        about = {name: value for name, value in self.default_inputs.items() if value} | about
        sources = {name: getattr(value, "settings", None) for name, value in about.items()}
        inputs = {
            name: source if isinstance(source, Settings) else _kept_input(about[name])
            for name, source in sources.items()
            if isinstance(source, Settings) or isinstance(about[name], str | list | tuple)
        }
        keys = {setting.name: setting.key for setting in self.settings if setting.key != setting.name}
        inputs = {**result.settings.inputs, **{k: v for k, v in inputs.items() if k not in result.settings.inputs}}
        return replace(result, settings=Settings(self.name, recorded_settings(self.function, made, given), inputs, keys))

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the method is about, composed where it must be, and its settings."""
        names = list(self.inputs)
        if self.input_type is not None and not isinstance(next(iter(args), kwargs.get(names[0])), self.input_type):
            own = {name for setting in self.settings for name in (setting.name, setting.record)}
            rest = {name: value for name, value in kwargs.items() if name not in own}
            taken = inspect.signature(self.input_type.of).parameters
            odd = [name for name in rest if name not in taken]
            if odd and not any(p.kind is p.VAR_KEYWORD for p in taken.values()):
                refuse_unknown(odd[0], self.name, sorted(own - {""}))
            return {names[0]: self._composed_input(args, rest)}, {n: v for n, v in kwargs.items() if n in own}
        if len(args) > len(names):
            self._check({names[0]: args[0]})
            raise InputError(f"{self.name} is about {', '.join(names)}; settings are given by name")
        about = dict(zip(names, args, strict=False)) | {name: kwargs[name] for name in names if name in kwargs}
        return about, {name: value for name, value in kwargs.items() if name not in names}

    def _with_current_keywords(self, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The keywords as they are called today; a former spelling may be given in place of the current one."""
        current = {setting.option.old_keyword: setting.name for setting in self.settings if setting.option.old_keyword}
        for old, name in current.items():
            if old in kwargs and name in kwargs:
                raise InputError(f"{self.name} was given both {name} and {old}, which mean the same; give {name}.")
        return {current.get(name, name): value for name, value in kwargs.items()}

    def _composed_input(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Input:
        """What the method is about, or one sentence on what it is composed from."""
        assert self.input_type is not None
        taken = inspect.signature(self.input_type.of)
        try:
            taken.bind(*args, **named)
        except TypeError as problem:
            words = ", ".join(name for name, p in taken.parameters.items() if p.kind is not p.VAR_KEYWORD)
            raise InputError(f"{self.name} is about {words}: {problem}") from None
        return self.input_type.of(*args, **named)

    def _check(self, about: dict[str, Any]) -> None:
        """Refuses what is not of the type that the method is about."""
        for name, hint in self.inputs.items():
            kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            if isinstance(kind, type) and issubclass(kind, Result) and not isinstance(about.get(name), kind):
                found = type(about.get(name)).__name__ if name in about else "nothing"
                make = "; make them with irassay.score(runs, qrels, metrics)" if kind.__name__ == "Scores" else ""
                raise InputError(f"{self.name} is about {kind.__name__}, and was given {found}{make}")
            if name in about and not (isinstance(kind, type) and issubclass(kind, Result | Input)):
                about[name] = checked_argument(name, kind, about[name])

    def __reduce__(self) -> str:  # by its name, as functions are pickled
        return self.function.__qualname__

    def __repr__(self) -> str:
        return f"<method {self.path}: {self.question}>"


@checks_arguments
def method(
    question: str,
    cite: str = "",
    *,
    path: str = "",
    affine: bool = False,
    compares_metrics: bool = False,
    stochastic: bool = False,
    by_iteration: Callable[..., Any] | None = None,
    without_options: str = "",
    presenter: str = "",
    examples: tuple[str, ...] = (),
) -> Callable[[Callable[P, R]], Method[P, R]]:
    """Makes a method of a function and enters it under its command; by default `meta` and the function's name.

    The other arguments are its `Traits`.
    """
    left_out = tuple(without_options.split())
    traits = Traits(affine, compares_metrics, stochastic, by_iteration, left_out, presenter, examples)

    def enter(function: Callable[P, R]) -> Method[P, R]:
        made = Method(function, question, cite, path or f"meta {function.__name__}", traits)
        if made.path in METHODS and not _same_place(METHODS[made.path].function, function):
            raise InputError(f"there is a method {made.path} already ({METHODS[made.path].function.__module__})")
        METHODS[made.path] = made
        return made

    return enter


def method_citations(name: str) -> tuple[str, ...]:
    """Keys of the works that every answer of the method with this name rests on; none, if there is no such method."""
    own = [each.cite for each in list(METHODS.values()) if each.name == name]  # others may be imported
    declared = (each["cite"] for each in index()["commands"].values() if each["where"].endswith(f":{name}"))
    return own[-1] if own else tuple(next(declared, ()))


def _kept_input(value: Any) -> Any:
    """An input as settings record it: a list is copied, so that the caller may change it later."""
    return tuple(value) if isinstance(value, list) else value


def _same_place(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether a function is the same one read again, as when a user's file or a notebook's cell is run twice."""
    places = [(f.__code__.co_filename, f.__qualname__) for f in (one, other)]
    return places[0] == places[1] or all(place.startswith("<") or "ipykernel_" in place for place, _ in places)
