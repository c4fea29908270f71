"""Judged runs: what robustness is about, and other judgements of the same topics."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from irassay.method import Subject
from irassay.settings import FromFile, Settings

if TYPE_CHECKING:
    from irassay.metrics.metric import Metric

USUAL = ("nDCG@10", "AP")


@dataclass(frozen=True, eq=False)
class JudgedRuns(Subject):
    """Runs, the judgements of their topics, the metrics that score them, and the policies of `irassay.score`."""

    runs: Any
    qrels: Any
    metrics: "tuple[str | Metric, ...]" = USUAL
    policies: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls, runs: Any, qrels: Any, metrics: "str | Metric | Iterable[str | Metric]" = USUAL, **policies: Any
    ) -> Self:
        """The runs, judged; policies as `irassay.score` takes them."""
        return cls(
            runs,
            qrels,
            tuple(metrics) if isinstance(metrics, Iterable) and not isinstance(metrics, str) else (metrics,),
            policies,
        )

    @property
    def settings(self) -> Settings:
        """What they are, for the settings of a result."""
        from irassay.io.sources import files

        listed = self.runs if isinstance(self.runs, list | tuple) else [self.runs]
        paths = [path for path in listed if isinstance(path, str | Path)]
        inputs: dict[str, Any] = {"runs": [Path(path) for path in files(paths)]} if paths else {}
        if isinstance(self.qrels, str | Path):
            inputs = {"qrels": Path(self.qrels), **inputs}
        return Settings("score", {"metrics": tuple(map(str, self.metrics)), **(self.policies or {})}, inputs)


@dataclass(frozen=True, eq=False)
class OtherQrels(FromFile):
    """Other judgements of the same topics, by the file that holds them."""

    source: Any

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The judgements in a file, which is read when they are joined to the runs."""
        return cls(path)
