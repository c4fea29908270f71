"""Every reader accepts the same types: ids are text or numbers, scores and grades are finite numbers."""

import datetime
import decimal
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import irassay as ia
from irassay.errors import InputError

DAYS = [datetime.date(2020, 1, day) for day in (1, 2)]
REFUSED: dict[str, pl.Series] = {
    "truth values": pl.Series([True, False]),
    "dates": pl.Series(DAYS),
    "times": pl.Series([datetime.datetime(2020, 1, 1, hour) for hour in (1, 2)]),
    "durations": pl.Series([datetime.timedelta(1), datetime.timedelta(2)]),
    "lists": pl.Series([[1], [2]]),
    "arrays": pl.Series([[1], [2]], dtype=pl.Array(pl.Int64, 1)),
    "structs": pl.Series([{"a": 1}, {"a": 2}]),
    "bytes": pl.Series([b"a", b"\xff"]),
    "NaN": pl.Series([1.0, float("nan")]),
    "infinity": pl.Series([1.0, float("inf")]),
    "nothing": pl.Series([None, None]),
    "gaps": pl.Series(["1", None]),
    "empty text": pl.Series(["1", ""]),
    "objects": pl.Series([object(), object()], dtype=pl.Object),
}
ACCEPTED: dict[str, tuple[pl.Series, list[str], list[float]]] = {
    "text": (pl.Series(["1", "2e1"]), ["1", "2e1"], [1, 20]),
    "whole numbers": (pl.Series([1, 20]), ["1", "20"], [1, 20]),
    "whole floats": (pl.Series([1.0, 20.0]), ["1", "20"], [1, 20]),
    "categories": (pl.Series(["20", "1"], dtype=pl.Categorical), ["20", "1"], [20, 1]),
    "decimals": (pl.Series([decimal.Decimal("1.5"), decimal.Decimal("2.5")]), ["1.5", "2.5"], [1.5, 2.5]),
    "large floats": (pl.Series([1e300, 2e300]), ["1e+300", "2e+300"], [1e300, 2e300]),
    "128 bits": (pl.Series([2**100, 1], dtype=pl.Int128), [str(2**100), "1"], [2.0**100, 1]),
}
COLUMNS = {"qid": pl.Series(["1", "2"]), "docno": pl.Series(["a", "b"]), "score": pl.Series([0.5, 0.25])}


def ways(frame: pl.DataFrame, path: Path) -> dict[str, Callable[[], ia.Run]]:
    """Every way to give a frame as a run."""
    found: dict[str, Callable[[], ia.Run]] = {"frame": lambda: ia.Run.of(frame)}
    if not any(dtype == pl.Object for dtype in frame.dtypes):
        frame.write_parquet(path / "run.parquet")
        found["parquet"] = lambda: ia.read_run(path / "run.parquet")
        if not any(dtype == pl.Int128 for dtype in frame.dtypes):
            found["pandas"] = lambda: ia.Run.of(pd.DataFrame({name: frame[name].to_list() for name in frame.columns}))
    return found


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("kind", REFUSED)
def test_other_types_are_refused_by_every_reader(kind: str, column: str, tmp_path: Path) -> None:
    for read in ways(pl.DataFrame(COLUMNS | {column: REFUSED[kind]}), tmp_path).values():
        with pytest.raises(InputError, match=r"topic|doc|score"):
            read()


@pytest.mark.parametrize("kind", ACCEPTED)
def test_text_and_numbers_are_read_alike(kind: str, tmp_path: Path) -> None:
    given, ids, numbers = ACCEPTED[kind]
    for way, read in ways(pl.DataFrame(COLUMNS | {"docno": given}), tmp_path).items():
        if way != "pandas":  # which has no categories or decimals of its own
            assert read().frame["doc"].to_list() == ids
    for read in ways(pl.DataFrame(COLUMNS | {"score": given}), tmp_path).values():
        assert read().frame["score"].to_list() == numbers


def test_whole_floats_of_pandas_are_whole_numbers() -> None:
    frame = pd.DataFrame({"qid": [1.0, 2.0], "docno": ["a", "b"], "score": [1, 2]})
    assert ia.Run.of(frame).topics == ("1", "2")


@pytest.mark.parametrize("field", ["qid", "docno", "score"])
@pytest.mark.parametrize("value", [True, [1], {"a": 1}, None, ""])
def test_json_holds_text_and_numbers(field: str, value: object, tmp_path: Path) -> None:
    records = [{"qid": "1", "docno": "a", "score": 2}, {"qid": "1", "docno": "b", "score": 1} | {field: value}]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(InputError, match=r"run\.jsonl, line 2: .*expected (an id|a finite number)"):
        ia.read_run(tmp_path / "run.jsonl")
    (tmp_path / "run.json").write_text(json.dumps(records))
    with pytest.raises(InputError, match=r"run\.json: .*row 1"):
        ia.read_run(tmp_path / "run.json")


@pytest.mark.parametrize("value", [True, np.timedelta64(3, "s"), b"1", [1], 10**400, DAYS[0], "one"])
def test_numbers_in_memory_are_numbers(value: Any) -> None:
    with pytest.raises(InputError, match=r"row 0 is .*; expected a finite number"):
        ia.Qrels.of({"1": {"a": value}})
    for name in ("lengths", "costs"):
        with pytest.raises(InputError, match=f"{name}: 'a' has .*from 0 to 1e"):
            ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"], **{name: {"a": value}})


def test_lengths_by_number_are_lengths_by_name() -> None:
    given = {"1": {"1": 2.0, "2": 1.0}}, {"1": {"1": 1, "2": 1}}, ["TBG"]
    found = [ia.score(*given, lengths=lengths).values for lengths in ({1: 20, 2: 900}, {"1": 20.0, "2": "900"})]
    assert (found[0] == found[1]).all()


@pytest.mark.parametrize("option", ["costs", "lengths"])
def test_values_whose_sum_is_infinite_are_refused(option: str, tmp_path: Path) -> None:
    (tmp_path / "values").write_text("a 1\nb 1e308\n")
    with pytest.raises(InputError, match=r"values, line 2: found the (cost|words) 1e\+308; expected at most 1e\+100"):
        ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["AP"], **{option: tmp_path / "values"})


DUPLICATES = {
    "run.csv": ("qid,docno,docno,score\n1,a,b,2\n", "two columns are called docno; keep one"),
    "run.jsonl": ('{"qid": 1, "docno": "a", "score": 1}\n{"qid": 1, "docno": "b", "score": 2, "score": 3}\n', "line 2: the field score comes twice"),
    "first.jsonl": ('{"qid": 1, "qid": 2, "docno": "a", "score": 1}\n', "two columns are called qid"),
    "run.json": ('[{"qid": 1, "docno": "a", "score": 1}, {"qid": 1, "docno": "b", "docno": "c", "score": 1}]', "record 1: the field docno comes twice"),
    "nested.json": ('{"1": {"a": 1}, "2": {"a": 1}, "1": {"b": 2}}', "topic '1' comes twice"),
}  # fmt: skip


@pytest.mark.parametrize("name", DUPLICATES)
def test_a_name_that_comes_twice_is_refused_in_every_format(name: str, tmp_path: Path) -> None:
    text, message = DUPLICATES[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        ia.read_run(tmp_path / name)


def test_a_column_that_is_not_used_may_come_twice(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"qid": 1, "docno": "a", "score": 1, "x": 1, "x": 2}\n')
    assert ia.read_run(tmp_path / "run.jsonl").frame.height == 1


@pytest.mark.parametrize(
    "text", ["qid,docno,score\n1,a,2\n#2,b,1\n", "1 a 2.5\n#2 b 1.5\n", "#x\n1 Q0 a 1 2 t\n#2 Q0 b 1 2 t\n"]
)
def test_comments_after_the_first_line_are_noted_in_every_format(text: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text)
    notes = [str(note) for note in ia.read_run(tmp_path / "run").notes]
    assert any("1 line beginning with #, skipped as comments" in note for note in notes)
