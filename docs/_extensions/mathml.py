"""Formulas as MathML, made when the site is built: browsers draw it themselves, without a script or a network."""

from typing import Literal

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def visit_inline(writer: HTML5Translator, node: nodes.Element) -> None:
    """A formula within a sentence."""
    writer.body.append(f'<span class="math">{mathml(node.astext())}</span>')
    raise nodes.SkipNode


def visit_block(writer: HTML5Translator, node: nodes.Element) -> None:
    """A formula on lines of its own; `\\\\` and `&` need an environment around them."""
    formula = node.astext().strip()
    if "\\\\" in formula and "\\begin" not in formula:
        formula = f"\\begin{{split}}{formula}\\end{{split}}"
    writer.body.append(f'<div class="math" tabindex="0">{mathml(formula, display="block")}</div>')
    raise nodes.SkipNode


def mathml(formula: str, display: Literal["inline", "block"] = "inline") -> str:
    """A formula as MathML; the converter leaves the backslash before _ and # in texts."""
    return convert(formula, display=display).replace("\\_", "_").replace("\\#", "#")


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers the writer of formulas."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
