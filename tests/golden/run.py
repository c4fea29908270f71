"""Runs a case through `irassay.cli.main` and records what a user would see, without what differs between machines."""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

from tests.golden.cases import Case

ROOT = Path(__file__).parent.parent.parent
# A fixed date, a fixed terminal width, and no colours.
SETTINGS = {"SOURCE_DATE_EPOCH": "0", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
UNWANTED = ("IRASSAY_TRACEBACK", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TERMINAL_WIDTH", "PYTHONWARNINGS")
VERSIONED = ("irassay", "python", "numpy", "scipy", "polars", "altair", "vl-convert-python")
PICTURES = ("svg", "png", "pdf", "html")
MAX_FILE_LENGTH = 60_000  # characters of a written file that are recorded; of a longer one, only the checksum


def run(case: Case) -> dict[str, Any]:
    """The record of a case: what it prints and writes, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [argument.replace("TMP", folder) for argument in case.argv]
        stdin = (ROOT / case.stdin).read_bytes() if case.stdin else b""
        specs: list[Any] = []
        if case.fresh:
            status, out, err = _run_in_process(arguments, stdin)
        else:
            with _recorded_charts(specs), _recorded_warnings() as warning_lines:
                status, out, err = _run_here(arguments, stdin)
            err += "".join(warning_lines())
        out, err = (text.replace(folder, "TMP") for text in (out, err))
        stderr = re.sub(
            r"(would take about )[\d,.]+ \w+", r"\1SOME TIME", without_versions(err)
        )  # depends on the machine
        record: dict[str, Any] = {"status": status, "stdout": without_versions(out), "stderr": stderr, "files": {}}
        if out.lstrip().startswith("<!doctype html>"):
            record["stdout"], record["files"]["the page's data"] = page_text_and_data(out)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                record["files"][f"TMP/{path.relative_to(folder).as_posix()}"] = _file_record(path, folder, specs)
        return record


def _run_here(arguments: list[str], stdin: bytes) -> tuple[int, str, str]:
    """Runs the command in this process."""
    from irassay.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2))
    before = Path.cwd()
    status = 0
    with (
        mock.patch.dict(os.environ, SETTINGS),
        mock.patch.object(sys, "argv", ["irassay", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        for name in UNWANTED:
            os.environ.pop(name, None)
        os.chdir(ROOT)
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            os.chdir(before)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return status, texts[0], texts[1]


def _run_in_process(arguments: list[str], stdin: bytes) -> tuple[int, str, str]:
    """Runs the command in a separate process, where no other case has registered metrics or axioms."""
    environment = {key: value for key, value in os.environ.items() if key not in UNWANTED} | SETTINGS
    command = [sys.executable, "-m", "irassay", *arguments]
    done = subprocess.run(command, capture_output=True, input=stdin, cwd=ROOT, env=environment, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@contextmanager
def _recorded_warnings() -> Iterator[Callable[[], list[str]]]:
    """Gives a function that lists the warnings a user would see, each once, on a line each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda: list(
            dict.fromkeys(
                f"{warning.category.__name__}: {warning.message}\n"
                for warning in caught
                if issubclass(warning.category, RuntimeWarning | UserWarning)
            )
        )


@contextmanager
def _recorded_charts(specs: list[Any]) -> Iterator[None]:
    """Records the specification of every chart instead of drawing it; the picture holds its number."""
    import vl_convert

    def call(place: str, *arguments: Any, **settings: Any) -> Any:
        name = place.partition(":")[2]
        form = name.removeprefix("vegalite_to_")
        if form not in PICTURES:
            return getattr(vl_convert, name)(*arguments, **settings)
        spec = json.loads(arguments[0]) if isinstance(arguments[0], str) else arguments[0]
        specs.append({"drawn as": form, "spec": stable_chart(spec)})
        text = f"CHART {len(specs) - 1}"
        return text.encode() if form in ("png", "pdf") else text

    with mock.patch("irassay.views.theme.subprocess_call", call):
        yield


def _file_record(path: Path, folder: str, specs: list[Any]) -> Any:
    """The record of a written file: its chart, the text of a page, the document of a saved result, or its text."""
    data = path.read_bytes()
    text = data.decode("utf-8", errors="replace").replace(folder, "TMP")
    if re.fullmatch(r"CHART \d+", text):
        return specs[int(text[6:])]
    if drawn := re.search(r'<script type="application/json" id="spec">(.*?)</script>', text, re.DOTALL):
        return {"drawn as": "html", "spec": stable_chart(json.loads(drawn[1]))}
    if path.suffix == ".html":
        page_text, data = page_text_and_data(text)
        return {"text": page_text, "data": data}
    if path.suffix == ".json" and text.startswith("{"):
        document = json.loads(without_versions(text))
        if "saved" in document:  # the saved result itself is not compared: `saved/` has one of every kind
            document["saved"] = document["saved"]["result"].rpartition(":")[2]
        return document
    return without_versions(text) if len(text) <= MAX_FILE_LENGTH else {"sha256": hashlib.sha256(data).hexdigest()}


def without_versions(text: str) -> str:
    """Text without the versions of irassay and of libraries, and with ties in a list of systems in order."""
    text = re.sub(r"(?<=put first by some metric: )[^\n]*?(?=\.(?:\s|$|\"))", _sorted_ties, text)
    text = re.sub(rf'("(?:{"|".join(VERSIONED)})": )"\d[^"]*"', r'\1"VERSION"', text)
    text = re.sub(rf"(?m)^({'|'.join(VERSIONED)})\n: \d\S*$", "\\1\n: VERSION", text)  # on a page
    return re.sub(r"(?m)^irassay \d+\.\S+( \(.*compiled scanner\))?$", "irassay VERSION", text)


def _sorted_ties(match: re.Match[str]) -> str:
    """Systems that equally many metrics rank first, by name: in 0.1.0 their order was random."""
    entries = [entry.rpartition(" by ") for entry in match[0].split(", ")]
    if not all(n.isdigit() for _, _, n in entries):
        return match[0]
    return ", ".join(f"{name} by {n}" for name, _, n in sorted(entries, key=lambda entry: (-int(entry[2]), entry[0])))


# Charts.


def stable_chart(spec: Any) -> Any:
    """A Vega-Lite specification whose names do not depend on earlier charts, with its data by row."""
    new_names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return new_names.setdefault(match[0], f"{match[1]}{len(new_names) + 1}")

    plain = {key: value for key, value in _unpacked(spec).items() if key != "$schema"}
    text = json.dumps(plain, ensure_ascii=False)
    return json.loads(re.sub(r"\b(view_|param_|selector|data-)(?=[0-9a-f]*\d)[0-9a-f]+\b", name, text))


def _unpacked(spec: Any) -> Any:
    """The specification with data by row, which the page holds by column."""
    if isinstance(spec, list):
        return [_unpacked(each) for each in spec]
    if not isinstance(spec, dict):
        return spec
    if isinstance(packed := spec.get("packed"), dict):
        columns = {
            key: [column["words"][n] for n in column["at"]] if isinstance(column, dict) else column
            for key, column in packed.items()
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {key: value for key, value in spec.items() if key != "packed"} | {"values": rows}
    return {key: _unpacked(value) for key, value in spec.items()}


# Pages.


def page_text_and_data(html: str) -> tuple[str, Any]:
    """The text of a page with its tables, and the charts and LaTeX that its script would show."""
    reader = _PageReader()
    reader.feed(html)
    reader.close()
    lines = (re.sub(r" +", " ", line).strip(" ") for line in "".join(reader.parts).split("\n"))
    text = "\n".join(line for line in lines if line.strip())
    islands = json.loads("".join(reader.island) or "{}")
    if "charts" in islands:
        islands["charts"] = {name: stable_chart(spec) for name, spec in islands["charts"].items()}
    return without_versions(text) + "\n", islands


class _PageReader(HTMLParser):
    """Collects text: one line per block, tabs between cells, stars around bold; without scripts and styles."""

    blocks = frozenset(
        "title h1 h2 h3 p li ul tr table thead tbody section div details summary dl dt pre nav header main dialog "
        "noscript figure".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.island: list[str] = []
        self.element = ""  # the script or style that is being read
        self.preformatted = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("script", "style"):
            self.element = "island" if attributes.get("type") == "application/json" else tag
        elif tag == "figure":
            self.parts.append(f"\n[chart {attributes.get('data-chart')}]\n")
        elif tag in ("td", "th"):
            self.parts.append("\t")
        elif tag == "dd":
            self.parts.append(": ")
        elif tag in ("b", "sup"):
            self.parts.append("*" if tag == "b" else "^")
        elif tag == "a" and (attributes.get("href") or "").startswith("#"):
            self.parts.append(f"[{attributes['href']} ")
        elif tag in self.blocks:
            self.parts.append("\n")
        self.preformatted = self.preformatted or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self.element = ""
        elif tag == "b":
            self.parts.append("*")
        elif tag == "a":
            self.parts.append("]")
        elif tag in self.blocks:
            self.parts.append("\n")
        self.preformatted = self.preformatted and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.element == "island":
            self.island.append(data)
        elif not self.element:
            self.parts.append(data if self.preformatted else re.sub(r"\s+", " ", data))
