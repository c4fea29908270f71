"""What a cube of scores answers, and what it refuses to hold."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from irassay.errors import InputError
from irassay.io.tables import read_iterations
from irassay.scores import Scores

NAN = np.nan


def cube(values: object, **fields: object) -> Scores:
    array = np.asarray(values, dtype=float)
    names = [tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("stm", array.shape, strict=True)]
    return Scores(array, *names, **fields)  # type: ignore[arg-type]


@pytest.fixture
def two_collections() -> Scores:
    values = [[[0.1, 5.0], [0.2, 6.0], [NAN, NAN]], [[0.3, 1.0], [NAN, 2.0], [0.4, 3.0]]]
    return Scores(np.array(values), ("A", "B"), ("1", "2", "1"), ("AP", "time"), (True, False), ("x", "x", "y"))


def test_a_mean_is_over_the_topics_that_a_system_has(two_collections: Scores) -> None:
    np.testing.assert_allclose(two_collections.means(), [[0.15, 5.5], [0.35, 2.0]], rtol=1e-15)


def test_a_system_without_scores_has_no_mean() -> None:
    assert np.isnan(cube([[[NAN]], [[1.0]]]).means()).tolist() == [[True], [False]]


def test_one_metric_is_a_matrix_of_systems_and_topics(two_collections: Scores) -> None:
    np.testing.assert_array_equal(two_collections.of("time"), [[5, 6, NAN], [1, 2, 3]])


def test_a_selection_keeps_the_order_asked_for(two_collections: Scores) -> None:
    some = two_collections.select(systems=["B", "A"], topics=["2", ("x", "1")], metrics=["time"])
    assert (some.systems, some.keys, some.metrics) == (("B", "A"), (("x", "2"), ("x", "1")), ("time",))
    assert some.values[:, :, 0].tolist() == [[2, 1], [6, 5]]
    assert some.higher_is_better == (False,)


def test_a_bare_topic_name_is_that_of_every_collection(two_collections: Scores) -> None:
    assert two_collections.select(topics=["1"]).keys == (("x", "1"), ("y", "1"))


def test_an_unknown_name_is_refused_with_the_names_there_are(two_collections: Scores) -> None:
    with pytest.raises(InputError, match="no metric 'nope'; there are: 'AP', 'time'"):
        two_collections.of("nope")
    with pytest.raises(InputError, match="no topic '7'; there are: 'x/1', 'x/2', 'y/1'"):
        two_collections.select(topics=["7"])


def test_complete_keeps_topics_without_holes_and_counts_the_others(two_collections: Scores) -> None:
    whole = two_collections.complete()
    assert whole.keys == (("x", "1"),)
    assert whole.notes == ("2 of 3 topics left out: some system has no score there.",)
    assert whole.complete() is whole


def test_costs_are_negated_so_that_more_is_better(two_collections: Scores) -> None:
    turned = two_collections.oriented()
    np.testing.assert_array_equal(turned.of("time"), -two_collections.of("time"))
    np.testing.assert_array_equal(turned.of("AP"), two_collections.of("AP"))
    assert turned.higher_is_better == (True, True)
    assert two_collections.costs("AP").higher_is_better == (False, False)


def test_verdicts_take_costs_as_costs_and_holes_as_no_verdict(two_collections: Scores) -> None:
    assert two_collections.verdicts()[0].tolist() == [[-1, -1], [0, -1], [0, 0]]
    assert two_collections.valid()[0].tolist() == [[True, True], [False, True], [False, False]]


def test_a_difference_below_1e_10_of_the_range_is_a_tie() -> None:
    scores = cube([[[0.0], [100.0]], [[5e-9], [100.0 - 2e-8]]])
    assert scores.noise() == pytest.approx([1e-8])
    assert scores.verdicts().tolist() == [[[0], [1]]]


def test_a_constant_metric_and_an_empty_one_have_no_noise() -> None:
    assert cube([[[0.5, NAN]], [[0.5, NAN]]]).noise().tolist() == [0, 0]
    assert cube(np.empty((2, 0, 1))).noise().tolist() == [0]


@given(
    arrays(float, array_shapes(min_dims=3, max_dims=3, max_side=6), elements=st.sampled_from([0, 1, 2, NAN])),
    st.integers(1, 60),
)
def test_verdicts_by_blocks_of_topics_are_the_verdicts(values: np.ndarray, cells: int) -> None:
    scores = cube(values)
    first, second = scores.pairs()
    lead = values[first] - values[second]
    blocks = list(scores.blocks(cells))
    assert (np.concatenate([scores.verdicts(block) for block in blocks], axis=1) == scores.verdicts()).all()
    assert (np.concatenate([scores.valid(block) for block in blocks], axis=1) == ~np.isnan(lead)).all()
    assert (scores.verdicts() == np.sign(np.nan_to_num(lead))).all()
    a_topic = len(first) * values.shape[2]
    assert all((block.stop - block.start) * a_topic <= max(cells, a_topic) for block in blocks)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"systems": ("A", "A")}, "two systems 'A'"),
        ({"topics": ("1", "1")}, "two topics '1'"),
        ({"topics": ("1", "1"), "collection": ("x", "x")}, "two topics 'x/1'"),
        ({"metrics": ("AP", "AP")}, "two metrics 'AP'"),
        ({"topics": ("1", "All")}, "named 'All'"),
        ({"topics": ("1",)}, r"shape \(2, 2, 2\)"),
        ({"collection": ("x",)}, "needs a collection"),
        ({"higher_is_better": (True,)}, "a direction"),
    ],
)
def test_names_that_are_double_reserved_or_missing_are_refused(fields: dict, message: str) -> None:
    names = {"systems": ("A", "B"), "topics": ("1", "2"), "metrics": ("AP", "RR"), **fields}
    with pytest.raises(InputError, match=message):
        Scores(np.zeros((2, 2, 2)), **names)


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(InputError, match="m0 of s0 on topic 't0' is infinite"):
        cube([[[np.inf]]])


def test_scores_cannot_be_changed_and_leave_the_array_given_alone() -> None:
    mine = np.zeros((1, 1, 1))
    scores = cube(mine)
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0, 0] = 1
    mine[0, 0, 0] = 1


def test_verdicts_count_the_disagreements_of_the_dynamic_domain_track(shared: Path) -> None:
    tables = {year: read_iterations(shared / f"data/trec-dd/trec-all-{year}-evals.csv.gz") for year in ("2016", "2017")}
    lines = (shared / "oracles/meta/dd/intuitiveness_expected.csv").read_text().splitlines()
    checked = 0
    for line in lines[1:]:
        year, all_row, iteration, simple, left, right, total, disagreements = line.split(",")[:8]
        if all_row == "exclude" and simple == "p" and iteration in ("1", "10"):
            scores = tables[year][iteration].select(metrics=[left, right])
            verdicts = scores.verdicts()
            assert scores.valid().all(axis=2).sum() == int(total)
            assert (verdicts[:, :, 0] * verdicts[:, :, 1] == -1).sum() == int(disagreements)
            checked += 1
    assert checked == 84
