"""A list has the same score, to the last bit, whatever lists it is scored with: so blocks and workers change nothing."""

from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.metrics.grammar import catalogue
from irassay.scoring.score import score
from irassay.simulation import simulate


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Path, list[str]]:
    """Runs, their judgements, and every metric that can score them, with and without a cutoff."""
    folder = simulate(seed=4, topics=11, systems=4).write(tmp_path_factory.mktemp("collection") / "made")
    paths, qrels = sorted((folder / "runs").iterdir()), folder / "qrels.txt"
    metrics = []
    for name in (f"{metric}{cutoff}" for metric in catalogue() for cutoff in ("", "@10")):
        try:
            score(paths[:1], qrels, [name])
        except InputError:  # it needs another kind of input, or takes no cutoff
            continue
        metrics.append(name)
    assert len(metrics) > 60
    return paths, qrels, metrics


@pytest.mark.parametrize("bounds", [False, True])
def test_a_run_scores_the_same_alone_among_others_and_in_small_blocks(
    collection: tuple[list[Path], Path, list[str]], monkeypatch: pytest.MonkeyPatch, bounds: bool
) -> None:
    paths, qrels, metrics = collection
    together = score(paths, qrels, metrics, bounds=bounds).values
    alone = [score([path], qrels, metrics, bounds=bounds).values[0] for path in paths]
    np.testing.assert_array_equal(together, np.stack(alone))
    for rows in (1, 2, 5):
        monkeypatch.setattr("irassay.scoring.batches.ROWS_AT_A_TIME", rows)
        np.testing.assert_array_equal(together, score(paths, qrels, metrics, bounds=bounds).values)
