"""The view of how metrics agree with users' ratings of their searches."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.meta.satisfaction.method import Difference, Satisfaction
from irassay.prose import first_few, name_list, percent_text
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_title, dot_chart, panels
from irassay.views.phrases import other_metrics_sentences
from irassay.views.selection import best_column, selection_columns
from irassay.views.table_columns import ROUNDING, column_table, interval_columns, interval_ends, with_last_row
from irassay.views.view import BRIEF_ROWS, PAIRS_SHOWN, Cell, Table, View

INDEPENDENT = "as if units were independent"
MAX_PANELS = 9  # metrics in the scatter plots, best first


def view(result: Satisfaction) -> View:
    """Which metric correlates best with the ratings, which are no better than their mean, and pairs of metrics."""
    return View(
        "Satisfaction",
        tuple(_sentences(result)),
        (_metrics_table(result), _pairs_table(result)),
        (*result.notes, *_notes(result)),
        (("satisfaction", partial(_scatter, result)), ("correlations", partial(_correlations, result))),
    )


def _sentences(result: Satisfaction) -> list[str]:
    order = [result.metrics.index(name) for name, _ in result.ranked()]
    best = order[0]
    others = [m for m in order[1:] if not np.isnan(result.pearson[m])]
    close = [m for m in others if not (result.selection and result.selection.behind[m, best])]
    if np.isnan(result.pearson[best]):
        sentences = ["No metric correlates with the ratings: each has the same score for all units."]
    else:
        first, *perhaps_0 = _best_correlation(result, order)
        sentences = [first, *_selection_sentences(result, len(others), len(close)), *perhaps_0]
    useless = [name for name, value in zip(result.metrics, result.skill, strict=True) if value < ROUNDING]
    if useless:
        verb = "predicts" if len(useless) == 1 else "predict"
        sentences.append(f"{name_list(useless, 5)} {verb} a new rating no better than the mean of the other ratings.")
    for g, name in enumerate(result.groupings):
        r = result.within[g, best]
        if result.explained[g] > 1 - ROUNDING:  # as with one unit in each group
            sentences.append(f"Ratings do not vary within {name}s, so nothing is known about agreement within them.")
            continue
        inner = "scores do not vary" if np.isnan(r) else f"{result.metrics[best]} has r = {r:.3f}"
        sentences.append(
            f"The {name} alone explains {percent_text(result.explained[g], 0)} of the variance of the ratings; "
            f"within {name}s, {inner}."
        )
    return sentences


def _best_correlation(result: Satisfaction, order: Sequence[int]) -> list[str]:
    """Which metrics, in this order, have the highest correlation with the ratings, and whether it may be 0."""
    r, low, high = (float(each[order[0]]) for each in (result.pearson, result.pearson_low, result.pearson_high))
    tied = [m for m in order if np.isclose(result.pearson[m], r, rtol=ROUNDING, atol=0)]
    names, one = name_list([result.metrics[m] for m in tied]), len(tied) == 1
    correlate, ratings = "correlates" if one else "correlate", f"with the {len(result.units)} ratings"
    several, perhaps_0 = len(order) > len(tied), low <= 0 <= high
    if r < 0 and several:
        highest = f"{names} {'has' if one else 'have'} the highest r, {r:.3f}"
        first = f"No metric correlates positively {ratings}; {highest}."
    elif perhaps_0 and not several:
        first = f"{names} {'has' if one else 'have'} r = {r:.3f} {ratings}."
    else:
        how = "best " if several else "negatively " if r < 0 else ""
        first = f"{names} {correlate} {how}{ratings}, r = {r:.3f}."
    return [
        first,
        *([f"The 95% interval for {names} includes 0, so there may be no correlation."] if perhaps_0 else []),
    ]


def _selection_sentences(result: Satisfaction, others: int, close: int) -> list[str]:
    """Which metrics may correlate best; given are how many others there are, and how many are close to the best."""
    if not result.selection:
        return []
    may_be_best = np.flatnonzero(result.selection.may_be_best)
    if 0 < close < others and len(may_be_best) > 1:
        names = first_few([result.metrics[m] for m in may_be_best])
        which = f"{len(may_be_best)} of {others + 1} metrics may correlate best ({names})"
        return [f"{which}; no other metric correlates significantly better."]
    return other_metrics_sentences(close, others)


def _notes(result: Satisfaction) -> list[str]:
    over = " and ".join(f"{name}s" for name in result.groupings) or "units"
    partitions, folds = len(result.fold), int(result.fold.max()) + 1
    grouped = f", every {result.grouped_folds} in one fold" if result.grouped_folds != "none" else ""
    pairs = combinations(range(len(result.metrics)), 2)
    differences = "; those of differences leave out one at a time" if len(result.groupings) == 2 else ""
    is_point = any(result.difference_low[pair] == result.difference_high[pair] for pair in pairs)
    return [
        *(["no interval: two metrics differ by the same amount whichever units are taken"] if is_point else []),
        f"NRMSE is the mean over {partitions} × {folds} folds{grouped}, as a share of the rating scale from "
        f"{result.scale[0]:g} to {result.scale[1]:g}.",
        "Folds overlap, so a paired t-test over folds is significant too often; the corrected one allows for that.",
        f"Intervals resample {over} ({result.trials:,} times, seed {result.seed}){differences}.",
        f"corrected p: of the difference of two r over {over}, for all pairs of metrics together. Where it is below "
        f"0.05, one metric is behind the other. p (r), p (rho), p (Williams) and p (Steiger) are {INDEPENDENT}.",
        *(
            ["variance explained: eta squared in these units; more groups raise it by chance alone"]
            if result.groupings
            else []
        ),
        f"share of halves: random halves of the {over.partition(' ')[0]} in which a metric may correlate best.",
    ]


def _metrics_table(result: Satisfaction) -> Table:
    """[metric] correlations and errors, best first, and those of predicting the mean."""
    order = [result.metrics.index(name) for name, _ in result.ranked()]
    columns: dict[str, Any] = {
        "metric": result.metrics,
        **interval_columns("r", *_with_ends(result.pearson, result.pearson_low, result.pearson_high)),
        "p (r)": result.pearson_p,
        **interval_columns("rho", *_with_ends(result.spearman, result.spearman_low, result.spearman_high)),
        "p (rho)": result.spearman_p,
        "NRMSE": result.nrmse(),
        "skill": np.where(np.abs(result.skill) < ROUNDING, 0.0, result.skill),
        **{f"r within {name}": result.within[g] for g, name in enumerate(result.groupings)},
        **{f"p within {name}": result.within_p[g] for g, name in enumerate(result.groupings)},
    }
    if result.selection:
        columns |= selection_columns(result.metrics, result.selection, result.share_of_halves)
    if result.tuned.any():
        columns["tuned"] = result.tuned
    p_columns = ("p (r)", "p (rho)", *(f"p within {name}" for name in result.groupings))
    title = f"Metrics, best correlation first; p: {INDEPENDENT}"
    brief = ("metric", "r", "r low", "r high", "p (r)", "NRMSE", "skill", *best_column(result.metrics), "tuned")
    first = tuple(range(BRIEF_ROWS)) if len(order) > 2 * BRIEF_ROWS else ()
    table = column_table("metrics", columns, title, order, p_columns=p_columns, brief=brief, brief_rows=first)
    mean: dict[str, Cell] = {"metric": "(the mean rating)", "NRMSE": result.nrmse_of_mean(), "skill": 0.0}
    return with_last_row(table, mean)


def _with_ends(r: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Correlations with the ends of their intervals, which do not exist where both are the correlation itself."""
    return r, *interval_ends(r, low, high)


def _pairs_table(result: Satisfaction) -> Table:
    """[pair] the differences between two metrics, with their tests."""
    lines = tuple(_pair_row(result.compare(*pair)) for pair in combinations(result.metrics, 2))
    columns = (
        *("metric", "other", "r difference", "low", "high", "corrected p", "p (Williams)", "p (Steiger)"),
        *("NRMSE difference", "p (paired t)", "p (corrected t)"),
    )
    p_columns = ("corrected p", "p (Williams)", "p (Steiger)", "p (paired t)", "p (corrected t)")
    title = f"Pairs of metrics; p (Williams), p (Steiger): {INDEPENDENT}"
    return Table("pairs", columns, lines, title, max_rows=PAIRS_SHOWN, p_columns=p_columns, detail=True)


def _pair_row(d: Difference) -> tuple[Cell, ...]:
    low, high = map(float, interval_ends(d.pearson, d.low, d.high))
    return d.first, d.second, d.pearson, low, high, d.p, d.williams, d.steiger, d.nrmse, d.paired_t, d.corrected_t


def _scatter(result: Satisfaction) -> "alt.AnyChart":
    """Ratings against scores with the regression line, a panel for each of the best metrics."""
    names = [name for name, _ in result.ranked()[:MAX_PANELS]]
    score = result.score[[result.metrics.index(name) for name in names]]  # [metric, unit]
    drawn = {"score": score, "rating": np.broadcast_to(result.rating, score.shape)}
    rated = cell_rows({"metric": names, "unit": result.units}, drawn)
    low, high = result.scale
    room = 0.05 * (high - low)  # for the circles at both ends
    y = alt.Y("rating:Q", scale=alt.Scale(domain=[low - room, high + room], nice=False))
    base = alt.Chart().encode(x=alt.X("score:Q", scale=alt.Scale(zero=False)), y=y)
    circles = base.mark_circle(opacity=0.5, size=36).encode(tooltip=["unit:N", "score:Q", "rating:Q"])
    line = base.transform_regression("score", "rating").mark_line(color="#888888", clip=True)
    chart = panels(rated, (circles, line), "metric", names, width=200, height=160)
    best = f"; the best {len(names)} of {len(result.metrics)} metrics" if len(names) < len(result.metrics) else ""
    title = chart_title("Ratings against scores", f"each dot is one unit; line: least squares{best}")
    return chart.resolve_scale(x="independent").properties(title=title)


def _correlations(result: Satisfaction) -> "alt.AnyChart":
    """Correlations with their intervals, best first."""
    names = [name for name, _ in result.ranked()]
    m = [result.metrics.index(name) for name in names]
    r, low, high = result.pearson[m], result.pearson_low[m], result.pearson_high[m]
    drawn = {"metric": names, "r": r, "low": low, "high": high, "NRMSE": result.nrmse()[m]}
    chart = dot_chart(drawn, names, "r", alt.X("low:Q", title="Pearson's r"), known=~np.isnan(r))
    return chart.properties(title=chart_title("Correlation with ratings", "lines: 95% intervals"), width=360)
