"""Judges: kappa and alpha as scikit-learn and krippendorff have them, published figures, panels, conclusions, refusals."""

import json
import lzma
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.stats

import irassay as ia
from irassay.errors import InputError
from irassay.meta.judges.agreement import judge_selection, leniency_fields, reference_tables
from irassay.meta.judges.conclusions import SPLITS, Conclusions, _replicated_share, largest_reversed_gap, safe_gap
from irassay.meta.judges.labels import Labels, label_sets
from irassay.meta.judges.panels import panels
from irassay.results import load, result_json
from irassay.stats.jackknife import HALF_SUBSETS, halved_means, kept_topics
from tests.support.compared import agrees

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
            assert agrees("judges", llmjudge.of(judge, name)[0], value, 1e-12), (judge, name)
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
    found = ia.judges(human, {f"j{n}": other for n, other in enumerate(others)}, halves=50)
    for n, statistics in enumerate(made["sets"]):
        for name, value in statistics.items():
            assert found.of(f"j{n}", name)[0] == pytest.approx(value, abs=1e-12), (n, name)
        assert found.missing[n] == sum(grade is None for grade in made["labels"][n + 1])
    assert found.together == pytest.approx(list(made["all"].values()), abs=1e-12)


def kappa_of(labels: Labels, judge: int, documents: Any) -> float:
    """Cohen's kappa of a judge with the reference, counted document by document."""
    table = np.zeros((len(labels.grades),) * 2)
    for document in np.flatnonzero(documents):
        table[labels.given[0, document], labels.given[judge, document]] += 1
    chance = (table.sum(axis=0) * table.sum(axis=1)).sum() / table.sum() ** 2
    return float((table.trace() / table.sum() - chance) / (1 - chance))


def test_intervals_are_by_the_jackknife_with_student_s_t_on_fisher_s_scale(llmjudge: Any, shared: Path) -> None:
    folder = shared / "data" / "llmjudge"
    labels = label_sets(folder / "human.txt.gz", folder / "Olz-gpt4o.gz")
    topics = len(labels.topics)
    without = [kappa_of(labels, 1, labels.topic != t) for t in range(topics)]
    error = np.sqrt((topics - 1) / topics * sum((each - np.mean(without)) ** 2 for each in without))
    value, low, high = llmjudge.of("Olz-gpt4o")
    grade = labels.given[:2]
    # a topic weighs by the disagreement with other documents, one of which it has: by chance, over all pairs of documents
    size = np.bincount(labels.topic, [(grade[1] != a).sum() + (grade[0] != b).sum() for a, b in grade.T])
    by_size = size.sum() ** 2 / (size**2).sum() - 1
    kurtosis = scipy.stats.kurtosis(without, fisher=False) * (topics + 1) / (topics - 1)  # 3 if values are normal
    by_kurtosis = 2 * topics / (kurtosis - (topics - 3) / (topics - 1))
    reach = scipy.stats.t.ppf(0.975, min(by_size, by_kurtosis)) * error / (1 - value**2)
    assert (low, high) == pytest.approx(np.tanh(np.arctanh(value) + np.array([-reach, reach])), abs=1e-12)
    assert any("few topics" in note for note in llmjudge.notes)


def test_topics_that_a_judge_did_not_judge_do_not_narrow_its_interval() -> None:
    """The interval is the same as if the reference had judged only the topics of the judge."""
    rng = np.random.default_rng(0)
    human = {str(t): {f"d{d}": float(rng.integers(0, 2)) for d in range(10)} for t in range(8)}
    judge = {t: {d: abs(g - float(rng.random() < 0.2)) for d, g in human[t].items()} for t in list(human)[:5]}
    some = {t: human[t] for t in judge}
    assert ia.judges(human, {"m": judge}).of("m") == pytest.approx(ia.judges(some, {"m": judge}).of("m"))


def test_an_interval_that_does_not_exist_is_null_and_said() -> None:
    same = {str(t): {"a": t % 2, "b": 1 - t % 2} for t in range(5)}
    found = ia.judges(same, {"copy": same})
    assert found.of("copy")[0] == 1 and np.isnan(found.of("copy")[1:]).all()
    assert any("no interval for kappa of copy" in note for note in found.notes)
    [row] = json.loads(found.to_json())["results"]["judges"]
    assert row["low"] is None and row["high"] is None
    alone = ia.judges({"1": {"a": 1, "b": 0}}, {"m": {"1": {"a": 1, "b": 1}}, "n": {"1": {"a": 0, "b": 0}}})
    assert np.isnan(alone.low).all() and np.isnan(alone.leniency_p).all() and np.isnan(alone.held_out).all()
    assert alone.near_best() == ["m", "n"] and np.isnan(alone.share_of_halves).all()


def test_leniency_by_topic_and_grade() -> None:
    human = {"1": {"a": 0, "b": 2}, "2": {"a": 1, "b": 0}}
    found = ia.judges(human, {"model": {"1": {"a": 1, "b": 2}, "2": {"a": 1, "b": 1}}}, halves=20)
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
    found = ia.judges(human, dict(zip("abc", others, strict=True)), halves=20)
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
    conclusions = found.conclusions
    assert conclusions is not None
    assert conclusions.tau[0].tolist() == [1, 1] and conclusions.tau_error[0].tolist() == [0, 0]
    assert not conclusions.vanished[0].any() and not conclusions.appeared[0].any() and not conclusions.gap[0].any()
    assert (conclusions.best_rank[0] == 1).all() and (conclusions.tau[1] < 1).all()
    counts = conclusions.kept + conclusions.reversed + conclusions.vanished + conclusions.appeared + conclusions.neither
    assert counts.tolist() == [[conclusions.pairs] * 2] * 2
    assert (
        conclusions.sharing.tolist() == [0, 1]
        and np.isfinite(conclusions.favour[1]).all()
        and np.isnan(conclusions.favour[0]).all()
    )
    text = str(found)
    assert "stays first" in text or "falls to rank" in text
    found.save(tmp_path / "judges.json")
    assert result_json(load(tmp_path / "judges.json")) == result_json(found)


def test_the_safe_gap_is_a_quantile_of_the_largest_gaps_reversed_on_halves() -> None:
    rng = np.random.default_rng(3)
    one = rng.random((5, 9, 2))
    two = one + rng.normal(0, 0.4, one.shape)
    largest: list[list[float]] = [[], []]
    for chosen in kept_topics(9, 4, HALF_SUBSETS, 7):
        for m in range(2):
            a, b = (cube[:, chosen, m].mean(axis=1) for cube in (one, two))
            pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
            gaps = [abs(b[i] - b[j]) for i, j in pairs if (a[i] - a[j]) * (b[i] - b[j]) <= 0]
            largest[m].append(max(gaps, default=0.0))
    assert safe_gap(*halved_means(7, one, two)) == pytest.approx(np.quantile(largest, 0.95, axis=1))


def test_few_pairs_beyond_the_safe_gap_are_reversed_on_fresh_topics() -> None:
    """Some pair in 1 to 3 % of studies; with the largest gap reversed on all topics, in about half."""
    rng = np.random.default_rng(5)
    wrong = naive = 0
    for _ in range(60):
        quality = rng.normal(0, 0.5, 10)
        cubes = []
        for _ in range(2):
            one = quality[:, None] + rng.normal(0, 1, (10, 20))
            cubes.append((one[:, :, None], (one + rng.normal(0, 1, one.shape))[:, :, None]))
        gap = safe_gap(*halved_means(0, *cubes[0]))[0]
        seen, fresh = (largest_reversed_gap(*(cube[:, :, 0].mean(axis=1) for cube in pair)) for pair in cubes)
        wrong, naive = wrong + (fresh > gap), naive + (fresh > seen)
    assert wrong <= 5 < 15 <= naive


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
    found = ia.judges(HUMAN, {"model": {"1": {"a": 0, "b": 1, "c": 2}}}, halves=10)
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


def test_judges_that_may_be_the_best_are_behind_no_other(llmjudge: Any) -> None:
    near = llmjudge.near_best()
    assert near[0] == "h2oloo-fewself" and "willia-umbrela2" in near and "TREMA-rubric0" not in near
    assert "h2oloo-fewself" in llmjudge.behind("TREMA-rubric0")
    rows = json.loads(llmjudge.to_json())["results"]["judges"]
    assert [row["judge"] for row in rows if row["may be best"] == "yes"] == near
    assert all(bool(row["behind"]) == (row["may be best"] == "no") for row in rows)
    assert all(0 <= row["share of halves"] <= 1 for row in rows)
    assert (
        rows[0]["held-out kappa"] == pytest.approx(llmjudge.panels.held_out[0]) and rows[0]["held-out kappa"] < 0.2774
    )


def test_a_better_judge_is_found_and_the_others_are_behind_it() -> None:
    rng = np.random.default_rng(0)
    human = {str(t): {f"d{d}": int(rng.integers(0, 3)) for d in range(20)} for t in range(20)}
    wrong = {"good": 0.1, "poor": 0.6, "worse": 0.7}
    others = {
        name: {
            t: {d: int(rng.integers(0, 3)) if rng.random() < e else g for d, g in docs.items()}
            for t, docs in human.items()
        }
        for name, e in wrong.items()
    }
    found = ia.judges(human, others)
    assert found.near_best() == ["good"] and found.behind("poor") == ["good"] and found.share_of_halves[0] == 1
    assert "To choose a judge: only good may be the best." in str(found)


def study(rng: np.random.Generator, judges: int, topics: int) -> Labels:
    """Equally good judges of topics of unequal size, whose errors are as often too high as too low."""
    number = rng.integers(20, 81, topics)
    topic = np.repeat(np.arange(topics), number)
    human = rng.integers(0, 3, len(topic))
    wrong = rng.random((judges, len(topic))) < rng.beta(3, 3, (judges, topics))[:, topic]
    return label_arrays(topic, np.vstack([human, np.where(wrong, rng.integers(0, 3, wrong.shape), human)]))


def label_arrays(topic: Any, given: Any) -> Labels:
    """The labels [judge, document] of the reference and others, for the documents of numbered topics."""
    names, topic_names = (tuple(map(str, range(size))) for size in (len(given), topic[-1] + 1))
    none, grades = np.zeros(len(given), dtype=np.int64), np.arange(given.max() + 1.0)
    return Labels(names, topic_names, topic, grades, given, tuple(grades.tolist()), none, none, (), {})


def test_equal_judges_are_rarely_separated_or_called_lenient_and_intervals_hold() -> None:
    """At most 5 % of studies, and 95 % of intervals: 120 studies of seven judges, so at most 11 errors in 99 % of cases."""
    rng = np.random.default_rng(7)
    tables = reference_tables(study(rng, 7, 1500))
    truth = tables.statistics().mean(axis=0)
    behind = lenient = inside = 0
    for n in range(120):
        labels = study(rng, 7, 10)
        tables = reference_tables(labels)
        behind += judge_selection(tables, "kappa", 0.05, n, labels.judges[1:]).behind.any()
        lenient += (leniency_fields(labels, 0.05)["leniency_p"] < 0.05).any()
        low, high = tables.estimates().correlation_interval(0.05)
        inside += ((low <= truth) & (truth <= high)).mean(axis=0) / 120
    assert behind <= 11 and lenient <= 11
    assert (np.array(inside) >= 0.91).all()


def rare_relevance(rng: np.random.Generator, judges: int, topics: int) -> Labels:
    """Equally good judges of topics of which some have many relevant documents and most have few."""
    topic = np.repeat(np.arange(topics), rng.integers(20, 61, topics))
    human = (rng.random(len(topic)) < rng.beta(0.2, 1.8, topics)[topic]).astype(np.int64)
    wrong = rng.random((judges, len(topic))) < np.where(human, 0.5, 0.06)
    return label_arrays(topic, np.vstack([human, np.where(wrong, 1 - human, human)]))


@pytest.mark.parametrize("by", ["kappa", "interval alpha"])
def test_equal_judges_are_rarely_separated_if_relevant_documents_are_rare_and_in_few_topics(by: str) -> None:
    """At most 5 % of studies, so at most 8 of 80 in 97 % of cases; if topics counted by their documents, 15 %."""
    rng = np.random.default_rng(1)
    behind = 0
    for n in range(80):
        labels = rare_relevance(rng, 10, 25)
        behind += judge_selection(reference_tables(labels), by, 0.05, n, labels.judges[1:], 999).behind.any()
    assert behind <= 8


@pytest.mark.parametrize("by", ["kappa", "quadratic kappa", "nominal alpha", "ordinal alpha", "interval alpha"])
def test_what_topics_add_to_an_agreement_has_the_agreement_as_its_mean(by: str) -> None:
    tables = reference_tables(study(np.random.default_rng(4), 3, 12))
    assert tables.contributions(by).mean(axis=0) == pytest.approx(
        tables.statistics()[:, tables.names.index(by)], abs=2e-3
    )


def test_the_interval_of_a_chosen_judge_allows_for_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a fixed choice, intervals of the chosen one of equal judges would hold in 80 to 86 % of studies."""
    equal = study(np.random.default_rng(5), 6, 25)
    clear = replace(equal, given=np.vstack([equal.given[:2], np.where(equal.given[2:] == 1, 0, equal.given[2:])]))
    widths = []
    for _ in range(2):
        made = [panels(labels, "kappa", 0.05, 0) for labels in (equal, clear)]
        widths.append([each.high[0] - each.low[0] for each in made])
        monkeypatch.setattr("irassay.meta.judges.panels._error_of_choice", lambda *given: 0.0)
    wider = np.array(widths[0]) / widths[1]
    assert 1.4 < wider[0] < 2.5 and 1 <= wider[1] < 1.2


def test_the_order_of_topics_does_not_matter_to_the_judges_that_may_be_best() -> None:
    made = ia.simulate(seed=2, topics=12, systems=2)
    human = noisy(made.qrels, 0.0, 0)
    others = {name: noisy(made.qrels, share, 1) for name, share in (("a", 0.4), ("b", 0.5), ("c", 0.6))}
    found, turned = (ia.judges(dict(order(human.items())), others, halves=20) for order in (list, reversed))
    assert found.topics == turned.topics[::-1]
    assert found.selection.p == pytest.approx(turned.selection.p, nan_ok=True)
    assert found.share_of_halves.tolist() == turned.share_of_halves.tolist()
    assert found.held_out == pytest.approx(turned.held_out)


def test_leniency_is_tested_by_sums_of_topics_and_corrected_by_holm() -> None:
    labels = study(np.random.default_rng(3), 4, 12)
    given = labels.grades[labels.given]
    p = []
    for j in range(1, 5):
        sums = [(given[j] - given[0])[labels.topic == t].sum() for t in range(12)]
        p.append(scipy.stats.ttest_1samp(sums, 0).pvalue)
    holm, largest = [0.0] * 4, 0.0
    for place, j in enumerate(np.argsort(p)):
        largest = max(largest, p[j] * (4 - place))
        holm[j] = min(1.0, largest)
    assert leniency_fields(labels, 0.05)["leniency_p"] == pytest.approx(holm)


def test_the_answer_is_short_and_asks_for_runs_if_there_are_none(llmjudge: Any) -> None:
    sentences = llmjudge.view().sentences
    assert len(sentences) <= 15 and "Add runs to find out." in sentences[0]
    assert all(table.detail for table in llmjudge.view().tables)
    made = ia.simulate(seed=2, topics=12, systems=8)
    others = {"same": noisy(made.qrels, 0.0, 0), "poor": noisy(made.qrels, 0.9, 1)}
    found = ia.judges(made.qrels, others, runs=list(made.runs), metrics=("nDCG@10", "AP", "RR"), test="t")
    answer = found.view().sentences
    assert len(answer) <= 15 and answer[0].startswith("To rank systems by nDCG@10 with the labels of same: yes.")
    rows = json.loads(found.to_json())["results"]["judges"]
    assert {row["judge"]: row["safe gap"] for row in rows} == pytest.approx(
        dict(zip(found.judges, found.conclusions.gap[:, 0], strict=True))
    )


def test_labels_of_a_part_of_the_documents_replace_only_that_part() -> None:
    human, whole, part = graded([[0, 1, 2] * 4, [0, 1, 2] * 4, [0, 1, 2, 0, None, 2, 0, None, 2, 0, 1, None]])
    assert "of the reference on single documents: yes. Every grade of whole equals that of the reference." in str(
        ia.judges(human, {"whole": whole})
    )
    answer = "single documents: for 9 of 12 yes, with equal grades. part did not judge the others."
    assert answer in str(ia.judges(human, {"part": part}))


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
    found = ia.judges(qrels, {"GPT-4": qrels}, runs=runs, groups=groups, halves=20)
    assert any(str(note).startswith("No judge's name contains claude, given in the groups") for note in found.notes)


def test_a_judge_that_lifts_the_runs_of_its_own_model_favours_them() -> None:
    """The last of three runs comes first by its own model's labels: 2 ranks up, while the others go 1 down."""
    docs = {"first": "a", "second": "b", "own": "c"}
    topics = [str(t) for t in range(6)]
    runs = {name: {t: {doc: 1.0} for t in topics} for name, doc in docs.items()}
    people = {t: {"a": 3, "b": 2, "c": 1} for t in topics}
    model = {t: {"a": 2, "b": 1, "c": 3} for t in topics}
    given = {"runs": runs, "metrics": ("nDCG@10",), "test": "t", "halves": 20}
    found = ia.judges(people, {"gpt-4": model}, groups={"own": "gpt"}, **given).conclusions
    assert found is not None
    assert found.favour.tolist() == [[3]] and found.favour_error.tolist() == [[0]]
    assert all(np.isnan(end).all() for end in found.interval("favour"))  # the same on every half of the topics
    against = ia.judges(people, {"gpt-4": model}, groups={"first": "gpt", "second": "gpt"}, **given).conclusions
    assert against is not None and against.favour.tolist() == [[-3]]


def three_runs(people: Mapping[str, int], model: Mapping[str, int], **given: Any) -> Conclusions:
    """Three runs that return one document each, a, b and c, on six topics, by labels that are the same on all."""
    topics = [str(t) for t in range(6)]
    runs = {name: {t: {name.lower(): 1.0} for t in topics} for name in "ABC"}
    labels = ({t: dict(grades) for t in topics} for grades in (people, model))
    human, judge = labels
    given = {"metrics": ("DCG@10",), "test": "t", "halves": 20} | given
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
    found = ia.judges(human, {"model": judge}, halves=10)
    assert not any("outside the scale" in note for note in found.notes)
    above = {str(t): {"a": 3, "b": 4 if t == 0 else 0} for t in range(4)}
    found = ia.judges(human, {"model": above}, halves=10)
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
