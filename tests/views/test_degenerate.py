"""Answers about data that cannot support more: ties, one topic, constant scores or ratings, numbers next to 0 and 1."""

from typing import Any

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.meta.robustness.method import robustness_of_scores
from irassay.meta.satisfaction.method import satisfaction
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.meta.satisfaction.ratings import Ratings
from irassay.scores import Scores
from irassay.views.view import Table, brief_view, column, view_of
from irassay.views.wide_tables import folded_table

UNITS = tuple(f"u{n:02}" for n in range(24))


def scores_of(values: Any) -> Scores:
    names = (tuple(f"{kind}{n}" for n in range(size)) for kind, size in zip("stm", values.shape, strict=True))
    return Scores(values, *names)


def rated(values: Any, score: Any, **groups: tuple[str, ...]) -> Any:
    """The satisfaction with two metrics, of which the second is the first backwards."""
    scores = Scores(np.stack([score, score[::-1]], axis=1)[None], ("s",), UNITS, ("m", "other"))
    return satisfaction(RatedUnits(scores, Ratings(UNITS, np.asarray(values, float), 1, 5, **groups)), trials=50)


def test_a_number_below_1_is_not_shown_as_1_and_zero_has_no_sign() -> None:
    shares = (1.0, 0.99997, 0.9999999999, -0.0, 0.5)
    table = Table("t", ("share", "p"), tuple((share, share) for share in shares), p_columns=("p",))
    assert [table.shown(row, 0) for row in range(5)] == ["1.0000", "0.99997", "1.0000", "0.0000", "0.5000"]
    assert table.shown(1, 1) == "1.0000"


def test_names_that_differ_in_the_middle_keep_their_starts() -> None:
    rows = tuple((f"rm-cat{letter}-filtered-again", f"ql-cat{letter}-filtered-again", 0.5) for letter in "ab")
    text, change = folded_table(Table("t", ("system", "other", "difference"), rows), range(2), 40)
    assert "rm-cata-" in text and "rm-catb-" in text and "shortened" in change
    assert len(text.splitlines()) == 3


def test_metrics_that_preserve_the_ranking_equally_well_are_all_named() -> None:
    rng = np.random.default_rng(3)
    before = rng.random((5, 8, 3))
    after = before.copy()
    after[:, :, 2] = after[::-1, :, 2]
    first = view_of(robustness_of_scores(scores_of(before), scores_of(after))).sentences[0]
    assert "m0 and m1 preserve the ranking best (tau 1.000)" in first


def test_unanimity_of_metrics_that_prefer_nothing_says_so() -> None:
    found = ia.meta.unanimity(scores_of(np.zeros((4, 6, 3))), simple=("m2",))
    assert "unanimity says nothing" in view_of(found).sentences[0]


def test_equal_reliabilities_are_no_contest() -> None:
    values = np.random.default_rng(1).random((5, 10, 1))
    sentences = view_of(ia.meta.generalizability(scores_of(np.repeat(values, 2, axis=2)))).sentences
    assert sentences[0].startswith("By every metric, the reliability") and not any(
        "lowest" in each for each in sentences
    )


def test_a_plan_from_few_topics_warns() -> None:
    values = np.random.default_rng(1).random((4, 12, 1))
    few, more = (ia.plan(scores_of(values[:, :topics]), difference=0.05) for topics in (3, 12))
    assert any("few topics" in note and note.caveat for note in view_of(few).notes if hasattr(note, "caveat"))
    assert not any("few topics" in note for note in view_of(more).notes)


def test_systems_that_tie_everywhere_are_not_separated_by_any_metric() -> None:
    made = ia.meta.consistency(scores_of(np.full((3, 8, 2), 0.5)), splits=5)
    assert view_of(made).sentences[0].startswith("There is no tau: by every metric")


def test_a_judge_identical_to_the_reference_needs_no_gap_and_one_topic_chooses_no_judge() -> None:
    grades = {f"t{t}": {f"d{d}": (d * (t + 2)) % 3 for d in range(8)} for t in range(6)}
    rng = np.random.default_rng(0)
    runs = {s: {t: {d: float(rng.random()) for d in docs} for t, docs in grades.items()} for s in "abc"}
    sentences = view_of(ia.judges(grades, {"twin": grades}, runs=runs, metrics=["AP", "nDCG@10"], halves=5)).sentences
    assert "To rank systems by AP with the labels of twin: yes." in sentences
    assert "By nDCG@10, any gap is enough." in sentences
    one = {"t0": grades["t0"]}
    other = {"t0": {doc: min(2, grade + 1) for doc, grade in one["t0"].items()}}
    chosen = view_of(ia.judges(one, {"first": other, "second": other})).sentences
    assert "To choose a judge: not known, because there is only one topic." in chosen


def test_a_metric_that_equals_the_ratings_has_no_interval_and_no_warning() -> None:
    score = np.random.default_rng(0).random(24)
    users, tasks = (tuple(f"{n % size}" for n in range(24)) for size in (6, 4))
    table = view_of(rated(1 + 4 * score, score, users=users, tasks=tasks)).tables[0]
    assert column(table, "r")[0] == pytest.approx(1) and np.isnan(column(table, "r low")[0])  # type: ignore[arg-type]


def test_users_with_one_rating_each_and_a_single_task_say_nothing_about_agreement_within_them() -> None:
    rng = np.random.default_rng(0)
    found = rated(rng.integers(1, 6, 24), rng.random(24), users=UNITS, tasks=("t",) * 24)
    assert found.groupings == ("user",) and "All units have the same task, so tasks are left out." in found.notes
    assert np.isfinite(found.pearson_low).all()
    assert any(each.startswith("Ratings do not vary within users") for each in brief_view(view_of(found)).sentences)


def test_constant_ratings_are_refused_as_such() -> None:
    with pytest.raises(InputError, match="All ratings are 3"):
        Ratings(UNITS, np.full(24, 3.0), 3, 3)


def test_one_pair_of_systems_has_neither_a_curve_nor_lines_without_ends() -> None:
    scores = scores_of(np.random.default_rng(1).random((2, 20, 3)) * [[[0.1]], [[1.0]]])  # always in the same order
    assert [name for name, _ in view_of(ia.meta.discrimination(scores)).charts] == ["power"]
    spec = str(view_of(ia.meta.consistency(scores)).charts[0][1]().to_dict())
    assert "no intervals" in spec and "'rule'" not in spec


def test_the_legend_of_few_systems_is_no_longer_than_their_chart() -> None:
    charts = dict(view_of(ia.topics(scores_of(np.random.default_rng(1).random((2, 20, 1))))).charts)
    spec = next(make().to_dict() for name, make in charts.items() if "gradientLength" in str(make().to_dict()))
    assert spec["encoding"]["color"]["legend"] == {"gradientLength": 40}
