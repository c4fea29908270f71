"""From a command and a mapping of values to a result: the one stage behind every front end.

A command line, a form and a test differ only in where the values come from and in how the answer is shown. `ask` binds
the values to the inputs and settings that the method declares, reads the inputs, and calls the method.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

from irassay.argument_types import checks_arguments, type_and_notes, without_none
from irassay.declarations import index
from irassay.errors import InputError, argument
from irassay.installed import load_installed
from irassay.keywords import ReaderCall, composed_keywords
from irassay.method import METHODS, Input, Method
from irassay.prose import did_you_mean
from irassay.results import Result
from irassay.settings import Option, Record, Setting, parameter_settings, settings_of

BY = Setting("by", Literal["iteration"] | None, None, Option("Repeat for every iteration of the tables."))
SEPARATE_FILES = {"qrels", "runs"}  # which may be given instead of "inputs"


@checks_arguments
def ask(command: str, values: Mapping[str, Any]) -> Result | str:
    """The result of a command, such as "score" or "meta consistency", for values by Python keyword.

    Settings have the names of the method's keywords, with records flattened. Inputs have the keywords of their readers:
    "inputs" for judgements and then runs, or "qrels" and "runs" for each; "scores" for score tables, "metrics", "grid",
    "by", and the fields of the reading policies; or the names of the method's own parameters. An input may also be an
    object of its type. If an input and a setting have the same name, the setting goes by its JSON key.

    >>> ask("explain", {"metric": "RBP(p=0.5)", "ranking": "1,0"}).settings.ranks
    10
    >>> ask("meta consistency", {"split": 500})
    Traceback (most recent call last):
    irassay.errors.InputError: meta consistency takes no split; did you mean splits?
    """
    method, inputs, settings = _checked_call(command, values)
    answer: Result | str = method(**read_inputs(method, inputs, settings), **settings)
    return answer


def check_values(command: str, values: Mapping[str, Any], *, looks: bool = False) -> None:
    """Refuses values for which `ask` would fail, as far as that is known before a file is read.

    If it `looks`, it also reads judgements, the first run, side files and score tables, unless they are long.

    >>> check_values("compare", {"inputs": ("qrels.txt", "run.txt"), "margin": 0.1, "margin_d": 0.5})
    Traceback (most recent call last):
    irassay.errors.InputError: Give only one of margin and margin_d.
    """
    method, inputs, settings = _checked_call(command, values)
    if looks:
        from irassay.first_look import look_at_files, look_by_method

        look_by_method(method, {**inputs, **settings})
        _, calls = _reader_calls(method, inputs, settings)
        method.check_settings(inputs, settings, look_at_files(method, calls, inputs, settings))


def _checked_call(command: str, values: Mapping[str, Any]) -> tuple[Method[..., Any], dict[str, Any], dict[str, Any]]:
    """The method behind a command, the values of its inputs and those of its settings, which it allows."""
    method = command_method(command)
    inputs, settings = checked_values(method, values)
    settings |= settings_from_grid(method, inputs, settings)
    method.check_settings(inputs, settings, check_inputs(method, inputs, settings))
    return method, inputs, settings


def checked_values(method: Method[..., Any], values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inputs and settings among values, which may go by former names; InputError if the method takes no such."""
    return bound_values(
        method, method.with_current_keywords(values, [setting.name for setting in input_settings(method)])
    )


def command_method(command: str) -> Method[..., Any]:
    """The method behind a command, which a user's file or an installed package may have declared."""
    entry = index()["commands"].get(command)
    if entry is None and command not in METHODS:
        load_installed("methods")
    if entry is not None:
        import_module(entry["where"].partition(":")[0])
    elif command not in METHODS:
        commands = dict.fromkeys([*index()["commands"], *METHODS])
        hint = did_you_mean(command, commands, f"the commands are {', '.join(commands)}.")
        subject = f"There is no command {command}" if command else "No command is given"
        raise InputError(f"{subject}; {hint}", argument="command", value=command, code="no-command")
    return METHODS[command]


def bound_values(method: Method[..., Any], values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values of the method's inputs and of its settings, by keyword; any other name is refused."""
    of_inputs = {s.name: s for s in input_settings(method)}
    of_method = {s.key if s.name in of_inputs else s.name: s for s in method.settings}
    objects = {s.record for s in of_inputs.values()} | method.inputs.keys()  # such as Scores, or a JudgingPolicy
    records = {s.record for s in method.settings}
    if "inputs" in of_inputs and not SEPARATE_FILES & (objects | of_inputs.keys() | of_method.keys()):
        values = _with_joined_files(method, values)
    inputs: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for name, value in values.items():
        if name in of_inputs:
            inputs[name] = _checked_value(of_inputs[name], value)
        elif name in of_method:
            settings[of_method[name].name] = _checked_value(of_method[name], value)
        elif name and name in objects | records:
            (settings if name in records else inputs)[name] = value
        else:
            names = [*of_inputs, *of_method]
            hint = did_you_mean(name, names, f"it takes {', '.join(names)}.")
            raise InputError(f"{method.path} takes no {name}; {hint}", argument=name, value=value, code="no-argument")
    return inputs, settings


def _with_joined_files(method: Method[..., Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values with judgements and runs, if they are given separately, as the one input of the method's reader."""
    given = SEPARATE_FILES & values.keys()
    if not given:
        return values
    if given != SEPARATE_FILES or "inputs" in values:
        text = f"{method.path} needs both qrels and runs, or instead inputs=[qrels, run, …]."
        raise InputError(text, argument="inputs", code="no-inputs")
    runs = values["runs"] if isinstance(values["runs"], list | tuple) else [values["runs"]]
    others = {name: value for name, value in values.items() if name not in SEPARATE_FILES}
    return {"inputs": (values["qrels"], *runs), **others}


def _checked_value(setting: Setting, value: Any) -> Any:
    """The value, if the setting allows it, with a single word put into a tuple; objects are left to the method."""
    if isinstance(value, Record | Result | Input):
        return value
    kind, _ = without_none(setting.kind)
    several = setting.option.several or (get_origin(kind) is tuple and get_args(kind)[0] is str)
    try:
        return setting.checked_value((value,) if several and isinstance(value, str) else value)
    except InputError as problem:
        problem.argument, problem.value = setting.name, value
        raise


def input_settings(method: Method[..., Any]) -> list[Setting]:
    """The settings of a method's inputs: its own parameters, and the keywords of their readers."""
    settings = _own_inputs(method)
    if len(settings) < len(method.inputs):  # otherwise nothing is read, and readers need not be imported
        from irassay.inputs import input_reader

        readers = [reader for reader, _ in map(input_reader, method.inputs.values()) if reader is not None]
        declared = [s for r in readers for s in (*parameter_settings(r, by_place=True), *settings_of(r))]
        settings += [s for s in declared if s.option.help]
    return [*settings, BY] if method.traits.by_iteration else settings


def _own_inputs(method: Method[..., Any]) -> list[Setting]:
    """The inputs that are used as given, without a reader."""
    return [s for s in parameter_settings(method.function, by_place=True) if s.option.help]


def settings_from_grid(
    method: Method[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings that name metrics, such as the simple ones, as the grid of a paper has them."""
    unset = [s.name for s in method.settings if s.option.scored and s.name not in settings]
    if not unset or inputs.get("grid") is None:
        return {}
    from irassay.metrics.grids import grid

    return {name: getattr(grid(inputs["grid"]), name) for name in unset}


def read_inputs(method: Method[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The method's inputs, each read by the reader of its type."""
    ready, calls = _reader_calls(method, inputs, settings)
    return ready | {name: reader(**keywords) for name, (reader, keywords) in calls.items()}


def check_inputs(method: Method[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]) -> Result | None:
    """Refuses what `read_inputs` would refuse before it reads a file; returns the scores to be, as far as known."""
    _, calls = _reader_calls(method, inputs, settings)
    if not calls:
        return None
    from irassay.inputs import CHECKS, check_metric_names, expected_scores_of

    if not inputs.get("scores"):  # tables may have metrics of their own
        for name, metrics in _scored_settings(method, settings).items():
            check_metric_names(name, metrics)
    for reader, keywords in calls.values():
        if reader in CHECKS:
            CHECKS[reader](**keywords)
    return expected_scores_of(calls)


def _reader_calls(
    method: Method[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, ReaderCall]]:
    """The inputs that need no reader; and for the others the reader of their type and its keywords."""
    own = [s.name for s in _own_inputs(method)]
    ready = {name: inputs[name] for name in own if name in inputs}
    if missing := next((name for name in own if name not in ready | method.default_inputs), ""):
        raise InputError(f"{method.path} needs ", argument(missing), ".", argument=missing, code="no-inputs")
    to_read = [name for name in method.inputs if name not in own]
    calls: dict[str, ReaderCall] = {}
    if not to_read:
        return ready, calls
    from irassay.inputs import input_reader, iterations_from

    extra = tuple(metric for metrics in _scored_settings(method, settings).values() for metric in metrics)
    for name in to_read:
        reader, more = input_reader(method.inputs[name])
        if reader is None:
            continue
        given = {key: value for key, value in inputs.items() if key not in own}
        if isinstance(given.get(name), type_and_notes(method.inputs[name])[0]):
            ready[name] = given.pop(name)
            if odd := next(iter(given), ""):
                why = f" says how to read {name}, but {name} is an object; leave it out."
                raise InputError(argument(odd), why, argument=odd, value=given[odd], code="two-inputs")
            continue
        places = {s.name: given.pop(s.name) for s in parameter_settings(reader, by_place=True) if s.name in given}
        given |= {"extra_metrics": extra} if extra else {}
        if given.pop("by", None):
            calls[name] = iterations_from, places | given
        else:
            calls[name] = reader, places | composed_keywords(reader, given | more)
    return ready, calls


def _scored_settings(method: Method[..., Any], settings: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """The settings that name metrics to score, with their metrics."""
    return {s.name: settings.get(s.name, ()) for s in method.settings if s.option.scored}
