"""Which candidates may be the best, as columns of a table and as sentences."""

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.prose import name_list
from irassay.stats.selection import NO_CHANGE, Selection

MAX_METRICS_BEHIND = 2  # named in a sentence
MAX_TIED_METRICS = 3  # named in a sentence, that share the first or the last place


def best_column(metrics: Sequence[str]) -> tuple[str, ...]:
    """The column that a short table has to say who may be best; none if there is only one metric.

    >>> best_column(["AP", "RR"]), best_column(["AP"])
    (('may be best',), ())
    """
    return ("may be best",) if len(metrics) > 1 else ()


def selection_columns(
    names: Sequence[str], selection: Selection, share_of_halves: Floats | None = None
) -> dict[str, Any]:
    """[candidate] whether it may be the best, those it is behind, and how often it may be the best in random halves."""
    halves = {} if share_of_halves is None else {"share of halves": share_of_halves}
    return {
        "may be best": np.where(np.isnan(selection.estimate), "", np.where(selection.may_be_best, "yes", "no")),
        "behind": [", ".join(f"{name}" for name in compress(names, row)) for row in selection.behind],
    } | halves


def selection_sentence(names: Sequence[str], selection: Selection, less: str, most: str) -> str:
    """Which metrics are significantly behind another, and how many may be best; empty if there is nothing to compare.

    `less` says what those behind do, with {s} and {are} for one or several of them, and `most` what the others may do.
    """
    known = ~np.isnan(selection.estimate)
    estimate = selection.estimate[known]
    if len(estimate) < 2 or np.ptp(estimate) <= NO_CHANGE:
        return ""
    if np.isnan(selection.p).all():
        return "On these topics the differences between metrics cannot be tested."
    behind = [name for name, is_behind in zip(names, selection.behind, strict=True) if is_behind.any()]
    if len(estimate) == 2:
        return f"The difference is {'' if behind else 'not '}significant."
    if not behind:
        return "No difference between metrics is significant."
    few, one = len(behind) <= MAX_METRICS_BEHIND, len(behind) == 1
    verb = f"{less.format(s='s' if one else '', are='is' if one else 'are')} than another metric"
    best = [name for name, may_be_best in zip(names, selection.may_be_best, strict=True) if may_be_best]
    if len(best) == 1:
        return f"Only {best[0]} may {most}; {name_list(behind) if few else f'{len(behind)} others'} {verb}."
    return f"{name_list(behind) if few else f'{len(behind)} metrics'} {verb}; the other {len(best)} may {most}."


def selection_note(what: str) -> str:
    """How metrics were compared by what they have."""
    return (
        f"Metrics are compared by {what}, all pairs at once: max-T over random signs of what each topic contributes "
        "to it (jackknife)."
    )
