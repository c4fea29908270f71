"""The answer of an assay in short sentences: which metrics may be best by each criterion, and by all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.assays.assay import Assay
from irassay.assays.criteria import AGREEMENT, CONSISTENCY, OTHERS, POWER, RATINGS, ROBUSTNESS, Criterion
from irassay.assays.dominance import MERITS, dominated_by
from irassay.assays.profile import Profile
from irassay.prose import count_phrase, name_list
from irassay.stats.selection import NO_CHANGE

MAX_NAMED = 3  # metrics named in most sentences
SECTIONS = {  # with the evidence on each criterion
    POWER: "discrimination",
    CONSISTENCY: "consistency",
    ROBUSTNESS: "judgements",
    AGREEMENT: "similarity",
    OTHERS: "judges",
    RATINGS: "ratings",
}


def answer_sentences(found: Assay, made: Profile, own: Sequence[str]) -> list[tuple[str, str]]:
    """The answer in short sentences, each with its section: by each criterion, and by all of them; `own` metrics first.

    The most important ones come first.
    """
    texts = [(_own_answer(made, metric), "metrics") for metric in own]
    more: list[tuple[str, str]] = []
    before: Bools | None = None  # the metrics that may be best by the criterion before
    for name, words in ANSWER_WORDS.items():
        each = made.by(name)
        if each is not None and each.selection is not None:
            sentences = _best_sentences(made, each, words, before)
            first, *rest = [(text, SECTIONS[name]) for text in sentences] or [("", "")]
            before = each.selection.may_be_best
            texts, more = [*texts, first], [*more, *rest]
    first, *rest = [(text, "judgements") for text in _robustness_sentences(made)] or [("", "")]
    texts += [first, *((text, "metrics") for text in _all_criteria_sentences(found, made))]
    more += [*rest, *((text, "metrics") for text in _dominated_sentences(found))]
    return [each for each in (*texts, *more) if each[0]]


@dataclass(frozen=True)
class AnswerWords:
    """The words of the sentences about one criterion; {s} and {are} agree with the metrics before them.

    Where several metrics with different estimates may be best, {may} and {are} say so.
    """

    alone: str  # of one metric; {} is the estimate
    best: str  # who may be best
    more: str  # {} is a rival
    behind: str
    value: str  # {} is the estimate, or its range


ANSWER_WORDS = {
    POWER: AnswerWords(
        "separates {} of all pairs of systems",
        "{may}separate{s} the most systems",
        "separates significantly more systems than {}",
        "separate{s} significantly fewer",
        "{} of all pairs",
    ),
    CONSISTENCY: AnswerWords(
        "ranks the systems on halves of the topics with tau {}",
        "{are} the most consistent over topics",
        "is significantly more consistent over topics than {}",
        "{are} significantly less consistent",
        "tau {}",
    ),
}


def _best_sentences(made: Profile, each: Criterion, words: AnswerWords, before: Bools | None) -> list[str]:
    """Which metrics may be best by a criterion, and which are behind; `before`: who may be best by the last one."""
    assert each.selection is not None
    estimate, known = each.selection.estimate, np.flatnonzero(~np.isnan(each.selection.estimate))
    on = f"On these {count_phrase(made.topics, 'topic')} " if each.name == POWER else ""
    best = known[each.selection.may_be_best[known]]
    rest = known[~each.selection.may_be_best[known]]

    def value(rows: Ints) -> str:
        return words.value.format(estimate_range(each, estimate[rows]))

    def clause(rows: Ints, phrase: str, sure: bool = True) -> str:
        names = [made.metrics[m] for m in rows[np.argsort(-estimate[rows], kind="stable")]]
        one = len(names) == 1
        are = "may be" if not sure else "is" if one else "are"
        said = phrase.format(s="s" if one else "", are=are, may="" if sure else "may ")
        return f"{name_list(names, MAX_NAMED)} {said}"

    if not len(known):
        return []
    if len(known) == 1:
        return [f"{on}{made.metrics[known[0]]} {words.alone.format(estimate_range(each, estimate[known]))}."]
    if not len(rest):
        text = f"{on}no metric {words.more.format('another')} ({value(known)})."
        return [text[0].upper() + text[1:]]
    if len(known) == 2:
        ends = f"{estimate_range(each, estimate[best])} against {estimate_range(each, estimate[rest])}"
        verdict = words.more.format(made.metrics[rest[0]])
        return [f"{on}{made.metrics[best[0]]} {verdict} ({words.value.format(ends)})."]
    alike = len({estimate_range(each, estimate[[m]]) for m in best}) == 1  # as shown
    if len(best) > MAX_NAMED:
        top = best[np.isclose(estimate[best], estimate[best].max(), rtol=0, atol=NO_CHANGE)]
        others = len(best) - len(top)
        first = f"{on}{clause(top, words.best)} ({value(top)})"
        sentences = [f"{first}; {count_phrase(others, 'other')} may be as good." if others else f"{first}."]
    elif before is not None and np.array_equal(before, each.selection.may_be_best):
        start = "They may also be" if not alike else "It is also" if len(best) == 1 else "They are also"
        sentences = [f"{start} {words.best.removeprefix('{are} ')} ({value(best)})."]
    else:
        sentences = [f"{on}{clause(best, words.best, alike)} ({value(best)})."]
    return [*sentences, f"{clause(rest, words.behind)} ({value(rest)})."]


def estimate_range(each: Criterion, values: Floats) -> str:
    """The smallest and the largest of some estimates, or the one that they all are, as shown."""
    ends = [percent_text(end) if each.is_share else f"{end:.2f}" for end in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def percent_text(share: float) -> str:
    """A share in percent; one that only rounds to none or all is said to be more or less.

    >>> percent_text(0.456), percent_text(0.9999), percent_text(0.001), percent_text(1.0)
    ('46%', 'over 99%', 'under 1%', '100%')
    """
    rounded = round(100 * share)
    return "under 1%" if share > 0 and not rounded else "over 99%" if share < 1 and rounded == 100 else f"{rounded}%"


def _robustness_sentences(made: Profile) -> list[str]:
    """Which pairs stay separated in the worst case of missing judgements, by the metric with most and that with least.

    The worst case takes unjudged results of the worse system as relevant, and of the better one as not relevant. For
    some metrics that is no bound, so the sentence promises nothing beyond this case.
    """
    robust = made.by(ROBUSTNESS)
    if robust is None or robust.selection is None or np.isnan(robust.selection.estimate).all():
        return []
    share, best = robust.selection.estimate, robust.selection.may_be_best
    known = np.flatnonzero(~np.isnan(share))
    most = known[np.argmax(share[known])]
    lowest = known[np.isclose(share[known], share[known].min(), rtol=0, atol=NO_CHANGE)]
    worst_case = "separated if missing judgements all go against the better system"
    if len(lowest) == len(known) > 1:
        kept = (
            f"Every metric keeps {percent_text(share[most])} of all pairs"
            if share[most]
            else "No metric keeps any pair"
        )
        return [f"{kept} {worst_case}."]
    rest = f"{made.metrics[lowest[0]]} keeps" if len(lowest) == 1 else f"{len(lowest)} metrics keep"
    rest = f"; {rest} {percent_text(share[lowest[0]])}" if len(known) > 1 else ""
    text = f"{made.metrics[most]} keeps {percent_text(share[most])} of all pairs {worst_case}{rest}."
    names = [made.metrics[m] for m in np.flatnonzero(best)]
    if len(names) < len(known) and len(names) <= MAX_NAMED:
        return [text, f"{name_list(names)} may be the most robust to missing judgements."]
    return [text]


def _all_criteria_sentences(found: Assay, made: Profile) -> list[str]:
    """The metrics that may be best by each of the criteria."""
    selections = [each.selection for each in map(made.by, MERITS) if each is not None and each.selection is not None]
    if len(found.metrics) < 2 or len(selections) < 2:
        return []
    best = np.all([each.may_be_best for each in selections], axis=0)
    criteria = "both of these criteria" if len(selections) == 2 else f"all {len(selections)} of these criteria"
    if best.all():
        return [f"{criteria[0].upper()}{criteria[1:]} leave open which metric is best."]
    choice = "so the choice depends on which of them matters to you."
    if np.any([each.behind.any(axis=1) for each in selections], axis=0).all():
        which = f"one of these {len(selections)} criteria"
        return [f"Every metric is significantly behind another on at least {which}, {choice}"]
    if not best.any():
        return [f"No metric may be best by {criteria}, {choice}"]
    names = name_list([found.metrics[m] for m in np.flatnonzero(best)], MAX_NAMED)
    return [f"{names} may be best by {criteria}: no other metric is significantly better."]


def _dominated_sentences(found: Assay) -> list[str]:
    """The metrics that another one dominates."""
    dominated = dominated_by(found)
    names = [found.metrics[m] for m in np.flatnonzero(dominated.any(axis=1))]
    if len(names) == 1:
        rivals = [found.metrics[m] for m in np.flatnonzero(dominated.any(axis=0))]
        return [f"{names[0]} is dominated by {name_list(rivals, MAX_NAMED)}."]
    return [f"{name_list(names, MAX_NAMED)} are dominated by other metrics."] if names else []


def _own_answer(made: Profile, metric: str) -> str:
    """Whether a user's metric may be best, by criterion."""
    m = made.metrics.index(metric)
    tested = [each for each in made.criteria if each.selection and not np.isnan(each.selection.estimate[m])]
    best = [each.name for each in tested if each.selection and each.selection.may_be_best[m]]
    behind = [each.name for each in tested if each.name not in best]
    parts = [f"may be best by {name_list(best)}"] if best else []
    parts += [f"is behind on {name_list(behind)}"] if behind else []
    return f"{metric} {', and '.join(parts)}." if parts else ""
