"""The results table of a paper: systems by metrics, with the best of each metric and significant differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from irassay.errors import InputError
from irassay.meta.comparison import Comparisons, comparisons_by_metric, scores_to_compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.shared_options import ALL_PAIRS, Alpha
from irassay.method import method
from irassay.scores import Scores
from irassay.settings import DefaultMetrics, Option
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest, find_test


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable(Comparisons):
    """The means of systems by metrics, and which differences are significant, as one table."""

    saved_as: ClassVar[str] = "table"


@method(
    "Make the results table of a paper.",
    path="table",
    affine=True,
    without_options="plot",
    examples=(
        "irassay table qrels.txt runs/ -m nDCG@10 -m AP --baseline bm25 --format latex",
        "irassay table qrels.txt a.run b.run c.run -m AP,nDCG@10 --test t --correct holm",
    ),
)
def table(
    scores: Annotated[Scores, DefaultMetrics(("AP", "nDCG@10", "P@10"))],
    metrics: str | Sequence[str] | None = None,
    *,
    test: PairedTest = ALL_PAIRS,
    baseline: Annotated[
        str | None, Option("Mark systems that differ significantly from this run: its name, file or tag.")
    ] = None,
    alpha: Alpha = 0.05,
) -> PaperTable:
    """Results table of a paper: systems by metrics, best in bold, with a caption that states the test.

    Without a baseline, superscripts are the numbers of the rows that a system is significantly better than. With one,
    ▲ and ▼ mark systems that are significantly better or worse than it. Every metric is tested separately.

    The LaTeX needs \\usepackage{booktabs,amssymb}.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> found = table(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t"))
    >>> print("\\n".join(found.to_latex(digits=2).splitlines()[8:11]))
    1 & B & \\textbf{0.67}\\textsuperscript{3} \\\\
    2 & C & \\underline{0.65}\\textsuperscript{3} \\\\
    3 & A & 0.17 \\\\
    """
    chosen, baseline = scores_to_compare(scores, metrics, baseline, alpha)
    if not chosen.systems:
        raise InputError("A table needs at least one system; give a run.")
    if not chosen.topics:
        raise InputError("No topic has a score for every system under every metric; give runs that share topics.")
    if min(len(chosen.systems), len(chosen.topics)) < 2:
        parts = (chosen.select(metrics=[metric]) for metric in chosen.metrics)
        return PaperTable(
            tuple(_untested_comparison(part, test, baseline, alpha) for part in parts), notes=chosen.notes
        )
    return PaperTable(comparisons_by_metric(chosen, test, baseline, alpha), notes=chosen.notes)


def _untested_comparison(scores: Scores, test: PairedTest, baseline: str | None, alpha: float) -> Comparison:
    """The means under one metric without any tested pair, because there is only one system or one topic."""
    none, count = np.empty(0), np.empty(0, dtype=np.int64)
    pairs = PairTests(
        find_test(test.test), len(scores.systems), len(scores.topics), count, count, none, none, none, none,
        none.astype(np.bool_), none, none, 0, False, test.seed, test.compat,
    )  # fmt: skip
    mean = scores.oriented().values.mean(axis=1)[:, 0]
    return Comparison(
        scores.metrics[0], scores.systems, baseline, mean, pairs, pairs, test.correction, alpha, none,
        wins=count, ties=count, losses=count, higher_is_better=scores.higher_is_better[0],
        over_topics=scores.over_topics[0], aggregate=scores.means()[:, 0],
    )  # fmt: skip
