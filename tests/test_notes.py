"""Notes are records that read as sentences."""

import json
import pickle

import numpy as np
import pytest

from irassay.metrics.labels import metric_labels
from irassay.notes import EqualScores, Note, as_notes, merged_notes
from irassay.results import result_from_json, result_json
from irassay.scores import Scores


def test_a_note_is_its_sentence_and_remembers_its_parts() -> None:
    note = Note("not judged", "runA", 1200, "topic")
    assert note == "runA: 1,200 topics not judged" and json.dumps(note) == json.dumps(str(note))
    assert (note.about, note.number, note.noun, note.text) == ("runA", 1200, "topic", "not judged")
    again = pickle.loads(pickle.dumps(note))
    assert isinstance(again, Note) and again == note and again.number == 1200
    assert Note(", kept", "r", 1, "copy") == "r: 1 copy, kept"
    with pytest.raises(AttributeError, match="cannot be changed"):
        note.about = "runB"


def test_a_caveat_stays_one_when_it_is_merged_relabelled_pickled_and_saved() -> None:
    caveats = [Note("of {metrics} left out", run, 2, "topic", ["AP"], caveat=True) for run in "ABC"]
    assert all(note.caveat for note in (*merged_notes(caveats), caveats[0].about_metrics(["P"])))
    scores = Scores(np.ones((1, 1, 1)), ("A",), ("1",), ("AP",), notes=(Note("careful", caveat=True), Note("fact")))
    for notes in (pickle.loads(pickle.dumps(scores)).notes, result_from_json(result_json(scores)).notes):
        assert [getattr(note, "caveat", False) for note in notes] == [True, False]


def test_notes_that_say_the_same_of_three_runs_are_put_together_whatever_the_runs_are_called() -> None:
    notes = [Note("not judged", run, 1, "topic") for run in ("my run", "B: 3 of", "C", "D")]
    other = Note("not judged (7)", "A", 2, "topic")
    assert merged_notes([notes[0], other, *notes[1:], "a sentence", "a sentence"]) == (
        "4 runs (my run, B: 3 of, C, …): 1 topic each not judged",
        "A: 2 topics not judged (7)",
        "a sentence",
    )
    assert merged_notes(notes[:2]) == tuple(notes[:2])
    assert isinstance(merged_notes(EqualScores("tied", run, 1, "topic") for run in "ABC")[0], EqualScores)


def test_scores_take_sentences_for_notes() -> None:
    scores = Scores(np.zeros((1, 1, 1)), ("A",), ("1",), ("AP",), notes=as_notes(["one"]))
    assert scores.notes == ("one",) and isinstance(scores.notes[0], Note)
    assert isinstance(Scores(np.zeros((1, 1, 1)), "A", "1", ("AP",), notes=("one",)).notes[0], Note)  # type: ignore[arg-type]


def test_the_metrics_of_a_note_are_values_that_are_saved_and_labelled() -> None:
    note = Note("nothing is found by {metrics}", "runA", 2, "topic", metrics=("RBP(p=0.5)", "AP"))
    assert note == "runA: 2 topics nothing is found by RBP(p=0.5), AP"
    scores = Scores(np.ones((1, 1, 2)), ("s",), ("1",), note.metrics, notes=(note,))
    back = result_from_json(result_json(scores))
    assert back.notes == scores.notes and back.notes[0].metrics == note.metrics
    labelled = metric_labels(note.metrics, {"RBP(p=0.5)": "user"}).with_labels(back)
    assert labelled.notes[0] == "runA: 2 topics nothing is found by user, AP"
    name = pickle.loads(pickle.dumps(labelled.metrics[0]))
    assert (name, f"{name}") == ("RBP(p=0.5)", "user")
