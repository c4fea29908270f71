"""The runs of a folder or glob: its files, but for those that are plainly something else."""

import re
from collections.abc import Iterable
from glob import has_magic
from pathlib import Path

from irassay.errors import InputError
from irassay.io.records import records
from irassay.io.sources import SUFFIXES, Source, files
from irassay.prose import some

# Names that files beside runs have; which of them are runs after all is told by what is in them.
BESIDE = re.compile(
    r"(readme|licen[cs]e|copying|changelog|notes|makefile|md5sum|sha\d+sum|checksum).*|.*qrels?.*"
    r"|.*\.(md|rst|pdf|html?|png|jpe?g|svg|py|sh|ipynb|ya?ml|toml|ini|cfg|bib|tex|log|xml|md5|sha256|zip|tar)",
    re.IGNORECASE,
)


def run_files(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """The files that runs are in: those named, and those of folders and globs without what is plainly no run."""
    return list(dict.fromkeys(file for path in _each(paths) for file in _of(path, alone=True)[0]))


def passed_over(paths: str | Path | Iterable[str | Path]) -> list[str]:
    """The files of folders and globs that are plainly no runs."""
    return list(dict.fromkeys(file for path in _each(paths) for file in _of(path)[1]))


def _each(paths: str | Path | Iterable[str | Path]) -> list[str]:
    return list(dict.fromkeys(map(str, [paths] if isinstance(paths, str | Path) else paths)))


def _of(path: str, alone: bool = False) -> tuple[list[str], list[str]]:
    """The files that a path names: those that may be runs, and those that are none; `alone`: some must be."""
    found = files(path)
    many = path != "-" and (Path(path).is_dir() or has_magic(path))
    if not many or (Path(path) / "session").is_file():  # the files of such a folder belong together
        return found, []
    others = [file for file in found if _is_no_run(file)]
    kept = [file for file in found if file not in others]
    if alone and not kept:
        raise InputError(f"{path} has no run in it; it has {some(tuple(Path(file).name for file in others))}")
    return kept, others


def _is_no_run(path: str) -> bool:
    """Whether a file has a name that files beside runs have, and does not begin with a line of a run."""
    name = Path(path).name
    packed = next((end for end in SUFFIXES if name.lower().endswith(end)), "")
    if not BESIDE.fullmatch(name.removesuffix(packed) if packed else name):
        return False
    try:
        _, first = next(records(Source(path)), (0, ()))
    except InputError:
        return True
    if len(first) >= 6:
        try:
            float(first[4])
        except ValueError:
            return True
    return len(first) < 6
