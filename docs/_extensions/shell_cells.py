"""Cells that begin with `%%sh` are shown as commands at a prompt."""

import textwrap
from collections.abc import Iterable, Iterator

from docutils import nodes
from sphinx.application import Sphinx

MAGIC = "%%sh\n"
WIDTH = 74  # of a command after its prompt


def show_prompt(app: Sphinx, document: nodes.document) -> None:
    """Replaces the magic of every shell cell by a prompt before each command."""
    for block in document.findall(nodes.literal_block):
        if block.astext().startswith(MAGIC):
            text = "\n".join(prompted_lines(block.astext().removeprefix(MAGIC).splitlines()))
            block.replace_self(nodes.literal_block(text, text, language="console"))


def prompted_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a cell; comments, continued lines and the text of a file (`<<'END'`) have no prompt."""
    continued, end_of_file = False, ""
    for line in lines:
        if end_of_file or continued or line.startswith("#"):
            yield line
        else:
            yield f"$ {continued_lines(line)}"
            end_of_file = line.partition("<<")[2].strip("'")
        continued = line.endswith("\\")
        if line == end_of_file:
            end_of_file = ""


def continued_lines(line: str) -> str:
    """A command of irassay, over several lines if it is wide; any other line as it is."""
    if not line.startswith("irassay "):
        return line
    return " \\\n    ".join(textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False))


def setup(app: Sphinx) -> dict[str, bool]:
    """Runs after a page was read and executed."""
    app.connect("doctree-read", show_prompt)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
