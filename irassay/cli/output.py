"""Output: answers go to standard output, notes to standard error, pictures to files."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from irassay.errors import InputError, argument, spelled_as
from irassay.notes import caveats
from irassay.prose import visible_text, wrapped_for_terminal
from irassay.results import Result
from irassay.settings import Option
from irassay.views.formats import FORMATS, Format, view_text
from irassay.views.render import print_view
from irassay.views.view import PICTURES, View

if TYPE_CHECKING:
    from irassay.method import Method

DIVIDED_BY = ("--jobs", "--cluster")  # options that say how the work is done
TABLE_ENDINGS = (".tsv", ".csv", ".parquet")
TABLE_HINT = "note: for a paper's table of systems by metrics, run irassay table with the same arguments"


def emit(result: Any, options: Mapping[str, Any], envelope: Mapping[str, Any]) -> int:
    """Prints a result, plots and saves it on request, and returns the exit status."""
    if isinstance(result, str):
        write_text(result)
        return 0
    if not isinstance(result, Result):
        raise InputError(f"The method returned a {type(result).__name__}; it must return a Result or text.")
    if envelope.get("format") == "json":
        with spelled_as("keyword"):  # the same document as from Python
            _show_result(result, options, envelope)
    else:
        _show_result(result, options, envelope)
    return int(result.status)


def _show_result(result: Any, options: Mapping[str, Any], envelope: Mapping[str, Any]) -> None:
    """Prints a result in its format, with what the format leaves out on standard error; plots and saves it."""
    form, quiet, by_topic = _format_of(envelope), envelope.get("quiet", False), options.get("by_topic", False)
    safe_csv = envelope.get("safe_csv", False)
    scores = result.saved_as == "scores"
    sort = envelope.get("sort", "")
    by_row = scores and ("output" in options or (form.streams and not sort and not sys.stdout.isatty()))
    view_options = {} if by_row else {**options, **({"long": True} if scores and form.machine else {})}
    view = result.view(labels=not form.machine, sort=sort, **view_options)
    if quiet and form.notes and not form.machine:
        view = replace(view, notes=())
    if "save" in envelope:
        result.save(envelope["save"])
    if form.terminal and not by_row:
        full = envelope.get("full", False)
        print_view(view, quiet, full, full or envelope.get("notes", False))
    else:
        if by_row:  # as the rows are made, because there may be millions
            from irassay.views.scores import write_long, write_table

            if "output" in options:
                write_table(result, by_topic, Path(options["output"]), safe_csv)
            else:
                write_long(result, by_topic, form.name, sys.stdout, safe_csv)
        else:
            origin = result.provenance() if "provenance" in form.takes else None
            more = {"by_topic": by_topic, "safe_csv": safe_csv, form.only_for or "result": result}
            text = view_text(view, form.name, origin, **more)
            write_text(text, form.name)
        if view.methods and not form.methods:
            print_message(view.methods)
        for note in () if quiet or form.notes else view.notes:
            print_message(f"note: {note}")
        if form.name == "latex" and result.saved_as == "comparison" and not quiet:
            print_message(TABLE_HINT)
    if "plot" in envelope:
        _plot_view(result.view(**view_options) if form.machine else view, Path(envelope["plot"]), quiet)


def _plot_view(view: View, path: Path, quiet: bool) -> None:
    """Draws the charts of a view into files, and says into which."""
    from irassay.views.letters import font_notes
    from irassay.views.theme import draw_charts

    paths = draw_charts(view, path)
    for note in () if quiet else font_notes(view, path):
        print_message(f"note: {note}")
    for line in [f"drew {path}" for path in paths] or ["note: this result has no chart"]:
        print_message(line)


def write_text(text: str, form: str = "") -> None:
    """Writes whole lines to standard output; on a terminal, control characters are shown as escapes."""
    if sys.stdout.isatty() and form != "json":
        text = visible_text(text, keep="\n\t")
    escape = FORMATS[form].escape if form else None
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = escape(text) if escape else text
    sys.stdout.write(text if not text or text.endswith("\n") else f"{text}\n")


def print_message(text: str) -> None:
    """Prints text for people on standard error, wrapped to the terminal."""
    print(wrapped_for_terminal(visible_text(text)), file=sys.stderr)


def write_report(
    assay: Any,
    envelope: Mapping[str, Any],
    *,
    output: Annotated[Path, Option("Page to write; its folder is created if needed.", short="-o")] = Path(
        "report.html"
    ),
    title: Annotated[str, "Title of the page."] = "",
) -> int:
    """Writes the report of an assay, and prints the answer and the page's path, or the assay in a format."""
    from irassay.reports.page import report

    full = envelope.get("full", False)
    view = assay.view(full=full, sort=envelope.get("sort", ""))  # refuses an unknown column before the page is written
    creates_folder = not Path(output).parent.exists()
    path = report(assay, output, title=title, command=quoted_command(sys.argv[1:]))
    if "save" in envelope and "format" not in envelope:
        assay.save(envelope["save"])
    if "format" in envelope:
        emit(assay, {}, envelope)
    else:
        legend = view.names.legend_for(view.sentences)  # below which table it stands is of no use without tables
        notes = (*caveats(view.notes), *assay.scores.notes)  # those on methods are on the page
        answer = replace(view, tables=(), notes=notes)
        answer = replace(answer, sentences=(*view.sentences, *([f"names of metrics: {legend}"] if legend else [])))
        print_view(answer, envelope.get("quiet", False), full, full or envelope.get("notes", False))
    if creates_folder and not envelope.get("quiet"):
        print_message(f"note: created the folder {path.parent}")
    print(visible_text(str(path)), file=sys.stderr if "format" in envelope else sys.stdout)
    return 0


def quoted_command(words: Sequence[str]) -> str:
    """The command that a page quotes: without how the work was divided, which does not change the page.

    >>> quoted_command(["report", "qrels.txt", "runs", "--jobs", "4", "--cluster=local"])
    'irassay report qrels.txt runs'
    """
    quoted, rest = ["irassay"], iter(words)
    for word in rest:
        if word in DIVIDED_BY:
            next(rest, None)
        elif word.partition("=")[0] not in DIVIDED_BY:
            quoted.append(word)
    return " ".join(quoted)


def write_claim(
    claim: Any,
    envelope: Mapping[str, Any],
    *,
    output: Annotated[Path | None, Option("Page to write; its folder is created if needed.", short="-o")] = None,
) -> int:
    """Prints whether a claim holds and what it depends on, writes its page on request, and returns the status."""
    if output is not None:
        from irassay.reports.claim_page import write_claim_page

        write_claim_page(claim, output)
    status = emit(claim, {}, envelope)
    if output is not None:
        print_message(f"wrote {output}")
    return status


def shows_checksums(method: "Method[..., Any]", envelope: Mapping[str, Any]) -> bool:
    """Whether the answer will list its inputs with their checksums."""
    return "save" in envelope or bool(method.traits.presenter) or "provenance" in _format_of(envelope).takes


def _format_of(envelope: Mapping[str, Any]) -> Format:
    return FORMATS[envelope.get("format", "table")]


def check_format(method: "Method[..., Any]", envelope: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuses a format that the answer cannot have, before any work is done."""
    kind = get_type_hints(method.function).get("return")
    saved_as = getattr(kind, "saved_as", "")
    scores, form = saved_as == "scores", _format_of(envelope)
    if form.only_for not in ("", saved_as):
        *others, last = (each.name for each in FORMATS.values() if each.only_for in ("", saved_as))
        what = f"irassay {form.only_for}" if form.only_for != "scores" else "scores"
        raise InputError(f"The format {form.name} is only for {what}; use {', '.join(others)} or {last}.")
    if "sort" in envelope and (form.only_for or (scores and "output" in options)):
        raise InputError("Leave out ", argument("sort"), ": these scores are written in the order of the runs.")
    written = {form.name} | ({Path(options["output"]).suffix[1:]} if "output" in options and scores else set())
    if "safe_csv" in envelope and not written & {"csv", "tsv"}:
        raise InputError(argument("safe_csv"), " is for CSV and TSV; give ", argument("format", "csv"), ".")
    for name, path in {**options, **envelope}.items():
        if name in ("output", "save") and Path(path).is_dir():
            raise InputError(argument(name, path), ": it is a folder; give a file.", argument=name)
    if "save" in envelope:
        check_target("save", envelope["save"], ())
    if "output" in options and scores:
        check_target("output", options["output"], TABLE_ENDINGS)
        if "format" in envelope and Path(options["output"]).suffix != f".{form.name}":
            form_and_file = argument("format", form.name), " does not fit ", argument("output", options["output"])
            raise InputError(*form_and_file, ", whose ending is its format; leave one of them out.", argument="format")


def check_target(name: str, path: str, endings: Sequence[str] = PICTURES) -> None:
    """Refuses a file, given by the argument of this name, that cannot be written, before any work is done.

    Without `endings`, its name may have any.
    """
    folder, given = Path(path).parent, argument(name, path)
    if endings and Path(path).suffix not in endings:
        raise InputError(given, f": the name must end in {' or '.join(endings)}.", argument=given)
    if not folder.is_dir():
        raise InputError(given, f": there is no folder {folder}; create it first.", argument=given)
