"""Verdicts: which metrics are sound for a collection, which are not, and where the collection cannot tell."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.assays.assay import Assay
from irassay.metrics.metric import Metric
from irassay.prose import counted

WEAK = 0.5  # of the power of the most powerful metric; below it a metric is weak
STEADY = 0.1  # tau below the most consistent metric; beyond it, and significantly, a metric is unsteady
APART = 3  # pairs of systems that the most powerful metric tells apart beyond those of a weak one, at least
TOLD = 0.05  # of the pairs; where no metric tells more apart, systems are too much alike to judge metrics by
# What missing judgements could move a mean by, in significant differences, before that is held against a metric:
# for true bounds, and for ranges between two guesses, which say less.
BOUNDS_BEYOND, RANGE_BEYOND = 1.25, 2.0
LACKING = 0.8  # of the metrics in doubt; from there on it is the collection that lacks judgements
FOR_INCOMPLETE = ("bpref", "Judged")  # metrics made for incomplete judgements

SOUND, CARE, UNSOUND, UNTOLD = "sound", "with care", "not sound", "cannot be told"
WORDS = (SOUND, CARE, UNSOUND, UNTOLD)

# Each kind of objection: the section with its evidence, and whether it makes a metric unsound by itself.
OBJECTIONS = {
    "constant": ("discrimination", True),
    "blind": ("discrimination", False),
    "property": ("properties", True),
    "weak": ("discrimination", False),
    "unsteady": ("consistency", False),
    "doubt": ("judgements", False),
}


@dataclass(frozen=True)
class Objection:
    """One thing that speaks against a metric on this collection."""

    metric: str
    kind: str  # one of OBJECTIONS
    evidence: str  # what follows "because" in a sentence
    size: float  # how bad, to find the worst of a kind

    @property
    def grave(self) -> bool:
        """Whether this alone makes the metric unsound."""
        return OBJECTIONS[self.kind][1]


@dataclass(frozen=True)
class Soundness:
    """What speaks against a metric, and what that comes to."""

    metric: str
    objections: tuple[Objection, ...]
    untold: str = ""  # why the collection cannot tell good metrics from bad ones

    @property
    def word(self) -> str:
        """'sound', 'with care', 'not sound' or 'cannot be told'."""
        if any(objection.grave for objection in self.objections):
            return UNSOUND
        return UNTOLD if self.untold else CARE if self.objections else SOUND

    @property
    def against(self) -> str:
        """All that speaks against the metric, or why nothing can be said."""
        said = [f"cannot be told here: {self.untold}"] if self.word == UNTOLD else []
        return "; ".join([*(objection.evidence for objection in self.objections), *said]) or "nothing"


def soundness(found: Assay) -> dict[str, Soundness]:
    """The verdict on every metric."""
    why = untold(found)
    doubtful = in_doubt(found) & (not lacking(found))
    return {
        metric: Soundness(metric, _objections(found, m, bool(why), bool(doubtful[m])), why)
        for m, metric in enumerate(found.metrics)
    }


def untold(found: Assay) -> str:
    """Why these systems and topics cannot tell good metrics from bad ones; '' where they can."""
    pairs, power = len(found.discrimination.p), found.discrimination.power(found.alpha)
    best = int(np.argmax(power))
    if found.similarity.constant.all():
        return "all systems have the same mean"
    if pairs == 1:
        return "two systems make only one pair"
    if power[best] >= TOLD:
        return ""
    told = round(float(power[best]) * pairs)
    if not told:
        none = "no metric tells" if len(power) > 1 else f"{found.metrics[best]} does not tell"
        return f"{none} any of the {counted(pairs, 'pair')} of systems apart ({found.test})"
    even = "even " if len(power) > 1 else ""
    return f"{even}{found.metrics[best]} tells only {told:,} of {pairs:,} pairs of systems apart ({found.test})"


def margin(metric: Metric | None) -> float:
    """How many significant differences missing judgements may move a mean by before that counts against a metric."""
    if metric is None or metric.name in FOR_INCOMPLETE or metric.params.get("judged_only"):
        return np.inf
    return BOUNDS_BEYOND if metric.bounded else RANGE_BEYOND


def in_doubt(found: Assay) -> Bools:
    """[metric] whether missing judgements could move means by clearly more than what is significant."""
    moved, significant = doubts(found)
    asks = np.array([margin(found.known.get(metric)) for metric in found.metrics])
    return np.isfinite(asks) & (moved > np.where(np.isfinite(asks), asks, 1.0) * significant)


def lacking(found: Assay) -> bool:
    """Whether nearly all metrics are in doubt for want of judgements, so that no single one is to blame."""
    can = [np.isfinite(margin(found.known.get(metric))) for metric in found.metrics]
    doubtful = int(in_doubt(found).sum())
    return doubtful > 2 and doubtful >= LACKING * sum(can)


def doubts(found: Assay) -> tuple[Floats, Floats]:
    """[metric] what missing judgements could move a mean by, the median over systems, and what is significant.

    The latter is the difference that the test asks for or, where it has none, the least that was significant.
    """
    width = found.width()
    shape = len(found.metrics)
    moved = np.full(shape, np.nan) if width is None else np.median(width, axis=0)
    power = found.discrimination
    asked = power.threshold[power.levels.index(found.alpha)]
    return moved, np.where(np.isnan(asked), power.smallest_significant(found.alpha), asked)


def _objections(found: Assay, m: int, none_told: bool, doubtful: bool) -> tuple[Objection, ...]:
    """What speaks against a metric; where systems are too much alike, only what does so on any collection."""
    metric, power = found.metrics[m], found.discrimination.power(found.alpha)
    objections = [*_broken(found, metric)]
    if none_told:
        return tuple(objections)
    if found.similarity.constant[m]:
        return (
            Objection(metric, "constant", "it gives every system the same mean, and others do not", 1.0),
            *objections,
        )
    pairs = len(found.discrimination.p)
    best = int(np.argmax(power))
    most = f"where {found.metrics[best]} tells {power[best]:.1%} ({found.test})"
    if power[m] < WEAK * power[best] and round(float(power[best] - power[m]) * pairs) >= APART:
        if power[m]:
            said = f"it tells {power[m]:.1%} of the pairs of systems apart, {most}"
            objections.append(Objection(metric, "weak", said, float(-power[m])))
        else:
            said = f"it tells none of the {counted(pairs, 'pair')} of systems apart, {most}"
            objections.append(Objection(metric, "blind", said, 1.0))
    objections += _unsteady(found, metric)
    if doubtful:
        moved, significant = doubts(found)
        said = (
            f"missing judgements could move a system's mean by {moved[m]:.3f} (median), and a difference is "
            f"significant from {significant[m]:.3f} on ({found.test})"
        )
        objections.append(Objection(metric, "doubt", said, float(moved[m] / significant[m])))
    return tuple(objections)


def _broken(found: Assay, metric: str) -> list[Objection]:
    """The properties that the metric breaks, the most often broken first."""
    tested = found.axioms_of(metric, found.properties)
    if tested is None:
        return []
    m = tested.metrics.index(metric)
    objections = []
    for p, axiom in enumerate(tested.properties):
        share = float(tested.share[m, p])
        if tested.violations[m, p, 0]:
            witness = tested.witness(metric, axiom.name)
            example = f" ({witness.worse} beats {witness.better})" if witness else ""
            said = f"it breaks {axiom.title} in {share:.1%} of cases{example}"
            objections.append(Objection(metric, "property", said, share))
    return sorted(objections, key=lambda objection: -objection.size)


def _unsteady(found: Assay, metric: str) -> list[Objection]:
    best, high = found.consistency.ranked()[0]
    gap, low, _ = found.consistency.difference(best, metric)
    if metric == best or not (gap > STEADY and low > 0):
        return []
    said = f"halves of the topics rank the systems less alike (tau {high - gap:.3f}) than by {best} ({high:.3f})"
    return [Objection(metric, "unsteady", said, gap)]
