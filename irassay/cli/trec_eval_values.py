"""The values that trec_eval prints, by topic and line: most are scores of metrics, some it has alone."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.io.sources import Source
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.policy import JudgingPolicy, Missing
from irassay.judging.runs import RunByRun
from irassay.metrics.grammar import parse
from irassay.metrics.trec_measures import NUMBER, Line
from irassay.rankings.batch import Rankings
from irassay.rankings.pool import Pool
from irassay.scores import SMALLEST_SCORE
from irassay.scoring.columns import Columns
from irassay.scoring.levels import metric_at_level

MISSING_Z = -1000000.0  # the z-score without a mean and a deviation


class ResultSettings(NamedTuple):
    """Which topics, grades and results count: the options -c, -l, -M and -J."""

    complete: bool
    level: int
    most: int | None
    judged_only: bool

    @property
    def policy(self) -> JudgingPolicy:
        """How runs are judged; with -M 0 no result counts, but topics with results are still answered."""
        no_results = self.most == 0
        missing: Missing = "zero" if self.complete or no_results else "skip"
        return JudgingPolicy(missing=missing, depth=1 if no_results else self.most)

    def judged_run(self, source: RunByRun) -> tuple[JudgedRun, Bools]:
        """The one run, and [topic] whether it has results."""
        try:
            judged = next(source.with_separate_pools())
        except InputError as problem:
            if problem.code == "document-twice":  # its advice names an option that trec_eval does not have
                raise InputError(f"{problem.found}. {problem.fix}.") from None
            raise
        answered = _answered_topics(judged)
        if self.most == 0:
            judged = replace(judged, batches=tuple(map(_without_results, judged.batches)))
        return judged, answered


def line_values(lines: Sequence[Line], judged: JudgedRun, results: ResultSettings, more: Sequence[str] = ()) -> Floats:
    """[topic, line + more] the values of lines, then those of more metrics."""
    lines = [*lines, *(Line(name, "one", (parse(name),)) for name in more)]
    metrics = [metric for line in lines for metric in line.metrics]
    leveled = [metric_at_level(metric, float(results.level), always=True) for metric in metrics]
    judged_only = results.judged_only
    columns = Columns([metric(judged_only=judged_only) for metric in leveled], missing=results.policy.missing)
    lists, earned, _ = next(columns.runs_with_scores([judged]))
    scores, _ = columns.scores(lists, earned)
    values, start = np.full((len(judged.topics), len(lines)), np.nan), 0
    for i, line in enumerate(lines):
        end = start + len(line.metrics)
        if line.metrics:
            values[:, i] = scores[:, start:end].mean(axis=1)
        start = end
    return values


def set_special_values(values: Floats, lines: Sequence[Line], pool: Pool, max_grade: float, level: int) -> None:
    """Sets the values that no metric gives: logarithms for geometric means, and the measures marked special."""
    relevant = ((pool.grade >= level) & pool.listed).sum(axis=1)
    best = np.where(pool.listed, pool.grade, 0.0).max(axis=1, initial=0.0)
    for i, line in enumerate(lines):
        if line.metrics and line.metrics[0].meaning.over_topics == "geometric":
            values[:, i] = np.log(np.maximum(values[:, i], SMALLEST_SCORE))
        elif line.special == "rbp":
            values[:, i] *= max_grade / np.maximum(best, 1.0)
        elif line.special == "yaap":
            total = values[:, i] * relevant
            values[:, i] = np.log((1 + total) / (1 + relevant - total))
        elif line.special == "ideal_dcg":
            gain = np.asarray(line.numbers)[np.maximum(pool.grade, 0).astype(np.int64)]
            gains = -np.sort(-np.where(pool.listed, gain, 0.0), axis=1)
            values[:, i] = (gains / np.log2(np.arange(gains.shape[1]) + 2)).sum(axis=1)


def set_values_without_results(
    values: Floats, lines: Sequence[Line], retrieved: Floats, relevant: Floats, answered: Bools, documents: int
) -> None:
    """Sets the values that trec_eval prints for topics without results that count.

    Interpolated precision is 0/0 there if the recall level rounds to no document at all. A topic that -c adds, whose
    `answered` is false, has one unjudged result, which counts in a utility with coefficients.
    """
    for i, line in enumerate(lines):
        if line.special in ("iprec_at_recall", "11pt_avg"):
            no_document = np.floor(np.outer(relevant, line.numbers) + 0.5).min(axis=1) == 0
            values[(retrieved == 0) & no_document & answered, i] = np.nan
        elif line.special == "utility" and line.numbers:
            _, b, c, d = line.numbers
            extra = (~answered).astype(np.float64)
            utility = b * extra + c * relevant + d * (documents - extra - relevant)
            values[:, i] = np.where(retrieved > 0, values[:, i], utility)


def replace_by_z_scores(values: Floats, lines: Sequence[Line], topics: Sequence[str], path: Path) -> None:
    """Replaces values by z-scores: deviations from the means in a file, in its standard deviations."""
    moments = {}
    for number, row in enumerate(Source(path).text().splitlines(), 1):
        parts = row.split()
        if len(parts) != 4 or not (NUMBER.fullmatch(parts[2]) and NUMBER.fullmatch(parts[3])):
            raise InputError(file=str(path), line=number, found=row, expected="topic, measure, mean and deviation")
        moments[parts[0], parts[1]] = float(parts[2]), float(parts[3])
    for t, topic in enumerate(topics):
        for i, line in enumerate(lines):
            mean, deviation = moments.get((topic, line.name), (np.nan, 0.0))
            without_deviation = 0.0 if values[t, i] == mean else MISSING_Z
            values[t, i] = (values[t, i] - mean) / deviation if deviation else without_deviation


def _without_results(r: Rankings) -> Rankings:
    """The batch without any results."""
    arrays = {name: np.zeros_like(getattr(r, name)) for name in ("grade", "judged", "retrieved")}
    return replace(r, **arrays, passages=r.passages.cut_to(arrays["judged"]))


def _answered_topics(judged: JudgedRun) -> Bools:
    """[topic] whether the run has results."""
    answered = np.zeros(len(judged.topics), dtype=bool)
    for r, topic in zip(judged.batches, judged.topic, strict=True):
        answered[topic[r.retrieved > 0]] = True
    return answered
