"""Results kept as JSON and read back: every kind of value, and what is no saved result."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
import irassay.meta  # whose results are read
from irassay.errors import InputError
from irassay.meta.preference import Choices
from irassay.meta.wins_by_round import Standings
from irassay.results import Result, load, result_from_json, result_json
from irassay.scores import Scores

GOOD = Standings(("a", "b"), (("p",),), ("1",), np.array([[[3, 1]]]))


def test_a_result_is_read_back_as_it_was(tmp_path: Path) -> None:
    GOOD.save(tmp_path / "standings.json")
    again = load(tmp_path / "standings.json")
    assert type(again) is Standings and again.sets == (("p",),)
    assert again.wins.dtype == np.int64 and again.wins.tolist() == [[[3, 1]]]


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.5, np.nan], [np.inf, -np.inf]]),
        np.zeros((2, 0, 3)),
        np.array([True, False]),
        np.array([1, -1, 0], dtype=np.int8),
        np.array(0.1 + 0.2),
        np.array([[0.1, 1 / 3]], dtype=np.float32),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_keep_kind_shape_and_every_digit(array: np.ndarray) -> None:
    kept = result_from_json(result_json(dataclasses.replace(GOOD, wins=array))).wins
    assert kept.dtype == array.dtype and kept.shape == array.shape
    assert np.array_equal(kept, array, equal_nan=array.dtype.kind == "f")


@pytest.mark.parametrize("value", [1, 0.1, True, None, "π", float("inf"), (1, ("a", None)), {"a": (1.5, 2)}, {3: "x"}])
def test_plain_values_nest(value: object) -> None:
    assert result_from_json(result_json(dataclasses.replace(GOOD, rounds=value))).rounds == value


def test_results_within_results_are_kept() -> None:
    kept = result_from_json(result_json(dataclasses.replace(GOOD, each=(GOOD,))))
    assert type(kept.each[0]) is Standings and kept.each[0].metrics == ("a", "b")


def test_the_file_is_plain_json_without_nan() -> None:
    text = result_json(dataclasses.replace(GOOD, wins=np.array([np.nan, 1.0])))
    assert json.loads(text, parse_constant=pytest.fail)["wins"]["array"] == [None, 1.0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ('{"result": "os:stat_result"}', "unknown kind of result 'os:stat_result'"),
        ('{"result": "irassay.meta.wins_by_round:dense_ranks"}', "unknown kind"),
        ('{"result": "irassay.nothing:X"}', "unknown kind"),
        ('{"x": 1}', "unknown kind"),
        (result_json(GOOD).replace('"rounds"', '"turns"'), "differs in rounds, turns"),
    ],
)
def test_what_is_no_saved_result_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "result.json"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        load(file)
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path / "none.json")


def test_what_cannot_be_kept_is_refused() -> None:
    choices = Choices((), (), (), np.zeros(0, np.int8))
    assert result_from_json(result_json(choices)).chosen.shape == (0,)
    with pytest.raises(TypeError, match="cannot be saved"):
        result_json(dataclasses.replace(GOOD, rounds=object()))


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parent / "golden" / "saved").glob("*.json")), ids=lambda f: f.stem
)
def test_results_saved_by_the_first_version_are_read(file: Path) -> None:
    kept = load(file)
    kind = file.stem.partition("-")[0]  # such as axioms-grades, of which there are several
    assert kept.saved_as == {"reproduce": "reproduction"}.get(kind, kind)
    again = result_from_json(result_json(kept))
    assert type(again) is type(kept) and result_json(again) == result_json(kept)
    if kind not in ("scores", "ratings", "choices", "reproduce"):  # which are no answers of methods
        assert kept.ranked() and again.ranked() == kept.ranked()
    if isinstance(kept, Result):
        assert kept.settings.given == {}


def test_a_fraction_is_not_computed_for_hours(tmp_path: Path) -> None:
    (tmp_path / "saved.json").write_text('{"fraction": "1e999999999"}')
    with pytest.raises(InputError, match=r"damaged .*two whole numbers, such as 1/3"):
        load(tmp_path / "saved.json")


def test_a_place_that_is_no_path_is_refused() -> None:
    scores = ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"])
    for write in (scores.save, scores.plot):
        with pytest.raises(InputError, match=r"path must be a path.*found 5\.0"):
            write(5.0)  # type: ignore[operator]


def test_settings_are_copies_and_the_same_after_saving_and_loading(tmp_path: Path) -> None:
    metrics, sets, teams = ["AP", "RR"], [["m1"]], {"s0": "a", "s1": "b", "s2": "b"}
    scores = Scores(np.random.default_rng(0).random((3, 5, 2)), ("s0", "s1", "s2"), tuple("12345"), ("m0", "m1"))
    found = (
        ia.axioms(metrics, depth=3),
        ia.meta.unanimity(scores, simple=["m1"], simple_sets=sets),
        ia.meta.discrimination(scores, test="t", groups=teams),
    )
    before = [result.settings.flat() for result in found]
    metrics.append("P@5"), sets[0].append("m0"), teams.update(s2="c")
    for result, settings in zip(found, before, strict=True):
        assert result.settings.flat() == settings
        result.save(tmp_path / "result.json")
        assert ia.load(tmp_path / "result.json").settings == result.settings
    assert before[0]["metrics"] == ("AP", "RR") and before[1]["simple_sets"] == (("m1",),)
    assert before[2]["groups"]["s2"] == "b"
