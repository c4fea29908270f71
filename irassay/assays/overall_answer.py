"""The first paragraph of an assay's answer: which metrics may be best by power, consistency and robustness alike."""

from collections.abc import Mapping, Sequence

import numpy as np

from irassay.arrays import Bools
from irassay.assays.criteria import CONSISTENCY, POWER, RATINGS, ROBUSTNESS
from irassay.assays.dominance import MERITS
from irassay.assays.metric_kinds import MAX_NAMED_METRICS, whole_kinds
from irassay.assays.profile import Profile
from irassay.prose import agreeing_clause, name_list
from irassay.stats.selection import NO_CHANGE, Selection

MAX_CHOICES = 5  # metrics that are named if they may be best by all criteria
SHORT_NAMES = {POWER: POWER, CONSISTENCY: "consistency", ROBUSTNESS: "robustness"}  # of the criteria of merit
CHOICE = "Choose by what each of them measures."
PREFERENCE = "The choice depends on what matters to you."


def overall_sentences(profile: Profile, dominated: Bools) -> list[str]:
    """The metrics that may be best by each of the criteria by which some were compared and any differ.

    Of the most robust metrics, one that is `dominated` [metric] is not offered as a choice.
    """
    selections = {
        SHORT_NAMES[name]: each.selection
        for name in MERITS
        if (each := profile.by(name)) and each.selection and each.selection.has_comparisons
        if np.nanmax(each.selection.estimate) - np.nanmin(each.selection.estimate) > NO_CHANGE
    }
    if len(profile.metrics) < 2 or len(selections) < 2:
        return []
    if len(profile.metrics) == 2:
        return _two_metric_sentences(profile, selections)
    names = [*selections]
    best = np.all([each.may_be_best for each in selections.values()], axis=0)
    behind = np.any([each.behind.any(axis=1) for each in selections.values()], axis=0)
    deciding = [name for name, each in selections.items() if each.behind.any()]
    if best.all():
        return [f"No metric is significantly better than another on {_any_of(names)}.", *_choice(profile)]
    if behind.all():
        text = f"No metric wins on everything: each is significantly behind another on {_any_of(deciding)}."
        return [text, *_trade_off_sentences(profile, dominated), PREFERENCE]
    not_compared = _not_compared_sentences(profile, selections, ~behind & ~best)
    if not best.any():
        return [*not_compared, f"Every other metric is significantly behind another on {_any_of(deciding)}."]
    may, rest = ([profile.metrics[m] for m in np.flatnonzero(which)] for which in (best, behind))
    every = f"both {name_list(names)}" if len(names) == 2 else f"all three criteria: {name_list(names)}"
    few = len(may) <= MAX_CHOICES
    first = f"{name_list(may, MAX_CHOICES) if few else f'{len(may)} of {len(best)} metrics'} may be best by {every}."
    sentences = [first if few else f"{first} Among them are {_examples(profile, may)}."]
    sentences += not_compared
    if rest:
        others = rest[0] if len(rest) == 1 else f"Each of the other {len(rest)} metrics"
        sentences.append(f"{others} is significantly behind another metric on at least one criterion.")
    if len(may) > 1:
        sentences.append(f"Between the {len(may)} that may be best no difference is significant.")
        sentences += _choice(profile)
    return sentences


def _two_metric_sentences(profile: Profile, selections: Mapping[str, Selection]) -> list[str]:
    """Which of two metrics is significantly better, by criterion."""
    one, other = profile.metrics
    won, lost = ([name for name, each in selections.items() if each.behind[row].any()] for row in (1, 0))
    not_significant = [name for name in selections if name not in (*won, *lost)]
    if not won and not lost:
        text = f"Neither metric is significantly better than the other on {_any_of(not_significant)}."
        return [text, *_choice(profile)]
    sentences = [f"On {name_list(not_significant)} no difference is significant."] if not_significant else []
    if won and lost:
        first = f"Neither metric wins on everything: {one} is significantly better on {name_list(won)}"
        return [f"{first}, {other} on {name_list(lost)}.", *sentences, PREFERENCE]
    better, worse = (one, other) if won else (other, one)
    return [f"{better} is significantly better than {worse} on {name_list(won or lost)}.", *sentences]


def _choice(profile: Profile) -> list[str]:
    """What to choose by if these criteria do not decide; nothing if users' ratings do."""
    rated = profile.by(RATINGS)
    return [] if rated and rated.selection and rated.selection.behind.any() else [CHOICE]


def _any_of(names: Sequence[str]) -> str:
    """Names as alternatives: "a, b or c"."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _not_compared_sentences(profile: Profile, selections: Mapping[str, Selection], metrics: Bools) -> list[str]:
    """That these metrics [metric] are behind no other, and by which criteria they were not compared."""
    if not metrics.any():
        return []
    names = [profile.metrics[m] for m in np.flatnonzero(metrics)]
    missing = [name for name, each in selections.items() if np.isnan(each.estimate[metrics]).any()]
    but = f"but {'was' if len(names) == 1 else 'were'} not compared on {name_list(missing)}"
    who = name_list(names, MAX_NAMED_METRICS)
    return [agreeing_clause(who, len(names) == 1, f"{{are}} behind no other metric, {but}.")]


def _trade_off_sentences(profile: Profile, dominated: Bools) -> list[str]:
    """That the metrics that separate the most systems and the most robust ones are behind each other, if they are."""
    power, robust = (each.selection if each else None for each in map(profile.by, (POWER, ROBUSTNESS)))
    if power is None or robust is None or not (robust.may_be_best & ~dominated).any():
        return []
    share = np.where(robust.may_be_best & ~dominated, robust.estimate, np.nan)
    first, kept = (np.flatnonzero(each >= np.nanmax(each) - NO_CHANGE) for each in (power.estimate, share))
    if not (robust.behind[np.ix_(first, kept)].all() and power.behind[np.ix_(kept, first)].all()):
        return []
    leaders, rivals = (name_list([profile.metrics[m] for m in rows], MAX_NAMED_METRICS) for rows in (first, kept))
    lead = agreeing_clause(leaders, len(first) == 1, "separate{s} the most systems")
    rival = "separate{s} significantly fewer, but {are} significantly more robust to missing judgements"
    return [f"{lead}. {agreeing_clause(rivals, len(kept) == 1, rival)}."]


def _examples(profile: Profile, names: Sequence[str]) -> str:
    """Kinds of metrics that are all among the names; if there are none, those that separate the most systems."""
    if kinds := [f"all {kind}" for kind in whole_kinds(names, profile.metrics)]:
        return name_list(kinds[:MAX_NAMED_METRICS])
    power = profile.by(POWER)
    assert power is not None
    first = sorted(names, key=lambda metric: -power.estimate[profile.metrics.index(metric)])
    return name_list(first[:MAX_NAMED_METRICS])
