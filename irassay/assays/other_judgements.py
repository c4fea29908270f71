"""Other judgements of a collection, such as a model's: how far they agree, and their effect on conclusions."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from irassay.errors import InputError, argument
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.meta.comparison import compare
from irassay.meta.comparison_by_metric import Comparison
from irassay.meta.judges.method import Judges, judges
from irassay.meta.prediction_powered import PoweredComparison, powered_comparisons
from irassay.meta.robustness.other_qrels import qrels_source
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.stats.paired_test import PairedTest


@dataclass(frozen=True, eq=False)
class OtherJudgements(Saved):
    """The systems under the collection's judgements and under others, by one metric, on shared topics."""

    saved_as: ClassVar[str] = "other-judgements"

    judges: Judges  # agreement of the labels, and effect on conclusions
    human: Comparison
    model: Comparison
    both: PoweredComparison | None  # both together, if the others judge further topics


def scores_by(judged_runs: JudgedRuns, scores: Scores, other: Any) -> Scores:
    """The scores of the same runs by other judgements, on the collection's scale."""
    top = judged_runs.judging.max_grade or Qrels.of(judged_runs.qrels).max_grade
    again = replace(judged_runs, judging=replace(judged_runs.judging, max_grade=top), qrels=qrels_source(other))
    return again.scores(scores.metrics).select(systems=scores.systems)


def other_judgements(
    judged_runs: JudgedRuns,
    scores: Scores,
    other_scores: Scores,
    metric: str,
    other: Any,
    *,
    test: PairedTest,
    alpha: float,
    baseline: str | None = None,
) -> OtherJudgements:
    """The effect of other judgements on the same runs by a metric, given the scores by them."""
    source = qrels_source(other)
    agreement = judges(
        judged_runs.qrels,
        source if isinstance(source, str | Path | Source) else {"other": source},
        runs=judged_runs.runs,
        metrics=(metric,),
        test=test,
        alpha=alpha,
        judging=judged_runs.judging,
        scoring=judged_runs.scoring,
    )
    one = scores.select(metrics=[metric]).complete().with_sorted_topics()
    two = other_scores.select(metrics=[metric]).complete()
    common = [key for key in one.keys if key in set(two.keys)]
    if len(common) < 2:
        raise InputError(
            argument("other"), f": the two sets of judgements share {len(common)} topics; at least two are needed."
        )
    compared = [
        compare(each.select(topics=common), metric, test=test, alpha=alpha, baseline=baseline) for each in (one, two)
    ]
    further = len(two.keys) - len(common)
    both = None
    if further >= 2 and len(common) == len(one.keys):
        both = powered_comparisons(compared[0], one.oriented(), test, alpha, also=two).powered[0]
    return OtherJudgements(agreement, compared[0].by(), compared[1].by(), both)
