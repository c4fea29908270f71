"""The view of topics: the difference of two systems on each, how few topics it depends on, which topics are hard."""

from dataclasses import replace
from textwrap import shorten
from typing import Any

import numpy as np

from irassay.arrays import TIE, Floats, Ints
from irassay.errors import argument
from irassay.meta.topics import Topics
from irassay.notes import Note
from irassay.prose import count_phrase, first_few, level_text, name_list
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_rows, chart_title, class_scale, tooltips
from irassay.views.phrases import NO_SPREAD, p_phrase
from irassay.views.rank_shares import topic_view
from irassay.views.table_columns import column_table, whole_counts
from irassay.views.theme import AHEAD, BEHIND, row_chart
from irassay.views.view import Detail, Table, View

MAX_TEXT = 40  # characters of a topic's text in a table for people
MAX_ROWS = 15  # topics shown to people in a table
MAX_NAMED_TOPICS = 5  # topics named in a sentence
MAX_LABELLED_TOPICS = 60  # topics up to which names fit below their bars
MAX_WIDTH = 720  # pixels of a chart of more topics
MAX_BARS = 240  # topics up to which each has a bar
MAX_CELLS = (60, 120)  # systems and topics of a heat map; if there are more, neighbours share a cell


def view(result: Topics) -> View:
    """The topics that two systems differ on; for a single topic, its two rankings side by side."""
    if result.one is not None:
        return topic_view(result, result.one)
    first, second = result.pair
    if result.difference.any():
        answer = [*difference_sentences(result), *influence_sentences(result)]
    else:
        mean, topics = result.of(first).mean(), count_phrase(len(result.topics), "topic")
        answer = [f"{first} and {second} score the same by {result.metric} on all {topics}, with a mean of {mean:.4f}."]
        answer += [f"{argument('pair')} compares two others."] if len(result.systems) > 2 else []
    sentences = (*answer, Detail(hardest_sentence(result)))
    tables = (differences_table(result), hardest_table(result))
    charts = (("differences", lambda: delta_chart(result)), ("heat-map", lambda: heat_chart(result)))
    notes = (*result.notes, *_notes(result))
    title = f"Topics by {result.metric}: {first} and {second}"
    return View(title, sentences, tables, notes, charts, ("student1908", "broderick2020"))


def _notes(result: Topics) -> list[str]:
    constant = f"no interval: {NO_SPREAD}"
    notes: list[str] = [constant if result.is_constant else "p is from the paired t-test"]
    if result.chosen != "given":
        text = f"{_choice_text(result)}, by the same scores; p and intervals are not corrected for that choice"
        notes.append(Note(text, caveat=True))
    notes.append("topics are removed in the order in which they change the t-test most; at least two are kept")
    return notes


def difference_sentences(result: Topics) -> list[str]:
    """The difference over all topics, and the number of topics on which each system is ahead."""
    first, second = result.pair
    means = [float(result.of(name).mean()) for name in result.pair]
    low, high = result.interval()
    d = result.difference if result.higher_is_better else -result.difference
    ahead, behind = int((d > 0).sum()), int((d < 0).sum())
    tied = len(d) - ahead - behind
    verdict = "significant" if result.significant else "not significant"
    test = "sign flips" if result.is_constant else "paired t-test"
    every = "on every topic" if result.is_constant else "on average"
    interval = Detail(f"The {level_text(result.alpha)} interval of the difference is {low:+.4f} to {high:+.4f}.")
    return [
        f"By {result.metric}, {first} minus {second} is {result.mean_difference:+.4f} {every}: {verdict} "
        f"({p_phrase(result.p)}, {test}{' of this pair alone' if len(result.systems) > 2 else ''}).",
        f"{first} is ahead on {count_phrase(ahead, 'topic')}, {second} on {behind}.",
        *([f"They tie on {count_phrase(tied, 'topic')}."] if tied else []),
        Detail(f"The means are {means[0]:.4f} and {means[1]:.4f}, on {count_phrase(len(d), 'topic')}."),
        *([] if result.is_constant else [interval]),
    ]


def _choice_text(result: Topics) -> str:
    """How the pair was chosen: the best two systems, or the best besides the baseline; and those tied with the last."""
    first, second = result.pair
    others = [name for name in result.systems if name not in result.pair]
    is_best = result.chosen == "best"
    tied = [name for name in others if _same_mean(result, name, second if is_best else first)]
    tie = f", tied with {name_list(tied)}" if tied else ""
    who = "these are the best two" if is_best else f"{first} is the best"
    return f"{who} of {len(result.systems) - (not is_best)} {'' if is_best else 'other '}systems{tie}"


def _same_mean(result: Topics, one: str, other: str) -> bool:
    """Whether two systems have the same mean."""
    return bool(np.isclose(result.of(one).mean(), result.of(other).mean(), rtol=TIE, atol=0))


def influence_sentences(result: Topics) -> list[str]:
    """What one topic changes, and how many it takes to change the sign or the verdict."""
    mean, p = result.without
    if np.isnan(p).any():
        return ["There are too few topics to leave one out of the test."]
    low, high, p_low, p_high = int(mean.argmin()), int(mean.argmax()), int(p.argmin()), int(p.argmax())
    name = result.topics
    p_range = f"{p_phrase(p[p_low])} (without {name[p_low]}) to {p_phrase(p[p_high])} (without {name[p_high]})"
    sentence = (
        f"With one topic left out, the difference is between {mean[low]:+.4f} (without {name[low]}) and "
        f"{mean[high]:+.4f} (without {name[high]}), with {'p < 0.0001' if p[p_high] < 0.0001 else p_range}."
    )
    return [_sign_sentence(result), _verdict_sentence(result), Detail(sentence)]


def _sign_sentence(result: Topics) -> str:
    """The fewest topics that the sign of the difference depends on."""
    lost = result.sign_lost
    if result.mean_difference == 0:
        return "The difference is 0, so it has no sign to lose."
    if not len(lost):
        return "The difference keeps its sign whichever topics are removed."
    left = float(np.delete(result.difference, lost).sum())
    what = "makes the difference 0" if abs(left) <= TIE * result.span else "reverses the difference"
    fewest = "; no fewer would" if len(lost) > 1 else ""
    return f"Removing {_removed_topics_text(result, lost)} {what}{fewest}."


def _verdict_sentence(result: Topics) -> str:
    """The fewest topics that the verdict of the test is known to depend on."""
    change, at = result.verdict_lost, f"significant at {result.alpha:g}"
    turned = f"no longer {at}" if result.significant else f"{at} with the same sign"
    if not change.possible:
        if change.at_least:
            return f"No topics were found whose removal makes it {turned}; fewer than {change.at_least} would not."
        verdict = f"stays {at}" if result.significant else f"does not become {at} with the same sign"
        return f"The difference {verdict} whichever topics are removed, as long as two are left."
    few = "no fewer would" if change.smallest else f"fewer than {change.at_least} would not"
    fewest = f"; {few}" if len(change.removed) > 1 else ""
    return f"Removing {_removed_topics_text(result, change.removed)} makes it {turned}{fewest}."


def _topic_names(result: Topics, which: Ints) -> str:
    return first_few([result.topics[t] for t in which], MAX_NAMED_TOPICS)


def _removed_topics_text(result: Topics, which: Ints) -> str:
    """The number of topics removed, and their names."""
    if len(which) == 1:
        return f"topic {result.topics[which[0]]}"
    return f"{len(which)} of {count_phrase(len(result.topics), 'topic')} ({_topic_names(result, which)})"


def hardest_sentence(result: Topics) -> str:
    """The topics with the worst mean over systems."""
    mean, order = result.values.mean(axis=0), result.hardest()
    worst = [f"{result.topics[t]} ({mean[t]:.4f})" for t in order[:3]]
    nobody = int((result.values == 0).all(axis=0).sum()) if result.higher_is_better else 0
    none = f"; on {count_phrase(nobody, 'topic')} every system scores 0" if nobody else ""
    return f"Hardest, by the mean over {count_phrase(len(result.systems), 'system')}: {', '.join(worst)}{none}."


def differences_table(result: Topics) -> Table:
    """[topic] largest absolute difference first, with the mean and p without the topic."""
    order = np.argsort(-np.abs(result.difference), kind="stable")
    mean, p = result.without
    first, second = result.pair
    columns = {
        "topic": result.topics,
        "A": whole_counts(result.of(first), result.metric),
        "B": whole_counts(result.of(second), result.metric),
        "difference": whole_counts(result.difference, result.metric),
        "mean without": mean,
        "p without": p,
    }
    title = f"Largest differences; A is {first}, B {second}"
    caption = f"{result.metric} by topic, largest differences first; A is {first}, B {second}."
    more = {"max_rows": MAX_ROWS, "main": True, "caption": caption}
    if not result.texts:
        return column_table("differences", columns, title, order, **more)
    texts = [result.texts.get(topic, "") for topic in result.topics]
    full = column_table("differences", columns | {"text": texts}, title, order, **more)
    short = columns | {"text": [shorten(text, MAX_TEXT, placeholder="…") for text in texts]}
    return replace(column_table("differences", short, title, order, **more), machine=full)


def hardest_table(result: Topics) -> Table:
    """[topic] worst mean over systems first."""
    order = result.hardest()
    values = result.values[:, order]
    best = (values.max if result.higher_is_better else values.min)(axis=0)
    level = np.abs(values - best) <= TIE * result.span
    columns = {
        "topic": [result.topics[t] for t in order],
        "mean": values.mean(axis=0),
        "sd": values.std(axis=0, ddof=1),
        "best": whole_counts(best, result.metric),
        "best system": [first_few([result.systems[s] for s in which], 1) for which in map(np.flatnonzero, level.T)],
    }
    title = f"Hardest topics, over {count_phrase(len(result.systems), 'system')}"
    caption = f"{title}, by {result.metric}."
    return column_table("hardest", columns, title, max_rows=MAX_ROWS, caption=caption, detail=True)


def delta_chart(result: Topics) -> "alt.AnyChart":
    """A bar for each topic, largest difference first; if there are many topics, neighbours share a bar."""
    first, second = result.pair
    order, d = result.order, result.difference
    groups = np.array_split(order, min(len(order), MAX_BARS))
    shared = len(groups) < len(order)
    mean, p = result.without
    ahead = d if result.higher_is_better else -d
    leads = {1: first, 0: "", -1: second}
    columns: dict[str, Any] = {
        "place": np.arange(1, len(groups) + 1),
        "topic": [_span_text(result, group) for group in groups],
        "difference": [float(d[group].mean()) for group in groups],
        "ahead": [leads[int(np.sign(ahead[group].mean()))] for group in groups],
    }
    formats = {"difference": "+.4f"}
    if not shared:
        columns |= {"mean without": mean[order], "p without": p[order]}
        formats |= {"mean without": "+.4f", "p without": ".4f"}
    drawn = [name for name in columns["ahead"] if name]  # a topic without a difference has no bar to colour
    legend: dict[str, Any] = {} if drawn else {"legend": None}
    colour = alt.Color("ahead:N", scale=class_scale({first: AHEAD, second: BEHIND}, drawn), title="ahead", **legend)
    room = len(groups) <= MAX_LABELLED_TOPICS
    axis = alt.Axis(labels=room, ticks=False, labelAngle=-90, labelOverlap=True, grid=False, domain=False)
    x = alt.X("topic:N", sort=columns["topic"], title="topics, by difference", axis=axis)
    under = f"means of up to {-(-len(order) // len(groups))} neighbours" if shared else "topic by topic"
    base = row_chart(chart_rows(columns))
    bars = base.mark_bar().encode(
        x=x, y=alt.Y("difference:Q", title="difference"), color=colour, tooltip=tooltips("topic", "ahead", **formats)
    )
    line = row_chart([{"mean": result.mean_difference}]).mark_rule(strokeDash=[4, 4])
    rule = line.encode(y="mean:Q", tooltip=[alt.Tooltip("mean:Q", format="+.4f", title="mean difference")])
    width = max(160, 12 * len(groups)) if room else MAX_WIDTH
    title = chart_title(f"{result.metric}: {first} minus {second}", f"{under}; dashed: the mean")
    return (bars + rule).properties(title=title, width=width, height=220)


def _span_text(result: Topics, group: Ints) -> str:
    """A topic, or the first and last of several."""
    name = result.topics
    return name[group[0]] if len(group) == 1 else f"{name[group[0]]} … {name[group[-1]]}"


def heat_chart(result: Topics) -> "alt.AnyChart":
    """Systems by topics, best system on top, hardest topic on the left; if there are many, neighbours share cells."""
    orders = result.best_first(), result.hardest()
    sizes = zip(orders, MAX_CELLS, strict=True)
    row_groups, column_groups = (np.array_split(order, min(len(order), limit)) for order, limit in sizes)
    values = _block_means(result.values, row_groups, column_groups)
    systems = [_group_name(result.systems, group) for group in row_groups]
    topics = [_span_text(result, group) for group in column_groups]
    cells = cell_rows({"system": systems, "topic": topics}, {"score": values})
    room = len(topics) <= MAX_LABELLED_TOPICS
    axis = alt.Axis(labels=room, ticks=False, labelAngle=-90, labelOverlap=True)
    width = max(160, 12 * len(topics)) if room else MAX_WIDTH
    # The default legend is longer than a chart of few systems is high.
    legend = alt.Legend(gradientLength=40) if len(systems) < 5 else alt.Undefined
    chart = row_chart(cells).mark_rect().encode(
        x=alt.X("topic:N", sort=topics, title="topics, hardest first", axis=axis),
        y=alt.Y("system:N", sort=systems, title=None),
        color=alt.Color("score:Q", scale=alt.Scale(scheme="viridis"), title=result.metric, legend=legend),
        tooltip=tooltips("system", "topic", score=".4f"),
    )  # fmt: skip
    group_sizes = {"systems": max(map(len, row_groups)), "topics": max(map(len, column_groups))}
    shared = [f"up to {n} {what}" for what, n in group_sizes.items() if n > 1]
    under = f"a cell is the mean of {' and '.join(shared)}, neighbours in order" if shared else "best system on top"
    title = chart_title(f"{result.metric} by topic and system", under)
    return chart.properties(title=title, width=width, height=alt.Step(12))


def _group_name(names: tuple[str, ...], group: Ints) -> str:
    return names[group[0]] if len(group) == 1 else f"{names[group[0]]} … ({len(group)})"


def _block_means(values: Floats, down: list[Ints], across: list[Ints]) -> Floats:
    """[block, block] the means of blocks of rows and columns."""
    row_means = np.stack([values[group].mean(axis=0) for group in down])
    return np.stack([row_means[:, group].mean(axis=1) for group in across], axis=1)
