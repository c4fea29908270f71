"""Where output goes: results to standard output, notes and progress to standard error, pictures to files."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.views.render import render, show
from irassay.views.view import View

PICTURES = (".svg", ".png", ".pdf", ".html")


def emit(
    view: View,
    form: str,
    provenance: Mapping[str, Any] | None = None,
    plot: Path | None = None,
    quiet: bool = False,
) -> None:
    """Prints a view, and draws its charts where a picture was asked for."""
    if plot is not None:
        check_picture(plot)
    if form == "table":
        show(view, quiet=quiet)
    elif form == "trec_eval":
        raise InputError("the format trec_eval is for scores only; use table, tsv, csv, json, latex, markdown or html")
    else:
        if provenance is None and form in ("json", "html"):
            from irassay.provenance import provenance as versions

            provenance = versions((), {})
        if form == "html":
            from irassay.report.page import single_page

            text = single_page(view, provenance=provenance)
        else:
            text = render(view, form, provenance)
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        for note in () if quiet or form in ("json", "html", "markdown") else view.notes:
            print(f"note: {note}", file=sys.stderr)
    if plot is not None:
        draw(view, plot)


def check_picture(path: Path) -> None:
    """Refuses a picture that could not be written, before any work is done for it."""
    if path.suffix not in PICTURES:
        raise InputError(f"--plot {path}: a picture's name must end in {', '.join(PICTURES)}")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {path.parent}")


def draw(view: View, path: Path) -> None:
    """Writes the charts of a view: the first to the named file, others beside it with their name added."""
    if not view.charts:
        print("note: there is no picture of this result", file=sys.stderr)
    from irassay.views.theme import save

    for i, (name, make) in enumerate(view.charts):
        target = path if i == 0 else path.with_stem(f"{path.stem}-{name}")
        save(make(), target)
        print(f"drew {target}", file=sys.stderr)


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
        if not bar and monotonic() - started < 1 and done < total:
            return
        if not bar and done >= total:
            return
        if not bar:
            shown = Progress(console=Console(stderr=True), transient=True)
            shown.start()
            bar.extend([shown, shown.add_task(label, total=total)])
        bar[0].update(bar[1], completed=done, total=total)
        if done >= total:
            bar[0].stop()

    return tell
