"""Parameters of metrics against ratings: how much a value matters, and what a fitted one is worth on new units."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.satisfaction.method import Folds, Group, Partitions
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings, rated_scores
from irassay.meta.shared_options import Seed, Trials, alpha_of_level
from irassay.method import method
from irassay.results import Result
from irassay.stats.clustered import group_codes
from irassay.stats.compare_correlations import midranks, pearson, resampled_t, skill
from irassay.stats.correlation_bootstrap import correlation_intervals
from irassay.stats.regression import prediction_errors, random_folds

Sweep = Annotated[str, "Curves over a parameter: p=0.5,0.6,… (e: the ratio of efforts)."]


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """How a parameter's value changes what metrics have to do with the ratings."""

    saved_as: ClassVar[str] = "sensitivity"

    parameter: str
    values: Floats  # [value]
    metrics: tuple[str, ...]
    pearson: Floats  # [value, metric]
    pearson_low: Floats  # [value, metric] the ends of the 95 % intervals
    pearson_high: Floats  # [value, metric]
    spearman: Floats  # [value, metric]
    nrmse: Floats  # [value, metric]
    nrmse_of_mean: float
    indistinct: NDArray[np.bool_]  # [value, metric] r may be as high as at the best value

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and the highest Pearson's r that any value gives them, best first; undefined ones last."""
        top = [(name, r) for name, _, r in self.best()]
        return sorted(top, key=lambda one: -np.nan_to_num(one[1], nan=-np.inf))

    def best(self, by: str = "pearson") -> list[tuple[str, float, float]]:
        """Each metric with the value that suits these units best, and what it gets there."""
        curves = {"pearson": -self.pearson, "spearman": -self.spearman, "nrmse": self.nrmse}
        if by not in curves:
            raise InputError(f"The best value is by {', '.join(curves)}; found '{by}'.")
        place = np.argmin(np.nan_to_num(curves[by], nan=np.inf), axis=0)
        sign = 1 if by == "nrmse" else -1
        return [
            (name, float(self.values[v]), sign * float(curves[by][v, m]))
            for m, (name, v) in enumerate(zip(self.metrics, place, strict=True))
        ]

    def plausible(self) -> list[tuple[str, float, float]]:
        """Each metric with the least and the largest value that these units cannot tell from the best one."""
        kept = [self.values[self.indistinct[:, m]] for m in range(len(self.metrics))]
        return [
            (name, float(v.min(initial=np.inf)), float(v.max(initial=-np.inf)))
            for name, v in zip(self.metrics, kept, strict=True)
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Fitting(Result):
    """A parameter fitted within cross-validation, so that its worth is measured on units it has not seen."""

    saved_as: ClassVar[str] = "fitting"

    parameter: str
    values: Floats  # [value]
    metrics: tuple[str, ...]
    objective: str
    chosen: Ints  # [fold, metric] the place of the value chosen on the training units of each fold
    nested: Floats  # [metric, fold] NRMSE with the value so chosen
    apparent: Floats  # [metric, fold] NRMSE with the value that is best on all units, tested on the same units
    fitted: Ints  # [metric] the place of that value
    error_of_mean: Floats  # [fold]
    skill: Floats  # [metric] of the nested predictions
    ratio: float  # test units to training units

    def best(self) -> list[tuple[str, float]]:
        """Each metric with the value that is best on all units."""
        return [(name, float(self.values[v])) for name, v in zip(self.metrics, self.fitted, strict=True)]

    def nrmse(self) -> Floats:
        """[metric] what to expect of the fitted metric on new units."""
        return self.nested.mean(axis=1)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and the NRMSE to expect of them, best first."""
        error = self.nrmse()
        return [(self.metrics[m], float(error[m])) for m in np.argsort(error, kind="stable")]

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of that NRMSE, folds that overlap allowed for [nadeau2003]."""
        from scipy.special import stdtrit

        folds = self.nested.shape[1]
        error = np.sqrt((1 / folds + self.ratio) * self.nested.var(axis=1, ddof=1))
        reach = float(stdtrit(folds - 1, 1 - alpha_of_level(level, 0.05) / 2)) * error
        return self.nrmse() - reach, self.nrmse() + reach

    def optimism(self) -> Floats:
        """[metric] how much better the fitted metric looks on the units that it was fitted on."""
        return (self.nested - self.apparent).mean(axis=1)

    def shares(self) -> Floats:
        """[value, metric] in what share of the folds each value was chosen; a wide spread says it is ill determined."""
        return (self.chosen == np.arange(len(self.values))[:, None, None]).mean(axis=1)

    def better_than_mean(self) -> Floats:
        """[metric] p that predicting the mean rating does as well, by the corrected resampled t."""
        return resampled_t(self.nested - self.error_of_mean, self.ratio)[1]


@method(
    "How much does the value of a parameter matter to users?",
    cite="jiang2016",
    examples=("irassay meta sensitivity --sessions sessions/ -m RBP --sweep p=0.5,0.7,0.9",),
)
def sensitivity(
    rated: RatedUnits,
    *,
    sweep: Sweep = "",
    folds: Folds = 10,
    partitions: Partitions = 10,
    trials: Trials = 2000,
    seed: Seed = 0,
) -> Sensitivity:
    """Curves of correlation and error over the values of a parameter, as Figure 1 of [jiang2016]."""
    made = _candidates(rated, sweep)
    count, metrics, units = made.scores.shape
    x, y = made.scores.reshape(-1, units), made.ratings.values
    errors = prediction_errors(x, y, random_folds(units, folds, partitions, seed))
    r, rho = (found.reshape(count, metrics) for found in (pearson(x, y), pearson(midranks(x), midranks(y))))
    groups = [group_codes(given) for given in (made.ratings.users, made.ratings.tasks) if given]
    low, high = np.empty(r.shape), np.empty(r.shape)
    indistinct = np.zeros(r.shape, dtype=np.bool_)
    for m in range(metrics):
        r_ends, _, gap, _ = correlation_intervals(made.scores[:, m], y, groups, trials, seed)
        low[:, m], high[:, m] = r_ends
        best = int(np.argmax(np.nan_to_num(r[:, m], nan=-np.inf)))
        indistinct[:, m] = gap[0, best] <= 0
    return Sensitivity(
        parameter=made.parameter,
        values=made.values,
        metrics=made.metrics,
        pearson=r,
        pearson_low=low,
        pearson_high=high,
        spearman=rho,
        nrmse=errors.rmse.mean(axis=1).reshape(r.shape) / made.ratings.length,
        nrmse_of_mean=float(errors.of_mean.mean()) / made.ratings.length,
        indistinct=indistinct,
        notes=made.notes,
    )


@method(
    "Which value of a parameter suits users, and what is it worth on new units?",
    cite="jiang2016 nadeau2003",
    examples=("irassay meta fitting --sessions sessions/ -m RBP --sweep p=0.5,0.7,0.9",),
)
def fitting(
    rated: RatedUnits,
    *,
    sweep: Sweep = "",
    objective: Annotated[Literal["nrmse", "pearson"], "What the value is chosen by."] = "nrmse",
    folds: Folds = 10,
    partitions: Partitions = 10,
    group: Group = "none",
    seed: Seed = 0,
) -> Fitting:
    """A parameter of each metric, its value chosen by nested cross-validation."""
    # In every fold the value is chosen on the training units alone: by the least NRMSE of a cross-validation among
    # them, or the highest r. Units of a group stay together, inside and out.
    made = _candidates(rated, sweep)
    count, metrics, units = made.scores.shape
    x, y = made.scores.reshape(-1, units), made.ratings.values
    given = {"user": made.ratings.users, "task": made.ratings.tasks, "none": ()}.get(group)
    if given is None or (group != "none" and not given):
        raise InputError(f"Folds are grouped by 'user' or 'task', where ratings carry it, or 'none'; found '{group}'.")
    member = group_codes(given) if given else np.arange(units)
    fold = random_folds(units, folds, partitions, seed, member)
    outer = prediction_errors(x, y, fold)

    def choice(kept: NDArray[np.bool_]) -> Ints:
        """[metric] the best value on these units."""
        there = made.scores[:, :, kept].reshape(count * metrics, -1)
        if objective == "pearson":
            loss = -pearson(there, y[kept])
        else:
            inside = group_codes([str(code) for code in member[kept]])
            inner = random_folds(int(kept.sum()), folds, 1, seed + 1, inside)
            loss = prediction_errors(there, y[kept], inner).rmse.mean(axis=1)
        return np.argmin(np.nan_to_num(loss, nan=np.inf).reshape(count, metrics), axis=0)

    chosen = np.stack([choice(row != f) for row in fold for f in range(int(fold.max()) + 1)])  # [fold, metric]
    fitted = choice(np.ones(units, dtype=np.bool_))
    error = outer.rmse.reshape(count, metrics, -1)  # [value, metric, fold]
    nested = np.ascontiguousarray(np.take_along_axis(error, chosen.T[None], axis=0)[0])
    tested = (fold[:, None, :] == np.arange(fold.max() + 1)[:, None]).sum(axis=2).ravel()  # [fold]
    return Fitting(
        parameter=made.parameter,
        values=made.values,
        metrics=made.metrics,
        objective=objective,
        chosen=chosen,
        nested=nested / made.ratings.length,
        apparent=np.take_along_axis(error, fitted[None, :, None], axis=0)[0] / made.ratings.length,
        fitted=fitted,
        error_of_mean=outer.of_mean / made.ratings.length,
        skill=skill((nested**2 * tested).sum(axis=1), outer.squared_of_mean),
        ratio=outer.ratio,
        notes=made.notes,
    )


@dataclass(frozen=True, eq=False)
class Candidates:
    """Metrics with each value of a parameter, on the units that have a score with all of them."""

    parameter: str
    values: Floats  # [value]
    metrics: tuple[str, ...]
    scores: Floats  # [value, metric, unit]
    ratings: Ratings
    notes: tuple[str, ...]  # what was left out


def _candidates(rated: RatedUnits, sweep: str) -> Candidates:
    parameter, values = sweep_values(sweep)
    score = rated.varied(parameter)
    if len(values) < 2:
        raise InputError(f"A curve needs at least two values of its parameter; found {len(values)}.")
    made = [score(value) for value in values]
    found = [rated_scores(scores, rated.ratings) for scores in made]
    x, ratings, notes = found[0]
    for value, (other, units, _) in zip(values, found, strict=True):
        if other.shape != x.shape or units.units != ratings.units:
            raise InputError(f"With the value {value:g} there are other metrics or units than with {values[0]:g}.")
    labels = rated.names or made[0].metrics
    if len(labels) != len(x):
        raise InputError(f"There are {len(x)} metrics, but {len(labels)} names for them.")
    return Candidates(parameter, np.array(values), labels, np.stack([row for row, _, _ in found]), ratings, notes)


def sweep_values(sweep: str) -> tuple[str, tuple[float, ...]]:
    """The parameter and its values.

    >>> sweep_values("p=0.5,0.6")
    ('p', (0.5, 0.6))
    """
    parameter, _, values = sweep.partition("=")
    if not sweep:
        raise InputError(f"name the parameter and its values with {argument('sweep', metavar='NAME=a,b,c')}")
    if not values:
        given = argument("sweep", sweep)
        raise InputError(f"{given}: write the parameter and its values, such as p=0.5,0.6,0.7")
    try:
        return parameter, tuple(float(value) for value in values.split(","))
    except ValueError:
        raise InputError(
            f"{argument('sweep', sweep)}: numbers separated by commas are expected, such as p=0.5,0.6"
        ) from None
