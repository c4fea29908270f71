"""The view of a reproduced paper: published and recomputed figures cell by cell, and whether its claims hold."""

from collections import Counter
from dataclasses import dataclass

from irassay.papers.reproduction import VERDICTS, Figure, Kind, Reproduction
from irassay.prose import count_phrase
from irassay.views.view import Cell, Detail, Table, View

COLUMNS = ("table", "row", "column", "published", "ours", "difference", "status", "kind", "explanation")
BRIEF_COLUMNS = ("table", "row", "column", "published", "ours")
STATUSES = ("match", "explained", "differs", "not computed")  # of a printed figure
OTHER_KINDS: dict[Kind, str] = {  # what is counted apart from the printed figures
    "read to fit": "read from a damaged copy, in the reading that fits",
    "illegible": "illegible in our copy",
    "label": "only a name or a list of names",
    "ours": "ours, not in the paper",
}
EXTRA_DECIMALS = 2  # ours are shown with this many more than published
MIN_SHARED = 4  # figures that share a long explanation, for it to become a note
LONG_EXPLANATION = 70  # characters


@dataclass(frozen=True)
class FigureTable(Table):
    """A table whose rows were published with different numbers of decimals, its `row_digits`."""

    def shown(self, row: int, column: int) -> str:
        """A figure with its published decimals, and ours with a few more."""
        value = self.rows[row][column]
        if not isinstance(value, float) or value != value:
            return super().shown(row, column)
        digits = self.row_digits[row] + (0 if self.columns[column] == "published" else EXTRA_DECIMALS)
        text = f"{value:.{digits}f}"
        return text.removeprefix("-") if float(text) == 0 else text


def view(result: Reproduction) -> View:
    """Every figure with its explanation, counts for each table, and the claims with their verdicts."""
    tables = [_figure_table(result), _summary_table(result)] if result.cells else []
    if result.findings:
        tables.append(_claim_table(result))
    return View(
        f"Reproduction of {result.paper}",
        _sentences(result),
        tuple(tables),
        (*result.notes, *(f"Note {number}: {why}" for why, number in _note_numbers(result).items())),
        result.charts,
        (result.paper,),
    )


def _sentences(result: Reproduction) -> tuple[str, ...]:
    """What the paper prints and how much of it matches; then, separately, everything else."""
    matches, explained, differs, missing = (result.count(status, kind="printed") for status in STATUSES)
    printed = result.count(kind="printed")
    headline = (
        f"{matches:,} of {count_phrase(printed, 'printed figure')} match" if printed else "no printed figures here"
    )
    sentences = [f"{result.paper}: {headline}."]
    if explained:
        place = "it" if explained == 1 else "them"
        sentences.append(f"{_figures_that(explained, 'differ')} for a reason given beside {place} or in the notes.")
    if differs:
        sentences.append(f"{_figures_that(differs, 'differ')} without a known reason.")
    if missing:
        verb = "was" if missing == 1 else "were"
        sentences.append(f"{count_phrase(missing, 'figure')} {verb} not computed; the reason is beside each.")
    others = (_other_kind(result, kind, words) for kind, words in OTHER_KINDS.items())
    sentences += [Detail(f"{sentence}.") for sentence in others if sentence]
    sentences += map(Detail, result.remarks)
    if result.findings:
        verdicts = Counter(str(claim.verdict) for claim in result.findings)
        total = f"of {count_phrase(len(result.findings), 'claim')} in its text "
        counts = [
            f"{verdicts[verdict]} {total if verdict == 'holds' else ''}{_verdict_verb(verdict, verdicts[verdict])}."
            for verdict in VERDICTS.values()
            if verdicts[verdict] or verdict == "holds"
        ]
        sentences.append(" ".join(counts))
    if result.findings and result.checked_on:
        other = "not about the paper's collections, except where a claim names those"
        sentences.append(f"These verdicts are about {result.checked_on}, {other}.")
    return tuple(sentences)


def _other_kind(result: Reproduction, kind: Kind, words: str) -> str:
    """The number of figures of a kind that are not counted as printed, and how many of them match."""
    number = result.count(kind=kind)
    if not number:
        return ""
    phrase = f"{count_phrase(number, 'figure')} {'is' if number == 1 else 'are'} {words}"
    return phrase if kind in ("illegible", "ours") else f"{phrase}; {result.count('match', kind=kind):,} match"


def _figures_that(number: int, verb: str) -> str:
    return f"{count_phrase(number, 'figure')} {verb}{'s' if number == 1 else ''}"


def _verdict_verb(verdict: str, number: int) -> str:
    return verdict if number == 1 else verdict.replace("holds", "hold").replace("does", "do")


def _figure_table(result: Reproduction) -> FigureTable:
    """Every figure; those that differ are marked."""
    shared = _note_numbers(result)
    rows = tuple(_row(cell, shared) for cell in result.cells)
    ours = COLUMNS.index("ours")
    marks = frozenset((r, ours) for r, cell in enumerate(result.cells) if cell.status in ("explained", "differs"))
    decimals = tuple(cell.digits for cell in result.cells)
    by_status = {status: [r for r, cell in enumerate(result.cells) if cell.status == status] for status in STATUSES}
    different = (*by_status["differs"], *by_status["explained"])
    title = "Figures as published and as recomputed"
    return FigureTable(
        "cells",
        COLUMNS,
        rows,
        title,
        marks=marks,
        row_digits=decimals,
        detail=not different,
        brief=(*BRIEF_COLUMNS, *(["status"] if by_status["differs"] else [])),
        brief_rows=different,
    )


def _note_numbers(result: Reproduction) -> dict[str, int]:
    """Long explanations shared by several figures, with the number of the note that each becomes."""
    times = Counter(cell.why for cell in result.cells if len(cell.why) > LONG_EXPLANATION)
    return {why: number for number, why in enumerate((why for why, n in times.items() if n >= MIN_SHARED), start=1)}


def _row(cell: Figure, shared: dict[str, int]) -> tuple[Cell, ...]:
    why = f"see note {shared[cell.why]}" if cell.why in shared else cell.why or None
    return cell.table, cell.row, cell.column, cell.published, cell.ours, cell.difference, cell.status, cell.kind, why


def _summary_table(result: Reproduction) -> Table:
    """[table] The numbers of printed figures by status, and of other figures by kind."""
    rows: list[tuple[Cell, ...]] = []
    for table in (*result.tables, None):
        counts = [result.count(status, table, "printed") for status in STATUSES]
        others = [result.count(table=table, kind=kind) for kind in OTHER_KINDS]
        rows.append((table or "all", result.count(table=table, kind="printed"), *counts, *others))
    columns = ("table", "printed", *STATUSES, *OTHER_KINDS)
    title = "Figures by table: printed ones by status, others by kind"
    return Table("summary", columns, tuple(rows), title, brief=("table", "printed", *STATUSES), detail=True)


def _claim_table(result: Reproduction) -> Table:
    rows = tuple((each.claim, each.verdict, each.evidence) for each in result.findings)
    marks = frozenset((r, 1) for r, row in enumerate(rows) if row[1] == "does not hold")
    failed = tuple(sorted(r for r, _ in marks))
    return Table(
        "findings",
        ("claim", "verdict", "evidence"),
        rows,
        f"Claims in the text{f', checked on {result.checked_on}' if result.checked_on else ''}",
        marks=marks,
        detail=not failed,
        brief=("claim", "verdict"),
        brief_rows=failed,
    )
