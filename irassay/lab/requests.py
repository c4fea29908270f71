"""From a request and a collection to the values of `ask`: which files a method gets, and which settings it may have."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from irassay.domains import Domain
from irassay.errors import as_found
from irassay.lab.arguments import (
    FOLDER_ROLES,
    Argument,
    Entry,
    accepted_arguments,
    primary_inputs,
    role_of,
    takes_files,
    uses_collection,
)
from irassay.lab.problems import ProblemError
from irassay.lab.stored_files import StoredFile
from irassay.lab.workspace import Collection
from irassay.prose import count_phrase, did_you_mean

VIEW_KINDS = {"switch": "flag", "choice": "word"}  # kinds of options that domains call otherwise
MAX_METRICS = 1000  # of a request


@dataclass(frozen=True)
class MethodRequest:
    """A command with the values of its inputs and settings, and the options of its view."""

    command: str
    values: Mapping[str, Any]
    view: Mapping[str, Any] = field(default_factory=dict)


def method_request(command: str, entry: Entry, body: Mapping[str, Any], collection: Collection | None) -> MethodRequest:
    """The request for a method with the collection's files; ProblemError if it names what the method does not take."""
    metrics, settings = metrics_and_settings(body)
    by_name = accepted_arguments(entry)
    values: dict[str, Any] = {}
    view: dict[str, Any] = {}
    for name, value in settings.items():
        argument = by_name.get(name)
        if argument is None or name in ("metrics", "metric"):
            raise unknown_setting(command, entry["arguments"], name, by_name)
        if value is None or (value is False and argument["kind"] == "flag"):  # as if it were not given
            continue
        _check_json_type(argument, value)
        if takes_files(argument):
            value = _paths(collection, argument, value)
        if argument["part"] == "view":
            view[name] = checked_option(argument, value)
        else:
            values[name] = value
    if metrics is not None:
        values |= _metric_values(command, metrics, by_name)
    if collection is not None:
        lacking = lacking_inputs(entry, {file.role for file in collection.files})
        if lacking and not {"inputs", "scores", "sessions"} & values.keys():
            pointer = setting_pointer("sessions" if "sessions" in by_name else "inputs")
            raise refusal(f"{command} needs files that this collection does not have: {lacking}.", pointer)
        values = _collection_values(entry, collection, values) | values
        _check_required_files(command, entry, values)
        _check_number_of_runs(command, entry, values)
    elif uses_collection(entry):
        raise ProblemError(404, f"{command} is about a collection; post to /api/collections/ID/{api_path(command)}.")
    return MethodRequest(command, values, view)


def metrics_and_settings(body: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """The two parts of a request; ProblemError if it has another one, or settings that are no object."""
    for name in body:
        if name not in ("metrics", "settings"):
            raise refusal(f"A request has metrics and settings, but no {as_found(name)}.", pointer_to(name))
    settings = body.get("settings", {})
    if not isinstance(settings, dict):
        raise refusal("The settings must be an object.", "/settings")
    return body.get("metrics"), settings


def _check_json_type(argument: Argument, value: Any) -> None:
    """Refuses anything but true or false for a flag, and anything but a list for numbers."""
    pointer = setting_pointer(argument["name"])
    if argument["kind"] in ("flag", "switch") and not isinstance(value, bool):
        raise refusal(f"{pointer} must be true or false; found {as_found(value)}.", pointer)
    if argument["kind"] in ("numbers", "wholes") and not isinstance(value, list):
        raise refusal(f"{pointer} must be a list of numbers; found {as_found(value)}.", pointer)


def checked_option(argument: Argument, value: Any) -> Any:
    """The value of an option of the view, which `ask` does not see, if its declaration allows it."""
    words = argument.get("choices", ())
    domain = Domain.unpacked({**argument, "kind": VIEW_KINDS.get(argument["kind"], argument["kind"]), "words": words})
    if not domain.holds(value):
        pointer = setting_pointer(argument["name"])
        raise refusal(f"{pointer} must be {domain.describe()}; found {as_found(value)}.", pointer)
    return value


def api_path(command: str) -> str:
    """The path of a command in the API."""
    return command.replace(" ", "/")


def pointer_to(*names: str) -> str:
    """The JSON pointer to a part of a request.

    >>> pointer_to("settings", "a/b~c"), pointer_to()
    ('/settings/a~1b~0c', '')
    """
    return "".join(f"/{name.replace('~', '~0').replace('/', '~1')}" for name in names)


def setting_pointer(name: str) -> str:
    """The JSON pointer to a setting."""
    return pointer_to("settings", name)


def refusal(text: str, pointer: str) -> ProblemError:
    """The problem that a part of the request is not acceptable."""
    return ProblemError(422, text, errors=[{"pointer": pointer, "detail": text}])


def unknown_setting(
    command: str, arguments: Sequence[Argument], name: str, by_name: Mapping[str, Argument]
) -> ProblemError:
    """The problem that there is no such setting, or that it is not accepted."""
    pointer = setting_pointer(name)
    if name in ("metrics", "metric") and name in by_name:
        return refusal(f"Give metrics beside the settings, not as {pointer}.", pointer)
    if any(argument["name"] == name for argument in arguments):
        return refusal(f"{pointer} is not accepted over HTTP; leave it out.", pointer)
    taken = [each for each in by_name if each not in ("metrics", "metric")]
    hint = did_you_mean(name, taken, f"it takes {', '.join(taken)}." if taken else "it takes no setting.")
    return refusal(f"{command} takes no {as_found(name)}; {hint}", pointer)


def _metric_values(command: str, metrics: Any, by_name: Mapping[str, Argument]) -> dict[str, Any]:
    if not isinstance(metrics, list) or not all(isinstance(metric, str) for metric in metrics):
        raise refusal('The metrics must be a list of strings, such as ["nDCG@10"].', "/metrics")
    if len(metrics) > MAX_METRICS:
        raise refusal(f"A request may name at most {MAX_METRICS:,} metrics; found {len(metrics):,}.", "/metrics")
    if "metrics" in by_name:
        return {"metrics": tuple(metrics)} if metrics else {}
    if "metric" not in by_name:
        raise refusal(f"{command} takes no metrics; leave them out.", "/metrics")
    if len(metrics) != 1:
        raise refusal(f"{command} takes one metric; found {len(metrics)}.", "/metrics")
    return {"metric": metrics[0]}


def _collection_values(entry: Entry, collection: Collection, given: Mapping[str, Any]) -> dict[str, Any]:
    """The collection's files, as the method's inputs; runs with judgements go before score tables."""
    inputs = {argument["name"]: argument for argument in primary_inputs(entry)}
    qrels, runs, tables = (_stored_paths(collection.of_role(role)) for role in ("qrels", "run", "scores"))
    values: dict[str, Any] = {}
    if "inputs" in inputs:
        if "scores" in given or "inputs" in given:
            return values
        return {"inputs": (*qrels, *runs)} if qrels and runs else {"scores": tables}
    for name, argument in inputs.items():
        if name == "paths":
            paths = tuple(f.path for f in collection.files if f.role in ("qrels", "run", "other"))
        else:
            paths = _stored_paths(collection.of_role(role_of(name)))
        if paths:
            in_folder = len(paths) > 1 and role_of(name) in FOLDER_ROLES
            one = paths[0].rpartition("/")[0] if in_folder else paths[0]
            values[name] = paths if argument.get("repeats") else one
    if "sessions" in values:
        values.pop("scores", None)
    return values


def lacking_files(entry: Entry, collection: Collection) -> str:
    """The files that a method needs and a collection does not have, in words; '' if it has them all."""
    roles = {file.role for file in collection.files}
    if lacking_first := lacking_inputs(entry, roles):
        return lacking_first
    least = 2 if entry.get("two_runs") else entry.get("least_runs", 1)
    if "scores" not in roles and 0 < len(collection.of_role("run")) < least:
        return "two runs"
    needed = [a for a in entry["arguments"] if a.get("required") and takes_files(a) and a["name"] != "paths"]
    lacking = [argument for argument in needed if role_of(argument["name"]) not in roles]
    return " and ".join(f"{role_of(argument['name'])} ({argument['help'].rstrip('.')})" for argument in lacking)


def lacking_inputs(entry: Entry, roles: Set[str]) -> str:
    """The judgements, runs, tables or sessions that a method needs and a collection does not have, in words."""
    inputs = {argument["name"] for argument in primary_inputs(entry)}
    takes_tables = "scores" in inputs
    if "inputs" in inputs and not {"qrels", "run"} <= roles and not (takes_tables and "scores" in roles):
        return "judgements and runs" + (", or score tables" if takes_tables else "")
    if "sessions" in inputs and "sessions" not in roles and not {"scores", "ratings"} <= roles:
        return "sessions, or score tables with ratings"
    return ""


def _check_required_files(command: str, entry: Entry, values: Mapping[str, Any]) -> None:
    for argument in primary_inputs(entry):
        if argument.get("required") and argument["name"] not in values:
            role, what = role_of(argument["name"]), argument["help"].rstrip(".")
            text = f"{command} needs a file that this collection does not have: {role} ({what})."
            raise refusal(text, setting_pointer(argument["name"]))


def _check_number_of_runs(command: str, entry: Entry, values: Mapping[str, Any]) -> None:
    """Refuses too few runs, and another number than two for a method about two, unless these are named."""
    runs, least = set(values.get("inputs", ())[1:]), entry.get("least_runs", 1)
    found = f"found {count_phrase(len(runs), 'run')}"
    if entry.get("two_runs") and runs and len(runs) != 2 and not {"new", "old"} <= values.keys():
        raise refusal(f"{entry['two_runs']}; {found}. Give two runs.", setting_pointer("inputs"))
    if 0 < len(runs) < least:
        raise refusal(f"{command} needs at least {least} runs; {found}. Give more runs.", setting_pointer("inputs"))


def _stored_paths(files: list[StoredFile]) -> tuple[str, ...]:
    return tuple(file.path for file in files)


def _paths(collection: Collection | None, argument: Argument, value: Any) -> Any:
    """The paths of uploaded files, given by their ids."""
    by_id = {file.id: file.path for file in collection.files} if collection else {}
    ids = value if isinstance(value, list) else [value]
    pointer = setting_pointer(argument["name"])
    if not all(isinstance(id, str) and id in by_id for id in ids):
        raise refusal(f"{pointer} must be the id of an uploaded file of this collection.", pointer)
    paths = tuple(by_id[id] for id in ids)
    if argument.get("repeats"):
        return paths
    if len(paths) != 1:
        raise refusal(f"{pointer} takes one file.", pointer)
    return paths[0]
