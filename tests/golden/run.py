"""Runs a case through `irassay.cli.main` and keeps what a user would see of it, without what may differ by machine."""

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
# A fixed date, a fixed width for the messages of the parser of options, and no colours.
SETTINGS = {"SOURCE_DATE_EPOCH": "0", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
UNWANTED = ("IRASSAY_TRACEBACK", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TERMINAL_WIDTH", "PYTHONWARNINGS")
VERSIONED = ("irassay", "python", "numpy", "scipy", "polars", "altair", "vl-convert-python")
PICTURES = ("svg", "png", "pdf", "html")
LONGEST = 60_000  # characters of a written file that are kept; of a longer one the checksum is


def run(case: Case) -> dict[str, Any]:
    """What the case prints and writes, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [argument.replace("TMP", folder) for argument in case.argv]
        stdin = (ROOT / case.stdin).read_bytes() if case.stdin else b""
        specs: list[Any] = []
        if case.fresh:
            status, out, err = _in_a_process(arguments, stdin)
        else:
            with _drawn(specs), _warned() as warned:
                status, out, err = _here(arguments, stdin)
            err += "".join(warned())
        out, err = (text.replace(folder, "TMP") for text in (out, err))
        record: dict[str, Any] = {
            "status": status,
            "stdout": versionless(out),
            "stderr": said(versionless(err)),
            "files": {},
        }
        if out.lstrip().startswith("<!doctype html>"):
            record["stdout"], record["files"]["the page's data"] = page(out)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                record["files"][f"TMP/{path.relative_to(folder).as_posix()}"] = _written(path, folder, specs)
        return record


def _here(arguments: list[str], stdin: bytes) -> tuple[int, str, str]:
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


def _in_a_process(arguments: list[str], stdin: bytes) -> tuple[int, str, str]:
    """Runs the command in a process of its own, where nobody else has registered metrics or properties."""
    environment = {key: value for key, value in os.environ.items() if key not in UNWANTED} | SETTINGS
    command = [sys.executable, "-m", "irassay", *arguments]
    done = subprocess.run(command, capture_output=True, input=stdin, cwd=ROOT, env=environment, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@contextmanager
def _warned() -> Iterator[Callable[[], list[str]]]:
    """Keeps the warnings that a user would see, each once, a line each, wherever in the code they come from."""
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
def _drawn(specs: list[Any]) -> Iterator[None]:
    """Keeps the specification of every chart instead of drawing it; the picture says which one it would be."""
    import vl_convert

    def here(place: str, *given: Any, **settings: Any) -> Any:
        name = place.partition(":")[2]
        form = name.removeprefix("vegalite_to_")
        return kept(form)(*given) if form in PICTURES else getattr(vl_convert, name)(*given, **settings)

    def kept(form: str) -> Any:
        def draw(spec: Any, *_: Any, **__: Any) -> Any:
            specs.append({"drawn as": form, "spec": chart(json.loads(spec) if isinstance(spec, str) else spec)})
            text = f"CHART {len(specs) - 1}"
            return text.encode() if form in ("png", "pdf") else text

        return draw

    with mock.patch("irassay.views.theme.subprocess_call", here):
        yield


def _written(path: Path, folder: str, specs: list[Any]) -> Any:
    """A written file: the chart that it shows, the text of a page, where a saved result is from, or as it is."""
    data = path.read_bytes()
    text = data.decode("utf-8", errors="replace").replace(folder, "TMP")
    if re.fullmatch(r"CHART \d+", text):
        return specs[int(text[6:])]
    if drawn := re.search(r'<script type="application/json" id="spec">(.*?)</script>', text, re.DOTALL):
        return {"drawn as": "html", "spec": chart(json.loads(drawn[1]))}
    if path.suffix == ".html":
        shown, islands = page(text)
        return {"text": shown, "data": islands}
    if path.suffix == ".json" and text.startswith("{"):
        document = json.loads(versionless(text))
        if "saved" in document:  # the form of the result itself is not compared: `saved/` has one of every kind
            document["saved"] = document["saved"]["result"].rpartition(":")[2]
        return document
    return versionless(text) if len(text) <= LONGEST else {"sha256": hashlib.sha256(data).hexdigest()}


def versionless(text: str) -> str:
    """Text without the versions of irassay and of the libraries, and without an order that was left to chance."""
    text = re.sub(r"(?<=put first by some metric: )[^\n]*?(?=\.(?:\s|$|\"))", _in_order, text)
    text = re.sub(rf'("(?:{"|".join(VERSIONED)})": )"\d[^"]*"', r'\1"VERSION"', text)
    text = re.sub(rf"(?m)^({'|'.join(VERSIONED)})\n: \d\S*$", "\\1\n: VERSION", text)  # on a page
    return re.sub(r"(?m)^irassay \d+\.\S+( \(.*compiled scanner\))?$", "irassay VERSION", text)


def _in_order(match: re.Match[str]) -> str:
    """Systems with as many metrics that put them first, by name: version 0.1.0 had them in the order of a set."""
    listed = [entry.rpartition(" by ") for entry in match[0].split(", ")]
    if not all(n.isdigit() for _, _, n in listed):
        return match[0]
    return ", ".join(f"{name} by {n}" for name, _, n in sorted(listed, key=lambda entry: (-int(entry[2]), entry[0])))


def said(text: str) -> str:
    """Standard error; of what the parser of options says only the sentence, without usage and frame."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    text = re.sub(r"(would take about )[\d,.]+ \w+", r"\1SOME TIME", text)  # as fast as this machine is
    if "╭" not in text:
        return text
    return re.sub(r"\s+", " ", re.sub(r"[╭╮╰╯─│]", " ", text[text.index("╭") :])).strip() + "\n"


# Charts.


def chart(spec: Any) -> Any:
    """A Vega-Lite specification with names that do not depend on what was drawn before, and data row by row."""
    known: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return known.setdefault(match[0], f"{match[1]}{len(known) + 1}")

    plain = {key: value for key, value in _unpacked(spec).items() if key != "$schema"}
    text = json.dumps(plain, ensure_ascii=False)
    return json.loads(re.sub(r"\b(view_|param_|selector|data-)(?=[0-9a-f]*\d)[0-9a-f]+\b", name, text))


def _unpacked(spec: Any) -> Any:
    """Rows of data that the page keeps by column, as rows."""
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


def page(html: str) -> tuple[str, Any]:
    """The text of a page with its tables, and the charts and LaTeX that its script would show."""
    reader = _Page()
    reader.feed(html)
    reader.close()
    lines = (re.sub(r" +", " ", line).strip(" ") for line in "".join(reader.parts).split("\n"))
    text = "\n".join(line for line in lines if line.strip())
    islands = json.loads("".join(reader.island) or "{}")
    if "charts" in islands:
        islands["charts"] = {name: chart(spec) for name, spec in islands["charts"].items()}
    return versionless(text) + "\n", islands


class _Page(HTMLParser):
    """Collects text: a line a block, a tab between cells, stars round what is bold; scripts and styles are left out."""

    blocks = frozenset(
        "title h1 h2 h3 p li ul tr table thead tbody section div details summary dl dt pre nav header main dialog "
        "noscript figure".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.island: list[str] = []
        self.within = ""  # the script or style that we are in
        self.exact = False  # in preformatted text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "style"):
            self.within = "island" if given.get("type") == "application/json" else tag
        elif tag == "figure":
            self.parts.append(f"\n[chart {given.get('data-chart')}]\n")
        elif tag in ("td", "th"):
            self.parts.append("\t")
        elif tag == "dd":
            self.parts.append(": ")
        elif tag in ("b", "sup"):
            self.parts.append("*" if tag == "b" else "^")
        elif tag == "a" and (given.get("href") or "").startswith("#"):
            self.parts.append(f"[{given['href']} ")
        elif tag in self.blocks:
            self.parts.append("\n")
        self.exact = self.exact or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self.within = ""
        elif tag == "b":
            self.parts.append("*")
        elif tag == "a":
            self.parts.append("]")
        elif tag in self.blocks:
            self.parts.append("\n")
        self.exact = self.exact and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self.within == "island":
            self.island.append(data)
        elif not self.within:
            self.parts.append(data if self.exact else re.sub(r"\s+", " ", data))
