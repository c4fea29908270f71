"""Writes the pages that follow from the declarations into docs/generated, before Sphinx reads its sources."""

from collections.abc import Iterable
from pathlib import Path

from atlas_pages import atlas_pages
from method_pages import method_pages
from metric_pages import metric_pages
from oracle_pages import oracle_pages
from reference_pages import reference_pages
from sphinx.application import Sphinx


def write_pages(app: Sphinx) -> None:
    """Writes every generated page; one that did not change keeps its date, so that Sphinx does not build it again."""
    folder = Path(app.srcdir) / "generated"
    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    write_folder(folder / "metrics", metric_pages(pictures))
    write_folder(folder / "commands", method_pages(pictures))
    write_folder(folder / "atlas", atlas_pages(pictures))
    write_folder(folder / "reference", reference_pages())
    write_folder(folder / "trust", oracle_pages())


def write_folder(folder: Path, pages: Iterable[tuple[str, str]]) -> None:
    """Writes pages by name, and removes those that are no longer generated."""
    folder.mkdir(exist_ok=True)
    written = {write_page(folder / f"{name}.md", text) for name, text in pages}
    for page in set(folder.glob("*.md")) - written:
        page.unlink()


def write_page(path: Path, text: str) -> Path:
    """Writes a page if its text changed."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def setup(app: Sphinx) -> dict[str, bool]:
    """Has the pages written first."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
