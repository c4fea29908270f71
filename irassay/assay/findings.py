"""Findings: what the results come to, in sentences, the answer first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from irassay.assay.assay import Assay
from irassay.assay.verdicts import (
    CARE,
    FAULTS,
    SOUND,
    UNSOUND,
    UNTOLD,
    WORDS,
    Fault,
    Verdict,
    doubts,
    in_doubt,
    lacking,
    verdicts,
)
from irassay.prose import counted, some

NAMED = 3  # metrics that a sentence names
LISTED = 12  # metrics that are all named in the first sentence
FEW_TOPICS, FEW_SYSTEMS = 25, 10  # below these, results say little of other topics and systems
RANKED = 4  # systems; rankings of fewer are often the same by chance
PLACES = ("power", "consistency")


@dataclass(frozen=True)
class Finding:
    """A sentence, and the section that has its evidence."""

    text: str
    section: str = ""


def findings(found: Assay, judged: Mapping[str, Verdict] | None = None) -> tuple[Finding, ...]:
    """The answer: the user's own metric first, then which metrics are sound, and what speaks against the others."""
    judged = judged or verdicts(found)
    said = [Finding(own(found, metric, judged[metric])) for metric in found.new if metric in judged]
    said += [_summary(found, judged), *_start(found, judged)]
    faults = [fault for verdict in judged.values() for fault in verdict.faults]
    for kind in FAULTS:
        said += _of_kind(found, kind, [fault for fault in faults if fault.kind == kind])
    return (*said, *_leaders(found), *_twins(found), *_caveats(found))


def _summary(found: Assay, judged: Mapping[str, Verdict]) -> Finding:
    named = {word: [m for m, v in judged.items() if v.word == word] for word in WORDS}
    size = f"{counted(len(found.scores.systems), 'system')} on {counted(len(found.scores.topics), 'topic')}"
    # Of many metrics only the numbers; a table has the names.
    lists = {word: f" ({', '.join(names)})" if names and len(judged) <= LISTED else "" for word, names in named.items()}
    if named[UNTOLD]:
        which = named[UNTOLD][0] if len(judged) == 1 else counted(len(named[UNTOLD]), "metric")
        be, bad = ("is" if len(names) == 1 else "are" for names in (named[UNTOLD], named[UNSOUND]))
        said = f"Whether {which} {be} sound cannot be told from these {size}: {judged[named[UNTOLD][0]].untold}."
        if named[UNSOUND]:
            said += f" {len(named[UNSOUND])} {bad} not sound on any collection{lists[UNSOUND]}."
        return Finding(said, "metrics")
    if len(judged) == 1:
        metric, verdict = next(iter(judged.items()))
        words = {SOUND: "is sound", CARE: "is to be used with care", UNSOUND: "is not sound"}
        return Finding(f"{metric} {words[verdict.word]} for these {size}.", "metrics")
    be = "is" if len(named[SOUND]) == 1 else "are"
    parts = [f"{len(named[SOUND])} of {len(judged)} metrics {be} sound for these {size}{lists[SOUND]}"]
    for word, what in ((CARE, "to be used with care"), (UNSOUND, "not sound")):
        if named[word]:
            parts.append(f"{len(named[word])} {'is' if len(named[word]) == 1 else 'are'} {what}{lists[word]}")
    return Finding(", ".join(parts) + ".", "metrics")


def _start(found: Assay, judged: Mapping[str, Verdict]) -> list[Finding]:
    """The sound metric to begin with: the most powerful."""
    good = [metric for metric, _ in found.discrimination.ranked(found.alpha) if judged[metric].word == SOUND]
    if not good or len(judged) == 1:
        return []
    m = found.metrics.index(good[0])
    power, steady = found.discrimination.power(found.alpha)[m], found.consistency.mean[m]
    return [
        Finding(
            f"Start from {good[0]}: of the sound metrics it tells the most pairs of systems apart ({power:.1%}, "
            f"{found.test}), and halves of the topics rank the systems with a tau of {steady:.3f}.",
            "discrimination",
        )
    ]


def _of_kind(found: Assay, kind: str, faults: Sequence[Fault]) -> list[Finding]:
    """One sentence on all metrics with a kind of fault, with the evidence against the worst."""
    if not faults:
        return []
    names = list(dict.fromkeys(fault.metric for fault in faults))
    worst = max(faults, key=lambda fault: fault.size)
    one = len(names) == 1
    does = {
        "constant": "ranks nothing" if one else "rank nothing",
        "blind": "tells no systems apart" if one else "tell no systems apart",
        "property": "breaks what common sense asks of a metric" if one else "break what common sense asks of a metric",
        "weak": "tells few systems apart" if one else "tell few systems apart",
        "unsteady": "would rank the systems differently on other topics",
        "doubt": "is in doubt for want of judgements" if one else "are in doubt for want of judgements",
    }[kind]
    section = FAULTS[kind][0]
    if kind == "property":
        return [Finding(f"{_listed(names)} {does}. {_example(found, worst.metric) or worst.evidence}", section)]
    if one and worst.evidence.startswith("it "):
        return [Finding(f"{names[0]} {worst.evidence.removeprefix('it ')}.", section)]
    if worst.evidence.startswith("it "):
        return [Finding(f"{_listed(names)} {does}: {worst.metric} {worst.evidence.removeprefix('it ')}.", section)]
    by = "" if one else f"by {worst.metric}, "
    return [Finding(f"{_listed(names)} {does}: {by}{worst.evidence}.", section)]


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} metrics ({some(names, NAMED)})" if len(names) > 2 else " and ".join(names)


def _example(found: Assay, metric: str) -> str:
    """The counterexample to the property that a metric breaks most often."""
    tested = found.axioms_of(metric, found.properties)
    if tested is None:
        return ""
    shares = np.nan_to_num(tested.share[tested.metrics.index(metric)])
    witness = tested.witness(metric, tested.properties[int(np.argmax(shares))].name)
    return witness.sentence if witness else ""


def _leaders(found: Assay) -> list[Finding]:
    """Whether the metrics name the same best system, and how many others cannot be told from it."""
    means, usable = found.similarity.means(), np.flatnonzero(~found.similarity.constant)
    if len(usable) < 2:
        return []
    first = [found.similarity.systems[int(np.argmax(means[:, m]))] for m in usable]
    ranked = sorted(dict.fromkeys(first), key=lambda system: -first.count(system))
    if len(ranked) == 1:
        return [Finding(f"All metrics put {ranked[0]} first.", "systems")]
    counts = [f"{system} by {first.count(system)}" for system in ranked]
    return [Finding(f"{len(ranked)} systems are put first by some metric: {some(counts, 4)}.", "systems")]


def _twins(found: Assay) -> list[Finding]:
    """Metrics that rank the systems exactly alike."""
    tau, groups = found.similarity.tau, []
    if len(found.scores.systems) < RANKED:
        return []
    left = [m for m in range(len(found.metrics)) if not found.similarity.constant[m]]
    while left:
        same = [m for m in left if tau[left[0], m] > 1 - 1e-12]
        left = [m for m in left if m not in same]
        if len(same) > 1:
            groups.append(" = ".join(found.metrics[m] for m in same))
    if not groups:
        return []
    return [
        Finding(f"These rank the systems exactly alike, so that one of them will do: {some(groups, 4)}.", "similarity")
    ]


def _lack(found: Assay) -> list[Finding]:
    """That the collection, and not a metric, is to blame where nearly all are in doubt."""
    if not lacking(found):
        return []
    moved, significant = doubts(found)
    doubtful = np.flatnonzero(in_doubt(found))
    worst = doubtful[np.argmax(moved[doubtful] / significant[doubtful])]
    return [
        Finding(
            f"The collection lacks judgements: by {len(doubtful)} of {len(found.metrics)} metrics what was not judged "
            f"could move a system's mean by clearly more than what is significant (the most by {found.metrics[worst]}: "
            f"{moved[worst]:.3f}, and {significant[worst]:.3f} is significant by {found.test}).",
            "judgements",
        )
    ]


def _caveats(found: Assay) -> list[Finding]:
    said = [*_lack(found)]
    topics, systems = len(found.scores.topics), len(found.scores.systems)
    if topics < FEW_TOPICS:
        said.append(
            Finding(f"{counted(topics, 'topic')} are few: with other topics much of this may change.", "consistency")
        )
    if systems < FEW_SYSTEMS:
        said.append(Finding(f"{counted(systems, 'system')} are few: tau and power move in large steps.", "similarity"))
    if found.refused:
        named = some(list(found.refused), NAMED)
        said.append(
            Finding(f"Not tested for properties, as short rankings do not have what they need: {named}.", "properties")
        )
    unknown = [metric for metric in found.metrics if metric not in found.known]
    if unknown:
        said.append(Finding(f"Known by their scores only, not by a definition: {some(unknown, NAMED)}."))
    return [*said, *map(Finding, found.remarks)]


def own(found: Assay, metric: str, verdict: Verdict) -> str:
    """Whether a user's metric is any good, in a sentence."""
    m = found.metrics.index(metric)
    power, steady = found.discrimination.power(found.alpha), np.nan_to_num(found.consistency.mean, nan=-2.0)
    others = len(power) - 1
    places = [1 + int(np.sum(values > values[m])) for values in (power, steady)]
    # Level with a metric counts as ahead of it.
    ahead = any(2 * np.sum(np.delete(values, m) <= values[m]) >= others for values in (power, steady))
    good = "Nothing speaks against it" if not others else "Yes" if ahead else "It does no harm, but adds little"
    answer = {SOUND: good, CARE: "With care", UNSOUND: "No", UNTOLD: "That cannot be told here"}[verdict.word]
    against = "; ".join(fault.evidence for fault in verdict.faults)
    against = verdict.untold if verdict.word == UNTOLD else against
    tested = found.axioms_of(metric, found.properties)
    kept = (
        "it breaks none of the properties tested"
        if tested is not None and not any(fault.kind == "property" for fault in verdict.faults)
        else ""
    )
    near = found.similarity.nearest(metric)
    like = (
        f"it ranks the systems most as {near[0][0]} does (tau {near[0][1]:.3f})"
        if near and not np.isnan(near[0][1])
        else ""
    )
    place = [f"place {place} of {others + 1} in {what}" for place, what in zip(places, PLACES, strict=True)]
    tau = found.consistency.mean[m]
    halves = "no ranking of halves of the topics" if np.isnan(tau) else f"tau {tau:.3f} between halves of the topics"
    told = f"{place[0]} ({power[m]:.1%} of the pairs of systems told apart, {found.test}), {place[1]} ({halves})"
    return f"Is {metric} any good? {answer}: " + "; ".join(filter(None, (against, kept, told, like))) + "."
