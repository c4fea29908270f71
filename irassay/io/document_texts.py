"""Texts of documents, from a file with a document per line: its id, a tab and its text, or a JSON object."""

import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.io.sources import Source

ID_FIELDS = ("id", "_id", "doc_id", "docid", "docno")
TEXT_FIELDS = ("title", "text", "contents", "abstract", "body")
JSON_ID = re.compile(rb'"(?:%s)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)' % "|".join(ID_FIELDS).encode())


def document_texts(path: str | Path, documents: Collection[str]) -> dict[str, str]:
    """The texts of these documents, for those that the file has; it is read until all are found, and not kept."""
    source = Source(path)
    read_line = _json_text if source.head().lstrip().startswith(b"{") else _tabbed_text
    wanted = {document.encode(): document for document in documents}
    texts: dict[str, str] = {}
    before = 0  # lines of earlier blocks
    for block in source.blocks():
        lines = block.split(b"\n")[:-1]
        for number, line in enumerate(lines, before + 1):
            if (found := read_line(line, wanted, source.name, number)) is not None:
                texts.setdefault(*found)
        if len(texts) == len(wanted):
            break
        before += len(lines)
    return texts


def _tabbed_text(line: bytes, wanted: dict[bytes, str], file: str, number: int) -> tuple[str, str] | None:
    """The document of a line and its text, if it is wanted."""
    document, tab, text = line.partition(b"\t")
    if not tab and line.strip():
        found, expected = "found no tab", "a document's id, a tab and its text, or a JSON object"
        raise InputError(file=file, line=number, found=found, expected=expected)
    return (wanted[document], _plain_text(text.decode(errors="replace"))) if document in wanted else None


def _json_text(line: bytes, wanted: dict[bytes, str], file: str, number: int) -> tuple[str, str] | None:
    """The document of a JSON object and its text, if it is wanted; other objects are not parsed."""
    ids = [match.strip(b'"') for match in JSON_ID.findall(line)]
    if ids and not any(id in wanted or b"\\" in id for id in ids):
        return None
    if not line.strip():
        return None
    record = _parsed_record(line, file, number)
    document = str(next((record[field] for field in ID_FIELDS if field in record), ""))
    if not document or not any(field in record for field in TEXT_FIELDS):
        found = f"found the fields {', '.join(record)[:200]}"
        expected = f"an id ({', '.join(ID_FIELDS)}) and a text ({', '.join(TEXT_FIELDS)})"
        raise InputError(file=file, line=number, found=found, expected=expected)
    text = " ".join(str(record[field]) for field in TEXT_FIELDS if record.get(field))
    return (document, _plain_text(text)) if document.encode(errors="replace") in wanted else None


def _parsed_record(line: bytes, file: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(file=file, line=number, found=f"not valid JSON ({error})", fix="fix the line") from None
    if not isinstance(record, dict):
        raise InputError(file=file, line=number, expected="a JSON object with the id and the text of a document")
    return record


def _plain_text(text: str) -> str:
    """The text on one line; half a character, which text cannot hold, becomes a question mark."""
    return " ".join(text.encode(errors="replace").decode().split())
