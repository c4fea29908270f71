"""The table of a paper: what is bold, what is marked, and what the caption says of it."""

import csv
import io
import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import irassay as ia
from irassay.errors import InputError
from irassay.results import load
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest
from irassay.views.formats import view_text
from irassay.views.markup import as_html
from irassay.views.render import as_text

SYSTEMS = ("bm25", "a_b & 50 %", "best", "tied")


def cube(systems: int = 4, topics: int = 30) -> Scores:
    """The first systems of which the third and fourth are alike and best, by two metrics, the second a cost."""
    rng = np.random.default_rng(5)
    base = rng.uniform(0.2, 0.6, size=(1, topics))
    values = base + np.array([0, 0.01, 0.15, 0.15])[:, None] + rng.normal(0, [[0.03]] * 4, size=(4, topics))
    values[3] = values[2]
    both = np.stack([values, 10 - 4 * values], axis=2)[:systems]
    names = tuple(f"t{n}" for n in range(topics))
    return Scores(both, SYSTEMS[:systems], names, ("nDCG@10", "effort"), higher_is_better=(True, False))


def cells(found: ia.Result) -> dict[tuple[str, str], tuple[str, bool, str]]:
    """Of each system and metric what is shown, whether in bold, and the superscript."""
    (table,) = found.view().tables
    column = table.columns.index("system")
    return {
        (str(row[column]), table.columns[c]): (table.shown(r, c), (r, c) in table.marks, table.raised.get((r, c), ""))
        for r, row in enumerate(table.rows)
        for c in range(column + 1, len(table.columns))
    }


def test_superscripts_are_the_rows_that_a_paired_t_test_says_are_beaten() -> None:
    scores = cube()
    found = cells(ia.table(scores, test="t", correction="bonferroni"))
    rows = sorted(SYSTEMS, key=lambda name: -scores.values[SYSTEMS.index(name), :, 0].mean())
    assert [system for system, metric in found if metric == "nDCG@10"] == rows
    beaten: dict[str, set[str]] = {name: set() for name in SYSTEMS}
    for i, j in combinations(range(4), 2):
        x, y = scores.values[i, :, 0], scores.values[j, :, 0]
        if np.any(x != y) and stats.ttest_rel(x, y).pvalue * 6 < 0.05:
            better, worse = (i, j) if x.mean() > y.mean() else (j, i)
            beaten[SYSTEMS[better]].add(rows.index(SYSTEMS[worse]) + 1)
    assert beaten["best"] == {3, 4}  # there is something to see
    for name, numbers in beaten.items():
        assert {*map(int, filter(None, found[name, "nDCG@10"][2].split(",")))} == numbers


def test_ties_for_the_best_are_all_bold_and_costs_have_their_own_sign_and_direction() -> None:
    scores = cube()
    found = cells(ia.table(scores))
    assert {system for (system, _), cell in found.items() if cell[1]} == {"best", "tied"}
    shown = [float(found[name, "effort ↓"][0]) for name in SYSTEMS]
    assert shown == pytest.approx(scores.values[:, :, 1].mean(axis=1), abs=5e-4) and min(shown) > 0
    assert found["best", "effort ↓"][1:] == (True, "3,4")


def test_a_baseline_is_answered_by_marks_for_better_and_worse_whatever_the_direction() -> None:
    found = cells(ia.table(cube(), baseline="best", test="t"))
    for metric in ("nDCG@10", "effort ↓"):
        assert [found[name, metric][2] for name in SYSTEMS] == ["▼", "▼", "", ""]
    marks = [cells(ia.table(cube(), baseline="bm25", test="t"))[name, "effort ↓"][2] for name in SYSTEMS]
    assert marks[2:] == ["▲", "▲"]
    sentence = ia.table(cube(), baseline="bm25", test="t", correction="holm", alpha=0.01).view().sentences[0]
    for words in ("30 topics", "bm25", "paired t-test", "Holm", "3 comparisons", "p < 0.01", "lower is better"):
        assert words in sentence


def test_a_comparison_becomes_the_same_latex() -> None:
    latex = ia.compare(cube(), baseline="bm25").to_latex()
    assert latex == ia.table(cube(), baseline="bm25").to_latex()
    assert ia.compare(cube(), "nDCG@10").to_latex(digits=5) == ia.table(cube(), "nDCG@10").to_latex(digits=5)
    assert r"a\_b \& 50 \%" in latex and r"\textsuperscript{$\blacktriangle$}" in latex
    assert r"\caption{Mean nDCG@10 and effort over 30 topics" in latex
    for name in ("table", "tabular"):
        assert latex.count(rf"\begin{{{name}}}") == latex.count(rf"\end{{{name}}}") == 1
    body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 4 and all(len(re.findall(r"(?<!\\)&", row)) == 2 and row.endswith(r" \\") for row in body)


def test_nothing_that_latex_would_obey_is_left_in_a_name_or_the_caption() -> None:
    odd = "100% $x_1$ #{~^\\}&<>"
    scores = replace(cube(), systems=(odd, *SYSTEMS[1:]))
    latex = ia.table(scores, baseline=odd).to_latex()
    for command in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}", r"\textless{}", r"\$", r"\#"):
        assert latex.count(command) >= 2  # in the row and in the caption
    plain = re.sub(r"\\[a-zA-Z]+(\{\})?|\\.|\$\\[a-z]+\$", "", latex.split("\n", 1)[1])
    assert not re.search(r"[%#$^~]", plain.replace("$^$", ""))


def test_every_format_has_the_marks() -> None:
    found = ia.table(cube())
    view = found.view()
    assert "**0.5" in found.to_markdown() and "<sup>3,4</sup>" in found.to_markdown()
    assert re.search(r"<b>0\.\d{3}</b><sup>3,4</sup>", as_html(view))
    assert re.search(r"\*0\.\d{3}\* ³ ⁴", as_text(view))
    rows = list(csv.DictReader(io.StringIO(view_text(view, "csv"))))
    assert rows[2]["nDCG@10 beats"] == "1 2" and rows[2]["nDCG@10 best"] == "yes" and rows[0]["effort beats"] == ""
    assert float(rows[0]["nDCG@10"]) == pytest.approx(cube().values[0, :, 0].mean(), abs=1e-12)
    against = ia.table(cube(), baseline="bm25", test="t").to_frame().to_dicts()
    assert against[2]["nDCG@10 against bm25"] == "better" and against[0]["nDCG@10 corrected p"] is None


def test_one_system_or_one_topic_is_shown_and_said_not_to_be_tested() -> None:
    alone = ia.table(cube(systems=1))
    assert "only one system" in alone.view().sentences[0]
    assert cells(alone)["bm25", "nDCG@10"][1:] == (False, "")
    assert "only one topic" in ia.table(cube(topics=1)).view().sentences[0]
    assert r"\begin{tabular}" in alone.to_latex()


def test_topics_that_a_system_lacks_are_left_out_for_all_and_counted() -> None:
    scores = cube()
    holes = scores.values.copy()
    holes[1, :5] = np.nan
    found = ia.table(replace(scores, values=holes))
    assert "25 topics" in found.view().sentences[0]
    assert any("5 of 30 topics left out" in str(note) for note in found.view().notes)
    shown = float(cells(found)["bm25", "nDCG@10"][0])
    assert shown == pytest.approx(scores.values[0, 5:, 0].mean(), abs=5e-4)
    holes[0, 5:] = np.nan
    with pytest.raises(InputError, match="No topic has a score for every system"):
        ia.table(replace(scores, values=holes))


def test_of_many_systems_those_not_significantly_different_from_the_best_are_marked() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0, 0.05, size=(40, 20, 1)) + np.linspace(0, 0.4, 40)[:, None, None]
    many = Scores(values, tuple(f"s{n}" for n in range(40)), tuple(map(str, range(20))), ("AP",))
    found = ia.table(many, test=PairedTest("t", "holm"))
    one = found.by()
    top = int(one.order[0])
    expected = {name for name, verdict in zip(many.systems, one.verdicts()[top], strict=True) if verdict == 0}
    assert {system for (system, _), cell in cells(found).items() if cell[2] == "°"} == expected
    assert many.systems[top] in expected and 1 < len(expected) < 40
    assert "°" in found.view().sentences[0] and any("40 systems" in note for note in found.view().notes)


def test_sums_and_geometric_means_are_said_to_be_so() -> None:
    scores = Scores(cube().values, SYSTEMS, cube().topics, ("GMAP", "NumRet"), over_topics=("geometric", "sum"))
    found = ia.table(replace(scores, values=np.rint(np.abs(scores.values) * 10)))
    sentence = found.view().sentences[0]
    assert (
        "Sum of NumRet, geometric mean of GMAP over" in sentence
        and "For GMAP the test compares arithmetic means" in sentence
    )
    assert "." not in cells(found)["bm25", "NumRet"][0]


def test_it_is_saved_and_read_back(tmp_path: Path) -> None:
    found = ia.table(cube(), baseline="bm25")
    found.save(tmp_path / "table.json")
    assert load(tmp_path / "table.json").to_latex() == found.to_latex()


@pytest.mark.parametrize("form", ["latex", "markdown", "json"])
def test_a_paragraph_on_methods_can_be_pasted_from_every_format(form: str) -> None:
    for found in (ia.compare(cube(), test="t", correction="holm"), ia.table(cube(), test="t", correction="holm")):
        text = view_text(found.view(methods=True), form)
        assert text.count("We compared all 6 pairs of 4 systems by mean nDCG@10 and effort over 30 topics") == 1
        assert "paired t-test with Holm's correction for 6 comparisons" in text and "(Student, 1908)" in text
        assert "We compared" not in view_text(found.view(), form)


def test_systems_are_numbered_as_they_are_listed_and_the_same_by_every_metric() -> None:
    compared, table = ia.compare(cube(), test="t"), ia.table(cube(), test="t")
    systems = compared.view().tables[0]
    rows = [dict(zip(systems.columns, row, strict=True)) for row in systems.rows]
    assert [row["label"] for row in rows[: len(SYSTEMS)]] == ["1", "2", "3", "4"]  # best first by the first metric
    numbers = {row["system"]: row["label"] for row in rows}
    assert all(numbers[row["system"]] == row["label"] for row in rows)
    assert numbers == {row[1]: row[0] for row in table.view().tables[0].rows}
    machine = json.loads(compared.to_json())["results"]["systems"]  # in the order given
    assert {(row["system"], row["label"]) for row in machine} == {(name, str(i + 1)) for i, name in enumerate(SYSTEMS)}


def test_superscripts_are_the_numbers_of_the_systems_beaten() -> None:
    compared = ia.compare(cube(), test="t")
    systems = compared.view().tables[0]
    number = {row[2]: int(row[1]) for row in systems.rows}
    for r, row in enumerate(systems.rows):
        one = compared[row[0]]
        verdicts = one.verdicts()[one.systems.index(row[2])]
        beaten = sorted(number[one.systems[s]] for s in np.flatnonzero(verdicts > 0))
        shown = systems.raised.get((r, 3), "")
        ends = [part.split("–") for part in shown.split(",") if part]
        assert [n for end in ends for n in range(int(end[0]), int(end[-1]) + 1)] == beaten


def test_latex_underlines_the_second_best_and_has_a_label() -> None:
    latex = ia.table(cube()).to_latex(label="tab:main")
    assert "the best in bold and the second best underlined." in latex and "\\label{tab:main}\n" in latex
    means = cube().means()
    second = [f"{means[1, 0]:.3f}", f"{means[1, 1]:.3f}"]  # the third and fourth system share the first place
    assert re.findall(r"\\underline\{([^}]*)\}", latex) == second
    assert "underline" not in ia.table(cube(2)).to_latex() and "underlined" not in str(ia.table(cube()))
    with pytest.raises(InputError, match="label must be text such as tab:main; found 'a}b'"):
        ia.table(cube()).to_latex(label="a}b")


def test_numbers_of_different_length_are_aligned_at_the_decimal_point() -> None:
    values = np.random.default_rng(2).uniform(0, 1, (3, 20, 1)) + np.array([0.0, 9.9, 120.0])[:, None, None]
    scores = Scores(values, ("a", "b", "c"), tuple(map(str, range(20))), ("cost",))
    lines = ia.table(scores, test=PairedTest("t")).to_latex().splitlines()
    assert r"\begin{tabular}{llr@{}l}" in lines and r"\# & system & \multicolumn{2}{c}{cost} \\" in lines
    assert [line.count("&") for line in lines if line[:1] in "123"] == [3, 3, 3]


def test_the_methods_paragraph_wraps() -> None:
    view = ia.table(cube()).view(methods=True)
    for form in ("latex", "table"):
        text = view_text(view, form)
        assert all(len(line) <= 80 for line in text[text.index("We compared") :].split("\nnote:")[0].splitlines())
