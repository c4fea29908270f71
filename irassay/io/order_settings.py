"""What may decide the order of results: settings, before anything is read."""

from dataclasses import dataclass
from typing import Literal

OrderBy = Literal["score", "rank", "file"]
Ties = Literal["docid", "docid-asc", "file"]
Precision = Literal["double", "single"]
TOP_RANKS, RARE_SHARE = (
    10,
    0.01,
)  # the results that are looked at, and the share of them judged that is suspiciously small


@dataclass(frozen=True)
class Ordering:
    """How results are put in order: by what, equal ones by what, and scores compared to how many digits."""

    order: OrderBy = "score"
    ties: Ties = "docid"
    score_precision: Precision = "double"
