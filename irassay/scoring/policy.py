"""How judged rankings are scored, whatever the metric."""

from dataclasses import dataclass
from typing import Annotated, Literal

from irassay.settings import Option, Record


@dataclass(frozen=True)
class ScoringPolicy(Record):
    """What to make of grades and judgements where that can be done in more than one way."""

    rel: Annotated[float | None, Option("Least grade that counts as relevant.", panel="Reading", shown="1")] = None
    no_relevant: Annotated[Literal["zero", "skip"], Option("A topic with nothing relevant.", panel="Reading")] = "zero"
    judged_only: Annotated[bool, Option("Leave unjudged results out of every list.", panel="Reading")] = False
