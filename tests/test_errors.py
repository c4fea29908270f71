"""Errors are records: each front end spells the same one in its own way."""

import pickle

import pytest

import irassay as ia
from irassay.errors import InputError, argument, option_in_parentheses, order_of_files, spelled_as

TWO = InputError(
    "give either ", argument("dialect", "tot"), " or ", argument("scores", metavar="TABLE"), argument="dialect"
)


def test_one_error_is_spelled_by_the_front_end_that_shows_it() -> None:
    assert str(TWO) == "give either dialect='tot' or scores"
    with spelled_as("option", {"dialect": "--from"}):
        assert str(TWO) == "give either --from tot or --scores TABLE"
    with spelled_as("pointer", {"scores": "/inputs/scores"}):
        assert str(TWO) == "give either /settings/dialect tot or /inputs/scores"
    assert str(TWO) == "give either dialect='tot' or scores"


def test_a_spelling_ends_with_its_block_even_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), spelled_as("option"):
        1 / 0  # noqa: B018
    assert str(argument("alpha", 0.5)) == "alpha=0.5"


def test_a_sentence_is_composed_from_fields() -> None:
    error = InputError(file="a.run", line=3, found="4 fields", expected="6", fix="add the run's name")
    assert str(error) == "a.run, line 3: 4 fields; expected 6; add the run's name."
    assert str(InputError(file="a.run", found="it is empty")) == "a.run: it is empty."
    assert str(InputError(found="no run was given", fix="name one")) == "No run was given; name one."
    refused = InputError(argument=argument("trials", -1), expected="a whole number, 1 or more")
    assert str(refused) == "trials=-1: expected a whole number, 1 or more." and refused.value == -1
    with spelled_as("option"):
        assert str(refused) == "--trials -1: expected a whole number, 1 or more."


def test_a_prefix_leaves_the_fields_and_the_spelling() -> None:
    error = TWO.with_prefix("AP: ")
    assert str(error) == f"AP: {TWO}" and error.argument == "dialect"
    with spelled_as("option"):
        assert str(error) == "AP: give either --dialect tot or --scores TABLE"
    assert str(InputError(found="no run").with_prefix("AP: ")) == "AP: No run."


def test_a_problem_document_has_the_fields_that_are_set() -> None:
    error = InputError("x", argument=argument("levels", (0.1, 2)), file="a", line=0, code="out-of-range")
    assert error.record() == {
        "message": "x", "argument": "levels", "value": "(0.1, 2)", "file": "a", "code": "out-of-range",
    }  # fmt: skip
    assert InputError(argument="trials", value=0, expected="1").record()["value"] == 0
    assert InputError("plain").record() == {"message": "plain"}


def test_errors_survive_pickling_with_their_fields() -> None:
    again = pickle.loads(pickle.dumps(TWO))
    assert str(again) == str(TWO) and again.record() == TWO.record()
    with spelled_as("option"):
        assert str(again) == str(TWO)


def test_words_that_differ_on_the_command_line() -> None:
    assert f"{order_of_files()}{option_in_parentheses('rel')}" == "runs come first, then judgements"
    with spelled_as("option", {"rel": "--level"}):
        assert f"{order_of_files()}{option_in_parentheses('rel')}" == "judgements come first, then runs (--level)"


def test_a_note_is_spelled_where_it_is_printed_and_saved_as_a_keyword() -> None:
    note = ia.Note(("ranks are ignored without ", argument("order", "rank")), "runA", 2, "topic")
    with spelled_as("option"):
        assert f"{note}" == str(note) == "runA: 2 topics ranks are ignored without --order rank"
        assert note == "runA: 2 topics ranks are ignored without order='rank'"
        assert f"{pickle.loads(pickle.dumps(note)):.4}" == "runA"


def test_messages_name_arguments_or_on_the_command_line_options() -> None:
    def message() -> str:
        with pytest.raises(InputError) as problem:
            ia.score({}, {"1": {"a": 1}}, ["AP"], run_format="dd", ties="file")
        return str(problem.value)

    assert message() == "ties has no meaning for dd runs. Leave it out."
    with spelled_as("option"):
        assert message() == "--ties has no meaning for dd runs. Leave it out."
    assert str(argument("qrels_format", "subtopic")) == "qrels_format='subtopic'"


def test_a_long_message_keeps_its_words_and_shortens_names():
    error = InputError(file="a.run", line=3, found=f"the score of {'d' * 9999} is 'x'", expected="a number")
    assert str(error) == f"a.run, line 3: the score of {'d' * 60}…{'d' * 20} is 'x'; expected a number."
    path = "/".join(["folder"] * 30)
    assert str(InputError(f"There is no file {path}.")) == f"There is no file {path}."
