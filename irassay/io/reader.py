"""What the reader of a format declares: how its files are recognised and read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irassay.io.run_names import run_name
from irassay.io.sources import Source

if TYPE_CHECKING:
    from irassay.io.passage_qrels import PassageQrels
    from irassay.io.trec import Qrels, Run

USER_READERS: list["Reader"] = []  # registered by users
FileOrFolder = Source | Path  # an open file, or the path of a folder


def never(_: FileOrFolder) -> bool:
    """False: files of this format cannot be recognised."""
    return False


def by_head(matches: Callable[[bytes], bool]) -> Callable[[FileOrFolder], bool]:
    """A test of inputs from a test of the first bytes of a file; folders never match."""
    return lambda file: not isinstance(file, Path) and matches(file.head())


def file_name(file: FileOrFolder) -> str:
    """The name of a file or folder without the usual extensions."""
    return run_name(file.path if isinstance(file, Source) else file)


@dataclass(frozen=True, eq=False, repr=False)
class Reader:
    """One format of runs and judgements; `kind` says how its runs are judged: trec, dd or session."""

    name: str
    kind: str
    read_run: Callable[..., "Run"]  # from an input, and the columns to read besides topic, doc and score
    read_judgements: Callable[[FileOrFolder], "Qrels | PassageQrels"]
    run_looks_so: Callable[[FileOrFolder], bool] = never
    judgements_look_so: Callable[[FileOrFolder], bool] = never
    surely_judgements: Callable[[FileOrFolder], bool] = never  # even if the role of the file is unknown
    surely_run: bool = False  # a file that looks like a run is one, even if it could be judgements
    name_run: Callable[[FileOrFolder], str] = file_name  # without reading the whole run
    inside: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)  # file of a folder -> its reader
