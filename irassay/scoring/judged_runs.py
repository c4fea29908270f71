"""Judged runs: runs, judgements and metrics with their policies, for methods that score more than once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from irassay.judging.policy import JudgingPolicy
from irassay.method import Input
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import labelled, listed, paths_of, resolved, score
from irassay.settings import Settings, compose, flattened

USUAL = ("nDCG@10", "AP")


@dataclass(frozen=True, eq=False)
class JudgedRuns(Input):
    """Runs, the judgements of their topics, the metrics that score them, and how they are read and scored."""

    runs: Any
    qrels: Any
    metrics: tuple[str | Metric, ...] = USUAL
    judging: JudgingPolicy = field(default_factory=JudgingPolicy)
    scoring: ScoringPolicy = field(default_factory=ScoringPolicy)

    @classmethod
    def of(
        cls, runs: Any, qrels: Any, metrics: str | Metric | Sequence[str | Metric] = USUAL, **policies: Any
    ) -> "JudgedRuns":
        """The runs with their judgements; policies as `irassay.score` takes them."""
        records = compose(policies, judging=JudgingPolicy(), scoring=ScoringPolicy())
        return cls(runs, qrels, tuple(listed(metrics)), **records)

    def scores(self, metrics: Sequence[str | Metric] = (), **more: Any) -> Scores:
        """The scores of the runs, by these metrics or other ones."""
        policies = {"judging": self.judging, "scoring": self.scoring} | more
        return score(self.runs, self.qrels, metrics or self.metrics, **policies)

    @property
    def resolved(self) -> list[Metric]:
        """The metrics, with the level of relevance and the condensing asked for of all of them."""
        scoring = self.scoring
        return resolved(self.metrics, scoring.rel, scoring.judged_only, always=scoring.no_relevant == "skip")

    @property
    def settings(self) -> Settings:
        """What they are, for the settings of a result."""
        given = {"metrics": tuple(map(str, self.metrics))} | flattened(self.judging) | flattened(self.scoring)
        return Settings("score", given, paths_of(self.runs, self.qrels) | labelled(self.resolved))
