"""The view of the number of topics that a comparison needs."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from irassay.meta.plan import PAIR_QUANTILES, Plan
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.stats.paired_test import find_test, paired_test_label
from irassay.stats.tests import TESTS
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_title
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import Detail, Table, View

BRIEF = (  # columns
    "metric", "topics needed", *(f"topics needed, {100 * q:.0f} % pair" for q in PAIR_QUANTILES), "power now",
    "family topics",
)  # fmt: skip
BRIEF_OF_PAIR = ("metric", "topics needed", "power now")  # if there is only one pair
SCALE_NOTE = Note(
    "metrics differ in scale: the same difference is a larger effect by one than by another, so the topics needed do "
    "not rank the metrics; compare them at equal standardised differences",
    caveat=True,
)
FEW_TOPICS = 10  # below which the variance, and with it the plan, is a rough guess
MODEL_TOPICS = (0, 0.5, 1, 2, 4, 10)  # model-judged topics, in multiples of the human-judged topics needed without them


def view(result: Plan, *, curve: Annotated[bool, "Also show power by number of topics, as a table."] = False) -> View:
    """How many topics each metric needs to detect a difference."""
    metrics, components = result.metrics, result.components
    difference, power, alpha = result.difference, result.wanted, result.alpha
    topics, fewest, most = (each.tolist() for each in result.topics_of_one())
    by_pair = result.topics_of_pairs()  # [quantile, metric]
    columns: dict[str, Any] = {
        "metric": metrics,
        "topics needed": topics,
        **{f"topics needed, {100 * q:.0f} % pair": row for q, row in zip(PAIR_QUANTILES, by_pair, strict=False)},
        "power now": result.power(),
        "standardised difference": result.standardised(),
        "residual variance": [c.residual for c in components],
        "topic variance": [c.topic for c in components],
        "system variance": [c.system for c in components],
        "E rho²": [c.relative() for c in components],
        "Phi": [c.absolute() for c in components],
    }
    if result.margin is None:
        goal, how = f"detect a difference of {difference:g}", "a paired t-test"
    else:
        goal = f"show that two systems {difference:g} apart are equivalent within ±{result.margin:g}"
        how = "two one-sided t-tests"
    who = " and ".join(result.pair) or "an average pair of systems"
    verb = "need" if result.pair else "needs"
    shown = _ends(topics)  # the metrics that sentences are about; tables have all
    needs = {m: f"{count_phrase(topics[m], 'topic')} by {metrics[m]}" for m in shown}
    sentences: list[str] = [f"To {goal}, {who} {verb} {needs[shown[0]]}{' (the fewest)' if len(shown) > 1 else ''}."]
    sentences += [f"{'They need' if result.pair else 'It needs'} {needs[m]} (the most)." for m in shown[1:]]
    sentences.append(f"There are {components[0].topics:,} now.")
    if by_pair.size and not result.pair and (by_pair[0] < by_pair[-1]).any():
        sentences += [
            f"Pairs vary: by {metrics[m]}, one in ten needs at most {by_pair[0, m]:,} topics, one in ten at least "
            f"{by_pair[-1, m]:,}."
            for m in shown[:1]
        ]
    sentences.append(f"This is for a power of {power:g} at a level of {alpha:g}, by {how}.")
    sentences += [
        Detail(f"By {m}, the interval of the topics needed is {a:,} to {b:,}, because the variance is estimated.")
        for m, n, a, b in zip(metrics, topics, fewest, most, strict=True)
        if a < n or b > n
    ]
    notes = [
        *result.notes,
        *_few_topics_notes(components[0].topics, metrics[shown[0]], fewest[shown[0]], most[shown[0]]),
        f"topics needed: for {how} of two systems; the variance of a difference is twice the residual "
        "variance [sakai2016]; 10, 50 and 90 % pair: by quantiles of the pairs' standard deviations, which are "
        "themselves estimates",
        *([SCALE_NOTE] if len(metrics) > 1 else []),
        *(["one-sided: the difference will be tested in one direction only"] if result.sides == 1 else []),
    ]
    if not len(result.level):
        brief = BRIEF_OF_PAIR if result.pair else BRIEF
        return View("Topics needed", tuple(sentences), (column_table("plan", columns, brief=brief),), tuple(notes))
    need, *ends = result.family_topics()
    varies = np.logical_or(*(end != need for end in ends))  # otherwise the residual variance has no interval
    low, high = ([int(n) if v else None for n, v in zip(end, varies, strict=True)] for end in ends)
    level = [result.level_at(m, n) for m, n in enumerate(need.tolist())]
    columns |= {"family topics": need, "family topics low": low, "family topics high": high, "level": level}
    several = result.pairs > 1 or result.united
    all_pairs = f"If all {count_phrase(result.pairs, 'pair')}{' under all metrics' if result.united else ''}"
    name = _test_name(result.test)
    tested = f"{all_pairs} are tested together ({name})" if several else f"Tested with {name}"
    changed = [m for m in _ends(need.tolist()) if result.test and (several or need[m] != topics[m])]
    for place, m in enumerate(changed):
        start = "It takes" if place else f"{tested}, it takes"
        extreme = (" (the fewest)", " (the most)")[place] if len(changed) > 1 else ""
        step = f"; each pair is tested at {level[m]:.2g} in the first step" if several else ""
        sentences.append(f"{start} {count_phrase(need[m], 'topic')} by {metrics[m]}{extreme}.")
        interval = f"Their interval is {low[m]:,} to {high[m]:,}" if varies[m] else "This number has no interval"
        sentences.append(Detail(f"{interval}{step}."))
    if not varies.all():
        notes.append("no interval where topics do not differ in residual variance, or where both ends are the estimate")
    if several and not result.test:
        notes.append("no correction for several pairs is planned")
    if several:
        notes.append(
            "power among all pairs is that of one pair in the first step of the test, assuming normal differences; the "
            "level of a pair is that of the family's critical value on these topics, or Bonferroni's"
        )
    notes += [
        "intervals of topics and bands of power are 95% intervals, leaving out one topic at a time; they cover the "
        "variance only, not whether the difference is true",
        *_on_rank_tests(result),
    ]
    brief = BRIEF if several else (*BRIEF_OF_PAIR, *(["family topics"] if (need != topics).any() else []))
    tables = [column_table("plan", columns, main=True, brief=brief), *([curve_table(result)] if curve else [])]
    if len(result.correlation):
        table, model_sentences = model_topics(result)
        tables.append(table)
        sentences += model_sentences
        notes.append(
            "human-judged topics must be a random subset of all topics, and the model must judge them too; its weight "
            "is assumed to be known, and estimating it takes a few more topics [angelopoulos2023]"
        )
    charts = (("power", lambda: power_chart(result)),)
    cite = ("angelopoulos2023",) if len(result.correlation) else ()
    return View("Topics needed", tuple(sentences), tuple(tables), tuple(notes), charts, cite)


def _few_topics_notes(topics: int, metric: str, fewest: int, most: int) -> list[Note]:
    """A warning if the plan rests on few topics."""
    if topics >= FEW_TOPICS:
        return []
    guess = f"few topics: from {count_phrase(topics, 'topic')} this is a rough guess"
    ends = f"; by {{metrics}}, the interval of the topics needed is {fewest:,} to {most:,}" if fewest < most else ""
    return [Note(f"{guess}{ends}", metrics=(metric,) if ends else (), caveat=True)]


def _ends(topics: Sequence[int]) -> list[int]:
    """The places of the fewest and of the most topics; one place if all are equal.

    >>> _ends([230, 59, 714]), _ends([8, 8])
    ([1, 2], [0])
    """
    fewest, most = topics.index(min(topics)), topics.index(max(topics))
    return [fewest] if topics[fewest] == topics[most] else [fewest, most]


def _test_name(test: str) -> str:
    """The test of all pairs, as sentences name it; it may have a correction after it.

    >>> _test_name("max-t-stepdown"), _test_name("t, holm"), _test_name("two one-sided t-tests, holm")
    ('step-down max-T', 'paired t, holm', 'two one-sided t-tests, holm')
    """
    name, _, correction = test.partition(", ")
    return paired_test_label(name, correction or "none") if name in TESTS else test


def _on_rank_tests(result: Plan) -> list[str]:
    """How many more topics than a t-test a test of ranks or signs needs, by its Pitman efficiency."""
    efficiency = find_test(result.settings.given.get("test") or "t").efficiency if result.test else 1.0
    more = f"{100 * (1 / efficiency - 1):.0f}%"
    note = f"power is that of t-tests; with normal differences, {result.test} would take about {more} more topics"
    return [note] if efficiency < 1 else []


def most_topics(result: Plan) -> list[int]:
    """[metric] the largest number of topics to show: 1.5 times what it needs, and more than there are."""
    have = result.components[0].topics
    return [int(max(1.5 * need, 1.2 * have, 10)) for need in result.family_topics()[0]]


def round_numbers(limit: int) -> list[int]:
    """Round numbers up to the first that is at least `limit`.

    >>> round_numbers(40)
    [5, 10, 15, 20, 30, 50]
    """
    numbers = [int(n * 10**power) for power in range(12) for n in (1, 1.5, 2, 3, 5, 7.5)]
    numbers = [n for n in numbers if n >= 5 and n != 7]
    return numbers[: 1 + next(index for index, n in enumerate(numbers) if n >= limit)]


def curve_table(result: Plan) -> Table:
    """[metric and topics] the power for a pair tested among all, with its band."""
    cells = [
        (metric, n, *power)
        for m, (metric, limit) in enumerate(zip(result.metrics, most_topics(result), strict=True))
        for topics in [round_numbers(limit)]
        for n, power in zip(topics, result.curve(topics)[m], strict=True)
    ]
    columns = dict(zip(("metric", "topics", "power", "power low", "power high"), zip(*cells, strict=True), strict=True))
    return column_table("power", columns, "Power of each pair among all")


def model_topics(result: Plan) -> tuple[Table, list[str]]:
    """[metric and model topics] the number of human-judged topics needed, and sentences about it."""
    need = result.family_topics()[0]
    cells = [
        (result.metrics[m], result.correlation[m], n, human, total - human)
        for m, total in enumerate(need.tolist())
        for n in sorted({*(round(share * total) for share in MODEL_TOPICS), result.further})
        for human in [int(result.human_topics(n)[m])]
    ]
    names = ("metric", "correlation", "model topics", "human topics", "replaced")
    columns = dict(zip(names, zip(*cells, strict=True), strict=True))
    sentences = [
        sentence
        for at, (m, r, total) in enumerate(zip(result.metrics, result.correlation, need, strict=True))
        for n in [result.further or int(total)]
        for sentence in (
            f"With a model's judgements, people must judge {result.human_topics(n)[at]:,} of {total:,} topics by {m}.",
            f"The model judges {n:,} further topics, and its differences correlate with human ones at {r:.2f}.",
        )
    ]
    return column_table("model", columns, "Human-judged topics needed with model-judged topics"), sentences


def power_chart(result: Plan) -> "alt.AnyChart":
    """Power by the number of topics, with bands, for a pair tested among all; dashed: for one pair alone."""
    topics = np.unique(np.geomspace(2, max(most_topics(result)), 80).round().astype(int)).tolist()
    power, alone = result.curve(topics), result.curve_of_one(topics)
    powers = dict(zip(("power", "low", "high"), np.moveaxis(power, 2, 0), strict=True)) | {"one pair": alone}
    lines = cell_rows({"metric": result.metrics, "topics": topics}, powers)
    among = f" for a pair among {result.pairs:,}" if result.pairs > 1 else ""
    solid = f"solid, 95% band: {_test_name(result.test) if result.test else 'no correction'}{among}"
    equivalence = f"show equivalence within ±{result.margin:g}" if result.margin else ""
    goal, alone_by = (
        equivalence or f"detect {result.difference:g}",
        "two one-sided t-tests" if equivalence else "a paired t-test",
    )
    title = chart_title(f"Power to {goal}", f"{solid}; dashed: {alone_by} of one pair")
    base = row_chart(lines, title=title).encode(
        x=alt.X("topics:Q", title="topics"),
        color=alt.Color("metric:N", title=None, sort=list(result.metrics), legend=alt.Legend(symbolOpacity=1)),
    )
    up = alt.Scale(domain=[0, 1])
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title="power", scale=up), y2="high:Q")
    line = base.mark_line().encode(y=alt.Y("power:Q", scale=up), tooltip=["metric:N", "topics:Q", "power:Q"])
    single = base.mark_line(strokeDash=[5, 4]).encode(y=alt.Y("one pair:Q", scale=up))
    wanted = row_chart([{"y": result.wanted}]).mark_rule(color="#888888", strokeDash=[2, 2]).encode(y="y:Q")
    return (band + line + single + wanted).properties(width=460, height=280)
