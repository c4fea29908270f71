"""ranx: its objects in and out, and its calls beside ours."""

from pathlib import Path

import numpy as np
import pytest

import irassay as ia

ranx = pytest.importorskip("ranx")
interop = pytest.importorskip("irassay.interop.ranx")

pytestmark = pytest.mark.filterwarnings("ignore:unsafe cast")  # when ranx compiles
METRICS = ["map@10", "mrr"]  # few, because it compiles each of them


@pytest.fixture(scope="module")
def collection() -> tuple:
    """Judgements and three runs of ranx without equal scores."""
    rng = np.random.default_rng(1)
    qrels = {f"q{t}": {f"d{i}": int(rng.integers(0, 3)) for i in range(20)} for t in range(20)}
    runs = [
        {t: {d: float(g + noise * rng.standard_normal()) for d, g in docs.items()} for t, docs in qrels.items()}
        for noise in (1, 2, 4)
    ]
    return ranx.Qrels(qrels), [ranx.Run(run, name=f"m{i}") for i, run in enumerate(runs)]


def test_the_same_program_with_another_import(collection: tuple) -> None:
    qrels, runs = collection
    theirs = ranx.evaluate(qrels, runs[0], METRICS)
    assert interop.evaluate(qrels, runs[0], METRICS) == pytest.approx(theirs, abs=1e-9)
    assert runs[0].mean_scores["mrr"] == pytest.approx(theirs["mrr"])
    assert interop.evaluate(qrels, runs[0], "mrr") == pytest.approx(theirs["mrr"])
    assert interop.evaluate(qrels, runs[0], ia.RR) == pytest.approx(theirs["mrr"])
    assert interop.scores_of(qrels, runs[:1], "map@10-l2").metrics == ("AP(rel=2)@10",)
    per_topic = ranx.evaluate(qrels, runs[1], "map@10", return_mean=False)
    assert interop.evaluate(qrels, runs[1], "map@10", return_mean=False) == pytest.approx(per_topic, abs=1e-9)


def test_their_p_values_with_their_test(collection: tuple) -> None:
    qrels, runs = collection
    theirs = interop.pairs_frame(ranx.compare(qrels, runs, METRICS))
    ours = interop.compare(qrels, runs, METRICS, stat_test="student")
    frame = interop.pairs_frame(interop.report(ours))
    for column in ("mean", "mean of other", "p"):
        assert frame[column].to_numpy() == pytest.approx(theirs[column].to_numpy(), abs=1e-9)
    assert frame["significant"].to_list() == theirs["significant"].to_list()
    assert frame["wins"].to_list() == theirs["wins"].to_list()


def test_all_pairs_at_a_controlled_rate_by_default(collection: tuple) -> None:
    qrels, runs = collection
    result = interop.compare(qrels, runs, ["map@10"], max_p=0.05)
    assert result.settings.flat()["test"] == "max-t-stepdown" and result.by_metric[0].alpha == 0.05
    assert interop.compare(qrels, runs, ["map@10"], stat_test="fisher").by_metric[0].p.min() > 0


def test_a_report_of_ours_prints_and_is_saved_as_theirs(collection: tuple, tmp_path: Path) -> None:
    qrels, runs = collection
    report = interop.report(interop.compare(qrels, runs, ["map@10", "INST(T=2)"]))
    assert isinstance(report, ranx.data_structures.report.Report)
    assert "INST(T=2.0)" in str(report) and "step-down" in report.to_latex()
    report.save(str(tmp_path / "report.json"))
    assert '"m0"' in (tmp_path / "report.json").read_text()


def test_judgements_and_runs_go_there_and_back(collection: tuple, oracles: Path) -> None:
    qrels, runs = collection
    assert interop.qrels_to_ranx(ia.Qrels.of(qrels)).to_dict() == qrels.to_dict()
    back = interop.run_to_ranx(ia.Run.of(runs[0]), name="m0")
    assert back.to_dict() == runs[0].to_dict() and back.name == "m0"
    own = ia.score(oracles / "inputs/adhoc/runA.txt", oracles / "inputs/adhoc/qrels.txt", "nDCG@10").means()
    as_dicts = interop.qrels_to_ranx(oracles / "inputs/adhoc/qrels.txt").to_dict()
    assert ia.score(oracles / "inputs/adhoc/runA.txt", as_dicts, "nDCG@10").means() == pytest.approx(own, abs=1e-12)


def test_bad_arguments_are_one_sentence(collection: tuple) -> None:
    qrels, runs = collection
    with pytest.raises(ia.InputError, match="no level of relevance"):
        interop.evaluate(qrels, runs[0], "ndcg@10-l2")
    with pytest.raises(ia.InputError, match="takes no colour"):
        interop.compare(qrels, runs, ["map"], colour="red")
    with pytest.raises(ia.InputError, match="needs a comparison of irassay"):
        interop.report(runs)
    with pytest.raises(ia.InputError, match="whole grades only"):
        interop.qrels_to_ranx({"1": {"a": 0.5}})
    many = [{"q0": {"d0": 1.0}}] * 27
    with pytest.raises(ia.InputError, match="room for 26 systems"):
        interop.report(interop.compare({"q0": {"d0": 1}, "q1": {"d0": 1}}, many, ["map"], stat_test="student"))
