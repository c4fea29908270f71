"""What other labels do to conclusions about systems: rankings, significant differences, the best system, favours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.errors import InputError
from irassay.io.input_files import open_inputs
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.agreement import outcome_counts, signed_decisions
from irassay.meta.judges.labels import Labels
from irassay.metrics.metric import Metric
from irassay.notes import Note, ScaleNote
from irassay.prose import first_few
from irassay.results import Saved
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import score
from irassay.stats.compare_correlations import midranks
from irassay.stats.correlation import kendall, rbo, tau_ap
from irassay.stats.jackknife import halved_means, jackknife_error, kept_topics, normal_critical, student_critical
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest
from irassay.stats.rank_codes import rank_codes

DEFAULT_METRICS = ("nDCG@10",)
SPLITS = 100  # of the topics into halves, to try a gap on topics that did not choose it
POWER = 0.8  # with which the topics asked for find the differences that are there


@dataclass(frozen=True, eq=False)
class Conclusions(Saved):
    """The ranking of systems and their significant differences under every judge's labels, held against the reference.

    Errors are over topics, by the delete-d jackknife, half of the topics left out.
    """

    saved_as: ClassVar[str] = "judges-conclusions"

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    judges: tuple[str, ...]
    topics: Ints  # [judge] that both judged
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
    loss: Floats  # [judge, metric] what the judge's best system lacks to the reference's, in reference scores
    gap: Floats  # [judge, metric] beyond which by the judge's scores no pair is ordered otherwise than by the reference
    beyond: Ints  # [judge, metric] pairs further apart than that
    replicated: Floats  # [judge, metric] share of the pairs beyond a gap found on half of the topics that the other
    # half orders as the reference does there; NaN where there are none
    open: Ints  # [judge, metric] other pairs, without a significant difference under the reference
    needed: Floats  # [judge, metric] human-judged topics that would settle half of those
    sharing: Ints  # [judge] systems that share the judge's model
    favour: (
        Floats  # [judge, metric] mean rank gain of systems that share the judge's model, less that of others; or NaN
    )
    favour_error: Floats
    notes: tuple[str, ...] = ()

    def interval(self, name: str) -> tuple[Floats, Floats]:
        """[judge, metric] the ends of the interval of tau, tau_ap, rbo or favour."""
        critical = np.array([[student_critical(self.alpha, int(topics))] for topics in self.topics])
        value, reach = getattr(self, name), critical * getattr(self, f"{name}_error")
        least, most = (-np.inf, np.inf) if name == "favour" else (0.0 if name == "rbo" else -1.0, 1.0)
        return np.maximum(value - reach, least), np.minimum(value + reach, most)


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
    """The systems under every judge's labels, on the topics that judge and reference share."""
    policy = replace(judging, max_grade=judging.max_grade or labels.scale[-1])
    runs, _ = open_inputs(runs)
    cubes = [
        score(runs, _judge_qrels(labels, j), metrics or DEFAULT_METRICS, judging=policy, scoring=scoring) for j in range(len(labels.sets))
    ]
    reference, judges = cubes[0], labels.judges[1:]
    if len(reference.systems) < 2:
        raise InputError(f"Rankings need at least two runs; found {len(reference.systems)}. Give more runs.")
    shared = [_shares_model(reference.systems, judge, groups) for judge in judges]
    rows = [_judge_conclusions(reference, cube, test, alpha, own) for cube, own in zip(cubes[1:], shared, strict=True)]
    notes = [note for note in reference.notes if not isinstance(note, ScaleNote)]
    if any(labels.outside):
        notes.append(Note("Labels outside the scale count as not judged where runs are scored."))
    models = dict.fromkeys((groups or {}).values())
    if alone := [model for model in models if not any(model.lower() in judge.lower() for judge in judges)]:
        there = f"the judges are {first_few(judges)}"
        said = "no run shares a model with a judge" if len(alone) == len(models) else "their runs share none"
        notes.append(Note(f"No judge's name contains {first_few(alone)}, a model of the groups, so {said}; {there}."))
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
    """A judge's labels of the reference's topics, those outside the scale left out."""
    frame = labels.sets[judge].frame
    kept = frame.filter(pl.col("topic").is_in(labels.topics) & (pl.col("grade") <= labels.scale[-1]))
    return Qrels(kept, labels.judges[judge])


def _shares_model(systems: Sequence[str], judge: str, groups: Mapping[str, str] | None) -> Bools:
    """[system] whether the model that a run is said to use stands in the judge's name."""
    if groups is None:
        return np.zeros(len(systems), dtype=np.bool_)
    if strange := [run for run in groups if run not in systems]:
        raise InputError(f"The groups name runs that are not given, such as {first_few(strange, 1)}; correct their names.")
    return np.array([groups.get(system, "\n").lower() in judge.lower() for system in systems])


def _judge_conclusions(reference: Scores, other: Scores, test: PairedTest, alpha: float, own: Bools) -> dict[str, Any]:
    """[metric] everything that is said of one judge."""
    whole, again = reference.complete().oriented(), other.complete().oriented()
    common = [topic for topic in whole.keys if topic in set(again.keys)]
    if len(common) < 2:
        raise InputError(f"Rankings need two topics at least that both sets of labels judge; found {len(common)}.")
    one, two = (cube.select(topics=common).values for cube in (whole, again))  # [system, topic, metric]
    (found, p), (found_too, p_too) = (test.run(cube, names=whole.systems) for cube in (one, two))
    counts = {
        name: value.diagonal()
        for name, value in outcome_counts(
            signed_decisions(found.difference, p, alpha), signed_decisions(found_too.difference, p_too, alpha)
        ).items()
    }
    mean, mean_too = one.mean(axis=1).T, two.mean(axis=1).T  # [metric, system]
    fewer, fewer_too = halved_means(test.seed, one, two)  # [subset, metric, system]
    out = len(common) // 2
    favour = _favour(mean, mean_too, own)
    rank = _ranks(mean_too)
    best, choice = mean.argmax(axis=1), mean_too.argmax(axis=1)
    each = np.arange(len(mean))
    values: dict[str, Any] = {"topics": len(common)}
    for name, function in (("tau", kendall), ("tau_ap", _tau_ap), ("rbo", rbo)):
        values[name] = function(mean, mean_too)
        values[f"{name}_error"] = jackknife_error(function(fewer, fewer_too), len(common), out)
    return values | {
        "kept": counts["SSA"],
        "reversed": counts["SSD"],
        "vanished": counts["SN"],
        "appeared": counts["NS"],
        "neither": counts["NN"],
        "best": best,
        "best_rank": rank[each, best],
        "choice": choice,
        "loss": mean[each, best] - mean[each, choice],
        "favour": favour,
        "favour_error": jackknife_error(_favour(fewer, fewer_too, own), len(common), out),
        "replicated": _replicated_share(one, two, test.seed),
        **_pair_settlement(found, p, found_too, alpha),
    }


def _tau_ap(one: Floats, other: Floats) -> Floats:
    return tau_ap(one, other, ties="b")


def _ranks(means: Floats) -> Floats:
    """[..., system] ranks, the best first, ties sharing their mean rank."""
    flat = means.reshape(-1, means.shape[-1])
    codes = rank_codes(-flat, TIE * np.ptp(flat, axis=1))
    return midranks(codes).reshape(means.shape)


def _favour(mean: Floats, mean_too: Floats, own: Bools) -> Floats:
    """[...] how many ranks more the systems that share the judge's model gain under it than the others do."""
    if not own.any() or own.all():
        return np.full(mean.shape[:-1], np.nan)
    gain = _ranks(mean) - _ranks(mean_too)
    return gain[..., own].mean(axis=-1) - gain[..., ~own].mean(axis=-1)


def _pair_settlement(found: PairTests, p: Floats, found_too: PairTests, alpha: float) -> dict[str, Any]:
    """[metric] how far apart systems must be under the judge to be safely ordered, and what would settle the rest."""
    difference, other = found.difference, found_too.difference  # [pair, metric]
    against = (difference * other <= 0) & (other != 0)
    gap = np.where(against, np.abs(other), 0.0).max(axis=0)
    safe = np.abs(other) > gap
    open_ = ~safe & (p >= alpha)
    reach = found.threshold(alpha) + _z(POWER) * found.error
    with np.errstate(divide="ignore", invalid="ignore"):
        topics = np.where(difference == 0, np.inf, found.topics * (reach / np.abs(difference)) ** 2)
    needed = [float(np.median(topics[rows, m])) if rows.any() else 0.0 for m, rows in enumerate(open_.T)]
    return {
        "gap": gap,
        "beyond": np.count_nonzero(safe, axis=0),
        "open": np.count_nonzero(open_, axis=0),
        "needed": np.array([math.ceil(n) if math.isfinite(n) else math.inf for n in needed], dtype=np.float64),
    }


def _replicated_share(one: Floats, two: Floats, seed: int) -> Floats:
    """[metric] how often a gap that is found on half of the topics holds on the other half.

    Both cubes are [system, topic, metric]: by the reference and by the judge. NaN where no pair lies beyond any gap.
    """
    half = kept_topics(one.shape[1], one.shape[1] // 2, SPLITS, seed)
    first, second = np.triu_indices(len(one), k=1)
    held, tried = np.zeros(one.shape[2]), np.zeros(one.shape[2])
    for chosen in half:
        apart = [
            (mean := cube[:, topics].mean(axis=1))[first] - mean[second]
            for topics in (chosen, ~chosen)
            for cube in (one, two)
        ]  # [pair, metric] by the reference and by the judge, where the gap is found and where it is tried
        gap = np.where(apart[0] * apart[1] <= 0, np.abs(apart[1]), 0.0).max(axis=0)
        beyond = np.abs(apart[3]) > gap
        tried += np.count_nonzero(beyond, axis=0)
        held += np.count_nonzero(beyond & (apart[2] * apart[3] > 0), axis=0)
    with np.errstate(invalid="ignore"):
        return held / tried


def _z(power: float) -> float:
    return normal_critical(2 * (1 - power))
