"""irassay inside ir_measures: every metric against `irassay score`, and `prefer` against their own providers."""

import gzip
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.metrics.grammar import catalogue

ir_measures = pytest.importorskip("ir_measures")
pd = pytest.importorskip("pandas")
interop = pytest.importorskip("irassay.interop.ir_measures")
measure, prefer = interop.measure, interop.prefer

from ir_measures import (  # noqa: E402
    AP,
    RR,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    Success,
    infAP,
    nDCG,
)  # fmt: skip

COLUMNS = {"qrels": ["query_id", "doc_id", "relevance"], "run": ["query_id", "doc_id", "score"]}

PLAIN = [name for name, metric in catalogue().items() if not metric.needs - {"pool"}]
DIVERSE = [name for name, metric in catalogue().items() if "aspects" in metric.needs <= {"pool", "aspects"}]
NEEDY = {"sDCG": "session", "TBG": "lengths", "EU": "passage", "Prefs": "preferences", "RBP(effort='words')": "lengths"}


def _with_a_cutoff(name: str) -> list[str]:
    """A metric alone and with a cutoff, if it may have one."""
    strings = []
    for text in (name, f"{name}@5"):
        try:
            ia.parse(text)
            ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, text)
        except ia.InputError:
            continue
        strings.append(text)
    return strings


def _assert_same_scores(qrels: Path, run: Path, texts: list[str]) -> None:
    expected = ia.score(run, qrels, texts)
    measures = [measure(text) for text in texts]
    given = list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run)))
    by_topic = {(each.measure, each.query_id): each.value for each in ir_measures.iter_calc(measures, *given)}
    means = ir_measures.calc_aggregate(measures, *given)
    assert len(by_topic) == len(measures) * len(expected.topics)
    for each, text in zip(measures, texts, strict=True):
        column = expected[text]
        assert means[each] == pytest.approx(column.means()[0, 0], abs=1e-9, nan_ok=True), text
        ours = [by_topic[each, topic] for topic in column.topics]
        assert ours == pytest.approx(column.values[0, :, 0], abs=1e-9, nan_ok=True), text


@pytest.mark.parametrize("run", ["runA", "runB", "runC"])
def test_every_metric_scores_as_the_command_does(oracles: Path, run: str) -> None:
    texts = [text for name in PLAIN for text in _with_a_cutoff(name)]
    assert len(texts) > 80
    _assert_same_scores(oracles / "inputs/adhoc/qrels.txt", oracles / f"inputs/adhoc/{run}.txt", texts)


def test_metrics_by_subtopic_get_the_iteration_of_the_judgements(oracles: Path) -> None:
    texts = [name if name != "IA" else "IA(metric='AP')" for name in DIVERSE]
    assert len(texts) > 12
    folder = oracles / "inputs/diversity"
    _assert_same_scores(folder / "qrels.txt", folder / "divA.txt", texts)


def test_real_runs_score_as_the_command_does(shared: Path, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    collection = shared / "data/web-2012"
    qrels.write_bytes(gzip.decompress((collection / "qrels.diversity.gz").read_bytes()))
    source = next(path for path in sorted((collection / "runs").rglob("*.gz")))
    run.write_bytes(gzip.decompress(source.read_bytes()))
    _assert_same_scores(qrels, run, ["nDCG@10", "alpha_nDCG@20", "ERR_IA@20", "INST(T=2.25,A='MAX')", "Dsharp_nDCG@10"])


def test_a_measure_is_never_equal_to_one_of_theirs() -> None:
    for name in ("RBP", "nDCG", "AP", "INST"):
        ours, theirs = measure(name), getattr(ir_measures, name)
        assert ours != theirs and theirs != ours and str(ours) != str(theirs) and len({ours, theirs}) == 2
        assert ir_measures.parse_measure(name) == theirs and type(ir_measures.parse_measure(name)) is type(theirs)


def test_equality_hash_cutoff_and_keywords() -> None:
    inst = measure("INST(T=2.25,A='MAX')")
    assert inst == measure("INST")(A="MAX", T=2.25) == measure("INST(A='MAX', T=2.25)")
    assert hash(inst) == hash(measure("INST")(T=2.25)(A="MAX"))
    assert inst @ 10 == inst(cutoff=10) == measure("INST(T=2.25,A='MAX')@10") != inst
    assert measure("INST")(T=2) == measure("INST")(T=2.0)
    assert measure("RBP")(p=0.8) == measure("RBP"), "the default is left out"
    assert inst["T"] == 2.25 and inst["A"] == "MAX" and {"T", "cutoff"} <= inst.SUPPORTED_PARAMS.keys()
    assert measure("IPrec") @ 0.1 == measure("IPrec@0.1")
    assert measure(ir_measures.nDCG @ 10) == measure("nDCG@10")
    assert pickle.loads(pickle.dumps(inst @ 5)) == inst @ 5
    assert measure("RBP")(gain=(0, 1)) == measure("RBP(gain=(0,1))")


def test_one_import_changes_a_program(oracles: Path) -> None:
    qrels, run = oracles / "inputs/adhoc/qrels.txt", oracles / "inputs/adhoc/runA.txt"
    own = interop.nDCG @ 10
    assert own == measure("nDCG@10") and measure("RR") == interop.MRR and interop.aINSQ == measure("aINSQ")
    found = interop.calc_aggregate([own], interop.read_trec_qrels(str(qrels)), interop.read_trec_run(str(run)))
    assert found[own] == pytest.approx(ia.score(run, qrels, "nDCG@10").means()[0, 0], abs=1e-9)
    assert not hasattr(interop, "__path__") and not hasattr(interop, "nothing")


def test_their_parser_knows_our_names_and_returns_equal_measures() -> None:
    registry = ir_measures.measures.registry
    assert {"aINSQ", "nERR", "RBU", "irassay_RBP", "irassay_nDCG"} <= registry.keys()
    for text in ("aINSQ(T=2)@10", "irassay_INST(T=2.25,A='MAX')", "Q@20", "irassay_nDCG(gain='exp')@10"):
        parsed = ir_measures.parse_measure(text)
        assert isinstance(parsed, interop.IrassayMeasure)
        assert ir_measures.parse_measure(str(parsed)) == parsed
    assert ir_measures.parse_measure("aINSQ(T=2)@10") == measure("aINSQ(T=2)@10")


def test_what_needs_more_than_judgements_and_a_run_is_refused() -> None:
    for text, need in NEEDY.items():
        with pytest.raises(ia.InputError, match=rf"needs .*{need}"):
            measure(text)
    with pytest.raises(ia.InputError, match="parameters by topic"):
        measure("INST")(T="@T")
    with pytest.raises(ia.InputError, match="RBP has no parameter 'q'"):
        measure("RBP")(q=1)
    with pytest.raises(ia.InputError, match="p must be a number above 0 and below 1"):
        measure("RBP(p=3)")
    with pytest.raises(ValueError, match="ir_measures' own"):
        interop.PROVIDER.calc_aggregate([P @ 1], {"1": {"a": 1}}, {"1": {"a": 1.0}})


@pytest.mark.usefixtures("forgotten")
def test_a_users_own_metric_is_a_measure() -> None:
    @ia.metric("Fickle")
    def fickle(r: ia.Rankings) -> np.ndarray:
        """One if the last result is relevant."""
        return np.asarray(r.relevant[:, -1], dtype=float)

    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"c": 1.0}}
    assert ir_measures.calc_aggregate([measure("Fickle")], qrels, run) == {measure("Fickle"): 0.5}
    assert ir_measures.parse_measure("Fickle") == measure("Fickle")


def test_every_call_of_ir_measures_and_every_input() -> None:
    qrels, run = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}, {"1": {"b": 2.0, "a": 1.0}}
    own, mixed = measure("INST(T=2)"), [measure("INST(T=2)"), nDCG @ 10, measure("nDCG@10")]
    frames = [
        pd.DataFrame([(t, d, v) for t, docs in data.items() for d, v in docs.items()], columns=COLUMNS[kind])
        for kind, data in (("qrels", qrels), ("run", run))
    ]
    records = [ir_measures.Qrel(*row) for row in frames[0].itertuples(index=False)]
    results = [ir_measures.ScoredDoc(*row) for row in frames[1].itertuples(index=False)]
    expected = ia.score(run, qrels, "INST(T=2)").means()[0, 0]
    for judged, listed in ((qrels, run), frames, (records, results), (iter(records), iter(results))):
        found = ir_measures.calc_aggregate(mixed, judged, listed)
        assert found[own] == pytest.approx(expected, abs=1e-12) and found[mixed[1]] == pytest.approx(found[mixed[2]])
    assert own.calc_aggregate(qrels, run) == pytest.approx(expected)
    assert own.calc(qrels, run).aggregated == pytest.approx(expected)
    evaluator = ir_measures.evaluator([own], qrels)
    assert evaluator.calc_aggregate(run)[own] == evaluator.calc(run).aggregated[own] == pytest.approx(expected)
    assert [each.value for each in own.iter_calc(qrels, {})] == [0.0, 0.0]


def test_sums_and_geometric_means_are_aggregated_as_such(oracles: Path) -> None:
    qrels, run = oracles / "inputs/adhoc/qrels.txt", oracles / "inputs/adhoc/runA.txt"
    given = list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run)))
    theirs = ir_measures.calc_aggregate([NumRet(rel=1)], *given)
    ours = ir_measures.calc_aggregate([measure("NumRelRet"), measure("GMAP")], *given)
    assert ours[measure("NumRelRet")] == theirs[NumRet(rel=1)]
    per_topic = [max(each.value, 1e-5) for each in AP.iter_calc(*given)]
    assert ours[measure("GMAP")] == pytest.approx(np.exp(np.mean(np.log(per_topic))), abs=1e-9)


def test_their_command_with_our_names(oracles: Path) -> None:
    qrels, run = (str(oracles / "inputs/adhoc" / name) for name in ("qrels.txt", "runA.txt"))
    command = [sys.executable, "-W", "ignore", "-m", "irassay.interop.ir_measures", "-p", "9", qrels, run]
    done = subprocess.run([*command, "aINSQ(T=2)@10 nDCG@10"], capture_output=True, text=True, check=True)
    printed = dict(line.split("\t") for line in done.stdout.splitlines())
    assert float(printed["aINSQ(T=2.0)@10"]) == pytest.approx(
        ia.score(run, qrels, "aINSQ(T=2)@10").means()[0, 0], abs=1e-8
    )
    assert "nDCG@10" in printed


def _collection(rng: np.random.Generator) -> tuple[dict, dict]:
    """Judgements and a run with ties, near ties, missing and unjudged topics, and documents of odd names."""
    qrels, run = {}, {}
    for t in range(12):
        docs = [f"d{i}" if rng.random() < 0.5 else f"D{i}é" for i in range(40)]
        if t != 3:
            grades = [-1, 0, 1, 2, 3] if t % 4 == 1 else [0, 0, 1, 2, 3]
            some = rng.choice(40, rng.integers(1, 20), replace=False)
            qrels[f"q{t}"] = {docs[i]: int(rng.choice(grades)) for i in some} | {"zz": 0}
        if t == 5:
            qrels["q5"] = dict.fromkeys(qrels["q5"], 0)
        if t != 4:
            draw = (lambda: float(rng.integers(4)), rng.random, lambda: 100 + 1e-7 * int(rng.integers(50)))[t % 3]
            some = rng.choice(40, rng.integers(1, 40), replace=False)
            run[f"q{t}"] = {docs[i]: float(draw()) for i in some}
    return qrels, run


def _their_measures() -> list:
    measures = [nDCG, nDCG @ 10, Judged, Judged @ 5, NumQ, NumRet, NumRel, SetF(beta=2.0), nDCG(gains={1: 5}) @ 10]
    for rel in (1, 2):
        measures += [P(rel=rel) @ 5, AP(rel=rel), AP(rel=rel) @ 10, R(rel=rel) @ 10, RR(rel=rel), RR(rel=rel) @ 10]
        measures += [
            Success(rel=rel) @ 3,
            Rprec(rel=rel),
            Bpref(rel=rel),
            infAP(rel=rel),
            SetAP(rel=rel),
            SetF(rel=rel),
        ]
        measures += [SetP(rel=rel), SetP(rel=rel, relative=True), SetR(rel=rel), NumRet(rel=rel), IPrec(rel=rel) @ 0.1]
    return measures


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("judged_only", [False, True])
def test_preferred_numbers_are_theirs(seed: int, judged_only: bool) -> None:
    qrels, run = _collection(np.random.default_rng(seed))
    measures = _their_measures()
    if judged_only:  # apart from the others, because theirs count NumRet with whichever comes first
        measures = [m(judged_only=True) for m in measures if "judged_only" in m.SUPPORTED_PARAMS]
        measures = [m for m in measures if ir_measures.DefaultPipeline.supports(m)]
    frames = [
        pd.DataFrame([(t, d, v) for t, docs in data.items() for d, v in docs.items()], columns=COLUMNS[kind])
        for kind, data in (("qrels", qrels), ("run", run))
    ]
    records = [ir_measures.Qrel(*row) for row in frames[0].itertuples(index=False)]
    results = [ir_measures.ScoredDoc(*row) for row in frames[1].itertuples(index=False)]
    separate = [m for m in measures if "gains" in m.params], [m for m in measures if "gains" not in m.params]
    theirs = {
        (each.measure, each.query_id): each.value
        for some in separate
        for each in ir_measures.iter_calc(some, qrels, run)
    }
    for judged, listed in ((qrels, run), frames, (records, results), (qrels, frames[1])):
        with prefer():
            ours = {
                (each.measure, each.query_id): each.value for each in ir_measures.iter_calc(measures, judged, listed)
            }
        assert ours == pytest.approx(theirs, abs=1e-9, nan_ok=True)


def test_preference_ends_with_its_block_or_with_undo() -> None:
    providers = ir_measures.DefaultPipeline.providers
    before = list(providers)
    with prefer():
        assert providers != before
        with prefer():
            pass
        assert providers != before, "the outer block has not ended"
    assert providers == before
    prefer()
    prefer().undo()
    assert providers == before


def test_what_pytrec_eval_sees_otherwise_is_left_to_it() -> None:
    run = pd.DataFrame([("1", "a", 1.0), ("1", "a", 3.0), ("1", "b", 2.0)], columns=COLUMNS["run"])  # twice
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 0)], columns=COLUMNS["qrels"])
    theirs = ir_measures.calc_aggregate([RR, AP], qrels, run)
    with prefer():
        assert ir_measures.calc_aggregate([RR, AP], qrels, run) == theirs
        numbers = run.assign(query_id=1)
        with pytest.raises(TypeError):
            ir_measures.calc_aggregate([AP], qrels.assign(query_id=1), numbers)


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from irassay.interop import required_package

    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(
        ia.InputError, match=r"needs ir_measures; install it with pip install 'irassay\[ir-measures\]'\."
    ):
        required_package("ir_measures", "ir-measures")


def test_irassay_imports_no_other_tool() -> None:
    code = (
        "import sys, irassay as ia; ia.score; print({'ir_measures', 'pyterrier', 'ranx', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
