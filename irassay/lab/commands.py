"""The command line and the Python code that do what a request does."""

import shlex
from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any

from irassay.lab.arguments import accepted_arguments, takes_files
from irassay.lab.requests import MethodRequest
from irassay.lab.workspace import Collection
from irassay.prose import first_few, visible_text


def command_line(
    entry: Mapping[str, Any], request: MethodRequest, collection: Collection | None, define: Sequence[str] = ()
) -> str:
    """The request as words for a shell; `define` has the users' files that it needs."""
    words = ["irassay", *request.command.split()]
    places: list[str] = []
    given = {**given_values(entry, request, collection), **request.view}
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
    line = shlex.join([*words[: 1 + len(request.command.split())], *places, *words[1 + len(request.command.split()) :]])
    return same_name_remark(collection) + line


def same_name_remark(collection: Collection | None) -> str:
    """A comment that goes before commands and code that cannot be exact, because several files have the same path."""
    paths = [file.command_path for file in collection.files] if collection else []
    repeated = sorted({path for path in paths if paths.count(path) > 1})
    if not repeated:
        return ""
    names = visible_text(first_few(repeated, 3))
    return f"# Several of the uploaded files are called {names}. Write the path of each; it names the run.\n"


def given_values(entry: Mapping[str, Any], request: MethodRequest, collection: Collection | None) -> dict[str, Any]:
    """The values of a request, with files by the paths that a command needs."""
    paths = {file.path: file.command_path for file in collection.files} if collection else {}

    def command_path(path: str) -> str:
        return paths.get(path) or f"{path.removeprefix('~').partition('-')[0]}/"  # a folder, also of an earlier lab

    arguments, values = accepted_arguments(entry), {}
    for name, value in request.values.items():
        value = list(value) if isinstance(value, tuple) else value
        if name in arguments and takes_files(arguments[name]):
            value = [command_path(each) for each in value] if isinstance(value, list) else command_path(value)
        values[name] = value
    return values


def python_code(
    entry: Mapping[str, Any], request: MethodRequest, collection: Collection | None, define: Sequence[str] = ()
) -> str:
    """The request as Python code; `define` has the users' files that it needs."""
    values = given_values(entry, request, collection)
    options = ", ".join(f"{name}={value!r}" for name, value in request.view.items())
    shown = pformat(values, width=100, sort_dicts=False, compact=True)
    imports = ["from irassay.ask import ask", *(["from irassay import define"] if define else [])]
    lines = [*imports, "", *(f"define({file!r})" for file in define), f'result = ask("{request.command}", {shown})']
    return same_name_remark(collection) + "\n".join(
        [*lines, f"print(result.view({options}))" if options else "print(result)"]
    )
