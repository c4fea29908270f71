"""What is said of a comparison: of one pair nothing about families, of several what was simulated."""

import re

import numpy as np
import pytest

import irassay as ia
from irassay.arrays import Floats
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest, equivalent_test, find_test
from irassay.stats.tests import TESTS
from irassay.views.comparison_notes import SIMULATED
from irassay.views.view import View, brief_view, column, view_of

FAMILIES = re.compile(r"famil|together|all pairs|of 1 |corrected p is the same|for the median pair|Holm|holm")


def scores(systems: int, topics: int = 30, metrics: int = 1, power: float = 1.0) -> Scores:
    rng = np.random.default_rng(systems)
    values = rng.random((systems, topics, metrics)) ** power + 0.05 * np.arange(systems)[:, None, None]
    return Scores(values, tuple("ABCDEFG"[:systems]), tuple(map(str, range(topics))), ("AP", "RR", "P@10")[:metrics])


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown", "tukey", "anova-tukey", "t", "wilcoxon", "permutation"])
def test_of_one_pair_nothing_is_said_of_families(test: str) -> None:
    shown = ia.compare(scores(2), test=PairedTest(test), margin=0.01).view()
    lines = [*shown.sentences, *shown.notes]
    assert not [line for line in lines if FAMILIES.search(line)]
    assert shown.sentences[0].startswith("AP: B has the better mean, ")


@pytest.mark.parametrize("test", ["max-t", "max-t-stepdown", "tukey", "anova-tukey"])
@pytest.mark.parametrize("topics", [6, 40])
def test_a_family_test_of_one_pair_is_the_test_that_it_names(test: str, topics: int) -> None:
    values = scores(2, topics).values
    alone = equivalent_test(find_test(test), 1).name
    p, of_one = (float(PairedTest(name).run(values)[1][0, 0]) for name in (test, alone))
    drawn = test == "tukey" and topics > 20  # its draws are others: shuffles, not signs
    assert p == pytest.approx(of_one, abs=0.02 if drawn else 1e-12)


def test_every_family_test_but_that_of_few_differences_says_what_it_is_of_one_pair() -> None:
    find_test("t")
    assert {name for name, test in TESTS.items() if test.family and not test.one_pair_test} == {"bootstrap-max-t"}


def test_a_paper_on_one_pair_cites_the_test_of_one_pair() -> None:
    paragraph = ia.compare(scores(2)).view(methods=True).methods
    assert "two-sided paired permutation test, p < 0.05 (Fisher, 1935)" in paragraph
    assert "step-down permutation max-T test" in ia.compare(scores(3)).view(methods=True).methods


def test_several_pairs_and_metrics_name_what_each_note_is_of() -> None:
    notes = "\n".join(ia.compare(scores(3, metrics=2)).view().notes)
    for words in (
        "p already accounts for all 3 pairs",
        "over topics by AP:",
        "over topics by RR:",
        "6 tests were made",
    ):
        assert words in notes


def test_a_caption_says_whether_metrics_are_one_family() -> None:
    latex = ia.compare(scores(3, metrics=2), across_metrics=True).to_latex()
    assert "of all 6 comparisons together" in latex and "all metrics are one family" in latex


def test_the_paragraph_on_methods_says_what_intervals_and_corrections_are_of() -> None:
    def methods_text(systems: int, **how: object) -> str:
        return str(ia.compare(scores(systems, metrics=2), margin=0.1, **how).view(methods=True).methods)

    assert "for the pair under all metrics together" in methods_text(2, across_metrics=True)
    assert "simultaneous over all pairs and metrics" in methods_text(3, across_metrics=True)
    assert "Holm's correction across metrics" in methods_text(2, across_metrics=True)
    assert "Holm's correction within the metric" in methods_text(3) and "Holm" not in methods_text(2)
    assert methods_text(2, baseline="A").startswith("We compared B with A by")
    assert methods_text(3, baseline="A").startswith("We compared the other 2 systems with A by")


def test_equal_scores_are_said_of_the_metric_that_has_them() -> None:
    values = scores(3, metrics=2).values.copy()
    values[:, :, 1] = 0.5
    same = Scores(values, ("A", "B", "C"), tuple(map(str, range(30))), ("AP", "RR"))
    for found in (ia.compare(same), ia.table(same)):
        notes = [note for note in found.view().notes if "so no test can separate them" in note]
        assert len(notes) == 1 and "by RR" in notes[0]


def skew_notes(values: Floats, **how: object) -> tuple[str, str]:
    """The note on skewness, and the warning if there is one."""
    systems, topics = values.shape
    names = tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics)))
    found = ia.compare(Scores(values[:, :, None], *names, ("AP",)), **how)
    (skewness,) = (str(note) for note in found.view().notes if note.startswith("skewness"))
    return skewness, "".join(str(note) for note in found.view().notes if "skew" in note and "too often" in note)


def on_scales(topics: int, scale: float = 8, systems: int = 15) -> Floats:
    """[system, topic] exponential scores on scales from 1 to `scale`."""
    rng = np.random.default_rng(topics)
    values: Floats = np.linspace(1, scale, systems)[:, None] * rng.exponential(size=(systems, topics))
    return values


@pytest.mark.parametrize(("topics", "simulated"), [(10, 10), (17, 10), (24, 25), (37, 25), (38, 50), (200, 50)])
@pytest.mark.parametrize("test", ["max-t-stepdown", "t", "sign"])
def test_skewed_scores_of_unequal_scale_are_warned_of(topics: int, simulated: int, test: str) -> None:
    how = {"trials": 200} if test == "max-t-stepdown" else {"correction": "holm"}
    values = on_scales(topics)
    warning = skew_notes(values, test=test, **how)[1]
    assert warning and len(warning.split()) <= 30
    names = tuple(f"s{i}" for i in range(len(values))), tuple(map(str, range(topics)))
    notes = ia.compare(Scores(values[:, :, None], *names, ("AP",)), test=test, **how).view().notes
    (figures,) = (note for note in notes if note.startswith("how often tests err"))
    assert f"scales 1 to 8 and {simulated} topics" in figures and f"in {SIMULATED[simulated][0]}%" in figures
    assert ("no test here is reliable and sensitive" in warning) == (topics < 25) != ("bootstrap-max-t" in warning)
    assert ("if the scores also differ in scale" in warning) == (topics < 25)  # only skewness was looked at


def test_where_no_test_can_reject_nothing_is_warned_of() -> None:
    assert not skew_notes(on_scales(4))[1] and skew_notes(on_scales(4), test="t", correction="holm")[1]


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_comparisons_and_those_with_a_baseline_are_warned_of(alternative: str) -> None:
    assert skew_notes(on_scales(30), trials=100, alternative=alternative, baseline="s3")[1]


def test_a_table_and_human_and_model_judgements_combined_are_warned_of() -> None:
    values = on_scales(120)[:, :, None]
    everything = Scores(values, tuple(f"s{i}" for i in range(15)), tuple(map(str, range(120))), ("AP",))
    human = everything.select(topics=everything.topics[:40])
    for found in (ia.table(human, trials=50), ia.compare(human, also_scores=everything, trials=50)):
        assert any("too often" in note and "bootstrap-max-t" in note for note in found.view().notes)


def test_harmless_scores_and_the_bootstrap_are_not_warned_of() -> None:
    rng = np.random.default_rng(1)
    for values in (
        rng.normal(size=(15, 40)),
        on_scales(40, scale=1),
        np.linspace(1, 8, 15)[:, None] * rng.normal(size=(15, 40)),
    ):
        skewness, warning = skew_notes(values, trials=100)
        assert "in the median pair" in skewness and not warning
    assert not skew_notes(on_scales(40), test="bootstrap-max-t", trials=100)[1]


def on_detectable(values: Floats, **how: object) -> list[str]:
    names = tuple("ABCDEFG"[: len(values)])
    cube = Scores(values[:, :, None], names, tuple(map(str, range(values.shape[1]))), ("AP",))
    return [str(note) for note in ia.compare(cube, **how).view().notes if "detected with probability 0.8" in note]


def test_pairs_that_always_differ_alike_are_not_among_the_differences_that_would_be_found() -> None:
    """B is A plus a constant: any difference of the two would be found, which says nothing of the other pairs."""
    a, c = np.random.default_rng(2).random((2, 20))
    (sentence,) = on_detectable(np.stack([a, a + 0.125, c]), test="t")
    least, largest = map(float, re.findall(r"from ([\d.]+) to ([\d.]+) by pair", sentence)[0])
    assert 0 < least <= largest


@pytest.mark.parametrize(("topics", "possible"), [(5, False), (6, True)])
def test_where_no_p_can_be_small_enough_no_difference_is_said_to_be_found(topics: int, possible: bool) -> None:
    """Five topics have 32 ways to flip signs, so that p is 1/16 at least."""
    assert bool(on_detectable(scores(2, topics).values[:, :, 0], test="max-t")) == possible


def test_one_pair_is_undecided_only_where_it_is_neither_different_nor_equivalent() -> None:
    noise = np.random.default_rng(3).normal(0, 0.1, (2, 30, 1))
    for gap, margin, verdict in ((0.5, 0.01, ""), (0.0, 1.0, ""), (0.0, 0.001, "undecided")):
        values = noise + np.array([0.0, gap])[:, None, None]
        cube = Scores(values, ("A", "B"), tuple(map(str, range(30))), ("AP",))
        (sentence,) = (
            text for text in ia.compare(cube, margin=margin, test="t").view().sentences if "equivalent" in text
        )
        assert ("undecided" in sentence) == bool(verdict), sentence
        assert ("not significantly equivalent" in sentence) == (margin < 1)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"across_metrics": True}, "corrected for all of them together"),
        ({"test": "t"}, "not corrected for their number"),
        ({"test": "t", "correction": "holm"}, "not across the 2 metrics"),
    ],
)
def test_of_several_metrics_it_is_said_what_p_values_are_corrected_for(how: dict[str, object], words: str) -> None:
    notes = [str(note) for note in ia.compare(scores(3, metrics=2), **how).view().notes if "6 tests were made" in note]
    assert len(notes) == 1 and words in notes[0]


@pytest.mark.parametrize(
    ("level", "words"), [(2, "1 other is not significantly below it"), (0, "every other system is")]
)
def test_the_best_system_is_named_with_how_many_others_it_does_not_beat(level: int, words: str) -> None:
    """The best system itself is not among the others."""
    values = np.random.default_rng(4).normal(0, 0.01, (3, 30, 1)) + np.array([0.0, 1.0, 2.0])[:, None, None]
    values[1] += level / 2 * (values[2] - values[1] + np.random.default_rng(5).normal(0, 0.5, (30, 1)))
    cube = Scores(values, ("A", "B", "C"), tuple(map(str, range(30))), ("AP",))
    assert words in ia.compare(cube, test="t").view().sentences[0]


def test_systems_that_tie_for_the_highest_mean_are_all_named() -> None:
    values = np.random.default_rng(4).normal(0, 0.01, (3, 30, 1)) + np.array([0.0, 1.0, 1.0])[:, None, None]
    values[1] = values[2]
    cube = Scores(values, ("A", "B", "C"), tuple(map(str, range(30))), ("AP",))
    first = ia.compare(cube, test="t").view().sentences[0]
    assert "B and C share the highest mean" in first and "every other system is significantly worse" in first
    same = Scores(values[[1, 1, 1]], cube.systems, cube.topics, cube.metrics)
    assert "All 3 systems have the same mean" in ia.compare(same, test="t").view().sentences[0]


def pairs_of(**how: object) -> list[dict[str, object]]:
    (table,) = (table for table in ia.compare(**how).view().tables if table.name == "pairs")
    return [dict(zip(table.columns, row, strict=True)) for row in table.machine.rows]


def test_pairs_stand_by_their_p_and_where_that_is_the_same_by_their_difference() -> None:
    values = np.random.default_rng(6).normal(0, 0.01, (4, 20, 1)) + np.array([0.0, 1.0, 3.0, 3.001])[:, None, None]
    cube = Scores(values, tuple("ABCD"), tuple(map(str, range(20))), ("AP",))
    rows = pairs_of(scores=cube, test="max-t", trials=99)
    keys = [(row["corrected p"], -abs(row["difference"])) for row in rows]  # type: ignore[arg-type]
    assert keys == sorted(keys) and len({p for p, _ in keys[:5]}) == 1


def test_people_see_the_pairs_closest_to_the_decision_first_and_machines_the_smallest_p() -> None:
    view = ia.compare(scores(6, metrics=2), alpha=0.03).view()
    (table,) = (table for table in view.tables if table.name == "pairs")
    p, for_machines = column(table, "corrected p"), column(table.machine, "corrected p")
    distance = [abs(np.log(each / 0.03)) for each in p]
    assert distance == sorted(distance) and {*column(table, "metric")[:4]} == {"AP", "RR"}
    assert for_machines[:15] == sorted(for_machines[:15]) and sorted(p) == sorted(for_machines)


def test_the_two_means_of_one_pair_and_a_tiny_p_are_told() -> None:
    values = np.random.default_rng(7).normal(0, 0.01, (2, 30, 1)) + np.array([0.25, 0.75])[:, None, None]
    for up, best in ((True, 1), (False, 0)):
        cube = Scores(values, ("A", "B"), tuple(map(str, range(30))), ("AP",), (up,))
        text = " ".join(ia.compare(cube, test="t").view().sentences)
        means = [f"{value:.4f}" for value in values.mean(axis=1)[:, 0]]
        assert f"{'AB'[best]} has the better mean, {means[best]} against {means[1 - best]}" in text
        assert "On 30 topics, p < 0.0001 (" in text


def test_systems_better_and_worse_than_the_baseline_are_named() -> None:
    values = np.random.default_rng(8).normal(0, 0.01, (4, 30, 1)) + np.array([0.0, 1.0, 2.0, 3.0])[:, None, None]
    cube = Scores(values, tuple("ABCD"), tuple(map(str, range(30))), ("AP",))
    sentence = ia.compare(cube, baseline="B", test="t").view().sentences[0]
    assert sentence == "AP: D and C are significantly better than the baseline. A is significantly worse."


def test_there_is_a_matrix_only_if_the_intervals_do_not_show_every_pair() -> None:
    values = np.random.default_rng(1).random((4, 20, 1))
    scores = ia.Scores(values, tuple("ABCD"), tuple(map(str, range(20))), ("AP",))
    drawn = [
        [name for name, _ in ia.compare(one, test="t", baseline=baseline).view().charts]
        for one, baseline in ((scores, None), (scores, "A"), (scores.select(systems=("A", "B")), None))
    ]
    assert drawn == [["intervals", "matrix"], ["intervals"], ["intervals"]]


def test_the_baseline_is_in_the_title_of_differences_and_not_in_every_row() -> None:
    cube = Scores(np.random.default_rng(8).normal(size=(4, 30, 1)), tuple("ABCD"), tuple(map(str, range(30))), ("AP",))
    view = ia.compare(cube, baseline="B", test="t").view()
    (full,) = (table for table in view.tables if table.name == "pairs")
    (brief,) = (table for table in brief_view(view).tables if table.name == "pairs")
    assert brief.title.startswith("Differences from B, closest to the decision first")
    assert "other" in full.columns and "other" not in brief.columns


def test_the_best_mean_of_every_metric_is_marked() -> None:
    """B is the best by both metrics, and the first row of each."""
    values = np.random.default_rng(9).random((2, 10, 2)) + np.array([0.0, 1.0])[:, None, None]
    cube = Scores(values, ("A", "B"), tuple(map(str, range(10))), ("AP", "RR"))
    (table,) = (table for table in ia.compare(cube, test="t").view().tables if table.name == "systems")
    mean, system = table.columns.index("mean"), table.columns.index("system")
    assert sorted(table.marks) == [(0, mean), (2, mean)]
    assert [row[system] for row in table.rows] == ["B", "A", "B", "A"]


def compared(values: Floats, **how: object) -> View:
    systems, topics = values.shape
    names = tuple(f"s{i}" for i in range(systems)), tuple(map(str, range(topics)))
    return ia.compare(Scores(values[:, :, None], *names, ("AP",)), **how).view()


@pytest.mark.parametrize(("topics", "exists"), [(2, False), (4, False), (5, False), (6, True), (8, True)])
def test_few_topics_have_no_interval_by_signs(topics: int, exists: bool) -> None:
    shown = compared(np.random.default_rng(0).normal(size=(3, topics)))
    ends = [value for end in ("low", "high") for value in column(shown.tables[-1], end)]
    assert all(np.isfinite(end) == exists for end in ends)
    assert any(note.startswith("no interval") and "choices of signs" in note for note in shown.notes) != exists


def test_a_pair_without_spread_has_no_interval() -> None:
    values = np.random.default_rng(1).normal(size=(2, 20))
    shown = compared(np.vstack([values, values[0] + 0.5]), test="t")
    pairs = shown.tables[-1]
    names = zip(column(pairs, "system"), column(pairs, "other"), strict=True)
    assert [bool(np.isnan(low)) for low in column(pairs, "low")] == [pair == ("s0", "s2") for pair in names]
    assert any("no interval for 1 pair: the difference is the same on every topic" in note for note in shown.notes)


def test_one_sided_comparisons_of_all_pairs_have_no_letters_and_ranks() -> None:
    values = np.random.default_rng(2).normal(size=(4, 12))
    one_sided, two_sided = compared(values, alternative="greater", trials=50), compared(values, trials=50)
    assert (
        not {"group", "rank from", "to"} & set(one_sided.tables[0].columns) and "group" in two_sided.tables[0].columns
    )
    assert any("verdicts depend on that order" in note for note in one_sided.notes)


@pytest.mark.parametrize(
    ("correction", "words"), [("none", "by uncorrected tests"), ("bh", "bh controls the share"), ("holm", "")]
)
def test_ranks_by_tests_of_single_pairs_carry_a_note(correction: str, words: str) -> None:
    notes = compared(np.random.default_rng(3).normal(size=(4, 12)), test="t", correction=correction).notes
    about_ranks = [note for note in notes if note.startswith("rank from, to")]
    assert any(words in note for note in about_ranks) == bool(words)
    assert all(note.caveat for note in about_ranks)  # so that a terminal always shows it


def test_verdicts_that_another_seed_may_change_are_counted() -> None:
    values = np.random.default_rng(4).normal(size=(12, 30)) + np.linspace(0, 1.2, 12)[:, None]
    shown = compared(values, trials=200)
    p = np.array(column(shown.tables[-1], "corrected p"), dtype=float)
    near = int((np.abs(p - 0.05) < 2 * np.sqrt(0.05 * 0.95 / 200)).sum())
    assert near and any(note.startswith(f"{near} pair") and "another seed" in note for note in shown.notes)


def test_a_terminal_shows_the_best_systems_by_each_metric_if_there_are_many() -> None:
    values = np.random.default_rng(1).random((30, 6, 2)) + np.arange(30)[:, None, None]
    scores = Scores(values, tuple(f"s{n}" for n in range(30)), tuple("abcdef"), ("AP", "RR"))
    full = view_of(ia.compare(scores, trials=200))
    systems = next(table for table in brief_view(full).tables if table.name == "systems")
    shown = list(zip(column(systems, "metric"), column(systems, "system"), strict=True))[: systems.max_rows]
    assert shown == [(metric, f"s{n}") for metric in ("AP", "RR") for n in (29, 28, 27, 26, 25)]
    assert not systems.raised  # they would name rows that are not shown
    assert "significance" in [table.name for table in full.tables if table.detail]
    assert not any(table.name == "systems" and table.max_rows for table in full.tables)


def test_of_many_metrics_the_answer_says_which_systems_lead_by_how_many() -> None:
    metrics = tuple(f"m{i}" for i in range(8))
    values = np.arange(4.0)[:, None, None] + np.random.default_rng(1).normal(size=(4, 20, 8))
    values[:, :, :2] = -values[:, :, :2]
    found = ia.compare(Scores(values, tuple("abcd"), tuple(map(str, range(20))), metrics), test="t")
    first, *rest = brief_view(found.view()).sentences
    assert first == "d has the best mean by 6 of 8 metrics, a by 2."
    assert not any(sentence.startswith("m0: ") for sentence in rest)
    assert sum("has the highest mean" in sentence for sentence in found.view().sentences[1:]) == 8


def test_one_significant_comparison_is_said_in_the_singular() -> None:
    values = np.random.default_rng(1).random((3, 20)) + np.array([0, 0, 5.0])[:, None]
    sentences = [compared(values, baseline=system).sentences[1] for system in ("s0", "s2")]
    assert "1 of 2 comparisons with the baseline s0 is significant" in sentences[0]
    assert "2 of 2 comparisons with the baseline s2 are significant" in sentences[1]
