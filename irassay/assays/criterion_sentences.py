"""What is said of one criterion: its definition, estimates with their intervals, and how far the metrics differ."""

from collections.abc import Sequence

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.criteria import (
    AGREEMENT,
    CONSISTENCY,
    FEW_TOPICS_AFFECT,
    OTHERS,
    POWER,
    RATINGS,
    ROBUSTNESS,
    Criterion,
    interval_text,
)
from irassay.assays.metric_kinds import MAX_NAMED_METRICS
from irassay.assays.profile import JUDGED_ONLY, Profile
from irassay.prose import agreeing_clause, capitalised, count_phrase, level_text, name_list, percent_text
from irassay.stats.selection import NO_CHANGE

MAX_LISTED_METRICS = 12  # named in a list of all


def criterion_definition(assay: Assay, name: str) -> str:
    """The definition of a criterion, in words."""
    each = assay.profile.by(name) if assay.profile else None
    if each is not None and each.about:
        return each.about
    return {
        POWER: f"share of all pairs of systems with a significant difference at {assay.alpha:g} ({assay.test})",
        CONSISTENCY: "mean tau between the rankings of the systems on two random halves of the topics",
        ROBUSTNESS: "share of all pairs of systems that differ significantly, in the same direction, as judged, if all "
        "missing judgements favour the better system, and if all favour the worse",
        AGREEMENT: "mean tau between the rankings of the systems by the metric and by each other metric",
        OTHERS: "tau between the rankings of the systems by these judgements and by the other judgements",
    }[name]


def value_text(each: Criterion, value: float) -> str:
    """A value of a criterion as text: a share in percent, a correlation with three decimals."""
    return percent_text(value) if each.is_share else f"{value:z.3f}"


def estimate_text(each: Criterion, *rows: int) -> str:
    """An estimate with its interval, of one row or of several with the same estimate; none if intervals differ."""
    row, low, high = rows[0], float(each.low[rows[0]]), float(each.high[rows[0]])
    if not all(np.allclose(ends[list(rows)], ends[row], equal_nan=True) for ends in (each.low, each.high)):
        return value_text(each, each.estimate[row])
    interval = "" if np.isnan(low) else "interval "
    return f"{value_text(each, each.estimate[row])} ({interval}{interval_text(low, high, each.is_share)})"


def criterion_evidence(assay: Assay, profile: Profile, name: str) -> list[str]:
    """Sentences on how far the metrics differ on one criterion; none if it was not estimated."""
    each = profile.by(name)
    if each is None or np.isnan(each.estimate[: len(assay.metrics)]).all():
        return []
    compared = each.estimate if each.selection is None else each.selection.estimate
    rows = [m for m in range(len(assay.metrics)) if not np.isnan(compared[m])]
    sentences = _extreme_sentences(assay, each, rows) if rows else []
    sentences += _selection_sentences(assay, each, rows) if rows and np.ptp(each.estimate[rows]) > NO_CHANGE else []
    sentences += _missing_estimate_sentences(assay, profile, each, rows)
    level = level_text(0.05 if name == RATINGS else profile.alpha)
    what = f"Definition: {criterion_definition(assay, name)}; intervals are at {level}."
    return [f"{capitalised(name)}: {sentences[0]}", *sentences[1:], what]


def _extreme_sentences(assay: Assay, each: Criterion, rows: Sequence[int]) -> list[str]:
    """The metrics with the highest and with the lowest estimate; and of ratings, whether intervals include 0."""
    estimate = each.estimate[list(rows)]
    ends = [[m for m in rows if abs(each.estimate[m] - end) <= NO_CHANGE] for end in (estimate.max(), estimate.min())]
    highest, lowest = (name_list([assay.metrics[m] for m in end], MAX_NAMED_METRICS) for end in ends)
    most, least = (estimate_text(each, *end) for end in ends)
    if len(assay.metrics) == 2 and each.name == AGREEMENT:
        sentences = [f"the rankings of the systems by {name_list(assay.metrics)} have a tau of {most}."]
    elif len(ends[0]) == len(rows) == len(assay.metrics) > 1:
        sentences = [f"every metric has {most}."]
    elif len(ends[0]) == len(rows):
        sentences = [agreeing_clause(highest, len(rows) == 1, f"{{have}} {most}.")]
    else:
        first = agreeing_clause(highest, len(ends[0]) == 1, f"{{have}} the highest, {most}")
        last = agreeing_clause(lowest, len(ends[1]) == 1, f"{{have}} the lowest, {least}")
        sentences = [f"{first}; {last}."]
    if each.name == RATINGS:
        open_ = sum(bool(each.low[m] <= 0 <= each.high[m]) for m in rows)
        sentences += [f"{open_} of {count_phrase(len(rows), 'interval')} {'includes' if open_ == 1 else 'include'} 0."]
    return sentences


def _missing_estimate_sentences(assay: Assay, profile: Profile, each: Criterion, rows: Sequence[int]) -> list[str]:
    """The metrics without an estimate or comparison on a criterion, with the reason if it is known."""
    others = [m for m in range(len(assay.metrics)) if m not in rows]
    reasons: dict[str, list[str]] = {}
    for m in others:
        reasons.setdefault(missing_estimate_reason(assay, profile, each, m), []).append(assay.metrics[m])
    return [f"Left out: {name_list(names, MAX_NAMED_METRICS)} ({why})." for why, names in reasons.items()]


def missing_estimate_reason(assay: Assay, profile: Profile, each: Criterion, m: int) -> str:
    """Why a metric has no estimate on a criterion, or none that is compared with others."""
    if each.remarks and each.remarks[m]:
        return each.remarks[m]
    if each.name == ROBUSTNESS and profile.bounds[m] == JUDGED_ONLY:
        return JUDGED_ONLY
    if assay.similarity.constant[m]:
        return "every system has the same mean"
    return (
        "no other metric ranks the systems in another way" if each.name == AGREEMENT else "no estimate on these topics"
    )


def _selection_sentences(assay: Assay, each: Criterion, rows: Sequence[int]) -> list[str]:
    """Which metrics are significantly behind another by a criterion, and which may be best; the shorter list."""
    if each.selection is None or len(rows) < 2:
        return []
    pairs, uncompared = len(rows) * (len(rows) - 1) // 2, int(each.selection.not_compared.sum()) // 2
    few = f"because {FEW_TOPICS_AFFECT} their difference"
    note = []
    if uncompared and each.name != RATINGS:
        share = f"{uncompared:,} of {count_phrase(pairs, 'pair')} of metrics"
        note = [f"{share} could not be compared, {few}." if pairs > 1 else f"The two could not be compared, {few}."]
    behind = [assay.metrics[m] for m in rows if each.selection.behind[m].any()]
    if not behind:
        return note if uncompared == pairs else ["No metric is significantly behind another.", *note]
    may_be_best = [assay.metrics[m] for m in np.flatnonzero(each.selection.may_be_best)]
    are = "is" if len(behind) == 1 else "are"
    if len(may_be_best) < len(behind):
        names = name_list(may_be_best, MAX_LISTED_METRICS)
        return [f"{names} may be best; {len(behind)} {are} significantly behind another metric.", *note]
    best = may_be_best[0] if len(may_be_best) == 1 else f"{len(may_be_best)} metrics"
    names = name_list(behind, MAX_LISTED_METRICS)
    return [f"{names} {are} significantly behind another metric; {best} may be best.", *note]


def place_text(assay: Assay, each: Criterion, m: int) -> str:
    """Whether a metric may be best by a criterion, or whom it is behind; empty if it is the only metric."""
    if each.selection is None or len(assay.metrics) == 1:
        return ""
    if not is_compared(each, m):
        return "; not compared with other metrics"
    if np.isnan(np.delete(each.selection.p[m], m)).all():
        return f"; may be best, since {FEW_TOPICS_AFFECT} its difference from any other"
    behind = [assay.metrics[rival] for rival in np.flatnonzero(each.selection.behind[m])]
    return f"; significantly behind {name_list(behind, MAX_NAMED_METRICS)}" if behind else "; may be best"


def is_compared(each: Criterion, m: int) -> bool:
    """Whether a metric has an estimate on a criterion on which metrics were compared; also if it is the only one."""
    chosen = each.selection
    if chosen is None or np.isnan(chosen.estimate[m]):
        return False
    return len(chosen.estimate) == 1 or chosen.has_comparisons
