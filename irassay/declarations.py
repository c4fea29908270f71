"""The index of every declaration: `index.json`, which `make index` writes and a test keeps current.

With it `--help`, completion, `from irassay import nDCG` and saved results know what there is before it is imported.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def index() -> dict[str, Any]:
    """commands, metrics, saved: what is declared, and where."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("index.json").read_text(encoding="utf-8"))
    return found


def doc(function: Callable[..., Any]) -> str:
    """What a declared function says of itself; from the index where docstrings are stripped (python -OO)."""
    from inspect import getdoc  # which help, that needs the index alone, does without

    return getdoc(function) or str(index()["docs"].get(f"{function.__module__}:{function.__qualname__}", ""))
