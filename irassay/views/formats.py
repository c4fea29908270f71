"""Output formats: each is one declared function, from which `--format`, its checks and the printing follow."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from irassay.prose import escaped_json
from irassay.views.machine_formats import as_json, separated_text
from irassay.views.markup import as_latex, as_markdown
from irassay.views.render import as_text
from irassay.views.view import View


@dataclass(frozen=True)
class Format:
    """How a result is written, and what the text contains."""

    name: str
    write: Callable[..., str]
    machine: bool = False  # canonical names of metrics, numbers in full, every row
    notes: bool = False  # the text has the notes; otherwise they go to standard error
    methods: bool = True  # the text has the methods paragraph, if there is one
    streams: bool = False  # scores are written row by row, since there may be millions
    terminal: bool = False  # standard output gets only the tables, folded to the window
    escape: Callable[[str], str] | None = None  # the same text in ASCII, for a terminal without Unicode

    @property
    def takes(self) -> frozenset[str]:
        """The names of the writer's arguments: the view, the result's provenance, or the scores themselves."""
        return frozenset(signature(self.write).parameters)

    @property
    def only_for(self) -> str:
        """The stable name of the only result that can have this format; '' if all can."""
        return next((name for name in ("scores", "check") if name in self.takes), "")


FORMATS: dict[str, Format] = {}  # by name, in the order in which help lists them


def output_format(**traits: Any) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Declare a format named after its function.

    The function takes any of `view`, `provenance`, `by_topic` and, for one kind of result only, `scores` or `check`.
    `traits` are the fields of `Format` that differ from their defaults.
    """

    def declare(write: Callable[..., str]) -> Callable[..., str]:
        FORMATS[write.__name__] = Format(write.__name__, write, **traits)
        return write

    return declare


def view_text(view: View, form: str, provenance: Mapping[str, Any] | None = None, **more: Any) -> str:
    """The view in one of the formats; `more` are further arguments of the format."""
    given = {"view": view, "provenance": provenance or {}, **more}
    return FORMATS[form].write(**{name: given[name] for name in FORMATS[form].takes & given.keys()})


def result_text(result: Any, form: str, **options: Any) -> str:
    """The result in one of the formats; `options` are those of its view."""
    provenance = result.provenance() if "provenance" in FORMATS[form].takes else None
    view = result.view(labels=not FORMATS[form].machine, **options)
    return view_text(view, form, provenance, **{FORMATS[form].only_for or "result": result})


@output_format(terminal=True)
def table(view: View) -> str:
    """Sentences, aligned tables and notes."""
    return as_text(view)


@output_format(machine=True, methods=False, streams=True)
def tsv(view: View, safe_csv: bool = False) -> str:
    """The main tables, separated by tabs."""
    return "\n".join(separated_text(each, "\t", safe_csv) for each in view.main)


@output_format(machine=True, methods=False, streams=True)
def csv(view: View, safe_csv: bool = False) -> str:
    """The main tables, separated by commas."""
    return "\n".join(separated_text(each, ",", safe_csv) for each in view.main)


@output_format(machine=True, notes=True, escape=lambda text: escaped_json(text, ascii_only=True))
def json(view: View, provenance: Mapping[str, Any]) -> str:
    """One object with every table and its provenance."""
    return as_json(view, provenance)


@output_format(methods=False)
def trec_eval(scores: Any, by_topic: bool = False) -> str:
    """The lines that trec_eval prints."""
    return str(scores.to_trec_eval(by_topic=by_topic))


@output_format(methods=False)
def junit(check: Any) -> str:
    """A JUnit report, which continuous integration shows: a test case for each metric."""
    return str(import_module("irassay.views.check").junit_report(check))


@output_format()
def latex(view: View) -> str:
    """The tables in LaTeX (booktabs)."""
    return as_latex(view)


@output_format(notes=True)
def markdown(view: View) -> str:
    """Sentences, tables and notes in Markdown."""
    return as_markdown(view)


@output_format(notes=True, escape=lambda text: text.encode("ascii", "xmlcharrefreplace").decode())
def html(view: View, provenance: Mapping[str, Any]) -> str:
    """A self-contained page; imported by name, because views must not import `reports`."""
    return str(import_module("irassay.reports.page").single_page(view, provenance=provenance))
