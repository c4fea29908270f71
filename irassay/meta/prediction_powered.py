"""Human and model judgements combined: comparisons of systems with narrower intervals from model-judged topics."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.comparison import Comparisons
from irassay.meta.model_judgements import ModelScores
from irassay.meta.robustness.other_qrels import qrels_source
from irassay.prose import count_phrase, first_few
from irassay.saving import Saved, register_saved
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import score
from irassay.stats.paired_test import PairedTest
from irassay.stats.prediction_powered import PoweredEstimates, prediction_powered

register_saved("prediction-powered", PoweredEstimates)


@dataclass(frozen=True, eq=False)
class PoweredComparison(Saved):
    """Differences of systems by human and model judgements combined, and by human ones alone, under one metric."""

    saved_as: ClassVar[str] = "powered-comparison-by-metric"

    metric: str
    systems: tuple[str, ...]
    i: Ints  # [pair]
    j: Ints  # [pair]
    labelled: int  # topics with human judgements
    further: int  # topics with model judgements only
    alpha: float
    both: PoweredEstimates
    human: PoweredEstimates  # the same with a weight of 0
    trials: int

    @property
    def weight(self) -> float:
        """Lambda: the weight of the model's judgements."""
        return self.both.weight

    @property
    def gained(self) -> Floats:
        """[pair] how many human-judged topics the model's judgements are worth; NaN if the systems never differ."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.labelled * (self.human.error**2 / self.both.error**2 - 1)

    @property
    def gained_in_all(self) -> float:
        """How many human-judged topics they are worth, with variances summed over pairs."""
        total = float((self.both.error**2).sum())
        return self.labelled * (float((self.human.error**2).sum()) / total - 1) if total else 0.0

    @property
    def significant(self) -> Bools:
        """[pair] p < alpha, where p holds for all pairs together."""
        return self.both.p < self.alpha


@dataclass(frozen=True, eq=False, repr=False)
class PoweredComparisons(Comparisons):
    """Which systems differ by human and model judgements combined; inherited fields are of the human ones alone."""

    saved_as: ClassVar[str] = "powered-comparison"
    view_in: ClassVar[str] = "irassay.views.prediction_powered"

    powered: tuple[PoweredComparison, ...] = ()  # [metric]


def powered_comparisons(
    comparisons: Comparisons, human: Scores, test: PairedTest, alpha: float, also: Any = None, also_scores: Any = None
) -> PoweredComparisons:
    """The comparisons by human judgements, with those by both kinds added; `human` are the scores of the former."""
    model, labelled, further = aligned_model_scores(human, also, also_scores)
    settings: dict[str, Any] = {"trials": test.resamples, "seed": test.seed}
    by_metric = []
    for m, one in enumerate(comparisons.by_metric):
        i, j = one.test.i, one.test.j
        values = human.values[:, :, m], labelled[:, :, m], further[:, :, m]
        alone = prediction_powered(*values, i, j, weight=0.0, **settings)
        both = prediction_powered(*values, i, j, alone=alone, **settings)
        sizes = labelled.shape[1], further.shape[1]
        by_metric.append(PoweredComparison(one.metric, human.systems, i, j, *sizes, alpha, both, alone, test.resamples))
    notes = (f"model: {note}" for note in model.notes if note not in comparisons.notes)
    return PoweredComparisons(comparisons.by_metric, tuple(by_metric), notes=(*comparisons.notes, *notes))


def aligned_model_scores(human: Scores, also: Any = None, also_scores: Any = None) -> tuple[Scores, Floats, Floats]:
    """The model's scores, and [system, topic, metric] those on the human-judged topics and those on further topics."""
    if also is not None and also_scores is not None:
        raise InputError("Give either ", argument("also"), " or ", argument("also_scores"), ", not both.")
    model = _model_scores(also if also is not None else also_scores, human).with_metrics(human.metrics)
    signs = np.where(model.higher_is_better, 1.0, -1.0)
    if missing := [system for system in human.systems if system not in model.systems]:
        systems = f"{count_phrase(len(missing), 'system')} ({first_few(missing, 3)})"
        raise InputError(f"The model's scores lack {systems}; add their scores.")
    chosen = model.select(systems=human.systems).complete().with_sorted_topics()
    values = chosen.values * signs  # [system, topic, metric]
    place = {key: t for t, key in enumerate(chosen.keys)}
    if not set(human.keys) & set(place):
        raise InputError("The model judges no topic that people judged; add some, because they correct it.")
    if missing := [topic for key, topic in zip(human.keys, human.topics, strict=True) if key not in place]:
        topics = f"{count_phrase(len(missing), 'topic')} that people judged ({first_few(missing, 3)})"
        raise InputError(f"The model does not judge {topics}; add its judgements, or leave out the human ones.")
    labelled = [place[key] for key in human.keys]
    further = [t for key, t in place.items() if key not in set(human.keys)]
    if len(further) < 2:
        topics = count_phrase(len(further), "topic")
        raise InputError(f"The model judges {topics} beyond those that people judged; add at least two.")
    return model, values[:, labelled], values[:, further]


def _model_scores(also: Any, human: Scores) -> Scores:
    """The model's scores: as given, from a table, or of the same runs as the human ones."""
    if isinstance(also, Scores):
        return also
    if isinstance(also, ModelScores):
        return also.scores
    source = qrels_source(also)
    runs, qrels = (human.settings.inputs.get(name) for name in ("runs", "qrels"))
    if not runs or not qrels:
        raise InputError(
            argument("also"), " needs files of runs and qrels; give ", argument("also_scores"), " instead."
        )
    given = human.settings.given
    judging = JudgingPolicy(**{f.name: given[f.name] for f in fields(JudgingPolicy) if f.name in given})
    scoring = ScoringPolicy(**{f.name: given[f.name] for f in fields(ScoringPolicy) if f.name in given})
    top = judging.max_grade or Qrels.of(qrels).max_grade
    return score(list(map(str, runs)), source, human.metrics, judging=replace(judging, max_grade=top), scoring=scoring)
