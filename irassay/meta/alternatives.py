"""Alternatives: metrics that rank systems much as a reference does, and discriminate or repeat themselves better."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError
from irassay.meta.complete import best_first, complete_scores, level
from irassay.meta.consistency import consistency, split_halves
from irassay.meta.keywords import Alpha, Splits
from irassay.method import method
from irassay.parallel import as_one_step
from irassay.results import Result
from irassay.scores import Scores, positions
from irassay.stats.paired_test import PairedTest
from irassay.stats.rank_codes import rank_codes, tau_matrices

CHOSEN, REPORTED = 0, 1  # the half of the topics that is chosen on, and the one that is reported


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Result):
    """Every metric against the reference, on the half of the topics that is chosen on and on the other one."""

    saved_as: ClassVar[str] = "alternatives"
    formerly: ClassVar[dict[str, str]] = {"power": "powers"}

    reference: str
    metrics: tuple[str, ...]
    systems: int
    topics: tuple[int, ...]  # [half]
    similar: float  # least tau with the reference
    test: str
    correction: str
    alpha: float
    trials: int
    splits: int
    seed: int
    tau: Floats  # [half, metric] with the reference; NaN for a constant metric
    powers: Floats  # [half, metric] share of pairs of systems discriminated
    consistency: Floats  # [half, metric] mean tau between halves of the half
    gain_low: Floats  # [half, metric] interval over topics of how much more consistent than the reference it is
    gain_high: Floats  # [half, metric]
    constant: Bools  # [metric] every system has the same mean in one of the halves

    def power(self, alpha: float | None = None, half: int = REPORTED) -> Floats:
        """[metric] the share of pairs discriminated on one half, at the level that was asked for and no other."""
        if alpha not in (None, self.alpha):
            raise InputError(f"Alternatives were looked for at {self.alpha:g}; found {alpha:g}.")
        return self.powers[half]

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their power on the half that is reported, the most powerful first."""
        return best_first(self.metrics, self.power())

    def better(self, half: int) -> tuple[Bools, Bools]:
        """[metric] similar and better in power, and similar and better in consistency, on one half.

        What is gained in one must not be lost in the other: more power with a consistency that is not clearly lower
        (the interval of its gain reaches 0), or more consistency with no less power, which has no interval.
        """
        r = self.metrics.index(self.reference)
        power, steady = self.powers[half], self.consistency[half]
        with np.errstate(invalid="ignore"):
            alike = (self.tau[half] >= self.similar) & ~self.constant & (np.arange(len(self.metrics)) != r)
            stronger = alike & (power > power[r]) & (self.gain_high[half] >= 0)
            return stronger, alike & (steady > steady[r]) & (power >= power[r])

    def chosen(self) -> list[str]:
        """The metrics that are similar, and better in something, on the half that is chosen on."""
        power, steady = self.better(CHOSEN)
        return [metric for metric, yes in zip(self.metrics, power | steady, strict=True) if yes]

    def confirmed(self) -> list[str]:
        """The chosen ones that on the other half are again similar, and better in something they were chosen for."""
        (power, steady), (power_too, steady_too) = self.better(CHOSEN), self.better(REPORTED)
        again = (power & power_too) | (steady & steady_too)
        return [metric for metric, yes in zip(self.metrics, again, strict=True) if yes]


@method(
    "Which metrics could stand in for another one?",
    cite="chen2023",
    affine=True,
    compares_metrics=True,
    stochastic=True,
    examples=("irassay meta alternatives qrels.txt runs/ -m nDCG@10 -m AP -m RR",),
)
def alternatives(
    scores: Scores,
    *,
    reference: Annotated[str, "The metric to find alternatives to."] = "nDCG@10",
    similar: Annotated[float, "Least tau with the reference."] = 0.9,
    splits: Splits = 1000,
    alpha: Alpha = 0.05,
    test: PairedTest = PairedTest("tukey"),
) -> Alternatives:
    """Metrics that rank systems much as a reference does, and discriminate or repeat better (chen2023, RQ4).

    What is best of many on some topics is partly so by luck. So the choice is made on a random half of the topics
    and reported on the other one.
    """
    if not -1 <= similar <= 1:
        raise InputError(f"The least tau with the reference lies from -1 to 1; found {similar:g}.")
    level(alpha)
    made = complete_scores(scores, "The search for alternatives", topics=8)
    reference = made.scores.named(reference)
    r = positions("metric", made.scores.metrics, [reference])[0]
    if len(made.scores.metrics) < 2:
        raise InputError(f"{reference} is the only metric; name some that could stand in for it.")
    first = split_halves(len(made.scores.topics), 1, test.seed)[0]
    found: dict[str, list[Floats]] = {"tau": [], "powers": [], "consistency": [], "gain_low": [], "gain_high": []}
    constant = np.zeros(len(made.scores.metrics), dtype=np.bool_)
    keys = made.scores.keys
    for half in (first, ~first):
        part = complete_scores(
            made.scores.select(topics=[key for key, yes in zip(keys, half, strict=True) if yes]), "Half"
        )
        constant |= part.constant
        with as_one_step("searching"):
            steady = consistency(part.scores, splits=splits, alpha=alpha, seed=test.seed)
            p = test.run(part.values, names=part.scores.systems, intervals=False)[1]
        gains = np.array([steady.difference(metric, reference) for metric in part.scores.metrics])
        tau = tau_matrices(rank_codes(part.means.T, part.noise))[r]
        measured = (tau, np.mean(p < alpha, axis=0), steady.mean, gains[:, 1], gains[:, 2])
        for values, measure in zip(found.values(), measured, strict=True):
            values.append(measure)
    if constant[r]:
        raise InputError(f"{reference} gives every system the same mean on half of the topics; take another reference.")
    halves: dict[str, Any] = {name: np.stack(values) for name, values in found.items()}
    return Alternatives(
        reference=reference,
        metrics=made.scores.metrics,
        systems=len(made.scores.systems),
        topics=(int(first.sum()), int((~first).sum())),
        similar=similar,
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        trials=test.resamples,
        splits=splits,
        seed=test.seed,
        **halves,
        constant=constant,
        notes=made.notes,
    )
