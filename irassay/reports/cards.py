"""Report cards: all that is known of one metric, on one card."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.assays.assay import Assay, called
from irassay.assays.soundness import UNTOLD, Soundness, doubts
from irassay.errors import InputError
from irassay.metrics.metric import Metric
from irassay.prose import counted
from irassay.rankings.gain import compact
from irassay.views.view import Cell, Table

RANKS = 20  # of the curves
GRADED, ASPECTS = "2,0,1,0,0,1", "ab,x,a,b"  # the rankings whose scoring is drawn
NEIGHBOURS = 5
CURVES = {"C goes on": "C", "W attention": "W", "L stops": "L", "residual": "residual", "earned": "earned"}


@dataclass(frozen=True)
class Card:
    """One metric: what it models, and how it fares on this collection."""

    metric: str
    id: str
    word: str  # the verdict
    new: bool  # defined by the user
    summary: str  # what it models, in a sentence
    parameters: str
    cite: tuple[str, ...]
    against: tuple[str, ...]  # what speaks against it, with evidence
    untold: str  # why nothing can be said of it here
    broken: tuple[str, ...]  # counterexamples in words
    kept: tuple[str, ...]  # names of the properties that hold
    numbers: Table
    near: tuple[tuple[str, float], ...]  # the metrics that rank systems most as it does, with tau
    agreement: str
    checks: Table | None
    ranking: str  # what is drawn
    curves: Callable[[], dict[str, Any]] | None  # a Vega-Lite specification


def cards(found: Assay, judged: Mapping[str, Soundness]) -> tuple[Card, ...]:
    """A card for every metric, in the order given."""
    return tuple(_card(found, m, judged[metric]) for m, metric in enumerate(found.metrics))


def _card(found: Assay, m: int, verdict: Soundness) -> Card:
    metric = found.metrics[m]
    known = found.known.get(metric)
    tested = found.axioms_of(metric, found.properties)
    broken, kept = [], []
    if tested is not None:
        row = tested.metrics.index(metric)
        for p, axiom in enumerate(tested.properties):
            if not tested.violations[row, p, 0]:
                kept += [axiom.title] if tested.cases[row, p, 0] else []
                continue
            witness = tested.witness(metric, axiom.name)
            share = f"Breaks {axiom.title} in {tested.share[row, p]:.1%} of {tested.cases[row, p, 0]:,} cases."
            broken.append(f"{share} {witness.sentence}" if witness else share)
    ranking = "" if known is None else ASPECTS if "aspects" in known.meaning.needs else GRADED
    return Card(
        metric=metric,
        id=f"card-{m + 1}",
        word=verdict.word,
        new=metric in found.new,
        summary="" if known is None else known.meaning.summary,
        parameters="" if known is None else _parameters(known),
        cite=() if known is None else known.meaning.cite,
        against=tuple(objection.evidence for objection in verdict.objections if objection.kind != "property"),
        untold=verdict.untold if verdict.word == UNTOLD else "",
        broken=tuple(broken),
        kept=tuple(kept),
        numbers=_numbers(found, m),
        near=tuple(pair for pair in found.similarity.nearest(metric)[:NEIGHBOURS] if not np.isnan(pair[1])),
        agreement=_agreed(found, m),
        checks=_checks(found, metric),
        ranking=ranking,
        curves=None if known is None else _drawn(known, ranking),
    )


def _parameters(metric: Metric) -> str:
    """The parameters of the model itself, and those that were given."""
    own = {key: metric.params[key] for key in (*metric.meaning.own, "A") if metric.params.get(key) is not None}
    shown = own | dict(metric.given)
    return ", ".join(f"{key} = {compact(value)}" for key, value in shown.items())


def _numbers(found: Assay, m: int) -> Table:
    """Where the metric stands among the others."""
    power, steady = found.discrimination.power(found.alpha), found.consistency.mean
    low, high = found.consistency.interval()
    moved, significant = doubts(found)

    def place(values: Any, best: int) -> Cell:
        return None if np.isnan(values[m]) else 1 + int(np.sum(best * values > best * values[m]))

    lines: list[tuple[Cell, ...]] = [
        (f"power: pairs of systems told apart ({found.test})", f"{power[m]:.1%}", place(power, 1)),
        (
            "consistency: tau between halves of the topics",
            "–" if np.isnan(steady[m]) else f"{steady[m]:.3f} ({low[m]:.3f} to {high[m]:.3f})",
            place(steady, 1),
        ),
        (f"difference that is significant ({found.test})", f"{significant[m]:.4f}", None),
    ]
    if found.bounds is not None:
        known = found.known.get(found.metrics[m])
        kind = "bounds" if known is not None and known.bounded else "imputation range"
        lines.append((f"missing judgements: width of the {kind}", f"{moved[m]:.4f}", place(moved, -1)))
    return Table(f"card {m + 1}", ("question", "answer", f"place of {len(power)}"), tuple(lines))


def _agreed(found: Assay, m: int) -> str:
    """With whom it agrees the most and the least on what is significant."""
    classes = found.agreement.significance_class[m].copy()
    classes[m] = np.nan
    if np.isnan(classes).all():
        return ""
    most, least = int(np.nanargmax(classes)), int(np.nanargmin(classes))
    how = called(found.agreement.test, found.agreement.correction)
    said = f"Of what is significant ({how}) it agrees the most with {found.metrics[most]} ({classes[most]:.1%})"
    said += f", the least with {found.metrics[least]} ({classes[least]:.1%})." if most != least else "."
    against = int(found.agreement.SSD[m].sum())
    return said + (
        f" It contradicts other metrics significantly on {counted(against, 'pair')} of systems." if against else ""
    )


def _checks(found: Assay, metric: str) -> Table | None:
    """Properties of the metric by itself."""
    tested = found.axioms_of(metric, found.checks)
    if tested is None:
        return None
    words = {True: "yes", False: "no", None: "–"}
    lines = tuple(
        (verdict.check.title, words[verdict.finding.holds], verdict.finding.sentence)
        for verdict in tested.verdicts
        if verdict.metric == metric
    )
    return Table("checks", ("property", "holds", "finding"), lines)


def _drawn(metric: Metric, ranking: str) -> Callable[[], dict[str, Any]] | None:
    """The curves of the metric on a ranking; None where it cannot score a ranking written by hand."""
    from irassay.metrics.explanation import explain

    try:
        found = explain(metric, ranking, ranks=RANKS)
    except InputError:
        return None
    if not found.is_model:
        return lambda: bars(found.items, found.earned.tolist())
    return lambda: curves({name: getattr(found, array).tolist() for name, array in CURVES.items()})


def bars(items: Sequence[str], earned: Sequence[float]) -> dict[str, Any]:
    """What each result adds to the score, of a metric that has no user model."""
    points = [
        {"rank": n, "result": item, "adds": value} for n, (item, value) in enumerate(zip(items, earned, strict=True), 1)
    ]
    tips = [{"field": "rank", "type": "ordinal"}, {"field": "result", "type": "nominal"}]
    return {
        "data": {"values": points},
        "mark": {"type": "bar", "width": {"band": 0.7}},
        "encoding": {
            "x": {"field": "rank", "type": "ordinal", "axis": {"labelAngle": 0}},
            "y": {"field": "adds", "type": "quantitative", "title": "adds to the score"},
            "tooltip": [*tips, {"field": "adds", "type": "quantitative", "format": ".4f"}],
        },
        "width": 420,
        "height": 160,
    }


def curves(values: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Lines by rank as a Vega-Lite specification, written out since there is one for every metric."""
    points = [
        {"rank": rank, "curve": name, "value": value}
        for name, line in values.items()
        for rank, value in enumerate(line, 1)
        if np.isfinite(value)
    ]
    tips = [{"field": "rank", "type": "quantitative"}, {"field": "curve", "type": "nominal"}]
    return {
        "data": {"values": points},
        "mark": {"type": "line", "point": {"size": 28}, "strokeWidth": 1.6},
        "encoding": {
            "x": {"field": "rank", "type": "quantitative", "axis": {"tickMinStep": 1, "format": "d"}},
            "y": {"field": "value", "type": "quantitative", "title": None},
            "color": {"field": "curve", "type": "nominal", "title": None, "sort": list(CURVES)},
            "tooltip": [*tips, {"field": "value", "type": "quantitative", "format": ".4f"}],
        },
        "width": 420,
        "height": 220,
    }
