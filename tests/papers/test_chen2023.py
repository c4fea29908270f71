"""Chen and Sakai (2023): what needs no runs, any collection of runs, and TREC-COVID."""

from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.metrics.grids import grid
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.chen2023 import paper as chen2023
from irassay.papers.chen2023 import tables as printed


@pytest.fixture
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chen2023, "SPLITS", 40)
    monkeypatch.setattr(chen2023, "TRIALS", 200)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight systems of different quality on twelve topics."""
    folder = tmp_path_factory.mktemp("collection")
    rng = np.random.default_rng(5)
    grade = rng.choice(4, (12, 60), p=(0.8, 0.1, 0.06, 0.04))
    lines = [f"{t} 0 d{d} {g}" for t, row in enumerate(grade) for d, g in enumerate(row)]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    (folder / "runs").mkdir()
    for s in range(8):
        value = grade * s / 6 + rng.normal(size=grade.shape)
        rows = [
            f"{t} Q0 d{d} {i + 1} {value[t, d]:.6f} system{s}"
            for t in range(12)
            for i, d in enumerate(np.argsort(-value[t])[:20])
        ]
        (folder / "runs" / f"system{s}.txt").write_text("\n".join(rows) + "\n")
    return folder


def reproduction_for(folder: Path, *tables: str) -> Reproduction:
    request = Request(Published(), frozenset(tables), (str(folder / "runs"),), folder / "qrels.txt")
    return reproduction_of("chen2023", request)


def test_the_grid_and_the_intervals_need_no_data() -> None:
    reproduction = reproduction_of("chen2023", Request(Published()))
    assert reproduction.count("match", "1") == 42 and reproduction.tables == ("1", "figure 1, intervals")
    assert reproduction.count("match", "figure 1, intervals") == 86
    unread = [cell for cell in reproduction.cells if cell.table == "figure 1, intervals" and cell.status != "match"]
    assert len(unread) == 19 and reproduction.reproduced
    assert {(c.published, c.status, c.why) for c in unread} == {
        (None, "unpublished", "illegible in our copy of the paper")
    }
    assert "19 intervals without such a reading count as illegible" in reproduction.remarks[0]
    assert "not public" in reproduction.notes[-1] and not reproduction.charts
    constant = [(cell.row, cell.ours) for cell in reproduction.cells if cell.table == "1" and cell.column == "ERR"]
    assert constant[:4] == [(model, "constant") for model in printed.CONSTANT] + [("INST", "alternative")]


def test_claims_on_the_printed_figures() -> None:
    reproduction = reproduction_of("chen2023", Request(Published())).findings
    assert {f.verdict for f in reproduction} == {"holds", "cannot be checked"}
    assert sum(f.verdict == "holds" for f in reproduction) == 21
    assert all(
        "Figure 2" in f.evidence or "T = 2.5" in f.claim for f in reproduction if f.verdict == "cannot be checked"
    )


def test_the_39_metrics_have_their_places() -> None:
    places = chen2023.metrics()
    assert tuple(places.values()) == grid("cwla").metrics and len(places) == 39
    assert [places[model, a] for model, a in printed.CANONICAL.items()] == list(grid("cwla").canonical)
    for table in printed.TABLE_3.values():
        assert {(model, a) for model, row in table.items() for a in row} == set(places)


def test_a_users_own_collection(collection: Path, few_resamples: None) -> None:
    reproduction = reproduction_for(collection)
    counts = {"figure 1": 108, "3": 39, "3, better than the worst": 39, "figure 2": 78}
    assert {table: reproduction.count("unpublished", table) for table in counts} == counts
    assert reproduction.count("differs") == 0
    assert all(
        cell.ours.startswith("1.000 (1.000, 1.000)")
        for cell in reproduction.cells
        if cell.column == "ERG and ETG" and cell.table == "figure 1" and cell.row in printed.CONSTANT
    )
    assert len(reproduction.findings) == 31 and all(
        "Here (8 runs, 12 topics" in f.evidence for f in reproduction.findings[:27]
    )
    assert any("8 runs and 12 topics; 40 splits" in note for note in reproduction.notes)
    assert [name for name, make in reproduction.charts if make().to_dict()] == ["figure-1", "table-3", "figure-2"]


def test_the_result_is_reproducible(collection: Path, few_resamples: None) -> None:
    assert reproduction_for(collection, "3").cells == reproduction_for(collection, "3").cells


def test_one_figure_alone(collection: Path, few_resamples: None) -> None:
    reproduction = reproduction_for(collection, "figure 2")
    assert (
        reproduction.tables == ("figure 2",)
        and [name for name, _ in reproduction.charts] == ["figure-2"]
        and not reproduction.findings
    )


def test_a_collection_of_the_papers_size_is_compared_with_its_table_3(
    collection: Path, few_resamples: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(printed.COLLECTIONS, "another", (8, 12))
    monkeypatch.setitem(printed.TABLE_3, "another", printed.TABLE_3["WWW3"])
    cells = [cell for cell in reproduction_for(collection, "3").cells if cell.table == "3"]
    assert {cell.column: cell.published for cell in cells if cell.row == "RBP"} == printed.TABLE_3["WWW3"]["RBP"]
    assert any(cell.status == "differs" for cell in cells)


def test_a_constant_metric_is_reported(tmp_path: Path, few_resamples: None) -> None:
    docs = range(12)
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 d{d} {int(d % 2 == 0)}\n" for t in range(8) for d in docs))
    for s in range(6):
        order = np.random.default_rng(s).permuted(np.tile(docs, (8, 1)), axis=1)[:, :10]
        text = "".join(f"{t} Q0 d{d} {i} {-i} s{s}\n" for t, row in enumerate(order) for i, d in enumerate(row))
        (tmp_path / "runs" / f"s{s}.txt").write_text(text)
    reproduction = reproduction_for(tmp_path)
    flat = [cell for cell in reproduction.cells if cell.status == "not computed"]
    assert ("3", "Precision", "MAX") in {(cell.table, cell.row, cell.column) for cell in flat}
    assert all("same mean" in cell.why for cell in flat)
    assert any(note.startswith("Constant") and "A='MAX'" in note for note in reproduction.notes)


def test_runs_without_judgements_are_refused(collection: Path) -> None:
    with pytest.raises(InputError, match="both runs and judgements"):
        reproduction_of("chen2023", Request(Published(), runs=(str(collection / "runs"),)))


def test_trec_covid(shared: Path, few_resamples: None) -> None:
    reproduction = reproduction_for(shared / "data" / "trec-covid-1")
    value = {(c.table, c.row, c.column): c.ours for c in reproduction.cells}
    assert value["figure 1", "ERR", "ERG and ERR"] == "0.928 (0.912, 0.942)"
    assert value["figure 1", "RBP", "ERG and FIN"] == "0.977 (0.972, 0.982)"
    assert value["3", "Precision", "ERG"] == value["3", "Precision", "AVG"] > value["3", "Precision", "FIN"]
    verdict = {f.claim: f.verdict for f in reproduction.findings}
    assert (
        verdict["For ERR, the aggregation ERG instead of ERR has more power and gives a similar ranking of runs (RQ4)."]
        == "holds"
    )
    same = "Under Precision, DCG and RBP, ERG and ETG give the same ranking of runs, and under Precision AVG does too."
    assert verdict[same] == "holds"
    assert verdict["Under ERR, ETG is the least similar to the others."] == "does not hold"
