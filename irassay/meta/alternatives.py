"""Alternatives: metrics that rank systems much like a reference, and are more discriminative or more consistent."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first, checked_alpha, complete_scores
from irassay.meta.consistency import split_consistency
from irassay.meta.shared_options import ALL_PAIRS, Alpha, Splits
from irassay.meta.split_taus import split_halves
from irassay.method import method
from irassay.parallel import as_one_step
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.paired_test import PairedTest
from irassay.stats.rank_codes import rank_codes, tau_matrices

HALF_FIELDS = ("tau", "powers", "consistency", "gain_low", "gain_high")
CHOSEN_HALF, REPORTED_HALF = 0, 1  # the half of the topics used to choose, and the half used to report


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Result):
    """Every metric compared with the reference, on the half of the topics used to choose and on the other half."""

    saved_as: ClassVar[str] = "alternatives"
    formerly: ClassVar[dict[str, str]] = {"power": "powers"}

    reference: str
    metrics: tuple[str, ...]
    systems: int
    topics: tuple[int, ...]  # [half]
    similar: float  # minimum tau with the reference
    test: str
    correction: str
    alpha: float
    trials: int
    splits: int
    seed: int
    tau: Floats  # [half, metric] with the reference; NaN for a constant metric
    powers: Floats  # [half, metric] share of pairs of systems discriminated
    consistency: Floats  # [half, metric] mean tau between halves of this half
    gain_low: Floats  # [half, metric] interval over topics of its consistency minus that of the reference
    gain_high: Floats  # [half, metric]
    constant: Bools  # [metric] every system has the same mean in one of the halves

    def power(self, alpha: float | None = None, half: int = REPORTED_HALF) -> Floats:
        """[metric] the share of pairs discriminated on one half; `alpha`, if given, must be that of the result."""
        if alpha not in (None, self.alpha):
            raise InputError(argument="alpha", value=alpha, expected=f"{self.alpha:g}, as in the search")
        return self.powers[half]

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their power on the reported half, the most powerful first."""
        return best_first(self.metrics, self.power())

    def better(self, half: int) -> tuple[Bools, Bools]:
        """[metric], [metric] whether a similar metric is better in power, and in consistency, on one half.

        A gain in one must not be a loss in the other: more power counts if consistency is not clearly lower (the
        interval of its gain reaches 0), more consistency counts if power, which has no interval, is no lower.
        """
        r = self.metrics.index(self.reference)
        power, consistency = self.powers[half], self.consistency[half]
        with np.errstate(invalid="ignore"):
            is_similar = (self.tau[half] >= self.similar) & ~self.constant & (np.arange(len(self.metrics)) != r)
            more_power = is_similar & (power > power[r]) & (self.gain_high[half] >= 0)
            return more_power, is_similar & (consistency > consistency[r]) & (power >= power[r])

    def chosen(self) -> list[str]:
        """The metrics that are similar, and better in power or consistency, on the half used to choose."""
        return [
            name for name, *is_better in zip(self.metrics, *self.better(CHOSEN_HALF), strict=True) if any(is_better)
        ]

    def confirmed(self) -> list[str]:
        """The chosen metrics that on the other half are again similar, and better in what they were chosen for."""
        is_better = np.array([self.better(CHOSEN_HALF), self.better(REPORTED_HALF)])  # [half, criterion, metric]
        return [name for m, name in enumerate(self.metrics) if is_better[:, :, m].all(axis=0).any()]


def check_reference(reference: str, expected: Scores | None = None) -> None:
    """Refuses a reference that is not among the metrics, or alone."""
    if expected is None:
        return
    try:
        name = expected.resolved_metric(reference)
    except InputError:
        raise InputError(
            f"The reference {reference} is not among the metrics; add it with ",
            argument("metrics", reference),
            ", or choose one of them with ",
            argument("reference", min(expected.metrics, key=len)),
            ".",
            argument="reference",
            value=reference,
        ) from None
    if len(expected.metrics) < 2:
        raise InputError(f"{name} is the only metric; name some that could replace it.", argument="metrics")


@method(
    "Which metrics could replace another one?",
    cite="chen2023",
    affine=True,
    compares_metrics=True,
    draws=True,
    check=check_reference,
    least_runs=2,
    examples=("irassay meta alternatives qrels.txt runs/ -m nDCG@10 -m AP -m RR",),
)
def alternatives(
    scores: Scores,
    *,
    reference: Annotated[str, Option("The metric to find alternatives to.", metavar="METRIC")] = "nDCG@10",
    similar: Annotated[float, Option("Minimum tau with the reference.", low=-1, high=1)] = 0.9,
    splits: Splits = 1000,
    alpha: Alpha = 0.05,
    test: PairedTest = ALL_PAIRS,
) -> Alternatives:
    """Find metrics that rank systems much like a reference, and are more discriminative or consistent (chen2023, RQ4).

    The best of many metrics is partly best by luck, so the choice is made on a random half of the topics and reported
    on the other half.
    """
    checked_alpha(alpha)
    complete = complete_scores(scores, "The search for alternatives", topics=8)
    reference = complete.scores.resolved_metric(reference)
    check_reference(reference, complete.scores)
    r = positions("metric", complete.scores.metrics, [reference])[0]
    first = split_halves(len(complete.scores.topics), 1, test.seed)[0]
    halves: list[tuple[Floats, ...]] = []
    constant = np.zeros(len(complete.scores.metrics), dtype=np.bool_)
    for half in (first, ~first):
        keys = [key for key, is_in_half in zip(complete.scores.keys, half, strict=True) if is_in_half]
        part = complete_scores(complete.scores.select(topics=keys), "Half")
        constant |= part.constant
        with as_one_step("searching"):
            again = split_halves(len(keys), splits, test.seed)
            over_splits = split_consistency(part, again, alpha=alpha, seed=test.seed)
            p = test.run(part.values, names=part.scores.systems, intervals=False)[1]
        gains = np.array([over_splits.difference(metric, reference) for metric in part.scores.metrics])
        tau = tau_matrices(rank_codes(part.means.T, part.noise))[r]
        halves.append((tau, np.mean(p < alpha, axis=0), over_splits.mean, gains[:, 1], gains[:, 2]))
    if constant[r]:
        raise InputError(f"{reference} gives every system the same mean on half of the topics; use another reference.")
    arrays: dict[str, Any] = dict(zip(HALF_FIELDS, np.stack(halves, axis=1), strict=True))  # [half, metric] each
    return Alternatives(
        reference=reference,
        metrics=complete.scores.metrics,
        systems=len(complete.scores.systems),
        topics=(int(first.sum()), int((~first).sum())),
        similar=similar,
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        trials=test.resamples,
        splits=splits,
        seed=test.seed,
        **arrays,
        constant=constant,
        notes=complete.notes,
    )
