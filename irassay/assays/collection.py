"""What an assay is about: runs and judgements, or scores made by any tool."""

from dataclasses import dataclass
from typing import ClassVar

from irassay.scoring.evaluated import Evaluated

USUAL = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "RBP(p=0.95)", "ERR@10", "INST(T=2.25)", "Q", "bpref")


@dataclass(frozen=True, eq=False)
class EvaluatedCollection(Evaluated):
    """One collection, as runs with judgements or as scores."""

    needed_by: ClassVar[str] = "a report"
    usual: ClassVar[tuple[str, ...]] = USUAL
