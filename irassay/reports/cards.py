"""Report cards: all results about one metric, on one card."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.axiom_results import judgements_of
from irassay.assays.criteria import ROBUSTNESS, interval_text
from irassay.assays.criterion_sentences import criterion_definition, missing_estimate_reason, place_text, value_text
from irassay.assays.metric_kinds import MAX_NAMED_METRICS
from irassay.errors import InputError
from irassay.metrics.metric import Metric
from irassay.prose import count_phrase, name_list, percent_text
from irassay.rankings.gain import compact
from irassay.stats.paired_test import find_test, paired_test_label
from irassay.views.axioms import HOLDS_TEXTS
from irassay.views.explanation import curves
from irassay.views.view import Cell, Table

RANKS = 20  # of the curves
GRADED, ASPECTS = "2,0,1,0,0,1", "ab,x,a,b"  # the rankings whose scores are drawn
NEIGHBOURS = 5  # most similar metrics listed


@dataclass(frozen=True)
class Card:
    """One metric: what it models, and its results on this collection."""

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
    near: tuple[tuple[str, float], ...]  # the metrics that rank systems most similarly, with tau
    agreement: str
    checks: Table | None
    curves: Callable[[], dict[str, Any]] | None  # makes a Vega-Lite specification
    remarks: tuple[str, ...] = ()  # which differences are significant, and which judgements it needs
    canonical: str = ""  # its canonical name, if its label differs
    brief: tuple[tuple[str, str, bool], ...] = ()  # each criterion, the estimate, and whether the metric may be best


def cards(assay: Assay) -> tuple[Card, ...]:
    """A card for every metric, in the order given."""
    return tuple(_card(assay, m) for m in range(len(assay.metrics)))


def _card(assay: Assay, m: int) -> Card:
    metric = assay.metrics[m]
    model = assay.known.get(metric)
    tested = assay.axioms_of(metric, assay.axioms)
    broken, kept = [], []
    if tested is not None:
        there = assay.canonical_name(metric)
        row = tested.metrics.index(there)
        for p, axiom in enumerate(tested.axioms):
            if not tested.violations[row, p, 0]:
                kept += [axiom.title] if tested.cases[row, p, 0] else []
                continue
            witness = tested.witness(there, axiom.name)
            share = (
                f"Breaks {axiom.title} in {percent_text(tested.share[row, p])} of {tested.cases[row, p, 0]:,} cases."
            )
            broken.append(f"{share} {witness.sentence}" if witness else share)
    ranking = "" if model is None else ASPECTS if "aspects" in model.meaning.needs else GRADED
    return Card(
        metric=metric,
        id=f"card-{m + 1}",
        new=metric in assay.new,
        summary="" if model is None else model.meaning.summary,
        parameters="" if model is None else _parameters(model),
        cite=() if model is None else model.meaning.cite,
        broken=tuple(broken),
        kept=tuple(kept),
        tested=tested is not None,
        numbers=_profile_table(assay, m),
        near=tuple(pair for pair in assay.similarity.nearest(metric)[:NEIGHBOURS] if not np.isnan(pair[1])),
        agreement=_agreement_text(assay, m),
        checks=_checks(assay, metric),
        curves=None if model is None else _curve_maker(model, ranking),
        remarks=tuple(_remarks(assay, m)),
        canonical=str(metric) if str(metric) != f"{metric}" else "",
        brief=tuple(_brief_values(assay, m)),
    )


def _brief_values(assay: Assay, m: int) -> Iterator[tuple[str, str, bool]]:
    """(criterion, estimate, whether the metric may be best) of every criterion with an estimate."""
    for each in assay.profile.criteria if assay.profile else ():
        if not np.isnan(each.estimate[m]):
            best = each.selection is not None and bool(each.selection.may_be_best[m])
            yield each.name, value_text(each, each.estimate[m]), best


def _parameters(metric: Metric) -> str:
    """The parameters of the model itself, and those that were given."""
    own = {key: metric.params[key] for key in (*metric.meaning.own, "A") if metric.params.get(key) is not None}
    shown = own | dict(metric.given)
    return ", ".join(f"{key} = {compact(value)}" for key, value in shown.items())


def _profile_table(assay: Assay, m: int) -> Table:
    """[criterion] the profile of the metric."""
    lines: list[tuple[Cell, ...]] = []
    for each in assay.profile.criteria if assay.profile else ():
        share = each.is_share
        shown = "–" if np.isnan(each.estimate[m]) else value_text(each, each.estimate[m])
        again = each.replication[m]
        kind = f" ({assay.profile.bounds[m]})" if assay.profile and each.name == ROBUSTNESS else ""
        interval = interval_text(float(each.low[m]), float(each.high[m]), share)
        if np.isnan(each.estimate[m]) and assay.profile:
            interval = missing_estimate_reason(assay, assay.profile, each, m)
        lines.append(
            (
                f"{each.name}: {criterion_definition(assay, each.name)}{kind}",
                shown,
                interval,
                "–" if np.isnan(again) else percent_text(again, 0),
                place_text(assay, each, m).removeprefix("; ") or "–",
            )
        )
    return Table(f"card {m + 1}", ("criterion", "estimate", "interval", "replication", "place"), tuple(lines))


def _remarks(assay: Assay, m: int) -> Iterator[str]:
    """Which differences of means are significant by the metric, and which judgements it needs, if that is known."""
    yield f"{significance_text(assay, m)} ({assay.test} at {assay.alpha:g})."
    if assay.known.get(assay.metrics[m]) is not None:
        yield f"It needs judgements of {judgements_of(assay, assay.metrics[m])}."


def significance_text(assay: Assay, m: int) -> str:
    """The differences of means that are significant by a metric; one number only if the test has one threshold."""
    power = assay.discrimination
    level = power.levels.index(assay.alpha)
    significant, gap = power.p[:, m] < assay.alpha, np.abs(power.difference[:, m])
    threshold = power.threshold[level][m]
    if find_test(power.test).one_threshold and threshold > 0:
        return f"Differences of means from {threshold:.4f} on are significant"
    if not significant.any():
        return f"No difference of means is significant; the largest is {gap.max():.4f}"
    if significant.all():
        return f"Every difference of means is significant; the smallest is {gap.min():.4f}"
    if np.isnan(threshold):
        return f"The largest difference of means that is not significant is {gap[~significant].max():.4f}"
    low, high = power.threshold_ends[:, level, m]
    needs = f"The median pair of systems needs a difference of means of {threshold:.4f} to be significant"
    return f"{needs}; single pairs need {low:.4f} to {high:.4f}"


def _agreement_text(assay: Assay, m: int) -> str:
    """The metrics with which it shares the most and the fewest significant differences, and those it contradicts."""
    return " ".join([*_shared_difference_sentences(assay, m), *_contradiction_sentences(assay, m)])


def _shared_difference_sentences(assay: Assay, m: int) -> list[str]:
    found = assay.agreement
    classes = found.significance_class[m].copy()
    classes[m] = np.nan
    known = np.flatnonzero(~np.isnan(classes))
    if not len(known):
        return []
    ends = [known[classes[known] == end] for end in (classes[known].max(), classes[known].min())]
    most, fewest = (name_list([assay.metrics[n] for n in end], MAX_NAMED_METRICS) for end in ends)
    high, low = (percent_text(classes[end[0]]) for end in ends)
    test = paired_test_label(found.test, found.correction) + ", contradictions left out" * bool(found.SSD[m].any())
    what = f"Of the significant differences that it and another metric find ({test}),"
    if len(known) == 1:
        return [f"It and {most} share {high} of their significant differences ({test})."]
    if len(ends[0]) == len(known):
        return [f"{what} it shares {high} with each of {len(known)} metrics."]
    return [f"{what} it shares {high} with {most}, the most, and {low} with {fewest}, the fewest."]


def _contradiction_sentences(assay: Assay, m: int) -> list[str]:
    found, rivals = assay.agreement, np.flatnonzero(assay.agreement.SSD[m])
    if not len(rivals):
        return []
    who = f"{len(rivals)} other metrics, each on at most" if len(rivals) > 1 else f"{assay.metrics[rivals[0]]} on"
    pairs = f"{found.SSD[m].max():,} of {count_phrase(found.pairs, 'pair')} of systems"
    test = paired_test_label(found.test, found.correction)
    return [f"It contradicts {who} {pairs}: the two find different systems significantly better ({test})."]


def _checks(assay: Assay, metric: str) -> Table | None:
    """The checks of the metric."""
    tested = assay.axioms_of(metric, assay.checks)
    if tested is None:
        return None
    lines = tuple(
        (verdict.check.title, HOLDS_TEXTS[verdict.finding.holds], verdict.finding.sentence)
        for verdict in tested.verdicts
        if verdict.metric == assay.canonical_name(metric)
    )
    return Table("checks", ("check", "holds", "finding"), lines)


def _curve_maker(metric: Metric, ranking: str) -> Callable[[], dict[str, Any]] | None:
    """A function that draws the metric's curves on a ranking; None if it cannot score a ranking written by hand."""
    from irassay.metrics.explanation import explain

    try:
        explanation = explain(metric, ranking, ranks=RANKS)
    except InputError:
        return None
    return lambda: curves(explanation, f"The ranking {ranking}, rank by rank")
