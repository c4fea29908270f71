"""Albahem et al. (2019): Tables 1 to 4 from published scores and counts, and the verdicts on its claims."""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from irassay.errors import InputError
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.view import view

FILES = [file.name for file in printed.FILES.values()]
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


def test_tables_1_3_and_4_match_to_the_last_cell_and_mark(reproduction: Reproduction) -> None:
    assert [reproduction.count("match", table) for table in ("1", "3", "4")] == [42, 140, 20]
    assert reproduction.reproduced


def test_table_2_matches_where_2015_is_public(reproduction: Reproduction) -> None:
    cells = [cell for cell in reproduction.cells if cell.table == "2"]
    assert Counter(cell.status for cell in cells) == {"not computed": 112, "match": 23, "explained": 5}
    for cell in cells:
        computed = cell.column.startswith("Rel and Div and Eff")
        assert (cell.ours is not None) == computed
        assert computed or re.fullmatch(r"2015 not public; [1-7] by 2016 and 2017 alone", cell.why)
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
    assert sum(f.verdict == "cannot be checked" for f in reproduction.findings) == 1
    evidence = {f.claim: f.evidence for f in reproduction.findings}
    assert "Of 29 marks 11 remain" in evidence["The differences marked + are significant."]
    assert "2016 8.6% and 28.7%, 21 of 21" in evidence["Metrics disagree more at iteration 10 than at iteration 1."]
    (effort,) = [text for claim, text in evidence.items() if "r-it and neg-it" in claim]
    assert "tot-time sides 20,026 times with nCT and 23,235 with nEU" in effort
    assert "44 of 100" in evidence["Unanimity is computed by Algorithm 2."]


def test_the_notes_say_what_is_missing_and_which_parameters_rbu_had(reproduction: Reproduction) -> None:
    text = " ".join(reproduction.notes)
    assert "scores of 2015 are not public" in text
    assert "42 of its 42 cells with p = 0.99 and e = 0.05" in text


def test_charts_can_be_drawn(reproduction: Reproduction) -> None:
    assert [name for name, make in reproduction.charts if make().to_dict()] == ["disagreement", "ranks"]


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
