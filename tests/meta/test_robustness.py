"""The same systems under other judgements: what is altered, what stays, and what the comparison says of it."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import irassay
from irassay.errors import InputError
from irassay.meta.robustness.altered_judgements import (
    Confusion,
    judgements_without_team,
    noisy_judgements,
    original_judgements,
    pooled_judgements,
    thinned_judgements,
)
from irassay.meta.robustness.method import robustness, robustness_of_scores
from irassay.meta.robustness.rejudged_scores import RejudgedScores, pooled_runs, rejudged_scores
from irassay.parallel import context
from irassay.rankings.pool import Pool
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.score import parsed_metrics
from tests.support.collections import collection, simulated
from tests.support.runs import dynamic_run

METRICS = ["AP", "nDCG@5", "RBP(p=0.5)", "bpref", "R@5"]


def pool_of(*grades: list[float]) -> Pool:
    width = max(map(len, grades))
    table = np.array([[*row, *[0.0] * (width - len(row))] for row in grades])
    return Pool(table, np.array([len(row) for row in grades]), table[:, :, None], np.ones((len(grades), 1)))


def test_thinning_keeps_the_same_share_of_every_grade_in_every_topic() -> None:
    pool = pool_of([2.0] * 10 + [1.0] * 20 + [0.0] * 70, [1.0] * 4 + [0.0] * 6)
    half = thinned_judgements(pool, 0.5, seed=1)
    for grade, kept in ((2, 5), (1, 10), (0, 35)):
        assert (half.kept[0] & (pool.grade[0] == grade)).sum() == kept
    assert half.kept[1, :10].sum() == 5 and not half.kept[1, 10:].any()
    assert thinned_judgements(pool, 1.0).judged == 110


def test_thinning_is_nested_and_right_on_average() -> None:
    pool = pool_of([2.0] * 3 + [0.0] * 7)
    for repeat in range(20):
        kept = [thinned_judgements(pool, keep, seed=5, repeat=repeat).kept for keep in (0.1, 0.3, 0.7, 1.0)]
        assert all((small <= large).all() for small, large in itertools.pairwise(kept))
    share = np.mean([thinned_judgements(pool, 0.3, repeat=repeat).kept for repeat in range(600)], axis=0)
    assert share == pytest.approx(0.3, abs=0.08)
    assert (thinned_judgements(pool, 0.3, seed=1).kept == thinned_judgements(pool, 0.3, seed=1).kept).all()


def test_the_pool_of_thinned_judgements_keeps_its_order() -> None:
    pool = pool_of([1.0, 0.0, 2.0, 0.0], [2.0, 1.0])
    altered = thinned_judgements(pool, 0.5, seed=3)
    made = altered.as_pool()
    assert made.size.tolist() == altered.kept.sum(axis=1).tolist()
    for t in range(2):
        assert made.grade[t, : made.size[t]].tolist() == pool.grade[t][altered.kept[t]].tolist()


def test_noise_draws_from_the_row_of_each_grade() -> None:
    pool = pool_of([0.0] * 2000 + [1.0] * 2000 + [2.0] * 10)
    changed = noisy_judgements(pool, {0: {0: 0.9, 1: 0.1}, 1: {0: 0.25, 2: 0.75}}, max_grade=2, seed=2).grade[0]
    assert set(changed[:2000]) == {0.0, 1.0} and changed[:2000].mean() == pytest.approx(0.1, abs=0.03)
    assert set(changed[2000:4000]) == {0.0, 2.0} and (changed[2000:4000] == 2).mean() == pytest.approx(0.75, abs=0.04)
    assert (changed[4000:] == 2).all()


def test_pools_cut_to_a_depth_and_without_a_team() -> None:
    pool = pool_of([2.0, 1.0, 0.0, 1.0])
    place = np.array([[0, 1, -1], [0, 2, 3], [3, 0, -1]], dtype=np.int32)  # places of three runs' results
    assert pooled_judgements(pool, [place], 1).kept.tolist() == [[True, False, False, True]]
    assert pooled_judgements(pool, [place], 3).judged == 4
    team = np.array([0, 1, 1])
    assert judgements_without_team(pool, [place], [team], 0, None).kept.tolist() == [[True, False, True, True]]
    assert judgements_without_team(pool, [place], [team], 1, None).kept.tolist() == [[True, True, False, False]]
    assert judgements_without_team(pool, [place], [team], 1, 1).kept.tolist() == [[True, True, True, False]]


def test_confusions_are_read_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "noise.tsv"
    file.write_text("from\tto\tprobability\n0\t0\t0.9\n0\t1\t0.1\n")
    assert Confusion.read(file) == {0: {0: 0.9, 1: 0.1}}
    with pytest.raises(InputError, match=r"must sum to 1; found 0\.9"):
        noisy_judgements(pool_of([0.0]), {0: {0: 0.9}}, max_grade=2)
    with pytest.raises(InputError, match="above the top of the scale, 2"):
        noisy_judgements(pool_of([0.0]), {0: {3: 1.0}}, max_grade=2)
    for text, says in (("0 0\n", "line 1: found '0 0'; expected three numbers"), ("0 0 1\n0 0 1\n", "line 2.*twice")):
        file.write_text(text)
        with pytest.raises(InputError, match=says):
            Confusion.read(file)
    with pytest.raises(InputError, match="above 0 and at most 1; found 30"):
        thinned_judgements(pool_of([0.0]), 30)
    with pytest.raises(InputError, match="There is no file"):
        Confusion.read(tmp_path / "none.tsv")


def test_looking_up_once_scores_as_scoring_does() -> None:
    runs, qrels = collection()
    asked = parsed_metrics(METRICS)
    have = pooled_runs(runs, qrels, asked)
    expected = irassay.score(runs, qrels, METRICS)
    found = have.scores(original_judgements(have.pool), asked)
    assert (found.systems, found.topics, found.metrics) == (expected.systems, expected.topics, expected.metrics)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-12)


def test_reading_policies_are_those_of_scoring() -> None:
    runs, qrels = collection()
    qrels["3"] = dict.fromkeys(qrels["3"], 0)
    del runs["run1"]["5"]
    policies = {"missing": "skip", "no_relevant": "skip", "depth": 7, "ties": "docid-asc", "max_grade": 4, "rel": 2}
    reference, cases = rejudged_scores(JudgedRuns.of(runs, qrels, METRICS, **policies), thin=(1.0,), repeats=1)
    expected = irassay.score(runs, qrels, METRICS, **policies)
    np.testing.assert_allclose(reference.values, expected.values, atol=1e-12)
    np.testing.assert_array_equal(cases[0].scores.values, reference.values)
    assert reference.metrics == expected.metrics and np.isnan(reference.values[:, 3]).all()


def test_altered_judgements_score_as_a_file_of_them_would() -> None:
    runs, qrels = collection()
    asked = parsed_metrics(METRICS)
    have = pooled_runs(runs, qrels, asked)
    altered = noisy_judgements(have.pool, {0: {0: 0.8, 1: 0.2}, 2: {1: 1.0}}, max_grade=2, seed=4)
    written: dict[str, dict[str, float]] = {}
    for t, topic in enumerate(have.topics):
        docs = sorted(qrels[topic], reverse=True)  # the order of the pool
        written[topic] = {doc: altered.grade[t, i] for i, doc in enumerate(docs)}
    expected = irassay.score(runs, written, METRICS, max_grade=2)
    np.testing.assert_allclose(have.scores(altered, asked).values, expected.values, atol=1e-12)


def test_aspects_are_thinned_with_their_documents() -> None:
    runs, qrels = collection(systems=3, topics=4)
    rows = [
        (t, str(1 + (i + a) % 3), doc, float(min(grade, 1)))
        for t, docs in qrels.items()
        for i, (doc, grade) in enumerate(docs.items())
        for a in (0, 1)
    ]
    import polars as pl

    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row")
    metrics = parsed_metrics(["alpha_nDCG@5", "StRecall@5", "ERR_IA@5"])
    have = pooled_runs(runs, frame, metrics)
    expected = irassay.score(runs, frame, ["alpha_nDCG@5", "StRecall@5", "ERR_IA@5"])
    np.testing.assert_allclose(have.scores(original_judgements(have.pool), metrics).values, expected.values, atol=1e-12)
    half = thinned_judgements(have.pool, 0.5)
    docs = {topic: sorted(qrels[topic], reverse=True) for topic in have.topics}
    kept = {(topic, docs[topic][p]) for t, topic in enumerate(have.topics) for p in np.flatnonzero(half.kept[t])}
    part = frame.filter(pl.Series([(row[0], row[2]) in kept for row in rows]))
    assert set(part["topic"]) == set(have.topics)
    expected = irassay.score(runs, part, ["alpha_nDCG@5", "StRecall@5", "ERR_IA@5"])
    np.testing.assert_allclose(have.scores(half, metrics).values, expected.values, atol=1e-12)
    with pytest.raises(InputError, match="by subtopic"):
        noisy_judgements(have.pool, {0: {0: 1.0}}, max_grade=1)


def test_every_kind_of_alteration_in_one_go() -> None:
    runs, qrels = collection()
    other = {topic: {doc: min(grade, 1) for doc, grade in docs.items()} for topic, docs in qrels.items()}
    teams = {name: "even" if int(name[3:]) % 2 == 0 else "odd" for name in runs}
    reference, cases = rejudged_scores(
        JudgedRuns.of(runs, qrels, METRICS),
        other=other,
        thin=(0.5, 1.0),
        pool_depth=(3, 15),
        noise={1: {0: 0.5, 2: 0.5}},
        groups=teams,
        repeats=2,
    )
    found = robustness_of_scores(reference, cases)
    options = {"other": other, "thin": (0.5, 1.0), "pool_depth": (3, 15), "groups": teams, "repeats": 2}
    at_once = robustness(runs, qrels, METRICS, noise={1: {0: 0.5, 2: 0.5}}, **options)
    for name in ("tau", "bias", "SSA", "judged"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(found, name))
    assert found.cases() == [
        ("other", "other"),
        ("thin", "0.5"),
        ("thin", "1"),
        ("pool", "3"),
        ("pool", "15"),
        ("noise", "noise"),
        ("team", "even"),
        ("team", "odd"),
    ]
    whole = found.rows("thin", "1")
    assert (found.tau[whole] == 1).all() and (found.fall[whole] == 0).all() and (found.bias[whole] == 0).all()
    assert (found.SSA[whole] + found.NN[whole] == found.pairs).all() and (found.judged[whole] == 320).all()
    assert (found.SSA + found.SSD + found.SN + found.NS + found.NN - found.pairs == 0).all()
    assert (found.judged[found.rows("thin", "0.5")] < 170).all()
    assert (np.isnan(found.own_fall) == (np.array(found.kind) != "team")[:, None]).all()
    assert (found.own_fall[found.rows("team", "odd")] <= found.fall[found.rows("team", "odd")]).all()
    assert (found.mean("tau", "thin", "0.5") <= 1).all() and (found.sd("tau", "pool", "3") == 0).all()
    assert found.ranked("thin", "0.5")[0][1] == found.mean("tau", "thin", "0.5").max()


def test_the_scale_stays_that_of_the_reference() -> None:
    runs, qrels = collection()
    halved = {topic: {doc: min(grade, 1) for doc, grade in docs.items()} for topic, docs in qrels.items()}
    _, cases = rejudged_scores(JudgedRuns.of(runs, qrels, ["RBP"]), other=halved)
    expected = irassay.score(runs, halved, ["RBP"], max_grade=2)
    assert (cases[0].scores.values == expected.values).all()
    assert (cases[0].scores.values < irassay.score(runs, halved, ["RBP"]).values).any()
    with pytest.raises(InputError, match="has a grade 2"):
        rejudged_scores(JudgedRuns.of(runs, halved, ["RBP"]), other=qrels)


def test_nothing_to_compare_with_is_refused() -> None:
    runs, qrels = collection(systems=2, topics=3)
    says = "give other judgements, shares to keep, pool depths, a confusion of grades or teams"
    with pytest.raises(InputError, match=says):
        rejudged_scores(JudgedRuns.of(runs, qrels, ["AP"]))
    with pytest.raises(InputError, match="without a team in groups, such as run1"):
        rejudged_scores(JudgedRuns.of(runs, qrels, ["AP"]), groups={"run0": "us"})
    with pytest.raises(InputError, match="found none"):
        robustness_of_scores(simulated(3, 5, 1), [])


def test_a_known_change_of_ranking_and_scores() -> None:
    level = np.array([0.1, 0.3, 0.5, 0.7])
    spread = 0.01 * np.random.default_rng(0).standard_normal((4, 12))
    names = [tuple("abcd"), tuple(map(str, range(12))), ("AP",)]
    before = Scores((level[:, None] + spread)[:, :, None], *names)
    after = Scores((np.array([0.1, 0.3, 0.2, 0.4])[:, None] + spread)[:, :, None], *names)
    found = robustness_of_scores(before, after)
    assert found.tau[0, 0] == pytest.approx(4 / 6) and found.systems[found.fallen[0, 0]] == "c"
    assert found.fall[0, 0] == found.fall_top[0, 0] == 1
    assert found.bias[0, 0] == pytest.approx(-0.15) and found.relative_bias[0, 0] == pytest.approx(
        -0.15 / before.means().mean()
    )
    centred = before.means()[:, 0] - before.means().mean()
    change = after.means()[:, 0] - before.means()[:, 0]
    assert found.slope[0, 0] == pytest.approx((centred * change).sum() / (centred**2).sum())
    assert found.SSD[0, 0] == 1 and found.SSA[0, 0] == 5
    assert found.significance("kept")[0, 0] == pytest.approx(5 / 6) and found.significance("reversed")[
        0, 0
    ] == pytest.approx(1 / 6)


def test_bias_of_a_cost_keeps_its_sign() -> None:
    values = simulated(5, 10, 1).values
    names = [tuple("abcde"), tuple(map(str, range(10))), ("time",)]
    before, after = (Scores(cube, *names).costs("time") for cube in (values, values + 2))
    found = robustness_of_scores(before, after)
    assert found.bias[0, 0] == pytest.approx(2) and found.tau[0, 0] == 1


def test_what_is_not_under_both_is_left_out_and_counted() -> None:
    scores = simulated(6, 10, 3)
    part = scores.select(systems=scores.systems[1:], topics=scores.topics[:8], metrics=["m2", "m0"])
    values = part.values.copy()
    values[0, 0] = np.nan
    found = robustness_of_scores(scores, Scores(values, part.systems, part.topics, part.metrics))
    assert (found.tau == 1).all() and found.metrics == ("m0", "m2") and found.topics == 7
    notes = " ".join(found.notes)
    assert (
        "1 of 6 systems" in notes
        and "2 of 10 topics" in notes
        and "1 of 3 metrics" in notes
        and "1 of 8 topics" in notes
    )
    with pytest.raises(InputError, match="no systems in common"):
        robustness_of_scores(scores, Scores(scores.values, tuple("uvwxyz"), scores.topics, scores.metrics))


def test_a_metric_that_goes_flat_has_no_tau_and_the_notes_say_so() -> None:
    scores = simulated(5, 8, 2)
    values = scores.values.copy()
    values[:, :, 1] = 0
    found = robustness_of_scores(scores, Scores(values, scores.systems, scores.topics, scores.metrics))
    assert np.isnan(found.tau[0, 1]) and np.isnan(found.tau_ap[0, 1]) and found.tau[0, 0] == 1
    assert any("all systems tie" in note for note in found.notes)
    assert found.ranked("other", "other")[-1][0] == "m1"


def test_the_same_answer_for_any_number_of_jobs() -> None:
    runs, qrels = collection()
    made = [rejudged_scores(JudgedRuns.of(runs, qrels, METRICS), thin=(0.3,), repeats=4, seed=9) for _ in range(2)]
    one = robustness_of_scores(*made[0])
    with context(jobs=2):
        two = robustness_of_scores(*made[1])
    assert (one.tau == two.tau).all() and (one.SSA == two.SSA).all()
    assert isinstance(made[0][1][0], RejudgedScores)


def test_bpref_withstands_thinning_best_on_trec_covid(shared: Path) -> None:
    """Buckley and Voorhees made bpref for judgements that are few."""
    folder = shared / "data" / "trec-covid-1"
    paths = sorted(map(str, (folder / "runs").iterdir()))[::5]
    judged = JudgedRuns.of(paths, str(folder / "qrels.txt"), ["AP", "P@10", "bpref"])
    reference, cases = rejudged_scores(judged, thin=(0.1, 0.5), repeats=3)
    found = robustness_of_scores(reference, cases)
    assert found.ranked("thin", "0.1")[0][0] == "bpref"
    assert (found.mean("tau", "thin", "0.1") < found.mean("tau", "thin", "0.5")).all()


def test_other_judgements_come_from_a_file_and_are_named_in_the_settings(tmp_path: Path) -> None:
    runs, qrels = collection()
    file = tmp_path / "other.qrels"
    file.write_text("".join(f"{t} 0 {doc} {grade // 2}\n" for t, docs in qrels.items() for doc, grade in docs.items()))
    halved = {topic: {doc: grade // 2 for doc, grade in docs.items()} for topic, docs in qrels.items()}
    one, two = (robustness(runs, qrels, "AP", other=other, depth=10) for other in (str(file), halved))
    np.testing.assert_array_equal(one.tau, two.tau)
    assert one.settings.paths() == [str(file)] and one.settings.flat()["depth"] == 10
    assert one.ranked() == one.ranked("other", "other") and one.settings.test == "t"
    with pytest.raises(InputError, match="found_within needs the teams of the runs"):
        robustness(runs, qrels, thin=(0.5,), found_within=3)


def test_the_error_of_tau_is_the_jackknifes_over_topics_for_other_judgements_only() -> None:
    from itertools import combinations

    from scipy.stats import kendalltau

    before, after = simulated(6, 10, 2), simulated(6, 10, 2, seed=9)
    found = robustness_of_scores(before, after)
    for m in range(2):
        one, two = before.values[:, :, m], after.values[:, :, m]
        taus = []
        for out in combinations(range(10), 5):  # half of the topics
            rest = np.setdiff1d(np.arange(10), out)
            taus.append(kendalltau(one[:, rest].mean(axis=1), two[:, rest].mean(axis=1)).statistic)
        error = np.sqrt(np.var(taus))
        assert found.tau_error[0, m] == pytest.approx(error, abs=1e-9)
        low, high = found.interval(0.9)
        assert low[0, m] == pytest.approx(max(-1, found.tau[0, m] - 1.6448536269514722 * error), abs=1e-9)
        assert high[0, m] == pytest.approx(min(1, found.tau[0, m] + 1.6448536269514722 * error), abs=1e-9)


def test_a_cutoff_in_iterations_reaches_all_of_their_results() -> None:
    names = [f"d{i:02d}" for i in range(15)]
    run = dynamic_run({topic: [names[:5], names[5:10], names[10:]] for topic in "12"})
    qrels = {"1": {"d00": 1, "d07": 1, "d11": 1}, "2": {"d03": 1, "d09": 2}}
    metrics = ["P(unit='iteration')@2", "RBP(unit='iteration')@2"]
    reference, _ = rejudged_scores(JudgedRuns.of([run], qrels, metrics), thin=(1.0,), repeats=1)
    np.testing.assert_allclose(reference.values[0, :, 0], [0.2, 0.2])
    np.testing.assert_allclose(reference.values, irassay.score([run], qrels, metrics).values, atol=1e-12)
