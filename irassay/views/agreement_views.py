"""Views of what depends on the metric or on the judges: significant differences, and stand-ins for a metric."""

from typing import Any

import numpy as np

from irassay.meta.agreement import Agreement
from irassay.meta.alternatives import CHOSEN, REPORTED, Alternatives
from irassay.meta.robustness.method import OUTCOMES, Robustness
from irassay.prose import counted, some
from irassay.views.systems_charts import (
    MATRIX,
    alternatives_map,
    heat_map,
    outcome_bars,
    robustness_curves,
    robustness_dots,
)
from irassay.views.systems_views import PAIRS_SHOWN, cell, marked, on_canonical
from irassay.views.view import Cell, Table, View, view

BARS = 30  # pairs of metrics in a chart


@view.register
def agreement_view(result: Agreement, **_: Any) -> View:
    """On which pairs of systems the significant differences of every two metrics agree."""
    first, second = np.triu_indices(len(result.metrics), k=1)
    significant, neither = result.significance_class, result.insignificance_class
    order = np.argsort(np.nan_to_num(significant[first, second], nan=-1), kind="stable")
    pairs = [(int(first[i]), int(second[i])) for i in order]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            result.metrics[a],
            result.metrics[b],
            *(int(getattr(result, name)[a, b]) for name in OUTCOMES),
            float(significant[a, b]),
            float(neither[a, b]),
        )
        for a, b in pairs
    )
    columns = ("metric", "other metric", *OUTCOMES, "SSA class", "NN class")
    strongest = [result.metrics[m] for m in _by_power(result)]
    powers = tuple((result.metrics[m], float(result.power()[m])) for m in _by_power(result))
    tables = [
        Table("agreement", columns, rows, "Pairs of metrics, least agreement first", digits=4, most=PAIRS_SHOWN),
        Table("power", ("metric", "power"), powers, "Discriminative power", marks=marked(strongest)),
    ]
    if 2 < len(result.metrics) <= MATRIX:
        tables.append(_percentages(result))
    how = result.test + (f", {result.correction}" if result.correction != "none" else "")
    notes = (
        *result.notes,
        f"S: the difference is significant at {result.alpha:g} by {how}; the first letter is of the metric, the second "
        "of the other one; A and D: the two agree or disagree on which system is better. SSA class: 2SSA/(2SSA+SN+NS), "
        "NN class: 2NN/(2NN+SN+NS).",
        *on_canonical(result.metrics),
    )
    return View(
        "Agreement of significant differences",
        _agreed(result, pairs, how),
        tuple(tables),
        notes,
        (
            ("agreement", lambda: outcome_bars(result, pairs[:BARS])),
            ("classes", lambda: heat_map(result.metrics, significant, _by_power(result), "agreement", "SSA class")),
        ),
        ("moffat2012",),
    )


def _by_power(result: Agreement) -> list[int]:
    return [int(m) for m in np.argsort(-result.power(), kind="stable")]


def _percentages(result: Agreement) -> Table:
    """As the papers print it: power on the diagonal, SSA above, SSD below, in per cent of the pairs."""
    count = np.triu(result.SSA) + np.tril(result.SSD, k=-1)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(float(100 * value / result.pairs) for value in row))
        for name, row in zip(result.metrics, count, strict=True)
    )
    title = "Per cent of pairs of systems: power on the diagonal, SSA above it, SSD below"
    return Table("matrix", ("metric", *result.metrics), rows, title, digits=2, marks=marked(result.metrics))


def _agreed(result: Agreement, pairs: list[tuple[int, int]], how: str) -> tuple[str, ...]:
    power = result.power()[~result.constant] if not result.constant.all() else result.power()
    least, most = f"{power.min():.1%}", f"{power.max():.1%}"
    told = (
        "no metric tells any apart"
        if not power.max()
        else f"the metrics tell from {least} to {most} apart"
        if least != most
        else f"every metric tells {most} apart"
    )
    said = [
        f"Of {counted(result.pairs, 'pair')} of {counted(result.systems, 'system')} on "
        f"{counted(result.topics, 'topic')}, {told} at {result.alpha:g} by {how}."
    ]
    classes = result.significance_class
    known = [pair for pair in pairs if not (np.isnan(classes[pair]) or result.constant[list(pair)].any())]
    for pair, most in ((known[0], "least"), (known[-1], "most")) if len(known) > 1 else ():
        a, b = pair
        said.append(
            f"{result.metrics[a]} and {result.metrics[b]} agree the {most} on what is significant "
            f"({classes[pair]:.1%})."
        )
    against = sorted(pairs, key=lambda pair: -result.SSD[pair])
    if not power.max():
        return tuple(said)
    if against and result.SSD[against[0]]:
        a, b = against[0]
        said.append(
            f"{result.metrics[a]} and {result.metrics[b]} contradict each other on "
            f"{counted(int(result.SSD[a, b]), 'pair')}, each significantly for another system."
        )
    elif against:
        said.append("No two metrics contradict each other significantly.")
    return tuple(said)


@view.register
def robustness_view(result: Robustness, **_: Any) -> View:
    """What other judgements change, for every metric."""
    columns = [
        "judgements",
        "level",
        "metric",
        "repeats",
        "judged",
        "tau",
        "sd",
        "tau_AP",
        "fall",
        "system",
        "fall of ten",
    ]
    columns += ["bias", "relative bias", "slope", "kept", "lost", "reversed", "new"]
    teams = "team" in result.kind
    rows = []
    for kind, level in result.cases():
        at = result.rows(kind, level)
        found = {name: result.mean(name, kind, level) for name in ("tau", "tau_ap", "bias", "relative_bias", "slope")}
        counts = {name: getattr(result, name)[at].mean(axis=0) for name in OUTCOMES}
        with np.errstate(invalid="ignore"):
            before = counts["SSA"] + counts["SN"] + counts["SSD"]
            shares = [counts[name] / before for name in ("SSA", "SN", "SSD")]
        for m, metric in enumerate(result.metrics):
            worst = at[int(np.argmax(result.fall[at, m]))]
            rows.append(
                (
                    *(kind, level, metric, len(at), int(result.judged[at].mean().round()) or None),
                    *(cell(a[m]) for a in (found["tau"], result.sd("tau", kind, level), found["tau_ap"])),
                    cell(result.fall[worst, m]),
                    result.systems[result.fallen[worst, m]] if result.fall[worst, m] > 0 else None,
                    cell(result.fall_top[at, m].max()),
                    *(cell(found[name][m]) for name in ("bias", "relative_bias", "slope")),
                    *(cell(share[m]) for share in shares),
                    cell(counts["NS"][m] / result.pairs),
                    *((cell(result.own_fall[at, m].max()),) if teams else ()),
                )
            )
    marks = frozenset(
        (row, 2) for row in range(len(rows)) for m, _ in marked(result.metrics) if row % len(result.metrics) == m
    )
    table = Table(
        "robustness",
        (*columns, *(("fall of the team",) if teams else ())),
        tuple(rows),
        "Under other judgements",
        digits=4,
        marks=marks,
    )
    return View(
        "Robustness to other judgements",
        _robust(result),
        (table,),
        (*result.notes, *_explained(result, teams), *on_canonical(result.metrics)),
        _charts(result),
        ("buckley2004", "buttcher2007", "yilmaz2008"),
    )


def _explained(result: Robustness, teams: bool) -> list[str]:
    how = result.test + (f", {result.correction}" if result.correction != "none" else "")
    said = [
        "fall: most places lost by a system, in the worst repeat, and by one of the reference's first ten; bias: mean "
        "score less that under the reference; slope: its change with the reference score; tau_AP is symmetric.",
        f"kept, lost, reversed: shares of the pairs significant under the reference at {result.alpha:g} by {how}; new: "
        "share of all pairs that are significant only under the other judgements.",
    ]
    if teams:
        said.append("fall of the team: most places lost by a run of the team whose unique finds were left out.")
    return said


def _robust(result: Robustness) -> tuple[str, ...]:
    what = {
        "other": "Under the other judgements",
        "thin": "With {} of the judgements",
        "pool": "With a pool of depth {}",
        "noise": "With noise in the grades",
        "team": "Without what {} alone found",
    }
    said = []
    for kind in dict.fromkeys(result.kind):
        levels = [level for each, level in result.cases() if each == kind]
        level = min(levels, key=lambda each: np.nanmin(np.nan_to_num(result.mean("tau", kind, each), nan=1.0)))
        ranked = [(name, tau) for name, tau in result.ranked(kind, level) if not np.isnan(tau)]
        if not ranked:
            said.append(f"{what[kind].format(level)} no metric ranks the systems.")
            continue
        said.append(f"{what[kind].format(level)} {_kept(result, kind, level, ranked)}")
    return tuple(said)


def _kept(result: Robustness, kind: str, level: str, ranked: list[tuple[str, float]]) -> str:
    """Who keeps the ranking best and who least, and what becomes of the best one's significant differences."""
    (best, high), (worst, low) = ranked[0], ranked[-1]
    ranking = f"the ranking of {counted(len(result.systems), 'system')}"
    if f"{high:.3f}" != f"{low:.3f}":
        said = f"{best} keeps {ranking} best (tau {high:.3f}), {worst} least ({low:.3f})"
    else:
        who = best if len(ranked) == 1 else "every metric"
        said = f"{who} keeps {ranking} with a tau of {high:.3f}"
    before = (result.SSA + result.SN + result.SSD)[result.rows(kind, level), result.metrics.index(best)]  # [repeat]
    if not before.any():
        return f"{said}; {best} has no significant difference to keep."
    share = result.significance("kept")[result.rows(kind, level), result.metrics.index(best)].mean()
    return f"{said}; {best} keeps {share:.0%} of its significant differences."


def _charts(result: Robustness) -> tuple[tuple[str, Any], ...]:
    charts: list[tuple[str, Any]] = []
    for kind in dict.fromkeys(result.kind):
        draw = robustness_curves if kind in ("thin", "pool") else robustness_dots
        charts.append((kind, lambda draw=draw, kind=kind: draw(result, kind)))
    return tuple(charts)


@view.register
def alternatives_view(result: Alternatives, **_: Any) -> View:
    """Metrics that could stand in for the reference, as chosen on one half of the topics and seen on the other."""
    r = result.metrics.index(result.reference)
    chosen, confirmed = result.chosen(), result.confirmed()
    order = [r] + [m for m in np.argsort(-np.nan_to_num(result.tau[CHOSEN], nan=-2), kind="stable").tolist() if m != r]
    rows = tuple(
        (
            result.metrics[m],
            *(
                float(array[half, m])
                for half in (CHOSEN, REPORTED)
                for array in (result.tau, result.powers, result.consistency)
            ),
            float(result.gain_low[REPORTED, m]),
            float(result.gain_high[REPORTED, m]),
            "reference"
            if m == r
            else "yes"
            if result.metrics[m] in confirmed
            else "chosen only"
            if result.metrics[m] in chosen
            else "",
        )
        for m in order
    )
    halves = [f"{name} ({half})" for half in ("choosing", "reporting") for name in ("tau", "power", "consistency")]
    columns = ("metric", *halves, "gain low", "gain high", "alternative")
    names = [result.metrics[m] for m in order]
    how = result.test + (f", {result.correction}" if result.correction != "none" else "")
    notes = (
        *result.notes,
        f"Chosen on {result.topics[0]} topics (seed {result.seed}): tau with {result.reference} of at least "
        f"{result.similar:g}, and better in power (pairs told apart at {result.alpha:g} by {how}) or in consistency "
        f"(mean tau between halves), as chen2023 asks. Reported on the other {result.topics[1]}; there it must be "
        "similar, and better in the same again.",
        "Unlike chen2023, what is better in one must not be worse in the other: with more power, the interval of its "
        "gain in consistency must not lie below 0; with more consistency, it must have no less power.",
        f"gain: how much more consistent than {result.reference} on the reporting half, with what other topics would "
        "give.",
        *on_canonical(result.metrics),
    )
    return View(
        f"Alternatives to {result.reference}",
        _stand_ins(result, chosen, confirmed),
        (Table("alternatives", columns, rows, "Alternatives", digits=4, marks=marked(names)),),
        notes,
        (("alternatives", lambda: alternatives_map(result, chosen, confirmed)),),
        ("chen2023",),
    )


def _stand_ins(result: Alternatives, chosen: list[str], confirmed: list[str]) -> tuple[str, ...]:
    if not chosen:
        return (
            f"No metric ranks the systems as {result.reference} does (tau of {result.similar:g} or more) and is better "
            f"in something without being worse in another, on the {result.topics[0]} topics that were chosen on.",
        )
    said = [
        f"{counted(len(chosen), 'metric')} could stand in for {result.reference} on the topics chosen on; on the other "
        f"topics this holds for {len(confirmed)}: {some(confirmed, 8)}."
        if confirmed
        else f"{counted(len(chosen), 'metric')} could stand in for {result.reference} on the topics chosen on, but "
        "none on the other topics."
    ]
    if confirmed:
        r = result.metrics.index(result.reference)
        best = max((result.metrics.index(name) for name in confirmed), key=lambda m: result.powers[REPORTED, m])
        said.append(
            f"{result.metrics[best]} has the most power of them: it tells {result.powers[REPORTED, best]:.1%} of the "
            f"pairs apart, {result.reference} {result.powers[REPORTED, r]:.1%}; their tau is "
            f"{result.tau[REPORTED, best]:.3f}."
        )
    return tuple(said)
