"""What an assay is about: runs and judgements, or scores made by any tool."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irassay.errors import InputError
from irassay.method import Subject
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import Settings

USUAL = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25)", "Q", "bpref")


@dataclass(frozen=True, eq=False)
class EvaluatedCollection(Subject):
    """One collection, as runs with judgements or as scores."""

    judged: JudgedRuns | None = None
    scores: Scores | None = None

    @classmethod
    def of(
        cls,
        runs: Any = None,
        qrels: Any = None,
        metrics: str | Metric | Sequence[str | Metric] = USUAL,
        *,
        scores: Scores | None = None,
        **policies: Any,
    ) -> "EvaluatedCollection":
        """Runs and judgements with the policies of `irassay.score`, or scores."""
        if scores is not None:
            return cls(scores=scores)
        if runs is None or qrels is None:
            raise InputError("a report needs runs and judgements, or a table of scores; give one or the other")
        return cls(JudgedRuns.of(runs, qrels, metrics, **policies))

    @property
    def settings(self) -> Settings:
        """Where it came from."""
        return self.scores.settings if self.scores is not None else self.judged.settings if self.judged else Settings()
