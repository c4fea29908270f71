"""Human and model judgements together: comparisons of systems that further, model-judged topics make sharper."""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels
from irassay.judging.policy import JudgingPolicy
from irassay.meta.comparison import Comparisons
from irassay.meta.model_judgements import ModelScores
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.prose import count_phrase, first_few
from irassay.results import Saved, register_saved
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import score
from irassay.stats.paired_test import PairedTest
from irassay.stats.prediction_powered import PoweredEstimates, prediction_powered

register_saved("prediction-powered", PoweredEstimates)


@dataclass(frozen=True, eq=False)
class PoweredComparison(Saved):
    """Differences of systems by human and model judgements together, and by the human ones alone, by one metric."""

    saved_as: ClassVar[str] = "powered-comparison-by-metric"

    metric: str
    systems: tuple[str, ...]
    i: Ints  # [pair]
    j: Ints  # [pair]
    labelled: int  # topics with human judgements
    further: int  # topics with a model's alone
    alpha: float
    both: PoweredEstimates
    human: PoweredEstimates  # the same with a weight of 0
    trials: int

    @property
    def weight(self) -> float:
        """Lambda: how much the model's judgements count."""
        return self.both.weight

    @property
    def gained(self) -> Floats:
        """[pair] human-judged topics that the model's judgements are worth; NaN where systems never differ."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.labelled * (self.human.error**2 / self.both.error**2 - 1)

    @property
    def gained_in_all(self) -> float:
        """The same with variances summed over pairs."""
        total = float((self.both.error**2).sum())
        return self.labelled * (float((self.human.error**2).sum()) / total - 1) if total else 0.0

    @property
    def significant(self) -> Bools:
        """[pair] p < alpha, for all pairs together."""
        return self.both.p < self.alpha


@dataclass(frozen=True, eq=False, repr=False)
class PoweredComparisons(Comparisons):
    """Which systems differ by human and model judgements together; what it inherits is of the human ones alone."""

    saved_as: ClassVar[str] = "powered-comparison"
    view_in: ClassVar[str] = "irassay.views.prediction_powered"

    powered: tuple[PoweredComparison, ...] = ()  # [metric]


def powered_comparisons(
    found: Comparisons, human: Scores, test: PairedTest, alpha: float, also: Any = None, also_scores: Any = None
) -> PoweredComparisons:
    """The comparisons by human judgements with those by both beside them; `human` are the scores they were made of."""
    model, labelled, further = aligned_model_scores(human, also, also_scores)
    how: dict[str, Any] = {"trials": test.resamples, "seed": test.seed}
    made = []
    for m, one in enumerate(found.by_metric):
        i, j = one.test.i, one.test.j
        given = human.values[:, :, m], labelled[:, :, m], further[:, :, m]
        alone = prediction_powered(*given, i, j, weight=0.0, **how)
        both = prediction_powered(*given, i, j, alone=alone, **how)
        count = labelled.shape[1], further.shape[1]
        made.append(PoweredComparison(one.metric, human.systems, i, j, *count, alpha, both, alone, test.resamples))
    notes = tuple(note for note in model.notes if note not in found.notes)
    return PoweredComparisons(found.by_metric, tuple(made), notes=(*found.notes, *(f"model: {note}" for note in notes)))


def aligned_model_scores(human: Scores, also: Any = None, also_scores: Any = None) -> tuple[Scores, Floats, Floats]:
    """The model's scores, and [system, topic, metric] of the human-judged topics in their order and of further ones."""
    if also is not None and also_scores is not None:
        raise InputError(f"give either {argument('also')} or {argument('also_scores')}, not both")
    model = _scores_of(also if also is not None else also_scores, human)
    signs = np.where([model.higher_is_better[model.metrics.index(m)] for m in human.metrics], 1.0, -1.0)
    chosen = model.select(systems=_same(human.systems, model.systems), metrics=human.metrics).complete()
    values = chosen.values * signs  # [system, topic, metric]
    place = {key: t for t, key in enumerate(chosen.keys)}
    if not set(human.keys) & set(place):
        raise InputError(
            "The model judges none of the topics that people judged; its judgements of those are needed to correct it."
        )
    if missing := [topic for key, topic in zip(human.keys, human.topics, strict=True) if key not in place]:
        raise InputError(
            f"The model does not judge {count_phrase(len(missing), 'topic')} that people judged ({first_few(missing, 3)}); add "
            "its judgements of them, or leave them out of the human ones."
        )
    labelled = [place[key] for key in human.keys]
    further = [t for key, t in place.items() if key not in set(human.keys)]
    if len(further) < 2:
        raise InputError(
            f"The model judges {count_phrase(len(further), 'topic')} beyond those that people judged; two at least are "
            "needed, for the gain is in further topics."
        )
    return model, values[:, labelled], values[:, further]


def _same(systems: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    if missing := [system for system in systems if system not in others]:
        raise InputError(
            f"The model's scores lack {count_phrase(len(missing), 'system')} ({first_few(missing, 3)}); add their scores."
        )
    return systems


def _scores_of(also: Any, human: Scores) -> Scores:
    """The model's scores: as given, from a table, or made from the same runs as the human ones."""
    if isinstance(also, Scores):
        return also
    if isinstance(also, ModelScores):
        return also.scores
    source = also.source if isinstance(also, OtherQrels) else also
    said = human.settings
    runs, qrels = said.inputs.get("runs"), said.inputs.get("qrels")
    if not runs or not qrels:
        raise InputError(
            f"{argument('also')} needs scores that were made from files of runs and judgements here; give the scores "
            f"by the model's judgements instead ({argument('also_scores')})."
        )
    given = said.given
    judging = JudgingPolicy(**{f.name: given[f.name] for f in fields(JudgingPolicy) if f.name in given})
    scoring = ScoringPolicy(**{f.name: given[f.name] for f in fields(ScoringPolicy) if f.name in given})
    top = judging.max_grade or Qrels.of(qrels).max_grade
    return score(list(map(str, runs)), source, human.metrics, judging=replace(judging, max_grade=top), scoring=scoring)
