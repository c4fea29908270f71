"""Runs that are scored together score what each scores by itself."""

from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.metrics.cwl import AGGREGATIONS
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.scoring import columns
from irassay.scoring.score import score

NEAR = ("nDCG@5", "P@3", "ERR@10", "RBP@7", "AP@4", "INST(T=2)@5", "RR@200")
FAR = ("AP", "nDCG", "P(judged_only=True)@5", "bpref")


def runs(folder: Path, systems: int) -> tuple[list[Path], Path]:
    """Runs of several lengths, some of which leave topics out."""
    rng = np.random.default_rng(systems)
    qrels, made = folder / "qrels", []
    qrels.write_text("".join(f"{t} 0 d{d} {rng.integers(0, 4)}\n" for t in range(6) for d in range(0, 40, 2)))
    for s in range(systems):
        lines = [
            f"{t} Q0 d{d} 0 {-rank} run{s}\n"
            for t in range(s % 2, 6)
            for rank, d in enumerate(rng.permutation(40)[: 3 + 9 * (s % 4)])
        ]
        (folder / f"run{s}").write_text("".join(lines))
        made.append(folder / f"run{s}")
    return made, qrels


@pytest.mark.parametrize("waiting", [1, 20, 1 << 14])
def test_together_as_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: int) -> None:
    monkeypatch.setattr(columns, "ROWS_WAITING", waiting)
    paths, qrels = runs(tmp_path, 9)
    for options in ({}, {"missing": "skip"}, {"bounds": True}, {"judged_only": True}):
        together = score(paths, qrels, (*NEAR, *FAR), **options)
        alone = [score(path, qrels, (*NEAR, *FAR), **options) for path in paths]
        expected = np.concatenate([one.values for one in alone])
        np.testing.assert_allclose(together.values, expected, rtol=0, atol=1e-15, equal_nan=True)
        assert together.systems == tuple(one.systems[0] for one in alone)


def test_wide_lists_are_cut_only_where_nothing_past_the_cutoff_counts() -> None:
    assert parse("nDCG@10").reach == 10
    assert parse("AP").reach is None
    assert parse("nDCG(judged_only=True)@10").reach is None
    far = [name for name in FAR if parse(name).reach is not None]
    assert not far


def test_a_metric_that_fails_says_so_at_the_first_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths, qrels = runs(tmp_path, 3)
    paths[2].write_text("not a run\n")
    monkeypatch.setattr(Metric, "score", lambda self, *given: (_ for _ in ()).throw(InputError("the metric")))
    with pytest.raises(InputError, match="the metric"):
        score(paths, qrels, "nDCG@5")


def test_metrics_that_share_a_user_model_score_what_each_scores_alone() -> None:
    rng = np.random.default_rng(3)
    r = Rankings.of(rng.integers(0, 3, (50, 12)).astype(float), max_grade=2)
    models = ("RBP(p=0.8,A={})", "RBP(p=0.8,end='stop',A={})@8", "RBP(p=0.8,A={})@8", "INST(T=2.0,A={})", "AP(A={})")
    metrics = [parse(model.format(repr(A))) for model in models for A in AGGREGATIONS]
    scores = columns.batch_scores(r, metrics)
    assert all(np.array_equal(scores[:, m], metric.score(r)) for m, metric in enumerate(metrics))


def test_a_rate_of_a_user_who_never_stops_is_refused_beside_what_has_a_value() -> None:
    r = Rankings.of([[0.0, 1.0, 0.0]], max_grade=1)
    with pytest.raises(InputError, match="may never stop"):
        columns.batch_scores(r, [parse("ERR(A='ETG')"), parse("ERR(A='ERG')")])
