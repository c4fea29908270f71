"""The view of desirable properties: who breaks what, how often, and the smallest example in words."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.axioms.method import Axioms, stated
from irassay.prose import counted, some
from irassay.views import altair as alt
from irassay.views.axioms.tree import relation_tree
from irassay.views.charts import down, finite, tips
from irassay.views.theme import data
from irassay.views.view import Cell, Table, View, by_column, rows

SHOWN = 24  # rows of the long table
SENTENCES = 12  # violations told in words; the tables have them all


def view(result: Axioms) -> View:
    """Which metrics break which properties."""
    tables = [*_counts(result), *_induced(result), *_witnesses(result), *_checks(result)]
    charts: list[tuple[str, Any]] = []
    if result.properties:
        charts.append(("violations", partial(violation_map, result)))
    if not result.sampled:
        drawn = [axiom for axiom in result.properties if not axiom.sized]
        charts += [(f"tree_{axiom.name}", partial(relation_tree, result, axiom)) for axiom in drawn]
        if len(stated(result.properties)) > 1:
            charts.append(("tree_all", partial(relation_tree, result, None)))
    return View("Desirable properties", _said(result), tuple(tables), _notes(result), tuple(charts), result.cite)


def _counts(result: Axioms) -> list[Table]:
    if not result.properties:
        return []
    names = tuple(axiom.title for axiom in result.properties)
    counts = result.violations[:, :, 0].astype(object)  # [metric, property], None where there are no cases
    counts[result.cases[:, :, 0] == 0] = None
    holds = ["yes" if held else "no" for held in result.all_hold]
    bold = frozenset((m, p + 1) for m, p in np.argwhere(result.violations[:, :, 0] > 0).tolist())
    by_pair = {
        "metric": np.repeat(np.array(result.metrics, dtype=object), len(names)),
        "property": names * len(result.metrics),
        "cases": result.cases[:, :, 0].ravel(),
        "violations": result.violations[:, :, 0].ravel(),
        "share": [finite(share) for share in result.share.ravel()],
        "cases with the empty": result.cases[:, :, 1].ravel(),
        "violations with the empty": result.violations[:, :, 1].ravel(),
    }
    title = "Cases of each property, without and with the empty ranking"
    together = rows(result.metrics, *counts.T, holds)
    return [
        Table("violations", ("metric", *names, "all hold"), together, "Violations", marks=bold),
        by_column("properties", by_pair, title, most=SHOWN),
    ]


def _induced(result: Axioms) -> list[Table]:
    found = result.induced
    if found is None:
        return []
    rows: list[tuple[Cell, ...]] = [("cases", *_six(found.direct, found.cases, found.closure), None, None)]
    for m, metric in enumerate(result.metrics):
        far = found.widest[m]
        pair = (None, None) if far is None else (result.space.text(far[0]), result.space.text(far[1]))
        rows.append((metric, *_six(found.direct_broken[m], found.broken[m], found.closure_broken[m]), *pair))
    heads = [f"{kind}{more}" for more in ("", " with the empty") for kind in ("direct", "induced", "closure")]
    title = "Relations broken of those that the properties state, and of those that follow from them together"
    return [Table("induced", ("metric", *heads, "furthest apart: worse", "better"), tuple(rows), title)]


def _six(direct: Any, induced: Any, closure: Any) -> tuple[int, ...]:
    return tuple(int(kind[empty]) for empty in (0, 1) for kind in (direct, induced, closure))


def _witnesses(result: Axioms) -> list[Table]:
    if not result.witnesses:
        return []
    columns = ("metric", "property", "worse", "better", "score of worse", "score of better", "margin")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (w.metric, w.axiom.title, w.worse, w.better, w.worse_score, w.better_score, w.margin) for w in result.witnesses
    )
    first = "Shortest found" if result.sampled else "Smallest violations"
    alike = "; those that differ only in the names of aspects are one" if result.space.aspects > 1 else ""
    return [Table("witnesses", columns, rows, first + alike, digits=6)]


def _checks(result: Axioms) -> list[Table]:
    if not result.verdicts:
        return []
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            verdict.metric,
            verdict.check.title,
            {True: "yes", False: "no", None: "–"}[verdict.finding.holds],
            verdict.finding.cases,
            verdict.finding.violations,
            verdict.finding.sentence,
        )
        for verdict in result.verdicts
    )
    return [Table("checks", ("metric", "check", "holds", "cases", "violations", "finding"), rows, "Named checks")]


def _where(result: Axioms) -> str:
    space = result.space
    what = f"{counted(space.aspects, 'aspect')}" if space.max_grade == 1 else f"grades up to {space.max_grade}"
    if space.max_grade > 1 and space.aspects > 1:
        what = f"{counted(space.aspects, 'aspect')} and {what}"
    if result.sampled:
        return f"In a sample of rankings of up to {space.depth} results with {what}"
    return f"Over all {space.size:,} rankings of up to {space.depth} results with {what}"


def _said(result: Axioms) -> tuple[str, ...]:
    bad = [metric for metric, ok in zip(result.metrics, result.all_hold, strict=True) if not ok]
    good = [metric for metric, ok in zip(result.metrics, result.all_hold, strict=True) if ok]
    said = [f"{_where(result)}, {_how_many(result, bad)}: {some(_named(result, bool(bad)), 12)}."]
    broken = [(m, p) for m, p in np.argwhere(result.violations[:, :, 0] > 0).tolist()]
    for m, p in broken[:SENTENCES]:
        metric, axiom = result.metrics[m], result.properties[p]
        count = f"{int(result.violations[m, p, 0]):,} of {counted(int(result.cases[m, p, 0]), 'case')}"
        witness = result.witness(metric, axiom.name)
        example = f" {witness.sentence}" if witness else ""
        said.append(f"{metric} breaks {axiom.title} in {count} ({result.share[m, p]:.1%}).{example}")
    if len(broken) > SENTENCES:
        said.append(f"{len(broken) - SENTENCES} more of these can be seen in the tables.")
    failed = [verdict for verdict in result.verdicts if verdict.finding.holds is False]
    said += [f"{v.metric} fails the check '{v.check.title}'. {v.finding.sentence}" for v in failed[:SENTENCES]]
    if len(failed) > SENTENCES:
        said.append(f"{counted(len(failed) - SENTENCES, 'more failed check')} can be seen in the tables.")
    if good and bad:
        said.append(f"{some(good, 40)} {'breaks' if len(good) == 1 else 'break'} none of those tested.")
    for p, axiom in enumerate(result.properties):
        if not result.cases[:, p, 0].any():
            said.append(f"{axiom.title.capitalize()} has no cases here.")
    return tuple(said)


def _how_many(result: Axioms, bad: list[str]) -> str:
    """How many metrics break something, up to the names of what."""
    if len(result.metrics) == 1:
        return f"{result.metrics[0]} breaks " + ("these" if bad else "none of these")
    if not bad:
        return f"none of {len(result.metrics)} metrics breaks any of these"
    if len(bad) == len(result.metrics):
        return f"each of {len(result.metrics)} metrics breaks some of these"
    return f"{len(bad)} of {len(result.metrics)} metrics {'breaks' if len(bad) == 1 else 'break'} some of these"


def _named(result: Axioms, broken: bool) -> list[str]:
    """What was tested or, of that, what some metric breaks."""
    failed = np.atleast_1d((result.violations[:, :, 0] > 0).any(axis=0)).tolist()
    names = [axiom.title for axiom, bad in zip(result.properties, failed, strict=True) if bad or not broken]
    checks = [v.check.title for v in result.verdicts if v.finding.holds is False or not broken]
    return list(dict.fromkeys([*names, *checks]))


def _notes(result: Axioms) -> tuple[str, ...]:
    space = result.space
    pool = max(space.judged[c] for c in space.relevant)
    kinds = ", ".join(space.letters[c] for c in space.relevant)
    notes = [
        f"A ranking is one turn of different documents, each of a kind: {kinds}, or {space.letters[space.nothing]} for "
        f"not relevant. {pool} documents of each relevant kind were judged; a ranking that has more of a kind has "
        f"them unjudged."
    ]
    if result.sampled:
        notes.append(
            f"{result.sampled:,} rankings for each metric and property, half of them at random and half by hill "
            f"climbing; counts are of what was tried, and where nothing was found there may still be violations."
        )
        return tuple(notes)
    notes.append("Counts leave out cases that touch the empty ranking, as albahem2018 does, unless they say otherwise.")
    exact = [metric for metric, known in zip(result.metrics, result.exact, strict=True) if known]
    if exact:
        notes.append(f"Compared as exact fractions: {some(exact, 40)}.")
    if len(exact) < len(result.metrics):
        others = "The other metrics' scores" if exact else "Scores"
        notes.append(f"{others} that differ by less than 1e-10 of their range are equal.")
    if not space.even:
        notes.append("Aspects differ in weight: redundancy relates a seen aspect only to new ones that weigh no less.")
    if result.induced is None and len(stated(result.properties)) > 1:
        notes.append("What follows from the axioms together was not counted.")
    return tuple(notes)


def violation_map(result: Axioms) -> "alt.AnyChart":
    """Metric by property: the share of cases that the metric breaks."""
    cells = [
        {
            "metric": metric,
            "property": axiom.title,
            "share": float(result.share[m, p]),
            "violations": int(result.violations[m, p, 0]),
            "cases": int(result.cases[m, p, 0]),
        }
        for m, metric in enumerate(result.metrics)
        for p, axiom in enumerate(result.properties)
        if result.cases[m, p, 0]
    ]
    base = alt.Chart(data(cells), title="Share of cases in which an axiom is broken").encode(
        x=alt.X("property:N", sort=[a.title for a in result.properties], title=None, axis=alt.Axis(labelAngle=-40)),
        y=down("metric", result.metrics),
        tooltip=["metric:N", "property:N", "violations:Q", "cases:Q", *tips(share=".2%")],
    )
    scale = alt.Scale(domain=[0, 1], range=["#fde0dd", "#a50026"])
    reds = alt.Color("share:Q", scale=scale, legend=None)
    square = base.mark_rect(stroke="#cccccc").encode(
        color=alt.condition("datum.violations == 0", alt.value("transparent"), reds)
    )
    ink = alt.condition("datum.share > 0.5", alt.value("white"), alt.value("black"))
    label = alt.Text("shown:N")
    form = "datum.share < 0.01 ? '.2%' : datum.share > 0.99 && datum.share < 1 ? '.1%' : '.0%'"  # 99.9% is not 100%
    words = f"datum.violations == 0 ? '' : format(datum.share, {form})"
    text = base.transform_calculate(shown=words).mark_text(fontSize=10).encode(text=label, color=ink)
    return (square + text).properties(width=alt.Step(56), height=alt.Step(20))
