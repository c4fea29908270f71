"""Notes from a sample of lines: ranks that contradict scores, and document ids of another kind.

`irassay validate` reads whole files; scoring does not spend the time. Both sample ids in the same way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from irassay.errors import InputError, argument
from irassay.io.records import decoded_fields
from irassay.io.sources import Source
from irassay.notes import Note
from irassay.prose import first_few

SAMPLE_BYTES = 1 << 12  # of a file, read at each place
MAX_KINDS = 5  # of ids; judgements with more kinds have no typical kind
KIND_OF_BYTE = bytes(
    48 if chr(b).isdigit() and b < 128 else 97 if b > 127 or chr(b).isalpha() else b for b in range(256)
)
ROW_NUMBERS = b"0"  # the kind of row numbers
MIN_LINES = 40  # for a note
CHECK_IDS = "check that ids match"
MIN_FOREIGN_SHARE = 0.25  # of ids of another kind, for a note


def first_line_notes(runs: Sequence[Source], names: Sequence[str], qrels: Any, by_score: bool) -> list[Note]:
    """The notes on runs in files; ranks are checked if scores decide the order."""
    if len(runs) != len(names):
        return []
    judged = SampledIds.of_judgements(qrels)
    notes: list[Note] = []
    for source, name in zip(runs, names, strict=True):
        if source.sample_notes is not None:
            notes += source.sample_notes
            continue
        parts = _sampled_fields(source, 4)
        notes += rank_notes(parts[0], name) if by_score else ()
        notes += [Note(f"{text}; {CHECK_IDS}", name, caveat=True) for text in judged.foreign_ids(_doc_ids(parts))]
    return notes


@dataclass(frozen=True, eq=False)
class SampledIds:
    """A sample of the document ids of judgements, and their kinds."""

    docs: list[bytes]
    kinds: frozenset[bytes]

    @classmethod
    def of_judgements(cls, *qrels: Any) -> Self:
        """The ids in a sample of files; none of other judgements."""
        docs = [doc for source in qrels if isinstance(source, Source) for doc in _doc_ids(_sampled_fields(source, 3))]
        return cls(docs, frozenset(id_kinds(docs)))

    def foreign_ids_of(self, run: Source) -> list[str]:
        """What `foreign_ids` says of a sample of a run's results."""
        return self.foreign_ids(_doc_ids(_sampled_fields(run, 4)))

    def foreign_ids(self, mine: Sequence[bytes]) -> list[str]:
        """A sentence if many of some results have ids of a kind that no judgement has; else none.

        If the judgements have very many kinds, only plain row numbers in the run count as another kind.
        """
        if min(len(mine), len(self.docs)) < MIN_LINES:
            return []
        by_kind = id_kinds(mine)
        foreign = set(by_kind) - self.kinds
        if len(self.kinds) > MAX_KINDS:
            foreign &= {ROW_NUMBERS}
        others = [doc for doc, kind in zip(mine, by_kind, strict=True) if kind in foreign]
        if len(others) < MIN_FOREIGN_SHARE * len(mine):
            return []
        share = f"{100 * len(others) // len(mine)}% of the {len(mine)} results sampled"
        own, other = (first_few(decoded_fields(docs[:3]), 3) for docs in (others, self.docs))
        return [f"{share} have ids of a kind that the judgements do not have: {own}, the judgements have {other}"]


def _doc_ids(parts: Sequence[Sequence[Sequence[bytes]]]) -> list[bytes]:
    """The document ids in the lines of some parts."""
    return [fields[2] for part in parts for fields in part]


def _sampled_fields(source: Source, place: int) -> list[list[list[bytes]]]:
    """The fields of TREC lines at the beginning, middle and end of a file; of a compressed file, at its beginning.

    Empty for pipes, which can be read only once, and for other formats, which have no number in that place.
    """
    try:
        first, *others = [b""] if source.is_pipe else source.samples(SAMPLE_BYTES)
    except InputError:
        return [[]]
    pieces = [_complete_lines(first), *(_complete_lines(piece).partition(b"\n")[2] for piece in others)]
    lines = (map(bytes.split, piece.split(b"\n")) for piece in pieces)
    parts = [[f for f in part if len(f) > place and not f[0].startswith(b"#")] for part in lines]
    return [part if part and _is_number(part[0][place]) else [] for part in parts]


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _complete_lines(piece: bytes) -> bytes:
    """A piece without the incomplete line at its end."""
    return piece[: piece.rfind(b"\n") + 1]


def rank_notes(lines: Sequence[Sequence[bytes]], name: str) -> Iterator[Note]:
    """A note if the ranks of the first topics contradict the scores.

    >>> lines = [b"1 Q0 a 1 0.5 t".split(), b"1 Q0 b 2 0.9 t".split()]
    >>> print(str(*rank_notes(lines, "bm25")).partition(";")[0])
    bm25: 1 topic with ranks that contradict the scores
    """
    by_topic: dict[bytes, list[tuple[float, float]]] = {}
    try:
        for topic, _, _, rank, score, *_ in lines:
            by_topic.setdefault(topic, []).append((float(rank), float(score)))
    except ValueError:
        return
    wrong = sum(
        any(rank < after and score < better for (rank, score), (after, better) in pairwise(sorted(results)))
        for results in by_topic.values()
    )
    if wrong:
        text = "with ranks that contradict the scores; scores decide, unless you use "
        part = f" (checked: the first {SAMPLE_BYTES >> 10} KB; validate reads the whole file)"
        yield Note((text, argument("order", "rank"), part), name, wrong, "topic", caveat=True)


def id_kinds(docs: Sequence[bytes]) -> list[bytes]:
    """The kinds of ids: every run of digits as one 0, every run of letters as one a.

    >>> id_kinds([b"WSJ870324-0001", b"clueweb09-en0000-00-00000"])
    [b'a0-0', b'a0-a0-0-0']
    """
    text = np.frombuffer(b" ".join(docs).translate(KIND_OF_BYTE), dtype=np.uint8)
    return text[np.diff(text, prepend=ord(" ")) != 0].tobytes().split()
