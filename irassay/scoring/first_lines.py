"""Notes on what the first lines of runs show: ranks that contradict scores, and document ids of another kind.

Whole files are looked through by `irassay validate`; scoring does not pay for that.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from irassay.errors import InputError, argument
from irassay.io.folders import run_files
from irassay.io.records import fields_of, texts
from irassay.io.sources import Source
from irassay.notes import Note
from irassay.prose import some

BYTES = 1 << 14  # of a file that are looked at
KINDS = 5  # shapes of ids beyond which judgements have no kind of their own
ENOUGH = 50  # lines from which on something is said
ANOTHER = 0.25  # share of ids of another kind that is worth a note


def on_first_lines(runs: Sequence[str | Path], names: Sequence[str], qrels: Any, by_score: bool) -> list[Note]:
    """The notes on runs in files; ranks are looked at where scores decide."""
    paths = run_files(runs)
    if len(paths) != len(names):
        return []
    judged = _lines(qrels, 4) if isinstance(qrels, str | Path) else []
    docs = [fields[2] for fields in judged]
    found: list[Note] = []
    for path, name in zip(paths, names, strict=True):
        lines = _lines(path, 6)
        found += on_ranks(lines, name) if by_score else ()
        found += on_kinds([fields[2] for fields in lines], docs, name)
    return found


def _lines(path: str | Path, least: int) -> list[tuple[str, ...]]:
    """The fields of the first lines of a file that can be read more than once."""
    if not Path(path).is_file():
        return []
    try:
        head = Source(path).head()[:BYTES]
    except InputError:
        return []
    whole = head[: head.rfind(b"\n") + 1]
    return [texts(fields) for _, fields in islice(fields_of(whole, 0), 400) if len(fields) >= least]


def on_ranks(lines: Sequence[tuple[str, ...]], name: str) -> Iterator[Note]:
    """A note where the ranks of the first topics say another order than the scores.

    >>> lines = [("1", "Q0", "a", "1", "0.5", "t"), ("1", "Q0", "b", "2", "0.9", "t")]
    >>> print(*on_ranks(lines, "bm25"))
    bm25: 1 topic with ranks that contradict its scores, in the first lines; scores decide, unless you say order='rank'
    """
    by_topic: dict[str, list[tuple[float, float]]] = {}
    try:
        for topic, _, _, rank, score, *_ in lines:
            by_topic.setdefault(topic, []).append((float(rank), float(score)))
    except ValueError:
        return
    wrong = 0
    for results in by_topic.values():
        ordered = sorted(results)
        pairs = pairwise(ordered)
        wrong += any(rank < after and score < better for (rank, score), (after, better) in pairs)
    if wrong:
        said = "with ranks that contradict its scores, in the first lines; scores decide, unless you say "
        yield Note(f"{said}{argument('order', 'rank')}", name, wrong, "topic")


def kind_of(doc: str) -> str:
    """An id with its digits and letters made alike.

    >>> kind_of("WSJ870324-0001"), kind_of("clueweb09-en0000-00-00000")
    ('a0-0', 'a0-a0-0-0')
    """
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", "a", doc))


def on_kinds(mine: Sequence[str], judged: Sequence[str], name: str) -> Iterator[Note]:
    """A note where many of the first results have ids of a kind that no judgement has."""
    kinds = set(map(kind_of, judged))
    if min(len(mine), len(judged)) < ENOUGH or len(kinds) > KINDS:
        return
    others = [doc for doc in mine if kind_of(doc) not in kinds]
    if len(others) >= ANOTHER * len(mine):
        share = f"{100 * len(others) / len(mine):.0f} % of its first {len(mine)} results"
        seen = f"{some(others, 3)}, the judgements have {some(list(judged), 3)}"
        yield Note(f"{share} have document ids of a kind that the judgements lack: {seen}; check that ids agree", name)
