"""Tables in narrow windows: no number is cut, no line is too long, every block has the key columns."""

import re
import sys
from pathlib import Path

import pytest

from irassay.cli.program import run as irassay
from irassay.prose import display_width
from irassay.views.render import aligned_table
from irassay.views.view import Table
from irassay.views.wide_tables import folded_table

A, V = "tests/oracles/inputs/adhoc", "tests/oracles/inputs/diversity"
RUNS = f"{A}/qrels_no7.txt {A}/runA.txt {A}/runB.txt {A}/runC.txt"
MANY = "-m AP -m nDCG@10 -m P@10 -m RBP(p=0.95,gain='exp') -m INST(T=2.25,A='MAX') -m ERR@20 -m Rprec -m bpref"
COMMANDS = [
    f"score {RUNS} {MANY}",
    f"score {RUNS} -m AP -m RBP(p=0.95) -m INST --bounds",
    f"score {RUNS} {MANY} --by-topic",
    f"score {V}/qrels.txt {V}/divA.txt {V}/divB.txt -m alpha_nDCG@10 -m ERR_IA@10 -m StRecall@10",
    f"compare {RUNS} -m AP --trials 100",
    f"table {RUNS} {MANY} --digits 4",
    f"meta discrimination {RUNS} {MANY} --trials 100",
    f"meta similarity {RUNS} {MANY}",
    f"meta consistency {RUNS} {MANY} --splits 5",
    f"meta agreement {RUNS} {MANY}",
    f"meta alternatives {RUNS} {MANY} --splits 5 --reference AP --similar 0.3",
    f"meta intuitiveness {RUNS} {MANY} --simple P@10",
    f"meta unanimity {RUNS} {MANY} --simple P@10",
    f"meta robustness {RUNS} {MANY} --other {A}/qrels_nonneg.txt",
    "metrics RBP",
    "explain RBP(p=0.95) 0,1,0,1",
    f"validate {RUNS}",
    "axioms -m AP -m RBP --depth 4",
]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_number_is_cut_in_a_narrow_window(
    command: str, width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = command.split()
    irassay(words)
    wide = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    irassay(words)
    narrow = re.sub(r"\x1b\[[01]m", "", capsys.readouterr().out)
    assert max(map(len, narrow.splitlines())) <= width
    there = set(narrow.split())
    for number in set(re.findall(r"(?<=\s)-?\d+\.\d{4}(?=\s)", wide)):
        rounded = {f"{float(number) + slip:.3f}" for slip in (-5e-5, 0.0, 5e-5)}
        tiny = abs(float(number)) < 6e-4 and any("e-" in one for one in there)
        assert tiny or there & {number, *rounded}, number


def test_a_wide_table_stands_in_blocks_with_its_key_columns() -> None:
    columns = ("system", *(f"metric{i}" for i in range(12)))
    table = Table("t", columns, (("BM25", *[0.12345] * 12), ("a system of a longer name", *[10.5] * 12)))
    text, note = folded_table(table, range(2), 60)
    assert note.startswith("numbers have three decimals and columns are in ")
    blocks = text.strip().split("\n\n")
    assert len(blocks) > 1
    assert all(block.startswith("system") and "BM25" in block for block in blocks)
    assert text.count("0.123") == text.count("10.500") == 12


def test_superscripts_stand_after_numbers_and_the_best_are_bold() -> None:
    table = Table("t", ("system", "AP"), (("a", 0.5), ("b", 0.25)), digits=2, marks=frozenset({(0, 1)}), stars=True)
    raised = Table("t", table.columns, table.rows, digits=2, raised={(0, 1): "2,4–6"})
    assert folded_table(raised, range(2), 80)[0].splitlines() == ["system    AP", "a       0.50 ² ⁴⁻⁶", "b       0.25"]
    assert folded_table(table, range(2), 80, bold=True)[0].splitlines()[1] == "a       \x1b[1m0.50\x1b[0m"
    assert folded_table(table, range(2), 80)[0].splitlines()[1:] == ["a       *0.50*", "b        0.25"]


def test_a_table_that_fits_is_left_alone(tmp_path: Path) -> None:
    table = Table("t", ("system", "AP"), (("a", 0.12345),))
    assert folded_table(table, range(1), 80) == ("system      AP\na       0.1235\n", "")


def test_wide_characters_take_two_columns_of_a_window() -> None:
    names = ("検索システム", "🚀 rocket", "한국어 모델의 긴 이름", "plain")
    table = Table("t", ("system", *(f"RBP@10 p=0.{i}" for i in range(1, 8))), tuple((n, *[0.25] * 7) for n in names))
    whole = aligned_table(table, range(4)).splitlines()
    assert len({display_width(line) for line in whole}) == 1
    for columns in (30, 40, 60, 80):
        lines = folded_table(table, range(4), columns)[0].splitlines()
        assert max(map(display_width, lines)) <= columns
        assert len({display_width(line[: line.index("0.25")]) for line in lines if "0.25" in line}) == 1


def test_names_of_numbers_fold_at_spaces_before_columns_go_into_blocks() -> None:
    table = Table("t", ("run", *(f"INST@10 T={i}" for i in range(5))), (("a", *[0.12345] * 5),))
    text, note = folded_table(table, range(1), 60)
    assert text.splitlines()[0].split() == ["run", *["INST@10"] * 5]
    assert text.splitlines()[1].split() == [f"T={i}" for i in range(5)] and note == "numbers have three decimals"


def test_p_values_keep_their_decimals_and_headings_of_words_are_folded() -> None:
    """With three decimals, p of 0.0496 and 0.0504 would read alike beside different verdicts."""
    cells = tuple(
        (f"system {i}", 0.12345, p, verdict) for i, (p, verdict) in enumerate(((0.0496, "yes"), (0.0504, "no")))
    )
    columns = ("system", "difference of means", "corrected p", "significantly different")
    text, note = folded_table(Table("pairs", columns, cells, p_columns=("corrected p",)), range(2), 50)
    assert text.split("\n\n") == [text] and max(map(len, text.splitlines())) <= 50
    assert text.splitlines()[-2].split()[2:] == ["0.123", "0.0496", "yes"] and "0.0504" in text
    assert note == "numbers other than p have three decimals"


def test_long_names_of_systems_lose_their_middle_and_stay_different() -> None:
    names = [f"some-university-dense-retrieval-reranked-with-monot5-run{i}" for i in range(3)]
    rows = tuple((one, other, 0.12345, 0.25) for one in names for other in names)
    table = Table("pairs", ("system", "other", "difference", "corrected p"), rows)
    text, note = folded_table(table, range(len(rows)), 60)
    lines = text.splitlines()[-len(rows) :]  # one for each pair
    assert len({tuple(line.split()[:2]) for line in lines}) == len(rows)
    assert all(re.fullmatch(r"some-\S+…\S+run\d", name) for line in lines for name in line.split()[:2])
    assert "long names are shortened" in note
    assert "run0-some" in aligned_table(table, range(1)).replace("  ", "-")  # whole where there is no window


def test_names_that_would_be_the_same_without_their_middle_are_folded() -> None:
    names = [f"{'a' * 40}{i}{'b' * 40}" for i in range(2)]
    text, note = folded_table(Table("t", ("system", "AP"), tuple((name, 0.5) for name in names)), range(2), 60)
    assert "…" not in text and note == "numbers have three decimals"
