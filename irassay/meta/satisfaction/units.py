"""Scores of sessions, the units that users rate, also as a function of a parameter."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from irassay.errors import InputError
from irassay.io.trec import Qrels, Run
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.metric import Metric
from irassay.rankings.effort import effort_table
from irassay.scores import Scores
from irassay.scoring.batches import row_scores
from irassay.scoring.columns import Columns
from irassay.scoring.score import parsed_metrics

EFFORT_RATIO = "e"  # effort for a relevant result over that for another result [jiang2016]
EFFORT_OF_GRADE = re.compile(r"e(\d{1,3})")  # of one grade, such as e0


def session_scores(sessions: Run, qrels: Qrels, metrics: Iterable[str | Metric]) -> Scores:
    """One score per session: by session metrics directly, by all others the mean over its queries.

    A query without results counts, with the score of an empty list. The sessions are the topics of the scores of one
    system.
    """
    return _scores(judge(sessions, qrels, JudgingPolicy()), parsed_metrics(metrics))


def scores_where_possible(sessions: Run, qrels: Qrels, metrics: Mapping[str, Metric]) -> tuple[Scores, dict[str, str]]:
    """The scores of sessions by the metrics that can be computed, and why the others cannot, by name."""
    judged = judge(sessions, qrels, JudgingPolicy())
    can, refused = list[Metric](), dict[str, str]()
    for name, metric in metrics.items():
        try:
            _scores(judged, [metric])
            can.append(metric)
        except InputError as problem:
            refused[name] = str(problem).partition(";")[0]  # without the fix: these sessions cannot be changed
    if not can:
        reason = next(iter(refused.values()), "none was given").removesuffix(".")
        raise InputError(f"No metric can be computed on the sessions: {reason}.")
    return _scores(judged, can), refused


def session_curve(
    sessions: Run, qrels: Qrels, metrics: Iterable[str | Metric], *parameters: str
) -> Callable[..., Scores]:
    """A function from the values of parameters to the scores, which judges only once.

    For metrics with an effort but no parameter 'e', 'e' is the ratio of [jiang2016]: a relevant result costs 1, another
    result 1/e. 'e0', 'e1' and so on are the effort of one grade; others keep theirs, or cost 1.
    """
    judged = judge(sessions, qrels, JudgingPolicy())
    given = parsed_metrics(metrics)
    grades = int(judged.batches[0].max_grade)

    def scores(*values: float) -> Scores:
        metrics = given
        for parameter, value in zip(parameters, values, strict=True):
            metrics = [with_value(metric, parameter, value, grades) for metric in metrics]
        return _scores(judged, metrics)

    return scores


def is_effort(metric: Metric, parameter: str) -> bool:
    """Whether a parameter is the effort of a grade, or the ratio of efforts, of a metric that has an effort."""
    is_one = parameter == EFFORT_RATIO or EFFORT_OF_GRADE.fullmatch(parameter) is not None
    return is_one and "effort" in metric.params and parameter not in metric.params


def with_value(metric: Metric, parameter: str, value: float, max_grade: int) -> Metric:
    """The metric with another value of a parameter; integers stay integers.

    >>> from irassay.metrics.grammar import parse
    >>> str(with_value(parse("RBP"), "p", 0.6, 1)), str(with_value(parse("RBP"), "e", 4, 2))
    ('RBP(p=0.6)', 'RBP(effort=(0.25,1,1))')
    >>> str(with_value(parse("RBP(effort=(0.25,1,1))"), "e1", 0.5, 2))
    'RBP(effort=(0.25,0.5,1))'
    """
    if parameter in metric.params:
        is_integer = isinstance(metric.params[parameter], int) and float(value).is_integer()
        return metric(**{parameter: int(value) if is_integer else float(value)})
    if parameter == EFFORT_RATIO and "effort" in metric.params:
        if value <= 0:
            raise InputError(f"The effort ratio e must be above 0; found {value:g}.")
        return metric(effort=(1 / float(value), *[1] * max_grade))
    if (grade := EFFORT_OF_GRADE.fullmatch(parameter)) and "effort" in metric.params and int(grade[1]) <= max_grade:
        if value <= 0:
            raise InputError(f"The effort {parameter} must be above 0; found {value:g}.")
        own = metric.params["effort"]
        efforts = [*effort_table(own, max_grade)] if own is not None and own != "words" else [1.0] * (max_grade + 1)
        efforts[int(grade[1])] = float(value)
        return metric(effort=tuple(efforts))
    raise InputError(f"{metric} has no parameter '{parameter}'; give one of its own.")


def _scores(judged: JudgedRun, metrics: Sequence[Metric]) -> Scores:
    """The scores of judged sessions."""
    values = np.full((1, len(judged.topics), len(metrics)), np.nan)
    values[0, judged.in_order([r.topic for r in judged.batches])] = row_scores(judged, metrics)
    return Columns(metrics).cube(values, (judged.name,), judged.topics, judged.notes)
