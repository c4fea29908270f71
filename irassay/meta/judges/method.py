"""Judges: agreement of other labels with a reference, and their effect on conclusions about systems."""

from collections.abc import Mapping, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument, as_found
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.complete_scores import best_first, checked_alpha
from irassay.meta.judges.agreement import (
    interval_fields,
    judge_map,
    leniency_fields,
    likeness,
    overall_alpha,
    percentile_interval,
    reference_tables,
    topic_resamples,
)
from irassay.meta.judges.conclusions import DEFAULT_METRICS, Conclusions, conclusions
from irassay.meta.judges.labels import label_sets
from irassay.meta.judges.panels import Panels, panels
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Teams
from irassay.method import method
from irassay.results import Result
from irassay.scores import positions
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import METRICS
from irassay.settings import MAX_DRAWS, Option, Settings
from irassay.stats.paired_test import PairedTest

HUMAN = Option("The reference: judgements by people, a qrels file.", metavar="HUMAN", place=1)
OTHERS = Option(
    "Other labels of the same documents: qrels files, folders, globs.", metavar="OTHER", several=True, place=2
)
RUNS = Option(
    "Runs to rank by every set of labels: files, folders, globs; several may follow.", metavar="RUN", greedy=True
)
Statistic = Literal["kappa", "linear kappa", "quadratic kappa", "nominal alpha", "ordinal alpha", "interval alpha"]


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Result):
    """Agreement of every judge with the reference and of all judges with each other, and conclusions about systems."""

    saved_as: ClassVar[str] = "judges"

    reference: str
    judges: tuple[str, ...]  # [judge] without the reference
    topics: tuple[str, ...]
    documents: int  # judged by the reference
    alpha: float
    by: str
    scale: tuple[float, ...]  # of the reference
    grades: tuple[float, ...]  # every grade that any judge gave
    statistics: tuple[str, ...]
    value: Floats  # [judge, statistic]
    low: Floats  # [judge, statistic]
    high: Floats  # [judge, statistic]
    behind_low: Floats  # [judge] interval of the best judge's statistic minus its own, by the statistic that ranks them
    behind_high: Floats  # [judge]
    confusion: Ints  # [judge, grade, grade] documents by the reference's grade and the judge's
    leniency: Floats  # [judge] mean grade minus the reference's
    leniency_low: Floats  # [judge]
    leniency_high: Floats  # [judge]
    leniency_topics: Floats  # [judge, topic]
    leniency_grades: Floats  # [judge, scale]
    judged: Ints  # [judge] documents of the reference
    missing: Ints  # [judge] documents of the reference that it did not judge
    more: Ints  # [judge] documents that the reference did not judge
    outside: Ints  # [judge] labels outside the scale
    together: Floats  # [alpha] nominal, ordinal and interval alpha over all judges
    together_low: Floats  # [alpha]
    together_high: Floats  # [alpha]
    likeness: Floats  # [1 + judge, 1 + judge] ordinal alpha of every two, the reference first
    order: Ints  # [1 + judge] similar judges side by side
    map: Floats  # [1 + judge, 2]
    panels: Panels | None  # if there are three judges or more
    conclusions: Conclusions | None  # if there are runs

    @property
    def names(self) -> tuple[str, ...]:
        """The reference, then the judges."""
        return (self.reference, *self.judges)

    def of(self, judge: str, statistic: str = "kappa") -> tuple[float, float, float]:
        """A statistic of one judge, and the ends of its interval."""
        j, s = positions("judge", self.judges, [judge])[0], positions("statistic", self.statistics, [statistic])[0]
        return float(self.value[j, s]), float(self.low[j, s]), float(self.high[j, s])

    def ranked(self) -> list[tuple[str, float]]:
        """The judges and their agreement with the reference, best first."""
        return best_first(self.judges, self.value[:, self.statistics.index(self.by)])

    def near_best(self) -> list[str]:
        """The best judge, and those that are not significantly worse, best first."""
        best, *rest = (name for name, _ in self.ranked())
        return [best, *(name for name in rest if not self.behind_low[self.judges.index(name)] > 0)]

    def nearest(self, judge: str) -> str:
        """The judge that is most similar to this one, which may be the reference."""
        j = positions("judge", self.names, [judge])[0]
        return self.names[int(np.nanargmax(np.where(np.arange(len(self.names)) == j, -np.inf, self.likeness[j])))]


@method(
    "Can other labels, such as a model's, replace these judgements?",
    cite="cohen1960 cohen1968 krippendorff2011 rahmani2025",
    path="judges",
    draws=True,
    examples=("irassay judges human.qrels model.qrels", "irassay judges human.qrels models/ --runs runs/ -m nDCG@10"),
)
def judges(
    human: Annotated[str | Path | Source | Qrels | Mapping[str, Any], HUMAN],
    others: Annotated[Any, OTHERS],
    *,
    runs: Annotated[tuple[str, ...] | Any, RUNS] = (),
    metrics: Annotated[tuple[str, ...], replace(METRICS, shown=",".join(DEFAULT_METRICS))] = (),
    groups: Annotated[
        Teams | Mapping[str, str] | None, Option("Model of each run (run model), spelled as in the judge's name.")
    ] = None,
    by: Annotated[Statistic, Option("Agreement coefficient used to rank judges and choose panels.")] = "kappa",
    alpha: Alpha = 0.05,
    bootstraps: Annotated[
        int, Option("Number of resamples of the topics, for intervals.", low=1, high=MAX_DRAWS)
    ] = 2000,
    test: PairedTest = ALL_PAIRS,
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> Judges:
    """Agreement of other labels with a reference, and their effect on conclusions about systems.

    Cohen's kappa (unweighted, linear, quadratic, and binary at each grade), Krippendorff's alpha, the confusion of
    grades, and leniency; intervals are percentiles over topics drawn with replacement. With --runs, also the ranking of
    the systems and their significant differences under each set of labels; --groups gives the model of each run,
    spelled as in the judge's name.

    >>> labels = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> other = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> round(judges(labels, {"model": other}).of("model")[0], 4)
    0.6667
    """
    checked_alpha(alpha)
    if not isinstance(runs, Sized) or getattr(runs, "ndim", 1) == 0:
        raise InputError(argument("runs"), f" must be files or runs; found {as_found(runs)}.")
    if not len(runs):
        for name, value in (("metrics", metrics), ("groups", groups)):
            if value:
                raise InputError(argument(name), " needs runs; give ", argument("runs"), ".")
    labels = label_sets(human, others)
    weight = topic_resamples(labels.topics, bootstraps, test.seed)
    tables = reference_tables(labels)
    value, drawn = tables.statistics()[0], tables.statistics(weight)
    low, high = percentile_interval(drawn, alpha)
    ranks = drawn[:, :, tables.names.index(by)]  # [resample, judge]
    best = int(np.argmax(np.nan_to_num(value[:, tables.names.index(by)], nan=-2.0)))
    together, drawn_together = overall_alpha(labels, weight)
    similarity = likeness(labels)
    order, points = judge_map(similarity)
    about_systems = conclusions(runs, labels, metrics, judging, scoring, groups, test, alpha) if len(runs) else None
    return Judges(
        reference=labels.judges[0],
        judges=labels.judges[1:],
        topics=labels.topics,
        documents=len(labels.topic),
        alpha=alpha,
        by=by,
        scale=labels.scale,
        grades=tuple(labels.grades.tolist()),
        statistics=tables.names,
        value=value,
        low=low,
        high=high,
        **interval_fields("behind", ranks[:, [best]] - ranks, alpha),
        confusion=tables.counts.sum(axis=0).astype(np.int64),
        **leniency_fields(labels, weight, alpha),
        judged=np.count_nonzero(labels.judged[1:], axis=1),
        missing=np.count_nonzero(~labels.judged[1:], axis=1),
        more=labels.more[1:],
        outside=labels.outside[1:],
        together=together,
        **interval_fields("together", drawn_together, alpha),
        likeness=similarity,
        order=order,
        map=points,
        panels=panels(labels, by, weight, alpha, test.seed) if len(labels.judges) > 3 else None,
        conclusions=about_systems,
        notes=(*labels.notes, *(about_systems.notes if about_systems else ())),
        settings=Settings(inputs=labels.paths),
    )
