"""Criteria on subsets of the topics: agreement with other metrics, with other judgements, and between halves."""

from collections.abc import Callable

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.complete_scores import CompleteScores, mean_of_known
from irassay.meta.split_taus import half_taus
from irassay.parallel import map_blocks
from irassay.stats.rank_codes import RankCodes, rank_codes, tau_matrices, taus

CELLS = 1 << 23  # of an array [subset, metric, system, system] at a time
SPLITS_OF_A_HALF = 6  # splits of a half of the topics


def twin_groups(complete: CompleteScores) -> Ints:
    """[metric] the number of its group of twins: metrics that order the systems in the same way on every topic."""
    codes = [rank_codes(complete.values[:, :, m].T, noise) for m, noise in enumerate(complete.scores.noise())]
    same = np.array([[np.array_equal(one, other) for other in codes] for one in codes])
    return np.argmax(same, axis=1)


def agreement_on(complete: CompleteScores, subsets: Bools, groups: Ints) -> Floats:
    """[subset, metric] the mean tau-b with the other groups of twins, by means over each subset.

    The first metrics are in these groups [metric], and a group counts once; the others, if any, are in none.
    """
    weight = subsets / subsets.sum(axis=1, keepdims=True)
    noise = complete.noise
    codes = np.stack([rank_codes(weight @ complete.values[:, :, m].T, noise[m]) for m in range(len(noise))], axis=1)
    step = max(1, CELLS // codes[0].size // codes.shape[2])
    blocks = [codes[s : s + step] for s in range(0, len(codes), step)]
    tau = np.concatenate(map_blocks(_subset_taus, blocks, doing="profiling"))[:, :, : len(groups)]
    first = np.unique(groups)  # the first metric of each group, which stands for it
    group_taus = np.stack([mean_of_known(np.moveaxis(tau[:, :, groups == g], 2, 0)) for g in first], axis=2)
    for m, group in enumerate(groups):
        group_taus[:, m, first == group] = np.nan
    return mean_of_known(np.moveaxis(group_taus, 2, 0))


def _subset_taus(codes: RankCodes, shared: None) -> Floats:
    """[subset, metric, metric] tau-b of rank codes [subset, metric, system]."""
    return tau_matrices(codes)


def order_agreement(one: Floats, other: Floats, noise: Floats, subsets: Bools) -> Floats:
    """[subset, metric] tau-b of the rankings by two cubes [system, topic, metric], by means over each subset.

    NaN if a subset has no topic.
    """
    with np.errstate(invalid="ignore"):
        weight = subsets / subsets.sum(axis=1, keepdims=True)
    found = np.full((len(subsets), one.shape[2]), np.nan)
    some = subsets.any(axis=1)
    for m in range(one.shape[2]):
        codes = (rank_codes(weight[some] @ cube[:, :, m].T, noise[m]) for cube in (one, other))
        found[some, m] = taus(*codes)
    return found


def steadiness_on(complete: CompleteScores, subsets: Bools, seed: int) -> Floats:
    """[subset, metric] the mean tau-b between the rankings on two halves of each subset, over some splits."""
    rows = np.repeat(subsets, SPLITS_OF_A_HALF, axis=0)
    drawn = np.where(rows, np.random.default_rng([seed, 2]).random(rows.shape), np.inf)
    first = np.zeros(rows.shape, dtype=np.bool_)
    half = int(subsets[0].sum()) // 2
    np.put_along_axis(first, np.argsort(drawn, axis=1)[:, :half], True, axis=1)
    tau = half_taus(complete, first, rows & ~first).reshape(len(subsets), SPLITS_OF_A_HALF, -1)
    known = np.count_nonzero(~np.isnan(tau), axis=1)
    with np.errstate(invalid="ignore"):
        return np.nansum(tau, axis=1) / known


def by_size(function: Callable[[Bools], Floats], subsets: Bools) -> Floats:
    """The results of a function of subsets of one size, for subsets of several sizes."""
    sizes = subsets.sum(axis=1)
    parts = {size: function(subsets[sizes == size]) for size in np.unique(sizes)}
    found = np.empty((len(subsets), next(iter(parts.values())).shape[1]))
    for size, part in parts.items():
        found[sizes == size] = part
    return found
