"""Texts of documents, from files with a document per line."""

import gzip
import json
from pathlib import Path

import pytest

from irassay.errors import InputError
from irassay.io.document_texts import document_texts

RECORDS = [
    {"docno": "d1", "title": "One", "text": "first  text"},
    {"metadata": {"id": "d2"}, "_id": "d3", "contents": "third"},
    {"id": 4, "body": "fourth", "references": [{"id": "d1"}]},
    {"id": "d\u00e9", "text": "half \ud800 a character"},
]
EXPECTED = {"d1": "One first text", "d3": "third", "4": "fourth", "d\u00e9": "half ? a character"}


@pytest.mark.parametrize("escaped", [True, False])
def test_json_objects_have_an_id_and_a_text(tmp_path: Path, escaped: bool) -> None:
    lines = [json.dumps(record, ensure_ascii=escaped) for record in RECORDS[: 4 if escaped else 3]]
    (tmp_path / "texts.jsonl").write_text("\n".join([*lines, ""]))
    found = document_texts(tmp_path / "texts.jsonl", ["d1", "d2", "d3", "4", "d\u00e9", "d9"])
    assert found == {name: text for name, text in EXPECTED.items() if escaped or name != "d\u00e9"}


def test_lines_have_an_id_a_tab_and_a_text(tmp_path: Path) -> None:
    content = b"d1\tA title\tand a text\r\nd2\t\nd2\tlater\nd\xff\tbytes \xff\n"
    for name, data in (("plain.tsv", content), ("packed.tsv.gz", gzip.compress(content))):
        (tmp_path / name).write_bytes(data)
        assert document_texts(tmp_path / name, ["d1", "d2", "d3"]) == {"d1": "A title and a text", "d2": ""}


def test_wrong_lines_are_named(tmp_path: Path) -> None:
    for content, message in (
        ("d1\ttext\nd2 text\n", "line 2: found no tab; expected a document's id, a tab and its text"),
        ('{"id": "d1", "text": "x"}\n{"key": 1}\n', r"line 2: found the fields key; expected an id \(id, _id"),
        ('{"id": "d9", "text": \n', "line 1: not valid JSON"),
    ):
        (tmp_path / "texts").write_text(content)
        with pytest.raises(InputError, match=message):
            document_texts(tmp_path / "texts", ["d9"])
