"""Fragility against brute force over all changes, another tool's scores, and simulated assessors."""

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import t as t_distribution
from scipy.stats import ttest_rel

import irassay as ia
from irassay.errors import InputError
from irassay.meta.fragility.assessors import RANGE_ENDS, third_differences
from irassay.meta.fragility.method import FragilePair, Fragility, summed_pair
from irassay.meta.fragility.regraded_lists import RegradedPair, States
from irassay.stats.influence import paired_t

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def small_collection(seed: int, topics: int = 4, documents: int = 5, top: int = 2) -> tuple[Qrels, Run, Run]:
    """A few topics with a few judged documents; the first run puts better documents first."""
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    runs: tuple[Run, Run] = ({}, {})
    for t in range(topics):
        grade = {f"d{n}": int(rng.integers(0, top + 1)) for n in range(documents)}
        qrels[f"q{t}"] = grade
        noise = {doc: rng.normal() for doc in grade}
        runs[0][f"q{t}"] = {doc: g + 0.4 * noise[doc] for doc, g in grade.items()}
        runs[1][f"q{t}"] = {doc: -g + 0.6 * noise[doc] for doc, g in grade.items()}
    return qrels, *runs


def plain_score(metric: str, grades: list[int], pool: list[int]) -> float:
    """A list's score by a plain loop, from its grades in rank order and those of all judged documents."""

    def dcg(some: list[int], k: int, gain: Callable[[int], float] = float) -> float:
        return sum(gain(g) / math.log2(n + 2) for n, g in enumerate(some[:k]))

    def ratio(k: int, gain: Callable[[int], float] = float) -> float:
        best = dcg(sorted(pool, reverse=True), k, gain)
        return dcg(grades, k, gain) / best if best else 0.0

    relevant = [g > 0 for g in grades]
    precision = [sum(relevant[: n + 1]) / (n + 1) for n in range(len(grades))]
    total = sum(g > 0 for g in pool)
    return {
        "nDCG@3": lambda: ratio(3),
        "nDCG": lambda: ratio(99),
        "nDCG(gain='exp')@3": lambda: ratio(3, lambda g: 2.0**g - 1),
        "P@2": lambda: sum(relevant[:2]) / 2,
        "R@2": lambda: sum(relevant[:2]) / total if total else 0.0,
        "AP": lambda: sum(p for p, rel in zip(precision, relevant, strict=True) if rel) / total if total else 0.0,
        "RR": lambda: next((1 / (n + 1) for n, rel in enumerate(relevant) if rel), 0.0),
    }[metric]()


def fewest_by_brute_force(qrels: Qrels, first: Run, second: Run, metric: str, alpha: float) -> int:
    """The fewest changes that undo the significance, of all grades that the documents can have."""
    grades = sorted({grade for judged in qrels.values() for grade in judged.values()} | {0})
    total = squares = changed = np.zeros(1)
    for topic, judged in qrels.items():
        lists = [sorted(run[topic], key=lambda doc: -run[topic][doc]) for run in (first, second)]
        fewest: dict[float, int] = {}  # changes, by the difference they make
        for new in product(grades, repeat=len(judged)):
            grade = dict(zip(judged, new, strict=True))
            a, b = (plain_score(metric, [grade[doc] for doc in docs], list(new)) for docs in lists)
            changes = sum(grade[doc] != old for doc, old in judged.items())
            fewest[round(a - b, 12)] = min(changes, fewest.get(round(a - b, 12), changes))
        d, number = (np.array(list(each)) for each in (fewest, fewest.values()))
        total, squares, changed = (
            (sums[:, None] + each).ravel() for sums, each in ((total, d), (squares, d**2), (changed, number))
        )
    n = len(qrels)
    error = np.sqrt(np.maximum(squares - total**2 / n, 0) / (n - 1) / n)
    undone = np.abs(total / n) <= stdtrit(n - 1, 1 - alpha / 2) * error + 1e-12
    return int(changed[undone].min())


def one_pair(qrels: Any, first: Any, second: Any, metric: str, **settings: Any) -> tuple[Fragility, FragilePair]:
    result = ia.meta.fragility({"A": first, "B": second}, qrels, [metric], max_grade=2, **settings)
    return result, result.pairs[0]


@pytest.mark.parametrize("metric", ["nDCG@3", "nDCG", "nDCG(gain='exp')@3", "P@2", "AP", "RR", "R@2"])
def test_the_number_of_changes_is_that_of_brute_force(metric: str) -> None:
    needed = []
    for seed, (topics, documents, top), alpha in product(range(3), [(4, 4, 2), (4, 5, 1)], [0.3, 0.6]):
        qrels, first, second = small_collection(seed, topics, documents, top)
        _, pair = one_pair(qrels, first, second, metric, alpha=alpha)
        if pair.significant:
            needed.append(fewest_by_brute_force(qrels, first, second, metric, alpha))
            assert pair.changes is not None and pair.at_least <= needed[-1] <= pair.changes
            assert not pair.exactly or pair.changes == needed[-1]
    assert len(needed) > 5 and max(needed) >= 3


def test_equal_scores_on_every_topic_undo_a_difference() -> None:
    qrels: Qrels = {f"q{n}": {"a": int(n < 3)} for n in range(4)}
    first, second = ({topic: {doc: 1.0} for topic in qrels} for doc in "ab")
    for metric in ("Success@1", "P@1"):
        result, pair = one_pair(qrels, first, second, metric, alpha=0.4)
        assert pair.changes == 3 and pair.t[-1] == 0 and "Changing 3 judgements undoes" in str(result)


def test_a_limit_of_changes_is_named_where_it_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, first, second = small_collection(5, topics=12, documents=15)
    result, free = one_pair(qrels, first, second, "nDCG@5")
    assert free.limit is None and "were not tried" not in str(result)
    reach = sys.modules["irassay.meta.fragility.reach"]
    monkeypatch.setattr(reach, "MAX_SUMMED_PER_TOPIC", 3)
    result, pair = one_pair(qrels, first, second, "nDCG@5")
    assert free.changes is not None and pair.changes is not None and pair.changes > free.changes
    assert pair.limit == 3 and not pair.exactly
    assert "More than 3 changes of one topic were not tried" in str(result)
    monkeypatch.setattr(reach, "MAX_SUMMED_PER_TOPIC", 1)
    result, pair = one_pair(qrels, first, second, "nDCG@5")
    assert pair.changes is None and "found that undo the significance; up to 1 per topic was tried." in str(result)


@pytest.mark.parametrize("metric", ["nDCG@5", "P@5", "AP"])
def test_the_patch_undoes_the_significance_by_another_tool(metric: str) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, first, second = small_collection(5, topics=12, documents=15)
    _, pair = one_pair(qrels, first, second, metric)
    measure = {"nDCG@5": "ndcg_cut_5", "P@5": "P_5", "AP": "map"}[metric]

    def p_value(judgements: Qrels) -> float:
        evaluator = pytrec_eval.RelevanceEvaluator(judgements, {measure})
        a, b = (evaluator.evaluate(run) for run in (first, second))
        topics = sorted(judgements)
        return float(ttest_rel([a[t][measure] for t in topics], [b[t][measure] for t in topics]).pvalue)

    patched = {topic: dict(judged) for topic, judged in qrels.items()}
    for topic, doc, old, new in pair.patch:
        assert patched[topic][doc] == old != new
        patched[topic][doc] = int(new)
    assert pair.significant and p_value(qrels) < 0.05 <= p_value(patched)
    assert p_value(qrels) == pytest.approx(pair.p, rel=1e-9)
    assert len({change[:2] for change in pair.patch}) == len(pair.patch) == pair.changes == len(pair.t) - 1


@pytest.mark.parametrize("metric", ["AP", "AP@4", "AP(rel=2)", "AP(norm='min')@4", "nDCG@4", "nDCG", "P@4"])
def test_added_up_changes_score_as_the_changed_judgements_do(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []

    def keep(pair: RegradedPair, d: Any) -> RegradedPair:
        kept.append((pair, summed := summed_pair(pair, d)))
        return summed

    monkeypatch.setattr(sys.modules[FragilePair.__module__], "summed_pair", keep)
    one_pair(*small_collection(3, topics=8, documents=9), metric)
    [(pair, summed)] = kept
    assert summed is not pair
    rng, n = np.random.default_rng(1), 300
    state = States(np.arange(8).repeat(2), rng.integers(0, 3, (16, 9)).astype(float))
    row = rng.integers(0, 16, n)
    for changes in (1, 2, 3):
        slot = np.stack([rng.choice(9, changes, replace=False) for _ in range(n)])
        versions = state, row, slot, rng.integers(0, 3, slot.shape).astype(float)
        np.testing.assert_allclose(summed.differences(*versions), pair.differences(*versions), atol=1e-12)


def test_one_document_fewer_than_the_patch_does_not_undo_it() -> None:
    qrels, first, second = small_collection(7, topics=10, documents=12)
    result, pair = one_pair(qrels, first, second, "nDCG@5")
    assert (pair.t[:-1] > result.critical).all() and pair.t[-1] <= result.critical


def simulated_assessors(seed: int, assessors: int) -> tuple[Run, Run, list[Qrels]]:
    """Two runs and the judgements of assessors who differ from the truth, which depends on who returned a document."""
    rng = np.random.default_rng(seed)
    first, second, truth = {}, {}, {}
    better = 0.5 + 0.3 * rng.random()
    for t in range(25):
        # a document of the first run is relevant with probability .5 to .8, of the second .5, of neither .05
        docs = [(f"a{n}", better) for n in range(10)] + [(f"b{n}", 0.5) for n in range(10)]
        docs += [(f"n{n}", 0.05) for n in range(40)]
        truth[f"q{t}"] = {doc: rng.random() < chance for doc, chance in docs}
        first[f"q{t}"] = {f"a{n}": -n for n in range(10)}
        second[f"q{t}"] = {f"b{n}": -n for n in range(10)}

    def judged() -> Qrels:
        keep = {True: 0.75, False: 0.1}  # of being judged relevant
        return {t: {doc: int(rng.random() < keep[rel]) for doc, rel in docs.items()} for t, docs in truth.items()}

    return first, second, [judged() for _ in range(assessors)]


def test_the_probability_of_another_assessor_is_calibrated() -> None:
    predicted, actual = [], []
    for seed in range(160):
        first, second, (own, other, *further) = simulated_assessors(seed, 14)
        _, pair = one_pair(own, first, second, "P@10", other=other, assessors=100)
        if not pair.significant:
            continue
        undone = [not ttest_rel(*_precisions(each, first, second)).pvalue < 0.05 for each in further]
        predicted.append(pair.undone)
        actual.append(np.mean(undone))
    assert len(actual) > 60
    assert abs(np.mean(predicted) - np.mean(actual)) < 0.10


def drawn_claims(rng: np.random.Generator, number: int, lead: Callable[[], float]) -> Any:
    """[claim] the predicted and the true share who undo it, and the ends of the range; leads are in spreads of topics."""
    topics, found = 25, []
    critical = float(t_distribution.isf(0.025, topics - 1))
    while len(found) < number:
        by_topic = rng.normal(lead(), 1, topics)
        d = by_topic + rng.normal(0, 1, (102, topics))
        if not paired_t(d[0]) > critical:
            continue
        third, undoing = third_differences(rng, d[0], np.broadcast_to(d[1], (300, topics)), critical)
        true = (paired_t(d[2:]) <= critical).mean()
        found.append(((paired_t(third) <= critical).mean(), true, *np.quantile(undoing, RANGE_ENDS)))
    return np.array(found).T


def test_the_probability_of_another_assessor_is_calibrated_where_it_is_high_and_where_it_is_low() -> None:
    rng = np.random.default_rng(27)
    share, true, least, most = drawn_claims(rng, 600, lambda: abs(rng.normal(0, 0.5)))
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 1.01)):
        some = (share >= low) & (share < high)
        assert some.sum() >= 20 and abs(share[some].mean() - true[some].mean()) < 0.10, (low, high)
    assert 0.85 < np.mean((true >= least - 0.01) & (true <= most + 0.01)) < 0.97


def test_the_probability_of_another_assessor_is_calibrated_where_few_claims_are_significant() -> None:
    rng = np.random.default_rng(28)
    share, true, least, most = drawn_claims(rng, 400, lambda: 0.37)  # one claim in four is significant
    assert abs(share.mean() - true.mean()) < 0.10
    assert np.mean((true >= least - 0.01) & (true <= most + 0.01)) > 0.85


def test_other_judgements_of_some_documents_are_completed_by_strata() -> None:
    first, second, (own, other, _) = simulated_assessors(7, 3)
    some = {t: {doc: grade for doc, grade in docs.items() if doc[1] in "02468"} for t, docs in other.items()}
    _, whole = one_pair(own, first, second, "P@10", other=other, assessors=300)
    _, part = one_pair(own, first, second, "P@10", other=some, assessors=300)
    for pair in (whole, part):
        assert pair.significant and 0 < pair.undone_range[0] < pair.undone < pair.undone_range[1] < 1
    _, same = one_pair(own, first, second, "P@10", other=own, assessors=10)
    assert (same.undone, same.reversed, same.undone_range) == (0, 0, (0, 0))


def _precisions(qrels: Qrels, first: Run, second: Run) -> Any:
    return [[np.mean([qrels[t][doc] for doc in run[t]]) for t in qrels] for run in (first, second)]


def test_a_table_of_confusions_is_labelled_an_upper_end() -> None:
    first, second, (own, *_) = simulated_assessors(0, 1)
    result, pair = one_pair(own, first, second, "P@10", noise={0: {0: 0.8, 1: 0.2}, 1: {0: 0.2, 1: 0.8}}, assessors=50)
    assert result.assessors == "pooled" and 0 <= pair.reversed <= pair.undone <= 1
    assert "upper end" in str(result)


def test_a_difference_that_is_not_significant_needs_no_change() -> None:
    qrels, first, _ = small_collection(0)
    result, pair = one_pair(qrels, first, first, "nDCG@3")
    assert not pair.significant and pair.changes == 0 and pair.patch == ()
    assert "nothing to undo" in str(result)


def test_the_family_is_named_and_its_critical_value_frozen() -> None:
    qrels, first, second = small_collection(5, topics=12, documents=15)
    runs = {"A": first, "B": second, "C": {t: {doc: -s for doc, s in of.items()} for t, of in first.items()}}
    alone = ia.meta.fragility(runs, qrels, ["nDCG@5"], pair=("A", "B"))
    together = ia.meta.fragility(runs, qrels, ["nDCG@5"], pair=("A", "B"), test="bonferroni")
    assert "alone" in alone.family and "all 3 pairs" in together.family
    assert together.critical > alone.critical and (together.pairs[0].changes or 0) <= (alone.pairs[0].changes or 0)


def test_every_significant_pair_of_several_runs_is_tried() -> None:
    qrels, first, second = small_collection(5, topics=12, documents=15)
    runs = {"A": first, "B": second, "C": {t: {doc: -s for doc, s in of.items()} for t, of in first.items()}}
    result = ia.meta.fragility(runs, qrels, ["nDCG@5"])
    assert result.compared == 3 and all(pair.significant and pair.difference > 0 for pair in result.pairs)
    assert {(pair.system, pair.other) for pair in result.pairs} >= {("A", "C")}


def test_pairs_that_no_changes_undo_count_when_half_of_the_pairs_are_described() -> None:
    qrels, first, second = small_collection(5, topics=12, documents=15)
    runs = {"A": first, "B": second, "C": {t: {doc: -s for doc, s in of.items()} for t, of in first.items()}}
    result = ia.meta.fragility(runs, qrels, ["nDCG@5"])
    one = replace(result.pairs[0], changes=4)
    firm = replace(one, changes=None)
    for pairs, is_stated in (((one, firm), True), ((one, firm, firm), False)):
        sentences = replace(result, pairs=pairs).view().sentences
        assert ("At least half of them are undone by 4 or fewer." in sentences) == is_stated


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"test": "sign"}, "must be one of"),
        ({"pair": ("A", "A")}, "two different runs"),
        ({"other": {"q0": {"x": 1}}}, "no document"),
        ({"other": {"q0": {"d0": 9}}}, "top of the scale"),
        ({"other": {"q0": {"d0": 1}}, "noise": {0: {0: 1.0}}}, "not both"),
        ({"noise": {0: {0: 0.5}}}, "sum to 1"),
        ({"alpha": 2.0}, "of at least 1e-15 and below 1"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(settings: dict[str, Any], words: str) -> None:
    qrels, first, second = small_collection(5, topics=12)
    with pytest.raises(InputError, match=words):
        one_pair(qrels, first, second, "nDCG@5", **settings)
