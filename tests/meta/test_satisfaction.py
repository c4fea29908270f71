"""Satisfaction: jiang2016's Table 3 from its sessions, the statistics added to it, curves and fitted parameters."""

import csv
import itertools
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.io.sessions import read_session_qrels, read_sessions
from irassay.io.trec import Qrels
from irassay.meta.satisfaction.fitting import Fitting, fitting
from irassay.meta.satisfaction.method import Satisfaction, satisfaction
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings, rated_scores
from irassay.meta.satisfaction.sensitivity import Sensitivity, sensitivity
from irassay.meta.satisfaction.units import session_curve, session_scores
from irassay.metrics.grids import grid
from irassay.papers.jiang2016.tables import FOLDS
from irassay.results import result_from_json, result_json
from irassay.scores import Scores
from irassay.stats.clusters import group_repeats
from irassay.stats.compare_correlations import midranks, pearson, resampled_t, steiger, williams
from irassay.stats.correlation_bootstrap import pearson_without, resampled_pearson, resampled_spearman
from irassay.stats.correlation_selection import correlation_selection, shares_of_halves
from irassay.stats.regression import prediction_errors, random_folds
from irassay.stats.selection import selection
from irassay.views.view import column, view_of
from tests.support.runs import session_run

FAMILIES = ("P", "AP", "RR", "GP", "GAP", "RBP0.8", "RBP0.6", "GRBP0.8", "GRBP0.6", "ERR", "DCG", "nDCG")
SESSION = ("TBG", "U-measure", "sDCG", "nsDCG")
STUDY = tuple(f"{name}|{effort}" for effort in ("static", "param", "time") for name in FAMILIES) + SESSION


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def ratings(shared: Path) -> Ratings:
    return Ratings.read(shared / "data" / "jiang-2016" / "session", 1, 5)


@pytest.fixture(scope="module")
def study(shared: Path) -> Scores:
    """The forty metrics of Table 3 that are not random, scored from the sessions, under the fixture's names."""
    folder = shared / "data" / "jiang-2016"
    metrics = [metric for metric in grid("effort").metrics if not metric.startswith("esNDCG")]
    scores = session_scores(read_sessions(folder), read_session_qrels(folder), metrics)
    return replace(scores, metrics=STUDY)


@pytest.fixture(scope="module")
def table3(study: Scores, ratings: Ratings) -> Satisfaction:
    return satisfaction(RatedUnits(study, ratings, folds=FOLDS))


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, dict[str, dict[str, float]]]:
    return json.loads((shared / "oracles" / "meta" / "satisfaction" / "expected.json").read_text())


def test_the_scores_are_those_of_the_authors_program(study: Scores, shared: Path) -> None:
    for row in rows_of(shared / "oracles" / "meta" / "satisfaction" / "session_scores.csv"):
        ours = study.values[0, study.topics.index(row["session"])]
        assert ours == pytest.approx([float(row[metric]) for metric in STUDY], abs=1e-12)


def test_the_folds_are_those_of_the_authors_program(shared: Path, ratings: Ratings) -> None:
    rows = rows_of(shared / "oracles" / "meta" / "satisfaction" / "folds_seed0.csv")
    given = [[int(row[unit]) for unit in ratings.units] for row in rows]
    assert FOLDS.tolist() == given


def test_table_3_of_jiang2016(table3: Satisfaction, shared: Path) -> None:
    """80 of 82 cells; esNDCG, the other two, is random in itself."""
    cells = 0
    for row in rows_of(shared / "oracles" / "meta" / "satisfaction" / "table3_published.csv"):
        name = "|".join(filter(None, (row["metric"], row["effort"])))
        if name in STUDY:
            m = STUDY.index(name)
            assert f"{table3.pearson[m]:.3f}" == f"{float(row['pearson']):.3f}"
            assert f"{table3.nrmse()[m]:.3f}" == f"{float(row['nrmse']):.3f}"
            cells += 2
    assert cells == 80


def test_correlations_and_errors_to_all_digits(
    shared: Path, ratings: Ratings, expected: dict[str, dict[str, dict[str, float]]]
) -> None:
    """From the authors' own scores: their last digits decide some ties, and with them rho."""
    rows = rows_of(shared / "oracles" / "meta" / "satisfaction" / "session_scores.csv")
    values = np.array([[float(row[metric]) for metric in STUDY] for row in rows])
    scores = Scores(values[None], ("x",), tuple(row["session"] for row in rows), STUDY)
    found = satisfaction(RatedUnits(scores, ratings, folds=FOLDS), trials=50)
    assert set(expected["metrics"]) == set(STUDY)
    ours = {
        "pearson": found.pearson,
        "pearson_p": found.pearson_p,
        "spearman": found.spearman,
        "spearman_p": found.spearman_p,
        "nrmse_mean": found.nrmse(),
    }
    for name, results in expected["metrics"].items():
        for key, value in results.items():
            assert ours[key][STUDY.index(name)] == pytest.approx(value, abs=1e-12)
    assert any("differ only by rounding" in note and "P|static, RR|static" in note for note in found.notes)


def test_paired_t_tests_and_the_quoted_p(table3: Satisfaction, expected: dict[str, list[dict[str, object]]]) -> None:
    assert len(expected["paired_t"]) == 40
    for row in expected["paired_t"]:
        at = STUDY.index(str(row["a"])), STUDY.index(str(row["b"]))
        assert table3.t[at] == pytest.approx(row["t"], abs=1e-9)
        assert table3.t_p[at] == pytest.approx(row["p"], abs=1e-9)
    assert f"{table3.compare('DCG|static', 'DCG|param').paired_t:.3f}" == "0.078"


def test_what_holds_up_beside_the_papers_choices(table3: Satisfaction) -> None:
    """The figures that the paper does not have: overlap of folds, users and tasks, the mean as a prediction."""
    static = table3.compare("GRBP0.6|static", "GRBP0.6|param")
    assert static.paired_t == pytest.approx(8.0e-7, rel=0.01) and round(static.corrected_t, 3) == 0.133
    assert round(static.williams, 3) == 0.058 and round(static.steiger, 3) == 0.060
    assert static.low < static.pearson < static.high
    assert round(table3.nrmse_of_mean(), 4) == 0.2542
    assert table3.groupings == ("user", "task")
    assert table3.explained.round(2).tolist() == [0.28, 0.47]
    best = STUDY.index("GRBP0.6|param")
    assert table3.ranked()[0][0] == "GRBP0.6|param" and round(table3.within[1, best], 2) == 0.28
    no_use = {name for name, value in zip(STUDY, table3.skill, strict=True) if value <= 0}
    assert {"AP|static", "AP|param", "AP|time", "sDCG"} <= no_use and "GRBP0.6|param" not in no_use


def test_figure_1_of_jiang2016(shared: Path, ratings: Ratings) -> None:
    """Correlations rise with the effort on relevant results, and are near their best from 3 to 5."""
    folder = shared / "data" / "jiang-2016"
    metrics = ["GRBP(p=0.6,end='list')@9", "ERR@9", "DCG(end='list',gain='exp')@9", "nDCG(end='list',gain='exp')@9"]
    curve = session_curve(read_sessions(folder), read_session_qrels(folder), metrics, "e")
    rated = RatedUnits(curve(1), ratings, lambda parameter: curve, ("GRBP", "ERR", "DCG", "nDCG"))
    found = sensitivity(rated, sweep="e=1,2,3,4,5,7,10", trials=300)
    assert found.pearson[0].round(3).tolist() == [0.402, 0.385, 0.398, 0.352]
    assert found.pearson[3].round(3).tolist() == [0.463, 0.427, 0.424, 0.398]
    assert (found.pearson[3] > found.pearson[0]).all()
    assert (found.pearson.max(axis=0) - found.pearson[2:5].max(axis=0) < 0.003).all()
    assert found.spearman.shape == found.nrmse.shape == (7, 4)
    assert all(low == 1 for _, low, _ in found.plausible())  # eighty units do not tell a static effort from the best
    fitted = fitting(rated, sweep="e=1,2,3,4,5,7,10")
    assert (fitted.optimism() > 0).all()
    assert (fitted.nrmse() < fitted.error_of_mean.mean()).all() and (fitted.skill > 0).all()
    assert dict(fitted.best())["GRBP"] >= 4
    assert result_json(result_from_json(result_json(fitted))) == result_json(fitted)
    assert "Expect an NRMSE of" in view_of(fitted).sentences[0]


# The rest needs no data.


def simulated(units: int = 60, seed: int = 0, noise: float = 1.0) -> tuple[Scores, Ratings]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=units)
    values = np.stack([truth + rng.normal(size=units) * s for s in (0.3, 1.0, 3.0)], axis=1)
    names = tuple(f"u{i}" for i in range(units))
    rating = np.clip(np.round(3 + truth + noise * rng.normal(size=units)), 1, 5)
    users, tasks = (tuple(f"{kind}{i % n}" for i in range(units)) for kind, n in (("a", 12), ("t", 10)))
    return Scores(values[None], ("x",), names, ("good", "fair", "poor")), Ratings(names, rating, 1, 5, users, tasks)


def errors_by_hand(x: np.ndarray, y: np.ndarray, fold: np.ndarray) -> tuple[list[float], list[float]]:
    """RMSE of every fold, by a line fitted with numpy, and by the mean."""
    line, mean = [], []
    for row in fold:
        for f in range(fold.max() + 1):
            test = row == f
            slope, level = np.polyfit(x[~test], y[~test], 1) if np.ptp(x[~test]) else (0.0, y[~test].mean())
            line.append(float(np.sqrt(np.mean((y[test] - level - slope * x[test]) ** 2))))
            mean.append(float(np.sqrt(np.mean((y[test] - y[~test].mean()) ** 2))))
    return line, mean


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_cross_validation_fits_a_line_in_every_fold(scale: float) -> None:
    scores, ratings = simulated()
    x, y = scores.values[0].T * scale + 7 * scale, ratings.values
    x = np.vstack([x, np.full(60, 0.1)])
    fold = random_folds(np.arange(60), 7, 3, seed=1)
    found = prediction_errors(x, y, fold)
    for m in range(4):
        line, mean = errors_by_hand(x[m], y, fold)
        assert found.rmse[m] == pytest.approx(line, rel=1e-7)
        assert found.of_mean == pytest.approx(mean, rel=1e-12)
    assert found.rmse[3] == pytest.approx(found.of_mean, rel=1e-12)  # a constant metric predicts the mean
    sizes = np.array([np.bincount(row) for row in fold]).ravel()
    assert found.squared_of_mean == pytest.approx(np.square(mean) @ sizes)
    assert found.squared[0] == pytest.approx(np.square(errors_by_hand(x[0], y, fold)[0]) @ sizes)


def test_folds_are_even_random_and_grouped() -> None:
    fold = random_folds(np.arange(23), 5, 4, seed=3)
    assert fold.shape == (4, 23) and all(sorted(np.bincount(row)) == [4, 4, 5, 5, 5] for row in fold)
    assert (fold == random_folds(np.arange(23), 5, 4, seed=3)).all() and (
        fold != random_folds(np.arange(23), 5, 4, seed=4)
    ).any()
    group = np.arange(23) % 6
    grouped = random_folds(group, 3, 4, seed=0)
    for row in grouped:
        assert all(len(set(row[group == g])) == 1 for g in range(6))
    assert random_folds(np.arange(4), 10, 10, seed=0).tolist() == [[0, 1, 2, 3]]  # each left out once


def test_a_metric_that_follows_ratings_is_found_and_a_useless_one_too() -> None:
    scores, ratings = simulated(200)
    found = satisfaction(scores, ratings, trials=500)
    assert (
        [name for name, _ in found.ranked()] == [name for name, _ in found.ranked("nrmse")] == ["good", "fair", "poor"]
    )
    assert found.skill[0] > 0.3 and found.compare("good", "poor").corrected_t < 0.01
    assert found.compare("good", "poor").williams < 1e-6 and found.compare("good", "poor").low > 0
    assert ((found.pearson_low < found.pearson) & (found.pearson < found.pearson_high)).all()
    assert ((found.spearman_low < found.spearman) & (found.spearman < found.spearman_high)).all()


def test_costs_are_turned_round() -> None:
    scores, ratings = simulated()
    turned = replace(scores, values=-scores.values).costs(*scores.metrics)
    assert satisfaction(turned, ratings, trials=50).pearson == pytest.approx(
        satisfaction(scores, ratings, trials=50).pearson
    )


def test_grouped_folds_and_intervals_are_wider_where_groups_matter() -> None:
    """Scores and ratings that a task moves together: units are not what is sampled."""
    rng = np.random.default_rng(2)
    task = np.arange(120) // 10
    level = rng.normal(size=12)[task]
    values = (level + 0.3 * rng.normal(size=120))[:, None]
    names = tuple(map(str, range(120)))
    rating = 3 + level * 0.8 + 0.3 * rng.normal(size=120)
    plain = Ratings(names, rating, 0, 6)
    grouped = replace(plain, tasks=tuple(map(str, task)))
    scores = Scores(values[None], ("x",), names, ("m",))
    by_unit, by_task = satisfaction(scores, plain, trials=400), satisfaction(scores, grouped, group="task", trials=400)
    assert by_unit.pearson == pytest.approx(by_task.pearson)
    width = [(f.pearson_high - f.pearson_low).item() for f in (by_unit, by_task)]
    assert width[1] > 1.5 * width[0]
    assert abs(by_task.within.item()) < 0.3 < by_task.pearson.item()
    assert by_task.grouped_folds == "task" and by_task.explained.item() > 0.7


def test_within_group_correlation_and_its_degrees_of_freedom() -> None:
    from scipy.stats import t

    scores, ratings = simulated(40)
    found = satisfaction(scores, ratings, trials=50)
    user = np.array(ratings.users)
    x, y = scores.values[0, :, 0].copy(), ratings.values.copy()
    for name in set(ratings.users):
        x[user == name] -= x[user == name].mean()
        y[user == name] -= y[user == name].mean()
    r = np.corrcoef(x, y)[0, 1]
    freedom = 40 - 12 - 1
    assert found.within[0, 0] == pytest.approx(r)
    assert found.within_p[0, 0] == pytest.approx(2 * t.sf(abs(r) * np.sqrt(freedom / (1 - r**2)), freedom))


def test_dependent_correlations_against_steigers_example() -> None:
    """Steiger 1980: n = 103, r = .4 and .5, .1 between the two; both statistics are -.89."""
    three = np.array(0.4), np.array(0.5), np.array(0.1)
    assert round(float(williams(*three, 103)[0]), 2) == round(float(steiger(*three, 103)[0]), 2) == -0.89
    assert np.isnan(williams(np.array(0.4), np.array(0.4), np.array(1.0), 50)[1])


def test_the_corrected_t_and_williams_hold_their_level() -> None:
    rng = np.random.default_rng(6)
    rejected = np.zeros(3)
    for trial in range(200):
        truth = rng.normal(size=60)
        x = truth + rng.normal(size=(2, 60))
        y = truth + rng.normal(size=60)
        errors = prediction_errors(x, y, random_folds(np.arange(60), 10, 5, seed=trial))
        gap = errors.rmse[0] - errors.rmse[1]
        r = pearson(x, y)
        rejected += [
            resampled_t(gap)[1] < 0.05,
            resampled_t(gap, errors.ratio)[1] < 0.05,
            williams(r[0], r[1], pearson(x[0], x[1]), 60)[1] < 0.05,
        ]
    plain, corrected, dependent = rejected / 200
    assert plain > 0.3 and corrected < 0.08 and 0.01 <= dependent <= 0.09


def test_equal_metrics_on_users_and_tasks_are_rarely_called_different() -> None:
    """Units that share users and tasks: taken as independent, they give false differences in many studies."""
    user, task, unit = np.repeat(np.arange(16), 8), np.tile(np.arange(8), 16), np.arange(128)
    rng = np.random.default_rng(0)

    def effects() -> Floats:
        return 0.6 * rng.normal(size=16)[user] + 1.2 * rng.normal(size=8)[task] + rng.normal(size=128)

    wrong = np.zeros(2)
    for trial in range(40):
        truth = effects()
        x, y = np.stack([truth + effects() for _ in range(4)]), truth + 0.5 * rng.normal(size=128)
        sets = (correlation_selection(x, y, groups, trial).may_be_best for groups in ([user, task, unit], [unit]))
        wrong += [not each.all() for each in sets]
    assert wrong[0] <= 3 and wrong[1] > 8


def test_equal_metrics_of_users_with_few_and_many_units_are_rarely_called_different() -> None:
    """A user counts by the number of units: counted alike, false differences are found in one study in five."""
    user = np.repeat(np.arange(12), [40, 32, 20, 12, 8, 6, 4, 3, 2, 2, 2, 2])
    rng = np.random.default_rng(0)

    def effects() -> Floats:
        return 0.7 * rng.normal(size=12)[user] + rng.normal(size=len(user))

    wrong = np.zeros(2)
    for trial in range(60):
        truth = effects()
        x, y = np.stack([truth + effects() for _ in range(8)]), truth + 0.6 * rng.normal(size=len(user))
        alike = selection(pearson(x, y), pearson_without(x, y, user), 0.05, trial)
        wrong += [not each.may_be_best.all() for each in (correlation_selection(x, y, [user], trial), alike)]
    assert wrong[0] <= 5 and wrong[1] > 8


def test_a_metric_is_behind_where_the_two_way_interval_says_so_and_by_holm() -> None:
    scores, ratings = simulated()
    found = satisfaction(scores, ratings, trials=300)
    assert found.groupings == ("user", "task") and found.selection is not None
    from scipy.stats import t

    freedom = min(len(set(ratings.users)), len(set(ratings.tasks))) - 1
    pairs = list(itertools.combinations(range(3), 2))
    raw = []
    for a, b in pairs:
        error = (found.difference_high - found.difference_low)[a, b] / 2 / t.ppf(0.975, freedom)
        raw.append(2 * t.sf(abs(found.pearson[a] - found.pearson[b]) / error, freedom))
    order = np.argsort(raw)
    holm = np.minimum(1, np.maximum.accumulate(np.array(raw)[order] * [3, 2, 1]))
    for place, p in zip(order, holm, strict=True):
        assert found.selection.p[pairs[place]] == pytest.approx(p)
        assert found.compare(*(found.metrics[m] for m in pairs[place])).p == pytest.approx(p)


def test_the_error_of_a_difference_is_by_leaving_out_users_tasks_and_units() -> None:
    scores, ratings = simulated()
    found = satisfaction(scores, ratings, trials=300)
    from scipy.stats import t

    def variance(group: Sequence[str]) -> float:
        kept = [[g != one for g in group] for one in dict.fromkeys(group)]
        gap = [pearson(found.score[0, k], found.rating[k]) - pearson(found.score[1, k], found.rating[k]) for k in kept]
        return float((len(gap) - 1) * np.var(gap))

    place = [ratings.units.index(unit) for unit in found.units]
    users, tasks = ([names[n] for n in place] for names in (ratings.users, ratings.tasks))
    over_users, over_tasks, over_units = map(variance, (users, tasks, found.units))
    error = max(over_users + over_tasks - over_units, over_users, over_tasks) ** 0.5
    reach = t.ppf(0.975, min(len(set(users)), len(set(tasks))) - 1) * error
    gap = found.pearson[0] - found.pearson[1]
    assert (found.difference_low[0, 1], found.difference_high[0, 1]) == pytest.approx((gap - reach, gap + reach))


def test_independent_units_are_compared_by_leaving_each_out() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(size=30)
    x, y = np.stack([truth + s * rng.normal(size=30) for s in (0.3, 0.4, 5)]), truth + 0.5 * rng.normal(size=30)
    without = np.array([pearson(np.delete(x, u, axis=1), np.delete(y, u)) for u in range(30)])
    found, expected = correlation_selection(x, y, [np.arange(30)], 1), selection(pearson(x, y), without, 0.05, 1)
    assert found.p == pytest.approx(expected.p, nan_ok=True) and found.may_be_best.tolist() == [True, True, False]
    share = shares_of_halves(x, y, [np.arange(30)], 0)
    assert share[0] > share[2] and ((share >= 0) & (share <= 1)).all()


def test_the_tables_say_which_metrics_may_be_best_and_which_p_take_units_as_independent() -> None:
    scores, ratings = simulated()
    shown = view_of(satisfaction(scores, ratings, trials=100))
    metrics, pairs = shown.tables
    assert {"may be best", "behind", "share of halves"} < set(metrics.columns) and "corrected p" in pairs.columns
    assert all("as if units were independent" in table.title for table in shown.tables)
    assert not any("Williams" in sentence for sentence in shown.sentences)


def test_resampled_correlations_are_those_of_the_resamples() -> None:
    scores, ratings = simulated(30)
    x, y = np.round(scores.values[0].T, 1), ratings.values  # rounded, so that there are ties
    group = np.arange(30) % 7
    draws = group_repeats(group, 5, seed=2)
    weight = draws.draw(draws.blocks[0])
    r, rho = resampled_pearson(x, y, weight), resampled_spearman(x, y, weight)
    for trial in range(5):
        drawn = np.repeat(np.arange(30), weight[:, trial].astype(int))
        assert set(np.bincount(group[drawn], minlength=7) % np.bincount(group)) == {0}  # whole groups
        assert r[trial] == pytest.approx(pearson(x[:, drawn], y[drawn]))
        assert rho[trial] == pytest.approx(pearson(midranks(x[:, drawn]), midranks(y[drawn])))


def test_a_constant_metric_has_no_correlation_and_predicts_the_mean() -> None:
    scores, ratings = simulated()
    values = scores.values.copy()
    values[:, :, 1] = 0.1
    found = satisfaction(replace(scores, values=values), ratings, trials=50)
    assert np.isnan(found.pearson[1]) and np.isnan(found.compare("good", "fair").williams)
    assert found.nrmse()[1] == pytest.approx(found.nrmse_of_mean()) and found.skill[1] == pytest.approx(0, abs=1e-12)
    assert found.ranked()[-1][0] == "fair" and any(
        "fair: every unit has the same score" in note for note in found.notes
    )
    assert view_of(found).tables[0].rows[-1][0] == "(the mean rating)"


def test_units_without_a_score_or_a_rating_are_counted() -> None:
    scores, ratings = simulated()
    values = scores.values.copy()
    values[0, 3, 1] = np.nan
    holed = replace(scores, values=values)
    fewer = ratings.select([unit for unit in ratings.units if unit != "u5"])
    x, kept, notes = rated_scores(holed, fewer)
    assert x.shape == (3, 58) and "u3" not in kept.units
    assert notes == ("Left out: 1 of 59 rated units without a score.", "Left out: 1 scored unit without a rating.")
    given = random_folds(np.arange(59), 10, 2, seed=0)
    found = satisfaction(RatedUnits(holed, fewer, folds=given), trials=50)
    assert found.fold.shape == (2, 58)
    assert found.fold[0, kept.units.index("u4")] == given[0, fewer.units.index("u4")]


def test_units_of_several_systems_are_called_by_both() -> None:
    rng = np.random.default_rng(0)
    scores = Scores(rng.random((2, 3, 1)), ("A", "B"), ("1", "2", "3"), ("m",))
    ratings = Ratings(("B/2", "A/1", "A/3", "B/1"), np.array([1.0, 2, 3, 4]), 1, 5)
    x, _, _ = rated_scores(scores, ratings)
    assert x[0].tolist() == [
        scores.values[1, 1, 0],
        scores.values[0, 0, 0],
        scores.values[0, 2, 0],
        scores.values[1, 0, 0],
    ]


def test_sessions_score_as_the_mean_of_their_queries_or_as_a_whole() -> None:
    sessions = session_run({"s": [["a", "x"], []], "t": [["x", "b"]]})
    qrels = Qrels.of({"s": {"a": 1}, "t": {"b": 1}})
    scores = session_scores(sessions, qrels, ["RR", "sDCG"])
    assert scores.topics == ("s", "t") and scores.of("RR").tolist() == [[0.5, 0.5]]
    curve = session_curve(sessions, qrels, ["RBP"], "p")
    assert curve(0.5).metrics == ("RBP(p=0.5)",) and curve(0.5).values[0, 0, 0] == 0.25
    with pytest.raises(InputError, match="no parameter"):
        session_curve(sessions, qrels, ["AP"], "p")(0.5)


def test_fitting_finds_the_value_that_made_the_ratings() -> None:
    rng = np.random.default_rng(8)
    parts = rng.normal(size=(2, 150))
    names = tuple(map(str, range(150)))
    rating = np.clip(3 + parts[0] + 0.4 * parts[1] + 0.3 * rng.normal(size=150), 0, 6)
    ratings = Ratings(names, rating, 0, 6, users=tuple(str(i % 15) for i in range(150)))

    def score(value: float) -> Scores:
        both = parts[0] + value * parts[1]
        return Scores(np.stack([both, parts[0]], axis=1)[None], ("x",), names, ("right", "flat"))

    rated, sweep = RatedUnits(score(0.0), ratings, lambda parameter: score), "w=0,0.2,0.4,0.6,0.8"
    for objective, group in (("nrmse", "none"), ("pearson", "user")):
        found = fitting(rated, sweep=sweep, objective=objective, group=group)
        assert found.best()[0] == ("right", 0.4) and found.shares()[2, 0] > 0.9
        assert found.optimism()[1] == 0  # nothing to choose, nothing gained by choosing
        assert found.nrmse()[0] < found.nrmse()[1] and (found.better_than_mean() < 0.01).all()
        assert found.shares().sum(axis=0) == pytest.approx([1, 1])
    swept = sensitivity(rated, sweep=sweep, trials=300)
    assert swept.best()[0][1] == 0.4 and swept.best("nrmse")[0][1] == 0.4
    assert swept.indistinct[2, 0] and not swept.indistinct[0, 0] and swept.indistinct[:, 1].all()
    assert isinstance(result_from_json(result_json(swept)), Sensitivity) and isinstance(
        result_from_json(result_json(found)), Fitting
    )
    assert len(view_of(swept).charts[0][1]().to_dict()["data"]["values"]) == 20
    assert view_of(swept).sentences[0].startswith("right correlates best with the ratings at w = 0.4 (r = ")
    opposite = view_of(replace(swept, pearson=swept.pearson - 1))
    assert opposite.sentences[0].startswith(
        "right correlates positively with the ratings at no value. It comes closest"
    )
    shown = view_of(found)
    assert column(shown.tables[0], "w") == [0.4, 0.0, None]
    assert shown.sentences[1].endswith("All folds chose 0.")
    low, high = found.interval()
    assert (low < found.nrmse()).all() and (found.nrmse() < high).all()
    charts = {name: json.dumps(make().to_dict()) for name, make in shown.charts}
    assert '"best on all units"' in charts["values"] and '"low"' in charts["errors"]


def test_ratings_may_stand_apart_by_spaces(tmp_path: Path) -> None:
    file = tmp_path / "ratings.txt"
    file.write_text("unit  rating user\ns1  4   u1\ns2 5 u2\n")
    found = Ratings.read(file, 1, 5)
    assert found.units == ("s1", "s2") and found.values.tolist() == [4, 5] and found.users == ("u1", "u2")


def test_ratings_are_read_with_who_gave_them_and_on_what(tmp_path: Path) -> None:
    file = tmp_path / "ratings.tsv"
    file.write_text("unit\trating\tuser\ttask\nq1\t4\tann\tA\nq2\t2\tbob\tA\n\n")
    found = Ratings.read(file, 1, 5)
    assert found.units == ("q1", "q2") and found.values.tolist() == [4, 2]
    assert found.users == ("ann", "bob") and found.tasks == ("A", "A") and not found.notes
    file.write_text("session,satisfaction\nq1,4\nq2,2\n")
    found = Ratings.read(file)
    assert (found.low, found.high) == (2, 4) and "to be 2 to 4" in found.notes[0] and found.users == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("unit\tscore\nq1\t4\n", "line 1: expected a header with columns unit and rating"),
        ("unit\trating\nq1\tgood\n", "line 2: 'good' is not a rating"),
        ("unit\trating\tuser\nq1\t4\n", "line 2: found 2 columns"),
        ("unit\trating\nq1\t4\nq1\t3\n", "'q1' is rated twice"),
        ("unit\trating\nq1\t9\nq2\t3\n", "outside the scale"),
        ("unit\trating\n", "has no ratings"),
        ("", "line 1"),
    ],
)
def test_bad_ratings_are_refused_with_their_place(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "ratings.tsv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        Ratings.read(file, 1, 5)


def constant(scores: Scores, ratings: Ratings, *names: str) -> RatedUnits:
    """Units whose scores are the same whatever the value of a parameter."""
    return RatedUnits(scores, ratings, lambda parameter: lambda value: scores, names)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s, r: satisfaction(s, replace(r, values=np.full(60, 3.0))), "same rating"),
        (lambda s, r: satisfaction(s, replace(r, users=()), group="user"), "grouped by none, task"),
        (lambda s, r: satisfaction(RatedUnits(s, r, folds=np.zeros((1, 5), dtype=int))), "60 units"),
        (
            lambda s, r: satisfaction(RatedUnits(s, r, folds=np.zeros((1, 60), dtype=int))),
            "some of the units, but not all",
        ),
        (lambda s, r: satisfaction(s, r.select(["u1", "u2"])), "at least 4"),
        (lambda s, r: satisfaction(s, r, tuned=["x"]), "no metric 'x'"),
        (lambda s, r: satisfaction(s, r).ranked("odd"), "expected one of pearson"),
        (lambda s, r: fitting(constant(s, r), sweep="e=1"), "at least two values"),
        (lambda s, r: sensitivity(constant(s, r, "a"), sweep="e=1,2"), "names"),
    ],
)
def test_what_cannot_be_done_is_said(call: object, words: str) -> None:
    scores, ratings = simulated()
    with pytest.raises(InputError, match=words):
        call(scores, ratings)  # type: ignore[operator]


def test_it_is_shown_and_drawn() -> None:
    scores, ratings = simulated()
    shown = view_of(satisfaction(scores, ratings, tuned=["good"], trials=100))
    assert shown.sentences[0].startswith("good correlates best with the 60 ratings") and any(
        n.startswith("good: parameters were chosen on these units") for n in shown.notes
    )
    assert "tuned" in shown.tables[0].columns and len(shown.tables[1].rows) == 3
    for _, chart in shown.charts:
        assert "good" in str(chart().to_dict())


def test_rated_units_come_from_sessions_with_ratings_and_curves_of_their_own(shared: Path) -> None:
    folder = shared / "data" / "jiang-2016"
    rated = RatedUnits.from_sessions(folder, ["RBP(p=0.8)", "GRBP(p=0.8)"], scale=(1, 5))
    found = satisfaction(rated, trials=60)
    assert found.scale == (1, 5)
    assert found.settings.paths() == [str(folder / name) for name in ("qrels", "results", "session")]
    swept = sensitivity(rated, sweep="p=0.5,0.8", trials=60)
    assert swept.parameter == "p" and swept.metrics == ("RBP(p=0.8)", "GRBP(p=0.8)")
    assert swept.pearson[1] == pytest.approx(found.pearson)
    assert fitting(rated, sweep="p=0.5,0.8", folds=3, partitions=1).settings.sweep == ("p=0.5,0.8",)
    for sweep in ("", "p", "p=a,b"):
        with pytest.raises(InputError, match=r"parameter and its values|numbers separated"):
            sensitivity(rated, sweep=sweep)
    with pytest.raises(InputError, match="give sessions instead"):
        fitting(rated.scores, rated.ratings, sweep="p=0.5,0.8")


def test_rated_units_come_from_tables(tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text(
        "run\tmetric\ttopic\tvalue\n" + "".join(f"a\tAP\tq{n}\t{n / 10}\n" for n in range(6))
    )
    (tmp_path / "ratings.tsv").write_text("unit\trating\n" + "".join(f"q{n}\t{1 + n % 4}\n" for n in range(6)))
    files = [str(tmp_path / name) for name in ("scores.tsv", "ratings.tsv")]
    found = satisfaction(*files, scale=(1, 5), trials=60)
    assert found.scale == (1, 5) and set(found.settings.paths()) == set(files)
    with pytest.raises(InputError, match="with ratings"):
        RatedUnits.from_tables(files[0], None)
    with pytest.raises(InputError, match="with sessions"):
        RatedUnits.from_sessions(None, ["AP"])
    with pytest.raises(InputError, match="takes no scael"):
        satisfaction(*files, scael=(1, 5))


@pytest.mark.parametrize(("systems", "form"), [(("A", "B"), "SYSTEM/TOPIC, such as A/1"), (("A",), "TOPIC, such as 1")])
def test_ratings_of_other_units_are_told_how_units_are_named(systems: tuple[str, ...], form: str) -> None:
    scores = Scores(np.random.default_rng(0).random((len(systems), 3, 1)), systems, ("1", "2", "3"), ("m",))
    ratings = Ratings(("q1", "q2", "q3", "q4"), np.array([1.0, 2, 3, 4]), 1, 5)
    with pytest.raises(InputError, match=f"Found 0 units .* A unit is named {form}; the ratings have q1, q2, q3"):
        rated_scores(scores, ratings)


SESSIONS = Path(__file__).parents[1] / "golden" / "inputs" / "sessions"


def test_two_parameters_together_are_every_pair_of_their_values() -> None:
    rated = RatedUnits.from_sessions(SESSIONS, ["esNDCG@9"], scale=(1, 5))
    found = sensitivity(rated, sweep=("P_down=0.5,0.8", "P_reform=0.3,0.6,0.9"), trials=60, folds=4, partitions=1)
    pairs = [(down, reform) for down in (0.5, 0.8) for reform in (0.3, 0.6, 0.9)]
    names = [f"esNDCG(P_reform={reform},P_down={down})@9" for down, reform in pairs]
    alone = RatedUnits.from_sessions(SESSIONS, names, scale=(1, 5))
    r = [np.corrcoef(alone.scores.values[0, :, m], ratings_of(alone))[0, 1] for m in range(len(names))]
    assert found.pearson[:, 0] == pytest.approx(r, abs=1e-12)
    assert found.parameters == ("P_down", "P_reform")
    (_, best, highest), *_ = found.best()
    assert (best, highest) == (pairs[int(np.argmax(r))], pytest.approx(max(r), abs=1e-12))
    assert "of 6 pairs of values" in " ".join(view_of(found).sentences)
    assert found.settings.sweep == ("P_down=0.5,0.8", "P_reform=0.3,0.6,0.9")
    assert len(dict(view_of(found).charts)["sensitivity"]().to_dict()["spec"]["layer"]) == 4


def ratings_of(rated: RatedUnits) -> list[float]:
    """The ratings in the order of the scores."""
    place = dict(zip(rated.ratings.units, rated.ratings.values, strict=True))
    return [place[unit] for unit in rated.scores.topics]


def test_two_parameters_are_fitted_together() -> None:
    rated = RatedUnits.from_sessions(SESSIONS, ["TBG(dialect='jiang')@9"], scale=(1, 5))
    sweep = ("h=10,31,100", "P_save=0.1,0.2,0.5")
    joint = fitting(rated, sweep=sweep, folds=4, partitions=2, seed=3)
    errors = {}
    for save in (0.1, 0.2, 0.5):
        one = RatedUnits.from_sessions(SESSIONS, [f"TBG(dialect='jiang',P_save={save})@9"], scale=(1, 5))
        swept = sensitivity(one, sweep="h=10,31,100", folds=4, partitions=1, trials=60, seed=4)
        errors |= {(h, save): float(swept.nrmse[v, 0]) for v, h in enumerate((10.0, 31.0, 100.0))}
    assert joint.best()[0][1] == min(errors, key=errors.__getitem__)
    assert joint.shares().shape == (9, 1)
    assert joint.shares().sum() == pytest.approx(1)
    assert "h = " in view_of(joint).sentences[0]
    assert {"h", "P_save", "chosen from (h)", "to (P_save)"} <= {*view_of(joint).tables[0].columns}
    assert len(dict(view_of(joint).charts)["values"]().to_dict()["spec"]["layer"]) == 3


def test_the_effort_of_single_grades_can_be_varied() -> None:
    rated = RatedUnits.from_sessions(SESSIONS, ["RBP(end='list')@9"], scale=(1, 5))
    joint = sensitivity(rated, sweep=("e0=0.25,0.5", "e1=0.5,1"), trials=60, folds=4, partitions=1)
    one = sensitivity(rated, sweep="e=2,4", trials=60, folds=4, partitions=1)  # costs (1/e, 1, 1)
    assert joint.pearson[[3, 1], 0] == pytest.approx(one.pearson[:, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        (("p=0.5", "p=0.6"), "has p twice"),
        (("p=0.5", "h=1", "e=1"), "one parameter or two together; found 3"),
        (("p=0.5,0.6", "e9=1"), "no parameter 'e9'"),
        (("p=0.5,0.6", "e0=0"), "must be above 0"),
        (("p=" + ",".join(["0.5"] * 21), "e=" + ",".join(["1"] * 20)), "420 pairs of values; give at most 400"),
    ],
)
def test_sweeps_of_two_parameters_that_make_no_sense_are_refused(sweep: tuple[str, ...], message: str) -> None:
    rated = RatedUnits.from_sessions(SESSIONS, ["RBP"], scale=(1, 5))
    with pytest.raises(InputError, match=message):
        sensitivity(rated, sweep=sweep)
