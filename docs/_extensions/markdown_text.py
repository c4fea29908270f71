"""Pieces of Markdown that the generated pages share."""

from collections.abc import Iterable, Sequence

from irassay.bibliography import entries


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines
    )


def bibtex(key: str) -> str:
    """A reference, with its BibTeX entry folded below it."""
    entry = entries()[key]
    return f"{entry.reference}\n\n:::{{dropdown}} BibTeX\n```bibtex\n{entry.bibtex}\n```\n:::"


def index_entries(names: Iterable[str]) -> str:
    """Entries of the index, which the search finds too."""
    return "\n".join(f"```{{index}} ! single: {name}\n```" for name in names if not set(name) & set("!;"))
