"""How much a parameter of a metric matters for the agreement with users' ratings."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.meta.complete_scores import best_first
from irassay.meta.satisfaction.method import Folds, Partitions
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.sweep import Sweep, SweptResult, candidates_of, check_sweep
from irassay.meta.shared_options import Seed, Trials
from irassay.method import method
from irassay.stats.compare_correlations import midranks, pearson
from irassay.stats.correlation_bootstrap import correlation_intervals
from irassay.stats.regression import prediction_errors, random_folds


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(SweptResult):
    """How the agreement of metrics with ratings depends on the value of a parameter."""

    saved_as: ClassVar[str] = "sensitivity"

    pearson: Floats  # [value, metric]
    pearson_low: Floats  # [value, metric] the ends of the 95 % intervals
    pearson_high: Floats  # [value, metric]
    spearman: Floats  # [value, metric]
    nrmse: Floats  # [value, metric]
    nrmse_of_mean: float
    indistinct: NDArray[np.bool_]  # [value, metric] r is not significantly below that of the best value

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their highest Pearson's r for any value, best first; undefined ones last."""
        return best_first(self.metrics, np.array([r for _, _, r in self.best()]))

    def best(self, by: str = "pearson") -> list[tuple[str, Any, float]]:
        """Each metric with its best value on these units (or pair of values), and the result for that value."""
        curve, place = self.curve(by), self.best_places(by)
        return [
            (name, self.value_at(v), float(curve[v, m]))
            for m, (name, v) in enumerate(zip(self.metrics, place, strict=True))
        ]

    def best_places(self, by: str = "pearson") -> Ints:
        """[metric] the place of the best value on these units."""
        curve = self.curve(by)
        return np.argmin(np.nan_to_num(curve if by == "nrmse" else -curve, nan=np.inf), axis=0)

    def curve(self, by: str) -> Floats:
        """[value, metric] pearson, spearman or nrmse."""
        curves = {"pearson": self.pearson, "spearman": self.spearman, "nrmse": self.nrmse}
        if by not in curves:
            raise InputError(f"by='{by}': expected one of {', '.join(curves)}.")
        return curves[by]

    def plausible(self) -> list[tuple[str, float, float]]:
        """Each metric with the smallest and the largest value that is not significantly worse than the best one."""
        values = [self.values[indistinct] for indistinct in self.indistinct.T]
        return [
            (name, float(v.min(initial=np.inf)), float(v.max(initial=-np.inf)))
            for name, v in zip(self.metrics, values, strict=True)
        ]


@method(
    "How much does a parameter's value matter for agreement with users?",
    cite="jiang2016",
    check=check_sweep,
    examples=("irassay meta sensitivity --sessions sessions/ -m RBP --sweep p=0.5,0.7,0.9",),
)
def sensitivity(
    rated: RatedUnits,
    *,
    sweep: Sweep = (),
    folds: Folds = 10,
    partitions: Partitions = 10,
    trials: Trials = 2000,
    seed: Seed = 0,
) -> Sensitivity:
    """Curves of correlation and error over the values of a parameter, as in Figure 1 of jiang2016.

    With two parameters, a map over all pairs of their values.
    """
    candidates = candidates_of(rated, sweep)
    count, metrics, units = candidates.scores.shape
    x, y = candidates.scores.reshape(-1, units), candidates.ratings.values
    errors = prediction_errors(x, y, random_folds(candidates.ratings.members("none"), folds, partitions, seed))
    r, rho = (each.reshape(count, metrics) for each in (pearson(x, y), pearson(midranks(x), midranks(y))))
    clusters = list(candidates.ratings.groupings.values())
    low, high = np.empty(r.shape), np.empty(r.shape)
    indistinct = np.zeros(r.shape, dtype=np.bool_)
    for m in range(metrics):
        r_ends, _, gap, _ = correlation_intervals(candidates.scores[:, m], y, clusters, trials, seed)
        low[:, m], high[:, m] = r_ends
        best = int(np.argmax(np.nan_to_num(r[:, m], nan=-np.inf)))
        indistinct[:, m] = gap[0, best] <= 0
    return Sensitivity(
        **candidates.swept,
        pearson=r,
        pearson_low=low,
        pearson_high=high,
        spearman=rho,
        nrmse=errors.rmse.mean(axis=1).reshape(r.shape) / candidates.ratings.length,
        nrmse_of_mean=float(errors.of_mean.mean()) / candidates.ratings.length,
        indistinct=indistinct,
    )
