"""The kind of a file that is neither a run nor judgements."""

import re

MAGIC_BYTES = (
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"PK\x03\x04", "a zip archive or an office document (unpack it)"),
    (b"7z\xbc\xaf", "a 7z archive (unpack it)"),
    (b"Rar!", "a rar archive (unpack it)"),
    (b"\x04\x22\x4d\x18", "a file compressed by lz4, as ranx does (save it as JSON, or decompress it)"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"ARROW1", "an Arrow (Feather) file (save it as Parquet)"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "UTF-16 text (save it as UTF-8)"),
    (b"\xfe\xff", "UTF-16 text (save it as UTF-8)"),
)
HTML = re.compile(rb"<(!doctype html|html|head|body)\b", re.IGNORECASE)
CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r"))  # control characters that text does not have
BINARY_SHARE = 0.3  # of control and non-UTF-8 bytes in binary data
SMALLEST_SAMPLE = 512  # bytes needed to decide
LETOR = re.compile(rb"\S+\s+qid:\S+\s+\d+:")
PICKLE = re.compile(rb"\x80[\x02-\x05]")
COMMAS = re.compile(rb"[^\s,]+,[^\s,]+,[^\s,]+(,[^\s,]*)*$")


def foreign_kind(head: bytes) -> str:
    """The kind of a file with these first bytes, if it is a known kind that we do not read; otherwise empty.

    >>> foreign_kind(b"%PDF-1.7"), foreign_kind(b"2 qid:10 1:0.03 2:0.5"), foreign_kind(b"401 Q0 d1 1 9.5 bm25")
    ('a PDF', 'features for learning to rank (LETOR)', '')
    """
    if kind := _kind_by_magic(head) or binary_kind(head):
        return kind
    text = head.lstrip()
    if HTML.match(text):
        return "a web page (HTML)"
    if LETOR.match(text):
        return "features for learning to rank (LETOR)"
    if COMMAS.match(text.partition(b"\n")[0].rstrip()):
        return "CSV without a header (begin it with a line such as query_id,doc_id,score or query_id,doc_id,relevance)"
    return ""


def binary_kind(head: bytes) -> str:
    """The kind of a file with these first bytes if it is not text; otherwise empty.

    >>> binary_kind("1 Q0 d1".encode("utf-16-le") * 99), binary_kind(bytes(range(256)) * 9)
    ('UTF-16 text (save it as UTF-8)', 'binary data')
    """
    if len(head) < SMALLEST_SAMPLE:
        return ""
    kept = head.decode("utf-8", "ignore").encode().translate(None, CONTROLS)
    if len(head) - len(kept) <= BINARY_SHARE * len(head):
        return ""
    return _kind_by_magic(head) or ("UTF-16 text (save it as UTF-8)" if _is_utf16(head) else "binary data")


def _kind_by_magic(head: bytes) -> str:
    """The kind of a file by its magic bytes; empty if they are not known."""
    for magic, kind in MAGIC_BYTES:
        if head.startswith(magic):
            return kind
    if head[257:262] == b"ustar":
        return "a tar archive (unpack it)"
    if PICKLE.match(head):
        return "a pickle, which could run any code (save it as JSON or Parquet)"
    return ""


def _is_utf16(head: bytes) -> bool:
    """Whether most bytes at even or odd places are NUL, and no others."""
    return any(2 * head[i::2].count(0) > len(head[i::2]) and 0 not in head[1 - i :: 2] for i in (0, 1))
