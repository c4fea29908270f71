"""Other judgements of a collection, such as a model's: how far they agree, and what they do to its conclusions."""

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
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.results import Saved
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.stats.paired_test import PairedTest


@dataclass(frozen=True, eq=False)
class OtherJudgements(Saved):
    """The systems under the judgements of the collection and under others, by one metric, on the topics of both."""

    saved_as: ClassVar[str] = "other-judgements"

    judges: Judges  # agreement of the labels, and what becomes of conclusions
    human: Comparison
    model: Comparison
    both: PoweredComparison | None  # where the others judge further topics: both together


def scores_by(given: JudgedRuns, scores: Scores, other: Any) -> Scores:
    """The scores of the same runs by other judgements, with the scale of the collection's own."""
    top = given.judging.max_grade or Qrels.of(given.qrels).max_grade
    again = replace(given, judging=replace(given.judging, max_grade=top), qrels=_source(other))
    return again.scores(scores.metrics).select(systems=scores.systems)


def _source(other: Any) -> Any:
    return other.source if isinstance(other, OtherQrels) else other


def other_judgements(
    given: JudgedRuns,
    scores: Scores,
    again: Scores,
    metric: str,
    other: Any,
    *,
    test: PairedTest,
    alpha: float,
    baseline: str | None = None,
) -> OtherJudgements:
    """What other judgements say of the same runs by a metric, `again` being their scores by these judgements."""
    source = _source(other)
    said = judges(
        given.qrels,
        source if isinstance(source, str | Path | Source) else {"other": source},
        runs=given.runs,
        metrics=(metric,),
        test=test,
        alpha=alpha,
        judging=given.judging,
        scoring=given.scoring,
    )
    one = scores.select(metrics=[metric]).complete()
    two = again.select(metrics=[metric]).complete()
    common = [key for key in one.keys if key in set(two.keys)]
    if len(common) < 2:
        raise InputError(
            f"{argument('other')}: the two sets of judgements share {len(common)} topics; a comparison needs two."
        )
    compared = [
        compare(each.select(topics=common), metric, test=test, alpha=alpha, baseline=baseline) for each in (one, two)
    ]
    further = len(two.keys) - len(common)
    both = None
    if further >= 2 and len(common) == len(one.keys):
        both = powered_comparisons(compared[0], one.oriented(), test, alpha, also=two).powered[0]
    return OtherJudgements(said, compared[0].by(), compared[1].by(), both)
