"""Notes on what the first lines of runs show: ranks that contradict scores, and document ids of another kind.

Whole files are looked through by `irassay validate`; scoring does not pay for that.
"""

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from irassay.errors import argument
from irassay.io.folders import run_files
from irassay.io.records import texts
from irassay.io.sources import stream_of, unreadable
from irassay.notes import Note
from irassay.prose import some

BYTES = 1 << 12  # of a file that are looked at
KINDS = 5  # shapes of ids beyond which judgements have no kind of their own
ALIKE = bytes(48 if chr(b).isdigit() and b < 128 else 97 if b > 127 or chr(b).isalpha() else b for b in range(256))
ENOUGH = 40  # lines from which on something is said
ANOTHER = 0.25  # share of ids of another kind that is worth a note


def on_first_lines(runs: Sequence[str | Path], names: Sequence[str], qrels: Any, by_score: bool) -> list[Note]:
    """The notes on runs in files; ranks are looked at where scores decide."""
    paths = run_files(runs)
    if len(paths) != len(names):
        return []
    docs = [fields[2] for fields in _lines(qrels, 4)] if isinstance(qrels, str | Path) else []
    kinds = set(kinds_of(docs))
    found: list[Note] = []
    for path, name in zip(paths, names, strict=True):
        lines = _lines(path, 6)
        found += on_ranks(lines, name) if by_score else ()
        if len(docs) >= ENOUGH and len(kinds) <= KINDS:
            found += on_kinds([fields[2] for fields in lines], docs, kinds, name)
    return found


def _lines(path: str | Path, least: int) -> list[list[bytes]]:
    """The fields of the first lines of a file that can be read more than once."""
    if not Path(path).is_file():
        return []
    try:
        with Path(path).open("rb") as file:
            begins = file.read(10)
        with stream_of(Path(path), begins) as file:
            head = file.read(BYTES)
    except unreadable():
        return []
    lines = map(bytes.split, head[: head.rfind(b"\n") + 1].split(b"\n"))
    return [fields for fields in lines if len(fields) >= least and not fields[0].startswith(b"#")]


def on_ranks(lines: Sequence[Sequence[bytes]], name: str) -> Iterator[Note]:
    """A note where the ranks of the first topics say another order than the scores.

    >>> lines = [b"1 Q0 a 1 0.5 t".split(), b"1 Q0 b 2 0.9 t".split()]
    >>> print(*on_ranks(lines, "bm25"))
    bm25: 1 topic with ranks that contradict its scores, in the first lines; scores decide, unless you say order='rank'
    """
    by_topic: dict[bytes, list[tuple[float, float]]] = {}
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


def kinds_of(docs: Sequence[bytes]) -> list[bytes]:
    """Ids with their digits and letters made alike, and what is repeated written once.

    >>> kinds_of([b"WSJ870324-0001", b"clueweb09-en0000-00-00000"])
    [b'a0-0', b'a0-a0-0-0']
    """
    text = np.frombuffer(b" ".join(docs).translate(ALIKE), dtype=np.uint8)
    return text[np.diff(text, prepend=ord(" ")) != 0].tobytes().split()


def on_kinds(mine: Sequence[bytes], judged: Sequence[bytes], kinds: Set[bytes], name: str) -> Iterator[Note]:
    """A note where many of the first results have ids of a kind that no judgement has."""
    if len(mine) < ENOUGH:
        return
    others = [doc for doc, kind in zip(mine, kinds_of(mine), strict=True) if kind not in kinds]
    if len(others) >= ANOTHER * len(mine):
        share = f"{100 * len(others) / len(mine):.0f} % of its first {len(mine)} results"
        seen = f"{some(texts(others[:3]), 3)}, the judgements have {some(texts(judged[:3]), 3)}"
        yield Note(f"{share} have document ids of a kind that the judgements lack: {seen}; check that ids agree", name)
