"""What the bench says about users and systems, against formulas of scipy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import irassay as ia
from irassay.lab.bench import bench_answer, leaderboard_answer, pair_verdict, released_answer, topics_answer
from irassay.scores import Scores
from irassay.simulation import simulate


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = simulate(3, 20, 8).write(tmp_path_factory.mktemp("bench"))
    runs = tuple(f"runs/{path.name}" for path in sorted((folder / "runs").iterdir()))
    return {"folder": str(folder), "qrels": "qrels.txt", "runs": runs}


def scored(files: dict[str, Any], metric: str) -> Scores:
    folder = Path(files["folder"])
    return ia.score([str(folder / run) for run in files["runs"]], str(folder / "qrels.txt"), [metric])


def test_every_user_has_a_verdict_with_the_paired_t_interval(files: dict[str, Any]) -> None:
    users = ["RBP(p=0.5)", "INST(T=2)"]
    answer = released_answer(files, users[0], pair=["T1-plain", "T2-plain"], metrics=users)
    for user, user_answer in zip(users, answer["users"], strict=True):
        one, other = (scored(files, user).select(systems=[name]).values[0, :, 0] for name in ("T1-plain", "T2-plain"))
        low, high = stats.ttest_rel(one, other).confidence_interval(0.95)
        assert (
            f"is {np.mean(one - other):+.4f} on 20 topics, 95% interval {low:+.4f} to {high:+.4f}"
            in user_answer["verdict"]
        )
        assert user_answer["verdict"].startswith("No significant difference.") == (low <= 0 <= high)


def test_a_user_that_cannot_be_scored_does_not_stop_the_others(files: dict[str, Any]) -> None:
    users = ["TBG", "RBP(p=0.5)"]  # there are no lengths
    answer = bench_answer(files, users)
    alone = bench_answer(files, users[1:])
    assert answer["users"][1] == alone["users"][0]
    assert answer["users"][0]["problem"].startswith("TBG needs document lengths") and not answer["users"][0]["order"]
    released = released_answer(files, "TBG", parameter="h", values=[100, 200], metrics=users)
    expected = released_answer(files, users[1], metrics=users[1:])
    assert released["users"][1] == expected["users"][0] and released["pair"] == expected["pair"]
    assert list(released["users"][0]) == ["problem"] and "bump" not in released
    with pytest.raises(ia.InputError, match="TBG needs document lengths"):
        bench_answer(files, ["TBG"])


def test_marks_are_systems_with_another_mean_by_holm(files: dict[str, Any]) -> None:
    answer = released_answer(files, "RBP", pair=["T1-plain", "T2-plain"])
    scores = scored(files, "RBP")
    values = {name: scores.values[s, :, 0] for s, name in enumerate(scores.systems)}
    others = [name for name in values if name != "T1-plain"]
    p = np.array([stats.ttest_rel(values[name], values["T1-plain"]).pvalue for name in others])
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    significant = {others[n] for n, value in zip(order, adjusted, strict=True) if value < 0.05}
    marks = dict(zip(scores.systems, answer["users"][0]["marks"], strict=True))
    assert {name for name, mark in marks.items() if mark} == significant and significant
    assert all(mark == "▼" for name, mark in marks.items() if mark and values[name].mean() < values["T1-plain"].mean())


def test_equal_systems_and_costs_are_told_apart() -> None:
    values = np.array([[0.1, 0.5, 0.3], [0.1, 0.5, 0.3], [0.6, 0.9, 0.95]])[:, :, None]
    scores = Scores(values, ["a", "b", "c"], ["1", "2", "3"], ["mine"])
    assert pair_verdict(scores, ["a", "b"]) == "a and b score the same on all 3 topics."
    assert pair_verdict(scores, ["a", "c"]).startswith("c is better than a. a minus c is -0.5167 on 3 topics")


def test_counts_of_a_score_table_are_not_its_main_metrics(tmp_path: Path) -> None:
    rows = [
        f"s{s}\t{m}\t{t}\t{v}\n" for s in range(3) for t in range(4) for m, v in (("num", 9), ("mine", (s + t) / 9))
    ]
    (tmp_path / "table.tsv").write_text("".join(rows))
    table = {"folder": str(tmp_path), "tables": ("table.tsv",)}
    assert [each["metric"] for each in leaderboard_answer(table, [])["columns"]] == ["mine", "num"]
    assert topics_answer(table)["metric"] == "mine"
    assert [topics_answer(table, "num")[name] for name in ("metric", "metrics")] == ["num", ["mine", "num"]]
