"""How judged rankings are scored, whatever the metric."""

from dataclasses import dataclass
from typing import Annotated, Literal

from irassay.errors import InputError


@dataclass(frozen=True)
class ScoringPolicy:
    """What to make of grades and judgements where that can be done in more than one way."""

    rel: Annotated[float | None, "Least grade that counts as relevant."] = None
    no_relevant: Annotated[Literal["zero", "skip"], "A topic with nothing relevant."] = "zero"
    bounds: Annotated[bool, "Also with nothing, and with the top grade, assumed of what was not judged."] = False
    judged_only: Annotated[bool, "Leave unjudged results out of every list."] = False

    def __post_init__(self) -> None:
        if self.no_relevant not in ("zero", "skip"):
            raise InputError(f"no_relevant={self.no_relevant!r} is not known; choose one of zero, skip")
