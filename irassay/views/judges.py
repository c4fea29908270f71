"""The view of how well judges agree with a reference, and of the effect of their labels on conclusions."""

from dataclasses import replace
from typing import Any

import numpy as np

from irassay.errors import argument
from irassay.meta.judges.agreement import SCALES
from irassay.meta.judges.labels import scale_text
from irassay.meta.judges.method import Judges
from irassay.prose import count_phrase, first_few, level_text, name_list, percent_text
from irassay.views.judge_charts import agreement_chart, best_judges, confusion_chart, map_chart, ranking_chart
from irassay.views.judge_conclusions import (
    conclusions_explained,
    conclusions_table,
    evidence,
    favouritism,
    interval_words,
    other_gaps,
    uses,
)
from irassay.views.table_columns import column_table, rows
from irassay.views.view import PAIRS_SHOWN, Cell, Detail, Table, View

METRICS_SHOWN = 2  # in a sentence, after the first


def view(result: Judges) -> View:
    """Whether the labels can be used and what for, first for the judge that agrees best; all tables are details."""
    makers = (_judges_table, _agreement_table, _confusion_table, _leniency_table, _similarity_table)
    tables = [make(result) for make in makers]
    charts: list[tuple[str, Any]] = [
        ("agreement", lambda: agreement_chart(result)),
        ("confusion", lambda: confusion_chart(result)),
    ]
    if len(result.judges) > 1:
        charts.append(("map", lambda: map_chart(result)))
    if result.panels is not None:
        tables.append(_panels_table(result))
    if conclusions := result.conclusions:
        tables.insert(1, conclusions_table(conclusions, best_judges(result)))
        charts.insert(0, ("rankings", lambda: ranking_chart(result)))
    remarks = [*_leniency_sentences(result), *_panel_sentences(result)]
    more = map(Detail, remarks) if conclusions else remarks
    sentences = (*_system_sentences(result), *_label_sentences(result), *_best_judge_sentences(result), *more)
    cite = ("shao1989",) if conclusions else ()
    return View("Judges", sentences, tuple(tables), (*result.notes, *_notes(result)), tuple(charts), cite)


def _system_sentences(result: Judges) -> list[str]:
    """What can be said of systems by the labels of the best judge: by the first metric in full."""
    best, conclusions = best_judges(result)[0], result.conclusions
    if conclusions is None:
        answer = f"To rank systems by the labels of {result.judges[best]}: not known yet."
        return [f"{answer} Add {argument('runs')} to find out."]
    first, *others = range(len(conclusions.metrics))
    gaps = other_gaps(conclusions, best, others[:METRICS_SHOWN])
    favour = favouritism(conclusions, best, first)
    reference = _in_words(result.reference)
    answers = (*uses(reference, conclusions, best, first), gaps)
    return [*filter(None, (*answers, *evidence(reference, conclusions, best, first), favour))]


def _a(name: str) -> str:
    """The name of a coefficient with its article.

    >>> _a("kappa"), _a("ordinal alpha")
    ('a kappa', 'an ordinal alpha')
    """
    return f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _in_words(reference: str) -> str:
    """The reference in a sentence: its name, or a noun if it was not read from a file.

    >>> _in_words("human"), _in_words("reference"), _in_words("-")
    ('human', 'the reference', 'the reference')
    """
    return "the reference" if reference in ("reference", "-") else reference


def _label_sentences(result: Judges) -> list[str]:
    """How well the labels of the best judge agree with the reference."""
    best, reference = best_judges(result)[0], _in_words(result.reference)
    judge = result.judges[best]
    value, low, high = result.of(judge, result.by)
    other = 1 - result.confusion[best].trace() / result.confusion[best].sum()
    share = percent_text(other, 0)
    same = f"yes. Every grade of {judge} equals that of {reference}"
    if result.missing[best]:
        some = f"for {result.judged[best]:,} of {result.documents:,} yes, with equal grades"
        same = f"{some}. {judge} did not judge the others"
    differ = f"no. {share} of the grades of {judge} differ" if other else same
    agreement = (
        f"{result.by} is undefined, because the labels do not vary."
        if np.isnan(value)
        else f"{judge} has {_a(result.by)} of {value:.3f} with {reference}.{interval_words(low, high, result.alpha)}"
    )
    if len(result.judges) > 1 and not np.isnan(result.held_out[0]):
        agreement = Detail(agreement)  # the kappa on held-out topics is fairer to a judge chosen as the best
    return [f"To replace labels of {reference} on single documents: {differ}.", agreement]


def _best_judge_sentences(result: Judges) -> list[str]:
    """Which judges may be the best; empty for one judge."""
    close, number = result.near_best(), len(result.judges)
    if number == 1 or not close:
        return []
    if len(result.topics) == 1:
        return ["To choose a judge: not known, because there is only one topic."]
    several = f"{len(close)} of {number} may be the best, because none agrees significantly better"
    who = f"only {close[0]} may be the best" if len(close) == 1 else f"{several} ({name_list(close, 3)})"
    luck = f" Chosen on some topics, a judge has {_a(result.by)} of {result.held_out[0]:.3f} on the others."
    return [f"To choose a judge: {who}.{'' if np.isnan(result.held_out[0]) else luck}"]


def _leniency_sentences(result: Judges) -> list[str]:
    """Which judges are lenient or strict; empty if none is."""
    lenient = [_leniency_words(result, sign, word) for sign, word in ((1, "higher"), (-1, "lower"))]
    return [*filter(None, [" ".join(filter(None, lenient))])]


def _leniency_words(result: Judges, sign: int, word: str) -> str:
    """The judges that grade significantly higher (sign 1) or lower (-1) than the reference; empty if there are none."""
    size = np.where(result.leniency_p < result.alpha, sign * result.leniency, 0.0)
    names = [result.judges[j] for j in np.argsort(-size, kind="stable") if size[j] > 0]
    grades = "grades" if len(names) == 1 else "grade"
    return (
        f"{name_list(names, 3)} {grades} significantly {word} than {_in_words(result.reference)} (t-test, Holm)."
        if names
        else ""
    )


def _panel_sentences(result: Judges) -> list[str]:
    """What a panel gains over the best single judge, on topics on which it was not chosen; empty without panels."""
    if (panels := result.panels) is None:
        return []
    if (best := panels.best) == 0:
        return ["On held-out topics, no panel of judges agrees better than a single judge."]
    gain = panels.held_out[best] - panels.held_out[0]
    chance = "" if panels.gain_low[best] > 0 else "; this may be chance"
    size = count_phrase(len(panels.members[best]), "judge")
    better = f"has {_a(panels.by)} {gain:.3f} higher than a single judge chosen in the same way"
    return [f"On held-out topics, the {panels.rules[best]} of {size} {better}{chance}."]


def _judges_table(result: Judges) -> Table:
    order = best_judges(result)
    columns: dict[str, Any] = {"judge": [result.judges[j] for j in order]}
    for s, name in enumerate(result.statistics):
        columns[name] = result.value[order, s]
        if name == result.by:
            columns["low"], columns["high"] = result.low[order, s], result.high[order, s]
    behind = [result.behind(result.judges[j]) for j in order]
    columns |= {
        "may be best": ["yes" if result.may_be_best[j] else "no" for j in order],
        "behind": [", ".join(names) for names in behind],
        "share of halves": result.share_of_halves[order],
    }
    if len(order) > 1:
        columns[f"held-out {result.by}"] = [result.held_out[0], *(None for _ in order[1:])]
    if result.conclusions is not None:
        columns["safe gap"] = result.conclusions.gap[order, 0]
    columns |= {
        "leniency": result.leniency[order],
        "leniency corrected p": result.leniency_p[order],
        "judged": result.judged[order],
        "not judged": result.missing[order],
        "others judged": result.more[order],
        "outside the scale": result.outside[order],
        "most like": [result.nearest(result.judges[j]) for j in order],
    }
    p_columns = ("leniency corrected p",)
    title = f"Agreement with {result.reference}"
    machine = column_table("judges", columns, title, main=True, detail=True, p_columns=p_columns)
    short = columns | {"behind": [first_few(names, 2) if names else "" for names in behind]}
    return replace(machine, rows=rows(*short.values()), machine=machine)


def _agreement_table(result: Judges) -> Table:
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
    title = f"Statistics with {level_text(result.alpha)} intervals over topics"
    return column_table("agreement", columns, title, max_rows=PAIRS_SHOWN, detail=True)


def _confusion_table(result: Judges) -> Table:
    cells: list[tuple[Cell, ...]] = [
        (result.judges[j], grade, *map(int, result.confusion[j, g]))
        for j in best_judges(result)
        for g, grade in enumerate(result.grades)
        if result.confusion[j, g].any()
    ]
    columns = ("judge", result.reference, *(f"{grade:g}" for grade in result.grades))
    title = f"Confusion: documents by the grade of {result.reference} (rows) and of the judge (columns)"
    return Table("confusion", columns, tuple(cells), title, digits=0, max_rows=PAIRS_SHOWN, detail=True)


def _leniency_table(result: Judges) -> Table:
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
    title = "Leniency: mean grade minus the reference's"
    return column_table("leniency", columns, title, digits=3, max_rows=PAIRS_SHOWN, detail=True)


def _similarity_table(result: Judges) -> Table:
    names = [result.names[j] for j in result.order]
    matrix = result.likeness[np.ix_(result.order, result.order)]
    columns = {"judge": names} | dict(zip(names, matrix.T, strict=True))
    return column_table("likeness", columns, "Similarity of judges: ordinal alpha", digits=2, detail=True)


def _panels_table(result: Judges) -> Table:
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
    return column_table("panels", columns, "The best judge and the best panels, on held-out topics", detail=True)


def _notes(result: Judges) -> list[str]:
    notes = [
        f"The scale is {scale_text(result.scale)}. {level_text(result.alpha)} intervals are by the jackknife over "
        f"topics with Student's t (kappas and alphas on Fisher's scale); they generalize to topics like these "
        f"{len(result.topics)}, not to other judges.",
        "Kappa weights use the ranks of the grades used, interval alpha the grades themselves. Leniency: mean grade "
        "minus the reference's, with p by Student's t over topics, corrected over judges by Holm. All: the reference "
        "and every judge, on the reference's documents.",
    ]
    if len(result.judges) > 1:
        notes.append(
            f"Behind: a significantly lower {result.by} than the judges named, all pairs of judges compared at once "
            f"at {result.alpha:g}. May be best: behind no other judge. Share of halves: of random halves of the "
            "topics, those in which the judge is behind no other. Held-out: the judge that is best on nine tenths of "
            "the topics, tried on the other tenth."
        )
    if result.panels is not None:
        notes.append(
            "Panels: the judges that agree best on nine tenths of the topics, in the number that agrees best there, "
            "tested on the other tenth; majority takes the lowest of the grades with the most votes, median the lower "
            "one of two middle grades."
        )
    if result.conclusions is not None:
        notes.append(conclusions_explained(result.conclusions))
    return notes
