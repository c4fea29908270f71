"""Methods: each is one decorated function, and its signature is the whole declaration.

Parameters before the `*` are inputs, those after it settings. The command with its options and help, the Python call,
the settings of the result and in JSON, the works to cite and the laws that test it are derived from them.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, update_wrapper
from pathlib import Path
from typing import Any, Generic, Literal, ParamSpec, Self, TypeVar, get_type_hints

from irassay.argument_types import checked_argument, checks_arguments, os_errors_as_input_errors, type_and_notes
from irassay.declarations import doc, index
from irassay.errors import InputError, argument
from irassay.keywords import composed_keywords, own_copy, recorded_settings, refuse_unknown, unused_settings
from irassay.parallel import check_cancelled
from irassay.results import Result
from irassay.settings import Setting, Settings, settings_of

P = ParamSpec("P")
R = TypeVar("R")

METHODS: dict[str, "Method[..., Any]"] = {}


class Input:
    """An input of a method that is composed from several arguments.

    `robustness(runs, qrels, metrics, depth=100)` is `robustness(JudgedRuns.of(runs, qrels, metrics, depth=100))`.
    """

    @classmethod
    def of(cls, *given: Any, **policies: Any) -> Self:
        """The input composed from these arguments."""
        raise NotImplementedError


ByIteration = Callable[[Callable[[Any], Any], Mapping[str, Any]], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Traits:
    """Declared facts about a method; laws test the first three."""

    affine: bool  # its answer is the same for scores a + b x, with b > 0
    compares_metrics: bool  # the answer for a metric depends on the other metrics
    draws: bool  # it draws topics with the seed of its test, also if the test itself does not draw
    by_iteration: ByIteration | None  # makes the result for the scores of every iteration, if it has one
    without_options: tuple[str, ...]  # common options that it does not take
    presenter: str  # module:function that shows its answer, instead of a view
    check: Callable[..., None] | None  # refuses settings that do not go together; its parameters are theirs
    look: Callable[..., None] | None  # reads short files that only this method reads, and refuses wrong ones
    two_runs: str  # begins the sentence that it is about two runs, if it is
    least_runs: int  # how many systems it needs
    scores_by: Literal["", "first", "all"]  # which of the named metrics score the runs, if it takes runs
    examples: tuple[str, ...]


class Method(Generic[P, R]):
    """A question about scores, rankings or judgements; called like the function, or with the fields of its records.

    `discrimination(scores, test=PairedTest("t", correction="holm"))` may also be written
    `discrimination(scores, test="t", correction="holm")`.
    """

    def __init__(self, function: Callable[P, R], question: str, cite: str, path: str, traits: Traits) -> None:
        update_wrapper(self, function)
        self.function = function
        self.question = question
        self.cite = tuple(cite.split())  # works behind every answer; the view adds those of a particular one
        self.path = path  # its command, such as 'meta discrimination'
        self.traits = traits
        self.name = function.__name__
        _ = self.settings  # a clash of keywords fails here, at import

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The parameters after the `*`, with records flattened."""
        return settings_of(self.function)

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """The parameters before the `*`: names and annotated types."""
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
        """The type of the method's one input, if it is composed from several arguments."""
        kinds = [type_and_notes(hint)[0] for hint in self.inputs.values()]
        return kinds[0] if len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], Input) else None

    @property
    def summary(self) -> str:
        """The first line of its docstring; its question if docstrings are stripped."""
        return (doc(self.function) or self.question).split("\n")[0]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The answer, with the settings it was computed with."""
        check_cancelled()
        with os_errors_as_input_errors():
            inputs, given = self._bound_arguments(args, self.with_current_keywords(kwargs))
        first = next(iter(inputs.values()), None)
        if self.traits.by_iteration is not None and isinstance(first, Mapping):
            repeated: R = self.traits.by_iteration(lambda scores: self(scores, **given), first)
            return repeated
        self._check_inputs(inputs)
        with os_errors_as_input_errors():
            keywords = composed_keywords(self.function, given)
            self._check_declared(inputs, keywords)
            result = self.function(**inputs, **keywords)  # type: ignore[call-arg]
        if not isinstance(result, Result):
            return result
        settings = self._settings_of_call(inputs, given, keywords, result)
        return replace(result, settings=settings)

    def _settings_of_call(
        self, inputs: Mapping[str, Any], given: Mapping[str, Any], keywords: Mapping[str, Any], result: Result
    ) -> Settings:
        """The settings that a result records: those of the inputs, every keyword, and which of them changed nothing."""
        inputs = {name: value for name, value in self.default_inputs.items() if value} | dict(inputs)
        of_inputs = {name: getattr(value, "settings", value) for name, value in inputs.items()}
        recorded_inputs = {
            name: own_copy(value)
            for name, value in of_inputs.items()
            if isinstance(value, Settings | str | list | tuple)
        }
        recorded_inputs = {**result.settings.inputs, **recorded_inputs, **result.settings.inputs}  # its own go first
        keys = {setting.name: setting.key for setting in self.settings if setting.key != setting.name}
        recorded = recorded_settings(self.function, keywords, given)
        if recorded.get("trials", 0) is None:
            recorded["trials"] = getattr(result, "trials", None) or None  # the method's own default
        unused = unused_settings(self.function, keywords)
        unused |= {"seed"} if recorded.get("trials", 0) is None else set()
        unused -= {"seed"} if self.traits.draws else set()
        return Settings(self.name, recorded, recorded_inputs, keys, unused)

    def check_settings(
        self, inputs: Mapping[str, Any], given: Mapping[str, Any], expected: Result | None = None
    ) -> None:
        """Refuses settings that the method does not allow, as far as that is known before any file is read.

        `expected` are the scores that the method will get, without values: their metrics, and systems and topics if
        these are known. The declared check may have a parameter of this name.
        """
        of_files = [s.name for s in self.settings if s.reads is not None]
        files = {name: given[name] for name in of_files if isinstance(given.get(name), str | Path)}
        others = {name: value for name, value in given.items() if name not in files}
        known = {} if expected is None else {"expected": expected}
        self._check_declared({**inputs, **known}, composed_keywords(self.function, others) | files)

    def _check_declared(self, inputs: Mapping[str, Any], keywords: Mapping[str, Any]) -> None:
        """Refuses to do without a setting that is needed, and what the declared check refuses."""
        for setting in self.settings:
            if setting.option.needed and keywords.get(setting.name) in (None, (), ("",)):
                given = argument(setting.name, metavar=setting.option.metavar or "FILE")
                raise InputError(setting.option.needed, given, ".", argument=setting.name)
        if self.traits.check is not None:
            parameters = inspect.signature(self.function).parameters.items()
            defaults = {name: p.default for name, p in parameters if p.default is not p.empty}
            values = {**defaults, **inputs, **keywords}
            names = inspect.signature(self.traits.check).parameters
            self.traits.check(**{name: values[name] for name in names if name in values})

    def _bound_arguments(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The inputs of the method, composed if needed, and its settings."""
        names = list(self.inputs)
        if self.input_type is not None and not isinstance(next(iter(args), kwargs.get(names[0])), self.input_type):
            own = {name for setting in self.settings for name in (setting.name, setting.record)}
            rest = {name: value for name, value in kwargs.items() if name not in own}
            parameters = inspect.signature(self.input_type.of).parameters
            if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
                refuse_unknown((name for name in rest if name not in parameters), self.name, sorted(own - {""}))
            return {names[0]: self._composed_input(args, rest)}, {n: v for n, v in kwargs.items() if n in own}
        if len(args) > len(names):
            self._check_inputs({names[0]: args[0]})
            raise InputError(f"{self.name} takes {', '.join(names)}; give settings by name.")
        inputs = dict(zip(names, args, strict=False)) | {name: kwargs[name] for name in names if name in kwargs}
        return inputs, {name: value for name, value in kwargs.items() if name not in names}

    def with_current_keywords(self, kwargs: Mapping[str, Any], inputs: Collection[str] = ()) -> dict[str, Any]:
        """The keywords under their current names; a former name, or that of the option, may be given instead.

        Settings that share their name with one of these inputs keep the name that was given.
        """
        current = {each.flag.removeprefix("--").replace("-", "_"): each.name for each in self.settings}
        current |= {each.option.old_keyword: each.name for each in self.settings if each.option.old_keyword}
        names = {*self.inputs, *(name for each in self.settings for name in (each.name, each.record))}
        current = {other: name for other, name in current.items() if other not in names and name not in inputs}
        for old, name in current.items():
            if old in kwargs and name in kwargs:
                raise InputError(f"{self.name} got both {name} and {old}, the same setting; give only {name}.")
        return {current.get(name, name): value for name, value in kwargs.items()}

    def _composed_input(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Input:
        """The input composed from arguments; InputError, which names its parameters, if they do not fit."""
        assert self.input_type is not None
        expected = inspect.signature(self.input_type.of)
        try:
            expected.bind(*args, **kwargs)
        except TypeError as problem:
            names = ", ".join(name for name, p in expected.parameters.items() if p.kind is not p.VAR_KEYWORD)
            raise InputError(f"{self.name} takes {names}: {problem}.") from None
        return self.input_type.of(*args, **kwargs)

    def _check_inputs(self, inputs: dict[str, Any]) -> None:
        """Refuses inputs that are not of the declared types."""
        for name, hint in self.inputs.items():
            kind, _ = type_and_notes(hint)
            is_result = isinstance(kind, type) and issubclass(kind, Result)
            if is_result and name in inputs and not isinstance(inputs[name], Result):
                inputs[name] = kind.from_object(inputs[name])
            if is_result and not isinstance(inputs.get(name), kind):
                actual = type(inputs.get(name)).__name__ if name in inputs else "nothing"
                fix = "; make them with irassay.score(runs, qrels, metrics)" if kind.__name__ == "Scores" else ""
                raise InputError(f"{self.name} takes {kind.__name__}; found {actual}{fix}.")
            if name in inputs and not (isinstance(kind, type) and issubclass(kind, Result | Input)):
                inputs[name] = checked_argument(name, kind, inputs[name])

    def __reduce__(self) -> str:  # by name, as functions are pickled
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
    draws: bool = False,
    by_iteration: Callable[..., Any] | None = None,
    without_options: str = "",
    presenter: str = "",
    check: Callable[..., None] | None = None,
    look: Callable[..., None] | None = None,
    two_runs: str = "",
    least_runs: int = 1,
    scores_by: Literal["", "first", "all"] = "",
    examples: tuple[str, ...] = (),
) -> Callable[[Callable[P, R]], Method[P, R]]:
    """Turns a function into a method and registers its command; by default `meta` and the function's name.

    The other arguments are its `Traits`.
    """
    left_out = tuple(without_options.split())
    traits = Traits(
        affine, compares_metrics, draws, by_iteration, left_out, presenter, check, look, two_runs, least_runs,
        scores_by, examples,
    )  # fmt: skip

    def register(function: Callable[P, R]) -> Method[P, R]:
        new = Method(function, question, cite, path or f"meta {function.__name__}", traits)
        if new.path in METHODS and not _is_redefinition(METHODS[new.path].function, function):
            module = METHODS[new.path].function.__module__
            raise InputError(f"There is already a method {new.path} (in {module}); choose another name.")
        METHODS[new.path] = new
        return new

    return register


def method_citations(name: str) -> tuple[str, ...]:
    """Keys of the works behind every answer of the method with this name; none if there is no such method."""
    own = [each.cite for each in list(METHODS.values()) if each.name == name]  # a copy: imports may add methods
    declared = (each["cite"] for each in index()["commands"].values() if each["where"].endswith(f":{name}"))
    return own[-1] if own else tuple(next(declared, ()))


def _is_redefinition(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions are the same one, defined again when a user's file or a notebook's cell is rerun."""
    places = [(f.__code__.co_filename, f.__qualname__) for f in (one, other)]
    return places[0] == places[1] or all(place.startswith("<") or "ipykernel_" in place for place, _ in places)
