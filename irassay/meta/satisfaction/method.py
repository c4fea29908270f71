"""Satisfaction: how well each metric correlates with, and predicts, users' ratings of their searches."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import rated_scores
from irassay.meta.shared_options import Seed, Trials
from irassay.method import method
from irassay.notes import Note
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.clusters import group_deviations
from irassay.stats.compare_correlations import (
    correlation_tail,
    midranks,
    pearson,
    resampled_t,
    skill,
    steiger,
    unit_length,
    williams,
)
from irassay.stats.correlation_bootstrap import correlation_intervals
from irassay.stats.correlation_selection import correlation_selection, shares_of_halves
from irassay.stats.levels import require_level_95
from irassay.stats.regression import prediction_errors, random_folds
from irassay.stats.selection import Selection

Folds = Annotated[int, Option("Number of folds of the cross-validation.", low=2)]
Partitions = Annotated[int, Option("Number of times the folds are drawn.", low=1, high=MAX_DRAWS)]
Group = Annotated[Literal["none", "user", "task"], "Keep units of one user or task in one fold."]


@dataclass(frozen=True, eq=False)
class Difference:
    """Two metrics compared as predictors of the same ratings."""

    first: str
    second: str
    pearson: float  # r of the first minus r of the second
    p: float  # of the difference of two r, corrected for all pairs of metrics
    low: float  # the ends of its 95 % interval
    high: float
    williams: float  # p as if units were independent
    steiger: float  # the same
    nrmse: float  # of the first minus that of the second
    paired_t: float  # p over folds as if they were independent, as published
    corrected_t: float  # p corrected for overlapping folds


@dataclass(frozen=True, eq=False, repr=False)
class Satisfaction(Result):
    """Correlation of each metric with the ratings, and the error of predicting them."""

    saved_as: ClassVar[str] = "satisfaction"

    metrics: tuple[str, ...]
    units: tuple[str, ...]
    rating: Floats  # [unit]
    score: Floats  # [metric, unit]
    scale: tuple[float, float]
    fold: Ints  # [partition, unit]
    pearson: Floats  # [metric]
    pearson_p: Floats  # [metric]
    pearson_low: Floats  # [metric] the ends of the 95 % intervals
    pearson_high: Floats  # [metric]
    spearman: Floats  # [metric]
    spearman_p: Floats  # [metric]
    spearman_low: Floats  # [metric]
    spearman_high: Floats  # [metric]
    error: Floats  # [metric, fold] NRMSE
    error_of_mean: Floats  # [fold] NRMSE of predicting the mean rating of the training units
    skill: Floats  # [metric]
    groupings: tuple[str, ...]  # 'user' and 'task', if known
    explained: Floats  # [grouping] the share of the variance of the ratings
    within: Floats  # [grouping, metric] r within groups
    within_p: Floats  # [grouping, metric]
    difference_low: Floats  # [metric, other] the ends of the 95 % interval of the difference of two r
    difference_high: Floats  # [metric, other]
    t: Floats  # [metric, other] paired t of the fold errors
    t_p: Floats  # [metric, other]
    corrected: Floats  # [metric, other] the same, corrected for overlapping folds
    corrected_p: Floats  # [metric, other]
    williams_p: Floats  # [metric, other]
    steiger_p: Floats  # [metric, other]
    tuned: Bools  # [metric] its parameters were chosen on these units
    grouped_folds: str  # 'user', 'task' or 'none'
    trials: int
    seed: int
    selection: Selection | None = None  # which metrics may correlate best; None in results saved before it was there
    share_of_halves: Floats = field(default_factory=lambda: np.empty(0))  # [metric] of users in which it may be best

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[metric] the ends of the intervals of Pearson's r, which are available at 0.95 only."""
        require_level_95(level)
        return self.pearson_low, self.pearson_high

    def nrmse(self) -> Floats:
        """[metric] the mean error over all folds, as a share of the rating scale."""
        return self.error.mean(axis=1)

    def nrmse_of_mean(self) -> float:
        """The error of predicting the mean rating."""
        return float(self.error_of_mean.mean())

    def ranked(self, by: str = "pearson") -> list[tuple[str, float]]:
        """The metrics and their 'pearson', 'spearman', 'nrmse' or 'skill', best first; undefined ones last."""
        kinds = {"pearson": self.pearson, "spearman": self.spearman, "nrmse": self.nrmse(), "skill": self.skill}
        if by not in kinds:
            raise InputError(f"by='{by}': expected one of {', '.join(kinds)}.")
        order = np.argsort(kinds[by] if by == "nrmse" else -kinds[by], kind="stable")
        return [(self.metrics[m], float(kinds[by][m])) for m in order]

    def compare(self, first: str, second: str) -> Difference:
        """The difference between two metrics, with its interval and tests."""
        a, b = positions("metric", self.metrics, [first, second])
        return Difference(
            first,
            second,
            pearson=float(self.pearson[a] - self.pearson[b]),
            p=float(self.selection.p[a, b]) if self.selection else np.nan,
            low=float(self.difference_low[a, b]),
            high=float(self.difference_high[a, b]),
            williams=float(self.williams_p[a, b]),
            steiger=float(self.steiger_p[a, b]),
            nrmse=float(self.nrmse()[a] - self.nrmse()[b]),
            paired_t=float(self.t_p[a, b]),
            corrected_t=float(self.corrected_p[a, b]),
        )


def check_tuned(tuned: Sequence[str], expected: Scores | None = None) -> None:
    """Refuses metrics that are not among those that are compared."""
    if expected is not None:
        try:
            positions("metric", expected.metrics, tuned)
        except InputError as error:
            error.argument = "tuned"
            raise


@method(
    "Do metrics agree with users' ratings?",
    cite="jiang2016 nadeau2003 williams1959 steiger1980 murphy1988 bland1995",
    affine=True,
    check=check_tuned,
    examples=("irassay meta satisfaction --sessions sessions/ -m nDCG@10 -m RBP",),
)
def satisfaction(
    rated: RatedUnits,
    *,
    folds: Folds = 10,
    partitions: Partitions = 10,
    group: Group = "none",
    tuned: Annotated[tuple[str, ...], "A metric whose parameters were chosen on these units; may be repeated."] = (),
    trials: Trials = 2000,
    seed: Seed = 0,
) -> Satisfaction:
    """Whether metrics agree with users' ratings (jiang2016): correlation with ratings, and error of predicting them.

    `group` keeps all units of a 'user' or a 'task' in one fold. Intervals resample users and tasks if the ratings have
    them, otherwise units, and which metrics may correlate best is decided accordingly, with all pairs of metrics tested
    at once. Metrics in `tuned` had their parameters chosen on these units, so their results are too good.
    """
    scores = rated.scores
    x, ratings, notes = rated_scores(scores, rated.ratings)
    y = ratings.values
    *groups, _ = ratings.groupings  # users and tasks, if known
    clusters = list(ratings.groupings.values())
    if rated.folds is None:
        fold = random_folds(ratings.members(group), folds, partitions, seed)
    else:
        fold = _given_folds(rated.folds, rated.ratings.units, ratings.units)
    errors = prediction_errors(x, y, fold)
    r, rho = pearson(x, y), pearson(midranks(x), midranks(y))
    r_ends, rho_ends, gap_ends, resampling_notes = correlation_intervals(x, y, clusters, trials, seed)
    inner = [pearson(group_deviations(x, g), group_deviations(y, g)) for g in clusters[:-1]]
    inner_p = [correlation_tail(v, len(y) - g.max() - 2) for v, g in zip(inner, clusters[:-1], strict=True)]
    is_tuned = np.isin(np.arange(len(scores.metrics)), positions("metric", scores.metrics, tuned))
    return Satisfaction(
        metrics=scores.metrics,
        units=ratings.units,
        rating=y,
        score=x,
        scale=(ratings.low, ratings.high),
        fold=fold,
        **_correlation_fields("pearson", r, r_ends, len(y)),
        **_correlation_fields("spearman", rho, rho_ends, len(y)),
        error=errors.rmse / ratings.length,
        error_of_mean=errors.of_mean / ratings.length,
        skill=skill(errors.squared, errors.squared_of_mean),
        groupings=tuple(groups),
        explained=np.array([1 - group_deviations(y, g).var() / y.var() for g in clusters[:-1]]),
        within=np.array(inner).reshape(len(groups), len(x)),
        within_p=np.array(inner_p).reshape(len(groups), len(x)),
        difference_low=gap_ends[0],
        difference_high=gap_ends[1],
        **_test_fields(x, r, errors.rmse, errors.ratio),
        tuned=is_tuned,
        grouped_folds=group,
        trials=trials,
        seed=seed,
        selection=correlation_selection(x, y, clusters, seed, scores.metrics),
        share_of_halves=shares_of_halves(x, y, clusters, seed),
        notes=(
            *notes,
            *resampling_notes,
            *_warning_notes(scores.metrics, r, is_tuned, len(y), int(fold.max()) + 1),
            *_near_ties(scores.metrics, x, y, rho),
        ),
    )


def _given_folds(folds: Ints, rated: Sequence[str], kept: Sequence[str]) -> Ints:
    """[partition, unit] the folds of the kept units, from the folds of all rated units."""
    fold = np.asarray(folds, dtype=np.int64)
    if fold.ndim != 2 or fold.shape[1] != len(rated):
        raise InputError(f"Folds must be [partition, unit] for {len(rated)} units; found {fold.shape}.")
    place = {unit: i for i, unit in enumerate(rated)}
    fold = fold[:, [place[unit] for unit in kept]]
    sizes = (fold[:, :, None] == np.arange(fold.max() + 1)).sum(axis=1)
    if fold.min() < 0 or not sizes.all() or (sizes == len(kept)).any():
        raise InputError("Folds must be numbered from 0, and each must have some of the units, but not all.")
    return fold


def _correlation_fields(name: str, r: Floats, ends: Floats, units: int) -> dict[str, Any]:
    """[metric] a correlation with the ratings, its p, and the ends [end, metric] of its interval."""
    return {name: r, f"{name}_p": correlation_tail(r, units - 2), f"{name}_low": ends[0], f"{name}_high": ends[1]}


def _test_fields(x: Floats, r: Floats, rmse: Floats, ratio: float) -> dict[str, Any]:
    """[metric, other] t and p over folds, plain and corrected, and p of two tests of dependent correlations."""
    standard = unit_length(x)
    between = np.clip(standard @ standard.T, -1.0, 1.0)
    rows = [(*resampled_t(rmse[m] - rmse), *resampled_t(rmse[m] - rmse, ratio)) for m in range(len(x))]
    names = ("t", "t_p", "corrected", "corrected_p")
    pair = (r[:, None], r[None, :], between, x.shape[1])
    over_folds = {name: np.stack(part) for name, part in zip(names, zip(*rows, strict=True), strict=True)}
    p_of_correlations = {"williams_p": williams(*pair)[1], "steiger_p": steiger(*pair)[1]}
    for p in p_of_correlations.values():
        np.fill_diagonal(p, np.nan)  # which rounding would decide
    return over_folds | p_of_correlations


def _warning_notes(metrics: Sequence[str], r: Floats, tuned: Bools, units: int, folds: int) -> list[str]:
    notes: list[str] = []
    if flat := [name for name, value in zip(metrics, r, strict=True) if np.isnan(value)]:
        notes.append(f"{', '.join(flat)}: every unit has the same score, so r is undefined and the mean is predicted.")
    if tuned.any():
        names = ", ".join(np.array(metrics)[tuned])
        text = f"{names}: parameters were chosen on these units, so the results are too good."
        notes.append(Note(text, caveat=True))
    if folds == units:
        notes.append(f"There are no more units ({units}) than folds, so each unit is left out once.")
    return notes


def _near_ties(metrics: Sequence[str], x: Floats, y: Floats, rho: Floats) -> list[str]:
    """A note on metrics whose rho depends on differences as small as rounding errors."""
    low, span = x.min(axis=1, keepdims=True), np.ptp(x, axis=1, keepdims=True)
    rounded = np.round((x - low) / np.where(span, span, 1.0), 10)
    shift = np.nan_to_num(np.abs(pearson(midranks(rounded), midranks(y)) - rho))
    names = ", ".join(name for name, by in zip(metrics, shift, strict=True) if by > 1e-9)
    note = f"{names}: some scores differ only by rounding, which moves Spearman's rho by up to {shift.max():.4f}."
    return [note] if names else []
