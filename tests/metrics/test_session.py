"""The goal carried over from query to query, against a loop over queries and ranks."""

import numpy as np
import pytest
from scipy.special import polygamma

import irassay as ia
from tests.support.runs import session_run


def rate(gain: list[float], T: float, adaptive: bool) -> float:
    """The expected gain per result of INSQ, or aINSQ; past the list V falls with the square of the rank."""
    V, total, examined, found = 1.0, 0.0, 0.0, 0.0
    left = T
    for i, each in enumerate(gain, 1):
        total, examined, found = total + V * each, examined + V, found + each
        left = max(0.0, T - found) if adaptive else T
        V *= ((i + 2 * left - 1) / (i + 2 * left)) ** 2
    a = len(gain) + 2 * left
    return total / (examined + V * a**2 * float(polygamma(1, a)))


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("k", [None, 2])
def test_a_session_by_hand(adaptive: bool, k: int | None) -> None:
    """Random sessions: queries without results, nothing relevant, unjudged results, grades below 0."""
    random = np.random.default_rng(3)
    sessions, judged, expected = {}, {}, {}
    for number in range(200):
        docs = [f"d{i:02}" for i in range(20)]
        grades = {doc: int(random.integers(-1, 3 if number % 9 else 1)) for doc in docs[:15]} | {"top": 2}
        queries = np.split(random.permutation(docs), np.sort(random.integers(0, 20, random.integers(0, 4))))
        sessions[f"s{number}"], judged[f"s{number}"] = [query.tolist() for query in queries], grades
        scores, left = [], 3.0
        for query in queries[:k]:
            gain = [max(0, grades.get(doc, 0)) / 2 for doc in query]
            scores.append(rate(gain, max(0.5, left), adaptive) if gain else 0.0)
            left -= sum(gain)
        expected[f"s{number}"] = sum(scores) / len(scores)
    metric = f"sINSQ(T=3,floor=0.5,adaptive={adaptive})" + (f"@{k}" if k else "")
    scores = ia.score(session_run(sessions), judged, [metric])
    assert dict(zip(scores.topics, scores.values[0, :, 0].tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)


def test_one_query_is_ainsq_and_later_queries_want_less() -> None:
    run, judged = session_run({"1": [["a", "x"]], "2": [["a"], ["b", "x"]]}), {t: {"a": 1, "b": 1} for t in "12"}
    once, twice = ia.score(run, judged, ["sINSQ(T=2)"]).values[0, :, 0]
    plain = ia.score({"1": {"a": 2.0, "x": 1.0}}, {"1": {"a": 1, "b": 1}}, ["aINSQ(T=2)", "aINSQ(T=1)"]).values[0, 0]
    first = ia.score({"1": {"a": 1.0}}, {"1": {"a": 1, "b": 1}}, ["aINSQ(T=2)"]).values.item()
    assert once == pytest.approx(plain[0], abs=1e-12)
    assert twice == pytest.approx((first + plain[1]) / 2, abs=1e-12)


def test_it_is_called_experimental_wherever_it_is_described() -> None:
    assert "experimental and ours" in str(ia.explain("sINSQ", "1,0,2"))
    assert "no independent source confirms sINSQ" in str(ia.metrics("sINSQ"))
    for unchecked in ("Terminal", "U"):
        assert f"no independent source confirms {unchecked}:" in str(ia.metrics(unchecked))
    assert "no independent source" not in str(ia.metrics("RBP"))
