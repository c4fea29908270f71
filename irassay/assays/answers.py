"""The answer of an assay in short sentences: which metrics may be best by each criterion, and by all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints
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
)
from irassay.assays.dominance import dominated_by
from irassay.assays.metric_kinds import MAX_NAMED_METRICS, kind_names
from irassay.assays.overall_answer import overall_sentences
from irassay.assays.profile import Profile
from irassay.prose import agreeing_clause, capitalised, count_phrase, level_text, name_list, percent_text
from irassay.stats.selection import NO_CHANGE

ALL_FAVOUR_ONE = "if all missing judgements favour one system or the other"
WORST_CASE = "separated, no matter which system all missing judgements favour"
SECTIONS = {  # with the evidence on each criterion
    POWER: "discrimination",
    CONSISTENCY: "consistency",
    ROBUSTNESS: "judgements",
    AGREEMENT: "similarity",
    OTHERS: "judges",
    RATINGS: "ratings",
}


def answer_sentences(assay: Assay, profile: Profile, own: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """The answer in short sentences, with their section: by all criteria, then by each of them; `own` metrics first.

    What is said of one criterion stays together.
    """
    parts = [(_own_answer(profile, metric), "metrics") for metric in own]
    parts.append((overall_sentences(profile, np.any(dominated_by(assay), axis=1)), "metrics"))
    for name, words in ANSWER_WORDS.items():
        each = profile.by(name)
        if each is not None and each.selection is not None:
            parts.append((_best_sentences(profile, each, words), SECTIONS[name]))
    missing = [assay.lists.unjudged.get(metric) for metric in profile.metrics]
    parts.append((_robustness_sentences(profile, not any(each != 0 for each in missing)), SECTIONS[ROBUSTNESS]))
    parts.append((_dominated_sentences(assay), "metrics"))
    return [(tuple(sentences), section) for sentences, section in parts if sentences]


@dataclass(frozen=True)
class AnswerWords:
    """The words of the sentences about one criterion; {s}, {are} and {have} agree with the metrics before them.

    Where several metrics with different estimates may be best, {may} and {are} say so.
    """

    alone: str  # of one metric; {} is the estimate
    top: str  # who has the highest estimate
    best: str  # who may be best
    more: str  # {} is a rival
    behind: str
    value: str  # {} is the estimate, or its range


ANSWER_WORDS = {
    RATINGS: AnswerWords(
        "has a correlation of {} with users' ratings",
        "{have} the highest correlation with users' ratings",
        "{may}agree{s} best with users' ratings",
        "agrees significantly better with users' ratings than {}",
        "agree{s} significantly less",
        "r {}",
    ),
    POWER: AnswerWords(
        "separates {} of all pairs of systems",
        "separate{s} the most systems",
        "{may}separate{s} the most systems",
        "separates significantly more systems than {}",
        "separate{s} significantly fewer",
        "{} of all pairs",
    ),
    CONSISTENCY: AnswerWords(
        "has a mean tau of {} between its rankings of the systems on two halves of the topics",
        "{have} the highest consistency over topics",
        "{are} the most consistent over topics",
        "is significantly more consistent over topics than {}",
        "{are} significantly less consistent",
        "tau {}",
    ),
}


def _best_sentences(profile: Profile, each: Criterion, words: AnswerWords) -> list[str]:
    """Which metrics may be best by a criterion, and which are behind."""
    assert each.selection is not None
    estimate, known = each.selection.estimate, np.flatnonzero(~np.isnan(each.selection.estimate))
    on = f"On these {count_phrase(profile.topics, 'topic')} " if each.name == POWER else ""
    best = known[each.selection.may_be_best[known]]
    rest = known[~each.selection.may_be_best[known]]

    def value(rows: Ints) -> str:
        return words.value.format(estimate_range(each, estimate[rows]))

    def clause(rows: Ints, phrase: str, sure: bool = True) -> str:
        names = [profile.metrics[m] for m in rows[np.argsort(-estimate[rows], kind="stable")]]
        shown = MAX_NAMED_METRICS if len(names) <= MAX_NAMED_METRICS else MAX_NAMED_METRICS - 1
        return agreeing_clause(name_list(names, shown), len(names) == 1, phrase, sure)

    if not len(known):
        return []
    if len(known) == 1:
        alone = words.alone.format(estimate_range(each, estimate[known]))
        return [f"{on}{profile.metrics[known[0]]} {alone}.", *_interval_sentences(profile, each)]
    if not len(rest):
        first, *more = _no_difference_sentences(profile, each, words, known)
        return [capitalised(f"{on}{first}"), *more]
    if len(known) == 2:
        ends = f"{estimate_range(each, estimate[best])} against {estimate_range(each, estimate[rest])}"
        verdict = words.more.format(profile.metrics[rest[0]])
        return [f"{on}{profile.metrics[best[0]]} {verdict} ({words.value.format(ends)})."]
    alike = len({estimate_range(each, estimate[[m]]) for m in best}) == 1  # as shown
    named = best
    if len(best) > MAX_NAMED_METRICS:
        named = best[np.isclose(estimate[best], estimate[best].max(), rtol=0, atol=NO_CHANGE)]
        others = len(best) - len(named)
        first = f"{on}{clause(named, words.top)} ({value(named)})"
        sentences = [f"{first}; {count_phrase(others, 'other')} may be as good." if others else f"{first}."]
    else:
        sentences = [f"{on}{clause(best, words.best, alike)} ({value(best)})."]
    return [*sentences, f"{_behind_clause(profile, each, words.behind, named)} ({value(rest)})."]


def _no_difference_sentences(profile: Profile, each: Criterion, words: AnswerWords, known: Ints) -> list[str]:
    """That no metric is behind another by a criterion, of several with estimates; the first word has no capital."""
    assert each.selection is not None
    estimate = each.selection.estimate[known]
    shown = estimate_range(each, estimate)
    value = words.value.format(shown)
    if each.name == POWER and not estimate.any():
        return ["no metric separates any pair of systems."]
    if len(known) == len(profile.metrics) and np.ptp(estimate) <= NO_CHANGE:
        return [f"every metric {words.alone.format(shown)}."]
    if not each.selection.has_comparisons:
        few = f"{FEW_TOPICS_AFFECT} {'the' if len(known) == 2 else 'any'} difference"
        return [f"the metrics cannot be compared on {each.name} ({value}): {few}."]
    high, low = known[np.argmax(estimate)], known[np.argmin(estimate)]
    cannot = f"The highest and the lowest cannot be compared: {FEW_TOPICS_AFFECT} the difference."
    none, rival = ("neither metric", "the other") if len(known) == 2 else ("no metric", "another")
    sentence = f"{none} {words.more.format(rival)} ({value})."
    return [sentence, cannot] if each.selection.not_compared[high, low] else [sentence]


def _interval_sentences(profile: Profile, each: Criterion) -> list[str]:
    """The interval of the only metric, if there is one."""
    if len(profile.metrics) > 1 or np.isnan(each.low[0]):
        return []
    ends = np.array([each.low[0], each.high[0]])
    return [f"The {level_text(profile.alpha)} interval over topics is {estimate_range(each, ends)}."]


def _behind_clause(profile: Profile, each: Criterion, phrase: str, named: Ints) -> str:
    """The metrics that are significantly behind another by a criterion, by kind or from the lowest, and a phrase.

    It says "than another metric" unless all of them are behind all metrics `named` before.
    """
    assert each.selection is not None
    estimate, behind = each.selection.estimate, each.selection.behind
    rows = np.flatnonzero(~np.isnan(estimate) & ~each.selection.may_be_best)
    names = kind_names([profile.metrics[m] for m in rows[np.argsort(estimate[rows], kind="stable")]], profile.metrics)
    than = "" if behind[np.ix_(rows, named)].all() else " than another metric"
    return agreeing_clause(capitalised(names) if names.startswith("all ") else names, len(rows) == 1, f"{phrase}{than}")


def estimate_range(each: Criterion, values: Floats) -> str:
    """The smallest and the largest of some estimates, or the one that they all are, as shown."""
    ends = [percent_text(end, digits=0) if each.is_share else f"{end:z.2f}" for end in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _robustness_sentences(profile: Profile, all_judged: bool) -> list[str]:
    """How many pairs stay separated at both ends of what missing judgements allow: the most and the fewest.

    The ends take unjudged results of one system as relevant, and of the other as not relevant, and the other way
    round. For some metrics these are no bounds, so the sentence promises nothing beyond these cases. If all results
    are judged, the ends are the scores themselves.
    """
    robust = profile.by(ROBUSTNESS)
    if robust is None or robust.selection is None or np.isnan(robust.selection.estimate).all():
        return []
    share, best = robust.selection.estimate, robust.selection.may_be_best
    known = np.flatnonzero(~np.isnan(share))
    most, lowest = (
        known[np.isclose(share[known], end, rtol=0, atol=NO_CHANGE)] for end in (share[known].max(), share[known].min())
    )
    kept, least = (percent_text(share[rows[0]], digits=0) for rows in (most, lowest))
    if not share[most[0]]:
        keeps = "No metric keeps any pair" if len(profile.metrics) > 1 else f"{profile.metrics[0]} keeps no pair"
        return [f"{keeps} separated {ALL_FAVOUR_ONE}."]
    power = profile.by(POWER)
    if all_judged and power is not None and np.allclose(share, power.estimate[: len(share)], rtol=0, atol=NO_CHANGE):
        return ["All results looked at are judged, so robustness to missing judgements equals discriminative power."]
    if len(lowest) == len(known) == len(profile.metrics) > 1:
        return [f"Every metric keeps {kept} of all pairs {WORST_CASE}."]
    names = name_list([profile.metrics[m] for m in most], MAX_NAMED_METRICS)
    text = agreeing_clause(names, len(most) == 1, f"keep{{s}} {kept} of all pairs {WORST_CASE}")
    rest = known[~best[known]]
    if len(rest):
        behind = _behind_clause(profile, robust, "keep{s} significantly fewer", most)
        also = [
            profile.metrics[m] for m in known[np.argsort(-share[known], kind="stable")] if best[m] and m not in most
        ]
        as_good = name_list(also) if len(also) < MAX_NAMED_METRICS else count_phrase(len(also), "other")
        return [
            f"{text}.",
            *([f"{as_good} may be as good."] if also else []),
            f"{behind} ({estimate_range(robust, share[rest])}).",
        ]
    if len(lowest) == len(known):
        return [f"{text}.", *_interval_sentences(profile, robust)]
    others = f"{profile.metrics[lowest[0]]} keeps" if len(lowest) == 1 else f"{len(lowest)} metrics keep"
    if not robust.selection.has_comparisons:
        which = "the" if len(known) == 2 else "any"
        differ = f"They cannot be compared: {FEW_TOPICS_AFFECT} {which} difference."
    elif len(known) == 2:
        differ = "The difference is not significant."
    else:
        differ = "No difference between metrics is significant."
    return [f"{text}; {others} {least}.", differ]


def _dominated_sentences(assay: Assay) -> list[str]:
    """The metrics that another one dominates."""
    dominated = dominated_by(assay)
    which = dominated.any(axis=1)
    if not which.any():
        return []
    names = name_list([assay.metrics[m] for m in np.flatnonzero(which)], MAX_NAMED_METRICS)
    rivals = [assay.metrics[m] for m in np.flatnonzero(dominated[which].all(axis=0))]  # of each of them
    by = name_list(rivals, MAX_NAMED_METRICS) if rivals else "other metrics"
    return [f"{names} {'is' if np.count_nonzero(which) == 1 else 'are'} dominated by {by}."]


def _own_answer(profile: Profile, metric: str) -> list[str]:
    """Whether a user's metric may be best, by criterion."""
    if len(profile.metrics) == 1:
        return []
    m = profile.metrics.index(metric)
    tested = [each for each in profile.criteria if each.selection and not np.isnan(each.selection.estimate[m])]
    best = [each.name for each in tested if each.selection and each.selection.may_be_best[m]]
    behind = [each.name for each in tested if each.name not in best]
    parts = [f"may be best by {name_list(best)}"] if best else []
    parts += [f"is significantly behind another metric on {name_list(behind)}"] if behind else []
    return [f"{metric} {', and '.join(parts)}."] if parts else []
