"""The command line and the Python code that do what a request does."""

import shlex
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from irassay.lab.requests import MethodRequest, accepted_arguments


def command_line(entry: Mapping[str, Any], request: MethodRequest) -> str:
    """The request as words for a shell."""
    words = ["irassay", *request.command.split()]
    places: list[str] = []
    given = {**request.values, **request.view}
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
    return shlex.join([*words[: 1 + len(request.command.split())], *places, *words[1 + len(request.command.split()) :]])


def python_code(request: MethodRequest) -> str:
    """The request as Python code."""
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in request.values.items()}
    options = ", ".join(f"{name}={value!r}" for name, value in request.view.items())
    shown = pformat(values, width=100, sort_dicts=False, compact=True)
    lines = ["from irassay.ask import ask", "", f'result = ask("{request.command}", {shown})']
    return "\n".join([*lines, f"print(result.view({options}))" if options else "print(result)"])
