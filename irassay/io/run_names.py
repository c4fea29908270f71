"""Names of runs: by file, without the usual extensions, or by tag."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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


def own_names(paths: Sequence[str], by: Names, tag: Callable[[str], str]) -> list[str]:
    """The name of each run, whatever the others are called; a pipe, such as standard input, is named by its tag."""
    names = {"-": "standard input"}
    return [((by == "tag" or is_pipe_path(path)) and tag(path)) or names.get(path) or run_name(path) for path in paths]


def names_of_runs(
    paths: Sequence[str], by: Names, tag: Callable[[str], str], aliases: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Distinct names of the runs at these paths; `aliases` are the names that a user gave, by path.

    >>> names_of_runs(["a/x.run", "b/x.run", "c/x.run"], "file", lambda path: "", {"c/x.run": "mine"})
    ['a/x', 'b/x', 'mine']
    """
    others = [path for path in paths if not aliases.get(path)]
    names = dict(zip(others, distinct_names(own_names(others, by, tag), others), strict=True))
    return [names.get(path) or aliases[path] for path in paths]


def distinct_names(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The names of runs; a name shared by several is replaced by the shortest distinct ends of their paths.

    >>> distinct_names(["bm25", "bm25", "dpr"], ["a/bm25.run", "b/bm25.run", "b/dpr.run"])
    ['a/bm25', 'b/bm25', 'dpr']
    """
    ends = [_path_ends(path) for path in paths] if len(set(names)) < len(names) else []
    for step in range(max(map(len, ends), default=0)):
        counts = Counter(names)
        candidates = [end[min(step, len(end) - 1)] for end in ends]
        names = [name if counts[name] == 1 else end for name, end in zip(names, candidates, strict=True)]
    return list(names)


def renamed_notes(expected: Sequence[str], names: Sequence[str], noun: str = "runs") -> list[str]:
    """A note on runs (or others) that were renamed because several had the same name."""
    renamed = {name: plain for plain, name in zip(expected, names, strict=True) if name != plain}
    same = first_few(list(dict.fromkeys(renamed.values())), 3)
    text = f"several {noun} are called {same}; by their files, they are named {first_few(list(renamed), 6)}"
    return [text] if renamed else []


def _path_ends(path: str) -> list[str]:
    """Ends of a path, from the run's name to the full path: first with extensions, then with more folders."""
    if path == "-":
        return ["standard input"]
    parts = Path(path).parts
    files = [run_name(path), parts[-1]]
    ends = ["/".join([*parts[len(parts) - 1 - above : -1], file]) for above in range(len(parts)) for file in files]
    return [*dict.fromkeys(ends), path]


def is_pipe_path(path: str) -> bool:
    """Whether a path is standard input or another pipe, rather than a file or folder."""
    return path == "-" or not (is_address(path) or Path(path).is_file() or Path(path).is_dir())


def is_same_file(path: Path, other: Path) -> bool:
    """Whether both are the same existing file or folder, or standard input."""
    try:
        return str(path) == str(other) == "-" or path.samefile(other)
    except (OSError, ValueError):
        return False
