"""The settings that decide the order of results."""

from dataclasses import dataclass
from typing import Literal

OrderBy = Literal["score", "rank", "file"]
Ties = Literal["docid", "docid-asc", "file"]
Precision = Literal["double", "single"]
TOP_RANKS, RARE_SHARE = 10, 0.01  # of the first results; a smaller judged share of them is suspicious


@dataclass(frozen=True)
class Ordering:
    """How results are ordered: by score, rank or file; how ties are broken; and the precision of scores."""

    order: OrderBy = "score"
    ties: Ties = "docid"
    score_precision: Precision = "double"
