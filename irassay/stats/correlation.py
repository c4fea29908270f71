"""Agreement of rankings: Kendall's tau, tau_AP, Spearman's rho, rank-biased overlap; many rankings at once.

A ranking is a row of scores; higher is better. Functions take two arrays [..., n] that broadcast to each other, and
return [...]: one number for each pair of rows. Scores that differ by less than `noise` times the range of their row
are tied.
"""

import math

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.errors import InputError
from irassay.stats.compare_correlations import midranks
from irassay.stats.draws import ELEMENTS, slices
from irassay.stats.jackknife import normal_critical
from irassay.stats.rank_codes import RankCodes, rank_codes, taus


def kendall(x: Floats, y: Floats, *, noise: float = TIE) -> Floats:
    """Kendall's tau-b: pairs in the same order minus those in opposite order, among those not tied [kendall1945].

    NaN where all items of a ranking are tied.

    >>> kendall(np.array([4, 3, 2, 1.0]), np.array([4, 2, 3, 1.0]))
    array(0.66666667)
    """
    a, b, shape = _rows(x, y)
    return taus(_codes(a, noise), _codes(b, noise)).reshape(shape)


def fieller(tau: Floats | float, n: int, *, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """The confidence interval of tau over n items by Fisher's z with variance .437/(n-4), as in chen2023.

    It treats the items, not the topics, as a random sample, and was derived for |tau| < .8 [fieller1957]. At |tau| = 1
    it has no width; with four items or fewer it is NaN.

    >>> [float(end.round(3)) for end in fieller(0.784, 39)]
    [0.684, 0.855]
    """
    tau = np.asarray(tau, dtype=np.float64)
    if n <= 4:
        return np.full(tau.shape, np.nan), np.full(tau.shape, np.nan)
    reach = normal_critical(alpha) * math.sqrt(0.437 / (n - 4))
    with np.errstate(divide="ignore"):
        z = np.arctanh(tau)
    return np.tanh(z - reach), np.tanh(z + reach)


def spearman(x: Floats, y: Floats, *, noise: float = TIE) -> Floats:
    """Spearman's rho: Pearson's correlation of the ranks, where tied items share their mean rank [spearman1904].

    >>> spearman(np.array([4, 3, 2, 1.0]), np.array([4, 2, 3, 1.0]))
    array(0.8)
    """
    a, b, shape = _rows(x, y)
    first, second = (midranks(_codes(each, noise)) - (a.shape[1] + 1) / 2 for each in (a, b))
    with np.errstate(invalid="ignore"):
        rho = (first * second).sum(axis=1) / np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    return rho.reshape(shape)


def tau_ap(reference: Floats, estimate: Floats, *, ties: str = "a", noise: float = TIE) -> Floats:
    """tau_AP: like Kendall's tau, but an error near the top of the estimate costs more [yilmaz2008].

    Variant a is for ties in the estimate only: the mean over the orders of tied items. Variant b is for ties in both:
    the mean of both directions, without the tied items [urbano2017]. 'none' refuses ties.
    """
    if ties not in ("none", "a", "b"):
        raise InputError(f"ties='{ties}': expected none, a or b, the variants of tau_AP.")
    x, y, shape = _rows(reference, estimate)
    tau = np.empty(len(x))
    for part in slices(len(x), ELEMENTS // x.shape[1] ** 2):
        above_x, above_y = _above(x[part], noise), _above(y[part], noise)
        tied_x, tied_y = _tie_sizes(above_x), _tie_sizes(above_y)
        if ties == "none" and ((tied_x > 1).any() or (tied_y > 1).any()):
            raise InputError("Some items are tied, which ties='none' of tau_AP does not allow; use ties='a' or 'b'.")
        if ties == "a" and (tied_x > 1).any():
            raise InputError("The reference has ties, but variant a of tau_AP allows them in the estimate only; use b.")
        if ties == "b":
            tau[part] = (_tau_ap_half(above_x, above_y) + _tau_ap_half(above_y, above_x)) / 2
        else:
            tau[part] = _tau_ap_mean(above_x, above_y, tied_y)
    return tau.reshape(shape)


def rbo(x: Floats, y: Floats, *, p: float = 0.9, noise: float = TIE) -> Floats:
    """Rank-biased overlap of two rankings of the same items, extrapolated: RBO_ext [webber2010].

    A tied item counts at each depth with its chance of being above it: the mean over the orders of tied items
    [corsi2024].

    >>> rbo(np.array([5, 4, 3, 2, 1.0]), np.array([4, 5, 3, 2, 1.0])).round(12)
    np.float64(0.9)
    """
    a, b, shape = _rows(x, y)
    n = a.shape[1]
    depth = np.arange(1, n + 1)
    overlap = np.empty((len(a), n))
    for part in slices(len(a), ELEMENTS // n**2):
        chance = []  # of each ranking: [ranking, item, depth] that the item is within the depth
        for above in (_above(a[part], noise), _above(b[part], noise)):
            place = np.count_nonzero(above, axis=2)[:, :, None]
            chance.append(np.clip((depth - place) / _tie_sizes(above)[:, :, None], 0, 1))
        overlap[part] = np.einsum("rid,rid->rd", *chance)
    return _extrapolated_overlap(overlap, p).reshape(shape)


def _extrapolated_overlap(overlap: Floats, p: float) -> Floats:
    """[ranking] (X_k/k) p^k + ((1-p)/p) sum over d of (X_d/d) p^d, with X the overlaps [ranking, depth]."""
    if not 0 < p < 1:
        raise InputError(f"p={p:g}: expected a number between 0 and 1, the persistence of RBO.")
    depth = np.arange(1, overlap.shape[1] + 1)
    share = overlap / depth
    return share[:, -1] * p ** depth[-1] + (1 - p) / p * (share @ p**depth)


def _tau_ap_mean(above_x: Bools, above_y: Bools, tied: Ints) -> Floats:
    """[ranking] the mean of tau_AP over the orders of items tied in the estimate y."""
    n = above_x.shape[1]
    place = np.count_nonzero(above_y, axis=2)  # items above the item's group
    right = np.count_nonzero(above_x & above_y, axis=2)
    harmonic = np.append(0.0, np.cumsum(1 / np.arange(1, n + 1)))  # H(m) = 1 + 1/2 + … + 1/m
    # An item is k-th among its t tied ones, with every k equally likely: of the place + k - 1 items above it, `right`
    # are certainly right, and half of the k - 1 tied ones are.
    inverse = harmonic[place + tied - 1] - harmonic[np.maximum(place, 1) - 1]  # sum of 1/(place + k - 1)
    first = np.where(place > 0, right * inverse, 0.0)
    chance = tied - np.where(place > 0, place * inverse, 1.0)  # sum of (k-1)/(place + k - 1), 0 for 0/0
    return 2 / (n - 1) * ((first + chance / 2) / tied).sum(axis=1) - 1


def _tau_ap_half(above_x: Bools, above_y: Bools) -> Floats:
    """[ranking] tau_AP of y against x over the items with others above them, without tied items."""
    place = np.count_nonzero(above_y, axis=2)
    right = np.count_nonzero(above_x & above_y, axis=2)
    with np.errstate(invalid="ignore"):
        return 2 * (right / np.maximum(place, 1)).sum(axis=1) / np.count_nonzero(place, axis=1) - 1


def _above(x: Floats, noise: float) -> Bools:
    """[ranking, item, other] whether the other item is above the item."""
    return x[:, None, :] - x[:, :, None] > noise * np.ptp(x, axis=1)[:, None, None]


def _tie_sizes(above: Bools) -> Ints:
    """[ranking, item] how many items are tied with each item, itself included."""
    return np.count_nonzero(~(above | above.swapaxes(1, 2)), axis=2)


def _codes(x: Floats, noise: float) -> RankCodes:
    """[ranking, item] the rank codes; items closer than the noise are tied."""
    return rank_codes(x, noise * np.ptp(x, axis=1))


def _rows(x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Both as rows [ranking, n], broadcast to each other, and the shape of the result."""
    first, second = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("A ranking has items without a score; leave them out of both rankings.")
    n = first.shape[-1]
    if n < 2:
        raise InputError(f"Rankings need at least two items to be correlated; found {n}.")
    return first.reshape(-1, n), second.reshape(-1, n), first.shape[:-1]
