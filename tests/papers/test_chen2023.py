"""Chen and Sakai (2023): what needs no runs, any collection of runs, and TREC-COVID."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.metrics.grids import grid
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.chen2023 import paper as chen2023
from irassay.papers.chen2023 import tables as printed
from irassay.papers.chen2023.collections import found_collections, scored_collection
from irassay.papers.view import view


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
    assert reproduction.count("match", "1") == 42 and reproduction.reproduced
    by_kind = Counter((c.kind, c.status) for c in reproduction.cells if c.table == "figure 1, intervals")
    assert by_kind == {
        ("printed", "match"): 60,
        ("read to fit", "match"): 26,
        ("illegible", "unpublished"): 19,
    }
    assert "(26 intervals); 19 without a fitting one" in reproduction.remarks[0] and not reproduction.charts
    constant = [(c.row, c.ours, c.kind) for c in reproduction.cells if c.table == "1" and c.column == "ERR"]
    assert constant[:4] == [(model, "×", "printed") for model in printed.CONSTANT] + [("INST", "alternative", "label")]


def test_what_needs_a_collection_is_not_computed_and_the_notes_say_where_to_get_it() -> None:
    reproduction = reproduction_of("chen2023", Request(Published()))
    missing = Counter(c.table for c in reproduction.cells if c.status == "not computed")
    assert missing == {"2": 8, "figure 1": 153, "3": 78}
    assert view(reproduction).sentences[0] == "chen2023: 63 of 302 printed figures match."
    [www3] = [note for note in reproduction.notes if note.startswith("WWW3 is not at hand")]
    assert "sakailab.com/www234corrected" in www3 and "folder runs" in www3 and "into a folder WWW3" in www3


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
        cell.ours == "1.000 (no interval)"
        for cell in reproduction.cells
        if cell.column == "ERG and ETG" and cell.table == "figure 1" and cell.row in printed.CONSTANT
    )
    assert len(reproduction.findings) == 31 and all(
        "Here (8 runs, 12 topics" in f.evidence for f in reproduction.findings[:27]
    )
    assert any("8 runs and 12 topics; 40 splits" in note for note in reproduction.notes)
    assert [name for name, make in reproduction.charts if make().to_dict()] == ["figure-1", "table-3", "figure-2"]
    shown = view(reproduction)
    assert "These verdicts are about the collection given, not about the paper's collections" in shown.sentences[-1]
    assert shown.tables[-1].title == "Claims in the text, checked on the collection given"


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
    monkeypatch.setitem(printed.TABLE_2, "another", {"runs": 8, "topics": 12})
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


def write_collection(folder: Path, topics: range, others: range = range(0), runs: int = 6) -> None:
    """Runs and judgements as NTCIR offers them: grades with an L, runs with a description, topics of two tasks."""
    (folder / "runs").mkdir(parents=True)
    rng = np.random.default_rng(len(topics))
    every_topic = [f"{topic:04}" for topic in (*topics, *others)]
    grade = rng.choice(4, (len(every_topic), 40), p=(0.8, 0.1, 0.06, 0.04))
    rows = [
        f"{topic} d{d} L{g}" for topic, of_topic in zip(every_topic, grade, strict=True) for d, g in enumerate(of_topic)
    ]
    (folder / "english.qrels").write_text("\n".join(rows) + "\n")
    for s in range(runs):
        value = grade * s / 4 + rng.normal(size=grade.shape)
        lines = [
            f"{topic} 0 d{d} {i + 1} {value[t, d]:.6f} team{s}"
            for t, topic in enumerate(every_topic)
            for i, d in enumerate(np.argsort(-value[t])[:15])
        ]
        text = "\n".join(("<SYSDESC>a system</SYSDESC>", *lines)) + "\n"
        (folder / "runs" / f"team{s}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of all three collections; the runs and judgements of WWW3 have topics of WWW2 too."""
    folder = tmp_path_factory.mktemp("data")
    write_collection(folder / "ntcir" / "WWW-3", range(101, 113), range(1, 5))
    write_collection(folder / "ntcir" / "www2", range(1, 9), runs=5)
    write_collection(folder / "DL-2019", range(1, 11))
    return folder


def test_every_collection_below_the_data_folder_is_examined(found: Path, few_resamples: None) -> None:
    published = Published((found,))
    reproduction = reproduction_of("chen2023", Request(published))
    assert reproduction.count("not computed", kind="printed") == 0 and reproduction.reproduced
    grades = {}
    for line in (found / "ntcir" / "WWW-3" / "english.qrels").read_text().splitlines():
        topic, doc, grade = line.split()
        if topic > "0100":
            grades[topic, doc] = int(grade.removeprefix("L"))
    table_2 = {(c.row, c.column): (c.published, c.ours) for c in reproduction.cells if c.table == "2"}
    assert table_2["WWW3", "#topics"] == (80, 12) and table_2["WWW3", "#runs"] == (39, 6)
    assert table_2["WWW3", "rel. levels"] == (4, 4) and table_2["WWW2", "#runs"] == (None, 5)
    assert table_2["WWW3", "#rel. per topic"] == (159.0, sum(g > 0 for g in grades.values()) / 12)
    rows = Counter(c.row.partition(" on ")[2] for c in reproduction.cells if c.table == "figure 2")
    assert rows == {"WWW3": 78, "WWW2": 78, "TR19DL": 78}
    cells = [c for c in reproduction.cells if c.table == "3" and c.row == "RBP on WWW3"]
    assert {c.column: c.published for c in cells} == printed.TABLE_3["WWW3"]["RBP"]
    assert all("12 topics, not 80" in c.why and "6 runs, not 39" in c.why for c in cells)
    power = [f for f in reproduction.findings if f.claim.startswith("ERG has the best or second best discriminative")]
    assert power[0].verdict != "cannot be checked" and "WWW3 (6 runs, 12 topics" in power[0].evidence
    assert [name for name, make in reproduction.charts if make().to_dict()] == [
        f"{chart}-{name}" for name in ("WWW3", "WWW2", "TR19DL") for chart in ("figure-1", "table-3", "figure-2")
    ]
    assert {path.name for path in published.used_paths} >= {"english.qrels", "team0.gz"}


def test_the_scores_of_a_found_collection_are_those_of_its_own_topics(found: Path) -> None:
    [www3, *_] = found_collections(Published((found,)))
    collection = scored_collection(www3, ("P(rel=1)@5",), Published())
    grades = {}
    for line in www3.qrels.read_text().splitlines():
        topic, doc, grade = line.split()
        grades[topic, doc] = int(grade[1:])
    lines = [line.split() for line in gzip.decompress(www3.runs[2].read_bytes()).decode().splitlines()[1:]]
    for t, topic in enumerate(collection.scores.topics):
        top = [fields[2] for fields in lines if fields[0] == topic][:5]
        expected = sum(grades[topic, doc] > 0 for doc in top) / 5
        assert collection.scores.values[2, t, 0] == pytest.approx(expected, abs=1e-12)
    assert collection.scores.topics == tuple(f"{topic:04}" for topic in range(101, 113))


def test_one_collection_decides_the_claims_alone(found: Path, few_resamples: None) -> None:
    request = Request(Published((found / "DL-2019",)), frozenset({"3"}))
    cells = reproduction_of("chen2023", request).cells
    assert {c.row.partition(" on ")[2] for c in cells if c.ours is not None and c.table == "3"} == {"TR19DL"}
    assert {c.status for c in cells if c.row.endswith("WWW3")} == {"not computed"}


def test_an_incomplete_collection_is_refused(found: Path, tmp_path: Path) -> None:
    write_collection(tmp_path / "WWW3", range(101, 105))
    (tmp_path / "WWW3" / "more.qrels").write_text("0101 d1 L0\n")
    with pytest.raises(InputError, match=r"WWW3: found 2 files with qrels .* expected one file of judgements of WWW3"):
        reproduction_of("chen2023", Request(Published((tmp_path,))))
    (tmp_path / "WWW3" / "more.qrels").unlink()
    (tmp_path / "WWW3" / "english.qrels").write_text("0101 d1 good\n")
    with pytest.raises(InputError, match=r"english\.qrels, line 1: found '?0101 d1 good'?; expected topic"):
        reproduction_of("chen2023", Request(Published((tmp_path,))))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"Table 3 of chen2023 needs runs .* no folder WWW3 or WWW2 or TR19DL"):
        reproduction_of("chen2023", Request(Published((tmp_path / "empty",)), frozenset({"3"})))


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
