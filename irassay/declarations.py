"""The index of every declaration: `index.json`, which `make index` writes and a test keeps current.

`--help`, completion, `from irassay import nDCG` and saved results look things up in it before importing them.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from irassay.prose import add_aliases


@cache
def index() -> dict[str, Any]:
    """What is declared, and where: commands with their arguments, metrics, aliases, docs, saved kinds of results.

    The file has each distinct argument once, under its name; arguments of the same name differ in what follows a space
    in their keys. Commands share the records, so do not change them.
    """
    content: dict[str, Any] = json.loads(Path(__file__).with_name("index.json").read_text(encoding="utf-8"))
    arguments = {key: {"name": key.partition(" ")[0], **record} for key, record in content["arguments"].items()}
    for entry in content["commands"].values():
        entry["arguments"] = [arguments[key] for key in entry["arguments"]]
    for name, metric in content["metrics"].items():
        metric["sentence"] = " ".join(content["docs"][f"{metric['module']}:{name}"].split("\n\n")[0].split())
    add_aliases(content.get("aliases", {}))
    return content


def metric_entry(name: str) -> dict[str, Any]:
    """The index entry of a metric, its parameters as records with name, default, domain and sentence.

    >>> [each["name"] for each in metric_entry("RBP")["parameters"]][:3], metric_entry("RBP")["parameters"][0]["high"]
    (['p', 'gain', 'rel'], 1)
    """
    entry, records = index()["metrics"][name], index()["parameters"]
    parameters = [
        {"name": key.partition(" ")[0], "default": default, **records[key]}
        for key, default in entry["parameters"].items()
    ]
    return {**entry, "parameters": parameters}


def argument_spellings(entry: Mapping[str, Any]) -> dict[str, str]:
    """How the command line spells each argument of a command: its first flag, or its placeholder in help."""
    spellings = {}
    for each in reversed(entry["arguments"]):  # of two with the same name the first, which is the input, wins
        placeholder = f"{each.get('metavar', each['name'].upper())}{'...' if each.get('repeats') else ''}"
        spellings[each["name"]] = each["flags"][0] if each.get("flags") else placeholder
    return spellings


def is_built_in(function: Callable[..., Any]) -> bool:
    """Whether a function belongs to irassay, and not to a user's file or notebook."""
    return function.__module__.startswith("irassay.")


def doc(function: Callable[..., Any]) -> str:
    """The docstring of a declared function; from the index if docstrings are stripped (python -OO)."""
    from inspect import getdoc  # slow to import, and help needs only the index

    return getdoc(function) or str(index()["docs"].get(f"{function.__module__}:{function.__qualname__}", ""))
