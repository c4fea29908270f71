"""The files given as runs and judgements, each opened once however often it is read."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.io.addresses import located_path
from irassay.io.compression import COMPRESSED_SUFFIXES
from irassay.io.file_paths import alias_and_path, file_paths
from irassay.io.records import NUMBER, numbered_fields, numbered_records
from irassay.io.sources import Source
from irassay.prose import first_few

# Names of files that often lie beside runs; their content decides whether they are runs after all.
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
        """The file, opened at the first call."""
        if str(path) not in self._sources:
            self._sources[str(path)] = Source(path)
        return self._sources[str(path)]


class NamedRuns:
    """A path given for runs: a file, a folder, a glob, or standard input; or NAME=FILE."""

    def __init__(self, path: str | Path, opened: OpenFiles) -> None:
        self.alias, self.name = alias_and_path(path)
        self.path, self.opened = located_path(self.name), opened

    def __str__(self) -> str:
        return self.name

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.name != "-" and self.path.is_dir()

    @cached_property
    def is_session_folder(self) -> bool:
        """Whether it is a folder of sessions, whose files belong together."""
        return (self.path / "session").is_file()

    def file_or_folder(self) -> Source | Path:
        """The opened file, or the path of the folder."""
        return self.path if self.is_folder else self.opened.source(self.name)

    @property
    def sources(self) -> list[Source]:
        """The files that may be runs, at least one."""
        sources, others = self._files
        if not sources:
            found = first_few([source.path.name for source in others])
            raise InputError(f"{self} has no run in it, only {found}; give a folder with runs, a glob, or files.")
        return sources

    @property
    def skipped_sources(self) -> list[Source]:
        """The files of a folder or glob that are clearly not runs."""
        return self._files[1] if self._may_have_others else []

    @property
    def _may_have_others(self) -> bool:
        return (self.is_folder or (self.name != "-" and has_magic(self.name))) and not self.is_session_folder

    @cached_property
    def _files(self) -> tuple[list[Source], list[Source]]:
        sources = [self.opened.source(path) for path in file_paths(self.name)]
        others = [source for source in sources if is_not_run(source)] if self._may_have_others else []
        runs = [source for source in sources if source not in others]
        if self.alias:
            self._name_run(runs)
        return runs, others

    def _name_run(self, runs: list[Source]) -> None:
        """Gives the run the name that was typed before its path."""
        if len(runs) != 1:
            raise InputError(
                f"{self} holds {len(runs)} runs, but only one name was given, {self.alias}; name one file."
            )
        if runs[0].alias not in ("", self.alias):
            raise InputError(f"{self} is given as {runs[0].alias} and as {self.alias}; give it once.")
        runs[0].alias = self.alias


def open_inputs(runs: Any, qrels: Any = None) -> tuple[Any, Any]:
    """Runs and judgements with every path opened; anything else stays as it is."""
    files = OpenFiles()

    def opened(run: Any) -> Any:
        return NamedRuns(run, files) if isinstance(run, str | Path) else run

    if isinstance(runs, list | tuple):
        runs = [opened(run) for run in runs]
    elif isinstance(runs, str | Path):
        runs = [opened(runs)]
    elif isinstance(runs, Mapping) and any(isinstance(run, str | Path) for run in runs.values()):
        runs = {name: opened(run) for name, run in runs.items()}
    are_paths = isinstance(qrels, list | tuple) and bool(qrels) and all(isinstance(each, str | Path) for each in qrels)
    first, *others = qrels if are_paths else (qrels,)
    judgements = opened_judgements(first, files)
    if _are_swapped(runs, judgements):
        last = runs[-1].file_or_folder()
        last.is_swapped = True
        return [*(NamedRuns(path, files) for path in (first, *others)), *runs[:-1]], last
    return runs, qrels if are_paths else judgements


def _are_swapped(runs: Any, qrels: Any) -> bool:
    """Whether only the last run is unmistakably a qrels file, and the judgements a TREC run or a folder of runs."""
    if not (are_files(runs) and runs and isinstance(qrels, Source | Path)):
        return False
    if isinstance(qrels, Source) and (qrels.is_pipe or not _has_trec_fields(qrels, 6, 4)):
        return False
    if isinstance(qrels, Path) and ((qrels / "session").is_file() or (qrels / "results").is_file()):
        return False
    return _is_qrels_file(runs[-1]) and not any(map(_is_qrels_file, runs[:-1]))


def _is_qrels_file(runs: NamedRuns) -> bool:
    source = runs.file_or_folder() if not has_magic(runs.name) and runs.path.is_file() else None
    return isinstance(source, Source) and _has_trec_fields(source, 4, 3)


def _has_trec_fields(source: Source, width: int, number: int) -> bool:
    """Whether the first row has this many fields, and a number at this place, as in a run or qrels of TREC."""
    _, fields = next(numbered_fields(source.head() + b"\n", 0), (0, []))
    return len(fields) == width and NUMBER.fullmatch(fields[number]) is not None


def opened_judgements(qrels: Any, files: OpenFiles | None = None) -> Any:
    """An opened file of judgements; a folder, or anything that is not a path, as it is."""
    if not isinstance(qrels, str | Path) or (str(qrels) != "-" and located_path(qrels).is_dir()):
        return located_path(qrels) if isinstance(qrels, str) else qrels
    return (files or OpenFiles()).source(qrels)


def run_files(runs: Any) -> list[Source]:
    """The files among opened runs, each once."""
    run_list = [*runs.values()] if isinstance(runs, Mapping) else runs if isinstance(runs, list | tuple) else [runs]
    sources = [source for run in run_list if isinstance(run, NamedRuns) for source in run.sources]
    return list({source.path_text: source for source in sources}.values())


def chosen_runs(runs: Any, names: Sequence[str], chosen: Sequence[str]) -> Any:
    """Some of opened runs, given the names of all; None if they cannot be distinguished or read again."""
    if are_files(runs):
        sources, opened = run_files(runs), runs[0].opened
        if len(sources) != len(names) or any(source.is_pipe for source in sources):
            return None
        by_name = dict(zip(names, sources, strict=True))
        return [NamedRuns(by_name[name].path, opened) for name in chosen]
    if isinstance(runs, Mapping) and runs.keys() == set(names):
        return {name: runs[name] for name in chosen}
    if isinstance(runs, list | tuple) and [getattr(run, "name", None) for run in runs] == list(names):
        return [run for run in runs if run.name in chosen]
    return None


def are_files(runs: Any) -> bool:
    """Whether opened runs are files and nothing else."""
    return isinstance(runs, list) and all(isinstance(run, NamedRuns) for run in runs)


def is_not_run(source: Source) -> bool:
    """Whether a file has the name of another kind of file, and does not begin with a line of a run."""
    name = source.path.name
    suffix = next((end for end in COMPRESSED_SUFFIXES if name.lower().endswith(end)), "")
    if not NON_RUN_NAMES.fullmatch(name.removesuffix(suffix)):
        return False
    try:
        _, first = next(numbered_records(source), (0, ()))
        float(first[4])
    except (InputError, ValueError, IndexError):
        return True
    return len(first) < 6
