"""Effect of other labels on conclusions about systems: rankings, significant differences, best system, favouritism."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.agreement import outcome_counts, signed_decisions
from irassay.meta.judges.labels import Labels
from irassay.metrics.metric import Metric
from irassay.notes import Note, ScaleNote
from irassay.prose import first_few
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import score
from irassay.stats.compare_correlations import mean_ranks
from irassay.stats.correlation import kendall, rbo, tau_ap
from irassay.stats.jackknife import (
    NO_ERROR,
    halved_means,
    jackknife_error,
    kept_topics,
    normal_critical,
    student_critical,
)
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest

DEFAULT_METRICS = ("nDCG@10",)
SPLITS = 100  # of the topics into halves: a gap is estimated on one and tried on the other
SAFE = 0.95  # share of the halves of the topics without a reversed pair beyond the safe gap
POWER = 0.8  # of the number of further topics to judge
RANKING_STATISTICS = {"tau": "tau", "tau_ap": "tau_AP", "rbo": "RBO"}  # fields, and their names for people
OUTCOMES = {"kept": "SSA", "reversed": "SSD", "vanished": "SN", "appeared": "NS", "neither": "NN"}  # as in agreement


@dataclass(frozen=True, eq=False)
class Conclusions(Saved):
    """The ranking of systems and their significant differences under every judge's labels, compared with the reference.

    Errors are over topics, by the delete-d jackknife with half of the topics left out.
    """

    saved_as: ClassVar[str] = "judges-conclusions"

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    topics: Ints  # [judge] judged by both
    pairs: int
    test: str
    correction: str
    alpha: float
    tau: Floats  # [judge, metric] tau-b of the two rankings
    tau_error: Floats
    tau_ap: Floats  # [judge, metric] symmetric, tied systems left out
    tau_ap_error: Floats
    rbo: Floats  # [judge, metric] extrapolated, p = .9
    rbo_error: Floats
    kept: Ints  # [judge, metric] pairs significant under both, the same system better
    reversed: Ints  # [judge, metric] significant under both, the other system better
    vanished: Ints  # [judge, metric] significant under the reference only
    appeared: Ints  # [judge, metric] significant under the judge only
    neither: Ints  # [judge, metric]
    best: Ints  # [judge, metric] the reference's best system
    best_rank: Floats  # [judge, metric] its rank under the judge, ties sharing their mean rank
    choice: Ints  # [judge, metric] the judge's best system
    loss: Floats  # [judge, metric] the reference's best system minus the judge's best, in reference scores
    gap: Floats  # [judge, metric] the safe gap, in the judge's scores
    beyond: Ints  # [judge, metric] pairs further apart than the safe gap
    replicated: (
        Floats  # [judge, metric] of the pairs further apart than any that is reversed on half of the topics, the
    )
    # share that judge and reference order alike on the other half; NaN if there are none
    open: Ints  # [judge, metric] other pairs, without a significant difference under the reference
    needed: Floats  # [judge, metric] human-judged topics that would settle half of those
    sharing: Ints  # [judge] systems that share the judge's model
    favour: Floats  # [judge, metric] mean rank gain of systems that share the judge's model minus others'; or NaN
    favour_error: Floats
    notes: tuple[str, ...] = ()

    def interval(self, name: str) -> tuple[Floats, Floats]:
        """[judge, metric] the ends of the interval of tau, tau_ap, rbo or favour; NaN where all halves agree."""
        critical = np.array([[student_critical(self.alpha, int(topics))] for topics in self.topics])
        value, error = getattr(self, name), getattr(self, f"{name}_error")
        reach = critical * np.where(error > NO_ERROR, error, np.nan)
        low, high = (-np.inf, np.inf) if name == "favour" else (0.0 if name == "rbo" else -1.0, 1.0)
        return np.clip(value - reach, low, None), np.clip(value + reach, None, high)


def conclusions(
    runs: Any,
    labels: Labels,
    metrics: Sequence[str | Metric],
    judging: JudgingPolicy,
    scoring: ScoringPolicy,
    groups: Mapping[str, str] | None,
    test: PairedTest,
    alpha: float,
) -> Conclusions:
    """The conclusions about systems under every judge's labels, on the topics that judge and reference share."""
    policy = replace(judging, max_grade=judging.max_grade or labels.scale[-1])
    cubes = [
        score(runs, _judge_qrels(labels, j), metrics or DEFAULT_METRICS, judging=policy, scoring=scoring)
        for j in range(len(labels.sets))
    ]
    reference, judges = cubes[0], labels.judges[1:]
    if len(reference.systems) < 2:
        raise InputError(f"A ranking needs at least two runs; found {len(reference.systems)}. Give more runs.")
    shared = [_shares_model(reference.systems, judge, groups) for judge in judges]
    rows = [_judge_conclusions(reference, cube, test, alpha, own) for cube, own in zip(cubes[1:], shared, strict=True)]
    notes = [note for note in reference.notes if not isinstance(note, ScaleNote)]
    if any(labels.outside):
        notes.append(Note("Labels outside the scale count as unjudged when runs are scored."))
    models = dict.fromkeys((groups or {}).values())
    if unmatched := [model for model in models if not any(model.lower() in judge.lower() for judge in judges)]:
        which = "no run shares a model with a judge" if len(unmatched) == len(models) else "their runs share no model"
        text = f"No judge's name contains {first_few(unmatched)}, given in the groups, so {which}; the judges are "
        notes.append(Note(f"{text}{first_few(judges)}."))
    return Conclusions(
        metrics=reference.metrics,
        systems=reference.systems,
        judges=judges,
        pairs=len(reference.systems) * (len(reference.systems) - 1) // 2,
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        sharing=np.array([int(own.sum()) for own in shared]),
        **{name: np.stack([row[name] for row in rows]) for name in rows[0]},
        notes=tuple(notes),
    )


def _judge_qrels(labels: Labels, judge: int) -> Qrels:
    """A judge's labels for the reference's topics, without those outside the scale."""
    frame = labels.sets[judge].frame
    kept = frame.filter(pl.col("topic").is_in(labels.topics) & (pl.col("grade") <= labels.scale[-1]))
    return Qrels(kept, labels.judges[judge])


def _shares_model(systems: Sequence[str], judge: str, groups: Mapping[str, str] | None) -> Bools:
    """[system] whether the judge's name contains the model given for the run."""
    if groups is None:
        return np.zeros(len(systems), dtype=np.bool_)
    if unknown := [run for run in groups if run not in systems]:
        raise InputError(
            argument("groups"), f" names runs that were not given, such as {unknown[0]}; correct their names."
        )
    return np.array([groups.get(system, "\n").lower() in judge.lower() for system in systems])


def _judge_conclusions(
    reference: Scores, other: Scores, test: PairedTest, alpha: float, is_own: Bools
) -> dict[str, Any]:
    """[metric] the fields of `Conclusions` for one judge."""
    first, second = (scores.complete().with_sorted_topics().oriented() for scores in (reference, other))
    common = [topic for topic in first.keys if topic in set(second.keys)]
    if len(common) < 2:
        raise InputError(f"A ranking needs at least two topics that both sets of labels judge; found {len(common)}.")
    one, two = (cube.select(topics=common).values for cube in (first, second))  # [system, topic, metric]
    (tests, p), (judge_tests, judge_p) = (test.run(cube, names=first.systems) for cube in (one, two))
    decisions = signed_decisions(tests.difference, p, alpha), signed_decisions(judge_tests.difference, judge_p, alpha)
    counts = outcome_counts(*decisions)  # [metric, metric]
    mean, judge_mean = one.mean(axis=1).T, two.mean(axis=1).T  # [metric, system]
    halves = halved_means(test.seed, one, two)  # [subset, metric, system]
    best, choice = mean.argmax(axis=1), judge_mean.argmax(axis=1)
    each = np.arange(len(mean))
    values: dict[str, Any] = {"topics": len(common)}
    statistics: dict[str, Callable[[Floats, Floats], Floats]] = {
        "tau": kendall,
        "tau_ap": partial(tau_ap, ties="b"),
        "rbo": rbo,
        "favour": partial(_favour, is_own=is_own),
    }
    for name, statistic in statistics.items():
        values[name] = statistic(mean, judge_mean)
        values[f"{name}_error"] = jackknife_error(statistic(*halves), len(common), len(common) // 2)
    return values | {
        **{name: counts[outcome].diagonal() for name, outcome in OUTCOMES.items()},
        "best": best,
        "best_rank": mean_ranks(judge_mean)[each, best],
        "choice": choice,
        "loss": mean[each, best] - mean[each, choice],
        "replicated": _replicated_share(one, two, test.seed),
        **_pair_settlement(tests, p, judge_tests, alpha, safe_gap(*halves)),
    }


def _favour(mean: Floats, judge_mean: Floats, is_own: Bools) -> Floats:
    """[...] how many more ranks the systems that share the judge's model gain under it than the others."""
    if not is_own.any() or is_own.all():
        return np.full(mean.shape[:-1], np.nan)
    gain = mean_ranks(mean) - mean_ranks(judge_mean)
    return gain[..., is_own].mean(axis=-1) - gain[..., ~is_own].mean(axis=-1)


def largest_reversed_gap(reference: Floats, judge: Floats) -> Floats:
    """[...] the largest difference by the judge of two systems that the reference ties or orders the other way round.

    Both are means [..., system].

    >>> float(largest_reversed_gap(np.array([3.0, 2.0, 1.0]), np.array([0.2, 0.3, 0.1])).round(9))
    0.1
    """
    largest = np.zeros(reference.shape[:-1])
    for i in range(reference.shape[-1] - 1):  # one system and those after it at a time, because pairs may be many
        difference, other = (means[..., i, None] - means[..., i + 1 :] for means in (reference, judge))
        largest = np.maximum(largest, np.where(difference * other <= 0, np.abs(other), 0.0).max(axis=-1))
    return largest


def safe_gap(reference: Floats, judge: Floats) -> Floats:
    """[metric] the gap that 95 % of halves of the topics do not exceed with any reversed pair.

    Both are means on the same halves [half, metric, system]. On as many fresh topics some pair further apart than this
    is reversed in 0 to 4 % of studies, and in up to 11 % if the judge favours some systems or topics differ much in
    noise; for the largest gap reversed on all topics it is 41 to 55 %.
    """
    return np.quantile(largest_reversed_gap(reference, judge), SAFE, axis=0)


def _pair_settlement(tests: PairTests, p: Floats, judge_tests: PairTests, alpha: float, gap: Floats) -> dict[str, Any]:
    """[metric] how many pairs are further apart under the judge than the safe gap, and what would settle the rest."""
    difference, other = tests.difference, judge_tests.difference  # [pair, metric]
    safe = np.abs(other) > gap
    unsettled = ~safe & (p >= alpha)
    detected = tests.threshold(alpha) + normal_critical(2 * (1 - POWER)) * tests.error
    with np.errstate(divide="ignore", invalid="ignore"):
        topics = np.where(difference == 0, np.inf, tests.topics * (detected / np.abs(difference)) ** 2)
    needed = [np.median(topics[rows, m]) if rows.any() else 0.0 for m, rows in enumerate(unsettled.T)]
    return {
        "gap": gap,
        "beyond": np.count_nonzero(safe, axis=0),
        "open": np.count_nonzero(unsettled, axis=0),
        "needed": np.ceil(np.array(needed, dtype=np.float64)),
    }


def _replicated_share(one: Floats, two: Floats, seed: int) -> Floats:
    """[metric] how often a gap that is estimated on half of the topics holds on the other half.

    Both cubes are [system, topic, metric]: by the reference and by the judge. NaN where no pair is beyond any gap.
    """
    i, j = np.triu_indices(len(one), k=1)
    alike, beyond = np.zeros(one.shape[2]), np.zeros(one.shape[2])
    for half in kept_topics(one.shape[1], one.shape[1] // 2, SPLITS, seed):
        gap = largest_reversed_gap(*(cube[:, half].mean(axis=1).T for cube in (one, two)))
        means = [cube[:, ~half].mean(axis=1) for cube in (one, two)]
        difference, other = (mean[i] - mean[j] for mean in means)  # [pair, metric]
        beyond += np.count_nonzero(np.abs(other) > gap, axis=0)
        alike += np.count_nonzero((np.abs(other) > gap) & (difference * other > 0), axis=0)
    with np.errstate(invalid="ignore"):
        return alike / beyond
