"""Judgements of passages by subtopic, as the Dynamic Domain tracks have them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polars as pl

from irassay.errors import InputError
from irassay.io.foreign import HTML
from irassay.io.lines import Layout, parsed_number, read_table, valid_table
from irassay.io.reader import Input
from irassay.io.sources import Source
from irassay.notes import Note
from irassay.prose import count_phrase, location

PASSAGE_LAYOUT = Layout(("topic", "subtopic", "doc", "passage", "rating"), frozenset({"rating"}))
FIELDS = (*PASSAGE_LAYOUT.fields, "nugget")
INTEGER = re.compile(r"\s*[+-]?\d+\s*")


@dataclass(frozen=True, eq=False)
class PassageQrels:
    """Every judged passage: what it is rated for a subtopic, and the nugget it repeats."""

    frame: pl.DataFrame  # topic, subtopic, doc, passage, rating, nugget
    subtopics: Mapping[str, tuple[str, ...]]  # of each topic, those without passages too
    source: str = "judgements"
    notes: tuple[Note, ...] = ()
    once: dict[Any, Any] = field(default_factory=dict, repr=False)  # what is derived from it, computed once

    @classmethod
    def of(cls, passages: Sequence[tuple[str, str, str, str, float]], source: str = "judgements") -> "PassageQrels":
        """Judgements from (topic, subtopic, document, passage, rating), each passage a nugget of its own."""
        frame = pl.DataFrame(
            list(passages),
            schema=dict.fromkeys(PASSAGE_LAYOUT.fields[:4], pl.String) | {"rating": pl.Float64},
            orient="row",
        )
        return _from_table(frame, source)

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in order of appearance."""
        return tuple(self.subtopics)


def is_passage_qrels(path: Input) -> bool:
    """Whether a file of judgements is a topics XML or a table of passages, going by how it begins."""
    if isinstance(path, Path) and path.is_dir():
        return False
    source = path if isinstance(path, Source) else Source(path)
    lines = (line.split() for line in next(source.blocks(1 << 16), b"").splitlines())
    fields = next((line for line in lines if line and not line[0].startswith(b"#")), [])
    if _is_xml(source):
        return not HTML.match(source.head().lstrip())
    return len(fields) == len(PASSAGE_LAYOUT.fields) and parsed_number(fields[-1]) is not None


def is_tabbed(given: Input) -> bool:
    """Whether this is a topics XML or a table of passages beyond doubt: passage tables have tabs."""
    if not isinstance(given, Source) or not is_passage_qrels(given):
        return False
    head = next(given.blocks(), b"").split(b"\n", 1)[0].lstrip()
    return head.startswith(b"<") or b"\t" in head


def read_passage_qrels(path: str | Path | Source) -> PassageQrels:
    """Judgements from a topics XML of the Dynamic Domain track, or a passage table.

    The table has five columns, `topic subtopic document passage rating`; it does not say which passages repeat
    another, so each is a nugget of its own.
    """
    source = path if isinstance(path, Source) else Source(path)
    if _is_xml(source):
        return _from_xml(source)
    return _from_table(valid_table(read_table(source, PASSAGE_LAYOUT), source, PASSAGE_LAYOUT).frame, source.name)


def _is_xml(source: Source) -> bool:
    return source.head().lstrip().startswith(b"<")


def _from_table(frame: pl.DataFrame, source: str) -> PassageQrels:
    frame = frame.with_columns(nugget=pl.col("passage"))
    listed = frame.select("topic", "subtopic").unique(maintain_order=True)
    subtopics = {str(topic): tuple(of["subtopic"]) for (topic,), of in listed.group_by("topic", maintain_order=True)}
    return _deduplicated(frame, subtopics, source)


def _deduplicated(frame: pl.DataFrame, subtopics: Mapping[str, tuple[str, ...]], source: str) -> PassageQrels:
    """The truth with a passage judged more than once for a document and subtopic at its last rating, as in the jig."""
    key = ["topic", "subtopic", "doc", "passage"]
    again = frame.height - frame.select(pl.struct(key).n_unique()).item() if frame.height else 0
    if again:
        first = frame.unique(key, keep="first", maintain_order=True).select(key)
        frame = first.join(frame.unique(key, keep="last"), on=key, maintain_order="left")
    notes = (
        (Note(f"{source} repeats {count_phrase(again, 'passage')}; the last rating of each counts"),) if again else ()
    )
    return PassageQrels(frame.select(FIELDS), subtopics, source, notes)


class _TopicsParser:
    """Builds rows of passages while a parser goes through a topics XML."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rows: list[tuple[str, str, str, str, float, str]] = []
        self.subtopics: dict[str, dict[str, None]] = {}
        self.path: list[str] = []
        self.topic = self.subtopic = self.passage = self.nugget = ""
        self.found: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.doctype

    def fail(self, what: str) -> InputError:
        return InputError(f"{location(self.source.name, self.parser.CurrentLineNumber)}: {what}")

    def doctype(self, *_: Any) -> None:
        raise self.fail("found a DOCTYPE, which topics do not have and which is not read; delete it")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in ("topic", "subtopic", "passage"):
            if "id" not in attributes:
                raise self.fail(f'a {tag} has no id; add id="…"')
            setattr(self, tag, attributes["id"])
        if tag == "topic":
            self.subtopics.setdefault(self.topic, {})
        elif tag == "subtopic":
            self.subtopics.setdefault(self.topic, {})[self.subtopic] = None
            self.nugget = ""
        elif tag == "passage":
            self.found = {}
        self.path.append(tag)

    def text(self, data: str) -> None:
        if self.path[-2:-1] == ["passage"]:
            self.found[self.path[-1]] = self.found.get(self.path[-1], "") + data

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag != "passage":
            return
        doc, rating = self.found.get("docno", "").strip(), self.found.get("rating", "")
        if not doc or not INTEGER.fullmatch(rating):
            what = "no docno" if not doc else f"the rating {rating!r}, expected a whole number"
            raise self.fail(f"passage {self.passage} of subtopic {self.subtopic} has {what}")
        if self.found.get("type") == "MANUAL":
            self.nugget = self.passage
        self.rows.append((self.topic, self.subtopic, doc, self.passage, float(rating), self.nugget))


def _from_xml(source: Source) -> PassageQrels:
    reader = _TopicsParser(source)
    try:
        for block in source.blocks():
            reader.parser.Parse(block, False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InputError(
            f"{location(source.name, error.lineno)}: not well-formed XML ({error}); mend the file"
        ) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{source.name} cannot be read as XML ({error}); save it as UTF-8") from None
    if not reader.subtopics:
        raise InputError(
            f"{source.name} has no topics; expected a Dynamic Domain topics XML (topic, subtopic, passage)"
        )
    types = dict.fromkeys(FIELDS, pl.String) | {"rating": pl.Float64}
    frame = pl.DataFrame(reader.rows, schema=types, orient="row")
    return _deduplicated(frame, {topic: tuple(of) for topic, of in reader.subtopics.items()}, source.name)
