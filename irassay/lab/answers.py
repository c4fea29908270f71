"""From a method's request to its answer on the disk, and from a saved answer to any format: runs in a worker."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from irassay.ask import ask, check_values
from irassay.assays.assay import Assay
from irassay.declarations import argument_spellings, index
from irassay.errors import Argument, InputError, spelled_as
from irassay.lab.arguments import accepted_arguments
from irassay.lab.problems import PointedError
from irassay.lab.workspace import DOCUMENT
from irassay.parallel import Progress, context
from irassay.provenance import DEFINED_FILES, checksum_of, checksum_record, files_shown_as, recording_checksums
from irassay.results import Result, load
from irassay.views.formats import FORMATS, view_text
from irassay.views.metric_labels import chart_specs
from irassay.views.theme import save_chart

RESULT, PAGE = "result.json", "report.html"
PICTURES = ("svg", "png")
DEFINED_CHECKSUMS: dict[str, str] = {}  # of users' files, which are named from the folder where the lab was started


def record_user_files() -> None:
    """Records the checksums of users' files, before the process goes to another folder."""
    for path in DEFINED_FILES:
        with Path(path).open("rb") as file:
            DEFINED_CHECKSUMS[path] = checksum_of(file)


@contextmanager
def hidden_user_files(paths: Sequence[str]) -> Iterator[None]:
    """Users' files that the provenance of answers does not list, inside the block."""
    before = list(DEFINED_FILES)
    DEFINED_FILES[:] = [path for path in before if path not in paths]
    try:
        yield
    finally:
        DEFINED_FILES[:] = before


@contextmanager
def working_in(folder: Path | None, names: Mapping[str, str] = {}) -> Iterator[None]:
    """Work in a folder, so that its files go by the names they were given; `names` has those of subfolders, by path."""
    before = Path.cwd()
    try:
        if folder is not None:
            os.chdir(folder)
        with files_shown_as(names):
            yield
    finally:
        os.chdir(before)


def check_request(command: str, values: Mapping[str, Any], folder: Path | None, names: Mapping[str, str]) -> None:
    """Refuses values that the method does not allow, and files that it cannot use, before a job starts."""
    if not values.get("scores"):  # tables may have metrics of their own
        check_metrics([*values.get("metrics", ()), *([values["metric"]] if "metric" in values else [])])
    try:
        with working_in(folder, names):
            check_values(command, values, looks=folder is not None)
    except InputError as error:
        entry = index()["commands"].get(command, {"arguments": ()})
        unaccepted = {each["name"] for each in entry["arguments"]} - accepted_arguments(entry).keys()
        if not any(isinstance(piece, Argument) and piece.name in unaccepted for piece in error.args):
            raise
        only_there = f" That is not possible over HTTP; run the command irassay {command}."
        raise InputError(*error.args, only_there, argument=error.argument) from None


def check_metrics(names: Sequence[str]) -> None:
    """Refuses unknown metrics, with their place in the request."""
    from irassay.metrics.grammar import metric_strings, parse

    for place, name in enumerate(names):
        try:
            for metric in metric_strings(name):
                parse(metric)
        except InputError as error:
            raise PointedError(error, f"/metrics/{place}") from None


def compute_answer(
    command: str,
    entry: Mapping[str, Any],
    values: Mapping[str, Any],
    view: Mapping[str, Any],
    folder: Path | None,
    target: Path,
    names: Mapping[str, str],
    jobs: int,
    unused: Sequence[str],
    progress: Any,
) -> None:
    """Asks a method about the files of a folder, and writes its result and its JSON document to another one.

    `unused` are users' files that the answer does not depend on.
    """

    def report_progress(label: str) -> Progress:
        return lambda done, total: progress(done / total if total else 0.0, label)

    with (
        working_in(folder, names), hidden_user_files(unused), recording_checksums(),
        context(jobs=jobs, progress=report_progress),
    ):  # fmt: skip
        record = checksum_record()
        assert record is not None
        record |= DEFINED_CHECKSUMS
        with spelled_as("option", argument_spellings(entry)):
            result = ask(command, values)
        if not isinstance(result, Result):
            raise InputError(f"{command} has no result that can be shown here.")
        progress(1.0, "writing")
        options = {name: value for name, value in view.items() if name != "title"}
        with spelled_as("keyword"):
            text = answer_text(result, "json", options)
        (target / "view.json").write_text(json.dumps(dict(view)))
        if isinstance(result, Assay):
            from irassay.reports.page import report

            report(result, target / PAGE, title=str(view.get("title", "")), command=f"irassay {command}")
        result.save(target / RESULT)
        temporary = target / f"{DOCUMENT}.new"
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(temporary, target / DOCUMENT)


def answer_text(result: Result, form: str, options: Mapping[str, Any]) -> str:
    """The text of a result in a format, as the command prints it."""
    machine = FORMATS[form].machine
    more = {"long": True} if machine and result.saved_as == "scores" else {}
    view = result.view(labels=not machine, sort="", **options, **more)
    origin = result.provenance() if "provenance" in FORMATS[form].takes else None
    text = view_text(view, form, origin, scores=result, by_topic=options.get("by_topic", False), safe_csv=False)
    return text if text.endswith("\n") else f"{text}\n"


def write_format(job: Path, form: str, chart: int, target: Path) -> None:
    """Writes a saved answer in a format, or one of its charts as a picture, to a file."""
    if form == "html" and (job / PAGE).is_file():
        content = (job / PAGE).read_bytes()
        target.write_bytes(content)
        return
    result, options = saved_answer(job)
    with spelled_as("keyword"):
        if form in PICTURES:
            charts = list(chart_specs(result.view(**options)))
            if chart >= len(charts):
                raise InputError("This result has no such picture.")
            save_chart(charts[chart][1](), target)
        else:
            target.write_text(answer_text(result, form, options), encoding="utf-8", errors="backslashreplace")


def saved_answer(job: Path) -> tuple[Result, dict[str, Any]]:
    """The saved result of a job, and the options of its view."""
    options = json.loads((job / "view.json").read_text())
    return load(job / RESULT), {name: value for name, value in options.items() if name != "title"}
