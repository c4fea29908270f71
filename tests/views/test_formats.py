"""Output formats: one declared function is all it takes, and what it declares is what is printed."""

from collections.abc import Iterator

import pytest

import irassay as ia
from irassay.cli.output import check_format, emit
from irassay.errors import InputError
from irassay.meta.similarity import similarity
from irassay.views.formats import FORMATS, output_format, result_text
from irassay.views.view import View

SCORES = ia.score({"a": {"1": {"x": 2.0}}, "b": {"1": {"y": 1.0}}}, {"1": {"x": 1}}, ["user=RBP(p=0.5)", "AP"])


@pytest.fixture
def rst() -> Iterator[str]:
    """A format that is declared here alone."""

    @output_format(notes=True)
    def rst(view: View) -> str:
        return f"{view.title}\n{'=' * len(view.title)}\n{view.tables[0].shown(0, 0)}"

    yield "rst"
    del FORMATS["rst"]


def test_a_declared_format_is_printed_and_refused_where_others_are(
    rst: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert result_text(SCORES, rst) == "Scores\n======\na"
    emit(SCORES, {}, {"format": rst})
    printed = capsys.readouterr()
    assert printed.out == "Scores\n======\na\n" and "note:" not in printed.err  # which it says to have in its text
    with pytest.raises(InputError, match="only for scores; use table, tsv, csv, json, latex, markdown, html or rst"):
        check_format(similarity, {"format": "trec_eval"}, {})


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if not form.only_for])
def test_a_format_contains_what_it_declares(form: str) -> None:
    text, declared = result_text(SCORES, form).split('<section id="provenance">')[0], FORMATS[form]
    names = text.replace("user is RBP(p=0.5)", "").replace('"labels"', "user")  # the legend, and the alias in JSON
    assert ("RBP(p=0.5)" in names) == declared.machine
    assert "user" in names or declared.streams
    assert ("the judging scale" in text) == (declared.notes or declared.terminal)


def test_the_declared_formats_are_the_choices_of_every_command() -> None:
    from irassay.cli.arguments import ENVELOPE

    assert next(each.choices for each in ENVELOPE if each.name == "format") == tuple(FORMATS)
