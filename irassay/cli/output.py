"""Where output goes: results to standard output, notes and progress to standard error, pictures to files."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from irassay.errors import InputError, spelled_as
from irassay.prose import in_window, padded, visible
from irassay.results import Result
from irassay.settings import Option
from irassay.views.formats import FORMATS, render
from irassay.views.render import show
from irassay.views.view import PICTURES, readable

if TYPE_CHECKING:
    from irassay.method import Method

SHOWING: list["ProgressBar"] = []  # progress bars that were put on the terminal; to stop one twice does no harm
BAR = 30  # letters of a progress bar
TABLES = (".tsv", ".csv", ".parquet")
PAPER = "note: a paper's table, systems by metrics, is made by irassay table, with the same arguments"


def emit(result: Any, options: Mapping[str, Any], out: Mapping[str, Any]) -> int:
    """Prints an answer, draws and keeps it where that was asked for: the exit status."""
    if isinstance(result, str):
        say(result)
        return 0
    if out.get("format") == "json":
        with spelled_as("keyword"):  # the same document as from Python, whoever asked for it
            return _emitted(result, options, out)
    return _emitted(result, options, out)


def _emitted(result: Any, options: Mapping[str, Any], out: Mapping[str, Any]) -> int:
    if not isinstance(result, Result):
        raise InputError(
            f"a method returns a Result or text, and this one a {type(result).__name__}; derive from Result"
        )
    form, quiet = FORMATS[out.get("format", "table")], out.get("quiet", False)
    scores = result.saved_as == "scores"
    straight = scores and ("output" in options or (form.streams and not sys.stdout.isatty()))
    machine = {"long": True} if scores and form.machine else {}
    shown = {} if straight else {**options, **machine}
    view = result.view(labels=not form.machine, **shown)
    if quiet and form.notes and not form.machine:
        view = replace(view, notes=())
    if "save" in out:
        result.save(out["save"])
    if form.terminal and not straight:
        show(view, quiet=quiet)
    else:
        if straight:  # rows as they are made, for there may be millions
            write_rows(result, form.name, options.get("by_topic", False), options.get("output"))
        else:
            origin = result.provenance() if "provenance" in form.takes else None
            text = render(view, form.name, origin, scores=result, by_topic=options.get("by_topic", False))
            say(text if text.endswith("\n") else text + "\n", form.name)
        if view.methods and not form.methods:
            print(in_window(visible(view.methods)), file=sys.stderr)
        for note in () if quiet or form.notes else view.notes:
            print(in_window(visible(f"note: {note}")), file=sys.stderr)
        if form.name == "latex" and result.saved_as == "comparison" and not quiet:
            print(in_window(PAPER), file=sys.stderr)
    if "plot" in out:
        from irassay.views.letters import on_letters
        from irassay.views.theme import draw

        pictured = result.view(**shown) if form.machine else view
        told = draw(pictured, Path(out["plot"]))
        for note in () if quiet else on_letters(pictured, Path(out["plot"])):
            print(in_window(visible(f"note: {note}")), file=sys.stderr)
        for line in [f"drew {path}" for path in told] or ["note: there is no picture of this result"]:
            print(visible(line), file=sys.stderr)
    return int(result.status)


def say(text: str, form: str = "") -> None:
    """Prints text on standard output; a terminal is shown escapes of what it would obey, a file gets what is there."""
    if sys.stdout.isatty() and form != "json":
        text = visible(text, keep="\n\t")
    escape = FORMATS[form].escape if form else None
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = escape(text) if escape else text
    sys.stdout.write(text)


def write_rows(scores: Any, form: str, by_topic: bool, path: Path | None) -> None:
    """Writes scores one row a value, to a file or to standard output."""
    from irassay.views.scores import write_long, write_table

    if path is None:
        write_long(scores, by_topic, form, sys.stdout)
    else:
        write_table(scores, by_topic, Path(path))


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
    return "save" in out or out.get("format") in ("json", "html") or bool(method.traits.presenter)


def check_format(method: "Method[..., Any]", out: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Refuses a format that the answer does not have, before any work is done for it."""
    kind = get_type_hints(method.function).get("return")
    scores = getattr(kind, "saved_as", "") == "scores"
    form = FORMATS[out.get("format", "table")]
    if form.for_scores and not scores:
        *others, last = (each.name for each in FORMATS.values() if not each.for_scores)
        raise InputError(f"the format {form.name} is for scores only; use {', '.join(others)} or {last}")
    path = Path(options["output"]) if "output" in options and scores else None
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


class ProgressBar:
    """A line on standard error with the share of the work that is done; it is wiped where the work ends."""

    def __init__(self, label: str) -> None:
        self.label, self.finished = label, False
        self.started = self.drawn = monotonic()

    def update(self, done: int, total: int) -> None:
        """Draws the line again, ten times a second at most."""
        now = monotonic()
        if not self.finished and now - self.drawn > 0.1:
            self.drawn, share = now, done / total
            left = f", {(now - self.started) * (1 - share) / share:,.0f} s left" if share else ""
            bar = ("=" * round(BAR * share)).ljust(BAR)
            self._write(f"{self.label} [{bar}] {share:.0%}{left}")

    def stop(self) -> None:
        """Wipes the line."""
        if not self.finished:
            self.finished = True
            self._write("")

    def _write(self, text: str) -> None:
        columns = get_terminal_size().columns - 1
        sys.stderr.write(f"\r{padded(text[:columns], columns)}\r{text[:columns]}")
        sys.stderr.flush()


def progress(label: str, quiet: bool = False) -> Callable[[int, int], None]:
    """A progress bar on a terminal once work takes longer than a second; nothing when piped."""
    if quiet or not sys.stderr.isatty():
        return lambda done, total: None
    bar = ProgressBar(label)

    def tell(done: int, total: int) -> None:
        shown = bar in SHOWING
        if shown and done >= total:
            bar.stop()
        elif done < total and (shown or monotonic() - bar.started >= 1):
            if not shown:
                SHOWING.append(bar)
            bar.update(done, total)

    return tell
