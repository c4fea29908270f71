"""The input of methods that take runs and judgements, or scores from any tool."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from irassay.errors import InputError
from irassay.method import Input
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import Settings


@dataclass(frozen=True, eq=False)
class RunsOrScores(Input):
    """One collection: runs with judgements, whose files are opened once, or scores."""

    judged: JudgedRuns | None = None
    scores: Scores | None = None

    @classmethod
    def of(
        cls,
        runs: Any = None,
        qrels: Any = None,
        metrics: str | Metric | Sequence[str | Metric] = (),
        *,
        scores: Scores | None = None,
        **policies: Any,
    ) -> "RunsOrScores":
        """Runs and judgements with the policies of `irassay.score`, or scores."""
        if qrels is None and runs is not None:  # scores, or a frame of them
            given = runs if isinstance(runs, Scores) else Scores.from_object(runs)
            runs, scores = (None, given) if isinstance(given, Scores) else (runs, scores)
        if scores is not None:
            return cls(scores=scores)
        if runs is None or qrels is None:
            raise InputError("Give runs and judgements, or a table of scores.")
        return cls(JudgedRuns.of(runs, qrels, metrics, **policies))

    def with_default_metrics(self, metrics: tuple[str, ...]) -> "RunsOrScores":
        """The same, with these metrics if there are runs and no metric was named."""
        if self.judged is None or self.judged.metrics:
            return self
        return replace(self, judged=replace(self.judged, metrics=metrics))

    @property
    def settings(self) -> Settings:
        """Where it came from."""
        return self.scores.settings if self.scores is not None else self.judged.settings if self.judged else Settings()
