"""TREC-COVID round 1: the official leaderboard, all 143 runs."""

import csv
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.scores import Scores
from tests.support.compared import agrees

COLUMNS = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5)", "bpref": "bpref", "MAP": "AP"}


def scored(shared: Path, precision: str) -> Scores:
    folder = shared / "data" / "trec-covid-1"
    metrics = list(COLUMNS.values())
    return ia.score(folder / "runs", folder / "qrels.txt", metrics, score_precision=precision)


@pytest.fixture(scope="module")
def published(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "data" / "trec-covid-1" / "leaderboard.csv").open() as file:
        return {row["run"]: row for row in csv.DictReader(file)}


def differing(scores: Scores, published: dict[str, dict[str, str]]) -> list[tuple[str, str]]:
    means = scores.means()
    return [
        (run, column)
        for i, run in enumerate(scores.systems)
        for j, column in enumerate(COLUMNS)
        if f"{means[i, j]:.4f}" != published[run][column]
    ]


def test_every_figure_of_the_leaderboard(shared: Path, published: dict[str, dict[str, str]]) -> None:
    scores = scored(shared, "single")
    assert len(scores.systems) == len(published) == 143
    for run, means in zip(scores.systems, scores.means(), strict=True):
        found = dict(zip(COLUMNS, means, strict=True))
        assert agrees("leaderboard", found, {column: published[run][column] for column in COLUMNS}), run


def test_double_precision_orders_some_lists_otherwise_and_says_so(
    shared: Path, published: dict[str, dict[str, str]]
) -> None:
    """The leaderboard was made by comparing scores in single precision; in double a few figures change."""
    scores = scored(shared, "double")
    changed = differing(scores, published)
    assert 0 < len(changed) < 10
    assert any("single precision" in note for note in scores.notes)
    assert np.isfinite(scores.values).all()
