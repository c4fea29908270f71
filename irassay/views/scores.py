"""The view of scores: a table of means, or one row a value for machines."""

from typing import Annotated

import numpy as np

from irassay.metrics.grammar import parse
from irassay.scores import Scores
from irassay.settings import Option
from irassay.views.view import Table, View, rows


def view(
    scores: Scores,
    *,
    by_topic: Annotated[bool, "Also show every topic."] = False,
    digits: Annotated[int, Option("Decimals in tables for people.", least=0, most=15)] = 4,
    long: bool = False,
) -> View:
    """Means of every run; with `by_topic` every topic; `long` gives one row a value."""
    if long:
        table = long_table(scores, by_topic)
    else:
        table = by_topic_table(scores, digits) if by_topic else means_table(scores, digits)
    systems, topics = len(scores.systems), len(scores.topics)
    sentence = f"{systems} run{'s' * (systems > 1)}, {topics} topic{'s' * (topics > 1)}."
    return View("Scores", (sentence,), (table,), (*scores.notes, *scenario_notes(scores)))


def scenario_notes(scores: Scores) -> tuple[str, ...]:
    """What the two scenarios of each metric are called."""
    named = [name.removesuffix("[best]") for name in scores.metrics if name.endswith("[best]")]
    bound = [name for name in named if parse(name).bounded(scores.charged)]
    other = [name for name in named if name not in bound]
    notes = []
    if bound:
        notes.append(f"[worst] and [best] are bounds for {', '.join(bound)}")
    if other:
        notes.append(f"[worst] and [best] are an imputation range, not bounds, for {', '.join(other)}")
    return tuple(notes)


def means_table(scores: Scores, digits: int) -> Table:
    """[run] means by metric, the best of each in bold."""
    means = scores.means()
    marks = set()
    for m, up in enumerate(scores.higher_is_better):
        column = means[:, m] if up else -means[:, m]
        if len(scores.systems) > 1 and not np.isnan(column).all():
            best = np.nanmax(column)
            marks |= {(int(s), m + 1) for s in np.flatnonzero(column >= best - scores.noise()[m])}
    return Table(
        "means", ("run", *scores.metrics), rows(scores.systems, *means.T), digits=digits, marks=frozenset(marks)
    )


def by_topic_table(scores: Scores, digits: int) -> Table:
    """Every topic of every run, each run's mean last."""
    means = scores.means()
    lines = []
    for s, system in enumerate(scores.systems):
        for t, topic in enumerate(scores.topics):
            lines.append((system, topic, *scores.values[s, t].tolist()))
        lines.append((system, "all", *means[s].tolist()))
    return Table("scores", ("run", "topic", *scores.metrics), tuple(lines), digits=digits)


def long_table(scores: Scores, by_topic: bool) -> Table:
    """One row a value: run, metric, topic, value; the topic `all` holds means."""
    means = scores.means()
    lines = []
    for s, system in enumerate(scores.systems):
        for m, metric in enumerate(scores.metrics):
            if by_topic:
                values = scores.values[s, :, m].tolist()
                lines += [(system, metric, t, v) for t, v in zip(scores.topics, values, strict=True) if v == v]
            lines.append((system, metric, "all", float(means[s, m])))
    return Table("scores", ("run", "metric", "topic", "value"), tuple(lines), digits=6)
