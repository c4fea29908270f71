"""Metrics of trec_eval, ir_measures and Clarke's program against plain loops, on rankings with every kind of edge."""

import itertools
import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.metrics.grammar import parse
from irassay.scores import Scores

Grades = dict[str, int]


def random_topics(number: int = 200, seed: int = 7) -> tuple[dict[str, list[str]], dict[str, Grades]]:
    """Lists and judgements: short and empty lists, nothing relevant, unjudged results, grades below 0."""
    choose = random.Random(seed)
    lists, judgements = {}, {}
    for t in range(number):
        docs = [f"d{i:02}" for i in range(choose.choice([1, 4, 12, 30]))]
        grades = [0] if t % 9 == 0 else [-2, -1, 0, 0, 1, 2, 3]
        judged = [doc for doc in docs if choose.random() < 0.7] or docs[:1]
        judgements[f"t{t}"] = {doc: choose.choice(grades) for doc in judged}
        found = choose.sample(docs, choose.randint(0, len(docs)))
        lists[f"t{t}"] = [] if t % 10 == 0 else found
    return lists, judgements


def scores_of(lists: dict[str, list[str]], judgements: dict[str, Grades], metrics: list[str]) -> Scores:
    run = {topic: {doc: float(-i) for i, doc in enumerate(docs)} for topic, docs in lists.items() if docs}
    return ia.score(run, judgements, metrics, max_grade=3)


def check(metric: str, by_hand: Callable[[list[str], Grades], float]) -> None:
    lists, judgements = random_topics()
    scores = scores_of(lists, judgements, [metric])
    mine = dict(zip(scores.topics, scores.values[0, :, 0].tolist(), strict=True))
    assert len(mine) == len(lists)
    for topic, docs in lists.items():
        assert mine[topic] == pytest.approx(by_hand(docs, judgements[topic]), abs=1e-12), (metric, topic)


def overlap(a: list[str], b: list[str], p: float, depth: int) -> float:
    """Rank-biased overlap to a depth, divided by its largest value."""
    shared = [len({*a[: d + 1]} & {*b[: d + 1]}) / (d + 1) for d in range(depth)]
    return sum(p**d * s for d, s in enumerate(shared)) / sum(p**d for d in range(depth))


@pytest.mark.parametrize("p", [0.95, 0.5])
@pytest.mark.parametrize("dialect", ["original", "ir_measures"])
def test_compat_by_hand(p: float, dialect: str) -> None:
    def by_hand(docs: list[str], judged: Grades) -> float:
        wanted = [doc for doc in judged if judged[doc] > 0]
        ideal = sorted(wanted, key=lambda doc: (-judged[doc], docs.index(doc) if doc in docs else 99))
        depth = 1000 if dialect == "original" else max(len(docs), len(ideal), 1)
        best = overlap(ideal, ideal, p, depth)
        return overlap(docs, ideal, p, depth) / best if best else 0.0

    check(f"Compat(p={p},dialect='{dialect}')", by_hand)


def test_compat_orders_equal_scores_by_ascending_id_and_says_that_its_numbers_changed() -> None:
    run, judged = {"1": {"a": 1.0, "b": 1.0}}, {"1": {"a": 1}}
    scores = ia.score(run, judged, ["Compat", "RR"])
    assert scores.values[0, 0].tolist() == pytest.approx([1.0, 0.5])  # RR has b first, as trec_eval does
    assert ia.score(run, judged, ["Compat"], ties="docid-asc").values.item() == 1.0
    file = ia.score({"1": {"b": 1.0, "a": 1.0}}, judged, ["Compat"], ties="file")
    assert file.values.item() < 1.0
    assert any("1,000 ranks" in note for note in scores.notes)
    assert not any("1,000 ranks" in note for note in ia.score(run, judged, ["Compat(dialect='ir_measures')"]).notes)


def test_compat_of_lists_longer_than_a_thousand() -> None:
    docs = [f"d{i:04}" for i in range(1200)]
    run, judged = {"1": {doc: float(-i) for i, doc in enumerate(docs)}}, {"1": dict.fromkeys(docs[5:], 1)}
    expected = overlap(docs, docs[5:], 0.95, 1000) / overlap(docs[5:], docs[5:], 0.95, 1000)
    assert ia.score(run, judged, ["Compat"]).values.item() == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2])
@pytest.mark.parametrize("dialect", ["original", "trec_eval", "ir_measures"])
def test_f_by_hand(beta: float, dialect: str) -> None:
    weight = beta**2 if dialect == "original" else beta

    def by_hand(docs: list[str], judged: Grades) -> float:
        hits, wanted = sum(judged.get(doc, 0) > 0 for doc in docs), sum(grade > 0 for grade in judged.values())
        if not hits:
            return 0.0
        P, R = hits / len(docs), hits / wanted
        return (1 + weight) * P * R / (weight * P + R)

    check(f"SetF(beta={beta},dialect='{dialect}')", by_hand)


@pytest.mark.parametrize(
    ("metric", "noted"), [("SetF", False), ("SetF(beta=2)", True), ("set_F_2", False), ("set_F", False)]
)
def test_f_says_that_its_numbers_changed_where_they_did(metric: str, noted: bool) -> None:
    scores = ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, [metric])
    assert any("beta squared" in note for note in scores.notes) == noted


@pytest.mark.parametrize("recall", [0.1, 0.3, 0.34, 0.5, 1.0])
@pytest.mark.parametrize("rounding", ["trec_eval9", "up", "nearest"])
def test_interpolated_precision_by_hand(recall: float, rounding: str) -> None:
    def by_hand(docs: list[str], judged: Grades) -> float:
        wanted = sum(grade > 0 for grade in judged.values())
        part = round(recall * wanted, 9)
        needed = {"trec_eval9": math.floor(part + 0.9), "up": math.ceil(part), "nearest": math.floor(part + 0.5)}
        hits = list(itertools.accumulate(judged.get(doc, 0) > 0 for doc in docs))
        return max((n / (i + 1) for i, n in enumerate(hits) if n >= needed[rounding]), default=0.0)

    check(f"IPrec(recall={recall},rounding='{rounding}')", by_hand)


def test_a_base_that_has_no_effect_is_refused() -> None:
    run, judged = {"1": {"a": 1.0}}, {"1": {"a": 1}}
    for metric in ("DCG(discount='log2',b=3)", "nDCG(b=3)@5"):
        with pytest.raises(InputError, match="b=3 has no effect"):
            ia.score(run, judged, [metric])
    assert ia.score(run, judged, ["DCG(discount='jk',b=3)"]).values.item() == 1.0


@pytest.mark.parametrize("number", [10**400, int("9" * 400), 10**101])
def test_a_number_too_large_for_a_double_is_refused_with_the_reason(number: int) -> None:
    for metric in (lambda: ia.RBP(gain=(0, number)), lambda: parse(f"RBP(gain=(0,{number}))")):
        with pytest.raises(InputError, match=r"RBP: gain must be at most 1e\+100 in magnitude"):
            metric()


def test_ranx_says_rbp_and_means_raw_grades(oracles: Path) -> None:
    inputs = oracles / "inputs" / "adhoc"
    expected = json.loads((oracles / "ranx" / "runA.json").read_text())
    asked = ["rbp.95", "RBP(p=0.95,gain='raw')"]
    scores = ia.score(inputs / "runA.txt", inputs / "qrels.txt", asked)
    assert "gains of rbp.95 are divided by the top grade, 3; ranx's number is RBP(p=0.95,gain='raw')" in scores.notes
    mine = dict(zip(scores.topics, scores.of(asked[1])[0].tolist(), strict=True))
    assert {topic: mine[topic] for topic in expected} == pytest.approx({t: v["rbp.95"] for t, v in expected.items()})
    assert not any("ranx" in note for note in ia.score({"1": {"a": 1.0}}, {"1": {"a": 1}}, ["rbp.95"]).notes)


@pytest.mark.parametrize("b", [0.3, 0.5, 1.0])
def test_search_economy_by_hand(b: float) -> None:
    """The rate of a user who examines ten ranks, each with a weight of (i+1)^b - i^b."""
    weights = [(i + 1) ** b - i**b for i in range(1, 11)]

    def by_hand(docs: list[str], judged: Grades) -> float:
        gain = [max(0, judged.get(doc, 0)) / 3 for doc in docs]
        return sum(w * g for w, g in zip(weights, gain, strict=False)) / sum(weights)

    check(f"SET(b={b})@10", by_hand)


def test_trap_by_hand() -> None:
    def by_hand(docs: list[str], judged: Grades) -> float:
        gain = [max(0, judged.get(doc, 0)) / 3 for doc in docs]
        known = sum(grade > 0 for grade in judged.values())
        return sum(g * sum(gain[: i + 1]) / (i + 1) for i, g in enumerate(gain)) / max(1, known)

    check("TrAP", by_hand)


@pytest.mark.parametrize("stops", [(1, 2, 3), (1, 1, 1), (0, 0.5, 4)])
@pytest.mark.parametrize("beta", [0, 1])
def test_stop_values_by_hand(stops: tuple[float, ...], beta: float) -> None:
    """The ratio at each relevant result by stop value, divided by the stop values of all relevant documents."""

    def by_hand(docs: list[str], judged: Grades) -> float:
        gain = [max(0, judged.get(doc, 0)) for doc in docs]
        ideal = sorted((max(0, grade) for grade in judged.values()), reverse=True)
        total, worth = 0.0, sum(stops[grade - 1] for grade in judged.values() if grade > 0)
        for i, g in enumerate(gain, 1):
            if g:
                hits = sum(each > 0 for each in gain[:i])
                total += stops[g - 1] * (hits + beta * sum(gain[:i])) / (i + beta * sum(ideal[:i]))
        return total / worth if worth else 0.0

    check(f"NCU(beta={beta},stops={stops})", by_hand)
    plain, as_gains = (parse(f"NCU(beta={beta}{more})") for more in ("", ",stops=(1,2,3)"))
    lists, judgements = random_topics()
    scores = scores_of(lists, judgements, [str(plain), str(as_gains)])
    assert scores.values[..., 0] == pytest.approx(scores.values[..., 1], abs=1e-12)  # gains are the default


def test_stop_values_without_effect_or_of_another_scale_are_refused() -> None:
    run, judged = {"1": {"a": 1.0}}, {"1": {"a": 2}}
    for metric, message in (("NCU(stop='u',stops=(1,2))", "stops has no effect"), ("NCU(stops=(1,))", "has 2 entries")):
        with pytest.raises(InputError, match=message):
            ia.score(run, judged, [metric])


@pytest.mark.parametrize("metric", ["bpref", "GMbpref"])
def test_results_listed_again_and_again_do_not_push_bpref_below_0(tmp_path: Path, metric: str) -> None:
    """One nonrelevant document is judged, and its copies come three times before the two relevant ones: 1 - 1/1 each."""
    (tmp_path / "run").write_text("".join(f"1 Q0 {doc} 0 {9 - i} r\n" for i, doc in enumerate("nnnab")))
    scores = ia.score(tmp_path / "run", {"1": {"n": 0, "a": 1, "b": 1}}, [metric], on_duplicate="nonrelevant")
    assert scores.values.item() == 0
