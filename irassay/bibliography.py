"""The works that irassay cites: entries of references.bib by key, each with a readable reference."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from unicodedata import normalize

# Combining characters for LaTeX's accents.
ACCENTS = dict(zip("\"'`^~cv", "\u0308\u0301\u0300\u0302\u0303\u0327\u030c", strict=True))


@dataclass(frozen=True)
class BibEntry:
    """One work."""

    key: str
    kind: str  # article, inproceedings, …
    fields: dict[str, str]  # as written in the file, with LaTeX
    bibtex: str

    def field(self, name: str) -> str:
        """A field as plain text; empty if there is none."""
        return plain_text(self.fields.get(name, ""))

    @property
    def reference(self) -> str:
        """The work in one line: authors, title, venue, year.

        >>> entries()["moffat2008"].reference[:38]
        'Alistair Moffat and Justin Zobel. Rank'
        """
        venue = next((self.field(n) for n in ("journal", "booktitle", "institution", "publisher") if self.field(n)), "")
        number = f"({self.field('number')})" if self.field("number") else ""
        place = " ".join(filter(None, (venue, self.field("volume"), number)))
        place_and_year = ", ".join(filter(None, (place, self.field("year"))))
        parts = (author_names(self.field("author")), self.field("title"), place_and_year)
        return " ".join(part if part.endswith((".", "?", "!")) else part + "." for part in parts if part)


@cache
def entries() -> dict[str, BibEntry]:
    """Every work in references.bib by its key."""
    text = (files("irassay") / "references.bib").read_text(encoding="utf-8")
    return {entry.key: entry for entry in parsed_entries(text)}


def parsed_entries(text: str) -> list[BibEntry]:
    r"""The entries of a BibTeX text.

    >>> books = parsed_entries("@book{knuth1984,\n  author = {Knuth, Donald},\n  year = 1984\n}")
    >>> books[0].key, books[0].fields
    ('knuth1984', {'author': 'Knuth, Donald', 'year': '1984'})
    """
    parsed = []
    for start in re.finditer(r"@(\w+)\s*\{\s*([^,\s]+)\s*,", text):
        end = _closing_brace(text, start.end())
        body = text[start.end() : end]
        parsed.append(BibEntry(start[2], start[1].lower(), _parsed_fields(body), text[start.start() : end + 1]))
    return parsed


def _parsed_fields(body: str) -> dict[str, str]:
    fields, position = {}, 0
    while match := re.compile(r"\s*,?\s*(\w+)\s*=\s*").match(body, position):
        position = match.end()
        if body[position] == "{":
            end = _closing_brace(body, position + 1)
            value, position = body[position + 1 : end], end + 1
        else:
            bare = re.compile(r'"([^"]*)"|[^,\s]+').match(body, position)
            assert bare is not None
            value, position = bare[1] or bare[0], bare.end()
        fields[match[1].lower()] = value
    return fields


def _closing_brace(text: str, position: int) -> int:
    """The position of the brace that closes the one opened just before."""
    depth = 1
    while depth and position < len(text):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
    return position - 1


def plain_text(text: str) -> str:
    r"""LaTeX as plain text: accented letters, no braces.

    >>> plain_text(r'J{\"a}rvelin and Keke{\'c}, {IR} {\&} co')
    'Järvelin and Kekeć, IR & co'
    """
    text = re.sub(r"\\([\"'`^~cv])\s*\{?\\?([A-Za-z])\}?", lambda m: normalize("NFC", m[2] + ACCENTS[m[1]]), text)
    text = re.sub(r"\\([&%$#_])", r"\1", text).replace("--", "–").replace("~", " ")
    return " ".join(re.sub(r"[{}]", "", text).split())


def author_names(authors: str) -> str:
    """The authors, first names first.

    >>> author_names("Moffat, Alistair and Zobel, Justin")
    'Alistair Moffat and Justin Zobel'
    """
    people = [" ".join(reversed(person.split(", ", 1))) for person in authors.split(" and ")]
    return " and ".join([", ".join(people[:-1]), people[-1]] if len(people) > 1 else people)


def cited_works(keys: Iterable[str]) -> tuple[list[BibEntry], list[str]]:
    """The works with these keys, each once and sorted by key, and the keys that are not in the bibliography."""
    library, distinct = entries(), sorted(set(keys))
    return [library[key] for key in distinct if key in library], [key for key in distinct if key not in library]
