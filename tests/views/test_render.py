"""Renderings for terminals, notebooks and programs, and views of results that have none of their own."""

from dataclasses import dataclass, replace
from typing import ClassVar

import polars as pl
import pytest

from irassay.errors import InputError
from irassay.notes import Note
from irassay.views.formats import view_text
from irassay.views.machine_formats import as_frame
from irassay.views.markup import as_html, as_latex
from irassay.views.metric_labels import chart_specs
from irassay.views.render import as_text, brief_html, print_view
from irassay.views.theme import themed_spec
from irassay.views.view import Detail, Table, View, escaped_view, sorted_view, view_of
from tests.support.examples import RESULTS

EVIL = "<img src=x onerror=alert(1)>&"
SMALL = View(
    "Small",
    ("One is best.",),
    (
        Table("first", ("name", "value"), (("one", 1.5), (EVIL, None)), EVIL, marks=frozenset({(0, 1)}), max_rows=1),
        Table("second", ("name", "count"), (("two", 2), ("three", 3)), main=True, raised={(0, 1): "<a>"}),
    ),
    (f"Beware of {EVIL}.",),
)


def test_text_starts_with_the_answer() -> None:
    lines = as_text(SMALL).split("\n")
    assert lines[0] == "One is best." and lines[1] == EVIL
    assert "… 1 more row" in lines and lines[-1] == f"note: Beware of {EVIL}."
    assert "two        2 <a>" in lines


def test_a_terminal_shows_details_on_request_and_says_that_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    long = Table("long", ("name", "value"), tuple((f"row {n}", float(n)) for n in range(5)), "Long", max_rows=2)
    notes = (Note("caution", caveat=True), Note("a fact"), "a method")
    view = View("V", ("Answer.", Detail("More.")), (long, replace(long, name="rest", detail=True, title="Rest")), notes)
    print_view(view, full=False, notes=False)
    out, err = capsys.readouterr()
    assert out.startswith("Answer.\nLong") and "More." not in out and "Rest" not in out and "row 2" not in out
    assert "… 3 more rows" in out
    counted = "1 note about the input and 1 about the method; notes shows them"
    assert err.splitlines() == ["note: caution", counted, "full also shows: Rest; 1 more sentence"]
    print_view(view)
    out, err = capsys.readouterr()
    assert "More." in out and "Rest" in out and out.count("row 4") == 2
    assert err.splitlines() == ["note: caution", "note: a fact", "note: a method"]
    for text in (view_text(view, form) for form in ("json", "latex", "markdown")):
        assert text.count("row 4") == 2


def test_a_window_gets_one_line_on_all_tables_that_were_fitted_and_no_empty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tuple(f"a long heading {n}" for n in range(9))
    wide = Table("wide", ("name", *names, "behind"), (("x", *(0.12345,) * 9, ""),))
    view = View("V", ("Answer.",), (wide, replace(wide, name="other")))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    print_view(view, full=False)
    out, err = capsys.readouterr()
    assert out.count("0.123") == 18 and "behind" not in out and max(map(len, out.splitlines())) <= 60
    assert err.count("to fit the window") == 1
    print_view(view)
    assert "behind" in capsys.readouterr().out


def test_sorting_moves_marks_with_their_rows_and_shows_the_table() -> None:
    rows = (("b", 1.0), ("a", 3.0), ("c", None), ("d", 2.0))
    table = Table("t", ("name", "value"), rows, marks=frozenset({(1, 1)}), raised={(3, 0): "x"}, detail=True)
    view = View("V", (), (table,))
    down = sorted_view(view, "value").tables[0]
    assert [row[0] for row in down.rows] == ["a", "d", "b", "c"] and not down.detail
    assert down.marks == {(0, 1)} and down.raised == {(1, 0): "x"}
    assert [row[0] for row in sorted_view(view, "-value").tables[0].rows] == ["b", "d", "a", "c"]
    assert [row[0] for row in sorted_view(view, "NAME").tables[0].rows] == ["a", "b", "c", "d"]
    as_p = replace(view, tables=(replace(table, p_columns=("value",)),))
    assert [row[0] for row in sorted_view(as_p, "value").tables[0].rows] == ["b", "d", "a", "c"]
    with pytest.raises(InputError, match="no table has this column; the columns are name, value"):
        sorted_view(view, "zzz")


def test_an_empty_table_of_detail_is_not_shown_because_tables_are_sorted() -> None:
    view = View("v", (), (Table("empty", ("name", "value"), (), detail=True),))
    assert sorted_view(view, "value").tables[0].detail


def test_html_is_text_and_nothing_else() -> None:
    html = as_html(SMALL)
    assert html.startswith('<div class="irassay"><p>One is best.</p><table>') and html.endswith("</div>")
    assert "<img" not in html and "<a>" not in html
    assert "<b>1.5000</b>" in html and "2<sup>&lt;a&gt;</sup>" in html and "1 more row" in html


def test_html_folds_notes_but_not_caveats() -> None:
    notes = ("a method", *(Note(f"caution <{n}>", caveat=True) for n in range(4)))
    for html in (as_html(View("V", ("Answer.",), (), notes)), brief_html(View("V", ("Answer.",), (), notes))):
        shown = html.partition("<details>")[0]
        assert all(f"caution &lt;{n}&gt;" in shown for n in range(3))
        assert "caution &lt;3&gt;" not in shown and "a method" not in shown
    assert "<details>" not in as_html(View("V", ("Answer.",), (), notes[1:3]))


def test_a_frame_is_the_main_table() -> None:
    frame = as_frame(SMALL)
    assert frame.to_dict(as_series=False) == {"name": ["two", "three"], "count": [2, 3]}
    mixed = View("Mixed", (), (Table("t", ("a",), ((1.5,), ("x",), (None,))),))
    assert as_frame(mixed).schema == {"a": pl.String} and as_frame(View("None", (), ())).is_empty()


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_text_a_frame_and_a_chart(name: str) -> None:
    shown = view_of(RESULTS[name])
    first = escaped_view(shown).sentences[0]
    assert as_text(shown).startswith(first) and first.split("'")[0] in as_html(shown)
    table = shown.main[0].machine or shown.main[0]
    assert as_frame(shown).columns == list(table.columns) and len(as_frame(shown)) == len(table.rows)
    spec = themed_spec(next(chart_specs(shown))[1]())
    assert "vega-lite" in spec["$schema"] and as_latex(shown).count("toprule") == len(shown.tables)


@dataclass(frozen=True)
class Mine:
    """The result of a user's own method."""

    saved_as: ClassVar[str] = "mine"
    best: str
    scores: tuple[float, ...]


class Framed(Mine):
    """One that makes a frame of itself."""

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame({"metric": ["AP", "RR"], "score": self.scores})


def test_a_result_without_a_view_shows_its_frame_or_its_fields() -> None:
    assert view_of(Framed("AP", (0.5, 0.25))).tables[0].rows == (("AP", 0.5), ("RR", 0.25))
    assert view_of(Mine("AP", (0.5, 0.25))).tables[0].rows == (("best", "AP"), ("scores", "(0.5, 0.25)"))
    assert view_of(Mine("AP", ())).charts == ()
    with pytest.raises(TypeError, match="no view of int"):
        view_of(3)
