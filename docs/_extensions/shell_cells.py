"""Cells that begin with `%%sh` are shown as commands at a prompt."""

from docutils import nodes
from sphinx.application import Sphinx

MAGIC = "%%sh\n"


def show_prompt(app: Sphinx, document: nodes.document) -> None:
    """Replaces the magic of every shell cell by a prompt before each command; a continued line has none."""
    for block in document.findall(nodes.literal_block):
        if block.astext().startswith(MAGIC):
            text, continued = "", False
            for line in block.astext().removeprefix(MAGIC).splitlines():
                text += f"{'' if continued or line.startswith('#') else '$ '}{line}\n"
                continued = line.endswith("\\")
            new = nodes.literal_block(text, text.rstrip(), language="console")
            block.replace_self(new)


def setup(app: Sphinx) -> dict[str, bool]:
    """Runs after a page was read and executed."""
    app.connect("doctree-read", show_prompt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
