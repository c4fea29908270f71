"""The reference, from the code: functions and classes with types, results, columns of tables, what a metric sees."""

import ast
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from markdown_text import index_entries, markdown_table
from method_pages import page_name

import irassay
import irassay.meta
from irassay.declarations import doc, index
from irassay.meta.axioms.relations import AXIOMS
from irassay.metrics.cwl import Browsing
from irassay.rankings.passages import Passages
from irassay.rankings.pool import Pool
from irassay.reports import headings
from irassay.reports.glossary import TERMS
from irassay.results import Result
from irassay.saving import SAVED

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
PYTHON = """# Python

Everything below is imported from `irassay`: `from irassay import score`. Every command is a function, with the same
options as keywords; its page has examples and the meaning of each option. Paths, data frames (polars, pandas, Arrow)
and objects are all accepted as runs, judgements and tables of scores. Where the default is `...`, another argument can
take its place: an object that holds both runs and judgements, or the single keywords of a policy. Bad input raises
`irassay.InputError`, a `ValueError` whose text is one sentence: what was found, what was expected, and the fix.
"""
RESULTS = """# Results

Every function returns a result. `print(result)` shows the table that the command prints; `result.plot()` draws its
picture; `to_frame()`, `to_markdown()`, `to_latex()`, `to_json()` and others convert it; `result.notes` is a tuple of
sentences on its input. `irassay.load` reads a result that `save` wrote. Arrays are NumPy arrays whose shape stands in
brackets: `[system, topic]` has a row for each system.
"""
COLUMNS = """# Columns

Every column that a command prints, and every term that the report explains, in one sentence each. Some headings also
appear with a number or a name, such as *power 0.05* or *against BM25*.
"""
AUTHOR = """# What a metric sees

A metric of your own is a function of `r`, an `irassay.Rankings`: a batch of result lists, in one array for all of them.
`r.gain[i, j]` is the gain of the result at rank j + 1 of list i. Return one score per list, an array `[n]`.

```python
from irassay import metric

@metric("FoundEarly")
def found_early(r, k=10):
    \"\"\"The share of the gain at k that the first half has.\"\"\"
    top = r.gain[:, :k]
    return top[:, : k // 2].sum(axis=1) / top.sum(axis=1).clip(1e-9)
```

In a file `mine.py`, `irassay score qrels.txt runs/ --define mine.py -m FoundEarly@20` uses it.

Shapes: `n` lists, `depth` ranks of the longest list, `t` topics, `p` documents of the largest pool, `a` aspects; `n|1`
is one row per list, or one for all. Arrays are read-only. Past the end of a list, grades are 0 and `r.inside` is false.
"""
GROUPS = {
    "NAMES": "Names",
    "SCORES": "Scores",
    "COMPARISONS": "Comparisons of systems",
    "PLANNING": "Planning and reliability",
    "DISCRIMINATION": "Discriminative power, consistency, similarity",
    "ROBUSTNESS": "Robustness to missing judgements",
    "JUDGES": "Judges",
    "USERS": "Users",
    "UNANIMITY": "Unanimity and intuitiveness",
    "AXIOM_TABLES": "Axioms",
    "RANKS": "Rank by rank",
    "SELECTIONS": "Selections",
    "CLAIMS": "Claims",
    "CHECKS_AND_DIFFERENCES": "Checks and differences between tools",
    "PAPERS_AND_FILES": "Papers and files",
}


def reference_pages() -> Iterator[tuple[str, str]]:
    """The file name and the text of every page."""
    yield "python", python_page()
    yield "results", results_page()
    yield "columns", columns_page()
    yield "metric-author", author_page()
    yield "changelog", changelog_page()


def python_page() -> str:
    """The functions of the commands, other functions, and the classes that users make or get."""
    commands = {name: entry for name, entry in index()["commands"].items() if "where" in entry}
    public = {name: getattr(irassay, name) for name in irassay.__all__ if name not in ("meta", "papers", "stats")}
    functions = {name: value for name, value in public.items() if callable(value) and not isinstance(value, type)}
    stubs = stub_signatures(Path(irassay.__file__).with_suffix(".pyi"))
    blocks = [PYTHON, "## Commands"]
    for name, signature in stubs.items():
        path = "report" if name == "assay" else name
        blocks += [f"### {name}", *function_blocks(signature, getattr(irassay, name))]
        if path in commands:
            blocks.append(f"Command: [irassay {path}](../commands/{page_name(path)}.md).")
    blocks.append("## Tests of metrics: `irassay.meta`")
    for name, signature in stub_signatures(Path(irassay.meta.__file__).with_suffix(".pyi")).items():
        blocks += [f"### meta.{name}", *function_blocks(signature, getattr(irassay.meta, name))]
        if (command := f"meta {name}") in commands:
            blocks.append(f"Command: [irassay {command}](../commands/{page_name(command)}.md).")
    blocks.append("## Other functions")
    for name in sorted(functions.keys() - stubs.keys()):
        blocks += [f"### {name}", *function_blocks(signature_text(name, functions[name]), functions[name])]
    blocks.append("## Classes")
    for name in sorted(name for name, value in public.items() if isinstance(value, type)):
        blocks += [f"### {name}", *class_blocks(public[name])]
    return joined(blocks)


def function_blocks(signature: str, function: Any) -> Iterator[str]:
    """A signature and what the function does."""
    yield f"```python\n{signature}\n```"
    yield plain_doc(function)


def stub_signatures(path: Path) -> dict[str, str]:
    """The signatures in a stub, by name; of several, all."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            source = ast.get_source_segment(text, node) or ""
            signature = re.sub(r":\s*\.\.\.$|:\s*\"\"\".*", "", source, flags=re.DOTALL).removeprefix("def ")
            found[node.name] = f"{found[node.name]}\n\n{signature}" if node.name in found else signature
    return found


def signature_text(name: str, function: Callable[..., Any]) -> str:
    """A function's name with its parameters and their types, without the modules of the types."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return f"{name}(…)"
    text = re.sub(r"(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", f"{signature}").replace("'", "")
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    if len(name + text) <= 100:
        return name + text
    parts = [f"    {part}," for part in split_parameters(text[1 : text.rindex(")")])]
    return "\n".join([f"{name}(", *parts, text[text.rindex(")") :]])


def split_parameters(text: str) -> list[str]:
    """Parameters, split at the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def class_blocks(kind: type) -> Iterator[str]:
    """What a class is, its attributes and its methods."""
    yield plain_doc(kind)
    if rows := attribute_rows(kind):
        yield markdown_table(("attribute", "type", "meaning"), rows)
    if methods := list(method_rows(kind)):
        yield markdown_table(("method", "what it does"), methods)


def attribute_rows(kind: type) -> list[tuple[str, str, str]]:
    """The fields of a class with the comments behind them, and its properties, as its source declares them."""
    source = textwrap.dedent(inspect.getsource(kind))
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    (declared,) = ast.parse(source).body
    assert isinstance(declared, ast.ClassDef)
    rows = []
    for node in declared.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            rows.append((node.target.id, ast.unparse(node.annotation), comments.get(node.end_lineno or 0, "")))
        elif isinstance(node, ast.FunctionDef) and any("property" in ast.unparse(d) for d in node.decorator_list):
            written = ast.unparse(node.returns) if node.returns else ""
            rows.append((node.name, written, " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())))
    return [
        (f"`{name}`", type_text(written), meaning)
        for name, written, meaning in rows
        if not name.startswith("_") and not written.startswith("ClassVar")
    ]


def method_rows(kind: type) -> Iterator[tuple[str, str]]:
    """The public methods that a class itself declares."""
    for name, value in vars(kind).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and inspect.isfunction(function) and function.__doc__:
            parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in ("self", "cls")]
            shown = ", ".join(
                p.name if p.default is p.empty else f"{p.name}={short_default(p.default)}" for p in parameters
            )
            yield f"`{name}({shown})`", first_sentence(function)


def short_default(value: Any) -> str:
    """A default as it is written, if it is short."""
    text = repr(value)
    return text if len(text) < 20 else "…"


def type_text(written: str) -> str:
    """A type without its modules, as code."""
    text = re.sub(r"(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", written).strip("'\"")
    return f"`{text}`" if text else ""


def first_sentence(function: Any) -> str:
    """The first paragraph of a docstring in one line."""
    return " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())


def plain_doc(what: Any) -> str:
    """A docstring with its examples as code."""
    text = inspect.cleandoc(doc(what)) if not isinstance(what, type) else inspect.getdoc(what) or ""
    paragraphs = (f"```pycon\n{part}\n```" if part.startswith(">>>") else part for part in text.split("\n\n"))
    return "\n\n".join(paragraphs)


def results_page() -> str:
    """Every class of results, with its attributes and methods."""
    kinds = {kind.__name__: kind for kind in SAVED.values() if isinstance(kind, type) and issubclass(kind, Result)}
    kinds = {name: kind for name, kind in kinds.items() if kind.__module__.startswith("irassay.")}
    blocks = [RESULTS, "## All results", *class_blocks(Result)]
    for name in sorted(kinds):
        blocks += [f"## {name}", index_entries([name]), *class_blocks(kinds[name])]
    return joined(blocks)


def columns_page() -> str:
    """Every heading of a table, by its group, and every term."""
    blocks = [COLUMNS]
    for group, title in GROUPS.items():
        blocks += [f"## {title}", explanation_table("column", getattr(headings, group).items())]
    blocks += ["## Terms", explanation_table("term", sorted(TERMS.items()))]
    titles = {axiom.title: axiom.summary for axiom in AXIOMS.values()}
    return joined([*blocks, "## Names of axioms", explanation_table("axiom", titles.items())])


def explanation_table(what: str, rows: Iterable[tuple[str, str]]) -> str:
    """Names and their explanations."""
    return markdown_table((what, "meaning"), ((f"`{name}`", text) for name, text in rows))


def author_page() -> str:
    """The attributes of Rankings, of its pool and passages, and of a user's browsing, with shapes."""
    parts = {
        "`r`, the lists": irassay.Rankings,
        "`r.pool`, all judged documents": Pool,
        "`r.passages`, passage judgements": Passages,
        "What a user model makes of it": Browsing,
    }
    blocks = [AUTHOR]
    for title, kind in parts.items():
        blocks += [f"## {title}", *class_blocks(kind)]
    return joined(blocks)


def changelog_page() -> str:
    """The changelog, with links from where the page is."""
    text = CHANGELOG.read_text(encoding="utf-8")
    text = text.replace("](docs/", "](../../").replace("](benchmarks/README.md", "](../../benchmarks.md")
    return f"---\nnosearch: true\n---\n\n{text}"  # it names everything, and would come before what explains it


def joined(blocks: Iterable[str]) -> str:
    """A page of these blocks."""
    return "\n\n".join(block.strip() for block in blocks if block.strip()) + "\n"
