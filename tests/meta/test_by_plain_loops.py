"""Intervals, tests and counts of the methods against plain loops that leave out, redraw or flip one thing at a time."""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from irassay.meta.alternatives import alternatives
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.preference import Choices, preference
from irassay.meta.robustness.method import robustness_of_scores
from irassay.meta.split_taus import split_halves
from irassay.meta.unanimity import unanimity
from irassay.scores import Scores
from irassay.stats.clusters import repeat_table
from irassay.stats.paired_test import PairedTest
from tests.support.collections import simulated

SIMPLE = ("m3",)


def two_way_by_loop(scores: Scores, value: Callable[[Scores], float]) -> float:
    """The two-way jackknife of Owen (2007), every system and topic left out by hand."""
    systems, topics = scores.systems, scores.topics

    def without(s: str = "", t: str = "") -> float:
        kept = [x for x in systems if x != s], [x for x in topics if x != t]
        return value(scores.select(systems=kept[0], topics=kept[1]))

    S, T, whole = len(systems), len(topics), value(scores)
    by_system, by_topic = {s: without(s) for s in systems}, {t: without(t=t) for t in topics}
    J_S = (S - 1) / S * sum((x - np.mean(list(by_system.values()))) ** 2 for x in by_system.values())
    J_T = (T - 1) / T * sum((x - np.mean(list(by_topic.values()))) ** 2 for x in by_topic.values())
    J_ST = sum((without(s, t) - by_system[s] - by_topic[t] + whole) ** 2 for s, t in product(systems, topics))
    variance = J_S + J_T - (S - 1) / S * (T - 1) / T * J_ST
    return float(np.sqrt(variance if variance > 0 else max(J_S, J_T)))


def lead(scores: Scores) -> float:
    """How much more often m0 is right than m1 where they disagree."""
    found = intuitiveness(scores, simple=SIMPLE, trials=1)
    return float((found.correct[0, 0, 0, 1] - found.correct[0, 0, 1, 0]) / max(1, found.disagreements[0, 0, 0, 1]))


def test_the_jackknife_and_the_sign_flips_of_intuitiveness() -> None:
    scores = simulated(6, 7, 4, seed=3)
    found = intuitiveness(scores, simple=SIMPLE)
    error = two_way_by_loop(scores, lead)
    assert found.error[0, 0, 0, 1] == pytest.approx(error, rel=1e-9)
    p = 2 * stats.t.sf(abs(lead(scores)) / error, min(6, 7) - 1)
    assert found.by_run[0, 0, 0, 1] == pytest.approx(p, rel=1e-9)
    each = [intuitiveness(scores.select(topics=[t]), simple=SIMPLE, trials=1).correct[0, 0] for t in scores.topics]
    by_topic = np.array([count[0, 1] - count[1, 0] for count in each])
    flips = [abs(sum(by_topic * signs)) >= abs(by_topic.sum()) for signs in product((-1, 1), repeat=7)]
    assert found.by_topic[0, 0, 0, 1] == pytest.approx(np.mean(flips), abs=1e-12)


def test_the_jackknife_of_unanimity() -> None:
    scores = simulated(6, 7, 4, seed=4)
    found = unanimity(scores, simple=SIMPLE, interval="jackknife")
    reach = stats.t.ppf(0.975, 5)
    for name in ("bits", "gamma"):

        def value(some: Scores, name: str = name) -> float:
            return float(getattr(unanimity(some, simple=SIMPLE, trials=1), name)[0, 0, 1])

        wide = reach * two_way_by_loop(scores, value)
        ends = [float(getattr(found, f"{name}_{end}")[0, 0, 1]) for end in ("low", "high")]
        limit = (-1.0, 1.0) if name == "gamma" else (-np.inf, np.inf)
        assert ends == pytest.approx(np.clip([value(scores) - wide, value(scores) + wide], *limit), rel=1e-9)


def test_the_bootstrap_of_unanimity() -> None:
    scores, trials = simulated(5, 6, 4, seed=5), 30
    found = unanimity(scores, simple=SIMPLE, trials=trials, seed=2)
    bits = []
    for weight in repeat_table(6, trials, 2).T.astype(int):
        at = np.repeat(np.arange(6), weight)
        again = Scores(scores.values[:, at], scores.systems, tuple(map(str, range(6))), scores.metrics)
        bits.append(unanimity(again, simple=SIMPLE, trials=1).bits[0, 0])
    ordered = np.sort(bits, axis=0)
    low, high = ordered[int(np.ceil(0.025 * trials)) - 1], ordered[int(np.ceil(0.975 * trials)) - 1]
    assert found.bits_low[0, 0] == pytest.approx(low, rel=1e-9) and found.bits_high[0, 0] == pytest.approx(
        high, rel=1e-9
    )
    gap = np.array(bits)[:, 0] - np.array(bits)[:, 1]
    p = min(1.0, 2 * (min((gap <= 0).sum(), (gap >= 0).sum()) + 1) / (trials + 1))
    assert found.p[0, 0, 0, 1] == pytest.approx(p)


def test_the_interval_and_the_tests_of_preference() -> None:
    scores, rng, trials = simulated(4, 7, 2, seed=6), np.random.default_rng(0), 40
    shown = [(t, *rng.permutation(4)[:2]) for t in rng.integers(0, 7, 50)]
    sign = rng.choice([-1, 1], 50)
    names = [scores.topics[t] for t, _, _ in shown]
    sides = [[scores.systems[row[side]] for row in shown] for side in (1, 2)]
    choices = Choices(tuple(names), tuple(sides[0]), tuple(sides[1]), sign.astype(np.int8))
    found = preference(scores, choices=choices, trials=trials, seed=3)
    order = sorted(set(names))  # clusters are drawn by name
    for m in range(2):
        right = [
            np.sign(scores.values[a, t, m] - scores.values[b, t, m]) * s
            for (t, a, b), s in zip(shown, sign, strict=True)
        ]
        of_topic = [[r for r, name in zip(right, names, strict=True) if name == topic] for topic in order]
        assert found.agreement[m] == pytest.approx(np.mean([(r + 1) / 2 for r in right]))
        drawn = []
        for weight in repeat_table(len(order), trials, 3).T.astype(int):
            some = [r for w, rows in zip(weight, of_topic, strict=True) for r in rows * w]
            drawn.append((np.mean(some) + 1) / 2)
        assert (found.low[m], found.high[m]) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), rel=1e-9)
    exact = preference(scores, choices=choices, trials=10_000)
    sums = np.array([sum(rows) for rows in of_topic])
    flips = [abs(sum(sums * signs)) >= abs(sums.sum()) - 1e-9 for signs in product((-1, 1), repeat=len(sums))]
    assert exact.p[1] == pytest.approx(np.mean(flips), abs=1e-12)


def decisions(values: np.ndarray, alpha: float) -> dict[tuple[int, int], int]:
    """Of each pair of systems, who is significantly better by scipy's paired t-test."""
    found = {}
    for i, j in combinations(range(len(values)), 2):
        t, p = stats.ttest_rel(values[i], values[j])
        found[i, j] = int(np.sign(t)) if p < alpha else 0
    return found


def test_robustness_as_scipy_has_it() -> None:
    one, two = simulated(9, 12, 3, seed=7), simulated(9, 12, 3, seed=8)
    found = robustness_of_scores(one, two, PairedTest("t"), alpha=0.2)
    for m in range(3):
        before, after = one.values[:, :, m], two.values[:, :, m]
        tau = stats.kendalltau(before.mean(axis=1), after.mean(axis=1)).statistic
        assert found.tau[0, m] == pytest.approx(tau, abs=1e-12)
        first, second = decisions(before, 0.2), decisions(after, 0.2)
        both = [(first[pair], second[pair]) for pair in first]
        counts = {
            "SSA": sum(a * b == 1 for a, b in both),
            "SSD": sum(a * b == -1 for a, b in both),
            "SN": sum(a != 0 == b for a, b in both),
            "NS": sum(a == 0 != b for a, b in both),
            "NN": sum(a == 0 == b for a, b in both),
        }
        assert {name: int(getattr(found, name)[0, m]) for name in counts} == counts
        places = stats.rankdata(-before.mean(axis=1)), stats.rankdata(-after.mean(axis=1))
        assert found.fall[0, m] == max(places[1] - places[0])
        assert found.bias[0, m] == pytest.approx((after - before).mean())
        slope = stats.linregress(before.mean(axis=1), after.mean(axis=1) - before.mean(axis=1)).slope
        assert found.slope[0, m] == pytest.approx(slope, rel=1e-9)


def test_alternatives_as_scipy_has_it() -> None:
    scores = simulated(7, 16, 3, seed=9).with_sorted_topics()  # drawn by name
    found = alternatives(scores, reference="m1", splits=40, alpha=0.1, test=PairedTest("t", seed=4))
    first = split_halves(16, 1, 4)[0]
    for h, half in enumerate((first, ~first)):
        some = scores.values[:, half]
        for m in range(3):
            tau = stats.kendalltau(some[:, :, m].mean(axis=1), some[:, :, 1].mean(axis=1)).statistic
            assert found.tau[h, m] == pytest.approx(tau, abs=1e-12)
            told = decisions(some[:, :, m], 0.1)
            assert found.powers[h, m] == pytest.approx(np.mean([who != 0 for who in told.values()]))
            taus = [
                stats.kendalltau(some[:, part, m].mean(axis=1), some[:, ~part, m].mean(axis=1)).statistic
                for part in split_halves(8, 40, 4)
            ]
            assert found.consistency[h, m] == pytest.approx(np.mean(taus), abs=1e-12)
