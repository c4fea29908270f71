"""What runs are called: by their files, without the usual endings, or by their tags."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from irassay.io.sources import COMPRESSED_SUFFIXES
from irassay.prose import first_few

Names = Literal["file", "tag"]

QRELS_ENDINGS = (".qrels", ".qrel")
ENDINGS = (
    *(".run", ".trec", ".res", ".out"),  # runs
    *(".treceval", ".trec_eval", ".eval", ".tot", ".scores"),  # score tables
    *(".txt", ".tsv", ".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".parq"),  # any of them
    *QRELS_ENDINGS,
)


def run_name(path: str | Path) -> str:
    """A file's name without what says how it is packed and without the usual ending of a run, qrels or score table.

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


def own_names(paths: Sequence[str], by: Names, tag: Callable[[str], str]) -> list[str]:
    """What each run is called without regard to others; what is no file, such as the standard input, by its tag."""
    alone = {"-": "standard input"}
    return [((by == "tag" or is_pipe_path(path)) and tag(path)) or alone.get(path) or run_name(path) for path in paths]


def distinct_names(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The names of runs; those that several would have are the shortest ends of their paths that tell them apart.

    >>> distinct_names(["bm25", "bm25", "dpr"], ["a/bm25.run", "b/bm25.run", "b/dpr.run"])
    ['a/bm25', 'b/bm25', 'dpr']
    """
    ends = [_path_ends(path) for path in paths] if len(set(names)) < len(names) else []
    for step in range(max(map(len, ends), default=0)):
        seen = Counter(names)
        tried = [end[min(step, len(end) - 1)] for end in ends]
        names = [name if seen[name] == 1 else end for name, end in zip(names, tried, strict=True)]
    return list(names)


def renamed_notes(expected: Sequence[str], names: Sequence[str], what: str = "runs") -> list[str]:
    """A note on runs, or others, that are not called as expected, because another would be called the same."""
    odd = {name: plain for plain, name in zip(expected, names, strict=True) if name != plain}
    same = first_few(list(dict.fromkeys(odd.values())), 3)
    return (
        [f"several {what} are called {same}; told apart by their files, they are {first_few(list(odd), 6)}"]
        if odd
        else []
    )


def _path_ends(path: str) -> list[str]:
    """Ends of a path, from the run's name to the whole: with fewer endings, then with more folders."""
    if path == "-":
        return ["standard input"]
    parts = Path(path).parts
    files = [run_name(path), parts[-1]]
    found = ["/".join([*parts[len(parts) - 1 - above : -1], file]) for above in range(len(parts)) for file in files]
    return [*dict.fromkeys(found), path]


def is_pipe_path(path: str) -> bool:
    """Whether a path is no file or folder, but the standard input or another pipe."""
    return path == "-" or not (Path(path).is_file() or Path(path).is_dir())


def is_same_file(path: Path, other: Path) -> bool:
    """Whether both are one file or folder that exists, or standard input."""
    try:
        return str(path) == str(other) == "-" or path.samefile(other)
    except (OSError, ValueError):
        return False
