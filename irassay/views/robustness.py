"""The view of the effect of other judgements."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from irassay.meta.agreement import OUTCOMES
from irassay.meta.complete_scores import mean_of_known
from irassay.meta.robustness.method import Robustness
from irassay.prose import agreeing_clause, capitalised, count_phrase, level_text, name_list, percent_text
from irassay.stats.paired_test import paired_test_label
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note, starred_names
from irassay.views.charts import (
    cell_rows,
    chart_title,
    distinct_lines,
    interval_lines,
    line_channels,
    name_axis,
    tooltips,
)
from irassay.views.phrases import ORDER_NOT_TESTED
from irassay.views.table_columns import ROUNDING, interval_ends, plain_value
from irassay.views.theme import row_chart
from irassay.views.view import BRIEF_ROWS, Detail, Table, View

ENDS = ("low", "high")
DEFAULT_TEST = paired_test_label("t")
MAX_BANDS = 4  # metrics up to which a chart shows bands
EVERY_LEVEL = {  # where, if no level changes a ranking
    "other": "under all the other judgements",
    "thin": "with every share of the judgements",
    "pool": "with every pool depth",
    "team": "without the unique finds of any one team",
}
MAX_AXIS_START = 0.9  # the highest tau at which an axis of tau starts


def view(result: Robustness) -> View:
    """The effect of other judgements on every metric."""
    teams, ends = "team" in result.kind, "other" in result.kind and result.tau_error.size > 0
    columns = (
        *("judgements", "level", "metric", "repeats", "judged", "tau", "sd", *(("low", "high") if ends else ())),
        *("tau_AP", "fall", "system", "fall of ten"),
        *("bias", "relative bias", "slope", "kept", "lost", "reversed", "new"),
        *(("fall of the team",) if teams else ()),
    )
    rows = []
    for kind, level in result.cases():
        at = result.rows(kind, level)
        means = {name: result.mean(name, kind, level) for name in ("tau", "tau_ap", "bias", "relative_bias", "slope")}
        counts = {name: getattr(result, name)[at].mean(axis=0) for name in OUTCOMES}
        with np.errstate(invalid="ignore"):
            before = counts["SSA"] + counts["SN"] + counts["SSD"]
            shares = [counts[name] / before for name in ("SSA", "SN", "SSD")]
        for m, metric in enumerate(result.metrics):
            worst = at[int(np.argmax(result.fall[at, m]))]
            row = (
                *(kind, level, metric, len(at), int(result.judged[at].mean().round()) or None),
                *(a[m] for a in (means["tau"], result.sd("tau", kind, level))),
                *((end[at[0], m] for end in interval_ends(result.tau, *result.interval())) if ends else ()),
                means["tau_ap"][m],
                result.fall[worst, m],
                result.systems[result.fallen[worst, m]] if result.fall[worst, m] > 0 else None,
                result.fall_top[at, m].max(),
                *(array[m] for array in (means["bias"], means["relative_bias"], means["slope"], *shares)),
                counts["NS"][m] / result.pairs,
                *((result.own_fall[at, m].max(),) if teams else ()),
            )
            rows.append(tuple(map(plain_value, row)))
    marks = canonical_cells([str(row[2]) for row in rows], column=2)
    brief = ("judgements", "level", "metric", "tau", "low", "high", "fall", "kept", "lost", "reversed", "new")
    digits = tuple(1 if name.startswith("fall") else 4 for name in columns)  # ranks, which may be halves
    title = (
        "Under other judgements; fall: most ranks lost by a system; kept, lost, reversed: shares of the significant "
        "pairs; new: share of all pairs"
    )
    by_tau = np.argsort([1.0 if row[5] is None else row[5] for row in rows], kind="stable")
    lowest = tuple(by_tau[:BRIEF_ROWS].tolist()) if len(rows) > 2 * BRIEF_ROWS else ()  # such as many teams
    table = Table("robustness", columns, tuple(rows), title, digits=digits, marks=marks, brief=brief, brief_rows=lowest)
    notes = (*result.notes, *_notes(result, teams), *canonical_note(result.metrics))
    charts = tuple(
        (kind, partial(robustness_curves if kind in ("thin", "pool") else robustness_dots, result, kind))
        for kind in dict.fromkeys(result.kind)
        if not np.isnan(result.tau[[each == kind for each in result.kind]]).all()  # as when all systems tie
    )
    return View("Robustness to other judgements", _sentences(result), (table,), notes, charts)


def _notes(result: Robustness, teams: bool) -> list[str]:
    test = paired_test_label(result.test, result.correction)
    notes = [
        "fall: most ranks lost by a system, in the worst repeat; fall of ten: the same among the reference's first "
        "ten; bias: mean score minus that under the reference; slope: change of the bias with the reference score; "
        "tau_AP is symmetric.",
        "kept, lost, reversed: shares of the pairs significant under the reference at "
        f"{result.alpha:g} by {test}; new: share of all pairs that are significant only under the other judgements.",
    ]
    if len(result.metrics) > 1:
        notes.append(ORDER_NOT_TESTED)
    if "other" in result.kind and result.tau_error.size:
        notes.append(
            f"low, high: the {level_text(result.alpha)} interval of tau over topics, by the jackknife, leaving out "
            "half of the topics; systems and both sets of judgements are taken as given."
        )
        low, high = result.interval()
        if ((low == result.tau) & (high == result.tau)).any():
            notes.append("no interval: tau was the same on every half of the topics; that does not make it certain.")
    if teams:
        notes.append("fall of the team: most ranks lost by a run of the team whose unique finds were left out.")
    return notes


def _sentences(result: Robustness) -> tuple[str, ...]:
    what = {
        "other": "under the other judgements",
        "thin": "with {:g}% of the judgements",
        "pool": "with a pool of depth {}",
        "noise": "with noise in the grades",
        "team": "without the unique finds of {}",
    }
    sentences: list[str] = []
    test = paired_test_label(result.test, result.correction)
    alone = f"Significance is tested for each pair alone ({test})."
    for kind in dict.fromkeys(result.kind):
        levels = [level for each, level in result.cases() if each == kind]
        level = min(levels, key=lambda each: np.nanmin(np.nan_to_num(result.mean("tau", kind, each), nan=1.0)))
        ranked = [(name, tau) for name, tau in result.ranked(kind, level) if not np.isnan(tau)]
        case = what[kind].format(100 * float(level) if kind == "thin" else level)
        case = f"under the judgements '{level}'" if kind == "other" and len(levels) > 1 else case
        if len(levels) > 1 and ranked and ranked[-1][1] > 1 - ROUNDING:  # no level changes a ranking
            answer = _kept_sentences(result, kind, levels, ranked, EVERY_LEVEL[kind], False)
        else:
            answer = _kept_sentences(result, kind, [level], ranked, case, len(levels) > 1)
        # not the default test of `compare`, so it is in the first line
        tested = (
            "" if sentences or not ranked else f" {alone if test == DEFAULT_TEST else f'Pairs are tested by {test}.'}"
        )
        sentences += [f"{answer[0]}{tested}", *answer[1:]]
    return (*sentences, Detail(f"The ranking is of {count_phrase(len(result.systems), 'system')} by their means."))


def _kept_sentences(
    result: Robustness, kind: str, levels: list[str], ranked: list[tuple[str, float]], case: str, is_worst: bool
) -> tuple[str, ...]:
    """Which metrics preserve the ranking best and least, and how many significant differences the best one keeps.

    `case` is where, and `is_worst` says that it is the worst of several.
    """
    opening = capitalised(case)
    if not ranked:
        return (f"{opening}, no metric ranks the systems.",)
    (best, high), (_, low) = ranked[0], ranked[-1]
    leaders, last = ([name for name, each in ranked if abs(each - end) < ROUNDING] for end in (high, low))
    keep = "preserves" if len(leaders) == 1 else "preserve"
    tau = "tau" if len(result.rows(kind, levels[0])) == 1 else "mean tau"
    there, who = " there" if is_worst else "", best if len(ranked) == 1 else "every metric"
    if f"{high:.3f}" == f"{low:.3f}":
        changed = is_worst and f"{low:.3f}" != "1.000"
        start = (
            f"Rankings change most {case}, where {who} has"
            if changed
            else f"{opening}, {who} preserves the ranking with"
        )
        answer = [f"{start} a {tau} of {high:.3f}."]
    elif is_worst:
        answer = [
            f"Rankings change most {case}: by {name_list(last)}, to a {tau} of {low:.3f}.",
            f"{name_list(leaders)} {keep} the ranking best there ({high:.3f}).",
        ]
    else:
        answer = [
            f"{opening}, {name_list(leaders)} {keep} the ranking best ({tau} {high:.3f}).",
            f"{name_list(last)} {'preserves' if len(last) == 1 else 'preserve'} the ranking least ({low:.3f}).",
        ]
    cells = [(result.rows(kind, level), result.metrics.index(best)) for level in levels]  # [repeat] each
    if not (result.SSA + result.SN + result.SSD)[cells[0]].any():
        return *answer, f"{best} has no significant difference to keep."
    shares = [float(result.significance("kept")[each].mean()) for each in cells]
    at_least = "at least " if min(shares) < max(shares) else ""
    keeps = f"{best} keeps {at_least}{percent_text(min(shares), 0)} of its significant differences{there}"
    by_metric = np.nan_to_num([mean_of_known(result.significance("kept")[on]) for on, _ in cells]).min(axis=0)
    most = by_metric.max()  # not always that of the metric that preserves the ranking best
    if not at_least and most > by_metric[cells[0][1]] + ROUNDING:
        names = [name for name, kept in zip(result.metrics, by_metric, strict=True) if most - kept < ROUNDING]
        keeps += f"; {agreeing_clause(name_list(names), len(names) == 1, 'keep{s} the most')}, {percent_text(most, 0)}"
    return *answer, f"{keeps}."


def robustness_curves(result: Robustness, kind: str) -> "alt.AnyChart":
    """tau with the reference ranking by the share of judgements or the pool depth, a line for each metric."""
    levels = [level for each, level in result.cases() if each == kind]
    at = [float(level) for level in levels]
    tau, sd = (np.array([of("tau", kind, level) for level in levels]) for of in (result.mean, result.sd))
    if kind == "thin":  # all judgements are the reference, whose tau with itself is 1
        whole = np.where(np.isnan(tau[:1]), np.nan, 1.0)
        at, tau, sd = [*at, 1.0], np.concatenate([tau, whole]), np.concatenate([sd, 0 * whole])
    has_bands = len(result.metrics) <= MAX_BANDS and bool(np.nan_to_num(sd).any())
    drawn = np.stack([tau, tau - sd, tau + sd] if has_bands else [tau])  # [what, level, metric]
    lines = distinct_lines(dict(zip(starred_names(result.metrics).values(), np.moveaxis(drawn, 2, 0), strict=True)))
    values = dict(zip(("tau", *ENDS), np.stack([*lines.values()], axis=1), strict=False))  # [line, level]
    points = cell_rows({"metric": lines, "level": at}, values, ~np.isnan(values["tau"]))
    under = "bands: one standard deviation over repeats" if has_bands else ""
    title = {"thin": "share of judgements kept", "pool": "pool depth"}[kind]
    base = row_chart(points, title=chart_title("Robustness of the ranking of systems", under)).encode(
        x=alt.X("level:Q", title=title, axis=alt.Axis(format="%" if kind == "thin" else "d")),
        **line_channels("metric", lines),
    )
    scale = _tau_scale(*([point.get(end, point["tau"]) for point in points] for end in ENDS))
    y_title = "tau with the ranking by all judgements"
    low, y = (alt.Y(f"{end}:Q", title=y_title, scale=scale) for end in ("low", "tau"))
    tip = ["metric:N", "level:Q", alt.Tooltip("tau:Q", format=".3f")]
    line = base.mark_line(point=alt.OverlayMarkDef(size=40)).encode(y=y, tooltip=tip)
    layers = [base.mark_area(opacity=0.15).encode(y=low, y2="high:Q"), line] if has_bands else [line]
    return alt.layer(*layers).properties(width=480, height=320)


def _tau_scale(low: Sequence[float], high: Sequence[float]) -> "alt.Scale":
    """An axis of tau up to 1, from 0.9 or a round number below, so that near-perfect agreement looks like it."""
    lowest = float(np.floor(10 * min(low, default=0.0) + 1e-9) / 10)
    return alt.Scale(domain=[min(lowest, MAX_AXIS_START), max(1.0, *high) if len(high) else 1.0], nice=False)


def robustness_dots(result: Robustness, kind: str) -> "alt.AnyChart":
    """tau with the reference ranking of every metric, a dot for each case."""
    star_names = starred_names(result.metrics)
    cases = [case for case, each in enumerate(result.kind) if each == kind]
    axes = {"case": [result.level[case] for case in cases], "metric": star_names.values()}
    taus = {name: tau[cases] for name, tau in zip(("tau", *ENDS), (result.tau, *result.interval()), strict=True)}
    points = cell_rows(axes, taus, ~np.isnan(taus["tau"]))
    known = [point for point in points if point["low"] is not None]
    scale = _tau_scale(*([point["tau"] if point[end] is None else point[end] for point in points] for end in ENDS))
    kinds = {"other": "other judgements", "noise": "noise", "team": "without one team's unique finds"}
    title = f"Robustness of the ranking of systems: {kinds[kind]}"
    x, y = alt.X("tau:Q", title="tau with the reference", scale=scale), name_axis("metric", star_names.values())
    tooltip = tooltips("metric", "case", **dict.fromkeys(("tau", *ENDS) if known else ("tau",), ".3f"))
    dots = row_chart(points).mark_point(filled=True, opacity=1 if known else 0.6, size=50)
    dots = dots.encode(x=x, y=y, tooltip=tooltip)
    if not known:
        each = {"team": "each dot is one team", "noise": "each dot is one repeat"}.get(kind, "")
        return dots.properties(title=chart_title(title, f"{each}; darker: several dots" if each else ""), width=420)
    lines = interval_lines(row_chart(known).encode(y=y, tooltip=tooltip), alt.X("low:Q", scale=scale))
    under = f"lines: {level_text(result.alpha)} intervals over topics (jackknife)"
    return (lines + dots).properties(title=chart_title(title, under), width=420)
