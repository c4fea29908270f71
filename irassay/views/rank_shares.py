"""The view of one topic: two rankings side by side, and each rank's share of the difference of their scores."""

from dataclasses import replace
from textwrap import shorten
from typing import Any

import numpy as np

from irassay.arrays import TIE, Floats
from irassay.meta.rank_shares import RankShares
from irassay.meta.topics import Topics
from irassay.prose import name_list
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, class_scale, tooltips
from irassay.views.phrases import count_are
from irassay.views.table_columns import column_table, with_last_row
from irassay.views.theme import AHEAD, BEHIND, row_chart
from irassay.views.view import Cell, Table, View

MAX_BARS = 300  # ranks up to which each has a bar, even if its share is 0
MAX_TEXT = 60  # characters of a document's text in the table
MAX_TOPIC = 120  # characters of the topic's text
MAX_ROWS = 20  # ranks shown to people in the table


def topic_view(result: Topics, one: RankShares) -> View:
    """The two rankings of a topic, and each rank's share of the difference of their scores."""
    first, second = result.pair
    gap = one.score[0] - one.score[1]
    size = np.abs(result.difference)
    place = 1 + int((size > size[result.topics.index(one.topic)]).sum())
    shared = len(set(one.documents[0]) & set(one.documents[1]))
    longest = max(map(len, one.documents))
    documents = count_are(shared, "document") if shared else "No document is"
    both = f"{documents} in both lists down to rank {longest}."
    if gap:
        sentences = [
            f"On topic {one.topic}, {first} minus {second} is {gap:+.4f} by {result.metric}.",
            f"{first} scores {one.score[0]:.4f}, {second} {one.score[1]:.4f}.",
            f"The difference is the {_ordinal(place)} of {len(size)} by size.",
        ]
    else:
        sentences = [
            f"On topic {one.topic}, {first} and {second} score the same by {result.metric}: {one.score[0]:.4f}."
        ]
    if text := result.texts.get(one.topic):
        sentences.append(f"The topic is “{shorten(text, MAX_TOPIC, placeholder='…')}”.")
    if one.share.any():
        sentences += [f"{_strongest_ranks(one.share)}.", both]
    elif longest:
        sentences += ["No rank contributes to a difference.", both]
    notes = [*result.notes]
    if one.terms:
        notes.append(
            "a rank's share is the difference of the two scores' terms at that rank; shares sum to the difference"
        )
    else:
        notes.append(
            "a rank's share is how much the difference changes if both lists are cut at this rank instead of one rank "
            "before; if the metric is a sum over ranks, these are its terms; shares sum to the difference"
        )
    if abs(one.past_share) > 1e-12:
        notes.append(f"{one.past_share:+.4f} of the difference is earned past the lists")
    title = f"Topic {one.topic} by {result.metric}: {first} and {second}"
    charts = (("ranks", lambda: share_chart(result, one)),)
    return View(title, tuple(sentences), (ranks_table(result, one),), tuple(notes), charts, ("jose2021",))


def _strongest_ranks(share: Floats) -> str:
    """The ranks with the largest share of the difference, up or down.

    >>> _strongest_ranks(np.array([0.1, -0.5, 0.2])), _strongest_ranks(np.array([0.5, -0.5]))
    ('Rank 2 contributes most, -0.5000', 'Ranks 1 and 2 contribute most, 0.5000 up or down')
    """
    size = np.abs(share)
    ranks = np.flatnonzero(np.isclose(size, size.max(), rtol=TIE, atol=0)).tolist()
    if len(ranks) == 1:
        return f"Rank {ranks[0] + 1} contributes most, {share[ranks[0]]:+.4f}"
    signs = {float(np.sign(share[rank])) for rank in ranks}
    each = f"{share[ranks[0]]:+.4f} each" if len(signs) == 1 else f"{size.max():.4f} up or down"
    return f"Ranks {name_list([f'{rank + 1}' for rank in ranks])} contribute most, {each}"


def _ordinal(n: int) -> str:
    """An ordinal number.

    >>> _ordinal(1), _ordinal(2), _ordinal(13), _ordinal(23)
    ('1st', '2nd', '13th', '23rd')
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th") if n % 100 not in (11, 12, 13) else "th"
    return f"{n}{ending}"


def ranks_table(result: Topics, one: RankShares) -> Table:
    """[rank] the rank's share, and the two documents with grade, gain, contribution and rank in the other list."""
    depth = one.adds.shape[1]
    columns: dict[str, Any] = {"rank": np.arange(1, depth + 1), "share": one.share}
    for n, letter in enumerate("AB"):
        documents = one.documents[n]
        columns[letter] = [*documents, *[None] * (depth - len(documents))]
        columns[f"{letter} grade"] = _grades(one.grade[n])
        columns[f"{letter} gain"] = [None if np.isnan(g) else float(g) for g in one.gain[n]]
        columns[f"{letter} adds"] = one.adds[n]
        columns[f"in {'BA'[n]} at"] = [int(at) or None for at in one.elsewhere[n]]
    full, cut = dict(columns), dict(columns)
    for n, letter in enumerate("AB" if result.document_texts else ""):
        texts = [result.document_texts.get(document, "") for document in one.documents[n]]
        rest = [None] * (depth - len(texts))
        full[f"{letter} text"] = [*texts, *rest]
        cut[f"{letter} text"] = [*(shorten(text, MAX_TEXT, placeholder="…") for text in texts), *rest]
    who = f"A is {result.pair[0]}, B {result.pair[1]}"
    caption = f"Share of each rank in the difference in {result.metric} on topic {one.topic}; {who}."
    brief = tuple(name for name in cut if not name.endswith(" gain"))  # so that the rest fits into one line
    more = {"max_rows": MAX_ROWS, "main": True, "caption": caption, "brief": brief}
    table = column_table("ranks", cut, who, **more)
    if result.document_texts:
        table = replace(table, machine=column_table("ranks", full, who, **more))
    if abs(one.past_share) <= 1e-12:
        return table
    past: dict[str, Cell] = {"A": "past the list", "share": one.past_share}
    past |= {"A adds": float(one.past[0]), "B adds": float(one.past[1])}
    return with_last_row(table, past)


def _grades(grades: Floats) -> list[int | float | None]:
    """Grades, as integers if they are integral; None for unjudged documents."""
    return [None if np.isnan(g) else int(g) if g == int(g) else float(g) for g in grades]


def share_chart(result: Topics, one: RankShares) -> "alt.AnyChart":
    """Each rank's share of the difference, and the sum of shares up to it."""
    first, second = result.pair
    depth = one.adds.shape[1]
    up = one.share if result.higher_is_better else -one.share
    columns: dict[str, Any] = {
        "rank": np.arange(1, depth + 1),
        "share": one.share,
        "so far": one.share.cumsum(),
        "for": np.where(up > 0, first, second),
        "A": [*one.documents[0], *[""] * (depth - len(one.documents[0]))],
        "B": [*one.documents[1], *[""] * (depth - len(one.documents[1]))],
    }
    known = one.share != 0 if depth > MAX_BARS else None
    base = row_chart(chart_rows(columns, known))
    present = columns["for"][one.share != 0]
    colour = alt.Color("for:N", scale=class_scale({first: AHEAD, second: BEHIND}, present), title="in favour of")
    x = alt.X(
        "rank:Q", title="rank", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(domain=[0.5, depth + 0.5], nice=False)
    )
    bars = base.mark_bar(size=max(1.0, min(18.0, 480 / max(1, depth)))).encode(
        x=x,
        y=alt.Y("share:Q", title="share of the difference"),
        color=colour,
        tooltip=[*tooltips("rank", "A", "B", share="+.4f"), alt.Tooltip("so far:Q", format="+.4f")],
    )
    line = base.mark_line(interpolate="step-after", strokeDash=[4, 3], color="#888888").encode(x="rank:Q", y="so far:Q")
    title = chart_title(f"{result.metric} on topic {one.topic}", f"{first} minus {second}; dashed: the sum so far")
    return (bars + line).properties(title=title, width=560, height=220)
