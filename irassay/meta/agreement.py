"""Agreement: whether two metrics find the same pairs of systems significantly different."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, Signs
from irassay.errors import InputError
from irassay.meta.complete_scores import best_first, checked_alpha, complete_scores
from irassay.meta.discrimination import constant_pair_notes
from irassay.meta.shared_options import Alpha
from irassay.method import method
from irassay.results import Result
from irassay.score_names import positions
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest

OUTCOMES = ("SSA", "SSD", "SN", "NS", "NN")


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """The five outcomes of moffat2012 for every two metrics, counted over the pairs of systems.

    S is a significant difference, N is none. The first letter is for the metric of the row, the second for the column.
    """

    saved_as: ClassVar[str] = "agreement"

    metrics: tuple[str, ...]
    systems: int
    topics: int
    pairs: int
    test: str
    correction: str
    alpha: float
    trials: int
    seed: int
    SSA: Ints  # [metric, metric] both significant, the same system better; the diagonal counts what a metric finds
    SSD: Ints  # [metric, metric] both significant, opposite systems better
    SN: Ints  # [metric, metric] only the row's metric finds a difference
    NS: Ints  # [metric, metric] only the column's metric does
    NN: Ints  # [metric, metric] neither does
    constant: Bools  # [metric] every system has the same mean

    def power(self, alpha: float | None = None) -> Floats:
        """[metric] the share of pairs that the metric discriminates; `alpha`, if given, must be that of the result."""
        if alpha not in (None, self.alpha):
            fix = "use discrimination for other levels"
            raise InputError(argument="alpha", value=alpha, expected=f"{self.alpha:g}, as in the agreement", fix=fix)
        return self.SSA.diagonal() / self.pairs

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their power, the most powerful first."""
        return best_first(self.metrics, self.power())

    @property
    def significance_class(self) -> Floats:
        """[metric, metric] 2 SSA / (2 SSA + SN + NS): agreement on differences; NaN if neither metric finds any."""
        return class_agreement(self.SSA, self.SN, self.NS)

    @property
    def insignificance_class(self) -> Floats:
        """[metric, metric] 2 NN / (2 NN + SN + NS): agreement on non-differences."""
        return class_agreement(self.NN, self.SN, self.NS)

    def of(self, one: str, other: str) -> dict[str, int]:
        """The five counts for two metrics."""
        a, b = positions("metric", self.metrics, (one, other))
        return {name: int(getattr(self, name)[a, b]) for name in OUTCOMES}


@method(
    "Do metrics find the same pairs of systems significantly different?",
    cite="moffat2012",
    affine=True,
    least_runs=2,
    examples=("irassay meta agreement qrels.txt runs/ -m nDCG@10 -m AP",),
)
def agreement(scores: Scores, *, alpha: Alpha = 0.05, test: PairedTest = PairedTest("t")) -> Agreement:
    """Count how often two metrics agree on which systems differ significantly (moffat2012, section 4).

    SSA: both metrics find a significant difference, in favour of the same system. SSD: both do, in favour of different
    systems. SN and NS: only the first metric, or only the second, finds one. NN: neither does.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> both = Scores(np.concatenate([cube, -cube], axis=2), ("A", "B", "C"), tuple("1234"), ("AP", "wrong way round"))
    >>> agreement(both).of("AP", "wrong way round")
    {'SSA': 0, 'SSD': 2, 'SN': 0, 'NS': 0, 'NN': 1}
    """
    checked_alpha(alpha)
    complete = complete_scores(scores, "Agreement")
    tests, p = test.run(complete.values, names=complete.scores.systems)
    decisions = signed_decisions(tests.difference, p, alpha)
    return Agreement(
        metrics=complete.scores.metrics,
        systems=len(complete.scores.systems),
        topics=len(complete.scores.topics),
        pairs=len(p),
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        trials=tests.trials,
        seed=test.seed,
        **outcome_counts(decisions, decisions),
        constant=complete.constant,
        notes=(*complete.notes, *constant_pair_notes(tests)),
    )


def signed_decisions(difference: Floats, p: Floats, alpha: float) -> Signs:
    """[pair, metric] 1 if the first system is significantly better, -1 if the second is, 0 if neither."""
    return np.where(p < alpha, np.sign(difference), 0).astype(np.int8)


def outcome_counts(rows: Signs, columns: Signs) -> dict[str, Any]:
    """[row, column] the five counts between the decisions [pair, row] and [pair, column].

    >>> one, other = np.array([[1], [1], [-1], [0]], dtype=np.int8), np.array([[1], [-1], [0], [0]], dtype=np.int8)
    >>> {name: int(count[0, 0]) for name, count in outcome_counts(one, other).items()}
    {'SSA': 1, 'SSD': 1, 'SN': 1, 'NS': 0, 'NN': 1}
    """
    one, other = rows.astype(np.float64), columns.astype(np.float64)  # exact for sums of signs, and uses BLAS
    balance = (one.T @ other).round().astype(np.int64)  # SSA - SSD
    both = (np.abs(one).T @ np.abs(other)).round().astype(np.int64)  # SSA + SSD
    SN, NS = np.count_nonzero(rows, axis=0)[:, None] - both, np.count_nonzero(columns, axis=0) - both
    NN = len(rows) - both - SN - NS
    return {"SSA": (both + balance) // 2, "SSD": (both - balance) // 2, "SN": SN, "NS": NS, "NN": NN}


def class_agreement(same: Ints, SN: Ints, NS: Ints) -> Floats:
    """2 same / (2 same + SN + NS); NaN if there is nothing to agree on [moffat2012]."""
    with np.errstate(invalid="ignore"):
        return 2 * same / (2 * same + SN + NS)
