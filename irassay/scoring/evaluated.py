"""What methods are about that take runs and judgements, or scores made by any tool."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from irassay.errors import InputError
from irassay.method import Input
from irassay.metrics.metric import Metric
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import Settings


@dataclass(frozen=True, eq=False)
class Evaluated(Input):
    """One collection, as runs with judgements or as scores."""

    judged: JudgedRuns | None = None
    scores: Scores | None = None

    needed_by: ClassVar[str]  # what it is for, such as a report
    usual: ClassVar[tuple[str, ...]]  # the metrics where none is named

    @classmethod
    def of(
        cls,
        runs: Any = None,
        qrels: Any = None,
        metrics: str | Metric | Sequence[str | Metric] = (),
        *,
        scores: Scores | None = None,
        **policies: Any,
    ) -> Self:
        """Runs and judgements with the policies of `irassay.score`, or scores."""
        if isinstance(runs, Scores):
            runs, scores = None, runs
        if scores is not None:
            return cls(scores=scores)
        if runs is None or qrels is None:
            raise InputError(f"{cls.needed_by} needs runs and judgements, or a table of scores; give one or the other")
        return cls(JudgedRuns.of(runs, qrels, metrics or cls.usual, **policies))

    @property
    def settings(self) -> Settings:
        """Where it came from."""
        return self.scores.settings if self.scores is not None else self.judged.settings if self.judged else Settings()


@dataclass(frozen=True, eq=False)
class TopicScores(Evaluated):
    """Runs with judgements, or scores, whose topics are looked at."""

    needed_by: ClassVar[str] = "a look at topics"
    usual: ClassVar[tuple[str, ...]] = ("nDCG@10",)
