"""What a terminal shows of long tables: the rows that the answer is about, and cells that can be read."""

import numpy as np

import irassay as ia
from irassay.views.view import BRIEF_ROWS, View, brief_view, column, view_of

RUNS, TOPICS, DOCUMENTS = 32, 12, 6


def brief(result: object) -> View:
    return brief_view(view_of(result))


def a_collection(rng: np.random.Generator) -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Runs of which the last three have tied results, and judgements."""
    topics = [f"t{n}" for n in range(TOPICS)]
    judged = {topic: {f"d{n}": n % 3 for n in range(DOCUMENTS)} for topic in topics}
    runs = {
        f"r{run:02}": {
            topic: {
                document: 1.0 if run >= RUNS - 3 else float(grade * (RUNS - run) / RUNS + rng.normal())
                for document, grade in grades.items()
            }
            for topic, grades in judged.items()
        }
        for run in range(RUNS)
    }
    return runs, judged


def test_runs_that_ties_move_come_first() -> None:
    runs, judged = a_collection(np.random.default_rng(0))
    means, pairs = brief(ia.meta.ties(runs, judged, metrics=["nDCG@10"])).tables
    assert {*column(means, "run")[: means.max_rows]} == {"r29", "r30", "r31"}
    assert means.title == "Means, widest range first"
    assert {*column(pairs, "could change")[: pairs.max_rows]} == {"yes"}
    assert "metric" not in pairs.columns


def test_pairs_that_all_users_agree_on_come_first() -> None:
    runs, judged = a_collection(np.random.default_rng(1))
    result = ia.meta.dominance(runs, judged)
    [table] = brief(result).tables
    full = view_of(result).tables[0]
    certified = {
        (row[0], row[1]) for row, word in zip(full.rows, column(full, "dominates"), strict=True) if word == "yes"
    }
    assert table.max_rows == min(len(certified), BRIEF_ROWS)
    shown = table.rows[: table.max_rows]
    assert {(row[0], row[1]) for row in shown} <= certified
    far = np.abs(np.array(column(table, "corrected p")[: table.max_rows], dtype=np.float64) - result.alpha)
    assert (np.diff(far) >= 0).all()


def test_the_matrix_of_verdicts_has_a_gap_after_every_ten_systems() -> None:
    scores = ia.score(*a_collection(np.random.default_rng(2)), metrics=["AP"])
    matrix = next(table for table in view_of(ia.compare(scores)).tables if table.name == "significance")
    assert matrix.machine is not None
    for signs, plain in zip(column(matrix, "against"), column(matrix.machine, "against"), strict=True):
        assert [len(part) for part in str(signs).split(" ")] == [10, 10, 10, RUNS - 30]
        assert str(signs).replace(" ", "") == plain
