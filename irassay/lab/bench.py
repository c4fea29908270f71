"""The user-model bench: means, order and curves of metrics on a collection, and how the order changes with a parameter."""

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

MAX_STEPS = 12  # values of a parameter in the chart of ranks
MAX_LINES = 20  # systems in it


def bench_answer(
    files: Mapping[str, Any] | None, metrics: Sequence[str], ranks: int = 20, ranking: str = ""
) -> dict[str, Any]:
    """Means, order and curves of each metric; without a collection, only curves."""
    parsed = [parse(metric) for metric in metrics]
    scores = CollectionFiles(**files).scores(list(metrics)) if files else None
    users = [_user(metric, text, ranks, ranking) for metric, text in zip(parsed, metrics, strict=True)]
    if scores is None:
        return {"systems": [], "topics": [], "users": users}
    for user, metric in zip(users, parsed, strict=True):
        user |= _means(scores, str(metric))
    return {"systems": list(scores.systems), "topics": list(scores.topics), "users": users}


def _user(metric: Metric, text: str, ranks: int, ranking: str) -> dict[str, Any]:
    """What one user does: the curves, and what each rank of the example ranking earns."""
    about = {"metric": str(metric), "label": metric.label, "higher_is_better": metric.meaning.higher_is_better}
    try:
        with spelled_as("pointer"):
            explained = ask("explain", {"metric": text, "ranking": ranking, "ranks": ranks})
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


def _means(scores: Scores, metric: str) -> dict[str, Any]:
    """The means of the systems by one metric, and their order, best first; equal means keep the order of names."""
    means, order = means_and_order(scores, metric)
    return {"means": _plain(means), "order": [int(s) for s in order]}


def means_and_order(scores: Scores, metric: str) -> tuple[Any, Any]:
    """[system] the means by one metric, and the systems, best first."""
    column = scores.metrics.index(metric)
    means = scores.means()[:, column]
    worth = means if scores.higher_is_better[column] else -means
    return means, np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")


def bench_picture(
    files: Mapping[str, Any],
    metrics: Sequence[str],
    parameter: str = "",
    values: Sequence[Any] = (),
    pair: Sequence[str] = (),
) -> dict[str, Any]:
    """What follows when the slider is released: ranks over the parameter, and what this user says about two systems."""
    collection = CollectionFiles(**files)
    metric = parse(metrics[0])
    scores = collection.scores([metrics[0]])
    answer: dict[str, Any] = {}
    if parameter and values:
        answer["bump"] = _ranks_over(collection, metric, parameter, list(values)[: MAX_STEPS + 1])
    names = list(pair) or [scores.systems[s] for s in means_and_order(scores, str(metric))[1][:2]]
    if len(names) == 2 and names[0] != names[1] and len(scores.topics) > 1:
        answer["verdict"] = pair_verdict(scores, names)
        answer["pair"] = names
    answer |= _intervals(scores)
    return answer


def _with_value(metric: Metric, parameter: str, value: Any) -> Metric:
    """The metric with another value of a parameter; `cutoff` is the number after @."""
    return metric @ int(value) if parameter == "cutoff" else metric(**{parameter: value})


def _ranks_over(collection: CollectionFiles, metric: Metric, parameter: str, values: list[Any]) -> dict[str, Any]:
    """The ranks of the systems by value of a parameter: of those that are among the first at any value."""
    metrics = [_with_value(metric, parameter, value) for value in values]
    scores = collection.scores([str(each) for each in metrics])
    orders = [means_and_order(scores, str(each))[1] for each in metrics]
    ranks = np.empty((len(values), len(scores.systems)), dtype=int)
    for row, order in zip(ranks, orders, strict=True):
        row[order] = np.arange(1, len(order) + 1)
    first = np.argsort(ranks.min(axis=0) * 10_000 + ranks.mean(axis=0), kind="stable")[:MAX_LINES]
    lines = [{"system": scores.systems[s], "ranks": ranks[:, s].tolist()} for s in first]
    crossings = int((ranks[1:] != ranks[:-1]).any(axis=1).sum())
    return {"parameter": parameter, "values": values, "lines": lines, "changes": crossings}


def pair_verdict(scores: Scores, names: Sequence[str]) -> list[str]:
    """What the comparison of two systems says, in sentences with an interval."""
    from irassay.meta.comparison import compare

    two = scores.select(systems=list(names))
    with spelled_as("keyword"):
        result = compare(two, test="t")
        return [str(sentence) for sentence in result.view().sentences][:2]


def _intervals(scores: Scores) -> dict[str, Any]:
    """Simultaneous intervals of the systems' means, by the largest t over systems (Bonferroni)."""
    from scipy.stats import t

    values = scores.values[:, :, 0]
    count = (~np.isnan(values)).sum(axis=1)
    if (scores.over_topics and scores.over_topics[0] != "mean") or count.min(initial=0) < 2:
        return {"low": None, "high": None}
    error = np.nanstd(values, axis=1, ddof=1) / np.sqrt(count)
    reach = t.ppf(1 - 0.025 / len(values), count - 1) * error
    means = np.nanmean(values, axis=1)
    return {"low": _plain(means - reach), "high": _plain(means + reach)}
