"""Views of how metrics rank systems: every result can be shown, drawn, kept and read back, and says what it found."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.robustness.method import under_others
from irassay.meta.robustness.rejudge import rejudged
from irassay.meta.similarity import similarity
from irassay.metrics.grids import grid
from irassay.results import as_text, from_text
from irassay.scores import Scores
from irassay.views import agreement_views, systems_views  # noqa: F401  register the views
from irassay.views.render import render
from irassay.views.theme import themed
from irassay.views.view import column, view
from tests.meta.test_robustness import collection
from tests.meta.test_similarity import graded

FEW = (
    "RBP(end='stop')@10",
    "RBP(A='MAX',end='stop')@10",
    "P(gain='linear',end='stop')@10",
    "RBP(A='ERR',end='stop')@10",
)


def made() -> dict[str, Any]:
    """One result of each kind, with a constant metric among them, and two of the whole grid."""
    scores = graded(9, 16, 10, 0, FEW)
    runs, qrels = collection()
    teams = {name: "us" if name == "run0" else "them" for name in runs}
    reference, cases = rejudged(
        runs,
        qrels,
        ["AP", "RBP"],
        other=qrels,
        thin=(0.5,),
        pool_depth=(3,),
        noise={2: {1: 1}},
        groups=teams,
        repeats=2,
    )
    whole = graded(8, 12, 10, 1, grid("cwla").metrics)
    return {
        "similarity": similarity(scores, also=("tau_ap", "spearman", "rbo"), subsets=20),
        "consistency": consistency(scores, splits=20, compat=True, group_by="browse", subsets=10),
        "discrimination": discrimination(scores, trials=100, groups={name: name[-1] for name in scores.systems}),
        "agreement": agreement(scores),
        "robustness": under_others(reference, cases),
        "alternatives": alternatives(scores, reference=FEW[0], similar=0.2, trials=50, splits=20),
        "grid similarity": similarity(whole, subsets=10),
        "grid consistency": consistency(whole, splits=20, subsets=10),
        "grid discrimination": discrimination(whole, test="t"),
        "grid agreement": agreement(whole),
    }


RESULTS = made()
every_result = pytest.mark.parametrize("name", RESULTS)


@every_result
def test_it_can_be_shown_in_every_format(name: str) -> None:
    shown = view(RESULTS[name])
    assert shown.sentences and all(sentence.endswith(".") and "nan" not in sentence for sentence in shown.sentences)
    for form in ("tsv", "csv", "latex", "markdown"):
        assert render(shown, form)
    document = json.loads(render(shown, "json", {"irassay": "test"}))
    assert document["sentences"] == list(shown.sentences)
    for table in shown.tables:
        assert table.rows and all(len(row) == len(table.columns) for row in table.rows)


@every_result
def test_its_charts_can_be_drawn(name: str) -> None:
    for _, make in view(RESULTS[name]).charts:
        text = json.dumps(themed(make()), allow_nan=False)
        assert "vega-lite" in text and len(text) < 2_000_000


@every_result
def test_it_can_be_kept_and_read_back(name: str) -> None:
    result = RESULTS[name]
    back = from_text(as_text(result))
    assert type(back) is type(result)
    for field in dataclasses.fields(result):
        one, other = getattr(result, field.name), getattr(back, field.name)
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        else:
            assert one == other
    assert view(back).sentences == view(result).sentences


@every_result
def test_its_notes_name_constant_metrics(name: str) -> None:
    if name.startswith("grid") or name == "robustness":
        return
    assert any("Constant" in note and FEW[3] in note for note in view(RESULTS[name]).notes)


def test_canonical_metrics_are_marked_in_tables_and_charts() -> None:
    for name in ("grid consistency", "grid discrimination", "grid agreement"):
        shown = view(RESULTS[name])
        table = shown.tables[-1] if name == "grid agreement" else shown.tables[0]
        metrics = column(table, "metric")
        assert {metrics[row] for row, at in table.marks if at == 0} == set(grid("cwla").canonical)
        assert any("canonical" in note for note in shown.notes)
    drawn = json.dumps(view(RESULTS["grid similarity"]).charts[0][1]().to_dict())
    assert all(f"{metric} *" in drawn for metric in grid("cwla").canonical)


def test_the_tables_hold_what_the_results_say() -> None:
    found = RESULTS["grid similarity"]
    table = view(found).tables[0]
    assert len(table.rows) == 39 * 38 // 2 and table.most is not None
    taus = [value for value in column(table, "tau") if isinstance(value, float)]
    assert taus == sorted(taus, reverse=True)
    for one, other, tau in zip(*(column(table, name) for name in ("metric", "other metric", "tau")), strict=True):
        assert found.of(one, other) == tau
    power = view(RESULTS["grid discrimination"]).tables[0]
    assert column(power, "metric") == [name for name, _ in RESULTS["grid discrimination"].ranked()]
    robust = view(RESULTS["robustness"]).tables[0]
    assert len(robust.rows) == 6 * 2 and "fall of the team" in robust.columns
    assert set(column(robust, "judgements")) == {"other", "thin", "pool", "noise", "team"}


def test_two_constant_metrics_are_said_to_rank_nothing() -> None:
    flat = Scores(np.full((3, 8, 2), 0.5), tuple("abc"), tuple("12345678"), ("one", "other"))
    assert "no two metrics that rank" in view(similarity(flat)).sentences[0]
    assert "No metric ranks" in view(consistency(flat, splits=5)).sentences[0]
    assert view(discrimination(flat, test="t")).sentences[0].startswith("No metric tells any of 3 pairs apart")
    assert view(agreement(flat)).sentences


def tiny(values: Any, metrics: tuple[str, ...]) -> Scores:
    cube = np.asarray(values, dtype=float)
    return Scores(cube, tuple(f"s{i}" for i in range(len(cube))), tuple(map(str, range(cube.shape[1]))), metrics)


def test_small_results_are_said_in_sentences_that_say_something() -> None:
    rng = np.random.default_rng(1)
    two = tiny(rng.random((3, 8, 2)), ("one", "other"))
    (said,) = view(similarity(two, subsets=5)).sentences
    assert said.startswith("The rankings of 3 systems on 8 topics by one and other have a tau of")
    assert any(note.startswith("The one split (seed 0)") for note in view(consistency(two, splits=1)).notes)
    assert "On other topics it might be the other way" in view(consistency(two, splits=20)).sentences[1]
    noise = tiny(rng.random((4, 4, 2)), ("one", "other"))
    assert view(discrimination(noise, test="t", levels=(1e-6,))).sentences == (
        "No metric tells any of 6 pairs apart at 1e-06 by t, with 4 systems on 4 topics.",
    )
    assert view(agreement(noise, alpha=1e-6)).sentences[0].endswith("no metric tells any apart at 1e-06 by t.")
    alone = tiny(np.linspace(0, 1, 12)[:, None, None] + rng.random((12, 20, 1)) / 100, ("one",))
    assert not any("the 1 worst" in said for said in view(discrimination(alone)).sentences)


def test_where_nothing_changes_no_system_falls() -> None:
    scores = tiny(np.random.default_rng(2).random((5, 6, 2)), ("one", "other"))
    again = under_others(scores, scores.select(topics=scores.topics[::-1]))  # sums of another order
    assert (again.bias == 0).all() and (np.nan_to_num(again.slope) == 0).all()
    shown = view(again)
    assert column(shown.tables[0], "system") == [None, None]
    assert "every metric keeps the ranking of 5 systems with a tau of 1.000" in shown.sentences[0]


def test_charts_say_what_they_leave_out_and_start_where_they_should() -> None:
    many = view(agreement(graded(8, 12, 10, 1, grid("cwla").metrics)))
    assert "30 of " in json.dumps(dict(many.charts)["agreement"]().to_dict())
    charts = dict(view(RESULTS["robustness"]).charts)
    assert charts["team"]().to_dict()["encoding"]["x"]["scale"]["domain"][0] <= 0.9
    curves = charts["thin"]().to_dict()
    assert {layer["encoding"]["color"]["legend"]["symbolOpacity"] for layer in curves["layer"]} == {1}
    asl = dict(view(RESULTS["discrimination"]).charts)["asl"]().to_dict()
    assert asl["hconcat"][1]["encoding"]["y"]["scale"]["domain"] == [0, 0.1]
    points = json.dumps(dict(view(RESULTS["alternatives"]).charts)["alternatives"]().to_dict())
    assert '"role": "reference"' in points and '"tau"' in points


def test_a_repr_is_one_short_line() -> None:
    for found in RESULTS.values():
        said = repr(found)
        assert said.startswith(type(found).__name__ + "(metrics=") or "reference=" in said
        assert "\n" not in said and "array" not in said and len(said) < 400, said


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 1.0, 5.0])
def test_a_level_of_significance_lies_between_0_and_1(alpha: float) -> None:
    scores = tiny(np.random.default_rng(0).random((4, 10, 2)), ("one", "other"))
    calls = [
        lambda: similarity(scores, alpha=alpha),
        lambda: consistency(scores, alpha=alpha),
        lambda: agreement(scores, alpha=alpha),
        lambda: under_others(scores, scores, alpha=alpha),
        lambda: alternatives(scores, reference="one", alpha=alpha),
        lambda: discrimination(scores, levels=(alpha,)),
    ]
    for call in calls:
        with pytest.raises(InputError, match="between 0 and 1"):
            call()
