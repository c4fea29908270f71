"""Users' ratings of results, and how far each metric agrees with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from irassay.argument_types import FromFile
from irassay.arrays import Floats
from irassay.assays.controls import HASHES, controls, with_mean_hash
from irassay.assays.criteria import RATINGS, Criterion
from irassay.errors import InputError, argument
from irassay.meta.satisfaction.method import Satisfaction, satisfaction
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings, rated_scores
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.stats.compare_correlations import pearson
from irassay.stats.correlation_bootstrap import correlation_intervals
from irassay.stats.jackknife import normal_critical
from irassay.stats.selection import Selection

FOLDER = "a folder of rated sessions (files session, results and qrels)"


@dataclass(frozen=True, eq=False)
class UserRatings(FromFile):
    """The table of ratings of lists, or the folder of rated sessions."""

    source: Any

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The ratings in a table or folder, which is read when needed."""
        return cls(path)


def ratings_criterion(
    scores: Scores,
    definitions: Mapping[str, Metric],
    user_ratings: Any,
    *,
    alpha: float,
    seed: int,
    truth: Mapping[str, float] | None = None,
) -> tuple[Criterion, Satisfaction]:
    """The correlation of each metric with ratings, as a criterion of the profile and in full.

    Ratings are of lists of these systems, with units SYSTEM/TOPIC, or of sessions, which the metrics score.
    """
    source = user_ratings.source if isinstance(user_ratings, UserRatings) else user_ratings
    refused: dict[str, str] = {}
    of_lists, what = False, "sessions of other searches, not these runs"
    if isinstance(source, RatedUnits):
        units, what = source, "units with their own scores, not of these runs"
        names = [name for name in scores.metrics if name in units.scores.metrics]
        refused = {name: "the ratings come without scores by it" for name in scores.metrics if name not in names}
        if names:
            units = replace(units, scores=units.scores.select(metrics=names))
    elif isinstance(source, str | Path) and Path(source).is_dir():
        units, names, refused = _sessions(Path(source), definitions, scores.metrics)
    else:
        units, names = _lists(scores, source), list(scores.metrics)
        of_lists, what = True, "result lists of these systems"
    if not names:
        raise InputError(argument("ratings"), ": the ratings come without scores by any of these metrics.")
    result = satisfaction(units, seed=seed)
    extra = _controls(scores, units.ratings, result, truth) if of_lists else None
    definition = f"Pearson's r with users' ratings of {len(result.units):,} {what}"
    return _criterion(scores.metrics, names, refused, result, definition, extra, alpha, truth is not None), result


def _lists(scores: Scores, source: Any) -> RatedUnits:
    """The rated lists of these systems; an error if there are none."""
    ratings = source if isinstance(source, Ratings) else Ratings.read(source)
    one = len(scores.systems) == 1
    names = set(scores.topics) if one else {f"{s}/{t}" for s in scores.systems for t in scores.topics}
    if not names & set(ratings.units):
        form = "TOPIC" if one else "SYSTEM/TOPIC"
        raise InputError(
            argument("ratings"),
            f": no rated unit is a list of these runs; expected {form}, such as {min(names)}, and "
            f"found {ratings.units[0]}. Ratings of other searches must be {FOLDER}.",
        )
    return RatedUnits(replace(scores, notes=()), ratings)


def _sessions(
    folder: Path, definitions: Mapping[str, Metric], names: Sequence[str]
) -> tuple[RatedUnits, list[str], dict[str, str]]:
    """Rated sessions with their scores, the metrics that can score them, and why others cannot."""
    from irassay.io.sessions import read_session_qrels, read_sessions
    from irassay.meta.satisfaction.units import scores_where_possible

    if not (folder / "session").is_file():
        raise InputError(argument("ratings"), f": {folder} has no file session; expected {FOLDER}, or a table.")
    ours = {name: definitions[name] for name in names if name in definitions}
    cube, refused = scores_where_possible(read_sessions(folder), read_session_qrels(folder), ours)
    refused |= {
        name: "it has no definition, only scores, so it cannot score the sessions" for name in names if name not in ours
    }
    units = RatedUnits(cube, Ratings.read(folder / "session"))
    return units, [name for name in ours if name not in refused], refused


def _controls(scores: Scores, ratings: Ratings, result: Satisfaction, truth: Mapping[str, float] | None) -> Floats:
    """[estimate low high, row] for the controls, which score the same lists; for the hashes, their range."""
    x, rated, _ = rated_scores(controls(scores, truth), ratings.select(result.units))
    clusters = list(rated.groupings.values())
    r = pearson(x, rated.values)
    ends = correlation_intervals(x, rated.values, clusters, result.trials, result.seed)[0]
    values = np.stack([with_mean_hash(each) for each in (r, *ends)])
    values[1:, 0] = r[:HASHES].min(), r[:HASHES].max()
    return values


def _criterion(
    metrics: Sequence[str],
    names: Sequence[str],
    refused: Mapping[str, str],
    result: Satisfaction,
    definition: str,
    extra: Floats | None,
    alpha: float,
    truth: bool,
) -> Criterion:
    """The criterion; NaN, with a remark, for metrics that could not be computed."""
    rows = [metrics.index(name) for name in names]
    more = 3 if truth else 2
    values = np.full((3, len(metrics) + more), np.nan)
    values[:, rows] = result.pearson, result.pearson_low, result.pearson_high
    if extra is not None:
        values[:, len(metrics) :] = extra
    remarks = [f"not computed: {refused[name]}" if name in refused else "" for name in metrics]
    for row in rows:
        if np.isnan(values[0, row]):
            remarks[row] = "no correlation: it gives every rated unit the same score"
    apply = "" if extra is not None else "does not apply: these systems' lists were not rated"
    return Criterion(
        name=RATINGS,
        estimate=values[0],
        low=values[1],
        high=values[2],
        replication=np.full(len(metrics) + more, np.nan),
        about=definition,
        remarks=(*remarks, *[apply] * more),
        selection=_selection(len(metrics), rows, result, alpha),
        share_of_halves=np.full(len(metrics), np.nan),
    )


def _selection(metrics: int, rows: Sequence[int], result: Satisfaction, alpha: float) -> Selection:
    """The metrics that may be best, by the intervals of differences of correlations with Bonferroni's correction."""
    from scipy.special import ndtr

    estimate = np.full(metrics, np.nan)
    estimate[rows] = result.pearson
    pairs = max(1, len(rows) * (len(rows) - 1) // 2)
    error = np.full((metrics, metrics), np.nan)
    error[np.ix_(rows, rows)] = (result.difference_high - result.difference_low) / (2 * normal_critical(0.05))
    difference = estimate[:, None] - estimate
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.minimum(1.0, 2 * pairs * ndtr(-np.abs(difference) / error))
    return Selection(
        estimate, p, difference - normal_critical(2 * alpha) * error, alpha, normal_critical(alpha / pairs) * error
    )
