"""The view of how few judgements significant differences depend on."""

import math
from functools import partial
from typing import Any

from irassay.meta.fragility.method import FragilePair, Fragility
from irassay.notes import Note
from irassay.prose import count_phrase, percent_text
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, class_scale, tooltips
from irassay.views.phrases import p_phrase
from irassay.views.table_columns import column_table
from irassay.views.theme import AHEAD, NEITHER, row_chart
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

TESTS = {"t": "paired t-test", "bonferroni": "paired t-test, Bonferroni", "max-t": "max-T"}
SMALLEST_P = 1e-12  # of the chart of pairs
MAX_LINEAR_CHANGES = 30  # up to which an axis is not logarithmic
FEW = 3  # changed judgements that a first sentence counts as few
RESTATES = (
    "the number of changes restates p and the number of topics in part: a smaller p needs more changes (Carter et al., "
    "2017)"
)
POOLED = "upper end: it assumes that a grade does not depend on who returned the document"


def view(result: Fragility) -> View:
    """How few changed judgements undo a claim, or each of the significant differences."""
    one = result.pairs[0] if result.compared == 1 and result.pairs else None
    sentences = pair_sentences(result, one) if one else _all_sentences(result)
    sentences.append(Detail(f"The critical value of |t| stays {result.critical:.3f}, that of {result.family}."))
    tables = [_pair_table(result), _patch_table(result, one)]
    charts: list[Any] = []
    if one and one.changes:
        charts.append(("changes", partial(_steps, result, one)))
    elif not one and any(pair.changes for pair in result.pairs):
        charts.append(("fragility", partial(_dots, result)))
    notes: list[str] = [*result.notes, RESTATES]
    if result.assessors == "pooled":
        notes.append(Note(f"the probabilities are an {POOLED}", caveat=True))
    title = f"Fragility by {result.metric}"
    cite = ("westfall1993",) if result.test == "max-t" else ("student1908",)
    removed = ("broderick2020",) if any(pair.topics for pair in result.pairs) else ()
    return View(title, tuple(sentences), tuple(tables), tuple(notes), tuple(charts), (*cite, *removed))


def pair_sentences(result: Fragility, pair: FragilePair) -> list[str]:
    """What a claim depends on."""
    tested = f"by {result.metric} ({p_phrase(pair.p)}, {TESTS[result.test]})"
    if not pair.significant:
        verdict = "significantly worse" if pair.p < result.alpha and pair.difference < 0 else "not significantly better"
        return [f"{pair.system} is {verdict} than {pair.other} {tested}, so there is nothing to undo."]
    sentences = [f"{pair.system} is significantly better than {pair.other} {tested}.", changes_sentence(pair)]
    if pair.limit and pair.changes:
        sentences.append(limit_sentence(pair.limit))
    if pair.topics:
        too = " too" if pair.changes else ""
        sentences.append(f"Removing {pair.topics} of {count_phrase(result.topics, 'topic')} undoes it{too}.")
    if result.assessors:
        upper = " (upper end)" if result.assessors == "pooled" else ""
        sentences += [
            f"Of {result.draws:,} simulated assessors, {percent_text(pair.undone)} undo the significance{upper}.",
            f"{percent_text(pair.reversed)} reverse the sign.",
        ]
    if result.assessors == "strata":
        sentences.append(f"The share of real assessors who undo it is known roughly: {range_phrase(pair)}.")
    return sentences


def range_phrase(pair: FragilePair) -> str:
    """Where the share of real assessors who undo a claim is, with only one other assessor to go by."""
    low, high = pair.undone_range
    ends = f"{low:.0%} to {high:.0%}" if high >= 0.01 else "less than 1%"
    return f"with one other assessor to go by, {ends} (90 % range)"


def changes_sentence(pair: FragilePair) -> str:
    """How many changed judgements undo the significance of a pair."""
    if pair.changes is None:
        tried = f"; up to {pair.limit} per topic {'were' if pair.limit > 1 else 'was'} tried" if pair.limit else ""
        return f"No changes were found that undo the significance{tried}."
    enough = f"Changing {count_phrase(pair.changes, 'judgement')} undoes the significance"
    if pair.changes == 1 or (not pair.exactly and pair.at_least <= 1):
        return f"{enough}."
    return f"{enough}; fewer {'' if pair.exactly else f'than {pair.at_least} '}are not enough."


def limit_sentence(limit: int) -> str:
    """That more changes of one topic were not tried."""
    more = f"More than {count_phrase(limit, 'change')} of one topic {'were' if limit > 1 else 'was'} not tried"
    return f"{more}; with them, fewer changes in all may be enough."


def _all_sentences(result: Fragility) -> list[str]:
    """How many of the significant differences few changes undo."""
    of = f"{len(result.pairs):,} of {count_phrase(result.compared, 'pair')} of systems"
    differ = "differs" if len(result.pairs) == 1 else "differ"
    test = f"{TESTS[result.test]}{' of each pair alone' if result.test == 't' else ''}"
    sentences = [f"{of} {differ} significantly by {result.metric} at {result.alpha:g} ({test})."]
    changes = sorted(pair.changes for pair in result.pairs if pair.changes is not None)
    if changes:
        few = sum(number <= FEW for number in changes)
        every = "This is" if few == 1 else f"{'Both' if few == 2 else f'All {few:,}'} are"
        open_pairs = [pair for pair in result.pairs if pair.changes is None or pair.changes > FEW]
        is_known = all(pair.at_least > FEW for pair in open_pairs)  # that these need more changes
        are = ("is" if few < 2 else "are") if is_known else f"{'was' if few < 2 else 'were'} found to be"
        these = every if few == len(result.pairs) else f"{few:,} of these {are}" if few else f"None of these {are}"
        sentences.append(f"{these} undone by {FEW} or fewer changed judgements.")
        half = (len(result.pairs) + 1) // 2
        if len(changes) >= half and len(result.pairs) > 1 and changes[half - 1] != FEW:
            number = f"{changes[half - 1]} or fewer" if changes[half - 1] > 1 else "a single one"
            sentences.append(f"At least half of them are undone by {number}.")
    limited = [pair.limit for pair in result.pairs if pair.limit]
    if limited:
        sentences.append(
            Detail(f"{count_phrase(len(limited), 'pair')} reached the limit. {limit_sentence(max(limited))}")
        )
    return sentences


def _pair_table(result: Fragility) -> Table:
    """[pair] the fewest changes first."""
    pairs = sorted(result.pairs, key=lambda pair: (pair.changes is None, pair.changes or 0))
    columns = {
        "system": [pair.system for pair in pairs],
        "other": [pair.other for pair in pairs],
        "difference": [pair.difference for pair in pairs],
        "t": [float(pair.t[0]) for pair in pairs],
        "p": [pair.p for pair in pairs],
        "significant": ["yes" if pair.significant else "no" for pair in pairs],
        "changes": [pair.changes for pair in pairs],
        "exactly": ["yes" if pair.exactly else "no" for pair in pairs],
        "at least": [pair.at_least for pair in pairs],
        "topics": [pair.topics for pair in pairs],
    }
    simulated = {"probability undone": "undone", "probability reversed": "reversed"}
    columns |= {
        name: [getattr(pair, field) if result.assessors else None for pair in pairs]
        for name, field in simulated.items()
    }
    ends = [pair.undone_range if result.assessors == "strata" else (None, None) for pair in pairs]
    columns |= {"undone low": [low for low, _ in ends], "undone high": [high for _, high in ends]}
    brief = tuple(name for name in columns if name not in ("t", "at least", "significant", "undone low", "undone high"))
    title = "Changed judgements that undo the significance"
    return column_table("pairs", columns, title, max_rows=PAIRS_SHOWN, p_columns=("p",), brief=brief)


def _patch_table(result: Fragility, one: FragilePair | None) -> Table:
    """[change] the changes of judgements, for several pairs with the pair."""
    rows = [((pair.system, pair.other) * (one is None) + change) for pair in result.pairs for change in pair.patch]
    columns = (*(("system", "other") if one is None else ()), "topic", "document", "from", "to")
    whole = tuple(tuple(_plain_grade(cell) for cell in row) for row in rows)
    title = "The changes, in the order in which they lower t most"
    return Table("patch", columns, whole, title, max_rows=PAIRS_SHOWN, detail=one is None or not rows)


def _plain_grade(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _steps(result: Fragility, pair: FragilePair) -> Any:
    """t after each of the changes, and the critical value."""
    rows = chart_rows({"changes": range(len(pair.t)), "t": pair.t})
    line = row_chart(rows).mark_line(point=True, interpolate="step-after", color=AHEAD).encode(
        x=alt.X("changes:Q", title="changed judgements", axis=alt.Axis(tickMinStep=1, format="d")),
        y=alt.Y("t:Q", title="t of the difference"),
        tooltip=tooltips(changes="d", t=".3f"),
    )  # fmt: skip
    bar = row_chart([{"critical": result.critical, "label": f"critical value {result.critical:.2f}"}])
    rule = bar.mark_rule(strokeDash=[4, 4], color="#888888").encode(y=alt.Y("critical:Q"))
    text = bar.mark_text(align="left", dy=-7, color="#777777").encode(
        y=alt.Y("critical:Q"), text=alt.Text("label:N"), x=alt.value(4)
    )
    number = f"{'exactly' if pair.exactly else 'at most'} {count_phrase(pair.changes or 0, 'change')}"
    under = f"{result.metric}; the significance is undone by {number}"
    title = chart_title(f"{pair.system} over {pair.other}, judgement by judgement", under)
    return (rule + line + text).properties(title=title, width=420, height=220)


def axis_ticks(p: list[float]) -> list[float]:
    """Ticks of a logarithmic axis of p-values: about eight powers of ten, or 1, 2 and 5 times these if there are few.

    >>> axis_ticks([0.04, 0.03]), axis_ticks([0.04, 3e-5])
    ([0.01, 0.02, 0.05, 0.1], [1e-05, 0.0001, 0.001, 0.01, 0.1])
    """
    low, high = math.floor(math.log10(min(p))), math.ceil(math.log10(max(p)))
    powers = range(low, high + 1, max(1, round((high - low) / 8)))
    ticks = [float(f"{digit}e{power}") for power in powers for digit in ((1, 2, 5) if high - low < 4 else (1,))]
    return [tick for tick in ticks if tick <= 10.0**high]


def _dots(result: Fragility) -> Any:
    """Each significant pair by its p and the changes that undo it."""
    pairs = [pair for pair in result.pairs if pair.changes]
    columns: dict[str, Any] = {
        "pair": [f"{pair.system} over {pair.other}" for pair in pairs],
        "p": [max(pair.p, SMALLEST_P) for pair in pairs],
        "changes": [pair.changes for pair in pairs],
        "known": ["exactly" if pair.exactly else "at most" for pair in pairs],
    }
    looks = [dict(zip(("exactly", "at most"), each, strict=True)) for each in ((AHEAD, NEITHER), ("circle", "square"))]
    most = max(pair.changes or 0 for pair in pairs)
    scale = (  # with room for the circles at both ends
        alt.Scale(type="log", nice=False, domain=[0.8, 1.2 * most])
        if most > MAX_LINEAR_CHANGES
        else alt.Scale(domain=[0, most + 0.5], nice=False)
    )
    chart = row_chart(chart_rows(columns)).mark_point(filled=True, size=45, opacity=0.7).encode(
        x=alt.X(
            "p:Q",
            title="p of the difference",
            scale=alt.Scale(type="log", reverse=True),
            axis=alt.Axis(
                values=axis_ticks(columns["p"]),
                labelExpr="format(datum.value, datum.value < 0.001 ? '~e' : '~g')",
            ),
        ),
        y=alt.Y("changes:Q", title="changes that undo it", scale=scale, axis=alt.Axis(tickMinStep=1, format="d")),
        color=alt.Color("known:N", title=None, scale=class_scale(looks[0], columns["known"])),
        shape=alt.Shape("known:N", title=None, scale=class_scale(looks[1], columns["known"])),
        tooltip=tooltips("pair", "known", p=".2e", changes="d"),
    )  # fmt: skip
    clipped = f"; p below {SMALLEST_P:g} are drawn there" if min(pair.p for pair in pairs) < SMALLEST_P else ""
    under = f"{result.metric}; each point is one pair of systems{clipped}"
    title = chart_title("How many judgements each significant difference depends on", under)
    return chart.properties(title=title, width=420, height=260)
