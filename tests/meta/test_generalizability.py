"""Generalizability: against Brennan's book, gt4ireval and R, and on tables that have no answer."""

import json
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.generalizability import Generalizability, generalizability
from irassay.meta.variance_components import variance_components
from irassay.scores import Scores

# Brennan (2001), synthetic data set 4 of Table 3.2 as a crossed design: a row for each person, who is our system.
BRENNAN = """565553456733 937775557752 343353356516 755331435335 929777372753
    343533634512 737775575554 585775543211 998866655811 444335655711"""
# What gt4ireval 2.0 (Urbano) gives for it with alpha = .1 in each tail; Table 6.5 of the book has three of their digits.
GT4IREVAL = {
    "relative": (0.729300196206671, 0.541010905420649, 0.876363137240463),
    "absolute": (0.671635722997696, 0.456901329313964, 0.845419296231267),
}


def of(table: np.ndarray, *metrics: str, **settings: object) -> Generalizability:
    """Of scores [system, topic] or [system, topic, metric]."""
    values = np.asarray(table, dtype=float)
    values = values if values.ndim == 3 else values[:, :, None]
    names = tuple(f"s{n}" for n in range(len(values))), tuple(f"t{n}" for n in range(values.shape[1]))
    return generalizability(Scores(values, *names, metrics or ("AP",)), **settings)


def brennan(**settings: object) -> Generalizability:
    return of(np.array([[int(digit) for digit in row] for row in BRENNAN.split()]), **settings)


def test_brennan_and_gt4ireval_have_the_same_coefficients_and_intervals() -> None:
    found = brennan(alpha=0.2)
    parts = [float(part[0]) for part in found.components().values()]
    assert parts == pytest.approx([0.625757575757576, 0.884006734006734, 2.78720538720539], rel=1e-12)
    relative = [float(each[0]) for each in (found.relative(), *found.interval())]
    absolute = [float(each[0]) for each in (found.absolute(), *found.absolute_interval())]
    assert relative == pytest.approx(GT4IREVAL["relative"], abs=1e-9)
    assert absolute == pytest.approx(GT4IREVAL["absolute"], abs=1e-9)
    assert [int(n[0]) for n in found.topics_for_relative()] == [85, 33, 194]
    assert [int(n[0]) for n in found.topics_for_absolute()] == [112, 42, 272]


def test_trec_8_is_as_in_r(shared: Path) -> None:
    """R: anova(lm(y ~ topic + system)) for the mean squares, qf for the interval; lme4's REML agrees to 2e-5."""
    table = np.loadtxt(shared / "data/trec-8/adhoc8_ap.csv", delimiter=",", skiprows=1)
    found = of(table.T)
    squares = [float(each[0]) for each in found.squares]
    assert squares == pytest.approx([0.46898304054259443, 3.42852873220864085, 0.01360815060742577], rel=1e-11)
    assert float(found.relative()[0]) == pytest.approx(0.970983704247212, abs=1e-12)
    assert [float(end[0]) for end in found.interval()] == pytest.approx(
        [0.963353349377729, 0.977702445731280], abs=1e-9
    )
    one = variance_components(table)
    assert [float(c[0]) for c in found.components().values()] == pytest.approx([one.system, one.topic, one.residual])
    assert float(found.absolute(20)[0]) == pytest.approx(one.absolute(20))
    assert int(found.topics_for_relative(0.9)[0][0]) == one.topics_for_relative(0.9)


def test_the_topics_needed_reach_the_reliability_and_one_fewer_does_not() -> None:
    found = brennan(reliability=0.8)
    for needed, at in ((found.topics_for_relative(), found.relative), (found.topics_for_absolute(), found.absolute)):
        n = int(needed[0][0])
        assert at(n)[0] >= 0.8 > at(n - 1)[0]
        assert needed[1][0] <= n <= needed[2][0]
    low, high = found.interval(topics=int(found.topics_for_relative()[2][0]))
    assert low[0] >= 0.8 and high[0] > low[0]
    wide, narrow = found.interval(0.99), found.interval(0.5)
    assert wide[0][0] < narrow[0][0] < narrow[1][0] < wide[1][0]


def test_huge_and_tiny_scores_are_as_reliable_as_ordinary_ones() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(5, 1)) + rng.normal(size=(1, 8)) + rng.normal(size=(5, 8))
    found = of(np.stack([table, table * 2.0**800, table * 2.0**-800], axis=2), "a", "b", "c")
    for each in (found.relative(), found.absolute(), *found.interval(), *found.absolute_interval()):
        assert each.tolist() == [each[0]] * 3
    assert found.unit[0] == 1


def test_scores_without_variance_of_some_kind() -> None:
    base = np.arange(4.0)[:, None] + np.zeros((4, 6))
    exact = of(base)  # systems differ by the same on every topic
    assert exact.relative()[0] == exact.absolute()[0] == 1 and exact.topics_for_relative()[0][0] == 1
    assert all(end[0] == 1 for end in (*exact.interval(), *exact.absolute_interval()))
    alike = of(np.tile([0.1, 0.7, 0.3], (4, 1)))  # every system has the same scores
    assert np.isnan(alike.relative()).all() and "No metric distinguishes" in str(alike)
    even = of(np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]]))  # differences that cancel
    assert even.relative()[0] == 0 and np.isinf(even.topics_for_relative()[0][0])
    assert "no number of topics is known" in " ".join(str(even).split())
    for each in (exact, alike, even):  # a single point is no interval
        row = json.loads(each.to_json())["results"]["generalizability"][0]
        assert all(row[end] is None for end in ("low", "high", "Phi low", "Phi high"))
        assert any(note.startswith("no interval") for note in each.view().notes)


def test_what_is_said(shared: Path) -> None:
    table = np.loadtxt(shared / "data/trec-8/adhoc8_ap.csv", delimiter=",", skiprows=1)
    text = " ".join(str(of(table.T).view()).split())
    assert "reliability of differences between systems is 0.971 (E rho²)." in text
    assert "a reliability of 0.95 takes about 29 topics." in text
    assert (
        "the interval of E rho² is 0.963 to 0.978" in text and "0.95 takes 29 (22 to 37) topics for differences" in text
    )
    names = tuple(f"m{n}" for n in range(5))
    several = of(np.random.default_rng(2).normal(size=(4, 9, 5)), *names)
    sentences = several.view().sentences
    assert sentences[0].startswith("m0 has the highest reliability of differences between systems: ")
    assert sentences[1] == "m1, m2 and m4 have the lowest: 0.000."


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"reliability": 1}, "reliability must be a number above 0 and below 1; found 1"),
        ({"alpha": 0}, "alpha must be a number of at least 1e-15 and below 1"),
        ({"topics": (0,)}, "topics must be a whole number of 1 or more; found 0"),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(settings: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        brennan(**settings)
    with pytest.raises(InputError, match="between 0 and 1"):
        brennan().topics_for_absolute(2)
    with pytest.raises(InputError, match="topics=0: expected 1 or more"):
        brennan().relative(0)
