"""The command line and the Python code that do what a request does."""

import shlex
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from irassay.lab.requests import MethodRequest, accepted_arguments, takes_files
from irassay.lab.workspace import given_path


def command_line(entry: Mapping[str, Any], request: MethodRequest, define: Sequence[str] = ()) -> str:
    """The request as words for a shell; `define` has the users' files that it needs."""
    words = ["irassay", *request.command.split()]
    places: list[str] = []
    given = {**given_values(entry, request), **request.view}
    for name, argument in accepted_arguments(entry).items():
        if name not in given:
            continue
        value, flags = given[name], argument.get("flags")
        several = list(value) if isinstance(value, list | tuple) else [value]
        if not flags:
            places += map(str, several)
        elif argument["kind"] == "flag":
            words += [flags[0]] if value else []
        elif argument["kind"] == "switch":
            words.append(flags[0] if value else flags[1])
        elif argument["kind"] in ("numbers", "wholes"):
            words += [flags[0], ",".join(map(str, several))]
        elif argument.get("greedy"):
            words += [flags[0], *map(str, several)]
        else:
            flag = "-m" if "-m" in flags else flags[0]
            words += [word for each in several for word in (flag, str(each))]
    words += [word for file in define for word in ("--define", file)]
    return shlex.join([*words[: 1 + len(request.command.split())], *places, *words[1 + len(request.command.split()) :]])


def given_values(entry: Mapping[str, Any], request: MethodRequest) -> dict[str, Any]:
    """The values of a request, with files by the names they were given."""
    arguments, values = accepted_arguments(entry), {}
    for name, value in request.values.items():
        value = list(value) if isinstance(value, tuple) else value
        if name in arguments and takes_files(arguments[name]):
            value = [given_path(each) for each in value] if isinstance(value, list) else given_path(value)
        values[name] = value
    return values


def python_code(entry: Mapping[str, Any], request: MethodRequest, define: Sequence[str] = ()) -> str:
    """The request as Python code; `define` has the users' files that it needs."""
    values = given_values(entry, request)
    options = ", ".join(f"{name}={value!r}" for name, value in request.view.items())
    shown = pformat(values, width=100, sort_dicts=False, compact=True)
    imports = ["from irassay.ask import ask", *(["from irassay.userfile import define"] if define else [])]
    lines = [*imports, "", *(f"define({file!r})" for file in define), f'result = ask("{request.command}", {shown})']
    return "\n".join([*lines, f"print(result.view({options}))" if options else "print(result)"])
