"""Keeps a number and its per cent sign on one line, and gives pictures a font as narrow as they are drawn for."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

PER_CENT = re.compile(r"(?<=\d) %")
FONTS = "Helvetica, Arial, sans-serif"
WITH_NARROW_FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif"


def keep_per_cent(app: Sphinx, document: nodes.document) -> None:
    """Puts a space that does not break before every per cent sign after a number, except in code."""
    for text in list(document.findall(nodes.Text)):
        if PER_CENT.search(text) and not isinstance(text.parent, nodes.literal | nodes.literal_block | nodes.math):
            text.parent.replace(text, nodes.Text(PER_CENT.sub("\u00a0%", text)))


def name_fonts(app: Sphinx, error: Exception | None) -> None:
    """Names fonts that Linux has: in a wider one, words would run out of the picture."""
    if error is None and app.builder.name == "html":
        for picture in (Path(app.outdir) / "_images").glob("*.svg"):
            text = picture.read_text(encoding="utf-8")
            if FONTS in text:
                picture.write_text(text.replace(FONTS, WITH_NARROW_FONTS), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Changes pages after they are read, and pictures when the site is finished."""
    app.connect("doctree-read", keep_per_cent)
    app.connect("build-finished", name_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
