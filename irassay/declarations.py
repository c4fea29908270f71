"""The index of every declaration: `index.json`, which `make index` writes and a test keeps current.

With it `--help`, completion, `from irassay import nDCG` and saved results know what there is before it is imported.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def index() -> dict[str, Any]:
    """commands, metrics, saved: what is declared, and where."""
    found: dict[str, Any] = json.loads((files("irassay") / "index.json").read_text(encoding="utf-8"))
    return found
