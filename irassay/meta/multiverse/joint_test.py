"""One test of a claim over all specifications: one sign per topic, the same in every specification."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import TIE, Floats, Ints
from irassay.parallel import check_cancelled
from irassay.stats.draws import Draws, signs


@dataclass(frozen=True, eq=False)
class JointTest:
    """p of a claim over all specifications, one-sided."""

    median: float  # of the median t
    some: float  # of the largest t: better in some specification
    every: float  # of the largest p: better in every specification
    single: Floats  # [specification] two-sided sign-flip p of each by itself
    trials: int
    exact: bool  # all signs were tried


def joint_test(d: Floats, row_of: Ints, trials: int, seed: int) -> JointTest:
    """The test, given distinct differences d [row, topic], NaN where a topic is left out, and the row of each
    specification.

    The null hypothesis is that the two systems could be exchanged on each topic. Median and largest are of t, because
    the units of differences differ.
    """
    known = np.where(np.isnan(d), 0.0, d)
    n = (~np.isnan(d)).sum(axis=1)
    length = np.sqrt(n * (known**2).sum(axis=1))  # of cos = S / sqrt(n Q), which grows with t
    scale = np.divide(1.0, length, where=length > 0, out=np.zeros(len(d)))
    draws: Draws[Floats] = signs(d.shape[1], trials, seed, one_sided=True)
    observed = known.sum(axis=1) * scale
    t = _t(observed, n)
    bars = np.median(t[row_of]), t.max()
    counts, above, beyond = np.zeros(2), np.zeros(len(d)), np.zeros(len(d))
    for block in draws.blocks:
        check_cancelled()
        cosine = (known @ draws.draw(block)) * scale[:, None]  # [row, trial]
        above += (cosine >= observed[:, None] - TIE).sum(axis=1)
        beyond += (np.abs(cosine) >= np.abs(observed)[:, None] - TIE).sum(axis=1)
        drawn = _t(cosine, n[:, None])
        for which, values in enumerate((np.median(drawn[row_of], axis=0), drawn.max(axis=0))):
            counts[which] += (values >= bars[which] - TIE * max(1.0, abs(bars[which]))).sum()

    def p(count: Floats) -> Floats:
        return count / draws.trials if draws.exact else (count + 1) / (draws.trials + 1)

    median, some = p(counts)
    return JointTest(float(median), float(some), float(p(above).max()), p(beyond), draws.trials, draws.exact)


def _t(cosine: Floats, n: Ints) -> Floats:
    """[…] Student's t of differences whose sum is the cosine times sqrt(n Q), at most a large number."""
    rest = np.maximum(1 - cosine**2, 1e-12)
    return cosine * np.sqrt((n - 1) / rest)


def variance_shares(t: Floats, columns: dict[str, list[str]]) -> dict[str, float]:
    """The share of the variance of t [specification] between the choices of each dimension, largest first.

    Each dimension is taken alone, and not all choices are combined, so the shares need not sum to 1.
    """
    finite = np.isfinite(t)
    total = float(((t[finite] - t[finite].mean()) ** 2).sum()) if finite.any() else 0.0
    shares = {}
    for name, column in columns.items():
        levels, code = np.unique(np.array(column)[finite], return_inverse=True)
        if len(levels) < 2:
            continue
        size = np.bincount(code)
        mean = np.bincount(code, weights=t[finite]) / size
        between = float((size * (mean - t[finite].mean()) ** 2).sum())
        shares[name] = round(between / total, 12) if total > 0 else 0.0  # what only rounding makes is 0
    return dict(sorted(shares.items(), key=lambda each: -each[1]))
