"""Jiang and Allan (2016): every figure of Table 3, the marks, the scans, and the verdicts on its claims."""

import csv
import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.io.sessions import read_session_qrels, read_sessions
from irassay.meta.satisfaction.ratings import Ratings
from irassay.meta.satisfaction.units import session_scores
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.jiang2016 import tables as printed
from irassay.papers.jiang2016.scans import HALF_LIVES, SAVES, tbg_correlations
from irassay.papers.jiang2016.tables import FOLDS
from irassay.stats.compare_correlations import pearson

DOES_NOT_HOLD = ["P_down = 0.7 and P_reform = 0.8 maximise r of esNDCG."]


def request_for(*folders: Path, tables: str = "") -> Request:
    return Request(Published(folders), frozenset(filter(None, tables.split(","))))


@pytest.fixture(scope="module")
def reproduction(shared: Path) -> Reproduction:
    return reproduction_of("jiang2016", request_for(shared / "data"))


def test_all_82_figures_of_table_3_match(reproduction: Reproduction) -> None:
    assert reproduction.count("match", "3") == 82 == sum(cell.table == "3" for cell in reproduction.cells)
    assert reproduction.reproduced


def test_every_other_figure_matches_or_is_explained(reproduction: Reproduction) -> None:
    for table, matching in (("equation 7", 3), ("2", 6), ("section 4", 5), ("3 marks", 40), ("section 5.1", 4)):
        assert reproduction.count("match", table) == matching
    explained = [(cell.row, cell.published, cell.ours) for cell in reproduction.cells if cell.status == "explained"]
    assert explained == [
        ("esNDCG", "†", "†††"),
        ("esNDCG P_down", 0.7, 0.6),
        ("esNDCG P_reform", 0.8, 0.9),
    ]
    assert reproduction.count("unpublished", "figure 1") == 5 * 2 * 10


def test_table_3_has_the_authors_doubles(reproduction: Reproduction, shared: Path) -> None:
    expected = json.loads((shared / "oracles" / "meta" / "satisfaction" / "expected.json").read_text())["metrics"]
    keys = {"static": "static", "e = 4": "param", "time": "time"}
    rows = {name: name.replace("@k", "").replace(", p = ", "") for name in (*printed.ADAPTIVE, *printed.SINGLE)}
    seen = 0
    for cell in reproduction.cells:
        if cell.table == "3" and cell.row != "esNDCG":
            kind, _, effort = cell.column.partition(" ")
            key = rows[cell.row] + (f"|{keys[effort]}" if effort else "")
            assert cell.ours == pytest.approx(expected[key]["pearson" if kind == "r" else "nrmse_mean"], abs=1e-9)
            seen += 1
    assert seen == 80


def test_folds_are_those_of_the_authors_program(shared: Path) -> None:
    with (shared / "oracles" / "meta" / "satisfaction" / "folds_seed0.csv").open() as file:
        rows = [row[1:] for row in csv.reader(file)][1:]
    assert np.array_equal(FOLDS, np.array(rows, dtype=int))
    assert all((np.bincount(partition) == 8).all() for partition in FOLDS)


def test_esndcg_is_within_its_monte_carlo_error(reproduction: Reproduction) -> None:
    (cell,) = [cell for cell in reproduction.cells if (cell.table, cell.row, cell.column) == ("3", "esNDCG", "NRMSE")]
    assert 0 < cell.within < 0.003 and "random" in cell.why and cell.status == "match"


def test_the_scan_of_tbg_scores_as_the_metric_does(shared: Path) -> None:
    folder = shared / "data" / "jiang-2016"
    sessions, qrels = read_sessions(folder), read_session_qrels(folder)
    ratings = Ratings.read(folder / "session", 1, 5)
    scanned = tbg_correlations(sessions, qrels, ratings)
    save = int(np.flatnonzero(np.isclose(SAVES, (0.2, 0.8)).all(axis=1))[0])
    for h in (5, 31, 200):
        score = session_scores(sessions, qrels, [f"TBG(dialect='jiang',h={h})@9"]).values[0].T
        assert scanned[save, HALF_LIVES.tolist().index(h)] == pytest.approx(
            pearson(score, ratings.values)[0], abs=1e-12
        )


def test_claims(reproduction: Reproduction) -> None:
    assert [f.claim for f in reproduction.findings if f.verdict == "does not hold"] == DOES_NOT_HOLD
    assert sum(f.verdict == "holds" for f in reproduction.findings) == 14
    assert all(f.evidence.endswith(".") for f in reproduction.findings)
    (evidence,) = [f.evidence for f in reproduction.findings if "p = .078" in f.claim]
    assert "p = 0.078" in evidence and "corrected for that, 0 are" in evidence


def test_charts_can_be_drawn(reproduction: Reproduction) -> None:
    assert {name: make().to_dict()["$schema"][:5] for name, make in reproduction.charts}.keys() == {
        "figure-1",
        "scan-h",
        "scan-T",
        "scan-paths",
    }


def test_table_2_needs_no_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IRASSAY_CACHE", str(tmp_path))
    reproduction = reproduction_of("jiang2016", request_for(tables="2"))
    assert reproduction.tables == ("2",) and reproduction.count("match") == 6 and not reproduction.findings


def test_one_table_alone(shared: Path) -> None:
    reproduction = reproduction_of("jiang2016", request_for(shared / "data", tables="3"))
    assert reproduction.tables == ("3", "3 marks") and not reproduction.findings and not reproduction.charts


def test_missing_and_damaged_files_are_reported(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRASSAY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"session \(users, tasks and ratings .*was not found.*data"):
        reproduction_of("jiang2016", request_for(tables="3"))
    folder = tmp_path / "clone" / "data"
    shutil.copytree(shared / "data" / "jiang-2016", folder)
    (folder / "session").chmod(0o644)
    (folder / "session").write_text((folder / "session").read_text().replace("22\tS05\t11\t3", "22\tS05\t11\t5"))
    with pytest.raises(InputError, match=r"session is not the published session .*checksum differs"):
        reproduction_of("jiang2016", request_for(tmp_path / "clone", tables="3"))
    whole = gzip.compress((shared / "data" / "jiang-2016" / "session").read_bytes())
    (folder / "session").unlink()
    (folder / "session.gz").write_bytes(whole)
    assert reproduction_of("jiang2016", request_for(tmp_path / "clone", tables="section 4")).count("match") == 5
    (folder / "session.gz").write_bytes(whole[:100])
    with pytest.raises(InputError, match=r"session\.gz is not the published session"):
        reproduction_of("jiang2016", request_for(tmp_path / "clone", tables="section 4"))
