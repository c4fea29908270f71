"""Judges: agreement of other labels with a reference, and their effect on conclusions about systems."""

from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument, as_found
from irassay.io.input_files import open_inputs
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.complete_scores import best_first, checked_alpha
from irassay.meta.judges.agreement import (
    SCALES,
    judge_map,
    judge_selection,
    leniency_fields,
    likeness,
    overall_alpha,
    reference_tables,
    share_of_halves,
)
from irassay.meta.judges.conclusions import DEFAULT_METRICS, RANKING_STATISTICS, Conclusions, conclusions
from irassay.meta.judges.labels import label_sets
from irassay.meta.judges.panels import Panels, panels
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Teams
from irassay.method import method
from irassay.notes import Note
from irassay.prose import first_few
from irassay.results import Result
from irassay.score_names import positions
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import METRICS, input_paths
from irassay.settings import MAX_DRAWS, Option, Settings
from irassay.stats.paired_test import PairedTest
from irassay.stats.selection import Selection

HUMAN = Option("The reference: judgements by people, a qrels file.", metavar="HUMAN", place=1, files=True)
OTHERS = Option(
    "Other labels of the same documents: qrels files, folders, globs.",
    metavar="OTHER",
    several=True,
    place=2,
    files=True,
)
RUNS = Option(
    "Runs to rank by every set of labels: files, folders, globs; several may follow.",
    metavar="RUN",
    greedy=True,
    files=True,
)
FEW_TOPICS = 30  # with fewer, intervals of agreement are approximate
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
    selection: Selection  # the judges compared with each other by the statistic that ranks them
    share_of_halves: Floats  # [judge] of random halves of the topics in which it is behind no other
    held_out: tuple[float, float, float]  # the best judge's statistic on topics that did not choose it, and its
    # interval; NaN for a single judge
    confusion: Ints  # [judge, grade, grade] documents by the reference's grade and the judge's
    leniency: Floats  # [judge] mean grade minus the reference's
    leniency_low: Floats  # [judge]
    leniency_high: Floats  # [judge]
    leniency_p: Floats  # [judge] that it is 0: Student's t, corrected over judges by Holm
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

    @property
    def may_be_best(self) -> Bools:
        """[judge] whether it has the statistic and is behind no other judge."""
        return ~(np.isnan(self.value[:, self.statistics.index(self.by)]) | self.selection.behind.any(axis=1))

    def near_best(self) -> list[str]:
        """The judges that may be the best, by agreement."""
        return [name for name, _ in self.ranked() if self.may_be_best[self.judges.index(name)]]

    def behind(self, judge: str) -> list[str]:
        """The judges with a significantly higher agreement than this one."""
        j = positions("judge", self.judges, [judge])[0]
        return [self.judges[other] for other in np.flatnonzero(self.selection.behind[j])]

    def nearest(self, judge: str) -> str:
        """The judge that is most similar to this one, which may be the reference."""
        j = positions("judge", self.names, [judge])[0]
        return self.names[int(np.nanargmax(np.where(np.arange(len(self.names)) == j, -np.inf, self.likeness[j])))]


def check_runs(others: Any, runs: Any, metrics: Any, groups: Any) -> None:
    """Refuses missing other labels, values that are not runs, and settings that need runs if there are none."""
    if isinstance(others, list | tuple) and not others:
        raise InputError("There are no other labels; give at least one more set of labels.", argument="others")
    if not isinstance(runs, Sized) or getattr(runs, "ndim", 1) == 0:
        raise InputError(argument("runs"), f" must be files or runs; found {as_found(runs)}.")
    if isinstance(runs, tuple) and len(runs) == 1 and isinstance(runs[0], str | Path) and Path(runs[0]).is_file():
        raise InputError("A ranking needs at least two runs; found 1. Give more runs.", argument="runs")
    if not len(runs):
        for name, value in (("metrics", metrics), ("groups", groups)):
            if value:
                raise InputError(argument(name), " needs runs; give ", argument("runs"), ".")


def look_at_labels(human: Any, others: Any) -> None:
    """Refuses files that are not labels of the same topics."""
    label_sets(human, others)


@method(
    "Can other labels, such as a model's, replace these judgements?",
    cite="cohen1960 cohen1968 krippendorff2011 rahmani2025",
    path="judges",
    check=check_runs,
    look=look_at_labels,
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
    halves: Annotated[
        int,
        Option(
            "Number of random halves of the topics on which judges are compared again.",
            also=("--bootstraps",),
            old_keyword="bootstraps",
            low=2,
            high=MAX_DRAWS,
        ),
    ] = 100,
    test: PairedTest = ALL_PAIRS,
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> Judges:
    """Agreement of other labels with a reference, and their effect on conclusions about systems.

    Agreement is Cohen's kappa (unweighted, linear, quadratic, and binary at each grade), Krippendorff's alpha, the
    confusion of grades, and leniency. Intervals are by the jackknife over topics with Student's t. All judges are
    compared with each other at once; those that may be the best are significantly behind no other. With --runs, systems
    are also ranked and tested under each set of labels. With --groups, favouritism towards runs of a judge's own model
    is estimated too.

    >>> labels = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> other = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}, "2": {"a": 0, "b": 1}}
    >>> round(judges(labels, {"model": other}).of("model")[0], 4)
    0.6667
    """
    checked_alpha(alpha)
    labels = label_sets(human, others)
    tables, together = reference_tables(labels), overall_alpha(labels)
    sorted_tables = replace(tables, counts=tables.counts[np.argsort(labels.topics)])  # draws go by the names of topics
    agreement, names = tables.estimates(), labels.judges[1:]
    (low, high), (together_low, together_high) = (each.correlation_interval(alpha) for each in (agreement, together))
    tried = panels(labels, by, alpha, test.seed) if len(names) > 1 else None
    chosen = (tried.held_out, tried.low, tried.high) if tried and len(labels.topics) > 1 else np.full((3, 1), np.nan)
    similarity = likeness(labels)
    order, points = judge_map(similarity)
    runs, _ = open_inputs(runs)
    about_systems = conclusions(runs, labels, metrics, judging, scoring, groups, test, alpha) if len(runs) else None
    result = Judges(
        reference=labels.judges[0],
        judges=names,
        topics=labels.topics,
        documents=len(labels.topic),
        alpha=alpha,
        by=by,
        scale=labels.scale,
        grades=tuple(labels.grades.tolist()),
        statistics=tables.names,
        value=agreement.estimate,
        low=low,
        high=high,
        selection=judge_selection(sorted_tables, by, alpha, test.seed, names),
        share_of_halves=share_of_halves(sorted_tables, by, alpha, test.seed, names, halves),
        held_out=(float(chosen[0][0]), float(chosen[1][0]), float(chosen[2][0])),
        confusion=tables.counts.sum(axis=0).astype(np.int64),
        **leniency_fields(labels, alpha),
        judged=np.count_nonzero(labels.judged[1:], axis=1),
        missing=np.count_nonzero(~labels.judged[1:], axis=1),
        more=labels.more[1:],
        outside=labels.outside[1:],
        together=together.estimate,
        together_low=together_low,
        together_high=together_high,
        likeness=similarity,
        order=order,
        map=points,
        panels=tried if len(names) > 2 else None,
        conclusions=about_systems,
        notes=(*labels.notes, *(about_systems.notes if about_systems else ())),
        settings=Settings(inputs=labels.paths | input_paths(runs, None)),
    )
    return replace(result, notes=(*result.notes, *_interval_notes(result)))


def _interval_notes(result: Judges) -> Iterator[Note]:
    """Notes on intervals over few topics, and on those that do not exist."""
    if len(result.topics) < FEW_TOPICS:
        text = f"few topics: below {FEW_TOPICS}, intervals of kappa and alpha are approximate"
        yield Note(f"{text} (with 10 topics, 95% intervals held in 89 to 97% of simulated studies)", caveat=True)
    every: list[tuple[Any, ...]] = []  # names, values, and the lower ends of their intervals
    if systems := result.conclusions:
        for field, word in RANKING_STATISTICS.items():
            names = (f"{word} of {judge} by {metric}" for judge in systems.judges for metric in systems.metrics)
            every += zip(names, getattr(systems, field).ravel(), systems.interval(field)[0].ravel(), strict=True)
    every += ((f"{name} of {judge}", *result.of(judge, name)) for name in result.statistics for judge in result.judges)
    every += zip((f"leniency of {judge}" for judge in result.judges), result.leniency, result.leniency_low, strict=True)
    every += zip((f"{scale} of all" for scale in SCALES), result.together, result.together_low, strict=True)
    if missing := [name for name, value, low, *_ in every if not np.isnan(value) and np.isnan(low)]:
        text = f"no interval for {first_few(missing)}, because leaving out topics changes nothing"
        yield Note(f"{text}, or leaves nothing to compare")
