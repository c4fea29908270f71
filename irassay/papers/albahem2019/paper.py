"""Meta-evaluation of dynamic search (Albahem et al. 2019): which metrics agree with relevance, diversity and effort."""

import itertools
from dataclasses import replace
from functools import partial

from irassay.notes import MeansNote
from irassay.papers.albahem2019 import charts
from irassay.papers.albahem2019 import tables as printed
from irassay.papers.albahem2019.claims import checked_claims
from irassay.papers.albahem2019.counts import (
    ALL_DIMENSIONS,
    RANKED_SETS,
    ROUNDS,
    YEARS,
    Counts,
    computed_counts,
    correlation,
    table_1,
    table_1_matches,
)
from irassay.papers.reproduction import Figure, Kind, Reproduction, Request

RBUS = tuple(itertools.product((0.8, 0.9, 0.99), (0.001, 0.05, 0.1, 0.5)))  # parameters p and e in the scores
NO_SCORES = "2015 public but not at hand"
REPAIRED_COLUMN = ("Rel and Div and Eff", "10")
REPAIRED = (
    "Our copy of the paper has five columns in the last block of Table 2 (Rel and Div and Eff); for iteration 10 we "
    "took the only reading that skips no rank and gives Table 4."
)
WITHOUT_2015 = (
    "Without the scores of 2015, that year comes from the authors' counts. Those of intuitiveness are only for all "
    "three dimensions together, so Table 2 can be recomputed only for Rel and Div and Eff. Table 3 is complete: "
    "the unanimity of 2015 is published for every set."
)
MIXED = "ranks by intuitiveness as printed, by unanimity recomputed"
CIRCULAR = "circular: the printed ranks were repaired to give this figure"


def reproduce(request: Request) -> Reproduction:
    """Recompute Tables 1 to 4 from the published scores of each year; for 2015 from counts if there are no scores."""
    counts = computed_counts(request.published, request.seed)
    parts = (_section_2, _table_1, _table_2, _table_3, _table_4, _by_year, _efforts, _footnote_5)
    makers = {"disagreement": charts.disagreement, "ranks": charts.ranks, "footnote-5": charts.ranks_by_iteration}
    named_charts = tuple((name, partial(make, counts)) for name, make in makers.items())
    return Reproduction(
        "albahem2019",
        tuple(_explained(cell, counts) for part in parts for cell in part(counts)),
        () if request.tables else checked_claims(counts),
        notes=_notes(counts),
        charts=named_charts,
        remarks=_remarks(counts) if request.wants("4") else (),
    )


def _explained(cell: Figure, counts: Counts) -> Figure:
    """The cell, with a reason if it differs and the scores of 2015 are not the published ones."""
    if counts.has_original_2015 or cell.status != "differs":
        return cell
    return replace(cell, why="the scores of 2015 are not the published ones")


def _remarks(counts: Counts) -> tuple[str, ...]:
    """What the matches in Table 4 depend on, if Table 2 could not be recomputed."""
    if counts.has_2015:
        return ()
    same = [_recomputed_cell(counts, column) == printed.TABLE_4[column][-1] for column in printed.COLUMNS]
    return (
        "Table 4 compares ranks by intuitiveness as printed in Table 2 with ranks by unanimity as recomputed in Table "
        f"3, because Table 2 can be recomputed only for {ALL_DIMENSIONS}: there, with both recomputed, {sum(same)} of "
        f"{len(same)} match. The match at iteration 10 for {ALL_DIMENSIONS} is circular, because that column of Table "
        "2 was repaired with Table 4.",
    )


def _recomputed_cell(counts: Counts, column: str) -> str:
    """A cell of Table 4 for all three dimensions, with the ranks by both tests recomputed."""
    return correlation(counts.all_dimension_ranks(column), counts.unanimity_ranks(column)[-1])[0]


def _notes(counts: Counts) -> tuple[str, ...]:
    means = next((note for note in counts.scores["1"].notes if isinstance(note, MeansNote)), "")
    return (
        "Data: scores and counts in github.com/aalbahem/ir-eval-meta-analysis.",
        counts.note_2015,
        *(() if counts.has_2015 else (WITHOUT_2015,)),
        str(means)
        if counts.has_2015
        else f"{means} The authors' counts of 2015 include such a row, as one more topic.",
        REPAIRED if counts.has_2015 else f"{REPAIRED} {_missing_win(counts)}",
        _parameters(counts),
    )


def _parameters(counts: Counts) -> str:
    """A note on which parameters of RBU the paper used."""
    fits = {(p, e): table_1_matches(counts, rbu=f"rbu_{p:.3f}_{e:.3f}") for p, e in RBUS}
    p, e = max(fits, key=lambda parameters: fits[parameters])
    best, *others = sorted(fits.values(), reverse=True)
    return (
        f"The paper does not give the parameters of RBU; Table 1 matches in {best} of its 42 cells with p = {p:g} and "
        f"e = {e:g}, and in {min(others)} to {max(others)} with the {len(others)} others in the scores."
    )


def _section_2(counts: Counts) -> list[Figure]:
    """Numbers of runs and topics in each year."""
    test = counts.tests["1"]
    sizes = dict(zip(counts.years, zip(test.systems, test.topics, strict=True), strict=True))
    why = f"{NO_SCORES}; its 117,056 cases of unanimity are those of 32 runs, in both orders, and 118 topics"
    return [
        Figure("section 2.5", year, kind, printed.FIGURES[kind][year], size, digits=0, why=why if size is None else "")
        for year in ("2015", *YEARS)
        for kind, size in zip(("runs", "topics"), sizes.get(year, (None, None)), strict=True)
    ]


def _table_1(counts: Counts) -> list[Figure]:
    return [
        Figure("1", f"{pair[0]}, iteration {iteration}", pair[1], text, ours[pair])
        for iteration in ("1", "10")
        for ours in [table_1(counts.marked_tests[iteration])]
        for pair, text in printed.table_1(iteration).items()
    ]


def _table_2(counts: Counts) -> list[Figure]:
    cells = []
    for (s, set_name), column in itertools.product(enumerate(printed.SETS), printed.COLUMNS):
        published, ranks = printed.ranks(printed.TABLE_2, set_name, column), counts.test_ranks(column)[s]
        three_years = counts.three_year_ranks(set_name, column)
        is_repaired = (set_name, column) == REPAIRED_COLUMN
        for m, name in enumerate(printed.METRICS):
            ours, why = None, f"{NO_SCORES}; {ranks[m]} by 2016 and 2017 alone"
            if counts.has_2015 or set_name == ALL_DIMENSIONS:
                ours, why = int(three_years[m]), "repaired column, see the notes" if is_repaired else ""
            kind: Kind = "read to fit" if is_repaired else "printed"
            cells.append(Figure("2", name, _column(set_name, column), published[m], ours, 0, why=why, kind=kind))
    return cells


def _missing_win(counts: Counts) -> str:
    """A note on why the ranks at iteration 10 are not those printed."""
    a, b = printed.METRICS.index("ACT"), printed.METRICS.index("α-nDCG")
    mine, others = counts.correct_2015[-1, a, b], counts.correct_2015[-1, b, a]
    return (
        f"At iteration 10 ACT is one win short of the printed ranks: in 2015 it leads α-nDCG by {mine} to {others} "
        f"(p = {counts.p_2015[-1, a, b]:.3f}) in counts that include a row of means as one more topic."
    )


def _table_3(counts: Counts) -> list[Figure]:
    return [
        Figure("3", name, _column(set_name, column), published[m], int(ours[s, m]), digits=0)
        for column in printed.COLUMNS
        for ours in [counts.unanimity_ranks(column)]
        for s, set_name in enumerate(printed.SETS)
        for published in [printed.ranks(printed.TABLE_3, set_name, column)]
        for m, name in enumerate(printed.METRICS)
    ]


def _table_4(counts: Counts) -> list[Figure]:
    """Table 2 against Table 3: both recomputed if 2015 has scores, otherwise with Table 2 as printed, and repaired."""
    cells = []
    for column in printed.COLUMNS:
        by_unanimity = counts.unanimity_ranks(column)
        for s, set_name in enumerate(printed.SETS):
            text, _, _ = correlation(counts.table_2_ranks(set_name, column), by_unanimity[s])
            why = "" if counts.has_2015 else MIXED
            kind: Kind = "printed"
            if set_name == ALL_DIMENSIONS and not counts.has_2015:
                if column == "10":
                    why, kind = f"{why}; {CIRCULAR}", "read to fit"
                why += f"; both recomputed: {_recomputed_cell(counts, column)}"
            cells.append(Figure("4", _row(column), set_name, printed.TABLE_4[column][s], text, why=why, kind=kind))
    return cells


def _by_year(counts: Counts) -> list[Figure]:
    """The same for each year alone, which the paper mentions but does not print; for 2015, what is public."""
    cells = []
    for column, (y, year) in itertools.product(printed.COLUMNS, enumerate((*YEARS, "2015"))):
        ranks = {ALL_DIMENSIONS: counts.ranks_of_2015(column)}
        if year in counts.years:
            ranks = dict(zip(printed.SETS, counts.test_ranks(column, y), strict=False))
        by_unanimity = dict(zip(printed.SETS, counts.unanimity_ranks(column, y), strict=True))
        for set_name, by_test in ranks.items():
            text, _, _ = correlation(by_test, by_unanimity[set_name])
            cells.append(Figure("4 by year", f"{year}, {_row(column)}", set_name, None, text))
    return cells


def _efforts(counts: Counts) -> list[Figure]:
    """nCT against nEU by each simple metric of effort, at iteration 10."""
    test = counts.tests["10"]
    a, b = printed.METRICS.index("nCT"), printed.METRICS.index("nEU")
    share = test.shares()
    return [
        Figure("section 3.2", f"{name}, {year}", "nCT/nEU", None, f"{share[y, s, a, b]:.4f}/{share[y, s, b, a]:.4f}")
        for s, name in enumerate(printed.EFFORTS, start=len(RANKED_SETS))
        for y, year in enumerate(counts.years)
    ]


def _footnote_5(counts: Counts) -> list[Figure]:
    """Ranks by intuitiveness that the paper computed but does not show: other iterations and sets, no significance."""

    def cell(set_name: str, column: str, significant: bool) -> Figure:
        ranks = counts.three_year_ranks(set_name, column, significant)
        text = ", ".join(f"{name} {rank}" for name, rank in zip(printed.METRICS, ranks.tolist(), strict=True))
        row = set_name if significant else f"{set_name}, without significance"
        why = "" if counts.has_2015 or set_name == ALL_DIMENSIONS else counts.years_phrase
        return Figure("footnote 5", row, _row(column), None, text, why=why)

    every_column = (*ROUNDS, "All")
    other = [(s, c) for s in RANKED_SETS for c in every_column if s in printed.OTHER_SETS or c not in printed.COLUMNS]
    nominal = itertools.product(RANKED_SETS, printed.COLUMNS)
    return [*(cell(*place, True) for place in other), *(cell(*place, False) for place in nominal)]


def _row(column: str) -> str:
    return "all iterations" if column == "All" else f"iteration {column}"


def _column(set_name: str, column: str) -> str:
    return f"{set_name}, {column if column == 'All' else f'iteration {column}'}"
