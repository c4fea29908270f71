"""What the pages show while a person waits: means, order and curves of metrics, and scores by topic."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irassay.ask import ask
from irassay.errors import InputError, spelled_as
from irassay.lab.judged_cache import CollectionFiles
from irassay.lab.problems import input_problem
from irassay.meta.comparison import compare
from irassay.metrics.explanation import Explanation
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.stats.jackknife import student_critical
from irassay.stats.paired_test import PairedTest

MAX_STEPS = 13  # values of a parameter in the chart of ranks
MAX_LINES = 24  # systems in it
INTERVAL_LEVEL = 0.95


def bench_answer(
    files: Mapping[str, Any], metrics: Sequence[str], ranks: int = 20, ranking: str | None = None
) -> dict[str, Any]:
    """Means, order and curves of each metric, and why one has no scores if others have."""
    parsed = [parse(metric) for metric in metrics]
    collection = CollectionFiles(**files)
    scores, problems = scores_and_problems(collection, [str(metric) for metric in parsed])
    top, used = example_scale(collection.max_grade(), ranking), used_settings(collection, parsed)
    users = [_user_answer(metric, text, ranks, ranking, top) for metric, text in zip(parsed, metrics, strict=True)]
    for user, metric in zip(users, map(str, parsed), strict=True):
        if metric in problems:
            user |= {"means": [None] * len(scores.systems), "order": [], "problem": problems[metric]}
            continue
        means, order = means_and_order(scores, metric)
        user |= {"means": _json_numbers(means), "order": [int(s) for s in order]}
    return {"systems": list(scores.systems), "topics": list(scores.topics), "max_grade": top, "users": users, **used}


def scores_and_problems(collection: CollectionFiles, metrics: Sequence[str]) -> tuple[Scores, dict[str, str]]:
    """The scores by these metrics, and what the others lack, by metric; InputError if none can be scored."""
    problems: dict[str, str] = {}
    try:
        return collection.scores(list(metrics)), problems
    except InputError:
        for metric in metrics:
            try:
                collection.scores([metric])
            except InputError as error:
                problems[metric] = input_problem(error)["detail"]
        scored = [metric for metric in metrics if metric not in problems]
        if not scored:
            raise
    return collection.scores(scored), problems


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


def _user_answer(metric: Metric, text: str, ranks: int, ranking: str | None, top: float | None) -> dict[str, Any]:
    """What one user does: the curves, and what each rank of the example ranking earns."""
    about = {"metric": str(metric), "label": metric.label, "higher_is_better": metric.meaning.higher_is_better}
    try:
        with spelled_as("pointer"):
            explained = ask("explain", {"metric": text, "ranking": ranking, "ranks": ranks, "max_grade": top})
    except InputError as error:
        return {**about, "curves": None, "why_no_curves": str(error)}
    assert isinstance(explained, Explanation)
    curves = {name: _json_numbers(getattr(explained, name)) for name in ("C", "W", "L", "gain", "discount", "earned")}
    numbers = {"score": explained.score, "expected_depth": explained.expected_depth, "past": explained.past}
    plain = {name: float(value) if np.isfinite(value) else None for name, value in numbers.items()}
    return {**about, "curves": curves, "items": list(explained.items), "is_model": explained.is_model, **plain}


def _json_numbers(values: Any) -> list[float | None]:
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
    metrics: Sequence[str] = (),
) -> dict[str, Any]:
    """What follows when a slider is released: ranks over the parameter of one metric; of every user intervals of the
    means, marks of the systems that differ from the first of two, and a verdict on the two."""
    collection, parsed = CollectionFiles(**files), parse(metric)
    everyone = [str(parse(each)) for each in metrics] or [str(parsed)]
    scores, problems = scores_and_problems(collection, list(dict.fromkeys([*everyone, str(parsed)])))
    leading = scores.metrics[0] if str(parsed) in problems else str(parsed)
    best = [scores.systems[s] for s in means_and_order(scores, leading)[1][:2]]
    names = [name for name in pair if name in scores.systems] if len(set(pair)) == 2 else best
    answer: dict[str, Any] = {"pair": names, "users": []}
    for each in everyone:
        if each in problems:
            answer["users"].append({"problem": problems[each]})
            continue
        user = scores.with_metrics([each])
        answer["users"].append(mean_intervals(user)[0] | (_pair_comparison(user, names) if len(names) == 2 else {}))
    if parameter and values and str(parsed) not in problems:
        answer["bump"] = _ranks_over(collection, parsed, parameter, list(values)[:MAX_STEPS])
    return answer


def _pair_comparison(scores: Scores, names: Sequence[str]) -> dict[str, Any]:
    """The verdict on two systems, and the systems that differ significantly from the first; nothing on one topic."""
    two = scores.select(systems=list(names)).of(scores.metrics[0])
    if (~np.isnan(two).any(axis=0)).sum() < 2:
        return {}
    return {"verdict": pair_verdict(scores, names), "marks": _marks_beside(scores, names[0])}


def _marks_beside(scores: Scores, baseline: str) -> list[str]:
    """[system] ▲ or ▼ where the mean is significantly above or below that of the baseline (paired t, Holm)."""
    try:
        compared = compare(scores, baseline=baseline, test=PairedTest("t", correction="holm"), alpha=1 - INTERVAL_LEVEL)
    except InputError:  # some scores are missing
        return []
    means = dict(zip(scores.systems, scores.means()[:, 0], strict=True))
    marks = dict.fromkeys(scores.systems, "")
    for (system, _), p in zip(compared.pairs(), compared.by_metric[0].p, strict=True):
        if p < 1 - INTERVAL_LEVEL:
            marks[system] = "▲" if means[system] > means[baseline] else "▼"
    return list(marks.values())


def _with_value(metric: Metric, parameter: str, value: Any) -> Metric:
    """The metric with another value of a parameter; `cutoff` is the number after @."""
    return metric @ value if parameter == "cutoff" else metric(**{parameter: value})


def _ranks_over(collection: CollectionFiles, metric: Metric, parameter: str, values: list[Any]) -> dict[str, Any]:
    """The ranks of the systems by value of a parameter: of those that are among the first at any value."""
    metrics = [_with_value(metric, parameter, value) for value in values]
    scores = collection.scores(list(dict.fromkeys(map(str, metrics))))
    ranks = np.empty((len(values), len(scores.systems)), dtype=int)
    for row, each in zip(ranks, metrics, strict=True):
        order = means_and_order(scores, str(each))[1]
        row[order] = np.arange(1, len(order) + 1)
    first = np.lexsort((ranks.mean(axis=0), ranks.min(axis=0)))[:MAX_LINES]
    lines = [{"system": scores.systems[s], "ranks": ranks[:, s].tolist()} for s in first]
    return {"parameter": parameter, "values": values, "lines": lines}


def pair_verdict(scores: Scores, names: Sequence[str]) -> str:
    """What a metric says about two systems: which is better, and the difference of their means with its interval."""
    first, second = names
    two = scores.select(systems=list(names)).of(scores.metrics[0])
    difference = (two[0] - two[1])[~np.isnan(two).any(axis=0)]
    topics, mean = len(difference), float(difference.mean())
    if not difference.any():
        return f"{first} and {second} score the same on all {topics} topics."
    reach = student_critical(1 - INTERVAL_LEVEL, topics) * float(difference.std(ddof=1)) / np.sqrt(topics)
    low, high = mean - reach, mean + reach
    winner, loser = (first, second) if (mean > 0) == scores.higher_is_better[0] else (second, first)
    verdict = "No significant difference" if low <= 0 <= high else f"{winner} is better than {loser}"
    interval = f"{INTERVAL_LEVEL:.0%} interval {low:+.4f} to {high:+.4f}"
    return f"{verdict}. {first} minus {second} is {mean:+.4f} on {topics} topics, {interval} (paired t)."


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
        reach = np.array([student_critical((1 - INTERVAL_LEVEL) / len(values), int(n)) for n in count]) * error
        means = np.nanmean(values, axis=1)
        ends.append({"low": _json_numbers(means - reach), "high": _json_numbers(means + reach)})
    return ends


def leaderboard_answer(files: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Means by system and metric, with intervals; without metrics, those of score tables."""
    collection = CollectionFiles(**files)
    scores = collection.scores(list(metrics))
    scores = scores if metrics else scores.with_metrics(main_metrics(scores))
    means = scores.means()
    columns = [
        {"metric": metric, "means": _json_numbers(means[:, m]), "higher_is_better": bool(up), **ends}
        for m, (metric, up, ends) in enumerate(
            zip(scores.metrics, scores.higher_is_better, mean_intervals(scores), strict=True)
        )
    ]
    used = used_settings(collection, [] if collection.tables else [parse(metric) for metric in metrics])
    return {"systems": list(scores.systems), "topics": len(scores.topics), "columns": columns, **used}


def main_metrics(scores: Scores) -> list[str]:
    """The metrics of a score table, counts such as the number of results last: scores that exceed 1."""
    largest = dict(zip(scores.metrics, np.nanmax(scores.values, axis=(0, 1), initial=0), strict=True))
    return sorted(scores.metrics, key=lambda metric: largest[metric] > 1)


def topics_answer(files: Mapping[str, Any], metric: str = "") -> dict[str, Any]:
    """[topic, system] scores by one metric, and the order of the systems, best first.

    Without a metric, it is the main one of score tables, or nDCG@10.
    """
    collection = CollectionFiles(**files)
    scores = collection.scores([] if collection.tables else [metric or "nDCG@10"])
    every = main_metrics(scores)
    scores = scores.with_metrics([metric or every[0]])
    means, order = means_and_order(scores, scores.metrics[0])
    values = scores.values[:, :, 0].T
    return {
        "metric": scores.metrics[0],
        "metrics": every,
        "higher_is_better": bool(scores.higher_is_better[0]),
        "systems": list(scores.systems),
        "topics": list(scores.topics),
        "means": _json_numbers(means),
        "order": [int(s) for s in order],
        "values": [[round(value, 4) if np.isfinite(value) else None for value in row] for row in values.tolist()],
        **used_settings(collection, [] if collection.tables else [parse(scores.metrics[0])]),
    }
