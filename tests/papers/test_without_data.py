"""Papers that need no data (all of albahem2018, moffat2012 except its tables on TREC runs), and how they are shown."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from irassay.errors import InputError
from irassay.papers import Published, Reproduction, Request, reproduction_of
from irassay.papers.moffat2012.agreement import LARGEST_RESIDUE, sides
from irassay.papers.moffat2012.tables import FIGURE_2C, MATRICES, METRICS, NAMES, PART_A, PART_B
from irassay.papers.reproduction import CheckedClaim, Figure
from irassay.papers.view import view
from irassay.parallel import context
from irassay.views.formats import view_text
from irassay.views.render import print_view


@pytest.fixture(autouse=True)
def _no_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def albahem2018() -> Reproduction:
    return reproduction_of("albahem2018", Request(Published()))


@pytest.fixture(scope="module")
def moffat2012() -> Reproduction:
    return reproduction_of("moffat2012", Request(Published()))


def cells_of(reproduction: Reproduction, table: str) -> list[Figure]:
    return [cell for cell in reproduction.cells if cell.table == table]


def cell(reproduction: Reproduction, table: str, row: str, column: str) -> Figure:
    [one] = [c for c in cells_of(reproduction, table) if (c.row, c.column) == (row, column)]
    return one


def verdicts(reproduction: Reproduction, word: str) -> list[str]:
    return [finding.verdict for finding in reproduction.findings if word in finding.claim]


def test_everything_in_albahem2018_matches(albahem2018: Reproduction) -> None:
    assert albahem2018.reproduced and albahem2018.count("match", kind="printed") == albahem2018.count(kind="printed")
    printed = [albahem2018.count(table=table, kind="printed") for table in ("1", "figure 1", "text")]
    assert printed == [2 * 4, 0, 10]
    assert albahem2018.count(table="1", kind="ours") == 28 * 4  # the paper prints no zeros
    assert [c.ours for c in cells_of(albahem2018, "1") if c.kind == "ours"] == [0] * 112
    act = cell(albahem2018, "text", "ACT, m(S.x) <= m(S)", "violations")
    assert (act.published, act.ours) == (29496, 29496)
    marks = [c.ours for c in cells_of(albahem2018, "1") if c.row in ("ACT", "AP_IA")]
    assert "".join(map(str, marks)) == "✓×✓×✓✓××"


def test_the_findings_of_albahem2018(albahem2018: Reproduction) -> None:
    assert [finding.verdict for finding in albahem2018.findings].count("holds") == 10
    assert verdicts(albahem2018, "Equations 7 and 8") == ["does not hold"]
    [redundancy] = [f for f in albahem2018.findings if f.claim.startswith("AP-IA breaks redundancy")]
    assert "1,254" in redundancy.evidence  # with the five documents for each aspect of the paper's example


def test_figures_2_to_5_of_albahem2018_relate_the_rankings_of_figure_1(albahem2018: Reproduction) -> None:
    rankings = ["", *"abx", *(one + other for one in "abx" for other in "abx")]
    stated = {
        "figure 2": {(s, s + r) for s in rankings for r in "ab" if len(s) < 2},
        "figure 3": {(s + "x", s) for s in rankings if len(s) < 2},
        "figure 4": {(s + p, s + n) for s in "abx" for p in "ab" for n in "ab" if p in s and n not in s},
    }
    closure = set().union(*stated.values())
    while True:
        further = {(a, d) for a, b in closure for c, d in closure if b == c and a != d} - closure
        if not further:
            break
        closure |= further
    stated["figure 5"] = closure
    for figure, pairs in stated.items():
        last = cells_of(albahem2018, figure)[-1]
        assert last.kind == "ours" and last.ours == len(pairs)
        assert set(last.why.split()) == {f"{a or '∅'}≤{b or '∅'}" for a, b in pairs}


def test_progress_is_reported_and_one_table_can_be_requested() -> None:
    steps: list[tuple[int, int]] = []
    with context(progress=lambda doing: lambda done, total: steps.append((done, total))):
        reproduction = reproduction_of("albahem2018", Request(Published(), tables=frozenset({"text"})))
    steps = steps[: steps.index((1000, 1000)) + 1]  # of the first enumeration, which the tables come from
    assert reproduction.tables == ("text",) and not reproduction.findings and not reproduction.charts
    assert steps and steps == sorted(steps) and steps[-1][0] == steps[-1][1]


def test_static_figures_of_moffat2012(moffat2012: Reproduction) -> None:
    static = [c for c in moffat2012.cells if c.table in ("text", "figure 1", "figure 2")]
    explained = {(c.row, c.column): c.why for c in static if c.status != "match"}
    assert len(static) == 21 and moffat2012.reproduced
    assert set(explained) == {
        ("R(100)", "INSQ"),
        ("score of example (c)", "aINSQ(T=5)"),
        ("W(100), in 1e-15", "RBP(p=0.73)"),
    }
    assert "101 ranks" in explained["R(100)", "INSQ"] and "rank 101" in explained["W(100), in 1e-15", "RBP(p=0.73)"]
    assert "0.5016" in explained["score of example (c)", "aINSQ(T=5)"]
    assert [dict(moffat2012.charts)[name] is not None for name in ("figure-1", "figure-2", "tables-1b-2b")]


def test_parts_b_of_tables_1_and_2_appear_transposed(moffat2012: Reproduction) -> None:
    for table, collection in (("1b", "TREC-8"), ("2b", "TREC-10")):
        assert [c.status for c in cells_of(moffat2012, table)] == ["match"] * 72
        reproduction = sides(collection)
        assert not any(side.as_captioned for side in reproduction) and all(side.exchanged for side in reproduction)
    far = [abs(side.figure - side.captioned) for side in sides("TREC-8")]
    near = [abs(side.figure - side.other) for side in sides("TREC-8")]
    assert max(far) > 16 and max(near) < 0.4
    assert verdicts(moffat2012, "Above the diagonal") == ["does not hold"]
    assert verdicts(moffat2012, "62 to 81 %") == ["does not hold"]


def test_tables_4b_and_5b_follow_from_parts_a(moffat2012: Reproduction) -> None:
    made = [*cells_of(moffat2012, "4b"), *cells_of(moffat2012, "5b")]
    assert [c.status for c in made].count("match") == 20 and len(made) == 26
    assert {(c.row, c.table) for c in made if c.status == "unpublished"} == {("insq10", "4b")}  # cannot be read
    assert max(abs(c.difference or 0) for c in made) < 0.2


def test_the_published_tables_were_typed_right(oracles: Path) -> None:
    for table, collection, typed in (("1", "TREC-8", (PART_A, PART_B)), ("2", "TREC-10", (PART_A, PART_B))):
        for part, tables in zip("ab", typed, strict=True):
            text = (oracles / "meta" / "classagree" / f"table{table}{part}_published.csv").read_text()
            rows = csv.reader(io.StringIO(text))
            assert tuple(next(rows)[1:]) == NAMES
            read = np.array([[float(word) if word else np.nan for word in row[1:]] for row in rows])
            assert np.array_equal(read, tables[collection], equal_nan=True)


def test_without_data_the_rest_is_not_computed_and_says_why(moffat2012: Reproduction) -> None:
    assert [moffat2012.count("not computed", table) for table in ("1a", "2a", "4a", "5a")] == [81, 81, 15, 15]
    assert cell(moffat2012, "1a", "insq", "rr").why == "needs the TREC-8 run files"
    assert cell(moffat2012, "1a", "ap", "rr").why == "needs the published matrices or the TREC-8 run files"
    assert any("needs the TREC-8 and TREC-10 run files" in note for note in moffat2012.notes)


def test_trec_8_from_published_matrices(shared: Path) -> None:
    reproduction = reproduction_of("moffat2012", Request(Published((shared / "data",)), tables=frozenset({"1"})))
    assert reproduction.tables == ("1a", "1b", "1b from scores") and reproduction.reproduced
    made = [c for c in (*cells_of(reproduction, "1a"), *cells_of(reproduction, "1b from scores")) if c.ours is not None]
    assert len(made) == 9 + 6
    assert max(round(abs(c.difference or 0), 2) for c in made) == LARGEST_RESIDUE
    assert all("names neither its test" in c.why for c in made if c.status == "explained")
    assert f"{cell(reproduction, '1a', 'ap', 'ap').ours:.2f}" == "72.44"


def test_a_damaged_matrix_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adhoc8_ap.csv").write_text("run1,run2\n0.1,0.2\n")
    with pytest.raises(InputError, match=r"adhoc8_ap\.csv is not the published adhoc8_ap\.csv"):
        reproduction_of("moffat2012", Request(Published((tmp_path,))))
    assert MATRICES["ap"].url.endswith("/data/adhoc8_ap.csv")


def collection(folder: Path, topics: range, runs: int) -> Request:
    """Runs that find the relevant documents of more and more topics, and judgements of every topic."""
    (folder / "runs").mkdir()
    (folder / "qrels").write_text("".join(f"{topic} 0 d{d} {int(d < 2)}\n" for topic in topics for d in range(4)))
    for run in range(runs):
        lines = []
        for topic in topics:
            docs = range(4) if topic - topics.start < run * len(topics) // runs else range(3, -1, -1)
            lines += [f"{topic} Q0 d{d} {i + 1} {4 - i} run{run}\n" for i, d in enumerate(docs)]
        (folder / "runs" / f"run{run}").write_text("".join(lines))
    return Request(Published(), runs=(str(folder / "runs"),), qrels=folder / "qrels")


def test_a_users_runs_fill_the_tables_of_their_collection(tmp_path: Path) -> None:
    reproduction = reproduction_of("moffat2012", collection(tmp_path, range(501, 551), 4))
    assert reproduction.count("not computed", "2a") == reproduction.count("not computed", "5a") == 0
    assert reproduction.count("not computed", "1a") == 81 and len(cells_of(reproduction, "2b from scores")) == 72
    assert {c.why for c in cells_of(reproduction, "2a") if c.status == "explained"} == {"4 of 97 runs were given"}
    assert any(note.startswith("TREC-10: 4 systems, 6 pairs") for note in reproduction.notes)


def test_runs_of_another_collection_are_refused(tmp_path: Path) -> None:
    request = collection(tmp_path, range(1, 11), 2)
    with pytest.raises(InputError, match=r"judges topics such as 1; .*TREC-8 ad hoc track \(topics 401 to 450\)"):
        reproduction_of("moffat2012", request)
    with pytest.raises(InputError, match="give both runs and qrels"):
        reproduction_of("moffat2012", Request(Published(), qrels=tmp_path / "qrels"))


def test_every_chart_can_be_drawn(albahem2018: Reproduction, moffat2012: Reproduction) -> None:
    drawn = [make().to_dict() for reproduction in (albahem2018, moffat2012) for _, make in reproduction.charts]
    assert len(drawn) == 8 and all("$schema" in chart for chart in drawn)
    weights = json.dumps(drawn[6])
    assert all(f'"rank": {rank},' in weights for rank in FIGURE_2C)


SMALL = Reproduction(
    "moffat2012",
    (
        Figure("1a", "ap", "rr", 50.2, 50.06, 1, why="7 < 8 pairs_"),
        Figure("1a", "ap", "ap", 72.5, None, 1, why="needs runs"),
        Figure("text", "W(1)", "INSQ", 0.388, 0.38763652, 3),
        Figure("text", "pairs", "TREC-8", 8256, 8256, 0),
        Figure("text", "mark", "P", "✓", "×"),
        Figure("text", "nothing", "P", 0.0, -1e-17, 1),
        Figure("text", "new", "P", None, 0.25, 1),
    ),
    (
        CheckedClaim("It rises.", "does not hold", "It falls."),
        CheckedClaim("It is so.", "cannot be checked", "No data."),
    ),
    ("a note",),
)


def test_a_reproduction_is_shown_cell_by_cell(capsys: pytest.CaptureFixture[str]) -> None:
    shown = view(SMALL)
    assert shown.sentences == (
        "moffat2012: 3 of 6 printed figures match.",
        "1 figure differs for a reason given beside it or in the notes.",
        "1 figure differs without a known reason.",
        "1 figure was not computed; the reason is beside each.",
        "1 figure is ours, not in the paper.",
        "0 of 2 claims in its text hold. 1 does not hold. 1 cannot be checked.",
    )
    print_view(shown)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1a", "ap", "rr", "50.2", "50.060", "-0.140", "explained", "printed", "7", "<", "8", "pairs_"] in lines
    assert ["text", "W(1)", "INSQ", "0.388", "0.38764", "-0.00036", "match", "printed"] in lines
    assert ["text", "pairs", "TREC-8", "8256", "8256", "0", "match", "printed"] in lines
    assert ["text", "nothing", "P", "0.0", "0.000", "0.000", "match", "printed"] in lines
    assert ["1a", "2", "0", "1", "0", "1", "0", "0", "0", "0"] in lines
    assert ["all", "6", "3", "1", "1", "1", "0", "0", "0", "1"] in lines


def test_a_reproduction_for_machines() -> None:
    shown = view(SMALL)
    document = json.loads(view_text(shown, "json"))
    assert document["results"]["cells"][2] == {
        "table": "text",
        "row": "W(1)",
        "column": "INSQ",
        "published": 0.388,
        "ours": 0.38763652,
        "difference": 0.38763652 - 0.388,
        "status": "match",
        "kind": "printed",
        "explanation": None,
    }
    assert document["results"]["findings"][0]["verdict"] == "does not hold"
    rows = list(csv.DictReader(io.StringIO(view_text(shown, "csv").split("\n\n")[0])))
    assert len(rows) == 7 and rows[1]["ours"] == "" and rows[4]["published"] == "✓"
    latex = view_text(shown, "latex")
    assert r"\textbf{50.060}" in latex and r"7 \textless{} 8 pairs\_" in latex


def test_the_metrics_of_moffat2012_are_in_the_catalogue() -> None:
    from irassay.metrics.grammar import parse

    assert len({parse(metric) for metric in METRICS.values()}) == 11


def test_an_explanation_that_many_figures_share_is_a_note() -> None:
    why = "the runs of this collection are lent to participants of the track only, and were not given"
    cells = (*(Figure("1a", f"m{i}", "ap", 50.2, None, 1, why=why) for i in range(4)), *SMALL.cells)
    shown = view(Reproduction("moffat2012", cells, notes=("a note",)))
    assert [row[-1] for row in shown.tables[0].rows[:5]] == ["see note 1"] * 4 + ["7 < 8 pairs_"]
    assert shown.notes == ("a note", f"Note 1: {why}")


@pytest.mark.parametrize(
    ("paper", "request_", "message"),
    [
        (
            "chen2023",
            Request(Published(), frozenset({"3"})),
            "^Table 3 of chen2023 needs runs and judgements; give runs and qrels",
        ),
        ("chen2023", Request(Published(), frozenset({"figure 2"})), "^Figure 2 of chen2023 needs runs"),
        (
            "chen2023",
            Request(Published(), frozenset({"1", "7"})),
            "chen2023 has no table or figure 7; choose from 1, 2, fig",
        ),
        (
            "albahem2018",
            Request(Published(), runs=("r",)),
            "albahem2018 does not use runs, because it needs no data; leave",
        ),
        (
            "jiang2016",
            Request(Published(), runs=("r",), qrels=Path("q")),
            r"jiang2016 does not use runs and qrels, because it reads published files \(see data\)",
        ),
    ],
)
def test_impossible_requests_and_unused_inputs_are_refused(paper: str, request_: Request, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reproduction_of(paper, request_)


def test_a_folder_that_is_not_read_is_noted(tmp_path: Path) -> None:
    reproduction = reproduction_of("albahem2018", Request(Published((tmp_path,)), frozenset({"1"})))
    assert reproduction.notes[-1] == "albahem2018 reads no published files, so none were looked for or downloaded."


def test_charts_have_short_names_and_titles_with_the_paper(albahem2018: Reproduction, moffat2012: Reproduction) -> None:
    for reproduction in (albahem2018, moffat2012):
        for name, make in reproduction.charts:
            assert " " not in name and reproduction.paper in json.dumps(make().to_dict())
