"""What a metric comes to on some of the topics: significance at a critical value that is held, and agreement."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.meta.complete import CompleteScores
from irassay.parallel import map_blocks
from irassay.stats.paired_test import find_test
from irassay.stats.rank_codes import rank_codes, tau_matrices

if TYPE_CHECKING:  # methods are listed in the order in which they are imported
    from irassay.meta.discrimination import Discrimination

CELLS = 1 << 20  # of an array [subset, pair] at a time
QUARTERS = 6  # splits of a half of the topics


@dataclass(frozen=True)
class Held:
    """When a difference is significant on any set of topics: the critical value of the test of all topics, held.

    HSD asks for one difference, which grows with the square root of topics left out. A test of all pairs together by
    t keeps its critical t. Of tests of one pair at a time, those of ranks, signs and resamples too, it is Student's t
    at the largest p-value that was significant after correction.
    """

    topics: int
    level: Floats  # [metric] difference, |t| or p-value
    unit: str  # 'difference', 't' or 'p'

    def limits(self, m: int, kept: int) -> float:
        """The difference, or |t|, that must be exceeded on so many topics."""
        level = float(self.level[m])
        if self.unit == "difference":
            return level * math.sqrt(self.topics / kept)
        if self.unit == "t":
            return level
        from scipy.special import stdtrit

        return float(stdtrit(kept - 1, 1 - level / 2)) if level > 0 else math.inf


def held(found: "Discrimination", values: Floats, alpha: float) -> Held:
    """What the test of all topics asks for at a level, by scores [system, topic, metric]."""
    asked = found.threshold[found.levels.index(alpha)]
    if found.test in ("tukey", "anova-tukey"):
        return Held(found.topics, asked, "difference")
    error = np.stack([_errors(values[:, :, m]) for m in range(values.shape[2])], axis=1)  # [pair, metric]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(found.difference) / error
    least = np.where((found.p < alpha) & (error > 0), t, np.inf).min(axis=0) * (1 - 1e-12)
    if find_test(found.test).family:
        with np.errstate(divide="ignore", invalid="ignore"):
            critical = np.where(np.isfinite(asked), asked / np.median(error, axis=0), np.inf)
        return Held(found.topics, np.fmin(least, critical), "t")
    if found.correction == "none":
        return Held(found.topics, np.full(len(asked), alpha), "p")
    from scipy.special import stdtr

    most = 2 * stdtr(found.topics - 1, -least)
    return Held(found.topics, np.where(most > 0, most, alpha / len(found.p)), "p")


def _errors(scores: Floats) -> Floats:
    """[pair] the standard error of the mean difference of every two systems, of scores [system, topic]."""
    first, second = np.triu_indices(len(scores), k=1)
    return (scores[first] - scores[second]).std(axis=1, ddof=1) / math.sqrt(scores.shape[1])


def directions(gap: Floats, kept: Bools, limit: float, unit: str, noise: float) -> Floats:
    """[subset, pair] 1 or -1 where the mean of gaps [topic, pair] over a subset is significant, otherwise 0."""
    if not math.isfinite(limit):
        return np.zeros((len(kept), gap.shape[1]))
    weight = kept.astype(np.float64)
    n = weight.sum(axis=1, keepdims=True)
    mean = weight @ gap / n
    if unit == "difference":
        sure = np.abs(mean) > max(limit * (1 - 1e-9), noise)
    else:
        variance = np.maximum(weight @ gap**2 - n * mean**2, 0.0) / (n - 1)
        sure = (mean**2 * n > limit**2 * variance) & (np.abs(mean) > noise)
    return np.where(sure, np.sign(mean), 0.0)


def resolved(cubes: tuple[Floats, ...], noise: Floats, kept: Bools, rule: Held) -> Floats:
    """[subset, metric] the share of pairs that are significant, and with the same sign, whichever bound is true.

    `cubes` are scores [system, topic, metric], alone (then this is power) or with the worst and the best that missing
    judgements could make of them: the differences are then also those of one's worst with the other's best. All
    subsets [subset, topic] are of one size.
    """
    first, second = np.triu_indices(len(cubes[0]), k=1)
    size = int(kept[0].sum())
    step = max(1, CELLS // max(1, len(first)))
    work = [(m, slice(s, s + step)) for m in range(cubes[0].shape[2]) for s in range(0, len(kept), step)]

    def block(place: tuple[int, slice]) -> Floats:
        m, rows = place
        limit = rule.limits(m, size)

        def signs(one: int, other: int) -> Floats:
            gap = cubes[one][first, :, m] - cubes[other][second, :, m]
            return directions(gap.T, kept[rows], limit, rule.unit, noise[m])

        sign = signs(0, 0)
        if len(cubes) > 1:
            sign = np.where((signs(1, 2) == sign) & (signs(2, 1) == sign), sign, 0.0)
        return np.mean(sign != 0, axis=1)

    return np.concatenate(map_blocks(block, work, doing="profiling")).reshape(-1, len(kept)).T


def agreement_on(made: CompleteScores, kept: Bools, among: int) -> Floats:
    """[subset, metric] the mean tau-b with the other ones of the first `among` metrics, by means over each subset."""
    weight = kept / kept.sum(axis=1, keepdims=True)
    noise = made.noise
    codes = np.stack(
        [rank_codes(weight @ made.values[:, :, m].T, noise[m]) for m in range(len(noise))], axis=1
    )  # [subset, metric, system]
    step = max(1, 8 * CELLS // codes[0].size // codes.shape[2])
    found = map_blocks(lambda s: tau_matrices(codes[s : s + step]), range(0, len(codes), step), doing="profiling")
    tau = np.concatenate(found)[:, :, :among]
    own = np.arange(among)
    tau[:, own, own] = np.nan
    known = np.count_nonzero(~np.isnan(tau), axis=2)
    with np.errstate(invalid="ignore"):
        return np.nansum(tau, axis=2) / known


def steadiness_on(made: CompleteScores, kept: Bools, seed: int) -> Floats:
    """[subset, metric] the mean tau-b between the rankings on two halves of each subset, over some splits."""
    from irassay.meta.consistency import half_taus

    rows = np.repeat(kept, QUARTERS, axis=0)
    drawn = np.where(rows, np.random.default_rng([seed, 2]).random(rows.shape), np.inf)
    first = np.zeros(rows.shape, dtype=np.bool_)
    half = int(kept[0].sum()) // 2
    np.put_along_axis(first, np.argsort(drawn, axis=1)[:, :half], True, axis=1)
    tau = half_taus(made, first, rows & ~first).reshape(len(kept), QUARTERS, -1)
    known = np.count_nonzero(~np.isnan(tau), axis=1)
    with np.errstate(invalid="ignore"):
        return np.nansum(tau, axis=1) / known


def by_size(function: Callable[[Bools], Floats], kept: Bools) -> Floats:
    """What a function of subsets of one size finds for subsets of several sizes, in their order."""
    sizes = kept.sum(axis=1)
    parts = {size: function(kept[sizes == size]) for size in np.unique(sizes)}
    found = np.empty((len(kept), next(iter(parts.values())).shape[1]))
    for size, part in parts.items():
        found[sizes == size] = part
    return found
