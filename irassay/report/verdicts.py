"""Verdicts: which metrics are sound for a collection and which are not, in sentences written from the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from irassay.gain import Floats
from irassay.prose import counted, some
from irassay.report.assay import Assay

WEAK = 0.5  # of the power of the most powerful metric; below it a metric is weak
STEADY = 0.1  # tau below the most consistent metric; beyond it, and significantly, a metric is unsteady
NAMED = 3  # metrics that a sentence names
LISTED = 12  # metrics that are all named in the first sentence
FEW_TOPICS, FEW_SYSTEMS = 25, 10  # below these, results say little of other topics and systems

SOUND, CARE, UNSOUND = "sound", "with care", "not sound"

# Each kind of fault: the section with its evidence, and whether it makes a metric unsound by itself.
FAULTS = {
    "constant": ("discrimination", True),
    "blind": ("discrimination", True),
    "property": ("properties", True),
    "weak": ("discrimination", False),
    "unsteady": ("consistency", False),
    "doubt": ("judgements", False),
}


@dataclass(frozen=True)
class Fault:
    """One thing that speaks against a metric on this collection."""

    metric: str
    kind: str  # one of FAULTS
    evidence: str  # what follows "because" in a sentence
    size: float  # how bad, to find the worst of a kind

    @property
    def grave(self) -> bool:
        """Whether this alone makes the metric unsound."""
        return FAULTS[self.kind][1]


@dataclass(frozen=True)
class Verdict:
    """What speaks against a metric, and what that comes to."""

    metric: str
    faults: tuple[Fault, ...]

    @property
    def word(self) -> str:
        """'sound', 'with care' or 'not sound'."""
        return UNSOUND if any(fault.grave for fault in self.faults) else CARE if self.faults else SOUND


@dataclass(frozen=True)
class Finding:
    """A sentence, and the section that has its evidence."""

    text: str
    section: str = ""


def verdicts(found: Assay) -> dict[str, Verdict]:
    """The verdict on every metric."""
    return {metric: Verdict(metric, _faults(found, m)) for m, metric in enumerate(found.metrics)}


def doubts(found: Assay) -> tuple[Floats, Floats]:
    """[metric] what missing judgements could move a mean by, the median over systems, and what is significant.

    The latter is the difference that the test asks for or, where it has none, the least that was significant.
    """
    width = found.width()
    shape = len(found.metrics)
    moved = np.full(shape, np.nan) if width is None else np.median(width, axis=0)
    power = found.discrimination
    asked = power.threshold[power.levels.index(found.alpha)]
    return moved, np.where(np.isnan(asked), power.least(found.alpha), asked)


def _faults(found: Assay, m: int) -> tuple[Fault, ...]:
    metric, power = found.metrics[m], found.discrimination.power(found.alpha)
    pairs = len(found.discrimination.p)
    if found.similarity.constant[m]:
        return (Fault(metric, "constant", "it gives every system the same mean", 1.0),)
    faults = [*_broken(found, metric)]
    best = int(np.argmax(power))
    if not power[m]:
        faults.append(Fault(metric, "blind", f"it tells none of the {pairs:,} pairs of systems apart", 1.0))
    elif power[m] < WEAK * power[best]:
        most = f"{found.metrics[best]} tells {power[best]:.1%}"
        said = f"it tells {power[m]:.1%} of the pairs of systems apart, where {most}"
        faults.append(Fault(metric, "weak", said, float(-power[m])))
    faults += _unsteady(found, metric)
    moved, significant = doubts(found)
    if moved[m] > significant[m]:
        said = (
            f"missing judgements could move a system's mean by {moved[m]:.3f} (median), and a difference is "
            f"significant from {significant[m]:.3f} on"
        )
        faults.append(Fault(metric, "doubt", said, float(moved[m] / significant[m])))
    return tuple(faults)


def _broken(found: Assay, metric: str) -> list[Fault]:
    """The properties that the metric breaks, the most often broken first."""
    tested = found.axioms_of(metric, found.properties)
    if tested is None:
        return []
    m = tested.metrics.index(metric)
    faults = []
    for p, axiom in enumerate(tested.properties):
        share = float(tested.share[m, p])
        if tested.violations[m, p, 0]:
            witness = tested.witness(metric, axiom.name)
            example = f" ({witness.worse} beats {witness.better})" if witness else ""
            faults.append(Fault(metric, "property", f"it breaks {axiom.title} in {share:.1%} of cases{example}", share))
    return sorted(faults, key=lambda fault: -fault.size)


def _unsteady(found: Assay, metric: str) -> list[Fault]:
    best, high = found.consistency.ranked()[0]
    gap, low, _ = found.consistency.difference(best, metric)
    if metric == best or not (gap > STEADY and low > 0):
        return []
    said = f"halves of the topics rank the systems less alike (tau {high - gap:.3f}) than by {best} ({high:.3f})"
    return [Fault(metric, "unsteady", said, gap)]


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
    named = {word: [m for m, v in judged.items() if v.word == word] for word in (SOUND, CARE, UNSOUND)}
    size = f"{counted(len(found.scores.systems), 'system')} on {counted(len(found.scores.topics), 'topic')}"
    if len(judged) == 1:
        metric, verdict = next(iter(judged.items()))
        words = {SOUND: "is sound", CARE: "is to be used with care", UNSOUND: "is not sound"}
        return Finding(f"{metric} {words[verdict.word]} for these {size}.", "metrics")
    # Of many metrics only the numbers; a table has the names.
    lists = {word: f" ({', '.join(names)})" if names and len(judged) <= LISTED else "" for word, names in named.items()}
    parts = [f"{len(named[SOUND])} of {len(judged)} metrics are sound for these {size}{lists[SOUND]}"]
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
            f"Start from {good[0]}: of the sound metrics it tells the most pairs of systems apart ({power:.1%}), and "
            f"halves of the topics rank the systems with a tau of {steady:.3f}.",
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
    means, usable = found.similarity.means, np.flatnonzero(~found.similarity.constant)
    if len(usable) < 2:
        return []
    first = [found.similarity.systems[int(np.argmax(means[:, m]))] for m in usable]
    ranked = sorted(set(first), key=lambda system: -first.count(system))
    if len(ranked) == 1:
        return [Finding(f"All metrics put {ranked[0]} first.", "systems")]
    counts = [f"{system} by {first.count(system)}" for system in ranked]
    return [Finding(f"{len(ranked)} systems are put first by some metric: {some(counts, 4)}.", "systems")]


def _twins(found: Assay) -> list[Finding]:
    """Metrics that rank the systems exactly alike."""
    tau, groups = found.similarity.tau, []
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


def _caveats(found: Assay) -> list[Finding]:
    said = []
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
    return said


def own(found: Assay, metric: str, verdict: Verdict) -> str:
    """Whether a user's metric is any good, in a sentence."""
    m = found.metrics.index(metric)
    power = found.discrimination.power(found.alpha)
    place = 1 + int(np.sum(power > power[m]))
    answer = {SOUND: "Yes", CARE: "With care", UNSOUND: "No"}[verdict.word]
    against = "; ".join(fault.evidence for fault in verdict.faults)
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
    steady = found.consistency.mean[m]
    told = (
        f"it tells {power[m]:.1%} of the pairs of systems apart (place {place} of {len(power)}), with a tau of "
        f"{steady:.3f} between halves of the topics"
    )
    return f"Is {metric} any good? {answer}: " + "; ".join(filter(None, (against, kept, told, like))) + "."
