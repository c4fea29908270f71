"""How judged rankings are scored, whatever the metric."""

from dataclasses import dataclass
from typing import Annotated, Literal

from irassay.settings import Option, Record


@dataclass(frozen=True)
class ScoringPolicy(Record):
    """How to score grades and judgements, where there is a choice."""

    rel: Annotated[
        float | None,
        Option("Lowest grade that counts as relevant.", panel="Reading", shown="1", low=0, high=1000, open="low"),
    ] = None
    no_relevant: Annotated[
        Literal["zero", "skip"], Option("What to do with a topic that has no relevant document.", panel="Reading")
    ] = "zero"
    judged_only: Annotated[bool, Option("Leave unjudged results out of every list.", panel="Reading")] = False

    @property
    def level(self) -> float:
        """The lowest grade that counts as relevant: `rel`, by default 1."""
        return 1 if self.rel is None else self.rel
