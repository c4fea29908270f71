"""The view of discriminative power: how many pairs of systems a metric discriminates."""

from typing import Any

import numpy as np

from irassay.errors import argument
from irassay.meta.discrimination import Discrimination
from irassay.metrics.grids import aggregation
from irassay.metrics.labels import model_name
from irassay.prose import agreeing_clause, count_phrase, first_few, name_list, percent_text
from irassay.stats.pair_tests import seed_notes
from irassay.stats.paired_test import find_test, paired_test_label
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note, starred_names, stars
from irassay.views.charts import SHARE_TIP, cell_rows, chart_rows, chart_title, line_channels, name_axis, tooltips
from irassay.views.comparison_notes import skewed_score_notes
from irassay.views.selection import MAX_TIED_METRICS, best_column, selection_columns, selection_note, selection_sentence
from irassay.views.table_columns import column_table, with_headings
from irassay.views.theme import AHEAD, row_chart
from irassay.views.view import Detail, View

POINTS = 200  # of a curve
OTHER_LEVELS_COLOUR = "#888888"  # visible on white, on black and on bars
ZOOMED_P = 0.1  # p-values below this have a panel of their own
HEADINGS = {"area": "ASL area", "least": "smallest significant", "sure": "largest non-significant"}


def view(result: Discrimination) -> View:
    """How many pairs of systems every metric discriminates."""
    alpha = result.main_level
    order = np.lexsort((result.asl_area(), -result.power(alpha)))
    at, test = result.levels.index(alpha), find_test(result.test)
    columns: dict[str, Any] = {"metric": np.array(result.metrics, dtype=object)}
    columns |= {f"power {level:g}": result.power(level) for level in result.levels}
    columns |= {"area": result.asl_area()}
    if not np.isnan(result.threshold[at]).all():
        columns["threshold"] = result.threshold[at]
        if result.threshold_ends.size and not test.one_threshold:
            columns |= dict(zip(("threshold low", "threshold high"), result.threshold_ends[:, at], strict=True))
    if not test.studentized:  # else each pair needs another difference
        columns["least"] = result.smallest_significant(alpha)
    columns["sure"] = result.largest_nonsignificant(alpha)
    columns["spread"] = result.spread
    if result.grouped:
        columns |= {name: result.power(alpha, name) for name in ("across", "within")}
    if result.dropped:
        columns["without worst"] = result.power_without(alpha)
    if result.selection:
        columns |= selection_columns(result.metrics, result.selection)
    columns = {name: [values[m] for m in order] for name, values in columns.items()}
    names = list(columns["metric"])
    test_label = paired_test_label(result.test, result.correction)
    notes = [
        *result.notes,
        f"power: share of pairs with p below a level by {test_label}"
        + (f" ({result.trials:,} resamples, seed {result.seed})" if result.trials else "")
        + "; ASL area: area under the ASL curve (lower is better).",
        "The other columns are differences of means in the metric's own units, significant or not at "
        f"{alpha:g}; spread is the best mean minus the worst.",
    ]
    notes += skewed_score_notes(result.topics, result.skewed) if result.skewed else []
    notes += seed_notes(result.p, alpha, result.drawn)
    if result.selection and len(result.metrics) > 1:
        notes.append(selection_note(f"power {alpha:g}"))
    if test.corrects(result.correction):
        notes.append(
            "Adjusted p-values depend on the runs included, so compare ASL curves and areas of the same runs only; "
            f"{argument('test', 't')} gives unadjusted ones."
        )
    if "threshold low" in columns:
        notes.append("threshold: difference that a pair needs, which depends on its spread: median, low to high.")
    elif "threshold" in columns:
        notes.append("threshold: difference that the test requires of every pair.")
    if result.dropped:
        runs = "the worst run" if len(result.dropped) == 1 else f"the {len(result.dropped)} worst runs"
        notes.append(f"without worst: power without {runs} by mean rank ({first_few(result.dropped, 3)}).")
    brief = (
        "metric",
        *(name for name in columns if name.startswith("power ")),
        "ASL area",
        "across",
        "within",
        *best_column(result.metrics),
    )
    title, marks = f"Discriminative power ({test_label})", canonical_cells(names)
    table = column_table("discrimination", columns, title, marks=marks, brief=brief)
    sentences = _sentences(result, order, alpha, test_label)
    curves = [("asl", lambda: asl_curves(result))] if len(result.p) > 1 else []  # of one pair it would be a point
    charts = (*curves, ("power", lambda: power_bars(result, order, alpha, test_label)))
    notes += canonical_note(result.metrics)
    return View("Discriminative power", sentences, (with_headings(table, HEADINGS),), tuple(notes), charts)


def _sentences(result: Discrimination, order: Any, alpha: float, test: str) -> tuple[str, ...]:
    power, ranked = result.power(alpha), [int(m) for m in order]
    systems, topics = count_phrase(len(result.systems), "system"), count_phrase(result.topics, "topic")
    size = Detail(f"The pairs are of {systems} on {topics}.")
    sentences = _power_sentences(result, ranked, alpha, test)
    if not power.any():
        return (*sentences, size)
    if result.grouped and not result.across.any():
        sentences.append("All systems are of one team, so there are no pairs between teams.")
    elif result.grouped:
        across, first = result.power(alpha, "across"), [m for m in ranked if power[m] == power[ranked[0]]]
        shares = name_list([f"{result.metrics[m]} separates {percent_text(across[m])}" for m in first])
        text = f"Between teams, {shares} of {int(result.across.sum()):,} pairs."
        sentences.append(text if len(first) == 1 else Detail(text))
    if result.dropped and len(result.metrics) > 1:
        rest = result.power_without(alpha)
        change = rest - power
        leaders = [metric for metric, share in zip(result.metrics, rest, strict=True) if share == rest.max()]
        runs = "worst run" if len(result.dropped) == 1 else f"{len(result.dropped)} worst runs"
        low, high = f"{100 * change.min():+.1f}", f"{100 * change.max():+.1f}"
        moved = f"changes by {f'{low} to {high}' if low != high else high} percentage points"
        has = f", and {name_list(leaders)} then {'has' if len(leaders) == 1 else 'have'} the most"
        best_now = "" if not rest.any() else ", and is the same for all" if len(leaders) == len(rest) else has
        sentences.append(Detail(f"Without the {runs}, power {moved}{best_now}."))
    return (*sentences, size)


def _power_sentences(result: Discrimination, ranked: list[int], alpha: float, test: str) -> list[str]:
    """Which metrics separate the most systems and which the fewest, and which separate significantly fewer."""
    power, pairs, best, worst = result.power(alpha), len(result.p), ranked[0], ranked[-1]
    share, where = f"{percent_text(power[best])} of {count_phrase(pairs, 'pair')}", f"at {alpha:g} ({test})"
    if not power[best]:
        which = "the two systems" if pairs == 1 else f"any of {pairs:,} pairs of systems"
        return [f"No metric separates {which} {where}."]
    if pairs == 1 and power[best] != power[worst]:
        yes, no = ([result.metrics[m] for m in ranked if bool(power[m]) == found] for found in (True, False))
        separate = agreeing_clause(name_list(yes), len(yes) == 1, f"separate{{s}} the two systems {where}")
        sentences = [f"{separate}; {name_list(no)} {'does' if len(no) == 1 else 'do'} not."]
    elif power[best] == power[worst]:
        share = "the two systems" if pairs == 1 else f"{share} of systems"
        who = result.metrics[best] if best == worst else "Every metric"
        sentences = [f"{who} separates {share} {where}."]
    else:
        strongest, weakest = ([result.metrics[m] for m in ranked if power[m] == power[end]] for end in (best, worst))
        first, last = (name_list(names, MAX_TIED_METRICS) for names in (strongest, weakest))
        fewest = f"separate{{s}} the fewest: {percent_text(power[worst])}."
        sentences = [
            agreeing_clause(first, len(strongest) == 1, f"separate{{s}} the most systems: {share} {where}."),
            agreeing_clause(last, len(weakest) == 1, fewest),
        ]
        if result.selection:
            less, most = "separate{s} significantly fewer systems", "separate the most"
            sentences.append(selection_sentence(result.metrics, result.selection, less, most))
    return sentences


def power_bars(result: Discrimination, order: Any, alpha: float, test: str) -> "alt.AnyChart":
    """The power of every metric at one level as bars, highest first, and at the other levels as points."""
    star_names = starred_names(result.metrics)
    names = [star_names[result.metrics[m]] for m in order]
    every = chart_rows({"metric": [star_names[name] for name in result.metrics], "power": result.power(alpha)})
    others = {f"{level:g}": result.power(level) for level in result.levels if level != alpha}
    points = cell_rows({"level": others, "metric": star_names.values()}, {"power": list(others.values())})
    percent, scale = alt.Axis(format="%"), alt.Scale(domain=[0, 1])
    x = alt.X("power:Q", title=f"share of pairs discriminated ({test})", axis=percent, scale=scale)
    y = name_axis("metric", names)
    bars = row_chart(every).mark_bar(color=AHEAD).encode(x=x, y=y, tooltip=tooltips("metric", power=SHARE_TIP))
    under = f"{count_phrase(len(result.p), 'pair')} of {len(result.systems)} systems, {result.topics} topics, {test}"
    title = chart_title(f"Discriminative power at {alpha:g}", under)
    shape = alt.Shape("level:N", title="at level", sort=None)
    marks = row_chart(points).mark_point(
        filled=True, size=60, opacity=1, color=OTHER_LEVELS_COLOUR, stroke="white", strokeWidth=1
    )
    ticks = marks.encode(x=x, y=y, shape=shape, tooltip=tooltips("metric", "level", power=SHARE_TIP))
    return (bars + ticks if others else bars).properties(width=420, height=alt.Step(16), title=title)


def _p_name(result: Discrimination, with_test: bool = True) -> str:
    """What the p-values are, for the axis of a chart."""
    how = f" ({paired_test_label(result.test, result.correction)})" if with_test else ""
    return f"{'adjusted ' if find_test(result.test).corrects(result.correction) else ''}p{how}"


def asl_curves(result: Discrimination) -> "alt.AnyChart":
    """p-values from the largest to the smallest, a line per metric; with several browsing models, a panel per model."""
    curves, pairs = result.asl(), len(result.p)
    at = np.unique(np.linspace(0, pairs - 1, min(pairs, POINTS)).round().astype(int))
    label, star = starred_names(result.metrics), stars(result.metrics)
    models = [model_name(metric) for metric in result.metrics]
    panels = len(result.metrics) > 8 and 1 < len(set(models)) <= len(models) // 2
    p_name = _p_name(result, with_test=not panels)  # panels are low, and the title has the test
    lines = [(aggregation(metric) or metric) if panels else label[metric] for metric in result.metrics]
    kinds = ["canonical" if star[metric] else "variant" for metric in result.metrics]
    words = {"model": [model or "other" for model in models], "line": lines, "kind": kinds}  # [metric]
    drawn = {name: np.repeat(np.array(each, dtype=object), len(at)) for name, each in words.items()}
    points = cell_rows({"metric": label.values(), "pairs": (at + 1) / pairs}, drawn | {"p": curves[at].T})
    by_power = dict.fromkeys(lines[m] for m in np.argsort(result.asl_area(), kind="stable"))
    chart = row_chart(points).mark_line()
    chart = chart.encode(
        x=alt.X("pairs:Q", title="share of pairs, largest p first", axis=alt.Axis(format="%")),
        y=alt.Y("p:Q", title=p_name),
        **line_channels("line", sorted(by_power) if panels else by_power),
        detail=alt.Detail("metric:N"),
        tooltip=tooltips("metric", pairs=SHARE_TIP, p=".4f"),
    )
    if "canonical" in kinds:
        width = alt.Scale(domain=["canonical", "variant"], range=[3, 1.2])
        chart = chart.encode(strokeWidth=alt.StrokeWidth("kind:O", scale=width, title=None))
    below = (curves[at] < ZOOMED_P).any(axis=1)
    low = float((at[below].min() + 1) / pairs) if below.any() else 0.0
    zoomed = chart.mark_line(clip=True).encode(
        x=alt.X(
            "pairs:Q",
            title="share of pairs, largest p first",
            axis=alt.Axis(format="%"),
            scale=alt.Scale(domain=[low, 1]),
        ),
        y=alt.Y("p:Q", title=f"{p_name}, below {ZOOMED_P:g}", scale=alt.Scale(domain=[0, ZOOMED_P])),
    )
    title = chart_title(
        f"Achieved significance levels ({paired_test_label(result.test, result.correction)})",
        "the p-values of all pairs of systems: the lower a curve, the more pairs its metric separates",
    )
    if panels:
        facet = alt.Facet("model:N", title=None)
        parts = [part.properties(width=240, height=180).facet(facet=facet, columns=3) for part in (chart, zoomed)]
        return alt.vconcat(*parts).properties(title=title)
    return alt.hconcat(*(part.properties(width=400, height=320) for part in (chart, zoomed))).properties(title=title)
