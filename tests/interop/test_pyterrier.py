"""irassay inside PyTerrier, on data frames, which need no Java."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import irassay as ia

pd = pytest.importorskip("pandas")
ir_measures = pytest.importorskip("ir_measures")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the packages that PyTerrier imports
    pt = pytest.importorskip("pyterrier")
    interop = pytest.importorskip("irassay.interop.pyterrier")
experiment, measure = interop.experiment, interop.measure

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
TOPICS = 25


@pytest.fixture(scope="module")
def collection() -> dict:
    """Topics, judgements and three systems, the last of which answers all topics but one."""
    rng = np.random.default_rng(7)
    topics = [f"q{t}" for t in range(TOPICS)]
    grades = {(topic, f"d{i}"): int(rng.integers(0, 3)) for topic in topics for i in range(20)}
    qrels = pd.DataFrame([(*key, grade) for key, grade in grades.items()], columns=["qid", "docno", "label"])

    def results(noise: float, answered: list[str]) -> "pd.DataFrame":
        rows = [
            (topic, f"d{i}", float(grades.get((topic, f"d{i}"), 0) + noise * rng.standard_normal()))
            for topic in answered
            for i in range(25)
        ]
        return pd.DataFrame(rows, columns=["qid", "docno", "score"])

    systems = [results(3, topics), results(2, topics), results(1, topics[:-1])]
    return {"topics": pd.DataFrame({"qid": topics, "query": "a"}), "qrels": qrels, "systems": systems}


def test_our_measures_in_their_experiment(collection: dict) -> None:
    systems, names = collection["systems"], ["a", "b", "c"]
    own = [measure("INST(T=2)"), measure("nDCG@10"), measure("aINSQ")]
    table = pt.Experiment(
        systems,
        collection["topics"],
        collection["qrels"],
        [*own, ir_measures.nDCG @ 10],
        names=names,
        validate="ignore",
    )
    scores = ia.score(dict(zip(names, systems, strict=True)), collection["qrels"], ["INST(T=2)", "nDCG@10", "aINSQ"])
    for m, each in enumerate(own):
        assert table[str(each)].to_numpy() == pytest.approx(scores.means()[:, m], abs=1e-9)
    assert table["nDCG@10"].to_numpy() == pytest.approx(table["irassay_nDCG@10"].to_numpy(), abs=1e-9)


def test_a_metric_that_is_no_mean_is_noted_in_their_experiment(collection: dict) -> None:
    with pytest.warns(UserWarning, match="mean of GMAP over topics, not the geometric mean"):
        pt.Experiment(collection["systems"], collection["topics"], collection["qrels"], [measure("GMAP")])


def test_means_and_p_values_are_theirs_with_their_test(collection: dict) -> None:
    metrics = ["map", "ndcg_cut_10", ir_measures.P @ 5, ir_measures.RR @ 10]
    given = (collection["systems"], collection["topics"], collection["qrels"], metrics)
    theirs = pt.Experiment(*given, names=["a", "b", "c"], baseline=0)
    ours = experiment(*given, names=["a", "b", "c"], baseline=0, test="t")
    assert ours.pairs() == [("b", "a"), ("c", "a")]
    for one, name in zip(ours.by_metric, ["map", "ndcg_cut_10", "P@5", "RR@10"], strict=True):
        assert theirs[name].to_numpy() == pytest.approx(one.aggregate, abs=1e-9)
        assert theirs[f"{name} p-value"].to_numpy()[1:] == pytest.approx(one.p, abs=1e-9)
        assert ours.scores is not None and ours.scores[one.metric].means()[:, 0] == pytest.approx(one.aggregate)


def test_one_import_changes_a_program(collection: dict) -> None:
    assert interop.Experiment is experiment and interop.Transformer is pt.Transformer and not hasattr(interop, "_nope")
    scores = interop.Experiment(collection["systems"][:1], collection["topics"], collection["qrels"], ["map"], ["a"])
    theirs = pt.Experiment(collection["systems"][:1], collection["topics"], collection["qrels"], ["map"], ["a"])
    assert scores.to_dict()["a"]["AP"] == pytest.approx(theirs["map"][0], abs=1e-9)


def test_all_pairs_at_a_controlled_rate_by_default(collection: dict) -> None:
    systems = dict(zip("abc", collection["systems"], strict=True))
    result = experiment(systems, collection["topics"], collection["qrels"], ["nDCG@10", measure("RBP(p=0.9)")])
    expected = ia.compare(ia.score(systems, collection["qrels"], ["nDCG@10", "RBP(p=0.9)"], score_precision="single"))
    assert result.settings.flat()["test"] == "max-t-stepdown"
    assert [one.p.tolist() for one in result.by_metric] == [one.p.tolist() for one in expected.by_metric]
    assert r"\toprule" in result.to_latex()
    assert result.scores is not None and result.scores.to_frame().height == 3 * TOPICS * 2


def test_their_corrections_have_our_names(collection: dict) -> None:
    given = (collection["systems"], collection["topics"], collection["qrels"], ["map"])
    theirs = pt.Experiment(*given, names=["a", "b", "c"], baseline=0, correction="holm")
    ours = experiment(*given, names=["a", "b", "c"], baseline=0, correction="h").by_metric[0]
    assert theirs["map p-value corrected"].to_numpy()[1:] == pytest.approx(ours.p, abs=1e-9)


def test_pipelines_run_in_batches(collection: dict) -> None:
    systems = collection["systems"]

    def pipeline(results: "pd.DataFrame") -> object:
        return pt.apply.generic(lambda topics: results.merge(topics[["qid"]]))

    pipelines = [pipeline(each) for each in systems]
    given = (collection["topics"], collection["qrels"], ["map", "P_5"])
    expected = experiment(systems, *given, names=["a", "b", "c"]).means()
    for batch_size in (None, 7):
        found = experiment(pipelines, *given, names=["a", "b", "c"], batch_size=batch_size)
        assert found.means() == pytest.approx(expected, abs=0)


def test_topics_are_filtered_as_they_filter_them(collection: dict) -> None:
    systems, qrels = collection["systems"], collection["qrels"]
    topics = pd.concat([collection["topics"].head(10), pd.DataFrame({"qid": ["x"], "query": ["y"]})])
    result = experiment(systems, topics, qrels, ["map"], filter_by_qrels=True)
    assert result.scores is not None and result.scores.topics == tuple(f"q{t}" for t in range(10))
    every = experiment(systems, topics, qrels, ["map"], filter_by_topics=False)
    assert every.scores is not None and len(every.scores.topics) == TOPICS


def test_families_of_trec_eval_and_response_times(collection: dict) -> None:
    result = experiment(collection["systems"], collection["topics"], collection["qrels"], ["recall", "mrt"], round=3)
    assert result.metrics[:2] == ("R@5", "R@10") and len(result.metrics) == 9
    assert any("mrt, the response time" in note for note in result.notes)
    assert any(note.startswith("round ignored") for note in map(str, result.notes))


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"baseline": 7}, "baseline=7 must be from 0 to 2"),
        ({"baseline": "zz"}, "no system 'zz'"),
        ({"test": len}, "name of a test"),
        ({"save_dir": "x"}, "save_dir is not available"),
        ({"names": ["a"]}, "as many different names"),
        ({"colour": 1}, "takes no colour"),
    ],
)
def test_bad_arguments_are_one_sentence(collection: dict, keywords: dict, message: str) -> None:
    with pytest.raises(ia.InputError, match=message):
        experiment(collection["systems"], collection["topics"], collection["qrels"], ["map"], **keywords)


def test_the_report_of_an_experiment(collection: dict, tmp_path: Path) -> None:
    result = experiment(collection["systems"], collection["topics"], collection["qrels"], ["map", "nDCG@10"])
    page = ia.report(ia.assay(result.scores), tmp_path / "report.html")
    assert "nDCG@10" in page.read_text()
