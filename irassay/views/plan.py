"""The view of the number of topics that a comparison needs."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from irassay.arrays import Ints
from irassay.meta.plan import PAIR_QUANTILES, Plan
from irassay.notes import Note
from irassay.prose import count_phrase, name_list
from irassay.stats.paired_test import find_test, paired_test_label
from irassay.stats.tests import TESTS
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_title, line_legend
from irassay.views.table_columns import column_table
from irassay.views.theme import row_chart
from irassay.views.view import Detail, Table, View

BRIEF = (  # columns
    "metric", "topics needed", *(f"topics needed, {100 * q:.0f} % pair" for q in PAIR_QUANTILES), "power now",
    "family topics",
)  # fmt: skip
BRIEF_OF_PAIR = ("metric", "topics needed", "power now")  # if there is only one pair
SCALE_NOTE = Note(
    "metrics differ in scale, so the topics needed do not rank them; compare metrics at equal standardised differences",
    caveat=True,
)
FEW_PILOT_TOPICS = 10  # fewer say so little about the variance that the plan carries a caveat
MODEL_TOPICS = (0, 0.5, 1, 2, 4, 10)  # model-judged topics, in multiples of the human-judged topics needed without them


def view(result: Plan, *, curve: Annotated[bool, "Also show power by number of topics, as a table."] = False) -> View:
    """How many topics each metric needs to detect a difference."""
    columns, sentences, notes = _columns_of_one(result), _sentences_of_one(result), _notes_of_one(result)
    if not len(result.level):
        brief = BRIEF_OF_PAIR if result.pair else BRIEF
        return View("Topics needed", tuple(sentences), (column_table("plan", columns, brief=brief),), tuple(notes))
    family, several = _family_topics(result), _has_several_tests(result)
    columns |= {
        "family topics": family.need,
        "family topics low": family.low,
        "family topics high": family.high,
        "level": family.level,
    }
    sentences += _family_sentences(result, family)
    notes += _family_notes(result, family)
    changed = (family.need != result.topics()).any()
    brief = BRIEF if several else (*BRIEF_OF_PAIR, *(["family topics"] if changed else []))
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


def _columns_of_one(result: Plan) -> dict[str, Any]:
    """[metric] the topics that one pair needs, and the variances behind them."""
    by_pair = result.topics_of_pairs()  # [quantile, metric]
    components = result.components
    return {
        "metric": result.metrics,
        "topics needed": result.topics().tolist(),
        **{f"topics needed, {100 * q:.0f} % pair": row for q, row in zip(PAIR_QUANTILES, by_pair, strict=False)},
        "power now": result.power(),
        "standardised difference": result.standardised(),
        "residual variance": [c.residual for c in components],
        "topic variance": [c.topic for c in components],
        "system variance": [c.system for c in components],
        "E rho²": [c.relative() for c in components],
        "Phi": [c.absolute() for c in components],
    }


def _sentences_of_one(result: Plan) -> list[str]:
    """What one pair needs, tested alone."""
    metrics, components, difference = result.metrics, result.components, result.difference
    topics, fewest, most = (each.tolist() for each in result.topics_of_one())
    by_pair = result.topics_of_pairs()  # [quantile, metric]
    goal = f"detect a difference of {difference:g}"
    if result.margin is not None:
        goal = f"show that two systems {difference:g} apart are equivalent within ±{result.margin:g}"
    who = " and ".join(result.pair) or f"{'a' if result.pairs == 1 else 'an average'} pair of systems"
    verb = "need" if result.pair else "needs"
    shown = _extremes(topics)  # the metrics that sentences are about; tables have all
    needs = {m: f"{count_phrase(topics[m], 'topic')} by {_metrics_needing_as_many(metrics, topics, m)}" for m in shown}
    sentences: list[str] = [f"To {goal}, {who} {verb} {needs[shown[0]]}{' (the fewest)' if len(shown) > 1 else ''}."]
    sentences += [f"{'They need' if result.pair else 'It needs'} {needs[m]} (the most)." for m in shown[1:]]
    sentences.append(f"There are {components[0].topics:,} now.")
    if by_pair.size and not result.pair and (by_pair[0] < by_pair[-1]).any():
        pairs = "Pairs with the baseline" if result.settings.given.get("baseline") else "Pairs"
        low, high = (by_pair[end, shown[0]] for end in (0, -1))
        of = f"by {metrics[shown[0]]}, the tenth and ninetieth percentiles"  # PAIR_QUANTILES
        sentences.append(f"{pairs} vary: {of} are {low:,} and {high:,} topics.")
    how = _test_of_one(result, sided=True)
    sentences.append(f"This is for a power of {result.wanted:g} at a level of {result.alpha:g}, by {how}.")
    few, known = components[0].topics < FEW_PILOT_TOPICS, result.has_interval
    for m, metric in enumerate(metrics):
        ends = f"{fewest[m]:,} to {most[m]:,}"
        text = f"By {metric}, the interval of the topics needed is {ends}, because the variance is estimated."
        if known[m] and fewest[m] < most[m]:
            sentences.append(text if few and m in shown else Detail(text))
    return sentences


def _notes_of_one(result: Plan) -> list[str]:
    """The notes of the scores, and how the topics of one pair are computed."""
    topics = result.components[0].topics
    return [
        *result.notes,
        f"topics needed: for {_test_of_one(result)} of two systems; the variance of a difference is twice the residual "
        "variance [sakai2016]; 10, 50 and 90 % pair: by quantiles of the pairs' standard deviations, which are "
        "themselves estimates",
        *([SCALE_NOTE] if len(result.metrics) > 1 else []),
        *([_few_topics_note(topics, bool(result.has_interval.all()))] if topics < FEW_PILOT_TOPICS else []),
        *(["one-sided: the difference will be tested in one direction only"] if result.sides == 1 else []),
    ]


def _test_of_one(result: Plan, sided: bool = False) -> str:
    """The test of one pair alone, in words; `sided` adds the number of its sides."""
    if result.margin is not None:
        return "two one-sided t-tests"
    sides = ("one-sided ", "two-sided ")[result.sides - 1] if sided else ""
    return f"a {sides}paired t-test"


def _metrics_needing_as_many(metrics: Sequence[str], topics: Sequence[int], m: int) -> str:
    """The metrics that need as many topics as this one.

    >>> _metrics_needing_as_many(("AP", "RR", "P@5"), (20, 31, 20), 0)
    'AP and P@5'
    """
    return name_list([metric for metric, number in zip(metrics, topics, strict=True) if number == topics[m]])


def _has_several_tests(result: Plan) -> bool:
    """Whether a pair is tested together with others."""
    return result.pairs > 1 or result.united


class FamilyTopics(NamedTuple):
    """[metric] what a pair needs that is tested among all."""

    need: Ints  # topics
    low: list[int | None]  # end of their interval; None if the residual variance has none
    high: list[int | None]
    level: list[float]  # of the pair


def _family_topics(result: Plan) -> FamilyTopics:
    """What each metric needs if all pairs are tested together."""
    need, *ends = result.family_topics()
    varies = result.has_interval & np.logical_or(*(end != need for end in ends))
    low, high = ([int(n) if v else None for n, v in zip(end, varies, strict=True)] for end in ends)
    return FamilyTopics(need, low, high, [result.level_at(m, n) for m, n in enumerate(need.tolist())])


def _family_sentences(result: Plan, family: FamilyTopics) -> list[str]:
    """What a pair needs that is tested among all, if that differs from what it needs alone."""
    several, topics, sentences = _has_several_tests(result), result.topics(), list[str]()
    pairs = "the pair is" if result.pairs == 1 else f"all {result.pairs:,} pairs are"
    name, united = _test_name(result.test), " under all metrics" if result.united else ""
    tested = f"If {pairs} tested{united} together ({name})" if several else f"Tested with {name}"
    changed = [m for m in _extremes(family.need.tolist()) if result.test and (several or family.need[m] != topics[m])]
    who = " and ".join(result.pair) or ("an average pair" if result.pairs > 1 else "the pair")
    needs, again = ("need", "They need") if result.pair else ("needs", "It needs")
    for place, m in enumerate(changed):
        start = again if place else f"{tested}, {who} {needs}"
        extreme = (" (the fewest)", " (the most)")[place] if len(changed) > 1 else ""
        step = f"; each pair is tested at {family.level[m]:.2g} in the first step" if several else ""
        low, high = family.low[m], family.high[m]
        names = _metrics_needing_as_many(result.metrics, family.need.tolist(), m)
        sentences.append(f"{start} {count_phrase(family.need[m], 'topic')} by {names}{extreme}.")
        interval = (
            "this number has no interval" if low is None else f"the interval of this number is {low:,} to {high:,}"
        )
        sentences.append(Detail(f"By {result.metrics[m]}, {interval}{step}."))
    return sentences


def _family_notes(result: Plan, family: FamilyTopics) -> list[str]:
    """How the topics of a pair tested among all are computed."""
    several, notes = _has_several_tests(result), list[str]()
    if None in family.low:
        notes.append(
            "no interval from two topics, where topics do not differ in residual variance, or where both ends are the "
            "estimate"
        )
    if several and not result.test:
        notes.append("no correction for several pairs is planned")
    if several:
        notes.append(
            "power among all pairs is that of one pair in the first step of the test, assuming normal differences; the "
            "level of a pair is that of the family's critical value on these topics, or Bonferroni's"
        )
    return [
        *notes,
        "intervals of topics and bands of power are 95% intervals, leaving out one topic at a time; they cover the "
        "variance only, not whether the difference is true",
        *_rank_test_notes(result),
    ]


def _few_topics_note(topics: int, has_interval: bool) -> Note:
    """A caveat that the variance is hardly known."""
    why = f"few topics: the variance comes from only {topics} topics, so the topics needed are a rough guess"
    return Note(why if has_interval else f"{why}, without an interval", caveat=True)


def _extremes(topics: Sequence[int]) -> list[int]:
    """The places of the fewest and of the most topics; one place if all are equal.

    >>> _extremes([230, 59, 714]), _extremes([8, 8])
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


def _rank_test_notes(result: Plan) -> list[str]:
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
            f"If a model judges {n:,} further topics, people must judge {result.human_topics(n)[at]:,} by {m} instead "
            f"of {total:,}.",
            f"Its differences by {m} correlate with human ones at {r:.2f}.",
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
    goal = f"show equivalence within ±{result.margin:g}" if result.margin else f"detect {result.difference:g}"
    title = chart_title(f"Power to {goal}", f"{solid}; dashed: {_test_of_one(result)} of one pair")
    base = row_chart(lines, title=title).encode(
        x=alt.X("topics:Q", title="topics", scale=alt.Scale(domain=[0, topics[-1]], nice=False)),
        color=alt.Color("metric:N", title=None, sort=list(result.metrics), legend=line_legend()),
    )
    up = alt.Scale(domain=[0, 1])
    band = base.mark_area(opacity=0.15).encode(y=alt.Y("low:Q", title="power", scale=up), y2="high:Q")
    line = base.mark_line().encode(y=alt.Y("power:Q", scale=up), tooltip=["metric:N", "topics:Q", "power:Q"])
    single = base.mark_line(strokeDash=[5, 4]).encode(y=alt.Y("one pair:Q", scale=up))
    wanted = row_chart([{"y": result.wanted}]).mark_rule(color="#888888", strokeDash=[2, 2]).encode(y="y:Q")
    return (band + line + single + wanted).properties(width=460, height=280)
