"""Parameters of metrics and users' ratings: how much a value matters, and how well a fitted one predicts new units."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.meta.satisfaction.method import Folds, Group, Partitions
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings, rated_scores
from irassay.meta.shared_options import Seed, Trials
from irassay.method import method
from irassay.parallel import check_cancelled
from irassay.results import Result
from irassay.settings import Option
from irassay.stats.compare_correlations import midranks, pearson, resampled_t, skill
from irassay.stats.correlation_bootstrap import correlation_intervals
from irassay.stats.levels import alpha_of_level
from irassay.stats.regression import prediction_errors, random_folds

Sweep = Annotated[
    tuple[str, ...],
    Option(
        "Parameter values to try: p=0.5,0.6,… (e: the ratio of efforts; e0, e1, …: the effort of a grade); given "
        "twice, two parameters together.",
        metavar="NAME=a,b,c",
    ),
]
MAX_COMBINATIONS = 400  # of the values of two parameters
Place = int | np.integer[Any]


class SweptValues:
    """What results over the values of one parameter, or of two together, have in common."""

    parameter: str
    values: Floats  # [value]
    second: str
    second_values: Floats | None  # [value]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that vary."""
        return (self.parameter, self.second) if self.second else (self.parameter,)

    def value_columns(self, places: Any = slice(None)) -> dict[str, Floats]:
        """The values at some places, in a column for each parameter."""
        columns = {self.parameter: self.values[places]}
        return columns if self.second_values is None else columns | {self.second: self.second_values[places]}

    def value_at(self, place: Place) -> float | tuple[float, ...]:
        """The value of the parameter, or the values of both."""
        values = tuple(float(column) for column in self.value_columns(place).values())
        return values if self.second else values[0]

    def value_text(self, place: Place) -> str:
        """The values with the names of their parameters, such as p = 0.5."""
        return ", ".join(f"{name} = {value:g}" for name, value in self.value_columns(place).items())


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(SweptValues, Result):
    """How the agreement of metrics with ratings depends on the value of a parameter."""

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
    indistinct: NDArray[np.bool_]  # [value, metric] r is not significantly below that of the best value
    second: str = ""  # another parameter, if two vary together
    second_values: Floats | None = None  # [value]

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


@dataclass(frozen=True, eq=False, repr=False)
class Fitting(SweptValues, Result):
    """A parameter fitted within cross-validation, so that its error is measured on unseen units."""

    saved_as: ClassVar[str] = "fitting"

    parameter: str
    values: Floats  # [value]
    metrics: tuple[str, ...]
    objective: str
    chosen: Ints  # [fold, metric] the place of the value chosen on the training units of each fold
    nested: Floats  # [metric, fold] NRMSE with that value
    apparent: Floats  # [metric, fold] NRMSE with the value that is best on all units, test units included
    fitted: Ints  # [metric] the place of that value
    error_of_mean: Floats  # [fold]
    skill: Floats  # [metric] of the nested predictions
    ratio: float  # test units to training units
    second: str = ""  # another parameter, if two vary together
    second_values: Floats | None = None  # [value]

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
        from scipy.special import stdtrit

        folds = self.nested.shape[1]
        error = np.sqrt((1 / folds + self.ratio) * self.nested.var(axis=1, ddof=1))
        reach = float(stdtrit(folds - 1, 1 - alpha_of_level(level, 0.05) / 2)) * error
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
    "How much does a parameter's value matter for agreement with users?",
    cite="jiang2016",
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
    """Curves of correlation and error over the values of a parameter, as in Figure 1 of [jiang2016].

    With two parameters, a map over all pairs of their values.
    """
    candidates = _candidates(rated, sweep)
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


@method(
    "Which parameter value agrees best with users, and how well does it predict new units?",
    cite="jiang2016 nadeau2003",
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
    """A parameter of each metric, or two together, with values chosen by nested cross-validation."""
    # In every fold the value is chosen on the training units only: by the smallest NRMSE of a cross-validation among
    # them, or the highest r. Units of a group stay together in both cross-validations.
    candidates = _candidates(rated, sweep)
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


@dataclass(frozen=True, eq=False)
class Candidates:
    """The scores of metrics with each value of a parameter, on the units that have a score with all of them."""

    scores: Floats  # [value, metric, unit]
    ratings: Ratings
    swept: Mapping[str, Any]  # fields of a result: parameter, values, metrics and notes


def _candidates(rated: RatedUnits, sweep: str | tuple[str, ...]) -> Candidates:
    swept = swept_values(sweep)
    values = list(product(*swept.values()))
    if len(values) > MAX_COMBINATIONS:
        raise InputError(argument("sweep"), f" has {len(values)} pairs of values; give at most {MAX_COMBINATIONS}.")
    if len(values) < 2:
        raise InputError(f"A curve needs at least two values of its parameter; found {len(values)}.")
    score = rated.varied(*swept)
    cubes = [score(*each) for each in values]
    each = [rated_scores(scores, rated.ratings) for scores in cubes]
    x, ratings, notes = each[0]
    for value, (other, units, _) in zip(values, each, strict=True):
        if other.shape != x.shape or units.units != ratings.units:
            raise InputError(f"The metrics or units for {_texts(value)} are not those for {_texts(values[0])}.")
    labels = rated.names or cubes[0].metrics
    if len(labels) != len(x):
        raise InputError(f"There are {len(x)} metrics, but {len(labels)} names for them.")
    fields: dict[str, Any] = {"metrics": labels, "notes": notes}
    for end, name, column in zip(("", "second"), swept, np.array(values).T, strict=False):
        fields |= {end or "parameter": name, f"{end}_values" if end else "values": column}
    return Candidates(np.stack([row for row, _, _ in each]), ratings, fields)


def _texts(values: tuple[float, ...]) -> str:
    return f"the value {', '.join(f'{value:g}' for value in values)}"


def swept_values(sweep: str | tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """The values of one parameter or two, by name, from text.

    >>> swept_values("p=0.5,0.6"), swept_values(("h=100,200", "P_save=0.6,0.8"))
    ({'p': (0.5, 0.6)}, {'h': (100.0, 200.0), 'P_save': (0.6, 0.8)})
    """
    texts = (sweep,) if isinstance(sweep, str) else tuple(sweep)
    if not any(texts):
        raise InputError("Give the parameter and its values with ", argument("sweep", metavar="NAME=a,b,c"), ".")
    if len(texts) > 2:
        raise InputError(argument("sweep"), f" takes one parameter or two together; found {len(texts)}.")
    swept: dict[str, tuple[float, ...]] = {}
    for text in texts:
        parameter, _, values = text.partition("=")
        if not values:
            expected = "a parameter and its values, as in p=0.5,0.6,0.7"
            raise InputError(argument=argument("sweep", text), expected=expected)
        if parameter in swept:
            raise InputError(argument("sweep"), f" has {parameter} twice; give two different parameters.")
        try:
            swept[parameter] = tuple(float(value) for value in values.split(","))
        except ValueError:
            expected = "numbers separated by commas, such as p=0.5,0.6"
            raise InputError(argument=argument("sweep", text), expected=expected) from None
    return swept
