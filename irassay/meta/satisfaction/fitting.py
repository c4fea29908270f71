"""How well a parameter fitted to users' ratings predicts new units."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.meta.satisfaction.method import Folds, Group, Partitions
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.sweep import Sweep, SweptResult, candidates_of, check_sweep
from irassay.meta.shared_options import Seed
from irassay.method import method
from irassay.parallel import check_cancelled
from irassay.stats.compare_correlations import pearson, resampled_t, skill
from irassay.stats.jackknife import student_critical
from irassay.stats.levels import alpha_of_level
from irassay.stats.regression import prediction_errors, random_folds


@dataclass(frozen=True, eq=False, repr=False)
class Fitting(SweptResult):
    """A parameter fitted within cross-validation, so that its error is measured on unseen units."""

    saved_as: ClassVar[str] = "fitting"

    objective: str
    chosen: Ints  # [fold, metric] the place of the value chosen on the training units of each fold
    nested: Floats  # [metric, fold] NRMSE with that value
    apparent: Floats  # [metric, fold] NRMSE with the value that is best on all units, test units included
    fitted: Ints  # [metric] the place of that value
    error_of_mean: Floats  # [fold]
    skill: Floats  # [metric] of the nested predictions
    ratio: float  # test units to training units

    def best(self) -> list[tuple[str, Any]]:
        """Each metric with the value (or pair of values) that is best on all units."""
        return [(name, self.value_at(v)) for name, v in zip(self.metrics, self.fitted, strict=True)]

    def nrmse(self) -> Floats:
        """[metric] the NRMSE to expect of the fitted metric on new units."""
        return self.nested.mean(axis=1)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their expected NRMSE on new units, best first."""
        error = self.nrmse()
        return [(self.metrics[m], float(error[m])) for m in np.argsort(error, kind="stable")]

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of that NRMSE, corrected for overlapping folds [nadeau2003]."""
        folds = self.nested.shape[1]
        error = np.sqrt((1 / folds + self.ratio) * self.nested.var(axis=1, ddof=1))
        reach = student_critical(alpha_of_level(level, 0.05), folds) * error
        return self.nrmse() - reach, self.nrmse() + reach

    def optimism(self) -> Floats:
        """[metric] how much lower the NRMSE is on the units that the metric was fitted on."""
        return (self.nested - self.apparent).mean(axis=1)

    def shares(self) -> Floats:
        """[value, metric] the share of folds in which each value was chosen; a wide spread means it is uncertain."""
        return (self.chosen == np.arange(len(self.values))[:, None, None]).mean(axis=1)

    def better_than_mean(self) -> Floats:
        """[metric] p of the hypothesis that predicting the mean rating does as well, by the corrected resampled t."""
        return resampled_t(self.nested - self.error_of_mean, self.ratio)[1]


@method(
    "Which parameter value agrees best with users, and how well does it predict new units?",
    cite="jiang2016 nadeau2003",
    check=check_sweep,
    examples=("irassay meta fitting --sessions sessions/ -m RBP --sweep p=0.5,0.7,0.9",),
)
def fitting(
    rated: RatedUnits,
    *,
    sweep: Sweep = (),
    objective: Annotated[Literal["nrmse", "pearson"], "Choose the value by this."] = "nrmse",
    folds: Folds = 10,
    partitions: Partitions = 10,
    group: Group = "none",
    seed: Seed = 0,
) -> Fitting:
    """Fit one or two parameters of each metric to users' ratings, by nested cross-validation."""
    # In every fold the value is chosen on the training units only: by the smallest NRMSE of a cross-validation among
    # them, or the highest r. Units of a group stay together in both cross-validations.
    candidates = candidates_of(rated, sweep)
    count, metrics, units = candidates.scores.shape
    ratings, x, y = candidates.ratings, candidates.scores.reshape(-1, units), candidates.ratings.values
    member = ratings.members(group)
    fold = random_folds(member, folds, partitions, seed)
    outer = prediction_errors(x, y, fold)

    def best_values(kept: NDArray[np.bool_]) -> Ints:
        """[metric] the place of the best value on these units."""
        check_cancelled()
        kept_x = candidates.scores[:, :, kept].reshape(count * metrics, -1)
        if objective == "pearson":
            loss = -pearson(kept_x, y[kept])
        else:
            inner = random_folds(np.unique(member[kept], return_inverse=True)[1], folds, 1, seed + 1)
            loss = prediction_errors(kept_x, y[kept], inner).rmse.mean(axis=1)
        return np.argmin(np.nan_to_num(loss, nan=np.inf).reshape(count, metrics), axis=0)

    chosen = np.stack([best_values(row != f) for row in fold for f in range(int(fold.max()) + 1)])  # [fold, metric]
    fitted = best_values(np.ones(units, dtype=np.bool_))
    error = outer.rmse.reshape(count, metrics, -1)  # [value, metric, fold]
    nested = np.ascontiguousarray(np.take_along_axis(error, chosen.T[None], axis=0)[0])
    test_size = (fold[:, None, :] == np.arange(fold.max() + 1)[:, None]).sum(axis=2).ravel()  # [fold]
    return Fitting(
        **candidates.swept,
        objective=objective,
        chosen=chosen,
        nested=nested / ratings.length,
        apparent=np.take_along_axis(error, fitted[None, :, None], axis=0)[0] / ratings.length,
        fitted=fitted,
        error_of_mean=outer.of_mean / ratings.length,
        skill=skill((nested**2 * test_size).sum(axis=1), outer.squared_of_mean),
        ratio=outer.ratio,
    )
