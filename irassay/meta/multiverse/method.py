"""Multiverse: the claim that one system is better than another, under every analysis of a grid."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, cast

import numpy as np

from irassay.arrays import TIE, Floats, Ints
from irassay.errors import InputError
from irassay.io.order_settings import Ties as TieOrder
from irassay.judging.runs import document_judgements
from irassay.meta.claimed_pair import claimed_pair
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.multiverse.grid import AnalysisGrid, Specification, analysis_grid, check_grid, without_gain
from irassay.meta.multiverse.joint_test import JointTest, joint_test, variance_shares
from irassay.meta.robustness.other_qrels import OtherQrels, qrels_source
from irassay.meta.shared_options import Alpha, Seed, Trials
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import EqualScores, Note
from irassay.parallel import check_cancelled
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.score import parsed_metrics
from irassay.settings import Option
from irassay.stats.influence import student_p, student_t
from irassay.stats.paired_test import PairedTest, find_test

SPECIFIED = ("metric", "gain", "cutoff", "ties", "missing", "unjudged", "judgements", "estimand")


@dataclass(frozen=True, eq=False, repr=False)
class Multiverse(Result):
    """One claim under every specification: those of the scores [specification], each with every test."""

    saved_as: ClassVar[str] = "multiverse"

    system: str
    other: str
    choices: dict[str, tuple[str, ...]]  # dimension, and the estimand -> [specification]
    scored_as: tuple[str, ...]  # [specification] the metric
    topics: Ints  # [specification] topics compared
    difference: Floats  # [specification]
    t: Floats  # [specification]
    tests: tuple[str, ...]
    p: Floats  # [test, specification] two-sided
    distinct: int  # specifications whose differences are not those of another one on every topic
    joint: dict[str, float]  # one-sided p: median t, some specification, every specification
    shares: dict[str, float]  # dimension -> share of the variance of t
    alpha: float
    trials: int
    exact: bool  # all signs were tried
    seed: int

    @property
    def ahead(self) -> int:
        """The specifications of the scores in which the system is ahead."""
        return int((self.difference > 0).sum())

    @property
    def significant(self) -> Any:
        """[test, specification] whether the system is significantly better."""
        return (self.p < self.alpha) & (self.difference > 0)

    def ranked(self) -> list[tuple[str, float]]:
        """The dimensions and their shares of the variance of t, largest first."""
        return list(self.shares.items())


@method(
    "Does a claim hold whatever the metric, ties, judgements and test?",
    cite="steegen2016 simonsohn2020 delgiudice2021",
    check=check_grid,
    least_runs=2,
    examples=(
        "irassay meta multiverse qrels.txt bert.run bm25.run",
        "irassay meta multiverse qrels.txt bert.run bm25.run --only metric=nDCG,AP --without ties",
    ),
)
def multiverse(
    judged: JudgedRuns,
    *,
    pair: Annotated[
        tuple[str, ...],
        Option("The claim: the better run, then the other.", greedy=True, shown="the two given, or the best two"),
    ] = (),
    other: Annotated[OtherQrels | Any, Option("Other judgements of the same topics, as a further choice.")] = None,
    only: Annotated[
        tuple[str, ...], Option("Restrict a dimension: metric=nDCG,AP; may be repeated.", metavar="DIMENSION=CHOICE")
    ] = (),
    add: Annotated[
        tuple[str, ...], Option("Add choices: cutoff=50 or test=sign; may be repeated.", metavar="DIMENSION=CHOICE")
    ] = (),
    without: Annotated[
        tuple[str, ...], Option("Keep only the first choice of a dimension; may be repeated.", metavar="DIMENSION")
    ] = (),
    alpha: Alpha = 0.05,
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Multiverse:
    """Test one claim under all analyses of a grid: metric, gain, cutoff, ties, missing, unjudged, judgements, test.

    Two runs are the claim that the first is better; of more runs, the best two are compared. Metrics that you name are
    added to the grid. The joint test gives each topic one sign in all specifications, and is one-sided.
    """
    checked_alpha(alpha)
    judged = replace(judged, scoring=replace(judged.scoring, judged_only=False))  # the grid has both choices
    grid = analysis_grid(parsed_metrics(judged.metrics), other is not None, only, add, without)
    notes: list[str] = []
    if not _has_whole_grades(judged, other):
        grid = without_gain(grid, "exp")
        notes.append(Note("the gain exp is left out, because some grades have fractions", caveat=True))
    scored = _ScoredGrid(judged, other, grid)
    first, second, remarks = _pair(scored.scores, pair)
    notes += remarks
    specifications = grid.specifications()
    d = np.stack([scored.differences(each, first, second) for each in specifications])
    kept = (~np.isnan(d)).sum(axis=1) >= 3
    if not kept.any():
        raise InputError("A test needs at least 3 topics that both runs have; give more topics.")
    specifications, d = [each for each, is_kept in zip(specifications, kept, strict=True) if is_kept], d[kept]
    if left_out := int((~kept).sum()):
        text = f"{count_phrase(left_out, 'specification')} left out, with fewer than 3 topics"
        notes.append(Note(text, caveat=True))
    rows, row_of = np.unique(np.where(np.isnan(d), np.inf, d), axis=0, return_inverse=True)
    rows, row_of = np.where(np.isinf(rows), np.nan, rows), row_of.ravel()
    joint = joint_test(rows, row_of, trials, seed)
    n = (~np.isnan(rows)).sum(axis=1)
    mean = np.nanmean(rows, axis=1)
    t = student_t(n, mean, np.nansum((rows - mean[:, None]) ** 2, axis=1))
    p = np.stack([_p(test, rows, t, n, joint, trials, seed)[row_of] for test in grid.tests])
    choices = {name: tuple(getattr(each, name) for each in specifications) for name in SPECIFIED}
    return Multiverse(
        system=scored.scores.systems[first],
        other=scored.scores.systems[second],
        choices=choices,
        scored_as=tuple(each.scored_as for each in specifications),
        topics=n[row_of],
        difference=mean[row_of],
        t=t[row_of],
        tests=grid.tests,
        p=p,
        distinct=len(rows),
        joint={
            "median t": joint.median,
            "some specification": joint.some,
            "every specification": joint.every,
        },
        shares=variance_shares(t[row_of], {name: list(choices[name]) for name in SPECIFIED[:-1]}),
        alpha=alpha,
        trials=joint.trials,
        exact=joint.exact,
        seed=seed,
        notes=(*scored.scores.notes, *notes),
    )


class _ScoredGrid:
    """The scores of all metrics of a grid, for each order of ties and each source of judgements."""

    def __init__(self, judged: JudgedRuns, other: Any, grid: AnalysisGrid) -> None:
        strings = dict.fromkeys(each.scored_as for each in grid.specifications())
        self._scoring = judged.scoring
        metrics = [self._metric(text, unjudged) for text in strings for unjudged in grid.choices["unjudged"]]
        self._by: dict[tuple[str, str], Scores] = {}
        for judgements in grid.choices["judgements"]:
            runs = judged if judgements == "given" else replace(judged, qrels=qrels_source(other))
            for ties in grid.choices["ties"]:
                check_cancelled()
                first = self._by.get((grid.choices["ties"][0], judgements))
                if first is not None and not any(isinstance(note, EqualScores) for note in first.notes):
                    self._by[ties, judgements] = first  # no results are tied
                    continue
                policy = replace(runs.judging, ties=cast(TieOrder, ties), missing="zero")
                self._by[ties, judgements] = replace(runs, judging=policy).scores(metrics).oriented()
        self.scores = next(iter(self._by.values()))
        skipping = replace(judged, judging=replace(judged.judging, missing="skip"))
        self._absent = np.isnan(skipping.scores(["NumRet"]).values[:, :, 0])  # [system, topic]

    def _metric(self, scored_as: str, unjudged: str) -> Metric:
        """The metric of a specification, as the scoring policy has it scored."""
        metric = parse(scored_as)(judged_only=unjudged == "left out")
        return parsed_metrics([metric], self._scoring.rel, always=self._scoring.no_relevant == "skip")[0]

    def differences(self, specification: Specification, first: int, second: int) -> Floats:
        """[topic] first minus second, better is higher; NaN if the topic is left out."""
        scores = self._by[specification.ties, specification.judgements]
        metric = self._metric(specification.scored_as, specification.unjudged)
        values = scores.values[:, :, scores.metrics.index(str(metric))]
        d = values[first] - values[second]
        d = np.where(np.abs(d) <= TIE * np.nanmax(np.abs(values), initial=0.0), 0.0, d)
        if scores.topics != self.scores.topics:
            place = {topic: n for n, topic in enumerate(scores.topics)}
            d = np.array([d[place[topic]] if topic in place else np.nan for topic in self.scores.topics])
        if specification.missing == "skip":
            d = np.where(self._absent[first] | self._absent[second], np.nan, d)
        return d[np.argsort(np.array(self.scores.topics), kind="stable")]  # signs are drawn by name


def _has_whole_grades(judged: JudgedRuns, other: Any) -> bool:
    """Whether all grades are whole numbers, as the gain exp needs."""
    for source in (judged.qrels, *([] if other is None else [qrels_source(other)])):
        grades = document_judgements(judged.runs, source, judged.judging).frame["grade"]
        if bool((grades % 1 != 0).any()):
            return False
    return True


def _pair(scores: Scores, pair: Sequence[str]) -> tuple[int, int, list[str]]:
    """The two systems of the claim, and a note if they were chosen by their scores."""
    claim = claimed_pair(scores, pair)
    if claim is not None:
        return *claim, []
    order = np.argsort(-np.nanmean(scores.oriented().values[:, :, 0], axis=1), kind="stable")
    best = f"these are the best two of {len(order)} systems, by the same scores"
    text = f"{best}; no p is corrected for that choice"
    return int(order[0]), int(order[1]), [Note(text, caveat=True)]


def _p(test: str, rows: Floats, t: Floats, n: Ints, joint: JointTest, trials: int, seed: int) -> Floats:
    """[row] two-sided p of a test of each row of differences."""
    if test == "t":
        return student_p(t, n)
    if test == "permutation":
        return joint.single
    p = np.empty(len(rows))
    how = PairedTest(test, seed=seed, trials=trials if find_test(test).resamples else None)
    known = ~np.isnan(rows)
    for mask in np.unique(known, axis=0):
        same = np.flatnonzero((known == mask).all(axis=1))
        values = np.stack([rows[same][:, mask].T, np.zeros((int(mask.sum()), len(same)))])  # [system, topic, row]
        p[same] = how.run(values, intervals=False)[1][0]
    return p
