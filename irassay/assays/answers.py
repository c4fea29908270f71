"""The answer of an assay in short sentences: which metrics may be best by each criterion, and by all of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.assays.assay import Assay
from irassay.assays.criteria import AGREEMENT, CONSISTENCY, OTHERS, POWER, RATINGS, ROBUSTNESS, Criterion
from irassay.assays.dominance import MERITS, dominated_by
from irassay.assays.profile import Profile
from irassay.metrics.grammar import metric_or_none
from irassay.metrics.labels import MetricName, parameter_text
from irassay.prose import count_phrase, name_list, percent_text
from irassay.stats.selection import NO_CHANGE

MAX_NAMED_METRICS, MAX_CHOICES = 3, 5  # metrics named in most sentences, and in the one on all criteria
CHOICE = "Choose by what each of them measures."
SHORT_NAMES = {POWER: POWER, CONSISTENCY: "consistency", ROBUSTNESS: "robustness"}  # of the criteria of merit
SECTIONS = {  # with the evidence on each criterion
    POWER: "discrimination",
    CONSISTENCY: "consistency",
    ROBUSTNESS: "judgements",
    AGREEMENT: "similarity",
    OTHERS: "judges",
    RATINGS: "ratings",
}


def answer_sentences(found: Assay, made: Profile, own: Sequence[str]) -> list[tuple[tuple[str, ...], str]]:
    """The answer in short sentences, with their section: by all criteria, then by each of them; `own` metrics first.

    Two metrics are compared on each criterion first. What is said of one criterion stays together.
    """
    parts = [(_own_answer(made, metric), "metrics") for metric in own]
    choice = (_all_criteria_sentences(found, made), "metrics")
    if len(found.metrics) > 2:
        parts.append(choice)
    before: Bools | None = None  # the metrics that may be best by the criterion before
    for name, words in ANSWER_WORDS.items():
        each = made.by(name)
        if each is not None and each.selection is not None:
            parts.append((_best_sentences(made, each, words, before), SECTIONS[name]))
            before = each.selection.may_be_best if name == POWER else None
    parts.append((_robustness_sentences(made), SECTIONS[ROBUSTNESS]))
    if len(found.metrics) <= 2:
        parts.append(choice)
    parts.append((_dominated_sentences(found), "metrics"))
    return [(tuple(sentences), section) for sentences, section in parts if sentences]


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
    RATINGS: AnswerWords(
        "has a correlation of {} with users' ratings",
        "{may}agree{s} best with users' ratings",
        "agrees significantly better with users' ratings than {}",
        "agree{s} significantly less",
        "r {}",
    ),
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
        shown = MAX_NAMED_METRICS if len(names) <= MAX_NAMED_METRICS else MAX_NAMED_METRICS - 1
        return _clause(name_list(names, shown), len(names) == 1, phrase, sure)

    if not len(known):
        return []
    if len(known) == 1:
        return [f"{on}{made.metrics[known[0]]} {words.alone.format(estimate_range(each, estimate[known]))}."]
    if each.name == POWER and not estimate[known].any():
        return [f"{on}no metric separates any pair of systems."]
    if not len(rest):
        none, rival = ("neither metric", "the other") if len(known) == 2 else ("no metric", "another")
        text = f"{on}{none} {words.more.format(rival)} ({value(known)})."
        return [text[0].upper() + text[1:]]
    if len(known) == 2:
        ends = f"{estimate_range(each, estimate[best])} against {estimate_range(each, estimate[rest])}"
        verdict = words.more.format(made.metrics[rest[0]])
        return [f"{on}{made.metrics[best[0]]} {verdict} ({words.value.format(ends)})."]
    alike = len({estimate_range(each, estimate[[m]]) for m in best}) == 1  # as shown
    if len(best) > MAX_NAMED_METRICS:
        top = best[np.isclose(estimate[best], estimate[best].max(), rtol=0, atol=NO_CHANGE)]
        others = len(best) - len(top)
        first = f"{on}{clause(top, words.best)} ({value(top)})"
        sentences = [f"{first}; {count_phrase(others, 'other')} may be as good." if others else f"{first}."]
    elif before is not None and np.array_equal(before, each.selection.may_be_best):
        start = "They may also be" if not alike else "It is also" if len(best) == 1 else "They are also"
        sentences = [f"{start} {words.best.removeprefix('{are} ')} ({value(best)})."]
    else:
        sentences = [f"{on}{clause(best, words.best, alike)} ({value(best)})."]
    return [*sentences, f"{_behind_clause(made, each, words.behind)} ({value(rest)})."]


def _clause(names: str, one: bool, phrase: str, sure: bool = True) -> str:
    """Names and a phrase that agrees with them."""
    are = "may be" if not sure else "is" if one else "are"
    return f"{names} {phrase.format(s='s' if one else '', are=are, may='' if sure else 'may ')}"


def _behind_clause(made: Profile, each: Criterion, phrase: str) -> str:
    """The metrics that are significantly behind another by a criterion, by kind or from the lowest, and a phrase."""
    assert each.selection is not None
    estimate = each.selection.estimate
    rows = np.flatnonzero(~np.isnan(estimate) & ~each.selection.may_be_best)
    names = kind_names([made.metrics[m] for m in rows[np.argsort(estimate[rows], kind="stable")]], made.metrics)
    return _clause(names[0].upper() + names[1:] if names.startswith("all ") else names, len(rows) == 1, phrase)


def kind_names(names: Sequence[str], metrics: Sequence[str]) -> str:
    """Some of the metrics in a sentence: kinds of which they are all there are, then single ones; the first few.

    >>> metrics = ["P@10", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.9)", "AP", "RR"]
    >>> kind_names(metrics[:5], metrics), kind_names(metrics[2:], metrics), kind_names(metrics[:2], metrics)
    ('all RBP variants, P@10 and AP', 'RBP(p=0.8), RBP(p=0.9), AP and RR', 'P@10 and RBP(p=0.5)')
    """
    left, shown = list(names), list[str]()
    for kind in _whole_kinds(names, metrics) if len(left) > MAX_NAMED_METRICS + 1 else {}:
        if len(shown) < MAX_NAMED_METRICS and (members := _whole_kinds(left, metrics).get(kind)):
            shown.append(f"all {kind}")
            left = [name for name in left if name not in members]
    room = MAX_NAMED_METRICS - len(shown)
    single = left if len(left) <= room + 1 else left[:room]  # four are all named, not three and one more
    parts, more = [f"{name}" for name in (*shown, *single)], len(left) - len(single)
    return f"{', '.join(parts)} and {more} more" if more else name_list(parts, len(parts))


def _whole_kinds(names: Sequence[str], metrics: Sequence[str]) -> dict[str, set[str]]:
    """The kinds of at least three metrics that are all among the names."""
    return {
        kind: members for kind, members in _metric_kinds(metrics).items() if len(members) > 2 and members <= {*names}
    }


def _metric_kinds(metrics: Sequence[str]) -> dict[str, set[str]]:
    """The metrics of one name, and those with the same cutoff or parameter in their labels; the largest kind first."""
    members: dict[str, set[str]] = defaultdict(set)
    shown_parameters = {part for name in metrics if isinstance(name, MetricName) for part in name.kinds[1:]}
    for name in metrics:
        metric = metric_or_none(str(name))
        if metric is None:
            continue
        family = name.kinds[:1] if isinstance(name, MetricName) else [metric.name]
        kinds = [f"{each} variants" for each in family]
        kinds += [] if metric.cutoff is None else [f"metrics with cutoff {metric.cutoff}"]
        parameters = (parameter_text(key, value) for key, value in metric.params.items())
        kinds += [f"metrics with {part}" for part in parameters if part in shown_parameters]
        for kind in kinds:
            members[kind].add(name)
    return dict(sorted(members.items(), key=lambda kind: -len(kind[1])))


def estimate_range(each: Criterion, values: Floats) -> str:
    """The smallest and the largest of some estimates, or the one that they all are, as shown."""
    ends = [percent_text(end, digits=0) if each.is_share else f"{end:.2f}" for end in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


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
            f"Every metric keeps {percent_text(share[most], digits=0)} of all pairs"
            if share[most]
            else "No metric keeps any pair"
        )
        return [f"{kept} {worst_case}."]
    text = f"{made.metrics[most]} keeps {percent_text(share[most], digits=0)} of all pairs {worst_case}"
    rest = known[~best[known]]
    if len(rest):
        behind = _behind_clause(made, robust, "keep{s} significantly fewer")
        return [f"{text}.", f"{behind} ({estimate_range(robust, share[rest])})."]
    others = f"{made.metrics[lowest[0]]} keeps" if len(lowest) == 1 else f"{len(lowest)} metrics keep"
    if len(known) == 1:
        return [f"{text}."]
    differ = (
        "The difference is not significant." if len(known) == 2 else "No difference between metrics is significant."
    )
    return [f"{text}; {others} {percent_text(share[lowest[0]], digits=0)}.", differ]


def _all_criteria_sentences(found: Assay, made: Profile) -> list[str]:
    """The metrics that may be best by each of the criteria."""
    selections = {
        SHORT_NAMES[name]: each.selection
        for name in MERITS
        if (each := made.by(name)) and each.selection and not np.isnan(each.selection.estimate).all()
    }
    if len(found.metrics) < 2 or len(selections) < 2:
        return []
    names = [*selections]
    best = np.all([each.may_be_best for each in selections.values()], axis=0)
    if best.all():
        return [f"Any of these metrics may be best by {name_list(names)}.", CHOICE]
    depends = "so the choice depends on which of them matters to you."
    if np.any([each.behind.any(axis=1) for each in selections.values()], axis=0).all():
        some = f"{', '.join(names[:-1])} or {names[-1]}"
        metric, rival = ("Each", "the other") if len(best) == 2 else ("Every", "another")
        behind = f"{metric} metric is significantly behind {rival} on {some}, {depends}"
        return [behind, *_trade_off_sentences(made)]
    every = f"both {name_list(names)}" if len(names) == 2 else f"{name_list(names)} alike"
    if not best.any():
        return [f"No metric may be best by {every}, {depends}"]
    may = [found.metrics[m] for m in np.flatnonzero(best)]
    if len(may) == 1:
        return [f"Only {may[0]} may be best by {every}."]
    if len(may) <= MAX_CHOICES:
        first = f"{name_list(may, MAX_CHOICES)} may be best by {every}."
    else:
        first = f"{len(may)} of {len(best)} metrics may be best by {every}. Among them are {_examples(made, may)}."
    return [first, f"On these criteria no difference between them is significant. {CHOICE}"]


def _trade_off_sentences(made: Profile) -> list[str]:
    """That the metric that separates the most systems and the most robust one are each behind the other, if they are.

    With two metrics, the sentences on each criterion have said it.
    """
    power, robust = (each.selection if each else None for each in map(made.by, (POWER, ROBUSTNESS)))
    if power is None or robust is None or len(made.metrics) == 2:
        return []
    first, kept = (int(np.nanargmax(each.estimate)) for each in (power, robust))
    if not (robust.behind[first, kept] and power.behind[kept, first]):
        return []
    text = f"{made.metrics[first]} separates the most systems, but {made.metrics[kept]}, which separates significantly "
    return [f"{text}fewer, is significantly more robust to missing judgements."]


def _examples(made: Profile, names: Sequence[str]) -> str:
    """Kinds of metrics that are all among the names; if there are none, those that separate the most systems."""
    if kinds := [f"all {kind}" for kind in _whole_kinds(names, made.metrics)]:
        return name_list(kinds[:MAX_NAMED_METRICS])
    power = made.by(POWER)
    assert power is not None
    first = sorted(names, key=lambda metric: -power.estimate[made.metrics.index(metric)])
    return name_list(first[:MAX_NAMED_METRICS])


def _dominated_sentences(found: Assay) -> list[str]:
    """The metrics that another one dominates."""
    dominated = dominated_by(found)
    names = [found.metrics[m] for m in np.flatnonzero(dominated.any(axis=1))]
    if len(names) == 1:
        rivals = [found.metrics[m] for m in np.flatnonzero(dominated.any(axis=0))]
        return [f"{names[0]} is dominated by {name_list(rivals, MAX_NAMED_METRICS)}."]
    return [f"{name_list(names, MAX_NAMED_METRICS)} are dominated by other metrics."] if names else []


def _own_answer(made: Profile, metric: str) -> list[str]:
    """Whether a user's metric may be best, by criterion."""
    m = made.metrics.index(metric)
    tested = [each for each in made.criteria if each.selection and not np.isnan(each.selection.estimate[m])]
    best = [each.name for each in tested if each.selection and each.selection.may_be_best[m]]
    behind = [each.name for each in tested if each.name not in best]
    parts = [f"may be best by {name_list(best)}"] if best else []
    parts += [f"is behind on {name_list(behind)}"] if behind else []
    return [f"{metric} {', and '.join(parts)}."] if parts else []
