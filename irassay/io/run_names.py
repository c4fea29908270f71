"""Names of runs: by file, without the usual extensions, or by tag."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from irassay.errors import InputError
from irassay.io.compression import COMPRESSED_SUFFIXES
from irassay.prose import first_few
from irassay.provenance import is_address

Names = Literal["file", "tag"]

QRELS_ENDINGS = (".qrels", ".qrel")
ENDINGS = (
    *(".run", ".trec", ".res", ".out"),  # runs
    *(".treceval", ".trec_eval", ".eval", ".tot", ".scores"),  # score tables
    *(".txt", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".parq"),  # any of them
    *QRELS_ENDINGS,
)


def run_name(path: str | Path) -> str:
    """A file's name without the extensions of compressed files, runs, qrels and score tables.

    >>> run_name("runs/bm25.run.gz"), run_name("bm25_k1=0.9.txt"), run_name("input.bm25"), run_name(".txt")
    ('bm25', 'bm25_k1=0.9', 'input.bm25', '.txt')
    >>> run_name("dense.ndjson"), run_name("gpt.qrels.xz"), run_name("gpt.qrels.txt")
    ('dense', 'gpt', 'gpt')
    """
    name = Path(path).name
    for endings in (COMPRESSED_SUFFIXES, ENDINGS, QRELS_ENDINGS):
        end = next((end for end in endings if name.lower().endswith(end)), "")
        name = name[: -len(end)] if end and len(name) > len(end) else name
    return name


def repeated_name_error(name: str) -> InputError:
    """The error for two runs with the same name."""
    return InputError(f"Two runs are called {name}. Give them different tags or file names.")


def own_names(paths: Sequence[str], naming: Names, tag: Callable[[str], str]) -> list[str]:
    """The name of each run, whatever the others are called; a pipe, such as standard input, is named by its tag."""
    names = {"-": "standard input"}
    return [
        ((naming == "tag" or is_pipe_path(path)) and tag(path)) or names.get(path) or run_name(path) for path in paths
    ]


def names_of_runs(
    paths: Sequence[str], naming: Names, tag: Callable[[str], str], aliases: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Distinct names of the runs at these paths; `aliases` are the names that a user gave, by path.

    >>> names_of_runs(["a/x.run", "b/x.run", "c/x.run"], "file", lambda path: "", {"c/x.run": "mine"})
    ['a/x', 'b/x', 'mine']
    """
    others = [path for path in paths if not aliases.get(path)]
    names = dict(zip(others, distinct_names(own_names(others, naming, tag), others), strict=True))
    return [names.get(path) or aliases[path] for path in paths]


def distinct_names(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The names of runs; a name shared by several is replaced by the shortest distinct ends of their paths.

    All runs that shared it show equally many folders, and either all or none show their extensions.

    >>> distinct_names(["bm25", "bm25", "dpr"], ["a/bm25.run", "b/bm25.run", "b/dpr.run"])
    ['a/bm25', 'b/bm25', 'dpr']
    >>> distinct_names(["a", "a"], ["../x/a.txt", "x/a.txt"]), distinct_names(["a", "a"], ["a.run", "other/a"])
    (['../x/a', 'x/a'], ['./a', 'other/a'])
    """
    counts = Counter(names)
    by_file = [name if path in ("", "-") else run_name(path) for name, path in zip(names, paths, strict=True)]
    found = [name if counts[name] == 1 else file for name, file in zip(names, by_file, strict=True)]
    for shared_name in [name for name, count in Counter(found).items() if count > 1]:
        same = [i for i, name in enumerate(found) if name == shared_name]
        taken = {shared_name, *(name for i, name in enumerate(found) if i not in same)}
        for i, name in zip(same, _distinct_ends([paths[i] for i in same], taken), strict=True):
            found[i] = name
    return found


def _distinct_ends(paths: Sequence[str], taken: Set[str]) -> Sequence[str]:
    """The shortest ends of paths that are distinct and not taken: without extensions if possible; else the paths."""
    for folders in range(max(len(Path(path).parts) for path in paths)):
        for file in (run_name, lambda path: Path(path).name):
            ends = [_path_end(path, folders, file(path)) for path in paths]
            if len({*ends}) == len(ends) and not {*ends} & taken:
                return ends
    return paths


def renamed_notes(expected: Sequence[str], names: Sequence[str], noun: str = "runs") -> list[str]:
    """A note on runs (or others) that were renamed because several had the same name."""
    renamed = {name: plain for plain, name in zip(expected, names, strict=True) if name != plain}
    same = first_few(list(dict.fromkeys(renamed.values())), 3)
    text = f"several {noun} are called {same}; by their files, they are named {first_few(list(renamed), 6)}"
    return [text] if renamed else []


def _path_end(path: str, folders: int, file: str) -> str:
    """The end of a path with at most this many folders (none: ./), and the name of the file or what stands for it."""
    parents = Path(path).parts[:-1]
    end = str(Path(*parents[max(0, len(parents) - folders) :], file))
    return "standard input" if path == "-" else end if parents or not folders else f"./{end}"


def is_pipe_path(path: str) -> bool:
    """Whether a path is standard input or another pipe, rather than a file or folder."""
    return path == "-" or not (is_address(path) or Path(path).is_file() or Path(path).is_dir())


def is_same_file(path: Path, other: Path) -> bool:
    """Whether both are the same existing file or folder, or standard input."""
    try:
        return str(path) == str(other) == "-" or path.samefile(other)
    except (OSError, ValueError):
        return False
