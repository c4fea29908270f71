"""The multiverse against single comparisons, plain loops, and simulated null collections."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

import irassay as ia
from irassay.errors import InputError
from irassay.meta.multiverse.grid import DIMENSIONS, METRICS
from irassay.meta.multiverse.joint_test import joint_test, variance_shares
from irassay.meta.multiverse.method import Multiverse
from irassay.simulation import simulate


@pytest.fixture(scope="module")
def collection() -> tuple[list[Any], Any]:
    made = simulate(seed=4, topics=12, systems=3)
    return list(made.runs), made.qrels


@pytest.fixture(scope="module")
def whole(collection: tuple[list[Any], Any]) -> Multiverse:
    runs, qrels = collection
    return ia.meta.multiverse(runs[:2], qrels, trials=5000)


def test_the_default_grid_has_hundreds_of_specifications(whole: Multiverse) -> None:
    frame = whole.to_frame()
    assert len(frame) == whole.p.size >= 500
    columns = [*DIMENSIONS, "estimand", "difference", "t", "p"]
    assert set(columns) <= set(frame.columns)
    assert len(frame.select(DIMENSIONS).unique()) == len(frame)


@pytest.mark.parametrize(
    ("metric", "settings", "choices"),
    [
        ("nDCG@10", {}, ("nDCG", "linear", "10", "docid", "zero", "not relevant")),
        ("nDCG(gain='exp')@5", {"ties": "file"}, ("nDCG", "exp", "5", "file", "zero", "not relevant")),
        ("AP", {"judged_only": True}, ("AP", "binary", "none", "docid", "zero", "left out")),
        ("P@20", {"missing": "skip"}, ("P", "binary", "20", "docid", "skip", "not relevant")),
        ("RBP(p=0.95,gain='binary')", {}, ("RBP(p=0.95)", "binary", "none", "docid", "zero", "not relevant")),
    ],
)
def test_a_specification_is_the_comparison_it_names(
    whole: Multiverse,
    collection: tuple[list[Any], Any],
    metric: str,
    settings: dict[str, Any],
    choices: tuple[str, ...],
) -> None:
    runs, qrels = collection
    own = list(zip(*(whole.choices[name] for name in DIMENSIONS[:6]), strict=True)).index(choices)
    scores = ia.score(runs[:2], qrels, [metric], **settings)
    kept = ~np.isnan(scores.values).any(axis=(0, 2))
    d = (scores.values[0] - scores.values[1])[kept, 0]
    assert (whole.difference[own], whole.topics[own]) == (pytest.approx(d.mean(), abs=1e-12), len(d))
    assert whole.t[own] == pytest.approx(ttest_1samp(d, 0).statistic, rel=1e-9)
    for test, p in zip(whole.tests, whole.p[:, own], strict=True):
        trials = {"trials": 5000} if test == "permutation" else {}
        expected = ia.PairedTest(test, **trials).run(scores.values[:, kept])[1].item()
        assert p == pytest.approx(expected, abs=1e-9)


def test_the_joint_test_is_that_of_a_plain_loop_over_all_signs() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(0.3, 1, size=(4, 7))
    d[3, 2] = np.nan  # a topic that one specification leaves out
    of = np.array([0, 1, 1, 2, 3])

    def t(rows: Any) -> Any:
        return np.array([np.nanmean(r) / (np.nanstd(r, ddof=1) / np.sqrt((~np.isnan(r)).sum())) for r in rows])

    observed = t(d)
    drawn = np.array([t(d * np.array(sign)) for sign in product((1, -1), repeat=7)])  # [signs, row]
    expected = [
        np.mean(np.median(drawn[:, of], axis=1) >= np.median(observed[of]) - 1e-9),
        np.mean(drawn.max(axis=1) >= observed.max() - 1e-9),
        np.mean(drawn >= observed - 1e-9, axis=0).max(),
    ]
    found = joint_test(d, of, trials=1000, seed=0)
    assert found.exact and [found.median, found.some, found.every] == pytest.approx(expected)
    assert found.single == pytest.approx(np.mean(np.abs(drawn) >= np.abs(observed) - 1e-9, axis=0))


@pytest.mark.parametrize("copies", [1, 40])
def test_the_joint_test_holds_its_level(copies: int) -> None:
    """At most 5 % of null collections, whether specifications differ or one of them is nearly repeated."""
    rng = np.random.default_rng(copies)
    wrong = np.zeros(3)
    for _ in range(400):
        common = rng.normal(size=(1, 15))
        distinct = 0.6 * common + rng.normal(size=(4, 15))
        near = distinct[:1] + 1e-3 * rng.normal(size=(copies, 15))
        d = np.concatenate([distinct, near])
        found = joint_test(d, np.arange(len(d)), trials=199, seed=int(rng.integers(1 << 30)))
        wrong += np.array([found.median, found.some, found.every]) <= 0.05
    assert (wrong / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)).all()
    assert (wrong[:2] / 400 >= 0.02).all()  # and does not give it away


def test_shares_of_variance_are_between_choices() -> None:
    t = np.array([1.0, 1.0, 3.0, 3.0])
    columns = {"metric": ["a", "a", "b", "b"], "ties": ["x", "y", "x", "y"], "one": ["z"] * 4}
    assert variance_shares(t, columns) == {"metric": 1.0, "ties": 0.0}


def test_options_add_restrict_and_remove_dimensions(collection: tuple[list[Any], Any]) -> None:
    runs, qrels = collection
    few = ia.meta.multiverse(
        runs[:2], qrels, ["RBP(p=0.5)"], only=("metric=nDCG,RBP(p=0.5)", "cutoff=10,none"), without=("ties", "missing"),
        add=("test=sign",), trials=100,
    )  # fmt: skip
    assert set(few.scored_as) == {"nDCG@10", "nDCG(gain='exp')@10", "nDCG(gain='binary')@10", "RBP(p=0.5)"}
    assert few.tests == ("t", "wilcoxon", "permutation", "sign")
    assert set(few.choices["ties"]) == {"docid"} and set(few.choices["unjudged"]) == {"not relevant", "left out"}


def test_an_added_metric_has_its_cutoff_and_counts_once(collection: tuple[list[Any], Any]) -> None:
    runs, qrels = collection
    add = ("metric=nDCG@7,RBP(p=0.5,gain='binary'),AP,nDCG@10",)
    found = ia.meta.multiverse(runs[:2], qrels, add=add, without=("ties", "missing", "unjudged"), trials=100)
    plain = ia.meta.multiverse(runs[:2], qrels, without=("ties", "missing", "unjudged"), trials=100)
    assert found.scored_as == (*plain.scored_as, "nDCG@7", "RBP(p=0.5,gain='binary')")
    assert found.choices["cutoff"][-2:] == ("7", "none")
    only = ia.meta.multiverse(runs[:2], qrels, add=add, only=("metric=RBP(p=0.5,gain='binary')",), trials=100)
    assert set(only.scored_as) == {"RBP(p=0.5,gain='binary')"}


@pytest.mark.parametrize("policy", [{"rel": 2}, {"judged_only": True}, {"rel": 2, "no_relevant": "skip"}])
def test_the_level_of_relevance_is_that_of_every_specification(
    policy: dict[str, Any], collection: tuple[list[Any], Any]
) -> None:
    runs, qrels = collection
    only = ("metric=AP", "cutoff=none", "ties=docid", "missing=zero")
    found = ia.meta.multiverse(runs[:2], qrels, ["AP"], only=only, trials=100, **policy)
    for unjudged, difference in zip(found.choices["unjudged"], found.difference, strict=True):
        one, two = ia.score(runs[:2], qrels, ["AP"], **policy | {"judged_only": unjudged == "left out"}).means()[:, 0]
        assert difference == pytest.approx(one - two, rel=1e-9)
    assert set(found.choices["unjudged"]) == {"not relevant", "left out"}


def test_other_judgements_are_a_choice(collection: tuple[list[Any], Any]) -> None:
    runs, qrels = collection
    settings: dict[str, Any] = {"only": ("metric=P",), "without": ("ties", "missing", "unjudged"), "trials": 100}
    both = ia.meta.multiverse(runs[:2], qrels, other=qrels, **settings)
    assert set(both.choices["judgements"]) == {"given", "other"}
    half = len(both.t) // 2
    assert sorted(both.t[np.array(both.choices["judgements"]) == "given"]) == pytest.approx(sorted(both.t)[::2])
    assert both.distinct == half


def test_the_claim_has_a_direction(collection: tuple[list[Any], Any]) -> None:
    runs, qrels = collection
    settings: dict[str, Any] = {"only": ("metric=AP",), "trials": 200}
    one, back = (
        ia.meta.multiverse(runs[:2], qrels, pair=pair, **settings) for pair in ((), (runs[1].name, runs[0].name))
    )
    assert back.difference == pytest.approx(-one.difference)
    assert one.joint["median t"] + back.joint["median t"] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"only": ("metric=XYZ",)}, "the choices are nDCG"),
        ({"only": ("metric",)}, "DIMENSION=CHOICE"),
        ({"without": ("colour",)}, "no such dimension"),
        ({"add": ("missing=error",)}, "the choices are zero"),
        ({"add": ("test=foo",)}, "no test called"),
        ({"pair": ("a", "a")}, "There is no system"),
    ],
)
def test_bad_settings_are_refused_with_a_sentence(
    collection: tuple[list[Any], Any], settings: dict[str, Any], words: str
) -> None:
    runs, qrels = collection
    with pytest.raises(InputError, match=words):
        ia.meta.multiverse(runs[:2], qrels, **settings)


def test_the_share_of_specifications_is_never_called_a_probability(whole: Multiverse) -> None:
    text = whole.to_markdown()
    assert "is not a probability" in text and text.lower().count("probability") == 1


def test_every_metric_of_the_grid_is_written_as_irassay_reads_it() -> None:
    for each in METRICS:
        for gain, cutoff in product(each.gains, each.cutoffs):
            metric = ia.parse(each.string(gain, cutoff))
            assert metric.size == (None if cutoff == "none" else int(cutoff))


def test_a_real_pair_has_every_specification(shared: Path) -> None:
    covid = shared / "data" / "trec-covid-1"
    result = ia.meta.multiverse([covid / "runs" / "BM25R2.gz", covid / "runs" / "BERT.gz"], covid / "qrels.txt")
    assert result.p.size >= 500 and np.isfinite(result.p).all()
