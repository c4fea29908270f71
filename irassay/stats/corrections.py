"""Corrections of p-values for the number of pairs."""

from collections.abc import Callable

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError

Correction = Callable[[Floats], Floats]


def none(p: Floats) -> Floats:
    """The p-values as they are: each pair by itself."""
    return p


def bonferroni(p: Floats) -> Floats:
    """p times the number of pairs; controls the chance of any false difference, under any dependence."""
    return np.minimum(1.0, p * p.shape[0])


def holm(p: Floats) -> Floats:
    """Like Bonferroni, but rejected pairs no longer count [holm1979]; never finds fewer differences.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    return _stepwise_p(p, np.arange(p.shape[0], 0.0, -1.0), up=False)


def bh(p: Floats) -> Floats:
    """Controls the expected share of false differences among those found [benjamini1995].

    Proved for independent tests and some kinds of dependence, which do not include pairs that share systems.

    >>> bh(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    return _stepwise_p(p, p.shape[0] / np.arange(1, p.shape[0] + 1), up=True)


def by(p: Floats) -> Floats:
    """Like Benjamini-Hochberg, but under any dependence [benjamini2001]; p is about log m times larger."""
    rank = np.arange(1, p.shape[0] + 1)
    return _stepwise_p(p, p.shape[0] / rank * (1 / rank).sum(), up=True)


CORRECTIONS: dict[str, Correction] = {"none": none, "bonferroni": bonferroni, "holm": holm, "bh": bh, "by": by}


def corrected_p(p: Floats, correction: str) -> Floats:
    """The p-values [pair] or [pair, metric], corrected for the number of pairs."""
    if correction == "max-t":
        raise InputError("The correction 'max-t' needs the scores, not only p-values; use PairedTest.run.")
    if correction not in CORRECTIONS:
        names = ", ".join([*CORRECTIONS, "max-t"])
        raise InputError(f"There is no correction called '{correction}'; the corrections are {names}.")
    return CORRECTIONS[correction](p)


def _stepwise_p(p: Floats, factor: Floats, *, up: bool) -> Floats:
    """p times the factor of its rank, made monotone from the smallest p (down) or from the largest (up)."""
    order = np.argsort(p, axis=0, kind="stable")
    factor = factor.reshape(-1, *[1] * (p.ndim - 1))
    scaled = np.take_along_axis(p, order, axis=0) * factor
    monotone = np.minimum.accumulate(scaled[::-1], axis=0)[::-1] if up else np.maximum.accumulate(scaled, axis=0)
    result = np.empty_like(monotone)
    np.put_along_axis(result, order, np.minimum(1.0, monotone), axis=0)
    return result
