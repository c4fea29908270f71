"""Every result can be shown, drawn, kept and read back, and says what it found."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from irassay.meta.agreement import agreement
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.similarity import similarity
from irassay.metrics.grids import grid
from irassay.results import result_from_json, result_json
from irassay.scores import Scores
from irassay.stats.selection import Selection
from irassay.views.formats import view_text
from irassay.views.theme import themed_spec
from irassay.views.view import Table, View, brief_view, column, escaped_view, sorted_view, view_of
from tests.support.examples import FEW, RESULTS

every_result = pytest.mark.parametrize("name", RESULTS)


@every_result
def test_it_can_be_shown_in_every_format(name: str) -> None:
    shown = view_of(RESULTS[name])
    assert shown.sentences and all(sentence.endswith(".") and "nan" not in sentence for sentence in shown.sentences)
    for form in ("tsv", "csv", "latex", "markdown"):
        assert view_text(shown, form)
    document = json.loads(view_text(shown, "json", {"irassay": "test"}))
    assert document["sentences"] == list(shown.sentences)
    for table in shown.tables:
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows)


@every_result
def test_its_charts_can_be_drawn(name: str) -> None:
    for _, make in view_of(RESULTS[name]).charts:
        text = json.dumps(themed_spec(make()), allow_nan=False)
        assert "vega-lite" in text and len(text) < 2_000_000


@every_result
def test_it_can_be_kept_and_read_back(name: str) -> None:
    result = RESULTS[name]
    back = result_from_json(result_json(result))
    assert_same_fields(result, back)
    assert view_of(back).sentences == view_of(result).sentences


def assert_same_fields(result: Any, back: Any) -> None:
    assert type(back) is type(result)
    for field in dataclasses.fields(result):
        one, other = getattr(result, field.name), getattr(back, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        elif isinstance(one, Selection):
            assert_same_fields(one, other)
        else:
            assert one == other


@every_result
def test_its_notes_name_constant_metrics(name: str) -> None:
    if name.startswith("grid") or name == "robustness":
        return
    assert any("Constant" in note and FEW[3] in note for note in view_of(RESULTS[name], labels=False).notes)


def test_canonical_metrics_are_marked_in_tables_and_charts() -> None:
    for name in ("grid consistency", "grid discrimination", "grid agreement"):
        shown = view_of(RESULTS[name])
        table = shown.tables[-1] if name == "grid agreement" else shown.tables[0]
        metrics = column(table, "metric")
        assert {metrics[row] for row, at in table.marks if at == 0} == set(grid("cwla").canonical)
        assert any("canonical" in note for note in shown.notes)
    drawn = json.dumps(view_of(RESULTS["grid similarity"], labels=False).charts[0][1]().to_dict())
    assert all(f"{metric}, canonical" in drawn for metric in grid("cwla").canonical)


def test_a_repr_starts_with_the_answer_and_shows_no_arrays() -> None:
    for found in RESULTS.values():
        text = repr(found)
        assert text == str(found) and text.split()[:8] == escaped_view(view_of(found)).sentences[0].split()[:8], text
        assert "array" not in text, text


def test_two_constant_metrics_are_said_to_rank_nothing() -> None:
    flat = Scores(np.full((3, 8, 2), 0.5), tuple("abc"), tuple("12345678"), ("one", "other"))
    assert "There is no tau: by all metrics" in view_of(similarity(flat)).sentences[0]
    assert "There is no tau: by every metric" in view_of(consistency(flat, splits=5)).sentences[0]
    assert view_of(discrimination(flat, test="t")).sentences[0].startswith("No metric separates any of 3 pairs")
    assert view_of(agreement(flat)).sentences


@every_result
def test_python_shows_the_brief_view_and_says_how_to_see_the_rest(name: str) -> None:
    result = RESULTS[name]
    full, shown, page = result.view(), str(result), result._repr_html_()
    brief = brief_view(full)
    assert all(sentence in shown for sentence in brief.sentences)
    hidden = [each for each in full.sentences if each not in brief.sentences]
    assert not any(sentence in shown for sentence in hidden) and all(sentence in str(full) for sentence in hidden)
    leaves_out = hidden or full.notes or any(table.detail or table.brief for table in full.tables)
    assert not leaves_out or (".view() also shows: " in shown and ".view() also shows: " in page)
    assert len(str(full)) >= len(shown.rpartition("\n")[0])


def test_rows_of_detail_come_last_and_only_in_full() -> None:
    table = Table("cells", ("row",), (("a",), ("b",), ("c",)), brief_rows=(2,), row_digits=(1, 2, 3))
    brief = brief_view(View("Cells", (), (table,))).tables[0]
    assert brief.rows == (("c",), ("a",), ("b",)) and brief.max_rows == 1 and brief.row_digits == (3, 1, 2)
    assert sorted_view(View("Cells", (), (table,)), "row").tables[0].brief_rows == ()
