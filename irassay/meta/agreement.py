"""Agreement: whether two metrics call the same pairs of systems significantly different."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints, Signs
from irassay.errors import InputError
from irassay.meta.complete import best_first, complete_scores, level
from irassay.meta.discrimination import on_constant
from irassay.meta.keywords import Alpha
from irassay.method import method
from irassay.results import Result
from irassay.scores import Scores, positions
from irassay.stats.paired_test import PairedTest

OUTCOMES = ("SSA", "SSD", "SN", "NS", "NN")


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """The five outcomes of moffat2012 for every two metrics, counted over the pairs of systems.

    S is a significant difference, N none; the first letter is the row's metric, the second the column's.
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
    SSA: Ints  # [metric, metric] both significant, and the same system better; the diagonal is the power
    SSD: Ints  # [metric, metric] both significant, and the other system better
    SN: Ints  # [metric, metric] only the row's metric finds a difference
    NS: Ints  # [metric, metric] only the column's metric does
    NN: Ints  # [metric, metric] neither does
    constant: Bools  # [metric] every system has the same mean

    def power(self, alpha: float | None = None) -> Floats:
        """[metric] the share of pairs that the metric discriminates, at the level that was asked for and no other."""
        if alpha not in (None, self.alpha):
            raise InputError(
                f"Agreement was counted at {self.alpha:g}; found {alpha:g}. Discrimination has all levels."
            )
        return self.SSA.diagonal() / self.pairs

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their power, the most powerful first."""
        return best_first(self.metrics, self.power())

    @property
    def significance_class(self) -> Floats:
        """[metric, metric] 2 SSA / (2 SSA + SN + NS): agreement on what differs. NaN where neither finds a thing."""
        return class_agreement(self.SSA, self.SN, self.NS)

    @property
    def insignificance_class(self) -> Floats:
        """[metric, metric] 2 NN / (2 NN + SN + NS): agreement on what does not differ."""
        return class_agreement(self.NN, self.SN, self.NS)

    def of(self, one: str, other: str) -> dict[str, int]:
        """The five counts for two metrics."""
        a, b = positions("metric", self.metrics, (one, other))
        return {name: int(getattr(self, name)[a, b]) for name in OUTCOMES}


@method(
    "Do metrics find the same pairs of systems significantly different?",
    cite="moffat2012",
    affine=True,
    examples=("irassay meta agreement qrels.txt runs/ -m nDCG@10 -m AP",),
)
def agreement(scores: Scores, *, alpha: Alpha = 0.05, test: PairedTest = PairedTest("t")) -> Agreement:
    """Whether metrics find the same differences significant (moffat2012, section 4): SSA, SSD, SN, NS, NN.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> both = Scores(np.concatenate([cube, -cube], axis=2), ("A", "B", "C"), tuple("1234"), ("AP", "wrong way round"))
    >>> agreement(both).of("AP", "wrong way round")
    {'SSA': 0, 'SSD': 2, 'SN': 0, 'NS': 0, 'NN': 1}
    """
    level(alpha)
    made = complete_scores(scores, "Agreement")
    found, p = test.run(made.values, names=made.scores.systems)
    decisions = decided(found.difference, p, alpha)
    counts = outcomes(decisions, decisions)
    return Agreement(
        metrics=made.scores.metrics,
        systems=len(made.scores.systems),
        topics=len(made.scores.topics),
        pairs=len(p),
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        trials=found.trials,
        seed=test.seed,
        **counts,
        constant=made.constant,
        notes=(*made.notes, *on_constant(found)),
    )


def decided(difference: Floats, p: Floats, alpha: float) -> Signs:
    """[pair, metric] 1 where the first system is significantly better, -1 where the second is, 0 where neither."""
    return np.where(p < alpha, np.sign(difference), 0).astype(np.int8)


def outcomes(rows: Signs, columns: Signs) -> dict[str, Any]:
    """[row, column] the five counts between the decisions [pair, row] and [pair, column].

    >>> one, other = np.array([[1], [1], [-1], [0]], dtype=np.int8), np.array([[1], [-1], [0], [0]], dtype=np.int8)
    >>> {name: int(count[0, 0]) for name, count in outcomes(one, other).items()}
    {'SSA': 1, 'SSD': 1, 'SN': 1, 'NS': 0, 'NN': 1}
    """
    one, other = rows.astype(np.float64), columns.astype(np.float64)  # sums of signs are exact, and go to BLAS
    balance = (one.T @ other).round().astype(np.int64)  # SSA - SSD
    both = (np.abs(one).T @ np.abs(other)).round().astype(np.int64)  # SSA + SSD
    found_by_row = np.count_nonzero(rows, axis=0)[:, None]
    found_by_column = np.count_nonzero(columns, axis=0)[None, :]
    SN, NS = found_by_row - both, found_by_column - both
    return {
        "SSA": (both + balance) // 2,
        "SSD": (both - balance) // 2,
        "SN": SN,
        "NS": NS,
        "NN": len(rows) - both - SN - NS,
    }


def class_agreement(same: Ints, SN: Ints, NS: Ints) -> Floats:
    """2 same / (2 same + SN + NS), NaN where there is nothing to agree on [moffat2012]."""
    with np.errstate(invalid="ignore"):
        return 2 * same / (2 * same + SN + NS)
