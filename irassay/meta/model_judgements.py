"""Options for a model's judgements in addition to human ones: its qrels, or its scores of the same systems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from irassay.argument_types import FromFile
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.scores import Scores
from irassay.settings import Option


@dataclass(frozen=True, eq=False)
class ModelScores(FromFile):
    """A model's scores of the same systems, from a table."""

    scores: Scores

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The scores in a table written by any tool."""
        from irassay.io.tables import read_scores

        return cls(read_scores([path]))


AlsoOption = Annotated[
    OtherQrels | Scores | None, Option("A model's judgements of these and further topics, for narrower intervals.")
]
AlsoScoresOption = Annotated[
    ModelScores | Scores | None, Option("A model's scores on these and further topics, used with --scores.")
]
