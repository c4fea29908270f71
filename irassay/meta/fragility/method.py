"""Fragility: how few changed judgements undo a significant difference, and how likely another assessor does."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels
from irassay.judging.runs import document_judgements
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.fragility.assessors import FEW_DOUBLY_JUDGED, OtherAssessors, compared_assessors, pooled_assessors
from irassay.meta.fragility.precisions import PrecisionPair, is_average_precision
from irassay.meta.fragility.regraded_lists import RegradedPair, States, regraded_pair, system_lists
from irassay.meta.fragility.search import BUDGET, Undoing, fewest_changes
from irassay.meta.fragility.sums import SummedPair, is_summed
from irassay.meta.fragility.tested_pairs import FragilityTest, TestedPairs, fragility_test, tested_claims
from irassay.meta.robustness.altered_judgements import Confusion, original_judgements
from irassay.meta.robustness.other_qrels import OtherQrels, qrels_source
from irassay.meta.robustness.rejudged_scores import PooledRuns, pooled_runs
from irassay.meta.shared_options import Alpha, Seed, Trials
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note, one_metric_notes
from irassay.parallel import check_cancelled
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.influence import paired_t, verdict_flipping_topics

BUDGET_OF_ALL = 1_000_000  # versions scored in proofs, over all pairs
SUM_TOLERANCE = 1e-9  # of differences that are added up


@dataclass(frozen=True, eq=False)
class FragilePair(Saved):
    """A pair of systems: how its difference is tested, and what undoes its significance."""

    saved_as: ClassVar[str] = "fragile-pair"

    system: str
    other: str
    difference: float
    t: Floats  # [change + 1] t as judged, and after each of the changes
    p: float
    significant: bool  # system is significantly better than other
    changes: int | None  # judgements whose change undoes the significance; None: none were found
    at_least: int  # fewer changes are proved not to be enough
    patch: tuple[tuple[str, str, float, float], ...]  # topic, document, grade, new grade
    topics: int | None  # topics whose removal undoes it; None: unknown, or none do
    undone: float  # the share of simulated assessors who undo it; NaN if there are none
    reversed: float  # the share of them who reverse the sign of the difference
    limit: int | None = None  # changes of one topic, if more of them were not tried and might help
    undone_range: tuple[float, float] = (np.nan, np.nan)  # that of all further assessors is in it with 90 %

    @property
    def exactly(self) -> bool:
        """Whether fewer changes are proved not to be enough."""
        return self.changes is not None and self.changes == self.at_least


@dataclass(frozen=True, eq=False, repr=False)
class Fragility(Result):
    """How few changed judgements undo significant differences under one metric."""

    saved_as: ClassVar[str] = "fragility"

    metric: str
    pairs: tuple[FragilePair, ...]
    compared: int  # pairs that were tested
    systems: int
    topics: int
    critical: float  # value of t, frozen
    family: str  # what the critical value holds for, in words
    alpha: float
    test: str
    assessors: str  # strata: by a second assessor, pooled: by a table of confusions, or empty if none were simulated
    draws: int

    def ranked(self) -> list[tuple[str, float]]:
        """The pairs and the changes that undo them, the least fragile first."""
        known = [(f"{each.system} > {each.other}", float(each.changes)) for each in self.pairs if each.changes]
        return sorted(known, key=lambda each: -each[1])


def check_fragility(other: Any, noise: Any, expected: Scores | None = None) -> None:
    """Refuses two descriptions of another assessor, and a metric by aspects."""
    if other is not None and noise is not None:
        raise InputError("Give ", argument("other"), " or ", argument("noise"), ", not both.")
    if expected is not None:
        _check_whole_documents(parse(expected.metrics[0]))


def _check_whole_documents(metric: Metric, preferences: bool = False) -> None:
    """Refuses a metric by aspects, and preferences between documents."""
    if "aspects" in metric.needs or preferences:
        what = f"{metric} needs aspects" if "aspects" in metric.needs else "these judgements are preferences"
        other = "use another metric, such as nDCG@10" if "aspects" in metric.needs else "use ad hoc judgements"
        why = f"Fragility changes the grades of whole documents, but {what}; {other}."
        raise InputError(why, argument="qrels_format" if preferences else "metrics")


@method(
    "How few judgements does a significant difference depend on?",
    cite="walsh2014 carter2017",
    check=check_fragility,
    scores_by="first",
    least_runs=2,
    examples=(
        "irassay meta fragility qrels.txt bert.run bm25.run -m nDCG@10",
        "irassay meta fragility qrels.txt runs/ -m nDCG@10 --top 20 --test max-t",
    ),
)
def fragility(
    judged: JudgedRuns,
    *,
    pair: Annotated[
        tuple[str, ...],
        Option(
            "The claim: the better run, then the other.", greedy=True, shown="the two given, or all significant pairs"
        ),
    ] = (),
    top: Annotated[int | None, Option("Use only this many runs, the best by the metric.", low=2)] = None,
    other: Annotated[
        OtherQrels | Any, Option("Judgements of another assessor, from which further assessors are simulated.")
    ] = None,
    noise: Annotated[
        Confusion | Mapping[float, Mapping[float, float]] | None,
        Option("Grade confusion table (from, to, probability), if there are no other judgements."),
    ] = None,
    assessors: Annotated[int, Option("Number of simulated assessors.", low=1, high=MAX_DRAWS)] = 1000,
    alpha: Alpha = 0.05,
    test: Annotated[
        FragilityTest, "Significance test: t, t with the Bonferroni correction for all pairs, or max-T of all pairs."
    ] = "t",
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Fragility:
    """Find how few changed judgements undo a significant difference, and how often another assessor would.

    Two runs are a claim: the first is better. With more runs, all significant pairs are tried. A change gives one
    judged document another of the grades in the judgements. The critical value of t is that of the original judgements.
    """
    checked_alpha(alpha)
    qrels = document_judgements(judged.runs, judged.qrels, judged.judging)
    metric = judged.parsed_metrics[0]
    _check_whole_documents(metric, judged.judging.preferences)
    skips = judged.judging.missing == "skip"  # topics are left out below, so that all systems have the same rows
    policy = replace(judged.judging, missing="zero") if skips else judged.judging
    pooled = pooled_runs(judged.runs, qrels, [metric], policy, judged.scoring)
    scores = replace(pooled.scores(original_judgements(pooled.pool), [metric]), settings=judged.settings)
    lists = system_lists(pooled, metric)
    claims = tested_claims(scores, lists, pair, top, skips)
    tested = TestedPairs(
        scores.oriented().values[:, claims.topics, 0], claims, scores.systems, alpha, fragility_test(test, trials, seed)
    )
    documents = _documents(qrels, pooled)
    graded = None if other is None else _other_grades(other, judged, pooled, documents)[claims.topics]
    budget = min(BUDGET, BUDGET_OF_ALL // max(1, len(claims.pairs)))
    found, sparse = list[FragilePair](), 0
    for first, second in claims.pairs:
        check_cancelled()
        d, p = tested.pair(first, second)
        significant = bool(p < alpha and paired_t(d) > tested.critical)
        if not significant and not claims.given:
            continue
        regraded = regraded_pair(pooled, lists[first], lists[second], metric, claims.topics)
        undoing, simulated, removed = Undoing((), paired_t(d[None]), 0), OtherAssessors(np.nan, np.nan), None
        if significant:
            undoing = _confirmed_changes(regraded, d, tested.critical, budget)
            removed = _topics_removed(d, alpha) if tested.alone else None
            simulated = _other_assessors(regraded, graded, noise, tested.critical, assessors, seed)
        sparse += simulated.sparse
        found.append(
            FragilePair(
                system=scores.systems[first],
                other=scores.systems[second],
                difference=float(d.mean()),
                t=undoing.t,
                p=p,
                significant=significant,
                changes=None if undoing.changes is None else len(undoing.changes),
                at_least=undoing.at_least,
                patch=_patch(undoing, claims.topics, pooled, documents),
                topics=removed,
                undone=simulated.undone,
                undone_range=simulated.undone_range,
                reversed=simulated.reversed,
                limit=undoing.limit,
            )
        )
    return Fragility(
        metric=str(metric),
        pairs=tuple(found),
        compared=len(claims.pairs),
        systems=len(claims.systems),
        topics=len(claims.topics),
        critical=tested.critical,
        family=tested.family,
        alpha=alpha,
        test=test,
        assessors="strata" if other is not None else "pooled" if noise is not None else "",
        draws=assessors,
        notes=(*scores.notes, *_notes(judged, sparse)),
    )


def _other_assessors(
    pair: RegradedPair, graded: Floats | None, noise: Any, critical: float, number: int, seed: int
) -> OtherAssessors:
    """The share of simulated assessors who undo a difference, by a second one's grades or a table of confusions."""
    if graded is not None:
        return compared_assessors(pair, graded, critical, number, seed)
    if noise is not None:
        return pooled_assessors(pair, noise, critical, number, seed)
    return OtherAssessors(np.nan, np.nan)


def _patch(
    undoing: Undoing, topics: Ints, pooled: PooledRuns, documents: list[list[str]]
) -> tuple[tuple[str, str, float, float], ...]:
    """Topic, document, grade and new grade of every change."""
    changes = [(topics[n], slot, grade) for n, slot, grade in undoing.changes or ()]
    return tuple(
        (pooled.topics[t], documents[t][slot], float(pooled.pool.grade[t, slot]), grade) for t, slot, grade in changes
    )


def _notes(judged: JudgedRuns, sparse: int) -> list[Note]:
    """Notes on metrics that are left out, and on grades drawn from few documents."""
    notes = one_metric_notes("fragility", judged.parsed_metrics)
    if sparse:
        few = f"fewer than {FEW_DOUBLY_JUDGED} documents were judged twice"
        notes.append(Note(f"{count_phrase(sparse, 'grade')} drawn from strata in which {few}", caveat=True))
    return notes


def _confirmed_changes(pair: RegradedPair, d: Floats, critical: float, budget: int) -> Undoing:
    """The fewest changes that undo the difference, confirmed by scoring the changed judgements."""
    summed = summed_pair(pair, d)
    found = fewest_changes(summed, d, critical, budget)
    if summed is pair or found.changes is None:
        return found
    grade = pair.grade.copy()
    for topic, slot, new in found.changes:
        grade[topic, slot] = new
    t = paired_t(pair.rescored_differences(np.arange(len(d)), grade))
    return found if abs(t) <= critical else fewest_changes(pair, d, critical, budget)


def summed_pair(pair: RegradedPair, d: Floats) -> RegradedPair:
    """The pair with changes added up, if its metric allows that and sums give its differences [topic]; or itself."""
    kind = SummedPair if is_summed(pair.metric) else PrecisionPair if is_average_precision(pair.metric) else None
    if kind is None:
        return pair
    summed = kind(**{field.name: getattr(pair, field.name) for field in fields(pair)})
    topics, first = np.arange(len(d)), np.zeros((len(d), 1), dtype=np.int64)
    unchanged = summed.differences(States(topics, pair.grade), topics, first, pair.grade[:, :1])
    return summed if (np.abs(unchanged - d) <= SUM_TOLERANCE).all() else pair


def _topics_removed(d: Floats, alpha: float) -> int | None:
    """The number of topics whose removal was found to undo the significance; None if none do."""
    change = verdict_flipping_topics(d / np.abs(d).max(), alpha)
    return len(change.removed) if change.possible else None


def _documents(qrels: Qrels, pooled: PooledRuns) -> list[list[str]]:
    """[topic][document] the names of judged documents, in the order of the pool."""
    by_topic = dict(qrels.frame.group_by("topic").agg(pl.col("doc").unique()).iter_rows())
    return [sorted(by_topic[topic], key=str.encode, reverse=True) for topic in pooled.topics]


def _other_grades(other: Any, judged: JudgedRuns, pooled: PooledRuns, documents: list[list[str]]) -> Floats:
    """[topic, document] the grades of the other judgements; NaN where they have none."""
    second = document_judgements(judged.runs, qrels_source(other), judged.judging)
    if second.max_grade > pooled.max_grade:
        scale = f"{second.source} has a grade {second.max_grade:g}, above the top of the scale, {pooled.max_grade:g}"
        raise InputError(f"{scale}; give a larger ", argument("max_grade"), ".")
    grades = np.full(pooled.pool.grade.shape, np.nan)
    known = {(topic, doc): grade for topic, doc, grade in second.frame.select("topic", "doc", "grade").iter_rows()}
    for t, (topic, names) in enumerate(zip(pooled.topics, documents, strict=True)):
        grades[t, : len(names)] = [known.get((topic, name), np.nan) for name in names]
    if np.isnan(grades).all():
        raise InputError(f"{second.source} has no document of these judgements; give judgements of the same topics.")
    return grades
