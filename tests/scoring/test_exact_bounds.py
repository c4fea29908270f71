"""Exact bounds of differences, against every way in which the missing judgements could have come out."""

import itertools

import numpy as np
import pytest

import irassay as ia
from irassay.meta.discrimination import discrimination
from irassay.meta.split_taus import split_halves
from irassay.metrics.grammar import catalogue, parse
from irassay.scores import Scores
from irassay.scoring.exact_bounds import ExactBounds
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.system_lists import ListReader
from irassay.scoring.unjudged_results import document_order
from irassay.simulation import simulate
from irassay.stats.paired_test import PairedTest
from irassay.stats.resolved_pairs import outer_bounds, resolved_shares

TOP, TOPICS, UNKNOWN = 2, 12, 4
BINARY = ["nDCG(gain='binary')", "nDCG(gain='binary',rel=2,discount='jk')", "nDCG(gain=(0,1,1))", "R", "R(rel=2)"]
GRADED = ["DCG(gain='exp')", "P(gain=(0.1,0.1,1))", "P(rel=2)", "RBP(max_grade=4)", "GRBP(h=(0.1,0.9))", "nDCG", "Q"]
ENDS = ["RBP(end='list')", "SDCG(A='AVG',end='leak')", "INSQ(horizon=4,A='FIN')", "P(end='list')", "DCG(end='list')"]


def metrics() -> list[str]:
    every = [m(A=A) for m in catalogue().values() if m.is_model for A in ("ERG", "ETG", "AVG", "FIN")]
    linear = [str(m) for m in [*catalogue().values(), *every] if m.linear]
    assert len(linear) > 25
    names = dict.fromkeys([*linear, *BINARY, *GRADED, *ENDS])
    return [str(parse(name)) for name in names] + [f"{parse(name)}@3" for name in names]


def collection(seed: int, systems: int = 2):
    """Runs of lists of several lengths that share documents, judged and not, and judgements; some topics have none."""
    rng = np.random.default_rng(seed)
    runs = {f"s{n}": {} for n in range(systems)}
    qrels = {}
    for t in range(TOPICS):
        pool = [f"j{n}" for n in range(int(rng.integers(1, 7)))]
        qrels[str(t)] = {doc: int(rng.integers(0, TOP + 1)) if t else 0 for doc in pool}
        qrels[str(t)]["elsewhere"] = int(rng.integers(0, 2)) if t else 0
        docs = [*pool, *(f"u{n}" for n in range(int(rng.integers(0, UNKNOWN + 1))))]
        for run in runs.values():
            some = rng.permutation(docs)[: rng.integers(1, len(docs) + 1)]
            run[str(t)] = {str(doc): float(-n) for n, doc in enumerate(some)}
    return runs, qrels


def bounds(runs: object, qrels: object, names: list[str]) -> tuple[ExactBounds, Scores]:
    given = JudgedRuns.of(runs, qrels, names, max_grade=TOP)
    scores = given.scores()
    lists = ListReader(given, {name: parse(name) for name in scores.metrics}).lists(scores)
    return ExactBounds(lists.unjudged, len(scores.systems), range(len(scores.topics))), scores


def by_brute_force(runs, qrels, names):
    """[topic, metric] the least and the largest difference of two systems over all grades of unjudged documents."""
    values = []
    for grades in itertools.product(range(TOP + 1), repeat=UNKNOWN):
        told = {t: dict(docs) for t, docs in qrels.items()}
        for run in runs.values():
            for t, docs in run.items():
                told[t] |= {doc: grades[int(doc[1:])] for doc in docs if doc.startswith("u")}
        found = ia.score(runs, told, names, max_grade=TOP).values
        values.append(found[0] - found[1])
    return np.min(values, axis=0), np.max(values, axis=0)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_those_of_every_assignment_of_grades(seed):
    names = [name for name in metrics() if "max_grade=4" not in name]
    runs, qrels = collection(seed)
    exact, scores = bounds(runs, qrels, names)
    claimed = [name for name in scores.metrics if name in exact.names]
    assert {name for name in scores.metrics if parse(name).linear} - set(claimed) == {"nDCG", "nDCG@3"}
    low, high = by_brute_force(runs, qrels, claimed)
    for m, name in enumerate(claimed):
        column = scores.values[:, :, scores.metrics.index(name)]
        least, largest = exact.ends(name, np.array([0]), column)
        np.testing.assert_allclose(least[0], low[:, m], rtol=0, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(largest[0], high[:, m], rtol=0, atol=1e-12, err_msg=name)


def test_outer_bounds_hold_exact_ones_and_some_are_wider():
    names = [name for name in metrics() if parse(name).linear and parse(name).bounded()]
    runs, qrels = collection(7, systems=5)
    exact, scores = bounds(runs, qrels, names)
    whole = JudgedRuns.of(runs, qrels, names, max_grade=TOP).scores(bounds=True)
    cube = whole.values.reshape(*whole.values.shape[:2], -1, 3)
    outer, pairs = outer_bounds(cube[..., 1], cube[..., 2]), np.arange(10)
    for m, name in enumerate(scores.metrics):
        least, largest = exact.ends(name, pairs, scores.values[:, :, m])
        low, high = outer(m, pairs)
        assert (low <= least + 1e-12).all() and (largest <= high + 1e-12).all(), name
        assert (high - low).sum() > (largest - least).sum() + 0.01, name


def test_every_two_of_many_systems_are_bounded_as_if_they_were_alone():
    names = ["RBP", "P@3", "R@2", "nDCG(gain='binary')@3", "DCG"]
    runs, qrels = collection(11, systems=4)
    exact, scores = bounds(runs, qrels, names)
    for n, (a, b) in enumerate(itertools.combinations(runs, 2)):
        two, alone = bounds({a: runs[a], b: runs[b]}, qrels, names)
        for m, name in enumerate(scores.metrics):
            found = exact.ends(name, np.array([n]), scores.values[:, :, m])
            np.testing.assert_allclose(found, two.ends(name, np.array([0]), alone.values[:, :, m]), atol=1e-12)


@pytest.mark.parametrize("odd", ["", "tabs between, twice: read the careful way"])
def test_files_are_bounded_as_objects_are(tmp_path, odd):
    """Documents that were not judged are the same whether the scanner or the careful reader has read them."""
    names = ["RBP", "P@3", "nDCG(gain='binary')@3"]
    runs, qrels = collection(5, systems=3)
    for run, topics in runs.items():
        lines = [f"{t} Q0 {doc} 1 {s} {run}\n" for t, docs in topics.items() for doc, s in docs.items()]
        if odd and run == "s1":
            lines.insert(3, f"# {odd}\n")
        (tmp_path / f"{run}.txt").write_text("".join(lines))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()))
    paths = [tmp_path / f"{run}.txt" for run in runs]
    for one, two in zip(both(runs, qrels, names), both(paths, tmp_path / "qrels", names), strict=True):
        np.testing.assert_array_equal(one, two)


def both(runs: object, qrels: object, names: list[str]) -> list[np.ndarray]:
    exact, scores = bounds(runs, qrels, names)
    assert exact.names == set(scores.metrics)
    pairs = np.arange(len(scores.systems) * (len(scores.systems) - 1) // 2)
    return [end for m, name in enumerate(scores.metrics) for end in exact.ends(name, pairs, scores.values[:, :, m])]


def test_a_metric_that_says_nothing_of_itself_has_no_exact_bounds():
    runs, qrels = collection(3)
    exact, _ = bounds(runs, qrels, ["AP", "ERR", "RBP(A='MAX')", "INST", "RBP(effort=(0.25,1,1))", "nDCG"])
    assert not exact.names


def test_halves_of_the_topics_resolve_no_more_pairs_than_all_topics():
    """Averaged over 200 random halves, beyond Monte-Carlo error, with the critical value of all topics held."""
    collection = simulate(seed=5, topics=24, systems=8)
    rng = np.random.default_rng(1)
    judged = collection.qrels.frame.filter(rng.random(collection.qrels.frame.height) < 0.98)
    qrels: dict[str, dict[str, float]] = {}
    for topic, doc, grade in judged.select("topic", "doc", "grade").iter_rows():
        qrels.setdefault(topic, {})[doc] = grade
    names = ["P@10", "RBP", "DCG@10", "nDCG(gain='binary')@10", "RR"]
    given = JudgedRuns.of(list(collection.runs), qrels, names)
    whole = given.scores(bounds=True)
    scores = whole.select(metrics=[str(parse(name)) for name in names])
    lists = ListReader(given, {name: parse(name) for name in scores.metrics}).lists(scores)
    exact = ExactBounds(lists.unjudged, 8, range(24))
    assert len(exact.names) == 4
    cube = whole.values.reshape(8, 24, -1, 3)
    outer = outer_bounds(cube.min(axis=3), cube.max(axis=3))

    def ends(m: int, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        name = scores.metrics[m]
        return exact.ends(name, pairs, scores.values[:, :, m]) if name in exact.names else outer(m, pairs)

    first = split_halves(24, 100, 2)
    sets = np.concatenate([np.ones((1, 24), dtype=bool), first, ~first])
    for test in ("max-t-stepdown", "tukey", "t"):
        found = discrimination(scores, test=PairedTest(test), levels=(0.05,))
        rule = found.significance_rule(scores.values, 0.05)
        shares = resolved_shares(scores.values, ends, len(names), scores.noise(), sets, rule)[1]
        error = shares[1:].std(axis=0, ddof=1) / 200**0.5
        assert (shares[1:].mean(axis=0) <= shares[0] + 2 * error).all()
        assert shares[0].max() > 0


def ends_of_one(runs: object, qrels: object, name: str) -> tuple[float, float]:
    """The least and the largest difference of two systems on one topic."""
    exact, scores = bounds(runs, qrels, [name])
    least, largest = exact.ends(scores.metrics[0], np.array([0]), scores.values[:, :, 0])
    return least.item(), largest.item()


def in_order(*docs: str) -> dict[str, dict[str, float]]:
    """A run of one topic with these documents, best first."""
    return {"1": {doc: float(-n) for n, doc in enumerate(docs)}}


@pytest.mark.parametrize("name", ["P@2", "nDCG(gain='binary')@2"])
def test_a_grade_below_0_bounds_as_no_judgement_does(name):
    """trec_eval's -1: in the pool, but not judged."""
    runs = {"a": in_order("x", "j"), "b": in_order("j", "y")}
    given = ends_of_one(runs, {"1": {"j": 1, "x": -1}}, name)
    assert given == ends_of_one(runs, {"1": {"j": 1}}, name)
    assert given[0] < given[1]


def test_further_relevant_documents_of_both_systems_past_the_cutoff_raise_the_ideal():
    """Recall of the first result: b has found 1 of 1 relevant document, or 1 of 7 if all the others are relevant."""
    runs = {"a": in_order("n", "x1", "x2", "x3"), "b": in_order("j", "y1", "y2", "y3")}
    assert ends_of_one(runs, {"1": {"j": 1, "n": 0}}, "R@1") == pytest.approx((-1, -1 / 7))


def test_an_unjudged_document_may_have_the_top_grade_of_the_metrics_own_scale():
    runs = {"a": in_order("x"), "b": in_order("n")}
    name = "nDCG(gain='binary',rel=3,max_grade=4)@2"
    assert ends_of_one(runs, {"1": {"n": 0, "j": 2}}, name) == pytest.approx((0, 1))


def test_a_result_far_down_a_list_counts_by_its_small_weight():
    judged = [f"j{n}" for n in range(59)]
    runs = {"a": in_order("u", *judged, "x"), "b": in_order("u", *judged)}
    least, largest = ends_of_one(runs, {"1": dict.fromkeys(judged, 0)}, "RBP")
    assert (least, largest) == pytest.approx((0, 0.2 * 0.8**60), abs=1e-12)


def test_bounds_that_would_need_too_much_room_are_not_exact(monkeypatch):
    runs, qrels = collection(3)
    names = ["RBP", "nDCG(gain='binary')"]
    monkeypatch.setattr("irassay.scoring.unjudged_results.MAX_CELLS", 1)  # of the table of ideals
    assert bounds(runs, qrels, names)[0].names == {"RBP"}
    monkeypatch.setattr("irassay.scoring.unjudged_results.MAX_RESULTS", 3)
    assert not bounds(runs, qrels, names)[0].names


def test_documents_are_numbered_by_topic_however_many_topics_there_are():
    topic, key = np.array([1 << 16, 0, 1 << 16, 0]), np.array([7, 9, 5, 9], dtype=np.uint64)
    order, document = document_order(topic, key)
    assert (order.tolist(), document.tolist()) == ([1, 3, 2, 0], [0, 0, 1, 2])
