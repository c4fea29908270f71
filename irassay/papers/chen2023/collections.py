"""The collections of Chen and Sakai (2023), found in folders of their names and scored."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from irassay.errors import InputError, as_found
from irassay.papers.chen2023 import tables as printed
from irassay.papers.published import Published, unpacked_bytes
from irassay.scores import Scores
from irassay.scoring.score import score

Judgement = tuple[str, str, int]  # topic, document, grade


@dataclass(frozen=True)
class FoundCollection:
    """The files of a collection: a folder with one file of judgements, whose name contains qrels, and a folder runs."""

    name: str  # as in Table 2
    qrels: Path
    runs: tuple[Path, ...]


@dataclass(frozen=True, eq=False)
class ScoredCollection:
    """A collection with its scores and its row of Table 2."""

    name: str  # as in Table 2; empty for a user's own
    scores: Scores
    sizes: dict[str, float]  # topics, levels, relevant and runs


def found_collections(published: Published) -> list[FoundCollection]:
    """The collections below the data folders, each in a folder of its name."""
    folders = [
        folder for data in published.checked_folders() for folder in sorted((data, *data.rglob("*"))) if folder.is_dir()
    ]
    found = []
    for name, about in printed.FOLDERS.items():
        files = [_files_in(name, folder) for folder in folders if _plain_name(folder) in about["names"]]
        found += [each for each in files if each is not None][:1]
    return found


def _plain_name(folder: Path) -> str:
    """A folder's name in lower case, without punctuation: www3 for WWW-3."""
    return re.sub(r"[\W_]", "", folder.resolve().name.lower())


def _files_in(name: str, folder: Path) -> FoundCollection | None:
    """The judgements and runs in a folder, or None if it has neither."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]
    runs = tuple(path for path in files if "runs" in map(str.lower, path.relative_to(folder).parts[:-1]))
    qrels = [path for path in files if path not in runs and "qrels" in path.name.lower()]
    if not runs and not qrels:
        return None
    if not runs or len(qrels) != 1:
        raise InputError(
            file=str(folder),
            found=f"found {len(qrels)} files with qrels in their name, and {len(runs)} files in a folder runs",
            expected=f"one file of judgements of {name}, and its run files in a folder runs",
            fix="leave one file of judgements, and put all run files into runs",
        )
    return FoundCollection(name, qrels[0], runs)


def scored_collection(files: FoundCollection, metrics: tuple[str, ...], published: Published) -> ScoredCollection:
    """The collection with its scores, on the topics of its track alone."""
    judgements = list(_judgements(files))
    with _readable_files(files, judgements) as (runs, qrels):
        scores = score(runs, qrels, metrics)
    published.used_paths.extend((files.qrels, *files.runs))
    return ScoredCollection(files.name, scores, table_2_row(scores, judgements))


def table_2_row(scores: Scores, judgements: list[Judgement]) -> dict[str, float]:
    """The columns of Table 2: topics, levels of relevance, relevant documents per topic, and runs."""
    topics = {topic for topic, _, _ in judgements}
    grades = {max(grade, 0) for _, _, grade in judgements}
    relevant = sum(grade > 0 for _, _, grade in judgements)
    return {
        "topics": len(topics),
        "levels": len(grades),
        "relevant": relevant / len(topics) if topics else 0.0,
        "runs": len(scores.systems),
    }


def _judgements(files: FoundCollection) -> Iterator[Judgement]:
    """The judgements of the collection's topics, from TREC's format or NTCIR's (topic, document, L and a grade)."""
    first, last = printed.FOLDERS[files.name].get("topics", (None, None))
    text = unpacked_bytes(files.qrels.read_bytes()).decode(errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        grade = fields[-1].removeprefix("L")
        if len(fields) not in (3, 4) or not re.fullmatch(r"-?\d+", grade):
            raise InputError(
                file=str(files.qrels),
                line=number,
                found=f"found {as_found(line.strip())}",
                expected="topic, iteration, document and grade, or topic, document and L with a grade",
                fix="correct the line",
            )
        topic = fields[0]
        if first is None or (topic.isdigit() and first <= int(topic) <= last):
            yield topic, fields[-2], int(grade)


@contextmanager
def _readable_files(files: FoundCollection, judgements: list[Judgement]) -> Iterator[tuple[list[str], str]]:
    """Runs and judgements as paths that `score` reads: NTCIR's runs begin with a description, which is left out."""
    with TemporaryDirectory(prefix="irassay-") as folder:
        qrels = Path(folder) / "qrels.txt"
        qrels.write_text("".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in judgements))
        runs = []
        for path in files.runs:
            content = unpacked_bytes(path.read_bytes())
            if content.lstrip().startswith(b"<"):
                lines = [line for line in content.splitlines() if not line.lstrip().startswith(b"<")]
                copy = Path(folder) / "runs" / path.name.removesuffix(".gz")
                copy.parent.mkdir(exist_ok=True)
                copy.write_bytes(b"\n".join(lines) + b"\n")
                runs.append(str(copy))
            else:
                runs.append(str(path))
        yield runs, str(qrels)
