"""Effort by grade from a log: the paper's numbers, plain loops over users, and every format of the log."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import irassay as ia
from irassay.errors import InputError
from irassay.io.click_logs import ClickLog
from irassay.meta.effort import Effort, effort
from irassay.views.view import view_of

Row = dict[str, Any]
COLUMNS = ("user", "query", "rank", "doc", "grade", "examined", "clicked", "dwell")


def log_of_clicks(*grades: tuple[int, float]) -> pl.DataFrame:
    """A log with this many clicks in 100 results, and this mean time on a page, for each grade."""
    rows = []
    for grade, (clicks, seconds) in enumerate(grades):
        rows += [("u", "q", 1, "d", grade, 1, n < clicks, seconds) for n in range(100)]
    return pl.DataFrame(rows, schema=list(COLUMNS), orient="row")


TABLE_2 = ((26, 20.6), (50, 37.1), (55, 60.3))  # of jiang2016


def random_rows(seed: int, users: int = 12) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(users):
        for query in range(3):
            for rank in range(1, 8):
                grade, examined = int(rng.integers(0, 3)), bool(rng.random() < 0.8)
                clicked = bool(rng.random() < 0.2 + 0.2 * grade)
                dwell = round(float(rng.exponential(20 + 10 * grade)), 3) if clicked and rng.random() < 0.9 else None
                cells = (f"u{user}", f"q{query}", rank, f"d{rank}", grade, examined, clicked, dwell)
                rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return rows


def efforts_by_loop(rows: list[Row], summary: float) -> tuple[list[float], list[float]]:
    """Seconds and efforts of grades 0 to 2, from rows that were examined."""
    seconds = []
    for grade in range(3):
        own = [row for row in rows if row["grade"] == grade and row["examined"]]
        clicks = [row for row in own if row["clicked"]]
        times = [row["dwell"] for row in clicks if row["dwell"] is not None]
        seconds.append(summary + (len(clicks) / len(own) * sum(times) / len(times) if clicks else 0.0))
    return seconds, [each / seconds[-1] for each in seconds]


def test_the_papers_clicks_and_times_give_the_papers_efforts() -> None:
    result = effort(log_of_clicks(*TABLE_2))
    assert result.p_click.tolist() == [0.26, 0.5, 0.55]
    assert result.seconds == pytest.approx([9.8, 23.0, 37.6], abs=0.051)
    assert result.effort.round(2).tolist() == [0.26, 0.61, 1.0]


def test_the_papers_seconds_give_the_papers_efforts() -> None:
    result = effort(log_of_clicks((100, 9.8 - 4.4), (100, 23.0 - 4.4), (100, 37.6 - 4.4)))
    assert result.seconds == pytest.approx([9.8, 23.0, 37.6], abs=1e-9)
    assert result.effort.round(2).tolist() == [0.26, 0.61, 1.0]


def test_a_metric_accepts_the_string_that_is_shown() -> None:
    result = effort(log_of_clicks(*TABLE_2))
    assert result.metric_string("GRBP") == "GRBP(effort=(0.2597,0.6109,1))"
    assert any(result.metric_string() in sentence for sentence in view_of(result).sentences)
    scores = ia.score({"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 2, "b": 0}}, [result.metric_string("GRBP")])
    assert 0 < scores.values.item() <= 1


@pytest.mark.parametrize("summary", [0.0, 4.4])
def test_estimates_and_intervals_are_those_of_a_plain_loop(summary: float) -> None:
    rows = random_rows(1)
    result = effort(pl.DataFrame(rows), summary=summary, alpha=0.1)
    seconds, efforts = efforts_by_loop(rows, summary)
    assert result.seconds == pytest.approx(seconds, abs=1e-12)
    assert result.effort == pytest.approx(efforts, abs=1e-12)
    users = sorted({row["user"] for row in rows})
    logs = [np.log(efforts_by_loop([r for r in rows if r["user"] != user], summary)[1]) for user in users]
    error = np.sqrt((len(users) - 1) / len(users) * ((np.array(logs) - np.mean(logs, axis=0)) ** 2).sum(axis=0))
    reach = stats.t.ppf(0.95, len(users) - 1) * error
    assert result.effort_low[:2] == pytest.approx(np.exp(np.log(efforts) - reach)[:2], abs=1e-9)
    assert result.effort_high[:2] == pytest.approx(np.exp(np.log(efforts) + reach)[:2], abs=1e-9)
    assert np.isnan(result.effort_low[2])


def test_down_to_the_last_click_is_an_assumption_that_is_chosen_and_printed() -> None:
    rows = random_rows(2)
    unmarked = [{name: value for name, value in row.items() if name != "examined"} for row in rows]
    with pytest.raises(InputError, match=r"no column examined.*examined='last-click'"):
        effort(pl.DataFrame(unmarked))
    result = effort(pl.DataFrame(unmarked), examined="last-click")
    assert any("down to their last click" in note for note in result.notes)
    last: dict[tuple[str, str], int] = {}
    for row in rows:
        if row["clicked"]:
            last[row["user"], row["query"]] = row["rank"]
    seen = [row | {"examined": row["rank"] <= last.get((row["user"], row["query"]), 0)} for row in rows]
    assert result.effort == pytest.approx(efforts_by_loop(seen, 4.4)[1], abs=1e-12)


def test_every_format_gives_the_same_result(tmp_path: Path) -> None:
    rows = random_rows(3)
    frame = pl.DataFrame(rows)
    for name, separator in (("log.tsv", "\t"), ("log.csv", ",")):
        frame.write_csv(tmp_path / name, separator=separator)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame.write_parquet(tmp_path / "log.parquet")
    expected = effort(frame)
    for path in sorted(tmp_path.iterdir()):
        result = effort(path)
        assert np.array_equal(result.effort, expected.effort), path.name
        assert result.settings.paths() == [str(path)]
    assert np.array_equal(effort(frame.to_pandas()).effort, expected.effort)


def test_the_order_of_rows_changes_nothing() -> None:
    rows = random_rows(4)
    one, other = effort(pl.DataFrame(rows)), effort(pl.DataFrame(rows[::-1]))
    for field in ("effort", "effort_low", "effort_high", "p_click_low"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"clicked": "maybe"}, "row 0: the clicked is 'maybe'; expected true or false"),
        ({"dwell": -1.0, "clicked": True}, "row 0: the dwell is -1.0; expected a number of 0 or more"),
        ({"grade": "x"}, "the grade is 'x'; expected a number"),
        ({"user": None}, "the user is None; expected an id"),
        ({"grade": 1.5}, "has a grade 1.5; efforts need whole grades"),
        ({"grade": 4}, "No result of grade 3 was examined"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(change: Row, message: str) -> None:
    rows = random_rows(5)
    rows[0] = rows[0] | {"examined": True} | change
    with pytest.raises(InputError) as error:
        effort(pl.DataFrame(rows, strict=False) if "dwell" in change else _frame(rows))
    assert message in str(error.value)


def _frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(name, [row[name] for row in rows], dtype=pl.Object) for name in COLUMNS})


def test_a_file_names_the_line_and_the_columns_that_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "log.tsv"
    path.write_text("user\tquery\trank\tgrade\n")
    with pytest.raises(InputError, match="clicked, dwell missing"):
        ClickLog.of(path)
    path.write_text("user,query,rank,grade,clicked,dwell\nu,q,1,0,1,x\n")
    with pytest.raises(InputError, match="line 2: the dwell is 'x'"):
        ClickLog.of(path)


def test_unusual_logs_are_noted() -> None:
    rows = random_rows(6, users=3)
    result = effort(pl.DataFrame(rows))
    text = " ".join(result.notes)
    assert "without a dwell time" in text
    assert "on results that were not examined: left out" in text
    assert "only 3 users" in text


def test_a_saved_result_is_read_back(tmp_path: Path) -> None:
    result = effort(log_of_clicks(*TABLE_2))
    result.save(tmp_path / "effort.json")
    again = ia.load(tmp_path / "effort.json")
    assert isinstance(again, Effort)
    assert again.metric_string() == result.metric_string()
    assert "grade 2" in str(again)
