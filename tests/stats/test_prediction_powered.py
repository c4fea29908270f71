"""Human and model scores together: ppi-py at a given weight, the classical estimate, transitivity, widths."""

import json
from pathlib import Path

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.scores import Scores
from irassay.stats.paired_sample import sample
from irassay.stats.prediction_powered import pooled_weights, prediction_powered


def drawn(systems: int, human: int, further: int, correlation: float, seed: int) -> tuple[Floats, Floats, Floats]:
    """Scores of people, and a model's on the same and on further topics."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(2, systems, human + further))
    model = correlation * noise[0] + np.sqrt(1 - correlation**2) * noise[1]
    ability = np.arange(systems)[:, None] / 10
    return (ability + noise[0])[:, :human], (ability + model)[:, :human], (ability + model)[:, human:]


def pairs(systems: int) -> tuple[Ints, Ints]:
    i, j = np.triu_indices(systems, k=1)
    return i, j


def test_at_a_given_weight_as_ppi_py(oracles: Path) -> None:
    case = json.loads((oracles / "judges" / "expected.json").read_text())["ppi"]
    given = tuple(np.array(case[name]) for name in ("human", "model", "further"))
    for weight, difference in case["difference"].items():
        found = prediction_powered(*given, *pairs(len(given[0])), weight=float(weight), trials=9)
        assert found.difference == pytest.approx(difference, abs=1e-12)


def test_a_weight_of_0_is_the_classical_estimate() -> None:
    human, model, further = drawn(5, 12, 40, 0.8, 1)
    i, j = pairs(5)
    found, classical = prediction_powered(human, model, further, i, j, weight=0, trials=99), sample(human[:, :, None])
    assert found.difference == pytest.approx(classical.difference[0])
    assert found.error == pytest.approx(classical.error[0])


def test_weights_without_each_topic() -> None:
    human, model, _ = drawn(6, 9, 1, 0.5, 2)
    _, without = pooled_weights(human, model, 30)
    for t in range(9):
        kept = np.arange(9) != t
        y, f = (x[:, kept] - x[:, kept].mean(axis=0) for x in (human, model))
        covariance = sum(np.cov(a, b)[0, 1] for a, b in zip(y, f, strict=True))
        variance = sum(b.var(ddof=1) for b in f)
        assert without[t] == pytest.approx(np.clip(covariance / variance / (1 + 9 / 30), 0, 1))


def test_differences_add_up() -> None:
    human, model, further = drawn(4, 10, 30, 0.7, 3)
    i, j = pairs(4)
    gap = dict(
        zip(
            zip(i.tolist(), j.tolist(), strict=True),
            prediction_powered(human, model, further, i, j, trials=9).difference,
            strict=True,
        )
    )
    assert gap[0, 1] + gap[1, 2] + gap[2, 3] == pytest.approx(gap[0, 3], abs=1e-12)


@pytest.mark.parametrize(("correlation", "low", "high"), [(0.0, 0.97, 1.02), (0.8, 0.66, 0.74)])
def test_widths_beside_those_of_people_alone(correlation: float, low: float, high: float) -> None:
    """The formula's width at .8 with four times as many topics: sqrt(1 - .64 / 1.25) = .70; a useless judge costs nothing."""
    ratios = []
    for seed in range(12):
        human, model, further = drawn(10, 25, 100, correlation, seed)
        both, alone = (
            prediction_powered(human, model, further, *pairs(10), weight=weight, trials=499) for weight in (None, 0.0)
        )
        widths = [np.subtract(*found.interval(0.05)[::-1]) for found in (both, alone)]
        ratios.append(np.median(widths[0] / widths[1]))
    assert low < np.mean(ratios) < high


def test_an_interval_without_0_has_p_below_alpha() -> None:
    human, model, further = drawn(8, 20, 60, 0.7, 5)
    found = prediction_powered(human * 0.4, model * 0.4, further * 0.4, *pairs(8), trials=999)
    low, high = found.interval(0.05)
    assert ((low > 0) | (high < 0)).tolist() == (found.p < 0.05).tolist()


def test_critical_values_are_never_below_those_of_people_alone() -> None:
    """Many further topics make |t| look normal, while few topics with human scores do not."""
    human, model, further = drawn(5, 6, 200, 0.95, 1)
    i, j = pairs(5)
    both = prediction_powered(human, model, further, i, j, trials=499)
    alone = prediction_powered(human, model, further, i, j, weight=0, trials=499)
    assert both.weight > 0
    for alpha in (0.01, 0.05, 0.1, 0.5):
        assert both.critical(alpha) >= alone.critical(alpha)
    cubes = (
        Scores(human[:, :, None], tuple("ABCDE"), tuple("123456"), ("AP",)),
        Scores(
            np.concatenate([model, further], axis=1)[:, :, None],
            tuple("ABCDE"),
            tuple(map(str, range(1, 207))),
            ("AP",),
        ),
    )
    found = ia.compare(cubes[0], also_scores=cubes[1], trials=499).powered[0]
    assert found.both.critical(0.05) >= found.human.critical(0.05)


def cubes(human: int = 10, further: int = 30) -> tuple[Scores, Scores]:
    """Scores by people, and by a model on these and on further topics."""
    y, f, more = drawn(5, human, further, 0.8, 7)
    names, topics = tuple("ABCDE"), tuple(f"t{n}" for n in range(human + further))
    everything = np.concatenate([f, more], axis=1)[:, :, None]
    return Scores(y[:, :, None], names, topics[:human], ("AP",)), Scores(everything, names, topics, ("AP",))


def test_compare_with_a_models_scores(tmp_path: Path) -> None:
    human, model = cubes()
    found = ia.compare(human, also_scores=model, trials=499)
    one = found.powered[0]
    assert (one.labelled, one.further) == (10, 30) and 0 < one.weight < 1 and one.gained_in_all > 0
    assert found.by_metric[0].test.difference == pytest.approx(one.human.difference)
    table = next(table for table in found.view().tables if table.name == "pairs")
    assert {"difference", "low", "high", "human low", "human high", "lambda", "topics gained"} <= set(table.columns)
    assert "random subset" in str(found)
    found.save(tmp_path / "both.json")
    assert str(ia.load(tmp_path / "both.json")) == str(found)
    alike = ia.compare(human, also=model, trials=499).powered[0].both.difference
    assert alike == pytest.approx(one.both.difference)


def test_compare_with_a_models_qrels(tmp_path: Path) -> None:
    collection = ia.simulate(seed=3, topics=14, systems=5)
    (tmp_path / "runs").mkdir()
    for run in collection.runs:
        rows = run.frame.select("topic", "doc", "score").iter_rows()
        lines = [f"{topic} Q0 {doc} 0 {score} {run.name}\n" for topic, doc, score in rows]
        (tmp_path / "runs" / run.name).write_text("".join(lines))
    rows = list(collection.qrels.frame.select("topic", "doc", "grade").iter_rows())
    few = sorted({topic for topic, _, _ in rows})[:6]
    for name, kept in (("human", few), ("model", {topic for topic, _, _ in rows})):
        lines = [f"{topic} 0 {doc} {grade:g}\n" for topic, doc, grade in rows if topic in kept]
        (tmp_path / name).write_text("".join(lines))
    scores = ia.score(str(tmp_path / "runs"), tmp_path / "human", ["nDCG@10"])
    whole = ia.score(str(tmp_path / "runs"), tmp_path / "model", ["nDCG@10"])
    found, direct = (ia.compare(scores, also=also, trials=99).powered[0] for also in (tmp_path / "model", whole))
    assert found.both.difference == pytest.approx(direct.both.difference, abs=1e-12)
    assert (found.labelled, found.further) == (6, 8)


def test_what_cannot_be_put_together() -> None:
    human, model = cubes()
    few = model.select(topics=model.topics[:10])
    for also, message in (
        (few, "0 topics beyond"),
        (model.select(topics=model.topics[3:]), "does not judge 3 topics that people judged"),
        (model.select(topics=model.topics[10:]), "judges no topic that people judged"),
        (model.select(systems=("A", "B")), "lack 3 systems"),
    ):
        with pytest.raises(InputError, match=message):
            ia.compare(human, also_scores=also)
    with pytest.raises(InputError, match="not both"):
        ia.compare(human, also=model, also_scores=model)
    with pytest.raises(InputError, match="also needs files of runs and qrels"):
        ia.compare(human, also=OtherQrels({"1": {"a": 1}}))


def test_a_model_that_is_constant_within_systems_has_no_weight() -> None:
    human = np.random.default_rng(0).normal(size=(5, 30))
    model = np.repeat(np.random.default_rng(1).random((5, 1)), 30, axis=1)
    weight, weights = pooled_weights(human, model, 100)
    assert weight == 0 and not weights.any()
