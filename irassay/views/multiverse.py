"""The view of a claim under many analyses: a specification curve."""

from functools import partial
from typing import Any

import numpy as np

from irassay.meta.multiverse.method import SPECIFIED, Multiverse
from irassay.notes import Note
from irassay.prose import count_phrase, percent_text
from irassay.stats.paired_test import find_test
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, class_scale, tooltips
from irassay.views.phrases import p_phrase
from irassay.views.table_columns import column_table
from irassay.views.theme import AHEAD, BEHIND, NEITHER, row_chart
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

WIDTH = 560
CHOICE_NAMES = {
    "metric": "the metric",
    "gain": "the gain",
    "cutoff": "the cutoff",
    "ties": "the order of tied results",
    "missing": "what a missing topic counts as",
    "unjudged": "what unjudged results count as",
    "judgements": "the judgements",
}
COUNTED = "The share of significant specifications is not a probability: many specifications nearly repeat each other"


def view(result: Multiverse) -> View:
    """Whether the claim holds in the specifications together, and which choices matter."""
    tables = (_estimand_table(result), _joint_table(result), _share_table(result), _specification_table(result))
    signs = "all signs were tried" if result.exact else f"{result.trials:,} draws, seed {result.seed}"
    notes: list[str] = [
        *result.notes,
        Note(COUNTED),
        f"the joint test gives each topic one sign in all specifications, one-sided for the claim ({signs}); tests are "
        "no part of it",
        "shares of the variance of t are of each dimension alone, so they need not sum to 1",
    ]
    charts = (("curve", partial(curve, result)), ("choices", partial(_share_bars, result)))
    title = f"Multiverse: {result.system} over {result.other}"
    return View(title, tuple(_claim_sentences(result)), tables, tuple(notes), charts)


def _claim_sentences(result: Multiverse) -> list[str]:
    """In how many specifications the claim holds, and what the joint test says."""
    scored, total = len(result.difference), result.p.size
    significant = int(result.significant.sum())
    sentences = [
        f"{result.system} is ahead of {result.other} in {_count_text(result.ahead, scored)} ways of scoring.",
        f"It is significantly better in {_count_text(significant, total)} specifications, each a way of scoring "
        "and a test.",
        joint_sentence(result),
    ]
    name, share = next(iter(result.shares.items()), ("", 0.0))
    if share > 0:
        part = f"{percent_text(share, 0)} of the variance of t"
        sentences.append(f"The choice that matters most is {CHOICE_NAMES[name]}: {part}.")
    repeated = scored - result.distinct
    if repeated:
        give = "gives" if repeated == 1 else "give"
        sentences.append(
            Detail(f"{count_phrase(repeated, 'way')} of scoring {give} the same differences as another one.")
        )
    return sentences


def _count_text(number: int, total: int) -> str:
    return f"all {total:,}" if number == total else f"{f'{number:,}' if number else 'none'} of {total:,}"


def joint_sentence(result: Multiverse, system: str = "it") -> str:
    """What the joint test says, in one sentence."""
    every, median, some = (result.joint[name] for name in ("every specification", "median t", "some specification"))
    shown = f"Tested together, the {len(result.difference):,} ways of scoring show that {system} is better"
    if every < result.alpha:
        return f"{shown} in every one ({p_phrase(every)})."
    if median < result.alpha:
        return f"{shown} by their median t ({p_phrase(median)}), but not in every one."
    if some < result.alpha:
        return f"{shown} in at least one ({p_phrase(some)}), but not by their median t."
    return f"The joint test does not show that {system} is better: {p_phrase(median)} by the median t."


def _estimand_table(result: Multiverse) -> Table:
    """[estimand] what is estimated, and how the claim does there."""
    estimand = np.array(result.choices["estimand"])
    names = list(dict.fromkeys(result.choices["estimand"]))
    own = [estimand == name for name in names]
    columns = {
        "estimand": names,
        "specifications": [int(mask.sum()) * len(result.tests) for mask in own],
        "ahead": [int((result.difference[mask] > 0).sum()) * len(result.tests) for mask in own],
        "significant": [int(result.significant[:, mask].sum()) for mask in own],
        "median t": [float(np.median(result.t[mask])) for mask in own],
    }
    return column_table("estimands", columns, "By what is estimated", digits=2)


def _joint_table(result: Multiverse) -> Table:
    columns = {"test": list(result.joint), "p": list(result.joint.values())}
    return column_table("joint", columns, "Joint test, one-sided", p_columns=("p",))


def _share_table(result: Multiverse) -> Table:
    columns = {"dimension": list(result.shares), "share": list(result.shares.values())}
    return column_table("shares", columns, "Shares of the variance of t, each dimension alone", digits=3)


def _specification_table(result: Multiverse) -> Table:
    """[specification] every analysis, largest t first."""
    order = np.argsort(-result.t, kind="stable")
    tests = len(result.tests)
    columns: dict[str, Any] = {
        name: [result.choices[name][n] for n in order for _ in range(tests)] for name in SPECIFIED
    }
    estimand = columns.pop("estimand")
    columns |= {"test": list(result.tests) * len(order), "estimand": estimand}
    columns |= {name: np.repeat(getattr(result, name)[order], tests) for name in ("topics", "difference", "t")}
    columns |= {"p": result.p[:, order].T.ravel()}
    more = {"max_rows": PAIRS_SHOWN, "p_columns": ("p",), "detail": True, "main": True}
    return column_table("specifications", columns, "Specifications, largest t first", **more)


def curve(result: Multiverse, marks: bool = True) -> Any:
    """t of every way of scoring, in order, above the marks of the choices that each one makes."""
    order = np.argsort(result.t, kind="stable")
    place = np.arange(1, len(order) + 1)
    significant = result.significant[0, order]
    behind = result.difference[order] < 0
    test = find_test(result.tests[0]).short
    words = {
        "better": f"{result.system} better, {test} p < {result.alpha:g}",
        "neither": f"{result.system} ahead or equal, not significant",
        "behind": f"{result.other} ahead",
    }
    state = [
        words["better"] if s else words["behind"] if b else words["neither"]
        for s, b in zip(significant, behind, strict=True)
    ]
    colours = dict(zip(words.values(), (AHEAD, NEITHER, BEHIND), strict=True))
    limit = max(1.0, float(np.abs(result.t[np.isfinite(result.t)]).max(initial=1.0)))
    rows = {
        "place": place, "t": np.clip(result.t[order], -limit, limit), "state": state,
        "metric": [result.scored_as[n] for n in order],
    }  # fmt: skip
    axis = alt.Axis(labels=False, ticks=False, grid=False)
    places = alt.Scale(domain=[0, len(order) + 1], nice=False)
    x = alt.X("place:Q", title=None if marks else "ways of scoring, in the order of t", axis=axis, scale=places)
    legend = alt.Legend(orient="top", columns=1, labelLimit=400)
    color = alt.Color("state:N", scale=class_scale(colours, state), title=None, legend=legend)  # of both parts
    dots = row_chart(chart_rows(rows)).mark_circle(size=14, opacity=1).encode(
        x=x, y=alt.Y("t:Q", title="t of the difference"),
        color=color, tooltip=tooltips("metric", "state", t=".2f"),
    )  # fmt: skip
    zero = row_chart([{"zero": 0}]).mark_rule(color="#888888").encode(y=alt.Y("zero:Q"))
    above = (zero + dots).properties(width=WIDTH, height=200)
    ticks, names = [], []
    for name in SPECIFIED[:-1]:
        levels = list(dict.fromkeys(result.choices[name]))
        if len(levels) < 2:
            continue
        names += [f"{name}: {level}" for level in levels]
        column = [result.choices[name][n] for n in order]
        ticks += [
            {"place": int(p), "choice": f"{name}: {level}", "state": s}
            for p, level, s in zip(place, column, state, strict=True)
        ]
    title = chart_title(
        f"{result.system} over {result.other} in {len(order):,} ways of scoring",
        "each dot is one way; the marks below it are its choices"
        if marks
        else "each dot is one way: a metric with its gain, cutoff, ties, missing and unjudged results",
    )
    if not ticks or not marks:
        return above.properties(title=title)
    below = row_chart(ticks).mark_tick(thickness=1, height=8).encode(
        x=alt.X("place:Q", title="ways of scoring, in the order of t", axis=alt.Axis(grid=False), scale=places),
        y=alt.Y("choice:N", sort=names, title=None),
        color=color,
    )  # fmt: skip
    return alt.vconcat(above, below.properties(width=WIDTH, height=alt.Step(12)), title=title, spacing=4)


def _share_bars(result: Multiverse) -> Any:
    """The share of the variance of t of each dimension."""
    names = list(result.shares)
    rows = chart_rows({"dimension": names, "share": list(result.shares.values())})
    chart = row_chart(rows).mark_bar().encode(
        x=alt.X("share:Q", title="share of the variance of t", axis=alt.Axis(format="%"), scale=alt.Scale(nice=True)),
        y=alt.Y("dimension:N", sort=names, title=None),
        tooltip=tooltips("dimension", share=".1%"),
    )  # fmt: skip
    title = chart_title("Which choices matter", f"{result.system} over {result.other}")
    return chart.properties(title=title, width=360, height=alt.Step(22))
