"""Report cards: all that is known of one metric, on one card."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.axiom_results import judgements_of
from irassay.assays.findings import criterion_definition
from irassay.assays.profile import COMPLETE, DISCRIMINATES, interval_text
from irassay.errors import InputError
from irassay.metrics.metric import Metric
from irassay.prose import count_phrase
from irassay.rankings.gain import compact
from irassay.stats.paired_test import paired_test_label, find_test
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
    new: bool  # defined by the user
    summary: str  # what it models, in a sentence
    parameters: str
    cite: tuple[str, ...]
    broken: tuple[str, ...]  # counterexamples in words
    kept: tuple[str, ...]  # names of the axioms that hold
    tested: bool  # whether axioms were tested at all
    numbers: Table
    near: tuple[tuple[str, float], ...]  # the metrics that rank systems most as it does, with tau
    agreement: str
    checks: Table | None
    ranking: str  # what is drawn
    curves: Callable[[], dict[str, Any]] | None  # a Vega-Lite specification
    canonical: str = ""  # the metric as machines have it, where its label differs


def cards(found: Assay) -> tuple[Card, ...]:
    """A card for every metric, in the order given."""
    return tuple(_card(found, m) for m in range(len(found.metrics)))


def _card(found: Assay, m: int) -> Card:
    metric = found.metrics[m]
    known = found.known.get(metric)
    tested = found.axioms_of(metric, found.axioms)
    broken, kept = [], []
    if tested is not None:
        there = found.canonical_name(metric)
        row = tested.metrics.index(there)
        for p, axiom in enumerate(tested.axioms):
            if not tested.violations[row, p, 0]:
                kept += [axiom.title] if tested.cases[row, p, 0] else []
                continue
            witness = tested.witness(there, axiom.name)
            share = f"Breaks {axiom.title} in {tested.share[row, p]:.1%} of {tested.cases[row, p, 0]:,} cases."
            broken.append(f"{share} {witness.sentence}" if witness else share)
    ranking = "" if known is None else ASPECTS if "aspects" in known.meaning.needs else GRADED
    return Card(
        metric=metric,
        id=f"card-{m + 1}",
        new=metric in found.new,
        summary="" if known is None else known.meaning.summary,
        parameters="" if known is None else _parameters(known),
        cite=() if known is None else known.meaning.cite,
        broken=tuple(broken),
        kept=tuple(kept),
        tested=tested is not None,
        numbers=_numbers(found, m),
        near=tuple(pair for pair in found.similarity.nearest(metric)[:NEIGHBOURS] if not np.isnan(pair[1])),
        agreement=_agreed(found, m),
        checks=_checks(found, metric),
        ranking=ranking,
        curves=None if known is None else _drawn(known, ranking),
        canonical=str(metric) if str(metric) != f"{metric}" else "",
    )


def _parameters(metric: Metric) -> str:
    """The parameters of the model itself, and those that were given."""
    own = {key: metric.params[key] for key in (*metric.meaning.own, "A") if metric.params.get(key) is not None}
    shown = own | dict(metric.given)
    return ", ".join(f"{key} = {compact(value)}" for key, value in shown.items())


def _numbers(found: Assay, m: int) -> Table:
    """The profile of the metric, a criterion a row."""
    lines: list[tuple[Cell, ...]] = []
    for each in found.profile.criteria if found.profile else ():
        share = each.name in (DISCRIMINATES, COMPLETE)
        shown = "–" if np.isnan(each.estimate[m]) else f"{each.estimate[m]:.1%}" if share else f"{each.estimate[m]:.3f}"
        again = each.replication[m]
        lines.append(
            (
                f"{each.name}: {criterion_definition(found, each.name)}{_kind(found, each.name, m)}",
                shown,
                (each.remarks and each.remarks[m]) or interval_text(float(each.low[m]), float(each.high[m]), share),
                "–" if np.isnan(again) else f"{again:.0%}",
            )
        )
    lines.append(("difference that is significant", significant(found, m), None, None))
    lines.append(("cost: what has to be judged", judgements_of(found, found.metrics[m]), None, None))
    return Table(f"card {m + 1}", ("criterion", "estimate", "interval", "replication"), tuple(lines))


def _kind(found: Assay, name: str, m: int) -> str:
    """What the criterion rests on by this metric, where that differs between metrics."""
    return f" ({found.profile.bounds[m]})" if found.profile and name == COMPLETE else ""


def significant(found: Assay, m: int) -> str:
    """From which difference of means on a metric finds two systems different: a number only under one threshold."""
    power = found.discrimination
    least, most = power.smallest_significant(found.alpha)[m], power.largest_nonsignificant(found.alpha)[m]
    if find_test(power.test).one_threshold:
        return f"from {power.threshold[power.levels.index(found.alpha)][m]:.4f} on ({found.test})"
    if np.isnan(least):
        return f"none was, up to {most:.4f} ({found.test})"
    if least > most:
        return f"all from {least:.4f} on, none up to {most:.4f} ({found.test})"
    return f"none below {least:.4f}, all above {most:.4f}; between them it depends on the pair ({found.test})"


def _agreed(found: Assay, m: int) -> str:
    """With whom it agrees the most and the least on what is significant."""
    classes = found.agreement.significance_class[m].copy()
    classes[m] = np.nan
    if np.isnan(classes).all():
        return ""
    most, least = int(np.nanargmax(classes)), int(np.nanargmin(classes))
    how = paired_test_label(found.agreement.test, found.agreement.correction)
    said = f"Of what is significant ({how}) it agrees "
    if classes[least] < classes[most]:
        said += f"the most with {found.metrics[most]} ({classes[most]:.1%})"
        said += f", the least with {found.metrics[least]} ({classes[least]:.1%})."
    elif np.count_nonzero(~np.isnan(classes)) > 1:
        said += f"with every other metric alike ({classes[most]:.1%})."
    else:
        said += f"with {found.metrics[most]} on {classes[most]:.1%}."
    against = int(found.agreement.SSD[m].sum())
    return said + (
        f" It contradicts other metrics significantly on {count_phrase(against, 'pair')} of systems." if against else ""
    )


def _checks(found: Assay, metric: str) -> Table | None:
    """The checks of the metric by itself."""
    tested = found.axioms_of(metric, found.checks)
    if tested is None:
        return None
    words = {True: "yes", False: "no", None: "–"}
    lines = tuple(
        (verdict.check.title, words[verdict.finding.holds], verdict.finding.sentence)
        for verdict in tested.verdicts
        if verdict.metric == found.canonical_name(metric)
    )
    return Table("checks", ("check", "holds", "finding"), lines)


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
