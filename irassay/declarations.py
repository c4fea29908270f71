"""The index of every declaration: `index.json`, which `make index` writes and a test keeps current.

With it `--help`, completion, `from irassay import nDCG` and saved results know what there is before it is imported.
"""

import json
from collections.abc import Callable
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import Any

from irassay.prose import add_aliases


@cache
def index() -> dict[str, Any]:
    """commands, metrics, saved: what is declared, and where; aliases: other names of what may be asked for."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("index.json").read_text(encoding="utf-8"))
    add_aliases(found.get("aliases", {}))
    return found


def doc(function: Callable[..., Any]) -> str:
    """What a declared function says of itself; from the index where docstrings are stripped (python -OO)."""
    return getdoc(function) or str(index()["docs"].get(f"{function.__module__}:{function.__qualname__}", ""))
