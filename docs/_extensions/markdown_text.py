"""Pieces of Markdown that the generated pages share."""

from collections.abc import Iterable, Sequence
from itertools import compress

from irassay.bibliography import entries


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table, without the columns that are empty in every row."""
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    used = [any(row[column] for row in cells) for column in range(len(head))]
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join("| " + " | ".join(compress(line, used)) + " |" for line in lines)


def bibtex(key: str) -> str:
    """A reference, with its BibTeX entry folded below it."""
    entry = entries()[key]
    return f"{entry.reference}\n\n:::{{dropdown}} BibTeX\n```bibtex\n{entry.bibtex}\n```\n:::"


def index_entries(names: Iterable[str]) -> str:
    """Entries of the index, which the search finds too."""
    return "\n".join(f"```{{index}} ! single: {name}\n```" for name in names if not set(name) & set("!;"))
