"""Runs, judgements and metrics with their policies, for methods that score more than once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from irassay.io.input_files import open_inputs
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.keywords import composed_records, record_values, recorded_settings
from irassay.method import Input
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import (
    as_list,
    input_paths,
    label_settings,
    materialized_runs,
    parsed_metrics,
    score,
    scores_of,
)
from irassay.settings import Settings

DEFAULT_METRICS = ("nDCG@10", "AP")


@dataclass(frozen=True, eq=False)
class JudgedRuns(Input):
    """Runs, the judgements of their topics, the metrics that score them, and how they are read and scored."""

    runs: Any
    qrels: Any
    metrics: tuple[str | Metric, ...] = DEFAULT_METRICS
    judging: JudgingPolicy = field(default_factory=JudgingPolicy)
    scoring: ScoringPolicy = field(default_factory=ScoringPolicy)

    @classmethod
    def of(
        cls, runs: Any, qrels: Any, metrics: str | Metric | Sequence[str | Metric] = DEFAULT_METRICS, **policies: Any
    ) -> "JudgedRuns":
        """The runs with their judgements; policies as in `irassay.score`."""
        records = composed_records(policies, judging=JudgingPolicy(), scoring=ScoringPolicy())
        return cls(*open_inputs(materialized_runs(runs), qrels), tuple(as_list(metrics)), **records)

    def scores(
        self,
        metrics: Sequence[str | Metric] = (),
        bounds: bool = False,
        watch: Callable[[JudgedLists], None] | None = None,
    ) -> Scores:
        """The scores of the runs by these metrics, or by their own; `watch` gets the judged lists of every run."""
        policies: dict[str, Any] = {"bounds": bounds, "judging": self.judging, "scoring": self.scoring}
        scores = scores_of(self.runs, self.qrels, metrics or self.metrics, **policies, watch=watch)
        given = recorded_settings(score.function, policies, policies)
        return replace(scores, settings=replace(scores.settings, given=given))

    @property
    def parsed_metrics(self) -> list[Metric]:
        """The metrics, with the scoring policy's level of relevance and condensing."""
        scoring = self.scoring
        return parsed_metrics(self.metrics, scoring.rel, scoring.judged_only, always=scoring.no_relevant == "skip")

    @property
    def settings(self) -> Settings:
        """The inputs, for the settings of a result."""
        given = {"metrics": tuple(map(str, self.metrics))} | record_values(self.judging) | record_values(self.scoring)
        labels = label_settings(self.parsed_metrics) if self.metrics else {}
        return Settings("score", given, input_paths(self.runs, self.qrels) | labels)
