"""Examples of keywords, for the tests that ask every method and every command: the one place to add to for a new one.

A method is given those that it takes; a keyword that has a default needs none, unless the default is slow.
"""

from typing import Any

import numpy as np

from irassay.meta.preference import Choices

# What may be small wherever it is asked.
SMALL: dict[str, Any] = {
    "assessors": 20,
    "bootstraps": 40,
    "partitions": 2,
    "repeats": 2,
    "similar": 0.0,
    "splits": 40,
    "subsets": 10,
    "thin": (0.5,),
    "trials": 100,
}

# Python calls on scores of systems s0 to s4 or more, topics t0 to t7 or more, and metrics m0 to m3.
CALLS: dict[str, Any] = SMALL | {
    "choices": Choices(
        tuple(f"t{n % 8}" for n in range(40)),
        tuple(f"s{n % 4 + 1}" for n in range(40)),
        tuple(f"s{n % 4}" for n in range(40)),
        np.where(np.arange(40) % 3, 1, -1).astype(np.int8),
    ),
    "reference": "m1",
    "simple": ("m3",),
    "sweep": ("w=0.1,0.5,0.9",),
}

# Commands on a simulated collection scored by AP, nDCG@10 and P@5: settings that are not left at their defaults.
COMMANDS: dict[str, Any] = SMALL | {
    "alpha": 0.1,
    "also": ("rbo",),
    "bounds": True,
    "correction": "holm",
    "depth": 4,
    "folds": 3,
    "induction": False,
    "levels": (0.02, 0.2),
    "means": True,
    "missing": "skip",
    "ranks": 3,
    "reference": "AP",
    "seed": 3,
    "simple": ("P@5",),
    "strict": True,
    "systems": 4,
    "tables": ("text",),
    "test": "permutation",
    "to": "tot",
    "topics": 6,
}
OTHERWISE: dict[str, dict[str, Any]] = {  # where a setting of this name means something else
    "score": {"depth": 50},
    "check": {"new": "T1-plain", "old": "T2-plain", "tolerance": 0.2, "fail_on": "worse"},
    "judges": {"runs": ("runs",)},
    "meta fragility": {"test": "max-t"},
    "meta multiverse": {"only": ("metric=AP",), "add": ("test=sign",), "without": ("ties",)},
    "meta generalizability": {"topics": (5, 20)},
    "meta satisfaction": {"group": "user"},
    "meta fitting": {"sweep": ("p=0.5,0.8",)},
    "meta sensitivity": {"sweep": ("p=0.5,0.8",)},
}
RUNS_TAKEN = {"claim": 2}  # runs that a command takes, if not any number
