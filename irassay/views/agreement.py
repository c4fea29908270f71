"""The view of whether metrics find the same differences significant."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.meta.agreement import OUTCOMES, Agreement
from irassay.prose import count_phrase, percent_text
from irassay.stats.paired_test import paired_test_label
from irassay.views import altair as alt
from irassay.views.canonical import canonical_cells, canonical_note
from irassay.views.charts import MATRIX_METRICS, SHARE_TIP, chart_title, class_scale, heat_map, tooltips
from irassay.views.phrases import ORDER_NOT_TESTED
from irassay.views.table_columns import column_table
from irassay.views.theme import AHEAD, BEHIND, COLOURS, NEITHER, row_chart
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

PAPERS_TEST = paired_test_label("t")  # of moffat2012
MAX_BARS = 30  # pairs of metrics in a chart
MAX_NAMED_PAIRS = 2  # pairs of metrics in a sentence
OUTCOME_LETTERS = "S, N: significant or not, by each metric; A, D: the same or different winners"
OUTCOME_LABELS = {  # in the order in which bars are stacked
    "SSA": "SSA: both significant, the same system better",
    "NN": "NN: neither significant",
    "SN": "SN: only the first metric finds it significant",
    "NS": "NS: only the second metric finds it significant",
    "SSD": "SSD: both significant, different systems better",
}


def view(result: Agreement) -> View:
    """On how many pairs of systems each pair of metrics agrees about significant differences."""
    first, second = np.triu_indices(len(result.metrics), k=1)
    significant, neither = result.significance_class, result.insignificance_class
    order = np.argsort(np.nan_to_num(significant[first, second], nan=-1), kind="stable")
    pairs = [(int(first[i]), int(second[i])) for i in order]
    a, b = first[order], second[order]
    columns: dict[str, Any] = {
        "metric": [result.metrics[m] for m in a],
        "other metric": [result.metrics[m] for m in b],
        **{name: getattr(result, name)[a, b] for name in OUTCOMES},
        "SSA class": significant[a, b],
        "NN class": neither[a, b],
    }
    strongest = [result.metrics[m] for m in _by_power(result)]
    powers = {"metric": strongest, "power": result.power()[_by_power(result)]}
    test = paired_test_label(result.test, result.correction)
    heading = f"Pairs of metrics, least agreement first ({test}); {OUTCOME_LETTERS}"
    power_heading = f"Discriminative power at {result.alpha:g} ({test})"
    tables = [
        column_table("agreement", columns, heading, max_rows=PAIRS_SHOWN),
        column_table("power", powers, power_heading, marks=canonical_cells(strongest)),
    ]
    if 2 < len(result.metrics) <= MATRIX_METRICS:
        tables.append(_percentage_table(result, test))
    notes = (
        *result.notes,
        f"S: the difference is significant at {result.alpha:g} by {test}; N: it is not. The first letter is for the "
        "metric, the second for the other metric; A and D: the two agree or disagree on which system has the better "
        "mean. SSA class: 2SSA/(2SSA+SN+NS), NN class: 2NN/(2NN+SN+NS).",
        *((ORDER_NOT_TESTED,) if len(pairs) > 1 else ()),
        *canonical_note(result.metrics),
    )
    title = chart_title("Shared significant differences", ["2SSA/(2SSA+SN+NS)", test])
    charts = (
        ("agreement", lambda: outcome_bars(result, pairs[:MAX_BARS], test)),
        ("classes", lambda: heat_map(result.metrics, significant, _by_power(result), "agreement", title)),
    )
    sentences = _sentences(result, pairs, test)
    return View("Agreement of significant differences", sentences, tuple(tables), notes, charts[: 1 + (len(pairs) > 1)])


def _by_power(result: Agreement) -> list[int]:
    return [int(m) for m in np.argsort(-result.power(), kind="stable")]


def _percentage_table(result: Agreement, test: str) -> Table:
    """As printed in the papers: power on the diagonal, SSA above, SSD below, in per cent of the pairs."""
    count = np.triu(result.SSA) + np.tril(result.SSD, k=-1)
    columns = {"metric": result.metrics} | dict(zip(result.metrics, 100 * count.T / result.pairs, strict=True))
    title = f"Per cent of pairs of systems: power on the diagonal, SSA above it, SSD below ({test})"
    return column_table("matrix", columns, title, digits=2, marks=canonical_cells(result.metrics))


def _sentences(result: Agreement, pairs: list[tuple[int, int]], test: str) -> tuple[str, ...]:
    power = result.power()
    lowest, highest = percent_text(power.min()), percent_text(power.max())
    share = (
        "No metric separates any pair"
        if not power.max()
        else f"The metrics separate {lowest} to {highest} of all pairs"
        if lowest != highest
        else f"{result.metrics[0] if len(power) == 1 else 'Every metric'} separates {highest} of all pairs"
    )
    why = ", as in moffat2012" if test == PAPERS_TEST else ""
    systems, topics = count_phrase(result.systems, "system"), count_phrase(result.topics, "topic")
    classes = result.significance_class
    known = [pair for pair in pairs if not (np.isnan(classes[pair]) or result.constant[list(pair)].any())]
    sentences: list[str] = []
    tests = iter([f" ({test}{why})"])  # the first sentence names the test
    share_of = "of their significant differences"
    ends = ((known[-1], "most"), (known[0], "least")) if known else ()
    if known and classes[known[0]] == classes[known[-1]]:
        who = _pair_names(result, known) if len(known) == 1 else "All pairs of metrics"
        equally = "" if len(known) == 1 else " agree equally: each two"
        sentences.append(f"{who}{equally} share {percent_text(classes[known[0]])} {share_of}{next(tests)}.")
    else:
        for end, degree in ends:
            tied = [pair for pair in known if classes[pair] == classes[end]]
            level = f"they share {percent_text(classes[end])} {share_of if not sentences else ''}".rstrip()
            sentences.append(f"{_pair_names(result, tied)} agree {degree}: {level}{next(tests, '')}.")
    if known:
        sentences.append(
            Detail("The share is the SSA class, 2SSA/(2SSA+SN+NS), which leaves out contradictions (SSD).")
        )
    by = next(tests, f" ({test})")  # other tests separate other shares of the pairs
    sentences += [
        f"{share} of systems at {result.alpha:g}{by}.",
        Detail(f"There are {count_phrase(result.pairs, 'pair')} of {systems}, compared on {topics}."),
    ]
    if not power.max() or not pairs:
        return tuple(sentences)
    return (*sentences, *_contradiction_sentences(result, pairs))


def _contradiction_sentences(result: Agreement, pairs: list[tuple[int, int]]) -> list[str]:
    """Which metrics contradict each other most often, and on how many pairs of systems."""
    worst = max(int(result.SSD[pair]) for pair in pairs)
    if not worst:
        return ["No two metrics contradict each other significantly."]
    tied = [pair for pair in pairs if result.SSD[pair] == worst]
    most = "" if len(pairs) == 1 else " most often"
    each = " each" if len(tied) > 1 else ""
    return [
        f"{_pair_names(result, tied)} contradict each other{most}, on {count_phrase(worst, 'pair')} of systems{each}.",
        Detail("There both metrics find a significant difference, but each has another system ahead."),
    ]


def _pair_names(result: Agreement, pairs: list[tuple[int, int]]) -> str:
    """Two metrics, or the number of tied pairs of metrics, with their names if they are few."""
    names = [f"{result.metrics[a]} and {result.metrics[b]}" for a, b in pairs]
    if len(names) == 1:
        return names[0]
    number = f"{count_phrase(len(names), 'pair')} of metrics"
    return number if len(names) > MAX_NAMED_PAIRS else f"{number} ({'; '.join(names)})"


def outcome_bars(result: Agreement, pairs: Sequence[tuple[int, int]], test: str) -> "alt.AnyChart":
    """The five outcomes of pairs of metrics, as shares of the pairs of systems."""
    total = len(result.metrics) * (len(result.metrics) - 1) // 2
    which = f"; {len(pairs)} of {total:,} pairs of metrics, least agreement first" if len(pairs) < total else ""
    names = [f"{result.metrics[a]} / {result.metrics[b]}" for a, b in pairs]
    percent = alt.Axis(format="%")
    bars: list[dict[str, Any]] = [
        {"pair": name, "outcome": text, "order": n, "share": float(getattr(result, outcome)[pair] / result.pairs)}
        for name, pair in zip(names, pairs, strict=True)
        for n, (outcome, text) in enumerate(OUTCOME_LABELS.items())
    ]
    inks = dict(zip(OUTCOME_LABELS.values(), (AHEAD, NEITHER, COLOURS[4], COLOURS[7], BEHIND), strict=True))
    colours = class_scale(inks, (bar["outcome"] for bar in bars if bar["share"]))
    bars = [bar for bar in bars if bar["share"]]
    legend = alt.Legend(orient="bottom", columns=1, labelLimit=600)
    title = chart_title("Agreement of significant differences", f"{test}{which}")
    chart = row_chart(bars, title=title, width=420).mark_bar()
    return chart.encode(
        x=alt.X("share:Q", title="share of the pairs of systems", axis=percent, scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("pair:N", sort=names, title=None, axis=alt.Axis(labelLimit=600)),
        color=alt.Color("outcome:N", scale=colours, title=None, legend=legend),
        order=alt.Order("order:Q"),
        tooltip=tooltips("pair", "outcome", share=SHARE_TIP),
    )
