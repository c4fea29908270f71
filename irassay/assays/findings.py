"""Findings: the results in sentences, each about one criterion with its interval."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irassay.assays.answers import SECTIONS, answer_sentences
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates
from irassay.assays.controls import CONSTANT, HASH, HASHES, TRUTH
from irassay.assays.criteria import (
    AGREEMENT,
    CONSISTENCY,
    POWER,
    RATINGS,
    ROBUSTNESS,
    Criterion,
    interval_text,
)
from irassay.assays.criterion_sentences import (
    MAX_LISTED_METRICS,
    criterion_evidence,
    estimate_text,
    place_text,
    value_text,
)
from irassay.assays.dominance import dominated_by
from irassay.assays.metric_kinds import MAX_NAMED_METRICS
from irassay.assays.profile import Profile
from irassay.notes import MAX_CAVEATS
from irassay.prose import capitalised, count_phrase, first_few, name_list, percent_text
from irassay.stats.rank_codes import rank_codes

FEW_TOPICS, FEW_SYSTEMS = 25, 10  # with fewer, results say little about other topics and systems
MIN_RANKED_SYSTEMS = 4  # rankings of fewer are often equal by chance
MAX_ANSWERS = 4  # further ones are among the evidence
ANSWER, CAVEAT, EVIDENCE = "answer", "caveat", "evidence"  # what a finding is for
NO_VALIDITY = "None of these criteria shows that a metric measures what users want."
VALIDITY_BY_RATINGS = (
    f"Of these criteria only {RATINGS} is evidence of what users want, and only for these users and their searches."
)


@dataclass(frozen=True)
class Finding:
    """A sentence, the section with its evidence, and whether it is the answer, a caveat or evidence itself."""

    text: str
    section: str = ""
    role: str = EVIDENCE
    lead: str = ""  # the first sentence of the text, if it is the answer in short


def findings(assay: Assay) -> tuple[Finding, ...]:
    """All findings: the answer, at most three caveats, and the evidence by criterion."""
    profile = assay.profile
    own = [metric for metric in assay.new if metric in assay.metrics]
    shown = MAX_ANSWERS + bool(profile and profile.by(RATINGS))
    answers, evidence = [], [Finding(own_metric_sentence(assay, metric), "metrics") for metric in own]
    if profile is not None:
        answers = [
            Finding(" ".join(sentences), section, ANSWER if n < shown else EVIDENCE, "" if n else sentences[0])
            for n, (sentences, section) in enumerate(answer_sentences(assay, profile, own))
        ]
        for name in SECTIONS:
            evidence += _criterion_findings(assay, profile, name)
    evidence += _axiom_findings(assay)
    if profile is not None:
        evidence += [*_domination_evidence(assay, profile), *_control_findings(assay, profile)]
    evidence += [*_leader_findings(assay), *_twin_findings(assay)]
    caveats = _caveats(assay)
    short, more = answers[:shown], answers[shown:]
    short += [replace(each, role=CAVEAT) for each in caveats[:MAX_CAVEATS]]
    return (*short, *more, Finding(validity_evidence(assay), "metrics"), *evidence, *caveats[MAX_CAVEATS:])


def validity_text(assay: Assay) -> str:
    """What the criteria estimated here do not show, in a sentence."""
    return VALIDITY_BY_RATINGS if assay.profile and assay.profile.by(RATINGS) else NO_VALIDITY


def validity_evidence(assay: Assay) -> str:
    """What the criteria estimated here show, and what would be evidence of validity."""
    profile = assay.profile
    shown = ["how reliably a metric orders systems"]
    shown += ["how much of that missing judgements could undo"] if profile and profile.by(ROBUSTNESS) else []
    shown += ["which of the axioms tested it breaks"] if assay.axioms else []
    what = ", ".join([*shown[:-1], f"and {shown[-1]}"]) if len(shown) > 1 else shown[0]
    if profile and profile.by(RATINGS):
        return f"The other criteria show {what}."
    return (
        f"These criteria show {what}. Evidence of what users want would be their ratings of the same results or "
        "preferences between them (meta satisfaction, meta preference), task outcomes, or online experiments."
    )


def _domination_evidence(assay: Assay, profile: Profile) -> list[Finding]:
    """What it means to be dominated, and which margin these topics could have shown."""
    margins = {
        each.name: min(each.selection.shown_margin(), each.largest_difference)
        for each in profile.criteria
        if each.selection
    }
    known = [f"{margin:.2f} on {name}" for name, margin in margins.items() if margin > 0]
    if len(assay.metrics) < 2 or not known:
        return []
    none = "" if dominated_by(assay).any() else "No metric is dominated. "
    rival = ["is not significantly behind it on any", f"is shown to be at most {profile.margin:g} worse on all"]
    rival += ["breaks no axiom that the metric keeps"] if assay.axioms else []
    text = (
        f"{none}A dominated metric is significantly behind a rival on at least one criterion. The rival "
        f"{name_list(rival)}. Not being dominated means little: even if two metrics had equal estimates, these topics "
        f"would rule out only a difference of more than {name_list(known, len(known))} (medians over pairs of metrics)."
    )
    return [Finding(text, "metrics")]


def _criterion_findings(assay: Assay, profile: Profile, name: str) -> list[Finding]:
    """The evidence on one criterion."""
    sentences = criterion_evidence(assay, profile, name)
    return [Finding(" ".join(sentences), SECTIONS[name])] if sentences else []


def _axiom_findings(assay: Assay) -> list[Finding]:
    """The metrics that break axioms, how often, and the metrics that were not tested."""
    known = axiom_rates(assay)
    bad = {metric: each for metric, each in known.items() if each is not None and each.broken}
    good = [metric for metric, each in known.items() if each is not None and not each.broken]
    none = [metric for metric, each in known.items() if each is None]
    result = []
    depths = sorted({each.space.depth for each in assay.axioms})
    where = f" over rankings of up to {depths[-1]} results" if depths else ""
    if bad:
        worst = max(bad, key=lambda metric: max(bad[metric].rates.values()))
        if len(bad) == 1:
            text = f"Axioms: {worst} breaks {bad[worst].words}{where}."
        else:
            text = f"Axioms: {_metrics_text(list(bad))} break at least one of those tested{where}. "
            text += f"{worst} has the highest rate: {bad[worst].words}."
        result.append(Finding(f"{text} {_example(assay, worst)}".rstrip(), "axioms"))
    if good:
        verb = "breaks" if len(good) == 1 else "break"
        result.append(Finding(f"Axioms: {_metrics_text(good)} {verb} none of those tested{where}.", "axioms"))
    if none:
        result.append(Finding(f"Axioms not tested: {first_few(none, MAX_LISTED_METRICS)}."))
    return result


def _control_findings(assay: Assay, profile: Profile) -> list[Finding]:
    """The controls: scores that measure nothing, which the criteria cannot reject."""
    rows = {name: profile.names.index(name) for name in (HASH, CONSTANT)}
    power, steady = profile.by(POWER), profile.by(CONSISTENCY)
    assert power is not None
    assert steady is not None
    c, h = rows[CONSTANT], rows[HASH]
    text = (
        f"The {CONSTANT} gives each system a fixed number plus noise, whatever its results. It separates "
        f"{percent_text(power.estimate[c])} of all pairs ({assay.test}) and has a consistency of "
        f"{value_text(steady, steady.estimate[c])}: scores can be reliable and measure nothing. "
        f"The {HASH} stands for {HASHES} hashes of topic and system, which order systems by chance. On average they "
        f"separate {_hash_text(power, h, ' of all pairs')} and have a consistency of {_hash_text(steady, h)}."
    )
    result = [Finding(text, "metrics")]
    if TRUTH in profile.controls:
        t, near = profile.names.index(TRUTH), profile.by(AGREEMENT)
        text = f"The {TRUTH}, the simulated quality of each system, separates {percent_text(power.estimate[t])} of "
        text += f"all pairs and has a consistency of {value_text(steady, steady.estimate[t])}"
        if near is not None:
            text += (
                f"; its mean tau with the metrics is {near.estimate[t]:z.3f}, that of the {CONSTANT} "
                f"{near.estimate[c]:z.3f}"
            )
        result.append(Finding(f"{text}.", "metrics"))
    return result


def _hash_text(each: Criterion, row: int, of: str = "") -> str:
    """The mean of the hashes on a criterion, what it is a share `of`, and their range if they differ."""
    low, high = (float(ends[row]) for ends in (each.low, each.high))
    ends = "" if np.isnan(low) else f" (single ones {interval_text(low, high, each.is_share)})"
    return f"{value_text(each, float(each.estimate[row]))}{of}{ends}"


def _metrics_text(names: Sequence[str]) -> str:
    many = len(names) > MAX_NAMED_METRICS + 1  # four are all named, not three and one more
    shown = MAX_NAMED_METRICS if many else len(names)
    return f"{len(names)} metrics ({first_few(names, shown)})" if len(names) > 2 else name_list(names)


def _example(assay: Assay, metric: str) -> str:
    """A counterexample to the axiom that a metric breaks most often."""
    among = assay.axioms_of(metric, assay.axioms)
    if among is None:
        return ""
    name = assay.canonical_name(metric)
    shares = np.nan_to_num(among.share[among.metrics.index(name)])
    witness = among.witness(name, among.axioms[int(np.argmax(shares))].name)
    return witness.sentence if witness else ""


def first_systems(assay: Assay) -> list[list[str]]:
    """[metric] the systems with the best mean, several if they tie; none if all systems do."""
    means, constant = assay.similarity.means(), assay.similarity.constant
    codes = [rank_codes(means[None, :, m], noise)[0] for m, noise in enumerate(assay.scores.noise())]
    first = [() if constant[m] else np.flatnonzero(code == code.max()).tolist() for m, code in enumerate(codes)]
    return [[assay.similarity.systems[s] for s in systems] for systems in first]


def _leader_findings(assay: Assay) -> list[Finding]:
    """The systems with the best mean by each metric, alone or tied."""
    firsts = [systems for systems in first_systems(assay) if systems]
    if len(firsts) < 2:
        return []
    alone = Counter(systems[0] for systems in firsts if len(systems) == 1)
    tied = Counter(system for systems in firsts if len(systems) > 1 for system in systems)
    ranked = sorted(alone | tied, key=lambda system: (-alone[system], -tied[system]))
    if len(ranked) == 1:
        ranking = "" if len(firsts) == len(assay.metrics) else " that do not give all systems the same mean"
        return [Finding(f"{ranked[0]} has the best mean by all metrics{ranking}.", "systems")]

    def places(system: str) -> str:
        ties = f"tied by {tied[system]}"
        return (
            f"{system} by {alone[system]}{f' ({ties})' * bool(tied[system])}" if alone[system] else f"{system} {ties}"
        )

    text = f"{len(ranked)} systems rank first by at least one metric: {first_few([*map(places, ranked)], 4)}."
    return [Finding(text, "systems")]


def _twin_findings(assay: Assay) -> list[Finding]:
    """Metrics that rank the systems in exactly the same order."""
    tau, groups = assay.similarity.tau, []
    if len(assay.scores.systems) < MIN_RANKED_SYSTEMS:
        return []
    left = [m for m in range(len(assay.metrics)) if not assay.similarity.constant[m]]
    while left:
        head, *left = left
        same = [head, *(m for m in left if tau[head, m] > 1 - 1e-12)]
        left = [m for m in left if m not in same]
        if len(same) > 1:
            groups.append(name_list([f"{assay.metrics[m]}" for m in same], MAX_LISTED_METRICS))
    if not groups:
        return []
    text = f"These metrics rank the systems in exactly the same order (tau 1 on these topics): {'; '.join(groups[:4])}"
    text += f"; and {count_phrase(len(groups) - 4, 'more group')}." if len(groups) > 4 else "."
    return [Finding(text, "similarity")]


def _caveats(assay: Assay) -> list[Finding]:
    """What limits the answer, the most important first: validity, few topics or systems, and the assay's remarks."""
    result = [Finding(validity_text(assay), "metrics")]
    topics, systems = len(assay.scores.topics), len(assay.scores.systems)
    if topics < FEW_TOPICS:
        text = f"{count_phrase(topics, 'topic')} are few: much of this may change with other topics."
        result.append(Finding(text, "consistency"))
    if systems < FEW_SYSTEMS:
        text = f"{count_phrase(systems, 'system')} are few: tau and discriminative power change in large steps."
        result.append(Finding(text, "similarity"))
    unknown = [metric for metric in assay.metrics if metric not in assay.known]
    if unknown:
        names = name_list(unknown, MAX_NAMED_METRICS)
        result.append(Finding(f"Axioms were not tested on {names}: only scores were given, no definition."))
    return [*result, *map(Finding, assay.remarks)]


def own_metric_sentence(assay: Assay, metric: str) -> str:
    """The profile of a user's metric in a sentence."""
    profile, m = assay.profile, assay.metrics.index(metric)
    parts = []
    for each in profile.criteria if profile else ():
        if np.isnan(each.estimate[m]):
            continue
        parts.append(f"{each.name}: {estimate_text(each, m)}{place_text(assay, each, m)}")
    known = axiom_rates(assay)[metric]
    if known is None:
        parts.append("axioms not tested")
    else:
        parts.append(f"axioms: {f'breaks {known.words}' if known.broken else f'keeps all {len(known.rates)} tested'}")
    near = assay.similarity.nearest(metric)
    if near and not np.isnan(near[0][1]):
        parts.append(f"ranks the systems most like {near[0][0]} (tau {near[0][1]:.3f})")
    return f"Profile of {metric}: " + ". ".join(map(capitalised, parts)) + "."
