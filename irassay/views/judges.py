"""The view of how well judges agree with a reference, and of the effect of their labels on conclusions."""

from typing import Any

import numpy as np

from irassay.meta.judges.agreement import SCALES
from irassay.meta.judges.labels import scale_text
from irassay.meta.judges.method import Judges
from irassay.prose import count_phrase, first_few, name_list
from irassay.views.judge_charts import agreement_chart, best_judges, confusion_chart, map_chart, ranking_chart
from irassay.views.judge_conclusions import answer, conclusions_explained, conclusions_table
from irassay.views.view import PAIRS_SHOWN, Cell, Table, View, column_table


def view(result: Judges) -> View:
    """How well every judge agrees with the reference; the answer first."""
    answers: list[str] = []
    tables = [_judges(result), _agreement(result), _confusion(result), _leniency(result), _similarity(result)]
    charts: list[tuple[str, Any]] = [
        ("agreement", lambda: agreement_chart(result)),
        ("confusion", lambda: confusion_chart(result)),
    ]
    if len(result.judges) > 1:
        charts.append(("map", lambda: map_chart(result)))
    if result.panels is not None:
        tables.append(_panels(result))
    if conclusions := result.conclusions:
        best = best_judges(result)[0]
        answers = [answer(result.reference, conclusions, best, m) for m in range(len(conclusions.metrics))]
        tables.insert(1, conclusions_table(conclusions))
        charts.insert(0, ("rankings", lambda: ranking_chart(result)))
    notes = (*result.notes, *_notes(result))
    cite = ("shao1989",) if conclusions else ()
    return View("Judges", (*answers, *_agreement_sentences(result)), tuple(tables), notes, tuple(charts), cite)


def _agreement_sentences(result: Judges) -> list[str]:
    best = result.ranked()[0][0]
    value, low, high = result.of(best, result.by)
    about = f"{count_phrase(result.documents, 'document')} of {count_phrase(len(result.topics), 'topic')}"
    interval = f"({1 - result.alpha:.0%} interval over topics {low:.3f} to {high:.3f})"
    if np.isnan(value):
        sentences = [f"{result.by} is undefined on {about}, because the labels do not vary."]
    elif len(result.judges) == 1:
        sentences = [f"{best} agrees with {result.reference} on {about} with a {result.by} of {value:.4f} {interval}."]
    else:
        sentences = [
            f"Of {len(result.judges)} judges of {about}, {best} has the highest {result.by} with {result.reference}: "
            f"{value:.4f} {interval}; {_others(result)}."
        ]
    if len(result.judges) > 1 and not np.isnan(result.together[1]):
        sentences.append(
            f"All judges and the reference together have an ordinal alpha of {result.together[1]:.4f} "
            f"({result.together_low[1]:.3f} to {result.together_high[1]:.3f})."
        )
    lenient = np.flatnonzero(result.leniency_low > 0), np.flatnonzero(result.leniency_high < 0)
    for which, word in zip(lenient, ("higher", "lower"), strict=True):
        if len(which):
            names = first_few([result.judges[j] for j in sorted(which, key=lambda j: -abs(result.leniency[j]))], 3)
            grades = "grades" if len(which) == 1 else "grade"
            sentences.append(f"{names} {grades} significantly {word} than the reference (interval over topics).")
    if result.panels is not None:
        sentences.append(_panel(result))
    return sentences


def _others(result: Judges) -> str:
    """Which judges do not differ significantly from the best one, by the interval of the difference."""
    _, *close = result.near_best()
    others = len(result.judges) - 1
    if not close:
        return "every other judge has a significantly lower one (interval of the difference)"
    who = ("the other judge" if others == 1 else "the other judges") if len(close) == others else first_few(close, 3)
    verb = "does" if len(close) == 1 else "do"
    return f"{who} {verb} not differ significantly from it"


def _panel(result: Judges) -> str:
    """What a panel gains over the best single judge, on topics on which it was not chosen."""
    panels = result.panels
    assert panels is not None
    rules = ", ".join(
        f"{rule} {panels.held_out[r]:.3f} ({panels.low[r]:.3f} to {panels.high[r]:.3f})"
        for r, rule in enumerate(panels.rules)
    )
    start = f"Judges and panels chosen on nine tenths of the topics have a {panels.by} of {rules} on the rest;"
    if (best := panels.best) == 0:
        return f"{start} no panel chosen so agrees more than the single judge."
    gain, low, high = panels.held_out[best] - panels.held_out[0], panels.gain_low[best], panels.gain_high[best]
    chance = "" if low > 0 else ", so it may be chance"
    return (
        f"{start} the {panels.rules[best]} of a panel agrees by {gain:.3f} more than the single judge "
        f"({low:.3f} to {high:.3f}{chance}). Chosen on all topics, the panel is {name_list(panels.members[best], 3)}."
    )


def _judges(result: Judges) -> Table:
    order = best_judges(result)
    columns: dict[str, Any] = {"judge": [result.judges[j] for j in order]}
    for s, name in enumerate(result.statistics):
        columns[name] = result.value[order, s]
        if name == result.by:
            columns["low"], columns["high"] = result.low[order, s], result.high[order, s]
    columns |= {
        "behind low": result.behind_low[order],
        "behind high": result.behind_high[order],
        "leniency": result.leniency[order],
        "judged": result.judged[order],
        "not judged": result.missing[order],
        "others judged": result.more[order],
        "outside the scale": result.outside[order],
        "most like": [result.nearest(result.judges[j]) for j in order],
    }
    return column_table("judges", columns, f"Agreement with {result.reference}", main=True)


def _agreement(result: Judges) -> Table:
    """[judge, statistic] every interval, and the alphas over all judges."""
    order, size = best_judges(result), len(result.statistics)
    columns: dict[str, Any] = {
        "judge": [*(result.judges[j] for j in order for _ in range(size)), *("all" for _ in SCALES)],
        "statistic": [*(result.statistics * len(order)), *SCALES],
        "value": [*result.value[order].ravel(), *result.together],
        "low": [*result.low[order].ravel(), *result.together_low],
        "high": [*result.high[order].ravel(), *result.together_high],
    }
    for j in order:
        ends = result.leniency[j], result.leniency_low[j], result.leniency_high[j]
        for name, value in zip(columns, (result.judges[j], "leniency", *ends), strict=True):
            columns[name].append(value)
    title = f"Statistics with {1 - result.alpha:.0%} intervals over topics"
    return column_table("agreement", columns, title, max_rows=PAIRS_SHOWN)


def _confusion(result: Judges) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (result.judges[j], grade, *map(int, result.confusion[j, g]))
        for j in best_judges(result)
        for g, grade in enumerate(result.grades)
        if result.confusion[j, g].any()
    ]
    columns = ("judge", result.reference, *(f"{grade:g}" for grade in result.grades))
    title = f"Confusion: documents by the grade of {result.reference} (rows) and of the judge (columns)"
    return Table("confusion", columns, tuple(rows), title, digits=0, max_rows=PAIRS_SHOWN)


def _leniency(result: Judges) -> Table:
    """[judge, topic or grade] mean grade minus the reference's."""
    order = best_judges(result)
    whats = [*(("grade", f"{grade:g}") for grade in result.scale), *(("topic", topic) for topic in result.topics)]
    values = np.concatenate([result.leniency_grades, result.leniency_topics], axis=1)
    columns = {
        "judge": [result.judges[j] for j in order for _ in whats],
        "of": [kind for _ in order for kind, _ in whats],
        "which": [which for _ in order for _, which in whats],
        "leniency": values[order].ravel(),
    }
    return column_table(
        "leniency", columns, "Leniency: mean grade minus the reference's", digits=3, max_rows=PAIRS_SHOWN
    )


def _similarity(result: Judges) -> Table:
    names = [result.names[j] for j in result.order]
    matrix = result.likeness[np.ix_(result.order, result.order)]
    columns = {"judge": names} | dict(zip(names, matrix.T, strict=True))
    return column_table("likeness", columns, "Similarity of judges: ordinal alpha", digits=2)


def _panels(result: Judges) -> Table:
    assert result.panels is not None
    panels = result.panels
    columns = {
        "rule": panels.rules,
        f"held-out {panels.by}": panels.held_out,
        "low": panels.low,
        "high": panels.high,
        "on the topics that chose": panels.seen,
        "judges": [len(each) for each in panels.members],
        "members": [", ".join(each) for each in panels.members],
    }
    return column_table("panels", columns, "The best judge and the best panels, on held-out topics")


def _notes(result: Judges) -> list[str]:
    notes = [
        f"The scale is {scale_text(result.scale)}. Intervals are percentiles over topics drawn with replacement; they "
        f"generalize to topics like these {len(result.topics)}, not to other judges.",
        "Kappa weights use the ranks of the grades used, interval alpha the grades themselves. Behind: difference "
        "from the best judge. Leniency: mean grade minus the reference's. All: the reference and every judge, on the "
        "reference's documents.",
    ]
    if result.panels is not None:
        notes.append(
            "Panels: the judges that agree best on nine tenths of the topics, in the number that agrees best there, "
            "tested on the other tenth; majority takes the lowest of the grades with the most votes, median the lower "
            "one of two middle grades."
        )
    if result.conclusions is not None:
        notes.append(conclusions_explained(result.conclusions))
    return notes
