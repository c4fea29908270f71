"""Judges: kappa and alpha as scikit-learn and krippendorff have them, published figures, panels, conclusions, refusals."""

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.meta.judges.conclusions import SPLITS, Conclusions, _replicated_share
from irassay.meta.judges.labels import label_sets
from irassay.results import load, result_json
from irassay.stats.jackknife import kept_topics

Grades = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def expected(oracles: Path) -> dict[str, Any]:
    """What scikit-learn, krippendorff and ppi-py found."""
    found: dict[str, Any] = json.loads((oracles / "judges" / "expected.json").read_text())
    return found


@pytest.fixture(scope="module")
def llmjudge(shared: Path) -> Any:
    """LLMJudge 2024: twenty sets of labels beside the human ones."""
    folder = shared / "data" / "llmjudge"
    return ia.judges(folder / "human.txt.gz", folder)


def graded(rows: list[list[float | None]]) -> list[Grades]:
    """Label sets of documents in three topics; None is not judged."""
    return [
        {f"t{t}": {f"d{d}": grade for d, grade in enumerate(row) if d % 3 == t and grade is not None} for t in range(3)}
        for row in rows
    ]


def test_kappa_and_alpha_of_every_label_set(llmjudge: Any, expected: dict[str, Any]) -> None:
    assert set(llmjudge.judges) == set(expected["sets"])
    for judge, statistics in expected["sets"].items():
        for name, value in statistics.items():
            assert llmjudge.of(judge, name)[0] == pytest.approx(value, abs=1e-12), (judge, name)
    assert llmjudge.together == pytest.approx(list(expected["all"].values()), abs=1e-12)


def test_figures_printed_in_judging_the_judges(llmjudge: Any) -> None:
    printed = {
        "h2oloo-fewself": (0.2774, 0.4958),
        "Olz-gpt4o": (0.2625, 0.5020),
        "RMITIR-llama70B": (0.2655, None),
        "NISTRetrieval-instruct0": (0.1877, None),
        "TREMA-rubric0": (0.0779, None),
    }
    for judge, (kappa, alpha) in printed.items():
        assert round(llmjudge.of(judge)[0], 4) == kappa
        assert alpha is None or round(llmjudge.of(judge, "ordinal alpha")[0], 4) == alpha


def test_grades_outside_the_scale_are_counted_and_said(llmjudge: Any) -> None:
    outside = dict(zip(llmjudge.judges, llmjudge.outside.tolist(), strict=True))
    assert {judge: n for judge, n in outside.items() if n} == {"RMITIR-llama70B": 2, "h2oloo-zeroshot2": 1}
    assert any("h2oloo-zeroshot2: 1 label outside the scale 0 to 3 (10)" in note for note in llmjudge.notes)
    assert llmjudge.confusion.sum(axis=(1, 2)).tolist() == [4423] * 20


def test_holes_and_grades_that_only_one_judge_gives(expected: dict[str, Any]) -> None:
    made = expected["made"]
    human, *others = graded(made["labels"])
    found = ia.judges(human, {f"j{n}": other for n, other in enumerate(others)}, bootstraps=50)
    for n, statistics in enumerate(made["sets"]):
        for name, value in statistics.items():
            assert found.of(f"j{n}", name)[0] == pytest.approx(value, abs=1e-12), (n, name)
        assert found.missing[n] == sum(grade is None for grade in made["labels"][n + 1])
    assert found.together == pytest.approx(list(made["all"].values()), abs=1e-12)


def test_intervals_are_percentiles_over_topics_drawn_with_replacement(llmjudge: Any, shared: Path) -> None:
    folder = shared / "data" / "llmjudge"
    labels = label_sets(folder / "human.txt.gz", folder / "Olz-gpt4o.gz")
    rng = np.random.default_rng(1)
    rows = [np.flatnonzero(labels.topic == t) for t in range(len(labels.topics))]
    drawn = []
    for _ in range(400):
        at = np.concatenate([rows[t] for t in rng.integers(0, len(rows), len(rows))])
        a, b = labels.given[0][at], labels.given[1][at]
        table = np.zeros((4, 4))
        np.add.at(table, (a, b), 1)
        chance = (table.sum(0) * table.sum(1)).sum() / table.sum() ** 2
        drawn.append((table.trace() / table.sum() - chance) / (1 - chance))
    _, low, high = llmjudge.of("Olz-gpt4o")
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], abs=0.02)


def test_leniency_by_topic_and_grade() -> None:
    human = {"1": {"a": 0, "b": 2}, "2": {"a": 1, "b": 0}}
    found = ia.judges(human, {"model": {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 1}}}, bootstraps=20)
    assert found.leniency_topics.tolist() == [[0.5, 0.5]] and found.leniency.tolist() == [0.5]
    assert found.leniency_grades.tolist() == [[1.0, 0.0, 0.0]]


def test_panels_are_tried_on_topics_that_did_not_choose_them(llmjudge: Any) -> None:
    panels = llmjudge.panels
    assert panels.members[0] == (llmjudge.ranked()[0][0],)
    assert panels.seen[0] == pytest.approx(llmjudge.ranked()[0][1])
    assert (panels.held_out <= panels.seen + 1e-12).all() and (panels.low < panels.held_out).all()


def test_the_map_puts_like_judges_together() -> None:
    rng = np.random.default_rng(0)
    truth, other = rng.integers(0, 3, 90), rng.integers(0, 3, 90)
    rows = [truth, np.where(rng.random(90) < 0.1, 0, truth), other, np.where(rng.random(90) < 0.1, 0, other)]
    human, *others = graded([row.tolist() for row in rows])
    found = ia.judges(human, dict(zip("abc", others, strict=True)), bootstraps=20)
    assert found.nearest("a") == "reference" and found.nearest("b") == "c"
    far = np.linalg.norm(found.map[:, None] - found.map, axis=2)
    assert far[0, 1] < far[0, 2] and far[2, 3] < far[1, 3]


def noisy(qrels: ia.Qrels, share: float, seed: int) -> Grades:
    rng = np.random.default_rng(seed)
    found: Grades = {}
    for topic, doc, grade in qrels.frame.select("topic", "doc", "grade").iter_rows():
        found.setdefault(topic, {})[doc] = float(rng.integers(0, 4)) if rng.random() < share else grade
    return found


def test_conclusions_about_systems(tmp_path: Path) -> None:
    made = ia.simulate(seed=2, topics=12, systems=8)
    runs = list(made.runs)
    others = {"same": noisy(made.qrels, 0.0, 0), "gpt-poor": noisy(made.qrels, 0.9, 1)}
    teams = {runs[0].name: "gpt"}
    found = ia.judges(made.qrels, others, runs=runs, metrics=("nDCG@10", "AP"), groups=teams, test="t")
    said = found.conclusions
    assert said is not None
    assert said.tau[0].tolist() == [1, 1] and said.tau_error[0].tolist() == [0, 0]
    assert not said.vanished[0].any() and not said.appeared[0].any() and not said.gap[0].any()
    assert (said.best_rank[0] == 1).all() and (said.tau[1] < 1).all()
    counts = said.kept + said.reversed + said.vanished + said.appeared + said.neither
    assert counts.tolist() == [[said.pairs] * 2] * 2
    assert said.sharing.tolist() == [0, 1] and np.isfinite(said.favour[1]).all() and np.isnan(said.favour[0]).all()
    text = str(found)
    assert "stays first" in text or "has rank" in text
    found.save(tmp_path / "judges.json")
    assert result_json(load(tmp_path / "judges.json")) == result_json(found)


def test_the_gap_beyond_which_the_order_is_the_reference_s() -> None:
    made = ia.simulate(seed=2, topics=12, systems=8)
    other = noisy(made.qrels, 0.9, 1)
    said = ia.judges(made.qrels, {"poor": other}, runs=list(made.runs), metrics=("AP",), test="t").conclusions
    assert said is not None
    one, two = (
        ia.score(list(made.runs), qrels, ["AP"], max_grade=made.qrels.max_grade).means()[:, 0]
        for qrels in (made.qrels, other)
    )
    i, j = np.triu_indices(len(one), k=1)
    wrong = (one[i] - one[j]) * (two[i] - two[j]) < 0
    assert said.gap[0, 0] == pytest.approx(np.abs(two[i] - two[j])[wrong].max())


HUMAN: Grades = {"1": {"a": 0, "b": 1}, "2": {"a": 3, "b": 0}}


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"9": {"a": 1}}, "has no topic in common"),
        ({"1": {"x": 1}, "2": {"y": 0}}, "judges other documents"),
        ({"1": {"a": 60, "b": 90}, "2": {"a": 100, "b": 0}}, "has another scale"),
        ({"1": {f"d{n}": n / 100 for n in range(80)}}, "look like scores"),
    ],
)
def test_labels_that_cannot_be_held_against_the_reference(other: Grades, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ia.judges(HUMAN, {"model": other})


def test_topics_and_documents_that_were_not_judged_are_said() -> None:
    found = ia.judges(HUMAN, {"model": {"1": {"a": 0, "b": 1, "c": 2}}}, bootstraps=10)
    assert any("1 topic not judged (2)" in note for note in found.notes)
    assert found.missing.tolist() == [2] and found.more.tolist() == [1]
    with pytest.raises(InputError, match="no other labels"):
        ia.judges(HUMAN, {})


def test_a_run_among_the_labels_and_the_reference_again_are_refused_as_that(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.txt", tmp_path / "a.run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n")
    run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    for given in ((qrels, run), (run, qrels)):
        with pytest.raises(InputError, match=r"a\.run looks like a run .* are judgements, and runs go to runs"):
            ia.judges(*given)
    with pytest.raises(InputError, match=r"q\.txt is both the reference and the other labels"):
        ia.judges(qrels, qrels)


def test_a_gap_found_on_half_of_the_topics_is_tried_on_the_other() -> None:
    rng = np.random.default_rng(3)
    one = rng.random((5, 9, 2))
    two = one + rng.normal(0, 0.4, one.shape)
    held, tried = np.zeros(2), np.zeros(2)
    for chosen in kept_topics(9, 4, SPLITS, 7):
        for m in range(2):
            (a, b), (c, d) = ([cube[:, topics, m].mean(axis=1) for cube in (one, two)] for topics in (chosen, ~chosen))
            pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
            gap = max([abs(b[i] - b[j]) for i, j in pairs if (a[i] - a[j]) * (b[i] - b[j]) <= 0], default=0.0)
            for i, j in pairs:
                if abs(d[i] - d[j]) > gap:
                    tried[m] += 1
                    held[m] += (c[i] - c[j]) * (d[i] - d[j]) > 0
    assert _replicated_share(one, two, 7).tolist() == (held / tried).tolist()


def test_judges_that_the_topics_do_not_tell_apart_are_named_beside_the_best(llmjudge: Any) -> None:
    near = llmjudge.near_best()
    assert near[0] == "h2oloo-fewself" and "willia-umbrela2" in near and "TREMA-rubric0" not in near
    behind = llmjudge.judges.index("TREMA-rubric0")
    gap = llmjudge.of(near[0])[0] - llmjudge.of("TREMA-rubric0")[0]
    assert 0 < llmjudge.behind_low[behind] < gap < llmjudge.behind_high[behind]
    assert "willia-umbrela2" in str(llmjudge) and "not differ significantly from it" in str(llmjudge)


def test_judges_are_called_by_their_file_without_endings(tmp_path: Path) -> None:
    """Those that would be called the same are told apart as runs are, and a note says so."""
    text = "".join(f"{topic} 0 {doc} {grade}\n" for topic, docs in HUMAN.items() for doc, grade in docs.items())
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "cc.tsv").write_text(text)
    for name in ("human.qrels.txt", "gpt.qrel", "cc.txt", "human.json"):
        (tmp_path / name).write_text(text)
    (tmp_path / "llama.qrels.xz").write_bytes(lzma.compress(text.encode()))
    (tmp_path / "human.json").write_text(json.dumps(HUMAN))
    others = [tmp_path / "gpt.qrel", tmp_path / "llama.qrels.xz"]
    assert label_sets(tmp_path / "human.qrels.txt", others).judges == ("human", "gpt", "llama")
    others = [tmp_path / "cc.txt", tmp_path / "more" / "cc.tsv", tmp_path / "human.json"]
    labels = label_sets(tmp_path / "human.qrels.txt", others)
    assert labels.judges == ("human.qrels.txt", "cc.txt", "cc.tsv", "human.json")
    assert "several sets of labels are called human, cc; by their files" in labels.notes[0]
    with pytest.raises(InputError, match="Two sets of labels are called"):
        label_sets(HUMAN, [tmp_path / "gpt.qrel"] * 2)


def test_groups_that_match_no_judge_are_said() -> None:
    qrels = {t: {"a": 1, "b": 0, "c": 1} for t in "12345"}
    runs = {"x": {t: {"a": 2.0, "b": 1.0} for t in "12345"}, "y": {t: {"b": 2.0, "c": 1.0} for t in "12345"}}
    groups = {"x": "gpt", "y": "claude"}
    found = ia.judges(qrels, {"GPT-4": qrels}, runs=runs, groups=groups, bootstraps=20)
    assert any(str(note).startswith("No judge's name contains claude, given in the groups") for note in found.notes)


def test_a_judge_that_lifts_the_runs_of_its_own_model_favours_them() -> None:
    """The last of three runs comes first by its own model's labels: 2 ranks up, while the others go 1 down."""
    docs = {"first": "a", "second": "b", "own": "c"}
    topics = [str(t) for t in range(6)]
    runs = {name: {t: {doc: 1.0} for t in topics} for name, doc in docs.items()}
    people = {t: {"a": 3, "b": 2, "c": 1} for t in topics}
    model = {t: {"a": 2, "b": 1, "c": 3} for t in topics}
    given = {"runs": runs, "metrics": ("nDCG@10",), "test": "t", "bootstraps": 20}
    found = ia.judges(people, {"gpt-4": model}, groups={"own": "gpt"}, **given).conclusions
    assert found is not None
    assert found.favour.tolist() == [[3]] and found.favour_error.tolist() == [[0]]
    assert [end.tolist() for end in found.interval("favour")] == [[[3]], [[3]]]
    against = ia.judges(people, {"gpt-4": model}, groups={"first": "gpt", "second": "gpt"}, **given).conclusions
    assert against is not None and against.favour.tolist() == [[-3]]


def three_runs(people: Mapping[str, int], model: Mapping[str, int], **given: Any) -> Conclusions:
    """Three runs that return one document each, a, b and c, on six topics, by labels that are the same on all."""
    topics = [str(t) for t in range(6)]
    runs = {name: {t: {name.lower(): 1.0} for t in topics} for name in "ABC"}
    labels = ({t: dict(grades) for t in topics} for grades in (people, model))
    human, judge = labels
    given = {"metrics": ("DCG@10",), "test": "t", "bootstraps": 20} | given
    found = ia.judges(human, {"model": judge}, runs=runs, **given).conclusions
    assert found is not None
    return found


def test_the_judges_choice_its_loss_and_the_rank_of_the_best_system_are_those_of_the_reference_and_the_judge() -> None:
    found = three_runs({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 1, "c": 3})
    assert (found.systems[found.best[0, 0]], found.systems[found.choice[0, 0]]) == ("A", "C")
    assert found.best_rank.tolist() == [[2]]  # of A, by the model
    assert found.loss.tolist() == [[2]]  # of C against A, by people
    assert found.gap.tolist() == [[2]] and found.beyond.tolist() == [[0]]  # B and C are 2 apart, and the wrong way


def test_systems_that_the_reference_ties_are_not_safely_ordered_by_the_judge() -> None:
    found = three_runs({"a": 3, "b": 1, "c": 1}, {"a": 3, "b": 2, "c": 1})
    assert found.gap.tolist() == [[1]] and found.beyond.tolist() == [[1]]  # A and C alone are further apart


def test_pairs_that_vanish_appear_or_turn_round_are_counted_as_such() -> None:
    """Differences are the same on all topics, so that any difference is significant."""
    tied = three_runs({"a": 3, "b": 1, "c": 1}, {"a": 3, "b": 2, "c": 1})
    assert (tied.kept.item(), tied.appeared.item(), tied.vanished.item(), tied.reversed.item()) == (2, 1, 0, 0)
    lost = three_runs({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 1})
    assert (lost.kept.item(), lost.appeared.item(), lost.vanished.item(), lost.reversed.item()) == (2, 0, 1, 0)
    turned = three_runs({"a": 3, "b": 2, "c": 1}, {"a": 1, "b": 2, "c": 3})
    assert (turned.kept.item(), turned.reversed.item(), turned.tau.item()) == (0, 3, -1)


def test_systems_are_scored_on_the_scale_of_the_reference_by_every_judge() -> None:
    """A judge that gives no grade above 1 does not call that the best there is: RBP gains 1/3 of what a 3 does."""
    found = three_runs({"a": 3, "b": 2, "c": 0}, {"a": 0, "b": 1, "c": 0}, metrics=("RBP",))
    assert found.gap.item() == pytest.approx(0.2 / 3)  # RBP(p=0.8) weighs the first result .2


def test_grades_between_those_that_the_reference_gives_are_on_its_scale() -> None:
    human = {str(t): {"a": 3, "b": 0} for t in range(4)}
    judge = {str(t): {"a": 2, "b": 1} for t in range(4)}
    found = ia.judges(human, {"model": judge}, bootstraps=10)
    assert not any("outside the scale" in note for note in found.notes)
    above = {str(t): {"a": 3, "b": 4 if t == 0 else 0} for t in range(4)}
    found = ia.judges(human, {"model": above}, bootstraps=10)
    assert any("1 label outside the scale 0 to 3 (4)" in note for note in found.notes)


def test_only_pairs_without_a_significant_difference_are_open() -> None:
    """B and C tie by people, which the judge does not know; the other pairs are settled."""
    tied = three_runs({"a": 3, "b": 1, "c": 1}, {"a": 1, "b": 3, "c": 2})
    assert tied.beyond.item() == 0 and tied.open.item() == 1 and tied.needed.item() == np.inf


def test_labels_by_subtopic_are_refused() -> None:
    rows = [("1", "1", "a", 1), ("1", "2", "a", 0), ("1", "1", "b", 1), ("1", "2", "b", 1)]
    frame = pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row")
    with pytest.raises(InputError, match="has judgements by subtopic"):
        ia.judges(HUMAN, {"model": frame})
