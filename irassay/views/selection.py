"""The columns of a table that say which candidates may be the best."""

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.stats.selection import Selection


def selection_columns(
    names: Sequence[str], selection: Selection, share_of_halves: Floats | None = None
) -> dict[str, Any]:
    """[candidate] whether it may be the best, those it is behind, and how often it may be the best in random halves."""
    halves = {} if share_of_halves is None else {"share of halves": share_of_halves}
    return {
        "may be best": np.where(selection.may_be_best, "yes", "no"),
        "behind": [", ".join(f"{name}" for name in compress(names, row)) for row in selection.behind],
    } | halves
