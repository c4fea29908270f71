"""The view of how far judges agree with a reference, and of what their labels do to conclusions."""

from typing import Any

import numpy as np

from irassay.meta.judges.agreement import SCALES
from irassay.meta.judges.labels import scale_text
from irassay.meta.judges.method import Judges
from irassay.prose import count_phrase, first_few, name_list
from irassay.views.judge_charts import agreement_chart, best_judges, confusion_chart, map_chart, ranking_chart
from irassay.views.judge_conclusions import answer, conclusions_explained, conclusions_table
from irassay.views.view import PAIRS_SHOWN, Cell, Table, View, by_column


def view(result: Judges) -> View:
    """How far every judge agrees with the reference; the answer first."""
    said = [*_answer(result), *_agreed(result)]
    tables = [_judges(result), _agreement(result), _confusion(result), _lenient(result), _alike(result)]
    charts: list[tuple[str, Any]] = [
        ("agreement", lambda: agreement_chart(result)),
        ("confusion", lambda: confusion_chart(result)),
    ]
    if len(result.judges) > 1:
        charts.append(("map", lambda: map_chart(result)))
    if result.panels is not None:
        tables.append(_panels(result))
    if result.conclusions is not None:
        tables.insert(1, conclusions_table(result.conclusions))
        charts.insert(0, ("rankings", lambda: ranking_chart(result)))
    notes = (*result.notes, *_explained(result))
    cite = ("shao1989",) if result.conclusions else ()
    return View("Judges", tuple(said), tuple(tables), notes, tuple(charts), cite)


def _agreed(result: Judges) -> list[str]:
    best = result.ranked()[0][0]
    value, low, high = result.of(best, result.by)
    about = f"{count_phrase(result.documents, 'document')} of {count_phrase(len(result.topics), 'topic')}"
    level = f"{1 - result.alpha:.0%}"
    said = []
    if np.isnan(value):
        said.append(f"{result.by} is undefined on {about}, for there the labels do not vary.")
    elif len(result.judges) == 1:
        said.append(
            f"{best} agrees with {result.reference} on {about} with a {result.by} of {value:.4f} "
            f"({level} interval over topics {low:.3f} to {high:.3f})."
        )
    else:
        said.append(
            f"Of {len(result.judges)} judges of {about}, {best} has the highest {result.by} with {result.reference}: "
            f"{value:.4f} ({level} interval over topics {low:.3f} to {high:.3f}); {_told_apart(result)}."
        )
    if len(result.judges) > 1 and not np.isnan(result.together[1]):
        ends = result.together_low[1], result.together_high[1]
        said.append(
            f"All judges and the reference together have an ordinal alpha of {result.together[1]:.4f} "
            f"({ends[0]:.3f} to {ends[1]:.3f})."
        )
    lenient = np.flatnonzero(result.leniency_low > 0), np.flatnonzero(result.leniency_high < 0)
    for which, word in zip(lenient, ("higher", "lower"), strict=True):
        if len(which):
            names = first_few([result.judges[j] for j in sorted(which, key=lambda j: -abs(result.leniency[j]))], 3)
            grades = "grades" if len(which) == 1 else "grade"
            said.append(f"{names} {grades} {word} than the reference, the interval over topics excluding 0.")
    if result.panels is not None:
        said.append(_panel(result))
    return said


def _told_apart(result: Judges) -> str:
    """Which judges the topics do not tell apart from the best, by the interval of the difference."""
    _, *near = result.near_best()
    if not near:
        return "every other judge has a lower one, the interval of each difference excluding 0"
    others = len(result.judges) - 1
    if len(near) == others:
        return f"these topics do not tell {'the other' if others == 1 else 'any other'} judge apart from it"
    return f"these topics do not tell {first_few(near, 3)} apart from it"


def _panel(result: Judges) -> str:
    """What a panel gains over the best judge alone, on topics that did not choose it."""
    found = result.panels
    assert found is not None
    rules = ", ".join(
        f"{rule} {found.held_out[r]:.3f} ({found.low[r]:.3f} to {found.high[r]:.3f})"
        for r, rule in enumerate(found.rules)
    )
    said = f"Judges and panels that were chosen on nine tenths of the topics have a {found.by} of {rules} on the rest; "
    if (best := found.best) == 0:
        return f"{said}no panel so chosen agrees more than the single judge."
    gain, low, high = found.held_out[best] - found.held_out[0], found.gain_low[best], found.gain_high[best]
    sure = "" if low > 0 else ", so that it may be chance"
    return (
        f"{said}there the {found.rules[best]} of a panel agrees by {gain:.3f} more than the single judge "
        f"({low:.3f} to {high:.3f}{sure}). Chosen on all topics the panel is {name_list(found.members[best], 3)}."
    )


def _answer(result: Judges) -> list[str]:
    """What is safe with these labels, and what would settle the rest; a paragraph for the best judge and a metric."""
    found = result.conclusions
    if found is None:
        return []
    j = best_judges(result)[0]
    return [answer(result.reference, found, j, m) for m in range(len(found.metrics))]


def _judges(result: Judges) -> Table:
    order = best_judges(result)
    columns: dict[str, Any] = {"judge": [result.judges[j] for j in order]}
    for name in result.statistics:
        s = result.statistics.index(name)
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
    return by_column("judges", columns, f"Agreement with {result.reference}", main=True)


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
    return by_column("agreement", columns, title, most=PAIRS_SHOWN)


def _confusion(result: Judges) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (result.judges[j], grade, *map(int, result.confusion[j, g]))
        for j in best_judges(result)
        for g, grade in enumerate(result.grades)
        if result.confusion[j, g].any()
    ]
    columns = ("judge", result.reference, *(f"{grade:g}" for grade in result.grades))
    title = f"Confusion: documents by the grade of {result.reference} (rows) and of the judge (columns)"
    return Table("confusion", columns, tuple(rows), title, digits=0, most=PAIRS_SHOWN)


def _lenient(result: Judges) -> Table:
    """[judge, topic or grade] mean grade less the reference's."""
    order = best_judges(result)
    whats = [*(("grade", f"{grade:g}") for grade in result.scale), *(("topic", topic) for topic in result.topics)]
    values = np.concatenate([result.leniency_grades, result.leniency_topics], axis=1)
    columns = {
        "judge": [result.judges[j] for j in order for _ in whats],
        "of": [kind for _ in order for kind, _ in whats],
        "which": [which for _ in order for _, which in whats],
        "leniency": values[order].ravel(),
    }
    return by_column("leniency", columns, "Leniency: mean grade less the reference's", digits=3, most=PAIRS_SHOWN)


def _alike(result: Judges) -> Table:
    names = [result.names[j] for j in result.order]
    matrix = result.likeness[np.ix_(result.order, result.order)]
    columns = {"judge": names} | dict(zip(names, matrix.T, strict=True))
    return by_column("likeness", columns, "Who is like whom: ordinal alpha", digits=2)


def _panels(result: Judges) -> Table:
    assert result.panels is not None
    found = result.panels
    columns = {
        "rule": found.rules,
        f"held-out {found.by}": found.held_out,
        "low": found.low,
        "high": found.high,
        "on the topics that chose": found.seen,
        "judges": [len(each) for each in found.members],
        "members": [", ".join(each) for each in found.members],
    }
    return by_column("panels", columns, "The best judge and the best panels, on held-out topics")


def _explained(result: Judges) -> list[str]:
    said = [
        f"The scale is {scale_text(result.scale)}. Intervals are percentiles over topics drawn with replacement; they are "
        f"about topics like these {len(result.topics)}, not about other judges.",
        "Weights of kappa go by the places of grades among those used, interval alpha by the grades themselves. "
        "Behind: how far a judge stands behind the best. Leniency: mean grade less the reference's. "
        "All: the reference and every judge, on the reference's documents.",
    ]
    if result.panels is not None:
        said.append(
            "Panels: the judges that agree best on nine tenths of the topics, as many as agree best there, tried on "
            "the tenth left out; majority takes the lowest of grades with equally many votes, median the lower middle."
        )
    if result.conclusions is not None:
        said.append(conclusions_explained(result.conclusions))
    return said
