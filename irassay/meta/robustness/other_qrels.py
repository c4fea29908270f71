"""Other judgements, as a setting that takes a file or judgements in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from irassay.argument_types import FromFile
from irassay.io.input_files import opened_judgements


@dataclass(frozen=True, eq=False)
class OtherQrels(FromFile):
    """Other judgements of the same topics, from a file."""

    source: Any

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The judgements in a file, which is read when runs are scored with them."""
        return cls(opened_judgements(path))


def qrels_source(other: Any) -> Any:
    """The file of other judgements, or the judgements themselves if they are in memory."""
    return other.source if isinstance(other, OtherQrels) else other
