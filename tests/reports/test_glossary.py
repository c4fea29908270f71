"""Every heading that a table prints is explained in one sentence."""

import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from irassay.errors import InputError
from irassay.metrics.grammar import parse
from irassay.reports.glossary import GLOSSARY, term_of
from irassay.views.view import Table, brief_view, view_of
from tests.support.examples import RESULTS
from tests.test_ask import CASES, ROOT, asked_case
from tests.views.test_sentences import NAMES, demo_results

EXPECTED = sorted((Path(__file__).parents[1] / "golden" / "expected").glob("*.json.xz"))
NAME_COLUMNS = ("system", "judge")  # their cells may be headings of other tables
NUMBER_OR_ROUND = re.compile(r"@?-?[\d.]+")


def is_metric(heading: str) -> bool:
    try:
        parse(heading)
    except InputError:
        return False
    return True


def unexplained(tables: list[tuple[tuple[str, ...], list[dict[str, Any]]]]) -> set[str]:
    """The headings of some tables without an explanation, except names of metrics, systems, judges and rounds."""
    names = {row.get(column) for _, rows in tables for row in rows for column in NAME_COLUMNS}
    headings = {heading for columns, _ in tables for heading in columns} - names
    return {each for each in headings if not (term_of(each) or NUMBER_OR_ROUND.fullmatch(each) or is_metric(each))}


def as_rows(table: Table) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    return table.columns, [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def recorded_tables(path: Path) -> Iterator[tuple[str, list[tuple[tuple[str, ...], list[dict[str, Any]]]]]]:
    """The tables of every recorded command that printed JSON."""
    for case, recorded in json.loads(lzma.decompress(path.read_bytes())).items():
        text = recorded["stdout"] if isinstance(recorded, dict) else ""
        if text.startswith("{") and '\n "results": ' in text:
            results = json.loads(text)["results"]
            lists = results if isinstance(results, dict) else {"": results}
            # a confusion table's second column is named after the reference
            yield case, [(tuple(rows[0])[2 * (name == "confusion") :], rows) for name, rows in lists.items() if rows]


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.partition(".")[0])
def test_every_heading_of_a_recorded_command_is_explained(path: Path) -> None:
    missing = {case: words for case, tables in recorded_tables(path) if (words := unexplained(tables))}
    assert not missing


@pytest.mark.parametrize("name", [*RESULTS, *NAMES, *CASES])
def test_every_heading_for_people_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = RESULTS | (demo_results() if name in NAMES else {})
    view = view_of(results[name] if name in results else asked_case(name))
    assert not unexplained([*map(as_rows, view.tables), *map(as_rows, brief_view(view).tables)])


@pytest.mark.parametrize("term", GLOSSARY)
def test_an_explanation_is_one_short_sentence(term: str) -> None:
    text = GLOSSARY[term]
    assert text[0].isupper() and text.endswith(".") and len(text.split()) <= 28
    assert not re.search(r"\. [A-Z]", text)
