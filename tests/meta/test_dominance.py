"""Certificates for every user: never contradicted by random users, refused only if some user disagrees."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp
from scipy.stats import t as student

import irassay as ia
from irassay.errors import InputError
from irassay.meta.dominance import common_unit
from irassay.simulation import simulate
from irassay.stats.corrections import holm
from irassay.stats.every_user import (
    FLIPPED_P,
    first_crossing,
    holm_of_certificates,
    insq_attention,
    pair_curves,
    rbp_attention,
    sign_flip_p,
)

USERS = 100_000


def random_grades(seed: int, systems: int = 12, topics: int = 8, depth: int = 6, top: int = 3) -> np.ndarray:
    """[system, topic, rank] grades of systems of different quality, some with the same lists."""
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0.2, 0.8, (systems, 1, depth))
    grade = rng.binomial(top, quality, (systems, topics, depth)).astype(float)
    grade[1] = grade[0]
    return grade


def as_collection(grade: np.ndarray) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs and judgements with these grades: every result is a document of its own."""
    runs, qrels = {}, {}
    for s, lists in enumerate(grade):
        runs[f"s{s}"] = {}
        for t, row in enumerate(lists):
            docs = {f"d{s}-{t}-{i}": int(g) for i, g in enumerate(row)}
            runs[f"s{s}"][f"t{t}"] = {doc: 100.0 - i for i, doc in enumerate(docs)}
            qrels.setdefault(f"t{t}", {}).update(docs)
    return runs, qrels


def attentions(rng: np.random.Generator, depth: int) -> np.ndarray:
    """[user, rank] random attentions that do not grow, smooth ones and ones with few steps."""
    drops = rng.exponential(size=(USERS, depth)) * (rng.random((USERS, depth)) < rng.random((USERS, 1)))
    return np.flip(np.flip(drops, axis=1).cumsum(axis=1), axis=1)


@pytest.mark.parametrize("seed", range(3))
def test_no_user_contradicts_a_certificate_and_some_user_disagrees_with_every_refusal(seed: int) -> None:
    grade = random_grades(seed)
    found = ia.meta.dominance(*as_collection(grade))
    rng, depth = np.random.default_rng(seed), grade.shape[2]
    w = attentions(rng, depth)
    maps = np.sort(rng.random((50, 4)), axis=1) * [0, 1, 1, 1]  # gains that do not fall with the grade
    first, second = found.pairs
    step = (grade[first] - grade[second]).mean(axis=1)
    mapped = np.stack([gain[grade.astype(int)] for gain in maps])  # [map, system, topic, rank]
    mapped_step = (mapped[:, first] - mapped[:, second]).mean(axis=2)
    assert found.dominates.any() and not found.dominates.all()
    for way, sign in ((0, 1), (1, -1)):
        least = (sign * step @ w.T).min(axis=1)
        assert (least[found.dominates[:, way]] >= -1e-9).all()
        k = found.worst_k[:, way]
        at_k = np.array([sign * row[:rank].mean() for row, rank in zip(step, k, strict=True)])
        assert np.allclose(at_k / 3, found.worst_lead[:, way])
        assert (at_k[~found.dominates[:, way]] < 0).all()  # the user who reads k results alike
        by_map = np.min([(sign * each @ w[:2000].T).min(axis=1) for each in mapped_step], axis=0)
        assert (by_map[found.every_gain[:, way]] >= -1e-9).all()
    assert found.dominates[found.direction("s0", "s1")[0]].all()  # equal


def test_every_gain_map_is_counts_of_every_grade_or_better() -> None:
    grade = random_grades(5)
    found = ia.meta.dominance(*as_collection(grade))
    first, second = found.pairs
    expected = [
        [
            all(
                (sign * ((grade[a] >= r)[:, :k].sum() - (grade[b] >= r)[:, :k].sum())) >= 0
                for r in (1, 2, 3)
                for k in range(1, 7)
            )
            for sign in (1, -1)
        ]
        for a, b in zip(first, second, strict=True)
    ]
    assert found.every_gain.tolist() == expected
    assert found.every_gain.any()


@pytest.mark.parametrize("seed", range(2))
def test_convex_certificates_are_those_that_no_convex_attention_contradicts(seed: int) -> None:
    rng, depth = np.random.default_rng(seed), 5
    cumulated = rng.integers(-2, 3, (40, 1, depth)).cumsum(axis=2)
    found = pair_curves(cumulated, 0.05)
    first, second = np.triu_indices(40, k=1)
    step = np.diff(cumulated[first, 0] - cumulated[second, 0], axis=1, prepend=0)
    rank = np.arange(1, depth + 1)
    corners = np.array([*(np.maximum(k + 1 - rank, 0) for k in range(1, depth)), np.ones(depth)])  # all cones' edges
    slopes = rng.exponential(size=(20_000, depth)) * (rng.random((20_000, depth)) < 0.5)
    for way, sign in ((0, 1), (1, -1)):
        least = (sign * step @ (slopes @ corners).T).min(axis=1)
        assert (least[found.convex[:, way]] >= -1e-9).all()
        assert ((sign * step @ corners.T).min(axis=1)[~found.convex[:, way]] < 0).all()
        assert (found.convex[:, way] | ~found.dominates[:, way]).all()


def flipped_share(lead: np.ndarray) -> float:
    """The share of all sign flips with a sum at least as large, by listing them."""
    signs = np.array(np.meshgrid(*[[1, -1]] * len(lead))).reshape(len(lead), -1)
    return float((lead @ signs >= lead.sum() - 1e-9).mean())


def test_sign_flips_are_exact() -> None:
    lead = np.random.default_rng(0).integers(-4, 9, (40, 11)).astype(float)
    np.testing.assert_allclose(sign_flip_p(lead), [flipped_share(row) for row in lead], rtol=1e-12)


def test_rounded_sign_flips_are_close() -> None:
    lead = np.random.default_rng(1).normal(600, 1000, (40, 12)).round()
    np.testing.assert_allclose(sign_flip_p(lead), [flipped_share(row) for row in lead], rtol=0.02)


def plain_doubt(lead: np.ndarray, loss: float) -> float:
    """Twice the larger of p of Hall's t and of the chance that losses of one size were not seen, at one rank."""
    n, S, g = len(lead), lead.mean() / lead.std(), skew(lead)
    hall = S + g * S**2 / 3 + g**2 * S**3 / 27 + g / (6 * n)
    losers = max(lead.mean(), 0) / (max(lead.mean(), 0) + loss)
    return 2 * max(student.sf(hall * math.sqrt(n - 1), n - 1), (1 - losers) ** n)


def test_p_is_the_largest_over_ranks_of_t_and_flips() -> None:
    rng, below, doubted = np.random.default_rng(2), 0, 0
    for _ in range(60):
        grade = np.stack([rng.binomial(2, 0.7, (10, 4)), rng.binomial(2, 0.25, (10, 4))])
        ideal = 1.5 * np.arange(1, 5)
        found = pair_curves(grade.cumsum(axis=2), 0.05, 2, ideal)
        lead = (grade[0] - grade[1]).cumsum(axis=1)
        one, two = grade.mean(axis=1).cumsum(axis=1)
        losses = np.max([np.full(4, 2), -lead.min(axis=0), two, ideal - one], axis=0)
        t = ttest_1samp(lead, 0, alternative="greater").pvalue.max()
        flips = max(flipped_share(row) for row in lead.T)
        p = max(t, flips) if t < FLIPPED_P else t
        doubt = min(1.0, max(plain_doubt(row, loss) for row, loss in zip(lead.T, losses, strict=True)))
        doubted += p < 0.05 < doubt
        assert found.p[0, 0] == pytest.approx(doubt if p < 0.05 < doubt else p)
        assert found.p[0, 1] > 0.5
        below += found.p[0, 0] < 0.05
    assert 10 < below < 60 and doubted


def test_a_rank_that_few_topics_reach_is_not_skipped_silently() -> None:
    lead = np.zeros((12, 3), dtype=int)
    lead[:4, 0], lead[:, 1], lead[:, 2] = 1, 1, 1
    found = ia.meta.dominance(*as_collection(np.stack([lead, np.zeros_like(lead)]).astype(float)))
    assert found.dominates[0, 0] and not found.significant[0, 0]
    assert found.not_shown == ("1",)
    assert found.p[0, 0] == pytest.approx(0.5**4)
    assert found.significant_elsewhere[0, 0]
    assert "does not drop after rank" in str(found)


def test_a_grade_that_nobody_returns_prevents_significance_for_every_gain_map() -> None:
    lead = np.ones((12, 2))
    runs, qrels = as_collection(np.stack([lead, np.zeros_like(lead)]))
    found = ia.meta.dominance(runs, qrels)
    qrels["t0"]["never returned"] = 2
    wider = ia.meta.dominance(runs, qrels)
    assert found.gain_p[0, 0] == pytest.approx(0.5**12)
    assert wider.gain_p[0, 0] == 1.0
    assert wider.every_gain[0, 0] and wider.grades.tolist() == [1, 2]


def false_certificates(draw: Any, studies: int, seed: int, alpha: float = 0.05) -> float:
    """The share of studies of two systems in which one is falsely certified, uncorrected."""
    rng = np.random.default_rng(seed)
    return float(np.mean([pair_curves(draw(rng).cumsum(axis=2), alpha).p[0, 0] < alpha for _ in range(studies)]))


def test_size_at_the_boundary_with_rare_top_ranks() -> None:
    def rare_first_rank(rng: np.random.Generator) -> np.ndarray:
        """Equal at rank 1, where few topics have a relevant result; far better below."""
        grade = np.stack([rng.random((30, 4)) < 0.8, rng.random((30, 4)) < 0.1]).astype(int)
        grade[:, :, 0] = rng.random((2, 30)) < 0.15
        return grade

    def common_first_rank(rng: np.random.Generator) -> np.ndarray:
        grade = rare_first_rank(rng)
        grade[:, :, 0] = rng.random((2, 30)) < 0.5
        return grade

    assert false_certificates(rare_first_rank, 1500, 1) <= 0.06
    assert 0.01 < false_certificates(common_first_rank, 1500, 2) <= 0.06


def test_size_at_the_boundary_with_rare_top_grades() -> None:
    rng, alpha, found = np.random.default_rng(3), 0.05, []
    for _ in range(1500):  # equal by top grades, far better by others
        rare = (rng.random((2, 30, 3)) < 0.05).astype(int)
        good = np.stack([rng.random((30, 3)) < 0.8, rng.random((30, 3)) < 0.1]).astype(int)
        levels = [np.maximum(rare, good), rare]  # grade 1 or better, grade 2
        found.append(max(pair_curves(level.cumsum(axis=2), alpha).p[0, 0] for level in levels) < alpha)
    assert np.mean(found) <= 0.06


@pytest.mark.parametrize("topics", [12, 25, 50])
def test_size_with_small_wins_and_rare_large_losses(topics: int) -> None:
    """At rank 1 one system has grade 1 on four topics of five, the other has grade 4 on one of five; far apart below."""
    rng = np.random.default_rng(topics)
    found = []
    for _ in range(600):
        grade = np.stack([rng.random((topics, 3)) < 0.9, rng.random((topics, 3)) < 0.1]).astype(int)
        grade[:, :, 0] = rng.random(topics) < 0.8, 4 * (rng.random(topics) < 0.2)
        found.append(pair_curves(grade.cumsum(axis=2), 0.05, 4).p[0, 0] < 0.05)
    assert np.mean(found) <= 0.06


def test_size_with_rare_losses_of_whole_lists() -> None:
    """Four systems have grade 1 twice in the first five ranks; the others have five results of grade 4 on every tenth
    topic, the same at rank 10 on average; far apart below.
    """
    rng, studies, false = np.random.default_rng(3), 200, 0
    first, second = np.triu_indices(8, k=1)
    for _ in range(studies):
        grade = np.zeros((8, 25, 14), dtype=np.int64)
        grade[:4, :, :5] = rng.random((4, 25, 5)) < 0.4
        grade[4:, :, 5:10] = 4 * (rng.random((4, 25, 1)) < 0.1)
        grade[:4, :, 10:] = 4 * (rng.random((4, 25, 4)) < 0.9)
        found = pair_curves(grade.cumsum(axis=2), 0.05, 4)
        corrected = holm_of_certificates(found.p, found.rare_loss_p, 0.05)
        false += bool((corrected[(first < 4) & (second >= 4), 0] < 0.05).any())
    assert false / studies <= 0.06


@pytest.mark.parametrize(("lost", "results"), [(0.03, 10), (0.06, 10), (0.06, 5), (0.1, 5)])
def test_size_with_whole_lists_that_are_lost_too_rarely_to_be_seen(lost: float, results: int) -> None:
    """One system finds a result on some topics; the other has all of the first results on rare ones; far apart below."""
    rng, topics, false, blind = np.random.default_rng(4), 25, 0, 0
    ideal = np.minimum(np.arange(1.0, results + 4), results)
    for _ in range(600):
        gain = np.zeros((2, topics, results + 3), dtype=np.int64)
        gain[0, :, 0] = rng.random(topics) < lost * results
        gain[1, :, :results] = rng.random((topics, 1)) < lost
        gain[0, :, results:] = 1
        curves = gain.cumsum(axis=2)
        false += pair_curves(curves, 0.05, 1, ideal).p[0, 0] < 0.05
        blind += pair_curves(curves, 0.05).p[0, 0] < 0.05
    assert false / 600 <= 0.06 < blind / 600  # not known without the judgements


@pytest.mark.parametrize(("systems", "topics", "studies"), [(8, 100, 300), (20, 50, 150)])
def test_size_of_a_family_with_rare_large_gains(systems: int, topics: int, studies: int) -> None:
    """Half of the systems have gain 1 on three topics of five, the others gain 7 on as few as give the same mean."""
    rng, half, false, by_holm = np.random.default_rng(5), systems // 2, 0, 0
    first, second = np.triu_indices(systems, k=1)
    equal = (first < half) & (second >= half)
    for _ in range(studies):
        gain = np.zeros((systems, topics, 3), dtype=np.int64)
        gain[:half, :, 0] = rng.random((half, topics)) < 0.6
        gain[half:, :, 0] = 7 * (rng.random((half, topics)) < 0.6 / 7)
        gain[:half, :, 1:] = 7 * (rng.random((half, topics, 2)) < 0.95)
        found = pair_curves(gain.cumsum(axis=2), 0.05, 7)
        false += bool((holm_of_certificates(found.p, found.rare_loss_p, 0.05)[equal, 0] < 0.05).any())
        by_holm += bool((holm(found.p.ravel()).reshape(found.p.shape)[equal, 0] < 0.05).any())
    assert false / studies <= 0.06
    assert systems == 8 or by_holm / studies > 0.06  # the correction of p alone is not enough


def test_crossings_are_where_the_metrics_change_sides() -> None:
    grade = random_grades(7, systems=10, topics=6, depth=8)
    runs, qrels = as_collection(grade)
    found = ia.meta.dominance(runs, qrels)
    crossed = np.flatnonzero(~np.isnan(found.p_star) & ~np.isnan(found.T_star))
    assert len(crossed) > 3
    first, second = found.pairs
    for pair in crossed[:4]:
        p, T = found.p_star[pair], found.T_star[pair]
        names = [f"RBP(p={p:.12f})", f"RBP(p={p * 0.99:.12f})", f"INSQ(T={T:.12f})", f"INSQ(T={T * 0.99:.12f})"]
        means = ia.score(runs, qrels, names).means()
        gap = means[first[pair]] - means[second[pair]]
        assert abs(gap[0]) < 1e-7 < abs(gap[1])
        assert abs(gap[2]) < 1e-7 < abs(gap[3])
    rank = np.arange(1.0, 9)
    for attention in (rbp_attention, insq_attention):
        assert (np.diff(attention(rank, np.array([[0.7]]))) < 0).all()
    assert np.isnan(first_crossing(np.ones((1, 3)), rbp_attention, np.array([0.1, 0.9]))).all()


def test_a_pair_that_only_other_users_order_differently_is_said_to_have_one_order_by_rbp_and_by_insq() -> None:
    grade = {"A": {str(t): [1, 0, 1, 1, 0, 0] for t in range(6)}, "B": {str(t): [0, 1, 1, 1, 1, 0] for t in range(6)}}
    qrels = {t: {f"{system}{t}-{n}": g for system in grade for n, g in enumerate(grade[system][t])} for t in grade["A"]}
    runs = {
        system: {t: {f"{system}{t}-{n}": 10.0 - n for n in range(6)} for t in topics}
        for system, topics in grade.items()
    }
    found = ia.meta.dominance(runs, qrels)
    unchanged = replace(found, p_star=np.array([np.nan]), T_star=np.array([np.nan]))
    alike = "RBP orders the two systems alike at all values of p that were tried, and INSQ at all values of T."
    assert alike not in found.view().sentences
    assert alike in unchanged.view().sentences


def test_a_metric_that_is_covered_agrees_with_every_certificate() -> None:
    grade = random_grades(9)
    runs, qrels = as_collection(grade)
    found = ia.meta.dominance(runs, qrels, ["nDCG@3", "RBP(p=0.3)", "P@4", "DCG(gain='exp')@5", "AP"])
    assert found.covers["nDCG@3"] == found.covers["AP"] == "no"
    assert found.covers["RBP(p=0.3)"] == "dominates"
    assert found.covers["P@4"] == found.covers["DCG(gain='exp')@5"] == "every gain map"
    first, second = found.pairs
    for kind, directed in (("dominates", found.dominates), ("every gain map", found.every_gain)):
        names = [name for name, cover in found.covers.items() if cover == kind and not name.startswith(("GP", "GRBP"))]
        means = ia.score(runs, qrels, names).means()
        gap = means[first] - means[second]
        assert (gap[directed[:, 0]] >= -1e-12).all() and (gap[directed[:, 1]] <= 1e-12).all()
    cut = ia.meta.dominance(runs, qrels, ["RBP", "RBP@3"], depth=3)
    assert cut.covers["RBP"].startswith("only") and cut.covers["RBP@3"] == "dominates"


def test_settings_and_bad_input() -> None:
    made = simulate(seed=1, topics=6, systems=4)
    runs = list(made.runs)
    exp = ia.meta.dominance(runs, made.qrels, gain="exp", judged_only=True, missing="skip")
    assert exp.curves.shape == (4, exp.depth)
    assert ia.meta.dominance(runs, made.qrels, depth=5).depth == 5
    with pytest.raises(InputError, match="expected 2 or more"):
        ia.meta.dominance(runs[:1], made.qrels)
    with pytest.raises(InputError, match="There is no system 'nobody' to show"):
        ia.meta.dominance(runs, made.qrels, show=("nobody",))


def test_units_of_gains() -> None:
    assert common_unit(np.array([1.0, 3.0, 7.0])) == 1.0
    assert common_unit(np.array([0.5, 0.75])) == 0.25
    assert common_unit(np.zeros(0)) == 1.0


def test_trec_covid(shared: Path) -> None:
    data = shared / "data" / "trec-covid-1"
    found = ia.meta.dominance(data / "runs", data / "qrels.txt", depth=100)
    assert len(found.p) == 10_153
    assert found.share_certified == pytest.approx(0.772, abs=5e-4)
