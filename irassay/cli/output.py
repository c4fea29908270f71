"""Where output goes: results to standard output, notes and progress to standard error, pictures to files."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from irassay.errors import InputError
from irassay.prose import escaped_json, in_window, visible
from irassay.results import Result
from irassay.settings import Option
from irassay.views.render import render, show
from irassay.views.view import FORMATS, PICTURES, View, readable

if TYPE_CHECKING:
    from irassay.method import Method

SHOWING: list[Any] = []  # progress bars that were put on the terminal; to stop one twice does no harm
TABLES = (".tsv", ".csv", ".parquet")
PAPER = "note: a paper's table, systems by metrics, is made by irassay table, with the same arguments"


def emit(result: Any, options: Mapping[str, Any], out: Mapping[str, Any]) -> int:
    """Prints an answer, draws and keeps it where that was asked for: the exit status."""
    if isinstance(result, str):
        say(result)
        return 0
    if not isinstance(result, Result):
        raise InputError(
            f"a method returns a Result or text, and this one a {type(result).__name__}; derive from Result"
        )
    form, quiet = out.get("format", "table"), out.get("quiet", False)
    scores = result.saved_as == "scores"
    straight = scores and ("output" in options or (form in ("tsv", "csv") and not sys.stdout.isatty()))
    machine = {"long": True} if scores and form in ("tsv", "csv", "json") else {}
    view = result.view() if straight else result.view(**options, **machine)
    if quiet and form in ("markdown", "html"):  # where notes are a part of the text
        view = replace(view, notes=())
    if "save" in out:
        result.save(out["save"])
    if form == "table" and not straight:
        show(view, quiet=quiet)
    else:
        if straight:  # rows as they are made, for there may be millions
            write_rows(result, form, options.get("by_topic", False), options.get("output"))
        else:
            text = written(result, view, form, options)
            say(text if text.endswith("\n") else text + "\n", form)
        if view.methods and form in ("tsv", "csv", "trec_eval"):
            print(in_window(visible(readable(view).methods)), file=sys.stderr)
        for note in () if quiet or form in ("json", "html", "markdown") else view.notes:
            print(in_window(visible(f"note: {note}")), file=sys.stderr)
        if form == "latex" and result.saved_as == "comparison" and not quiet:
            print(in_window(PAPER), file=sys.stderr)
    if "plot" in out:
        from irassay.views.letters import on_letters
        from irassay.views.theme import draw

        told = draw(view, Path(out["plot"]))
        for note in () if quiet else on_letters(view, Path(out["plot"])):
            print(in_window(visible(f"note: {note}")), file=sys.stderr)
        for line in [f"drew {path}" for path in told] or ["note: there is no picture of this result"]:
            print(visible(line), file=sys.stderr)
    return int(result.status)


def say(text: str, form: str = "") -> None:
    """Prints text on standard output; a terminal is shown escapes of what it would obey, a file gets what is there."""
    if sys.stdout.isatty() and form != "json":
        text = visible(text, keep="\n\t")
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        if form == "json":
            text = escaped_json(text, ascii_only=True)
        elif form == "html":
            text = text.encode("ascii", "xmlcharrefreplace").decode()
    sys.stdout.write(text)


def write_rows(scores: Any, form: str, by_topic: bool, path: Path | None) -> None:
    """Writes scores one row a value, to a file or to standard output."""
    from irassay.views.scores import write_long, write_table

    if path is None:
        write_long(scores, by_topic, form, sys.stdout)
    else:
        write_table(scores, by_topic, Path(path))


def written(result: Any, view: View, form: str, options: Mapping[str, Any]) -> str:
    """A result in one of the formats that are text."""
    if form == "trec_eval":
        return str(result.to_trec_eval(by_topic=options.get("by_topic", False)))
    if form == "html":
        from irassay.reports.page import single_page

        return single_page(view, provenance=result.provenance())
    return render(view, form, result.provenance() if form == "json" else None)


def write_report(
    found: Any,
    out: Mapping[str, Any],
    *,
    output: Annotated[Path, Option("The page to write; its folder is made where there is none.", short="-o")] = Path(
        "report.html"
    ),
    title: Annotated[str, "Title of the page."] = "",
) -> int:
    """Writes the page of an assay and says where it is; the answer is printed too, in the format asked for."""
    from irassay.reports.page import report

    new = not Path(output).parent.exists()
    path = report(found, output, title=title, command=" ".join(["irassay", *sys.argv[1:]]))
    if "save" in out and "format" not in out:
        found.save(out["save"])
    if "format" in out:
        emit(found, {}, out)
    elif not out.get("quiet"):
        for line in (*readable(found.view()).sentences, *(f"note: {note}" for note in found.scores.notes)):
            print(in_window(visible(str(line))), file=sys.stderr)
    if new and not out.get("quiet"):
        print(visible(f"note: made the folder {path.parent}"), file=sys.stderr)
    print(visible(str(path)), file=sys.stderr if "format" in out else sys.stdout)
    return 0


def shows_checksums(method: "Method[..., Any]", out: Mapping[str, Any]) -> bool:
    """Whether the answer will name its inputs with their checksums."""
    return "save" in out or out.get("format") in ("json", "html") or bool(method.traits.shown_by)


def check_format(method: "Method[..., Any]", out: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuses a format that the answer does not have, before any work is done for it."""
    kind = get_type_hints(method.function).get("return")
    if out.get("format") == "trec_eval" and not hasattr(kind, "to_trec_eval"):
        *others, last = (form for form in FORMATS if form != "trec_eval")
        raise InputError(f"the format trec_eval is for scores only; use {', '.join(others)} or {last}")
    path = Path(options["output"]) if "output" in options and hasattr(kind, "to_trec_eval") else None
    if path is None:
        return
    if path.suffix not in TABLES or "format" in out:
        raise InputError(f"--output {path}: the name must end in {', '.join(TABLES)}, which alone says the format")
    if not path.parent.is_dir():
        raise InputError(f"--output {path}: there is no folder {path.parent}")


def check_picture(path: Path) -> None:
    """Refuses a picture that could not be written, before any work is done for it."""
    if path.suffix not in PICTURES:
        raise InputError(f"--plot {path}: a picture's name must end in {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {path.parent}")


def clear() -> None:
    """Takes away what progress is still shown, as where work was stopped half-way."""
    while SHOWING:
        SHOWING.pop().stop()


def progress(label: str, quiet: bool = False) -> Callable[[int, int], None]:
    """A progress bar on a terminal once work takes longer than a second; nothing when piped."""
    if quiet or not sys.stderr.isatty():
        return lambda done, total: None
    from time import monotonic

    from rich.console import Console
    from rich.progress import Progress

    started = monotonic()
    bar: list[Any] = []

    def tell(done: int, total: int) -> None:
        if not bar and (monotonic() - started < 1 or done >= total):
            return
        if not bar:
            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            SHOWING.append(shown)
            bar.extend([shown, shown.add_task(label, total=total)])
        bar[0].update(bar[1], completed=done, total=total)
        if done >= total:
            bar[0].stop()

    return tell
