"""The files that runs and judgements were named by: each is opened once, whoever reads it, and however often."""

import re
from collections.abc import Mapping
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.io.records import numbered_records
from irassay.io.sources import COMPRESSED_SUFFIXES, Source, file_paths
from irassay.prose import first_few

# Names that files beside runs have; which of them are runs after all is told by what is in them.
NON_RUN_NAMES = re.compile(
    r"(readme|licen[cs]e|copying|changelog|notes|makefile|md5sum|sha\d+sum|checksum).*|.*qrels?.*"
    r"|.*\.(md|rst|pdf|html?|png|jpe?g|svg|py|sh|ipynb|ya?ml|toml|ini|cfg|bib|tex|log|xml|md5|sha256|zip|tar)",
    re.IGNORECASE,
)


class OpenFiles:
    """Files by path, each opened once."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}

    def source(self, path: str | Path) -> Source:
        """The file, opened by the first who asks for it."""
        if str(path) not in self._sources:
            self._sources[str(path)] = Source(path)
        return self._sources[str(path)]


class NamedRuns:
    """A path under which runs were given: a file, a folder, a glob, or the standard input."""

    def __init__(self, path: str | Path, opened: OpenFiles) -> None:
        self.name, self.path, self._opened = str(path), Path(path), opened

    def __str__(self) -> str:
        return self.name

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.name != "-" and self.path.is_dir()

    @cached_property
    def is_session_folder(self) -> bool:
        """Whether it is a folder whose files belong together, as those of sessions do."""
        return (self.path / "session").is_file()

    def file_or_folder(self) -> Source | Path:
        """The file, or the folder as it is."""
        return self.path if self.is_folder else self._opened.source(self.name)

    @property
    def sources(self) -> list[Source]:
        """The files that may be runs; there is one at least."""
        found, others = self._files
        if not found:
            raise InputError(
                f"{self} has no run in it; it has {first_few(tuple(source.path.name for source in others))}"
            )
        return found

    @property
    def skipped_sources(self) -> list[Source]:
        """The files of a folder or glob that are plainly no runs."""
        return self._files[1] if self._may_have_others else []

    @property
    def _may_have_others(self) -> bool:
        return (self.is_folder or (self.name != "-" and has_magic(self.name))) and not self.is_session_folder

    @cached_property
    def _files(self) -> tuple[list[Source], list[Source]]:
        found = [self._opened.source(path) for path in file_paths(self.name)]
        if not self._may_have_others:
            return found, []
        others = [source for source in found if is_not_run(source)]
        return [source for source in found if source not in others], others


def open_inputs(runs: Any, qrels: Any = None, files: OpenFiles | None = None) -> tuple[Any, Any]:
    """Runs and judgements with every path among them opened; what is opened, or no path, stays as it is."""
    files = files or OpenFiles()
    return _opened_runs(runs, files), opened_judgements(qrels, files)


def opened_judgements(qrels: Any, files: OpenFiles | None = None) -> Any:
    """A file of judgements, opened; a folder, or what is no path, as it is."""
    if not isinstance(qrels, str | Path) or (str(qrels) != "-" and Path(qrels).is_dir()):
        return Path(qrels) if isinstance(qrels, str) else qrels
    return (files or OpenFiles()).source(qrels)


def _opened_runs(runs: Any, files: OpenFiles) -> Any:
    if isinstance(runs, str | Path):
        return [NamedRuns(runs, files)]
    if isinstance(runs, list | tuple):
        return [NamedRuns(run, files) if isinstance(run, str | Path) else run for run in runs]
    if isinstance(runs, Mapping) and any(isinstance(run, str | Path) for run in runs.values()):
        return {name: NamedRuns(run, files) if isinstance(run, str | Path) else run for name, run in runs.items()}
    return runs


def run_files(runs: Any) -> list[Source]:
    """The files among opened runs, each once."""
    named = runs if isinstance(runs, list | tuple) else [runs]
    found = [source for run in named if isinstance(run, NamedRuns) for source in run.sources]
    return list({source.name: source for source in found}.values())


def are_files(runs: Any) -> bool:
    """Whether opened runs are files and nothing else."""
    return isinstance(runs, list) and all(isinstance(run, NamedRuns) for run in runs)


def is_not_run(source: Source) -> bool:
    """Whether a file has a name that files beside runs have, and does not begin with a line of a run."""
    name = source.path.name
    packed = next((end for end in COMPRESSED_SUFFIXES if name.lower().endswith(end)), "")
    if not NON_RUN_NAMES.fullmatch(name.removesuffix(packed) if packed else name):
        return False
    try:
        _, first = next(numbered_records(source), (0, ()))
    except InputError:
        return True
    if len(first) >= 6:
        try:
            float(first[4])
        except ValueError:
            return True
    return len(first) < 6
