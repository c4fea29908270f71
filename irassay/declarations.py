"""The index of every declaration: `index.json`, which `make index` writes and a test keeps current.

With it `--help`, completion, `from irassay import nDCG` and saved results know what there is before it is imported.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from irassay.prose import add_aliases


@cache
def index() -> dict[str, Any]:
    """What is declared, and where: commands with their arguments, metrics, aliases, docs, saved kinds of results.

    The file holds each distinct argument once, under its name, and what follows a space in its key tells it from others
    of the name. Commands share the records, which are not to be changed.
    """
    found: dict[str, Any] = json.loads(Path(__file__).with_name("index.json").read_text(encoding="utf-8"))
    arguments = {key: {"name": key.partition(" ")[0], **record} for key, record in found["arguments"].items()}
    for entry in found["commands"].values():
        entry["arguments"] = [arguments[key] for key in entry["arguments"]]
    add_aliases(found.get("aliases", {}))
    return found


def metric_entry(name: str) -> dict[str, Any]:
    """What the index holds of a metric, its parameters as records with their name, default, domain and sentence.

    >>> [each["name"] for each in metric_entry("RBP")["parameters"]][:3], metric_entry("RBP")["parameters"][0]["high"]
    (['p', 'gain', 'rel'], 1)
    """
    entry, records = index()["metrics"][name], index()["parameters"]
    parameters = [
        {"name": key.partition(" ")[0], "default": default, **records[key]}
        for key, default in entry["parameters"].items()
    ]
    return {**entry, "parameters": parameters}


def doc(function: Callable[..., Any]) -> str:
    """What a declared function says of itself; from the index where docstrings are stripped (python -OO)."""
    from inspect import getdoc  # which help, that needs the index alone, does without

    return getdoc(function) or str(index()["docs"].get(f"{function.__module__}:{function.__qualname__}", ""))
