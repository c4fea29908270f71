"""Corrections of p-values for the number of pairs."""

from collections.abc import Callable

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError

Correction = Callable[[Floats], Floats]


def none(p: Floats) -> Floats:
    """Leaves p-values as they are: each pair for itself."""
    return p


def bonferroni(p: Floats) -> Floats:
    """Multiplies by the number of pairs; no pair is wrong with probability 1 - alpha, under any dependence."""
    return np.minimum(1.0, p * p.shape[0])


def holm(p: Floats) -> Floats:
    """As Bonferroni, but pairs already discriminated leave the count [holm1979]; never finds less.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return _stepped(p, np.arange(p.shape[0], 0.0, -1.0), up=False)


def bh(p: Floats) -> Floats:
    """Keeps the expected share of wrong among the pairs discriminated below alpha [benjamini1995].

    It is proved for independent tests and some kinds of dependence; pairs that share systems are not covered.

    >>> bh(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    return _stepped(p, p.shape[0] / np.arange(1, p.shape[0] + 1), up=True)


def by(p: Floats) -> Floats:
    """As Benjamini-Hochberg, but under any dependence [benjamini2001], at the price of a factor of about log m."""
    rank = np.arange(1, p.shape[0] + 1)
    return _stepped(p, p.shape[0] / rank * (1 / rank).sum(), up=True)


CORRECTIONS: dict[str, Correction] = {
    "none": none,
    "bonferroni": bonferroni,
    "holm": holm,
    "bh": bh,
    "by": by,
}


def find_correction(name: str) -> Correction | None:
    """The correction of this name; None for max-t, which needs the scores, and is a test of its own."""
    if name not in CORRECTIONS and name != "max-t":
        names = ", ".join([*CORRECTIONS, "max-t"])
        raise InputError(f"There is no correction called '{name}'; the corrections are {names}.")
    return CORRECTIONS.get(name)


def corrected(p: Floats, correction: str) -> Floats:
    """The p-values [pair] or [pair, metric], corrected for the number of pairs."""
    found = find_correction(correction)
    if found is None:
        raise InputError("The correction 'max-t' needs the scores; it is part of a paired test.")
    return found(p)


def _stepped(p: Floats, factor: Floats, *, up: bool) -> Floats:
    """p times the factor of its rank, made monotone from the smallest p (down) or from the largest (up)."""
    order = np.argsort(p, axis=0, kind="stable")
    factor = factor.reshape(-1, *[1] * (p.ndim - 1))
    scaled = np.take_along_axis(p, order, axis=0) * factor
    grown = np.minimum.accumulate(scaled[::-1], axis=0)[::-1] if up else np.maximum.accumulate(scaled, axis=0)
    result = np.empty_like(grown)
    np.put_along_axis(result, order, np.minimum(1.0, grown), axis=0)
    return result
