"""Tables of a comparison: the systems with their superscripts, the matrix of verdicts, and the pairs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import TIE, Ints
from irassay.meta.comparison_by_metric import Comparison
from irassay.prose import count_phrase
from irassay.views import comparison_notes as notes
from irassay.views.table_columns import column_table
from irassay.views.view import PAIRS_SHOWN, Table, column, reordered_table

SIGNS_PER_BLOCK = 10  # verdicts between two gaps in a row of the matrix
MAX_SUPERSCRIPT = 20  # characters; if one is longer, superscripts are left out


def systems_table(result: Comparison, numbers: Ints, lettered: bool = True) -> Table:
    """[system] best mean first: mean, group letters, possible ranks, and the systems it beats and loses to."""
    order = result.order
    verdicts = result.verdicts()
    by_number = verdicts[np.ix_(order, np.argsort(numbers))]  # [system, best first; other, by its number]
    beats = [label_ranges([*map(str, np.sort(numbers))], np.flatnonzero(row > 0).tolist()) for row in by_number]
    columns: dict[str, Any] = {"label": numbers.astype(str), "system": result.systems, "mean": result.own_mean}
    if result.baseline is None and result.alternative == "two-sided":
        if lettered:
            groups = result.groups()
            columns["group"] = [groups[system] for system in result.systems]
        columns["rank from"], columns["to"] = result.ranks()
    columns |= {"beats": (verdicts > 0).sum(axis=1), "loses to": (verdicts < 0).sum(axis=1)}
    readable = max(map(len, beats)) <= MAX_SUPERSCRIPT
    raised = {(i, 2): text for i, text in enumerate(beats) if text and readable}
    best = {(i, 2) for i in range(len(first_systems(result)))}
    plain_title = f"Systems, on {count_phrase(result.test.topics, 'topic')}"
    title = f"{plain_title}; superscripts name the systems beaten" if raised else plain_title
    outcomes = () if "to" in columns else ("beats", "loses to")
    brief = (*(("label",) if raised else ()), "system", "mean", "group", "rank from", "to", *outcomes)
    marks = frozenset(best)
    table = column_table(
        "systems", columns, title, order, marks=marks, raised=raised, plain_title=plain_title, brief=brief
    )
    return _with_given_labels(table, result.systems)


def first_systems(result: Comparison) -> list[int]:
    """The positions of the systems with the best mean."""
    top = result.mean[result.order[0]]
    return [int(s) for s in result.order if np.isclose(result.mean[s], top, rtol=TIE, atol=0)]


def _with_given_labels(table: Table, systems: Sequence[str]) -> Table:
    """A table whose form for machines labels the systems in the order given, whatever their means are."""
    label, system = (table.columns.index(name) for name in ("label", "system"))
    place = {name: str(i + 1) for i, name in enumerate(systems)}
    rows = tuple((*row[:label], place[str(row[system])], *row[label + 1 :]) for row in table.rows)
    return replace(table, machine=replace(table, rows=rows))


def rounded_ends(ends: Any, result: Comparison) -> Any:
    """Ends of intervals, with 0 for those that miss it only by rounding."""
    return np.where(np.abs(ends) < 1e-12 * np.abs(result.mean).max(initial=0.0), 0.0, ends)


def label_ranges(labels: Sequence[str], places: Sequence[int]) -> str:
    """Labels separated by commas, with three or more in a row shortened.

    >>> label_ranges("1234", [0, 2]), label_ranges("123456789", [1, 2, 3, 4, 8])
    ('1,3', '2–5,9')
    """
    ends = np.flatnonzero(np.diff(places) != 1) + 1
    stretches = [stretch.tolist() for stretch in np.split(places, ends)] if len(places) else []
    short = [f"{labels[s[0]]}–{labels[s[-1]]}" if len(s) > 2 else ",".join(labels[i] for i in s) for s in stretches]
    return ",".join(short)


def matrix_table(result: Comparison, numbers: Ints) -> Table:
    """[system] best mean first: better, worse or not significant against each other system, in the same order."""
    order = result.order
    signs = np.array(["·", "+", "−"])[result.verdicts()[np.ix_(order, order)]]
    np.fill_diagonal(signs, "\\")
    systems = [result.systems[i] for i in order]
    against = ["".join(row) for row in signs]
    columns = {"label": numbers[order].astype(str), "system": systems, "against": against}
    title = "Significance: + better than the system in that place, − worse, · not significant"
    table = _with_given_labels(column_table("significance", columns, title, detail=True), result.systems)
    places = range(0, len(systems), SIGNS_PER_BLOCK)
    if len(places) == 1:
        return table
    apart = [" ".join(row[n : n + SIGNS_PER_BLOCK] for n in places) for row in against]
    rows = tuple((*row[:-1], text) for row, text in zip(table.rows, apart, strict=True))
    return replace(table, rows=rows, title=f"{title}; a gap after every {SIGNS_PER_BLOCK} systems")


def pairs_table(result: Comparison, effects: bool = False) -> Table:
    """[pair] smallest p first."""
    order = np.lexsort((-np.abs(result.test.difference), result.p))
    test = result.test
    low, high = (np.where(notes.has_interval(result), rounded_ends(end, result), np.nan) for end in result.interval())
    columns: dict[str, Any] = {
        "system": [result.systems[i] for i in test.i],
        "other": [result.systems[j] for j in test.j],
        "difference": test.difference,
        "low": low,
        "high": high,
        "effect": result.effect,
        "p": test.p,
        "corrected p": result.p,
        **wins_ties_losses(result),
        "significant": np.where(result.significant, "yes", "no"),
    }
    if effects:
        columns["effect low"], columns["effect high"] = result.effect_interval()
    brief: tuple[str, ...] = ("system", "other", "difference", "low", "high", "corrected p", "significant")
    if not (result.margin is None and result.margin_d is None):
        p = result.equivalence()
        brief = (*brief[:-2], "equivalence p", "equivalent")  # not both tests, so that they fit into one line
        columns |= {"equivalence p": p, "equivalent": np.where(p < result.alpha, "yes", "no")}
    p_columns, title = ("p", "corrected p", "equivalence p"), "Pairs"
    if result.baseline is not None:
        title, brief = f"Differences from {result.baseline}", tuple(name for name in brief if name != "other")
    return column_table(
        "pairs", columns, title, order, max_rows=PAIRS_SHOWN, main=True, p_columns=p_columns, brief=brief
    )


def closest_first(table: Table, alpha: float) -> Table:
    """A table of pairs for people, first those whose p is closest to the level, by ratio; machines keep its order.

    That p is the corrected one of a difference, or of equivalence if that is tested too.
    """
    equivalence = "equivalence p" in table.columns
    p, decision = ("equivalence p", "decision on equivalence") if equivalence else ("corrected p", "decision")
    ratio = np.log(np.maximum(np.array(column(table, p), dtype=float), 1e-300) / alpha)
    title = f"{table.title}, closest to the {decision} first" if len(table.rows) > 1 else table.title
    order = np.argsort(np.abs(ratio), kind="stable")
    return replace(reordered_table(table, [int(row) for row in order]), title=title, machine=table)


def wins_ties_losses(result: Comparison) -> dict[str, Any]:
    """[pair] the topics on which the system wins, ties and loses against the other."""
    return {"wins": result.wins, "ties": result.ties, "losses": result.losses}
