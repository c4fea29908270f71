"""Letters that a picture may lack a font for."""

from pathlib import Path

import pytest

from irassay.views import letters
from irassay.views.view import Table, View


def view(name: str) -> View:
    return View("t", (), (Table("t", ("system", "mean ▲"), ((name, 1.0), ("café–é°", 2.0))),))


def test_a_picture_of_letters_without_a_font_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "_has_font", lambda asked: False)
    (note,) = letters.font_notes(view("検索"), Path("x.png"))
    assert "検索" in note and "boxes" in note
    assert not letters.font_notes(view("検索"), Path("x.svg"))
    assert not letters.font_notes(view("Поиск"), Path("x.png"))


def test_where_a_font_has_them_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "_has_font", lambda asked: True)
    assert not letters.font_notes(view("検索"), Path("x.pdf"))
