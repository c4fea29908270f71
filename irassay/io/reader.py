"""What a reader of a format declares: what its files look like, and the runs and judgements they become."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irassay.io.run_names import run_name
from irassay.io.sources import Source

if TYPE_CHECKING:
    from irassay.io.passage_qrels import PassageQrels
    from irassay.io.trec import Qrels, Run

ADDED: list["Reader"] = []  # by users, beside those of this package
Input = Source | Path  # a folder is a path, all else a source


def never(_: Input) -> bool:
    """False: nothing about a file shows that it is of this format."""
    return False


def file_name(given: Input) -> str:
    """The name of a file or folder, less the usual endings."""
    return run_name(given.path if isinstance(given, Source) else given)


@dataclass(frozen=True, eq=False, repr=False)
class Reader:
    """One format of runs and judgements. A run's `kind` says how it is judged: trec, dd or session."""

    name: str
    kind: str
    read_run: Callable[..., "Run"]  # of an input, and the columns wanted besides topic, doc and score
    read_judgements: Callable[[Input], "Qrels | PassageQrels"]
    run_looks_so: Callable[[Input], bool] = never
    judgements_look_so: Callable[[Input], bool] = never
    surely_judgements: Callable[[Input], bool] = never  # also where nobody says that they are judgements
    surely_run: bool = False  # what looks like a run is one, even if it could be judgements
    name_run: Callable[[Input], str] = file_name  # without reading all of it
    inside: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)  # of a folder: file -> what reads it
