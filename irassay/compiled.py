"""Libraries compiled from C when irassay was built, loaded with ctypes."""

import ctypes as c
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TYPES = {"p": c.c_void_p, "n": c.c_size_t, "i": c.c_int64, "j": c.c_int, ".": None}


def load_library(path: Path, made_for: int, signatures: Mapping[str, str]) -> Any:
    """The library at a path, with its functions typed; None if none fits, or if IRASSAY_NATIVE=0 turns it off.

    A signature is a letter for the return type, a space, and a letter for each argument (TYPES). The library fits if it
    has these functions and its `made_for` returns the same number, which changes with the source.
    """
    if os.environ.get("IRASSAY_NATIVE") == "0" or not path.is_file():
        return None
    try:
        library = c.CDLL(str(path))
        for name, signature in {"made_for": "j ", **signatures}.items():
            function = getattr(library, name)
            function.restype = TYPES[signature[0]]
            function.argtypes = [TYPES[letter] for letter in signature[2:]]
    except (OSError, AttributeError):  # built for another machine, or from another source
        return None
    return library if library.made_for() == made_for else None
