"""scan.c from Python: clean judgements and runs to arrays, without the GIL; None where a closer look is needed."""

import ctypes as c
import io
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np

from irassay.arrays import Bools, Floats, Ints, NDArray
from irassay.compiled import load_library
from irassay.io.foreign import binary_kind
from irassay.io.sources import BOM, LONGEST_LINE, Source
from irassay.io.streams import FileReader
from irassay.parallel import Progress

Bytes = NDArray[np.uint8]
DocumentKeys = NDArray[np.uint64]
PaddedText = tuple[Bytes, int]  # bytes that end in a newline, and how many; PAD more can be read

API_VERSION = 7  # as in scan.c
PAD = 64  # bytes past the text that scan.c may read
CHUNK = 8 << 20  # bytes of a run that are read at once
SHORTEST_LINE = 12  # bytes of a line of a run: six fields of one byte
TIED, PRECISION_SENSITIVE, ALL_TIED = 1, 2, 8
LIBRARY = Path(__file__).parent / "scan.shared"  # not .so, which Python would take for a module of its own
SIGNATURES = {  # as irassay.compiled has them
    "pool_read": "p pnjp",
    "pool_made": "p pnipipppp",
    "pool_free": ". p",
    "pool_counts": ". pp",
    "pool_names": ". pp",
    "pool_copy": ". ppp",
    "pool_rows": ". ppppp",
    "worker_new": "p ",
    "worker_free": ". p",
    "run_read": "i pppnjippippppp",
    "layout": ". pipppppipppp",
    "keys_of": ". ppip",
    "last_list": "i pn",
    "number_at": "j pnp",
    "seed": ". nn",
    "seeded_key": "n pn",
}


@cache
def library() -> Any:
    """The compiled scanner; None where there is none, or IRASSAY_NATIVE=0 turns it off."""
    loaded = load_library(LIBRARY, API_VERSION, SIGNATURES)
    if loaded is not None:
        first, second = np.frombuffer(os.urandom(16), np.uint64).tolist()
        loaded.seed(first, second)
    return loaded


class ScannedPool:
    """Judged documents, topic by topic, ids falling: as the general reader's pool has them."""

    def __init__(self, pointer: int) -> None:
        self.pointer, self.free = pointer, library().pool_free
        counts = np.zeros(6, np.int64)
        library().pool_counts(pointer, counts.ctypes.data)
        topics, judged, self.varied_topics, self.not_ascii, letters, self.rows = counts.tolist()
        names = np.empty(letters, np.uint8)
        library().pool_names(pointer, names.ctypes.data)
        self.topics = tuple(names.tobytes().decode(errors="replace").split("\n")[:-1])
        self.size: Ints = np.empty(topics, np.int64)
        self.flat: Floats = np.empty(judged)
        library().pool_copy(pointer, self.size.ctypes.data, self.flat.ctypes.data)
        self.first: Ints = np.cumsum(self.size) - self.size

    def grade(self, topics: Ints) -> Floats:
        """[topic, p] the grades of some topics' documents, short rows padded with 0."""
        size = self.size[topics]
        found = np.zeros((len(topics), int(size.max(initial=0))))
        column = np.arange(found.shape[1])
        listed = column < size[:, None]
        found[listed] = self.flat[(self.first[topics][:, None] + column)[listed]]
        return found

    def by_subtopic(self) -> tuple[Ints, NDArray[np.int32], NDArray[np.uint32], Floats]:
        """[row] topic, place of the document among its topic's, subtopic and grade of each judgement."""
        size, grade = np.empty(len(self.size), np.int64), np.empty(self.rows)
        place, subtopic = np.empty(self.rows, np.int32), np.empty(self.rows, np.uint32)
        library().pool_rows(self.pointer, *(a.ctypes.data for a in (size, place, subtopic, grade)))
        return np.repeat(np.arange(len(size)), size), place, subtopic, grade

    def __del__(self) -> None:
        self.free(self.pointer)


@dataclass(frozen=True, eq=False)
class ScannedLists:
    """Some lists of a run."""

    topic: NDArray[np.int32]  # [k], -1 where not judged
    size: NDArray[np.int32]
    flags: Bytes
    entry: NDArray[np.int32]  # of the results of judged topics, best first: the place in the pool, or -1
    unknown: tuple[str, ...]  # topics that are not judged
    tag: str  # on every line
    key: DocumentKeys | None = None  # of the same results: keys by which documents are recognised


class _Worker:
    """What one thread needs: buffers that are used again and again."""

    def __init__(self) -> None:
        self.pointer, self.free = library().worker_new(), library().worker_free
        self.grow(0)

    def grow(self, lines: int) -> None:
        self.room = lines
        self.entry, self.topic, self.size = (np.empty(lines, np.int32) for _ in range(3))
        self.flags, self.where = np.empty(lines, np.uint8), np.empty(lines, np.int64)
        self.key: DocumentKeys = np.empty(0, np.uint64)

    def __del__(self) -> None:
        self.free(self.pointer)


_local = threading.local()


def padded_bytes(*blocks: bytes) -> PaddedText:
    """Bytes as a text, with a newline at the end and padding after it."""
    data = b"".join((*blocks, b"\n", bytes(PAD)))  # an empty line more is no line
    return np.frombuffer(data, np.uint8), len(data) - PAD


def read_pool(text: PaddedText, by_subtopic: bool = False) -> ScannedPool | None:
    """Judgements of a text, in which no document comes twice for a topic, unless it is by subtopic; None: not clean."""
    code = c.c_int()
    pointer = library().pool_read(text[0].ctypes.data, text[1], by_subtopic, c.addressof(code))
    return ScannedPool(pointer) if pointer else None


def pool_from_arrays(
    topics: Sequence[str], documents: bytes, end: Ints, topic: Ints, grade: Floats
) -> ScannedPool | None:
    """Judgements from arrays: documents one after another in some bytes, where each ends, its topic and grade."""
    names = [name.encode() for name in topics]
    ends = np.cumsum([len(name) for name in names], dtype=np.int64)
    data, size = padded_bytes(*names, documents)
    end = end + int(ends[-1]) if len(ends) else end
    code, arrays = c.c_int(), (ends, end.astype(np.int64), topic.astype(np.int64), grade.astype(np.float64))
    name_end, doc_end, of_topic, of_grade = (array.ctypes.data for array in arrays)
    given = len(names), name_end, len(end), doc_end, of_topic, of_grade
    pointer = library().pool_made(data.ctypes.data, size, *given, c.addressof(code))
    return ScannedPool(pointer) if pointer else None


def read_lists(pool: ScannedPool, text: PaddedText, rising: bool = False, keyed: bool = False) -> ScannedLists | None:
    """The lists of a text of whole lists, equal scores by falling or rising document id; None: not clean."""
    data, size = text
    if not hasattr(_local, "worker"):
        _local.worker = _Worker()
    w: _Worker = _local.worker
    if not w.pointer:
        return None
    if w.room <= size // SHORTEST_LINE:
        w.grow(size // SHORTEST_LINE + 1)
    if keyed and len(w.key) < w.room:
        w.key = np.empty(w.room, np.uint64)
    more = np.zeros(3, np.int64)
    results_to = w.entry.ctypes.data, w.key.ctypes.data if keyed else None
    lists_to = (a.ctypes.data for a in (w.topic, w.size, w.flags, w.where, more))
    k = library().run_read(
        w.pointer, pool.pointer, data.ctypes.data, size, rising, w.room, *results_to, w.room, *lists_to
    )
    if k < 0 or (more[0] and not _is_clean(text)):
        return None
    topic, sizes = w.topic[:k].copy(), w.size[:k].copy()
    results = int(sizes[topic >= 0].sum())
    names = [_field_at(data, int(start), size) for start in w.where[:k][topic < 0]]
    tag = data[more[1] : more[1] + more[2]].tobytes().decode()
    key = w.key[:results].copy() if keyed else None
    return ScannedLists(topic, sizes, w.flags[:k].copy(), w.entry[:results].copy(), tuple(names), tag, key)


def joined_bytes(documents: Any) -> tuple[bytes, Ints]:
    """Ids one after another as bytes, and where each ends."""
    return "".join(documents).encode(), documents.str.len_bytes().to_numpy().astype(np.int64).cumsum()


def keys_of(documents: bytes, end: Ints) -> DocumentKeys:
    """[document] the keys of documents, one after another in some bytes, given where each ends."""
    data, _ = padded_bytes(documents)
    found = np.empty(len(end), np.uint64)
    library().keys_of(data.ctypes.data, end.ctypes.data, len(end), found.ctypes.data)
    return found


def _is_clean(text: PaddedText) -> bool:
    """Whether bytes are UTF-8 and no line begins with a byte order mark."""
    try:
        return "\n\ufeff" not in str(text[0][: text[1]].data, "utf-8")
    except UnicodeDecodeError:
        return False


def _field_at(data: Bytes, start: int, size: int) -> str:
    """The field that begins at a place."""
    step = 256
    while len(words := data[start : min(start + step, size)].tobytes().split(None, 1)) < 2:
        step *= 4
    return words[0].decode()


def _buffer(spare: list[Bytes], size: int) -> Bytes:
    """A buffer of at least this size, a spare one if it is large enough."""
    try:
        data = spare.pop()  # which another thread may have emptied
    except IndexError:
        return np.empty(size, np.uint8)
    return data if len(data) >= size else np.empty(size, np.uint8)


def list_chunks(
    source: Source, spare: list[Bytes], report: Progress = lambda done, total: None
) -> Iterator[PaddedText]:
    """Pieces of whole lists of a file or pipe, compressed or not; spare buffers are used again.

    `report` gets the bytes of a file that were read so far, counted as on disk, and all of them. Raises one of
    `read_errors()` if the text cannot be read, or not by the scanner.
    """
    if binary_kind(source.head()):
        raise OSError("not text")
    rest, total = np.empty(0, np.uint8), 0 if source.is_pipe else source.size
    with source.stream(once=True) as file:
        on_disk: Any = getattr(file, "fileobj", None) or getattr(file, "_fp", file)  # of a compressed file
        step = min(CHUNK, total + 1) if isinstance(file, io.FileIO | FileReader) else CHUNK
        if isinstance(file, io.BytesIO):
            step = min(CHUNK, len(file.getbuffer()) + 1)
        while True:
            want = step + len(rest)
            data = _buffer(spare, want + 1 + PAD)
            data[: len(rest)] = rest
            size = len(rest)
            while size < want and (got := cast(Any, file).readinto(data[size:want].data)):
                size += got
            if total:
                report(min(on_disk.tell(), total), total)
            if data[: min(size, len(BOM))].tobytes() == BOM:
                raise OSError("a byte order mark")
            if size == want:  # there may be more
                end = library().last_list(data.ctypes.data, size)
                rest = data[end:size].copy()
                if len(rest) > LONGEST_LINE and not (rest[-LONGEST_LINE:] == ord("\n")).any():
                    raise OSError("a line without an end")
                step *= 1 if end else 2
                if end:
                    yield data, end
                continue
            if size and data[size - 1] != ord("\n"):
                data[size] = ord("\n")
                size += 1
            if size:
                yield data, size
            return


def layout(
    pool: ScannedPool, parts: list[tuple[ScannedLists, Ints]], shape: tuple[int, int], places: bool
) -> tuple[Floats, Bools, NDArray[np.int32] | None, DocumentKeys | None]:
    """[n, depth] grades, what is judged, where (if asked for) in the pool, and keys (if they were read).

    Each part comes with the rows of its lists, -1 for a list that is left out.
    """
    grade, judged = np.zeros(shape), np.zeros(shape, bool)
    place = np.full(shape, -1, np.int32) if places else None
    keys = np.zeros(shape, np.uint64) if any(part.key is not None for part, _ in parts) else None
    for part, rows in parts:
        given = (None if a is None else a.ctypes.data for a in (part.topic, part.size, part.entry, part.key, rows))
        made = (None if a is None else a.ctypes.data for a in (grade, judged, place, keys))
        library().layout(pool.pointer, len(part.topic), *given, shape[1], *made)
    return grade, judged, place, keys
