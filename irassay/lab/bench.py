"""What the pages show while a person waits: means, order and curves of metrics, and scores by topic."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irassay.ask import ask
from irassay.errors import InputError, spelled_as
from irassay.lab.judged_cache import CollectionFiles
from irassay.metrics.explanation import Explanation
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.stats.jackknife import student_critical

MAX_STEPS = 13  # values of a parameter in the chart of ranks
MAX_LINES = 24  # systems in it
LEVEL = 0.95  # of intervals


def bench_answer(
    files: Mapping[str, Any], metrics: Sequence[str], ranks: int = 20, ranking: str | None = None
) -> dict[str, Any]:
    """Means, order and curves of each metric."""
    parsed = [parse(metric) for metric in metrics]
    collection = CollectionFiles(**files)
    scores = collection.scores(list(metrics))
    top, used = example_scale(collection.max_grade(), ranking), used_settings(collection, parsed)
    users = [_user(metric, text, ranks, ranking, top) for metric, text in zip(parsed, metrics, strict=True)]
    for user, metric in zip(users, parsed, strict=True):
        means, order = means_and_order(scores, str(metric))
        user |= {"means": _plain(means), "order": [int(s) for s in order]}
    return {"systems": list(scores.systems), "topics": list(scores.topics), "max_grade": top, "users": users, **used}


def used_settings(collection: CollectionFiles, metrics: Sequence[Metric]) -> dict[str, list[str]]:
    """The names of settings that these scores depend on, for whoever asks a method about the same scores."""
    return {"reading": list(collection.used_settings(metrics))}


def example_scale(top: float | None, ranking: str | None) -> float | None:
    """The top of the judging scale of the example ranking: that of the collection, unless a grade is above it.

    >>> example_scale(2.0, "0,1,3"), example_scale(4.0, "0,1,3"), example_scale(2.0, "0x1"), example_scale(None, "1")
    (3.0, 4.0, 2.0, None)
    """
    grades = [int(grade) for grade in (ranking or "").split(",") if grade.strip().isdecimal() and len(grade) < 5]
    return None if top is None else float(max([top, *grades]))


def _user(metric: Metric, text: str, ranks: int, ranking: str | None, top: float | None) -> dict[str, Any]:
    """What one user does: the curves, and what each rank of the example ranking earns."""
    about = {"metric": str(metric), "label": metric.label, "higher_is_better": metric.meaning.higher_is_better}
    try:
        with spelled_as("pointer"):
            explained = ask("explain", {"metric": text, "ranking": ranking, "ranks": ranks, "max_grade": top})
    except InputError as error:
        return {**about, "curves": None, "why_no_curves": str(error)}
    assert isinstance(explained, Explanation)
    curves = {name: _plain(getattr(explained, name)) for name in ("C", "W", "L", "gain", "discount", "earned")}
    numbers = {"score": explained.score, "expected_depth": explained.expected_depth, "past": explained.past}
    plain = {name: float(value) if np.isfinite(value) else None for name, value in numbers.items()}
    return {**about, "curves": curves, "items": list(explained.items), "is_model": explained.is_model, **plain}


def _plain(values: Any) -> list[float | None]:
    """Numbers for JSON, with null for what is not a number."""
    return [float(value) if np.isfinite(value) else None for value in values]


def means_and_order(scores: Scores, metric: str) -> tuple[Any, Any]:
    """[system] the means by one metric, and the systems, best first; equal means keep their order."""
    column = scores.metrics.index(scores.resolved_metric(metric))
    means = scores.means()[:, column]
    worth = means if scores.higher_is_better[column] else -means
    return means, np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")


def released_answer(
    files: Mapping[str, Any],
    metric: str,
    parameter: str = "",
    values: Sequence[Any] = (),
    pair: Sequence[str] = (),
) -> dict[str, Any]:
    """What follows when a slider is released: ranks over its parameter, intervals, and a verdict on two systems."""
    collection, parsed = CollectionFiles(**files), parse(metric)
    scores = collection.scores([metric])
    answer: dict[str, Any] = mean_intervals(scores)[0]
    if parameter and values:
        answer["bump"] = _ranks_over(collection, parsed, parameter, list(values)[:MAX_STEPS])
    best = [scores.systems[s] for s in means_and_order(scores, str(parsed))[1][:2]]
    names = [name for name in pair if name in scores.systems] if len(set(pair)) == 2 else best
    if len(names) == 2 and len(scores.topics) > 1:
        answer |= {"pair": names, "verdict": pair_verdict(scores, names)}
    return answer


def _with_value(metric: Metric, parameter: str, value: Any) -> Metric:
    """The metric with another value of a parameter; `cutoff` is the number after @."""
    return metric @ int(value) if parameter == "cutoff" else metric(**{parameter: value})


def _ranks_over(collection: CollectionFiles, metric: Metric, parameter: str, values: list[Any]) -> dict[str, Any]:
    """The ranks of the systems by value of a parameter: of those that are among the first at any value."""
    metrics = [_with_value(metric, parameter, value) for value in values]
    scores = collection.scores(list(dict.fromkeys(map(str, metrics))))
    ranks = np.empty((len(values), len(scores.systems)), dtype=int)
    for row, each in zip(ranks, metrics, strict=True):
        order = means_and_order(scores, str(each))[1]
        row[order] = np.arange(1, len(order) + 1)
    first = np.argsort(ranks.min(axis=0) * 10_000 + ranks.mean(axis=0), kind="stable")[:MAX_LINES]
    lines = [{"system": scores.systems[s], "ranks": ranks[:, s].tolist()} for s in first]
    return {"parameter": parameter, "values": values, "lines": lines}


def pair_verdict(scores: Scores, names: Sequence[str]) -> str:
    """What a metric says about two systems: the difference of their means with its interval, in one sentence."""
    metric = scores.metrics[0]
    two = scores.select(systems=list(names)).of(metric)
    difference = (two[0] - two[1])[~np.isnan(two).any(axis=0)]
    mean = float(difference.mean())
    reach = student_critical(1 - LEVEL, len(difference)) * float(difference.std(ddof=1)) / np.sqrt(len(difference))
    low, high = mean - reach, mean + reach
    ahead = "equal" if not low and not high else "no significant difference" if low <= 0 <= high else ""
    winner = names[0] if (mean > 0) == scores.higher_is_better[0] else names[1]
    verdict = ahead or f"{winner} is better"
    topics = len(difference)
    return (
        f"{names[0]} minus {names[1]}: {mean:+.4f} on {topics} topics, {LEVEL:.0%} interval {low:+.4f} to {high:+.4f} "
        f"(paired t): {verdict}."
    )


def mean_intervals(scores: Scores) -> list[dict[str, Any]]:
    """[metric] ends of the intervals of the systems' means, which hold for all systems together (Bonferroni, t)."""
    ends: list[dict[str, Any]] = []
    over = scores.over_topics or ("mean",) * len(scores.metrics)
    for m, aggregate in enumerate(over):
        values = scores.values[:, :, m]
        count = (~np.isnan(values)).sum(axis=1)
        if aggregate != "mean" or min(count, default=0) < 2:
            ends.append({"low": None, "high": None})
            continue
        error = np.nanstd(values, axis=1, ddof=1) / np.sqrt(count)
        reach = np.array([student_critical((1 - LEVEL) / len(values), int(n)) for n in count]) * error
        means = np.nanmean(values, axis=1)
        ends.append({"low": _plain(means - reach), "high": _plain(means + reach)})
    return ends


def leaderboard_answer(files: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Means by system and metric, with intervals."""
    collection = CollectionFiles(**files)
    scores = collection.scores(list(metrics))
    means = scores.means()
    columns = [
        {"metric": metric, "means": _plain(means[:, m]), "higher_is_better": bool(scores.higher_is_better[m]), **ends}
        for m, (metric, ends) in enumerate(zip(scores.metrics, mean_intervals(scores), strict=True))
    ]
    used = used_settings(collection, [] if collection.tables else [parse(metric) for metric in metrics])
    return {"systems": list(scores.systems), "topics": len(scores.topics), "columns": columns, **used}


def topics_answer(files: Mapping[str, Any], metric: str = "") -> dict[str, Any]:
    """[topic, system] scores by one metric, and the order of the systems, best first.

    Without a metric, it is the first of score tables, or nDCG@10.
    """
    collection = CollectionFiles(**files)
    scores = collection.scores([metric] if metric else [] if collection.tables else ["nDCG@10"])
    means, order = means_and_order(scores, scores.metrics[0])
    values = scores.values[:, :, 0].T
    return {
        "metric": scores.metrics[0],
        "higher_is_better": bool(scores.higher_is_better[0]),
        "systems": list(scores.systems),
        "topics": list(scores.topics),
        "means": _plain(means),
        "order": [int(s) for s in order],
        "values": [[round(value, 4) if np.isfinite(value) else None for value in row] for row in values.tolist()],
        **used_settings(collection, [] if collection.tables else [parse(scores.metrics[0])]),
    }
