"""Albahem et al. (2019): Tables 1 to 4 from published scores and counts, and the verdicts on its claims."""

import gzip
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from irassay.errors import InputError
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.counts import computed_counts
from irassay.papers.view import view

FILES = [file.name for file in printed.FILES.values() if file.sha256]
SCORES_2015 = printed.FILES["SCORES_2015"]
DOES_NOT_HOLD = {
    "Of the metrics that cover all dimensions, nCT is more intuitive than RBU at iteration 1, and significantly so at 10.",
    "The differences marked + are significant.",
    "For effort the metrics that model it (ACT, nCT, nEU, RBU) are more intuitive than the others.",
    "Unanimity is computed by Algorithm 2.",
    "tot-time is used as in its formula, a sum of seconds.",
}


@pytest.fixture(scope="module")
def reproduction(shared: Path) -> Reproduction:
    return reproduction_of("albahem2019", Request(Published((shared / "data",))))


@pytest.fixture(scope="module")
def with_2015(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """The paper with scores of 2015, for which those of 2016 stand in."""
    folder = tmp_path_factory.mktemp("scores")
    write_2015(folder, scores_of_2016(shared))
    return reproduction_of("albahem2019", Request(Published((shared / "data", folder))))


def scores_of_2016(shared: Path) -> str:
    return gzip.decompress((shared / "data" / "trec-dd" / "trec-all-2016-evals.csv.gz").read_bytes()).decode()


def write_2015(folder: Path, text: str) -> None:
    (folder / SCORES_2015.name).write_text(text)


def test_tables_1_3_and_4_match_to_the_last_cell_and_mark(reproduction: Reproduction) -> None:
    assert [reproduction.count("match", table) for table in ("1", "3", "4")] == [42, 140, 20]
    assert reproduction.reproduced


def test_table_2_matches_where_2015_is_public(reproduction: Reproduction) -> None:
    cells = [cell for cell in reproduction.cells if cell.table == "2"]
    assert Counter(cell.status for cell in cells) == {"not computed": 112, "match": 23, "explained": 5}
    assert {cell.column for cell in cells if cell.kind != "printed"} == {"Rel and Div and Eff, iteration 10"}
    for cell in cells:
        computed = cell.column.startswith("Rel and Div and Eff")
        assert (cell.ours is not None) == computed
        assert computed or re.fullmatch(r"2015 public but not at hand; [1-7] by 2016 and 2017 alone", cell.why)
        assert cell.status == "match" or not computed or (cell.column.endswith("iteration 10") and "notes" in cell.why)
    assert any("127 to 105" in note for note in reproduction.notes)


def test_table_4_says_what_its_matches_depend_on(reproduction: Reproduction) -> None:
    cells = [cell for cell in reproduction.cells if cell.table == "4"]
    assert all(cell.why.startswith("ranks by intuitiveness as printed, by unanimity recomputed") for cell in cells)
    assert [(cell.row, cell.column) for cell in cells if "circular" in cell.why] == [
        ("iteration 10", "Rel and Div and Eff")
    ]
    beside = {cell.row: cell.why.partition("both recomputed: ")[2] for cell in cells if "both" in cell.why}
    assert beside == {"iteration 1": "0.82*", "iteration 3": "0.71", "iteration 10": "0.62", "all iterations": "0.61"}
    text = " ".join(view(reproduction).sentences)
    assert "as printed in Table 2" in text and "3 of 4 match" in text and "is circular" in text


def test_sizes_of_the_collections(reproduction: Reproduction) -> None:
    assert [(c.row, c.column, c.ours) for c in reproduction.cells if c.table == "section 2.5"] == [
        ("2015", "runs", None),
        ("2015", "topics", None),
        ("2016", "runs", 21),
        ("2016", "topics", 53),
        ("2017", "runs", 11),
        ("2017", "topics", 60),
    ]


def test_table_4_by_year_has_every_public_year(reproduction: Reproduction) -> None:
    rows = Counter(cell.row[:4] for cell in reproduction.cells if cell.table == "4 by year")
    assert rows == {"2016": 20, "2017": 20, "2015": 4}
    assert reproduction.count("unpublished", "4 by year") == 44


def test_claims(reproduction: Reproduction) -> None:
    assert {f.claim for f in reproduction.findings if f.verdict == "does not hold"} == DOES_NOT_HOLD
    assert sum(f.verdict == "cannot be checked" for f in reproduction.findings) == 2
    evidence = {f.claim: f.evidence for f in reproduction.findings}
    assert "Of 29 marks 11 remain" in evidence["The differences marked + are significant."]
    assert "2016 8.6% and 28.7%, 21 of 21" in evidence["Metrics disagree more at iteration 10 than at iteration 1."]
    (effort,) = [text for claim, text in evidence.items() if "r-it and neg-it" in claim]
    assert "tot-time sides 20,026 times with nCT and 23,235 with nEU" in effort
    assert "44 of 100" in evidence["Unanimity is computed by Algorithm 2."]


def test_the_notes_say_what_is_missing_and_which_parameters_rbu_had(reproduction: Reproduction) -> None:
    text = " ".join(reproduction.notes)
    assert "scores of 2015 are public, but not at hand: put trec-all-2015-evals.csv" in text
    assert "42 of its 42 cells with p = 0.99 and e = 0.05" in text


def test_charts_can_be_drawn(reproduction: Reproduction) -> None:
    assert [name for name, make in reproduction.charts if make().to_dict()] == [
        "disagreement",
        "ranks",
        "footnote-5",
    ]


def test_the_headline_counts_what_the_paper_prints(reproduction: Reproduction) -> None:
    assert view(reproduction).sentences[:4] == (
        "albahem2019: 226 of 340 printed figures match.",
        "114 figures were not computed; the reason is beside each.",
        "8 figures are read from a damaged copy, in the reading that fits; 3 match.",
        "135 figures are ours, not in the paper.",
    )


def test_with_scores_of_2015_every_cell_is_computed(with_2015: Reproduction, shared: Path) -> None:
    assert with_2015.count("not computed") == 0 and with_2015.reproduced
    sizes = {(c.row, c.column): c.ours for c in with_2015.cells if c.table == "section 2.5"}
    assert (sizes["2015", "runs"], sizes["2015", "topics"]) == (21, 53)
    assert with_2015.count("match", "1") == 42
    wrong = [cell for cell in with_2015.cells if cell.status == "explained"]
    assert wrong and {cell.why for cell in wrong if cell.kind == "printed"} == {
        "the scores of 2015 are not the published ones"
    }
    assert any("is not the published file" in note and SCORES_2015.git_blob in note for note in with_2015.notes)
    assert not any(f.verdict == "cannot be checked" for f in with_2015.findings)
    assert Counter(cell.row[:4] for cell in with_2015.cells if cell.table == "4 by year")["2015"] == 20


def test_ranks_over_three_years_sum_the_wins_of_each(with_2015: Reproduction, shared: Path) -> None:
    counts = computed_counts(Published((shared / "data",)))
    ours = {(c.row, c.column): c.ours for c in with_2015.cells if c.table == "2"}
    for s, name in enumerate(printed.SETS):
        wins = 2 * counts.test_wins[0, :, s] + counts.test_wins[1, :, s]  # [round, metric], 2016 counted twice
        for column, of_column in (("iteration 1", wins[0]), ("iteration 10", wins[9]), ("All", wins.sum(axis=0))):
            distinct = sorted(set(of_column.tolist()), reverse=True)
            expected = [distinct.index(value) + 1 for value in of_column.tolist()]
            assert [ours[metric, f"{name}, {column}"] for metric in printed.METRICS] == expected


def test_footnote_5_ranks_by_wins_without_significance(reproduction: Reproduction, shared: Path) -> None:
    cells = {(c.row, c.column): c for c in reproduction.cells if c.table == "footnote 5"}
    assert len(cells) == 85 and {c.kind for c in cells.values()} == {"ours"}
    test = computed_counts(Published((shared / "data",))).tests["3"]
    s = test.sets.index(printed.OTHER_SETS["Div and Eff"])
    ahead = test.correct[:, s] > test.correct[:, s].swapaxes(1, 2)
    wins = ahead.sum(axis=(0, 2)).tolist()
    ranks = [1 + len({other for other in wins if other > mine}) for mine in wins]
    expected = ", ".join(f"{name} {rank}" for name, rank in zip(printed.METRICS, ranks, strict=True))
    assert cells["Div and Eff, without significance", "iteration 3"].ours == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",strec,", ",other,", r"trec-all-2015-evals\.csv, line 1: no column strec; expected the columns"),
        (",7,", ",70,", r"trec-all-2015-evals\.csv: no rows of iteration 7; expected the columns and iterations"),
    ],
)
def test_scores_of_2015_in_another_format_are_refused(
    shared: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    write_2015(tmp_path, scores_of_2016(shared).replace(old, new))
    with pytest.raises(InputError, match=message):
        reproduction_of("albahem2019", Request(Published((shared / "data", tmp_path))))


def test_one_table_alone(shared: Path) -> None:
    one = reproduction_of("albahem2019", Request(Published((shared / "data" / "trec-dd",)), frozenset({"4"})))
    assert one.tables == ("4",) and one.count("match") == 20 and not one.findings


def test_missing_and_damaged_files_are_reported(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRASSAY_CACHE", str(tmp_path / "cache"))
    for name in FILES:
        source = next(path for path in (shared / "data" / "trec-dd").iterdir() if path.name.removesuffix(".gz") == name)
        shutil.copyfile(source, tmp_path / source.name)
    request = Request(Published((tmp_path,)))
    counts = tmp_path / printed.FILES["TESTS_2015"].name
    counts.write_text(counts.read_text().replace("13.0000", "14.0000", 1))
    with pytest.raises(InputError, match=rf"{counts.name} is not the published {counts.name} .*checksum differs"):
        reproduction_of("albahem2019", request)
    counts.unlink()
    with pytest.raises(InputError, match=rf"{counts.name} \(counts of .*was not found .*fetch"):
        reproduction_of("albahem2019", request)
