"""The view of axioms: which metrics break which axioms, how often, and the smallest counterexample in words."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.axioms.method import Axioms, chainable_axioms
from irassay.prose import count_phrase, first_few
from irassay.views import altair as alt
from irassay.views.axioms.tree import relation_tree
from irassay.views.charts import cell_rows, chart_title, name_axis, tooltips
from irassay.views.table_columns import column_table, grid_columns, rows, with_headings
from irassay.views.theme import row_chart, without_nan
from irassay.views.view import Cell, Table, View

ROWS_SHOWN = 24  # of the long table
MAX_SENTENCES = 12  # violations in words; the tables have them all
HOLDS_TEXTS = {True: "yes", False: "no", None: "–"}
COUNTS = ("direct", "induced", "closure")
HEADINGS = {  # what people read instead of a machine's column
    "property": "axiom",
    "all hold": "all tested hold",
    "furthest apart: worse": "widest violation: worse",
    **{f"{count} with the empty": f"{count} incl. empty" for count in ("cases", "violations", *COUNTS)},
}


def view(result: Axioms) -> View:
    """Which metrics break which axioms."""
    tables = [*_count_tables(result), *_induced_table(result), *_witness_table(result), *_check_table(result)]
    tables = [with_headings(table, HEADINGS) for table in tables]
    charts: list[tuple[str, Any]] = []
    if result.axioms:
        charts.append(("violations", partial(violation_map, result)))
    if not result.sampled:
        drawn = [axiom for axiom in result.axioms if not axiom.uses_cutoff]
        charts += [(f"tree_{axiom.name}", partial(relation_tree, result, axiom)) for axiom in drawn]
        if len(chainable_axioms(result.axioms)) > 1:
            charts.append(("tree_all", partial(relation_tree, result, None)))
    return View("Axioms", _sentences(result), tuple(tables), _notes(result), tuple(charts), result.cite)


def _count_tables(result: Axioms) -> list[Table]:
    if not result.axioms:
        return []
    names = tuple(axiom.title for axiom in result.axioms)
    counts = result.violations[:, :, 0].astype(object)  # [metric, axiom], None if there are no cases
    counts[result.cases[:, :, 0] == 0] = None
    holds = ["yes" if held else "no" for held in result.all_hold]
    bold = frozenset((m, p + 1) for m, p in np.argwhere(result.violations[:, :, 0] > 0).tolist())
    by_pair = {
        "cases": result.cases[:, :, 0],
        "violations": result.violations[:, :, 0],
        "share": without_nan(result.share.ravel().tolist()),
        "cases with the empty": result.cases[:, :, 1],
        "violations with the empty": result.violations[:, :, 1],
    }
    by_pair = grid_columns({"metric": result.metrics, "property": names}, by_pair)
    title = "Cases of each axiom, without and with the empty ranking"
    by_metric = rows(result.metrics, *counts.T, holds)
    return [
        Table("violations", ("metric", *names, "all hold"), by_metric, "Violations", marks=bold),
        column_table("properties", by_pair, title, max_rows=ROWS_SHOWN, detail=True),
    ]


def _induced_table(result: Axioms) -> list[Table]:
    induced = result.induced
    if induced is None:
        return []
    rows: list[tuple[Cell, ...]] = [("cases", *_six_counts(induced.direct, induced.cases, induced.closure), None, None)]
    for m, metric in enumerate(result.metrics):
        pair = induced.widest[m]
        texts = (None, None) if pair is None else tuple(map(result.space.text, pair))
        counts = _six_counts(induced.direct_broken[m], induced.broken[m], induced.closure_broken[m])
        rows.append((metric, *counts, *texts))
    columns = ("metric", *COUNTS, *(f"{count} with the empty" for count in COUNTS), "furthest apart: worse", "better")
    title = "Broken relations: stated by the axioms (direct), following from them (induced), and both (closure)"
    return [Table("induced", columns, tuple(rows), title, detail=True)]


def _six_counts(direct: Any, induced: Any, closure: Any) -> tuple[int, ...]:
    return tuple(int(kind[empty]) for empty in (0, 1) for kind in (direct, induced, closure))


def _witness_table(result: Axioms) -> list[Table]:
    if not result.witnesses:
        return []
    columns = ("metric", "property", "worse", "better", "score of worse", "score of better", "margin")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (w.metric, w.axiom.title, w.worse, w.better, w.worse_score, w.better_score, w.margin) for w in result.witnesses
    )
    title = "Shortest violations found" if result.sampled else "Smallest violations"
    renamed = "; those that differ only in the names of aspects are shown once" if result.space.aspects > 1 else ""
    return [Table("witnesses", columns, rows, title + renamed, digits=6)]


def _check_table(result: Axioms) -> list[Table]:
    if not result.verdicts:
        return []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (metric, check.title, HOLDS_TEXTS[found.holds], found.cases, found.violations, found.sentence)
        for metric, check, found in ((v.metric, v.check, v.finding) for v in result.verdicts)
    )
    return [Table("checks", ("metric", "check", "holds", "cases", "violations", "finding"), rows, "Checks")]


def _scope(result: Axioms) -> str:
    """A sentence on what was tested."""
    space = result.space
    kinds = [count_phrase(space.aspects, "aspect")] if space.max_grade == 1 or space.aspects > 1 else []
    kinds += [f"grades up to {space.max_grade}"] if space.max_grade > 1 else []
    rankings = "a sample of" if result.sampled else f"all {space.size:,}"
    return f"Tested on {rankings} rankings of up to {space.depth} results with {' and '.join(kinds)}."


def _sentences(result: Axioms) -> tuple[str, ...]:
    bad = [metric for metric, held in zip(result.metrics, result.all_hold, strict=True) if not held]
    good = [metric for metric in result.metrics if metric not in bad]
    titles = _tested_titles(result, bool(bad))
    answer = _how_many_break(result, bad, titles) if titles else "Nothing could be tested"
    sentences = [f"{answer}.", *([_scope(result)] if titles else [])]
    broken = [(m, p) for m, p in np.argwhere(result.violations[:, :, 0] > 0).tolist()]
    for m, p in broken[:MAX_SENTENCES]:
        metric, axiom = result.metrics[m], result.axioms[p]
        broken_cases, cases = int(result.violations[m, p, 0]), int(result.cases[m, p, 0])
        part = "all" if broken_cases == cases > 1 else f"{broken_cases:,} of"
        count = f"{part} {count_phrase(cases, 'case')}"
        witness = result.witness(metric, axiom.name)
        example = f" {witness.sentence}" if witness else ""
        sentences.append(f"{metric} breaks {axiom.title} in {count}.{example}")
    if len(broken) > MAX_SENTENCES:
        sentences.append(f"The tables have {len(broken) - MAX_SENTENCES} more.")
    failed = [verdict for verdict in result.verdicts if verdict.finding.holds is False]
    sentences += [f"{v.metric} fails the check '{v.check.title}'. {v.finding.sentence}" for v in failed[:MAX_SENTENCES]]
    if len(failed) > MAX_SENTENCES:
        sentences.append(f"The tables have {count_phrase(len(failed) - MAX_SENTENCES, 'more failed check')}.")
    if good and bad:
        sentences.append(f"{first_few(good, 40)} {'breaks' if len(good) == 1 else 'break'} none of those tested.")
    untested = [axiom.title for p, axiom in enumerate(result.axioms) if not result.cases[:, p, 0].any()]
    sentences += [f"{title.capitalize()} has no cases here, so it was not tested." for title in untested]
    return tuple(sentences)


def _how_many_break(result: Axioms, bad: list[str], titles: list[str]) -> str:
    """How many metrics break something, and what: the titles of what some metric breaks, or of all if none does."""
    number, several = len(result.metrics), len(titles) > 1
    names = first_few(titles, 12)
    if number == 1:
        verb = "breaks" if bad else "breaks none of" if several else "does not break"
        return f"{result.metrics[0]} {verb} {'these: ' * several}{names}"
    some, of_these = 0 < len(bad) < number, f"{'some' if bad else 'any'} of these: "
    who = f"{len(bad)} of {number} metrics" if some else f"{'Each' if bad else 'None'} of {number} metrics"
    verb = "break" if some and len(bad) > 1 else "breaks"
    return f"{who} {verb} {of_these * several}{names}"


def _tested_titles(result: Axioms, only_broken: bool) -> list[str]:
    """The titles of the axioms and checks tested, or only of those that some metric breaks."""
    counts = result.violations if only_broken else result.cases
    named = np.atleast_1d(counts[:, :, 0].any(axis=0)).tolist()
    titles = [axiom.title for axiom, is_named in zip(result.axioms, named, strict=True) if is_named]
    titles += [v.check.title for v in result.verdicts if v.finding.holds is False or not only_broken]
    return list(dict.fromkeys(titles))


def _notes(result: Axioms) -> tuple[str, ...]:
    space = result.space
    pool = max(space.judged[c] for c in space.relevant)
    kinds = ", ".join(space.letters[c] for c in space.relevant)
    notes = [
        f"A ranking is one turn of distinct documents, each of one kind: {kinds}, or {space.letters[space.nothing]} if "
        f"not relevant. The pool has {count_phrase(pool, 'judged document')} of each relevant kind; a ranking may have "
        "more, which are unjudged."
    ]
    if result.sampled:
        notes.append(
            f"{result.sampled:,} rankings for each metric and axiom, half of them random and half found by hill "
            "climbing. Counts cover only what was tried: where none was found, there may still be violations."
        )
        return tuple(notes)
    notes.append("Counts leave out cases with the empty ranking, as albahem2018 does, unless a heading says otherwise.")
    exact = [metric for metric, known in zip(result.metrics, result.exact, strict=True) if known]
    if exact:
        notes.append(f"Compared as exact fractions: {first_few(exact, 40)}.")
    if len(exact) < len(result.metrics):
        others = "Scores of the other metrics" if exact else "Scores"
        notes.append(f"{others} count as equal if they differ by less than 1e-10 of their range.")
    if not space.even:
        notes.append(
            "Aspects differ in weight: redundancy compares a seen aspect only with new ones that weigh no less."
        )
    if result.induced is None and len(chainable_axioms(result.axioms)) > 1:
        notes.append("Relations that follow from several axioms together were not counted.")
    return tuple(notes)


def violation_map(result: Axioms) -> "alt.AnyChart":
    """Metric by axiom: the share of cases in which the metric breaks the axiom."""
    titles = [axiom.title for axiom in result.axioms]
    violations, cases = result.violations[:, :, 0], result.cases[:, :, 0]
    counts = {"share": result.share, "violations": violations, "cases": cases}
    cells = cell_rows({"metric": result.metrics, "axiom": titles}, counts, cases > 0)
    title = chart_title("Share of cases in which an axiom is broken", "a tick: no case was found")
    base = row_chart(cells, title=title).encode(
        x=alt.X("axiom:N", sort=titles, title=None, axis=alt.Axis(labelAngle=-40, orient="top")),
        y=name_axis("metric", result.metrics),
        tooltip=["metric:N", "axiom:N", "violations:Q", "cases:Q", *tooltips(share=".2%")],
    )
    scale = alt.Scale(domain=[0, 1], range=["#fde0dd", "#a50026"])
    reds = alt.Color("share:Q", scale=scale, legend=None)
    colour = alt.condition("datum.violations == 0", alt.value("transparent"), reds)
    square = base.mark_rect(stroke="#cccccc").encode(color=colour)
    ink = alt.condition("datum.share > 0.5", alt.value("white"), alt.value("black"))
    form = "datum.share < 0.01 ? '.2%' : datum.share > 0.99 && datum.share < 1 ? '.1%' : '.0%'"  # 99.9% is not 100%
    broken, kept = (base.transform_filter(f"datum.violations {sign} 0") for sign in (">", "=="))
    share = broken.transform_calculate(shown=f"format(datum.share, {form})").mark_text(fontSize=10)
    share = share.encode(text=alt.Text("shown:N"), color=ink)
    tick = kept.mark_text(fontSize=10, text="✓", color="#808080")  # legible on light and dark pages
    return (square + share + tick).properties(width=alt.Step(56), height=alt.Step(20))
