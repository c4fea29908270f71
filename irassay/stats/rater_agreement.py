"""Agreement of raters from counts of pairs of grades: Cohen's kappa and Krippendorff's alpha, many tables at once.

A table [grade, grade] counts documents by the grade that one rater gave (row) and another (column); leading axes, such
as judges or resamples of topics, may be added. NaN where only one grade is used.
"""

from typing import Literal

import numpy as np

from irassay.arrays import Bools, Floats

Weights = Literal["none", "linear", "quadratic"]
Scale = Literal["nominal", "ordinal", "interval"]


def disagreement_weights(used: Bools, weights: Weights) -> Floats:
    """[..., grade, grade] the weight of a disagreement, by the grades' places among those that are used [..., grade].

    >>> disagreement_weights(np.array([True, True, False, True]), "linear")[0]
    array([0., 1., 1., 2.])
    """
    if weights == "none":
        return np.broadcast_to(1 - np.eye(used.shape[-1]), (*used.shape, used.shape[-1]))
    place = np.cumsum(used, axis=-1) - 1.0
    gap = np.abs(place[..., :, None] - place[..., None, :])
    return gap if weights == "linear" else gap**2


def cohen_kappa(counts: Floats, weight: Floats) -> Floats:
    """[...] Cohen's kappa of tables [..., grade, grade] with weighted disagreements [cohen1960, cohen1968].

    >>> table = np.array([[20.0, 5.0], [10.0, 15.0]])
    >>> cohen_kappa(table, 1 - np.eye(2)).round(12)
    np.float64(0.4)
    """
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    observed = np.einsum("...cd,...cd->...", counts, weight)
    expected = ((rows[..., None, :] @ weight)[..., 0, :] * columns).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - observed * rows.sum(axis=-1) / expected


def chance_disagreement(counts: Floats, weight: Floats) -> Floats:
    """[topic, ...] what each topic adds to the disagreement expected by chance, of tables [topic, ..., grade, grade].

    It is the topic's share of the denominator of kappa: little if a rare grade does not occur in it.

    >>> chance_disagreement(np.array([[[6.0, 0.0], [0.0, 2.0]], [[8.0, 0.0], [0.0, 0.0]]]), 1 - np.eye(2))
    array([40., 16.])
    """
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    by_rows = (rows * (weight @ columns.sum(axis=0)[..., None])[..., 0]).sum(axis=-1)
    by_columns = ((rows.sum(axis=0)[..., None, :] @ weight)[..., 0, :] * columns).sum(axis=-1)
    return (by_rows + by_columns) / 2


def binary_tables(counts: Floats, least: int) -> Floats:
    """[..., 2, 2] the tables with grades from place `least` on taken together, and those below.

    >>> binary_tables(np.arange(9.0).reshape(3, 3), 2)
    array([[ 8.,  7.],
           [13.,  8.]])
    """
    cut = [0, least]
    return np.add.reduceat(np.add.reduceat(counts, cut, axis=-2), cut, axis=-1)


def krippendorff_alpha(coincidences: Floats, values: Floats, scale: Scale) -> Floats:
    """[...] Krippendorff's alpha of symmetric tables of coincidences [..., grade, grade] [krippendorff2011]."""
    each = coincidences.sum(axis=-1)  # [..., grade]
    total = each.sum(axis=-1)
    if scale == "nominal":
        observed = total - np.einsum("...cc->...", coincidences)
        expected = total**2 - (each**2).sum(axis=-1)
    else:
        a = _grade_places(each, values, scale)
        # the sum of n_cd (a_c - a_d)² over all c, d is 2 (sum n_c a_c² - sum a_c n_cd a_d)
        a = a - (a * each).sum(axis=-1, keepdims=True) / np.where(total > 0, total, 1.0)[..., None]
        square = (each * a**2).sum(axis=-1)
        cross = ((a[..., None, :] @ coincidences)[..., 0, :] * a).sum(axis=-1)
        observed, expected = 2 * (square - cross), 2 * total * square
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (total - 1) * observed / expected


def squared_distances(coincidences: Floats, values: Floats, scale: Scale) -> Floats:
    """[..., grade, grade] the squared distances of grades by which alpha weights disagreements.

    >>> squared_distances(np.array([[2.0, 1.0], [1.0, 4.0]]), np.array([0.0, 3.0]), "interval")[0]
    array([0., 9.])
    """
    each = coincidences.sum(axis=-1)
    if scale == "nominal":
        return np.broadcast_to(1 - np.eye(each.shape[-1]), coincidences.shape)
    a = _grade_places(each, values, scale)
    return np.asarray((a[..., :, None] - a[..., None, :]) ** 2)


def _grade_places(each: Floats, values: Floats, scale: Scale) -> Floats:
    """[..., grade] the places of grades on the scale, from how often each occurs: mean ranks or their values."""
    return np.cumsum(each, axis=-1) - each / 2 if scale == "ordinal" else np.broadcast_to(values, each.shape)


def coincidence_table(votes: Floats) -> Floats:
    """[grade, grade] the coincidences in documents with any number of raters, from votes [document, grade].

    A pair of grades of a document counts 1 / (raters - 1); documents with fewer than two raters do not count.

    >>> coincidence_table(np.array([[2.0, 1.0], [1.0, 0.0]]))
    array([[1., 1.],
           [1., 0.]])
    """
    raters = votes.sum(axis=1)
    paired = votes[raters > 1]
    share = paired / (raters[raters > 1] - 1)[:, None]
    return paired.T @ share - np.diag(share.sum(axis=0))
