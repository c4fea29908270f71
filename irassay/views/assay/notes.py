"""The notes on an assay: what its tables show, how it was estimated, and what it does not mean."""

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.controls import HASHES
from irassay.assays.criteria import FEW_TOPICS_AFFECT, RATINGS, ROBUSTNESS
from irassay.assays.criterion_sentences import criterion_definition
from irassay.assays.dominance import available_criteria
from irassay.assays.findings import validity_text
from irassay.assays.profile import SELECTED_HALVES, Profile
from irassay.prose import level_text

NO_INTERVAL = "no interval"
MATTERS = "how often it matters here"


def assay_notes(assay: Assay) -> tuple[str, ...]:
    """What the tables show, how it was estimated, and what it does not mean."""
    profile = assay.profile
    notes = [validity_text(assay)]
    if profile is not None:
        notes += _estimate_notes(assay, profile)
        notes += _selection_notes(assay, profile) if len(profile.metrics) > 1 else []
        notes += _input_notes(profile)
    notes.append(_axiom_note(assay))
    if assay.lists.results:
        notes.append(
            "results looked at here: ranks of all lists of all systems down to the metric's depth; a document that "
            "several systems return counts once for each of them."
        )
    return tuple(notes)


def _estimate_notes(assay: Assay, profile: Profile) -> list[str]:
    """The criteria, their intervals, and their replication."""
    notes = [f"{each.name}: {criterion_definition(assay, each.name)}." for each in profile.criteria]
    notes.append(
        f"low and high: {level_text(profile.alpha)} interval over topics by the delete-d jackknife, leaving out "
        "about a fifth of the topics at a time, with Student's t (for consistency normal quantiles) and the critical "
        "value of the test on all topics (for tests of one pair at a time: Student's t). Systems are taken as given. "
        "With 21 topics drawn from a real collection, 91 to 99% of such intervals contained the value expected on "
        "as many topics, but only half of those of discriminative power for metrics with many ties, such as RR, "
        "because the critical value varies too."
    )
    if any(
        np.isnan(each.low[m]) > np.isnan(each.estimate[m]) for each in profile.criteria for m in range(len(each.low))
    ):
        notes.append(
            f"{NO_INTERVAL}: all subsets of the topics that were tried give the same estimate, for example because "
            "every pair is significant in each; that does not make it certain."
        )
    half = (
        f"the share of {profile.halves} random splits of the topics in which both halves order two metrics in the "
        f"same way on the criterion, averaged over the other metrics. It describes {profile.topics // 2} topics, "
        f"not {profile.topics}; for consistency it is a few hundredths too low, because each half is split only a "
        "few times."
        if profile.halves
        else "not estimated, because halves of fewer than 8 topics are too small."
    )
    return [*notes, f"replication: {half}"] if len(profile.metrics) > 1 else notes


def _selection_notes(assay: Assay, profile: Profile) -> list[str]:
    """Which metrics may be best or are dominated, and what is compared."""
    about_best = (
        "may be best: behind no other metric on the criterion; with "
        f"{level_text(profile.alpha)} confidence the best one is among these. "
        "behind: significantly lower. All pairs of metrics are tested at once by max-T with random signs of topics "
        "on the contribution of each topic to the estimate (delete-one jackknife). A difference that is not "
        f"significant may still be real. Two metrics are not compared if {FEW_TOPICS_AFFECT} their difference. "
        f"share of halves: how often a metric may be best on {SELECTED_HALVES} random halves of the topics, which "
        "separate less than all topics."
    )
    about_dominated = (
        "dominated by: the rivals that a metric is significantly behind on at least one criterion (agreement with "
        "other metrics and axioms do not count here), if the rival is not significantly behind it on any and shown "
        f"to be at most {profile.margin:g} worse on all ({', '.join(available_criteria(assay))}); of axioms, it must "
        "break none that the metric keeps. A comparison that is not possible, and axioms that were not tested, "
        "exclude it. Its absence means little."
    )
    return [about_best, about_dominated]


def _input_notes(profile: Profile) -> list[str]:
    """What ratings, missing judgements and controls were used for."""
    rated, notes = profile.by(RATINGS), list[str]()
    if rated is not None:
        notes.append(
            f"{RATINGS}: a 95% interval that resamples what was rated (users and tasks if the ratings name them), "
            "not the topics of the runs; with few users it is too narrow (in a simulation, 84% of such intervals "
            "contained the true value with 6 users, and 92% with 20). There is no replication rate. behind: the "
            "interval of the difference of two correlations, corrected for all pairs of metrics (Bonferroni), lies "
            "below 0."
        )
    if profile.by(ROBUSTNESS):
        notes.append(
            f"{ROBUSTNESS}: a pair counts if its difference is significant, with the same sign, as judged and in "
            "the worst and the best case of every topic; in a mixture of these cases it may still not be significant. "
            "What is unknown is whether the unjudged documents that one of the two systems returns are relevant. Outer "
            "bounds: one system's worst minus the other's best, as if a document that both return could be "
            "relevant for one and not for the other, and as if ranks past the end of a list could be relevant. Not "
            "a bound: all unjudged documents were taken as relevant, or none; other judgements could make the "
            "difference larger or smaller still. Judged results only: unjudged documents are left out, so nothing "
            "is assumed, and such a metric is not compared on this criterion. Exact bounds, which are narrower, "
            "are shown in addition where they can be computed: some judgements of these documents make the "
            "difference this large or small, and none larger or smaller. They are not compared with those of other "
            "metrics."
        )
    notes.append(
        "Controls are not metrics: they are left out of the agreement, the replication and the comparisons of the "
        f"others. For the hashes, the mean and the range of {HASHES} are given, no interval. Axioms and cost do not "
        "apply to controls. Metrics that order the systems in the same way on every "
        "topic count once in the agreement of the others."
    )
    return notes


def _axiom_note(assay: Assay) -> str:
    """What the rates of broken axioms are."""
    rates = "broken at any rate: axioms with at least one violation among enumerated short rankings; largest rate: the "
    rates += "share of cases that violate the axiom that is violated most often. "
    if assay.matters:
        rates += (
            f"{MATTERS}: among pairs of equally long lists of one topic, of which one has at every rank at least as "
            "many results of every grade or better (so priority, swap and replacement require at least the same "
            "score), the share in which the metric scores the other one higher; lists are cut to the metric's depth, "
            "and unjudged documents count as not relevant."
        )
    else:
        rates += (
            "How often that matters in the lists of this collection was not measured: a high rate among enumerated "
            "rankings does not mean that it does."
        )
    return rates
