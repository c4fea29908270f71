"""The works that irassay cites: entries of references.bib by key, and a reference for people to read."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ACCENTS = {
    '"': dict(zip("aouAOUei", "äöüÄÖÜëï", strict=True)),
    "'": dict(zip("aeiouycnsAEIOUYC", "áéíóúýćńśÁÉÍÓÚÝĆ", strict=True)),
    "`": dict(zip("aeiouAEIOU", "àèìòùÀÈÌÒÙ", strict=True)),
    "^": dict(zip("aeiouAEIOU", "âêîôûÂÊÎÔÛ", strict=True)),
    "~": dict(zip("anoANO", "ãñõÃÑÕ", strict=True)),
    "c": dict(zip("csCS", "çşÇŞ", strict=True)),
    "v": dict(zip("cszrCSZR", "čšžřČŠŽŘ", strict=True)),
}


@dataclass(frozen=True)
class BibEntry:
    """One work."""

    key: str
    kind: str  # article, inproceedings, …
    fields: dict[str, str]  # as written in the file, with LaTeX
    bibtex: str

    def field(self, name: str) -> str:
        """A field as people read it; '' where there is none."""
        return plain_text(self.fields.get(name, ""))

    @property
    def reference(self) -> str:
        """The work in one line: authors, title, where it appeared, year.

        >>> entries()["moffat2008"].reference[:38]
        'Alistair Moffat and Justin Zobel. Rank'
        """
        where = next((self.field(n) for n in ("journal", "booktitle", "institution", "publisher") if self.field(n)), "")
        volume = " ".join(
            filter(None, (self.field("volume"), f"({self.field('number')})" * bool(self.field("number"))))
        )
        place = " ".join(filter(None, (where, volume)))
        parts = (author_names(self.field("author")), self.field("title"), ", ".join(filter(None, (place, self.field("year")))))
        return " ".join(part if part.endswith((".", "?", "!")) else part + "." for part in parts if part)


@cache
def entries() -> dict[str, BibEntry]:
    """Every work of references.bib by its key."""
    return {entry.key: entry for entry in parsed_entries((files("irassay") / "references.bib").read_text(encoding="utf-8"))}


def parsed_entries(text: str) -> list[BibEntry]:
    r"""The entries of a BibTeX text.

    >>> found = parsed_entries("@book{knuth1984,\n  author = {Knuth, Donald},\n  year = 1984\n}")
    >>> found[0].key, found[0].fields
    ('knuth1984', {'author': 'Knuth, Donald', 'year': '1984'})
    """
    found = []
    for start in re.finditer(r"@(\w+)\s*\{\s*([^,\s]+)\s*,", text):
        end = _closing_brace(text, start.end(), 1)
        body = text[start.end() : end]
        found.append(BibEntry(start[2], start[1].lower(), _parsed_fields(body), text[start.start() : end + 1]))
    return found


def _parsed_fields(body: str) -> dict[str, str]:
    found, at = {}, 0
    while match := re.compile(r"\s*,?\s*(\w+)\s*=\s*").match(body, at):
        at = match.end()
        if body[at] == "{":
            end = _closing_brace(body, at + 1, 1)
            value, at = body[at + 1 : end], end + 1
        else:
            bare = re.compile(r'"([^"]*)"|[^,\s]+').match(body, at)
            assert bare is not None
            value, at = bare[1] or bare[0], bare.end()
        found[match[1].lower()] = value
    return found


def _closing_brace(text: str, at: int, depth: int) -> int:
    """Where the brace closes that is open at a place."""
    while depth and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at - 1


def plain_text(text: str) -> str:
    r"""LaTeX as people read it: accents as letters, no braces.

    >>> plain_text(r'J{\"a}rvelin and Ke{\'k}, {IR} {\&} co')
    'Järvelin and Kek, IR & co'
    """
    text = re.sub(r"\\([\"'`^~cv])\s*\{?\\?([A-Za-z])\}?", lambda m: ACCENTS[m[1]].get(m[2], m[2]), text)
    text = re.sub(r"\\([&%$#_])", r"\1", text).replace("--", "–").replace("~", " ")
    return " ".join(re.sub(r"[{}]", "", text).split())


def author_names(authors: str) -> str:
    """Authors with first names first.

    >>> author_names("Moffat, Alistair and Zobel, Justin")
    'Alistair Moffat and Justin Zobel'
    """
    people = [" ".join(reversed(person.split(", ", 1))) for person in authors.split(" and ")]
    return " and ".join([", ".join(people[:-1]), people[-1]] if len(people) > 1 else people)


def cited_works(keys: Iterable[str]) -> tuple[list[BibEntry], list[str]]:
    """The works of these keys, each once and by key, and the keys of which the bibliography knows nothing."""
    known = entries()
    asked = sorted(set(keys))
    return [known[key] for key in asked if key in known], [key for key in asked if key not in known]
