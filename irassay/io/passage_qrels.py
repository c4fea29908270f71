"""Judgements of passages by subtopic, as in the Dynamic Domain tracks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polars as pl

from irassay.errors import InputError
from irassay.io.foreign import HTML
from irassay.io.lines import Layout, parsed_number, read_table, valid_table
from irassay.io.reader import FileOrFolder
from irassay.io.records import numbered_records
from irassay.io.sources import Source, opened_source
from irassay.io.trec import comment_notes
from irassay.notes import Note
from irassay.prose import count_phrase

PASSAGE_LAYOUT = Layout(("topic", "subtopic", "doc", "passage", "rating"), frozenset({"rating"}))
TYPES = dict.fromkeys((*PASSAGE_LAYOUT.fields, "nugget"), pl.String) | {"rating": pl.Float64}
INTEGER = re.compile(r"\s*[+-]?\d+\s*")


@dataclass(frozen=True, eq=False)
class PassageQrels:
    """Every judged passage: its rating for a subtopic, and its nugget."""

    frame: pl.DataFrame  # topic, subtopic, doc, passage, rating, nugget
    subtopics: Mapping[str, tuple[str, ...]]  # topic -> subtopics, including those without passages
    source: str = "judgements"
    notes: tuple[Note, ...] = ()
    once: dict[Any, Any] = field(default_factory=dict, repr=False)  # derived values, each computed once

    @classmethod
    def of(cls, passages: Sequence[tuple[str, str, str, str, float]], source: str = "judgements") -> "PassageQrels":
        """Judgements from (topic, subtopic, document, passage, rating); each passage is its own nugget."""
        types = {name: TYPES[name] for name in PASSAGE_LAYOUT.fields}
        return _from_table(pl.DataFrame(list(passages), schema=types, orient="row"), source)

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in order of appearance."""
        return tuple(self.subtopics)


def is_passage_qrels(path: FileOrFolder) -> bool:
    """Whether a file of judgements begins like a topics XML or a table of passages."""
    if isinstance(path, Path) and path.is_dir():
        return False
    source = opened_source(path)
    _, fields = next(numbered_records(source), (0, ()))
    if _is_xml(source):
        return not HTML.match(source.head().lstrip())
    return len(fields) == len(PASSAGE_LAYOUT.fields) and parsed_number(fields[-1].encode()) is not None


def is_tabbed(file: FileOrFolder) -> bool:
    """Whether this is certainly a topics XML or a table of passages, which has tabs."""
    if not isinstance(file, Source) or not is_passage_qrels(file):
        return False
    head = next(file.blocks(), b"").split(b"\n", 1)[0].lstrip()
    return head.startswith(b"<") or b"\t" in head


def read_passage_qrels(path: str | Path | Source) -> PassageQrels:
    """Judgements from a topics XML of the Dynamic Domain track, or a passage table.

    The table has five columns, `topic subtopic document passage rating`; it does not say which passages repeat
    another, so each is its own nugget.
    """
    source = opened_source(path)
    if _is_xml(source):
        return _from_xml(source)
    table = valid_table(read_table(source, PASSAGE_LAYOUT), source, PASSAGE_LAYOUT)
    truth = _from_table(table.frame, source.name)
    return replace(truth, notes=(*truth.notes, *comment_notes(table.comments, source.name)))


def _is_xml(source: Source) -> bool:
    return source.head().lstrip().startswith(b"<")


def _from_table(frame: pl.DataFrame, source: str) -> PassageQrels:
    frame = frame.with_columns(nugget=pl.col("passage"))
    pairs = frame.select("topic", "subtopic").unique(maintain_order=True)
    subtopics = {str(topic): tuple(of["subtopic"]) for (topic,), of in pairs.group_by("topic", maintain_order=True)}
    return _deduplicated_qrels(frame, subtopics, source)


def _deduplicated_qrels(frame: pl.DataFrame, subtopics: Mapping[str, tuple[str, ...]], source: str) -> PassageQrels:
    """The judgements; a passage rated twice for a document and subtopic keeps its last rating, as in the jig."""
    key = ["topic", "subtopic", "doc", "passage"]
    repeats = frame.height - frame.select(pl.struct(key).n_unique()).item() if frame.height else 0
    notes: tuple[Note, ...] = ()
    if repeats:
        notes = (Note(f"{source} repeats {count_phrase(repeats, 'passage')}; the last rating of each counts"),)
        first = frame.unique(key, keep="first", maintain_order=True).select(key)
        frame = first.join(frame.unique(key, keep="last"), on=key, maintain_order="left")

    return PassageQrels(frame.select(*TYPES), subtopics, source, notes)


class _TopicsParser:
    """Collects the passages of a topics XML while it is parsed."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[tuple[str, str, str, str, float, str]] = []
        self.subtopics: dict[str, dict[str, None]] = {}
        self.path: list[str] = []
        self.topic = self.subtopic = self.passage = self.nugget = ""
        self.elements: dict[str, str] = {}  # of the passage
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype

    def error(self, found: str, expected: str = "", fix: str = "") -> InputError:
        line = self.parser.CurrentLineNumber
        return InputError(file=self.source.name, line=line, found=found, expected=expected, fix=fix)

    def doctype(self, *_: Any) -> None:
        raise self.error("found a DOCTYPE, which topics do not have", fix="delete it")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("topic", "subtopic", "passage"):
            if "id" not in attributes:
                raise self.error(f"a {tag} has no id", fix='add id="…"')
            setattr(self, tag, attributes["id"])
        if tag == "topic":
            self.subtopics.setdefault(self.topic, {})
        elif tag == "subtopic":
            self.subtopics.setdefault(self.topic, {})[self.subtopic] = None
            self.nugget = ""
        elif tag == "passage":
            self.elements = {}
        self.path.append(tag)

    def text(self, data: str) -> None:
        if self.path[-2:-1] == ["passage"]:
            self.elements[self.path[-1]] = self.elements.get(self.path[-1], "") + data

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag != "passage":
            return
        doc, rating = self.elements.get("docno", "").strip(), self.elements.get("rating", "")
        if not doc or not INTEGER.fullmatch(rating):
            value, expected = (f"the rating {rating!r}", "a whole number") if doc else ("no docno", "")
            raise self.error(f"passage {self.passage} of subtopic {self.subtopic} has {value}", expected)
        if self.elements.get("type") == "MANUAL":
            self.nugget = self.passage
        self.rows.append((self.topic, self.subtopic, doc, self.passage, float(rating), self.nugget))


def _from_xml(source: Source) -> PassageQrels:
    reader = _TopicsParser(source)
    try:
        for block in source.blocks():
            reader.parser.Parse(block, False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        found = f"not well-formed XML ({error})"
        raise InputError(file=source.name, line=error.lineno, found=found, fix="fix the file") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source.name} cannot be read as XML ({error}); save it as UTF-8.") from None
    if not reader.subtopics:
        expected = "a Dynamic Domain topics XML (topic, subtopic, passage)"
        raise InputError(f"{source.name} has no topics; expected {expected}.")
    frame = pl.DataFrame(reader.rows, schema=TYPES, orient="row")
    return _deduplicated_qrels(frame, {topic: tuple(of) for topic, of in reader.subtopics.items()}, source.name)
