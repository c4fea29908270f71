"""Findings: what the results come to, in sentences, each of one criterion and no surer than its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from irassay.arrays import Bools
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates, broken_sets
from irassay.assays.controls import CONSTANT, HASH, HASHES, TRUTH
from irassay.assays.profile import (
    AGREES,
    AXIOMS,
    COMPLETE,
    DISCRIMINATES,
    OTHERS,
    RATINGS,
    REPEATS,
    Criterion,
    Profile,
    dominated_by,
    front,
    interval_text,
)
from irassay.prose import count_phrase, first_few, name_list

MAX_NAMED = 3  # metrics that a sentence names
MAX_LISTED = 12  # metrics that are all named in a sentence
FEW_TOPICS, FEW_SYSTEMS = 25, 10  # below these, results say little of other topics and systems
DIFFERENCE = "the interval of the difference"
MIN_RANKED = 4  # systems; rankings of fewer are often the same by chance
DEFAULT_CRITERIA = (DISCRIMINATES, REPEATS, COMPLETE, AXIOMS)  # the criteria of the front, unless others are ticked
SECTIONS = {
    DISCRIMINATES: "discrimination",
    REPEATS: "consistency",
    COMPLETE: "judgements",
    AGREES: "similarity",
    OTHERS: "judges",
    RATINGS: "ratings",
}
VALIDITY = (
    "None of these criteria shows that a metric measures what users want: they say how reliably it orders systems, how "
    "much of that missing judgements could undo, and which axioms it keeps. Evidence of it would be users' ratings or "
    "preferences of the same results (meta satisfaction, meta preference), task outcomes, or online experiments."
)
VALIDITY_WITH_RATINGS = (
    f"Of these criteria only '{RATINGS}' is evidence on what users want, as far as these ratings stand for it: of "
    "these users, on what they searched for. The others say how reliably a metric orders systems, how much of that "
    "missing judgements could undo, and which axioms it keeps."
)


@dataclass(frozen=True)
class Finding:
    """A sentence, and the section that has its evidence."""

    text: str
    section: str = ""


def findings(found: Assay) -> tuple[Finding, ...]:
    """The answer: the user's own metric first, then the front, each criterion, the controls, and what none shows."""
    made = found.profile
    said = [Finding(own_metric_sentence(found, metric), "metrics") for metric in found.new if metric in found.metrics]
    if made is not None:
        said += _front_findings(found, made)
        for name in (DISCRIMINATES, REPEATS, COMPLETE, AGREES, OTHERS, RATINGS):
            said += _criterion_findings(found, made, name)
    said += _axiom_findings(found)
    if made is not None:
        said += _control_findings(found, made)
    return (
        *said,
        Finding(validity(found), "metrics"),
        *_leader_findings(found),
        *_twin_findings(found),
        *_caveats(found),
    )


def validity(found: Assay) -> str:
    """What the criteria do and do not show."""
    return VALIDITY_WITH_RATINGS if found.profile and found.profile.by(RATINGS) else VALIDITY


def metrics_on_front(found: Assay, ticked: Sequence[str] = DEFAULT_CRITERIA) -> tuple[Bools, tuple[str, ...]]:
    """[metric] whether a metric is on the front over the criteria ticked, and those of them that there are here."""
    assert found.profile is not None
    broken = broken_sets(found)
    there = tuple(name for name in ticked if (name == AXIOMS and found.axioms) or found.profile.by(name))
    untested = np.array([each is None for each in broken]) if AXIOMS in there else None
    return front(dominated_by(found.profile, broken, there), untested), there


def _front_findings(found: Assay, made: Profile) -> list[Finding]:
    """Which metrics no other dominates; ties are ties."""
    if len(found.metrics) == 1:
        return []
    best, criteria = metrics_on_front(found)
    names = [metric for metric, ok in zip(found.metrics, best, strict=True) if ok]
    over = _quoted_list(criteria)
    size = f"{count_phrase(len(found.scores.systems), 'system')} on {count_phrase(made.topics, 'topic')}"
    if best.all():
        said = (
            f"On {over}, with {size}, no metric dominates another: none is ahead of one beyond the intervals without "
            f"being behind it elsewhere. {'Both' if len(names) == 2 else f'All {len(names)}'} metrics tie."
        )
    else:
        be = "is" if len(names) == 1 else "are"
        which = f" ({first_few(names, MAX_LISTED)})" if len(names) <= MAX_LISTED else ""
        said = (
            f"On {over}, with {size}, {len(names)} of {len(best)} metrics {be} on the Pareto front{which}: no other "
            "metric is ahead of them on one criterion, beyond the interval of the difference, and behind on none."
        )
        said += " Between these the criteria do not decide." if len(names) > 1 else ""
    return [Finding(said, "metrics")]


def _quoted_list(names: Sequence[str]) -> str:
    return name_list([f"'{name}'" for name in names], len(names))


def criterion_definition(found: Assay, name: str) -> str:
    """What a criterion counts, in words."""
    each = found.profile.by(name) if found.profile else None
    if each is not None and each.about:
        return each.about
    return {
        DISCRIMINATES: f"power, the share of pairs of systems with a significant difference, {found.test}",
        REPEATS: "tau between the rankings of the systems on halves of the topics",
        COMPLETE: "share of pairs whose significant difference survives both extremes of missing judgements",
        AGREES: "mean tau with the other metrics",
        OTHERS: "tau between the rankings of the systems by these judgements and by the other ones",
    }[name]


def estimate_text(each: Criterion, row: int) -> str:
    """An estimate with its interval."""
    share = each.name in (DISCRIMINATES, COMPLETE)
    shown = f"{each.estimate[row]:.1%}" if share else f"{each.estimate[row]:.3f}"
    return f"{shown}, {interval_text(float(each.low[row]), float(each.high[row]), share)}"


def _criterion_findings(found: Assay, made: Profile, name: str) -> list[Finding]:
    """How far the metrics differ on one criterion, if the intervals say that they do; by kind of bounds, if several."""
    each = made.by(name)
    if each is None:
        return []
    kinds = made.bounds if name == COMPLETE else ("",) * len(found.metrics)
    rows = {kind: [m for m, own in enumerate(kinds) if own == kind] for kind in dict.fromkeys(kinds)}
    known = {kind: [m for m in some if not np.isnan(each.estimate[m])] for kind, some in rows.items()}
    return [_difference_finding(found, made, each, some, kind) for kind, some in known.items() if some]


def _difference_finding(found: Assay, made: Profile, each: Criterion, rows: list[int], kind: str) -> Finding:
    """How far some metrics differ on one criterion, by bounds of one kind where it rests on bounds."""
    metrics, estimate = [found.metrics[m] for m in rows], each.estimate[rows]
    best, worst = rows[int(np.argmax(estimate))], rows[int(np.argmin(estimate))]
    what, level = (
        criterion_definition(found, each.name),
        f"{0.95 if each.name == RATINGS else 1 - made.alpha:.0%} interval",
    )
    opening = f"{each.name.capitalize()} ({what}{f'; {kind}' if kind else ''}; {level}): "
    section = SECTIONS[each.name]
    if len(metrics) == 1:
        return Finding(f"{opening}{metrics[0]} {estimate_text(each, best)}.", section)
    behind, ahead = each.ahead[best, rows], each.ahead[np.ix_(rows, rows)]
    lowest = first_few([m for m, e in zip(metrics, estimate, strict=True) if e == each.estimate[worst]], MAX_NAMED)
    ends = f"{found.metrics[best]} has the highest estimate ({estimate_text(each, best)})"
    every = "all metrics" if len(rows) == len(found.metrics) else _metrics_text(metrics)
    if each.estimate[best] == each.estimate[worst]:
        said = f"{every} have the same estimate ({estimate_text(each, best)})."
    elif not ahead.any():
        said = f"{ends}, {lowest} the lowest ({estimate_text(each, worst)}); no two differ beyond {DIFFERENCE}."
    elif not behind.any():
        said = f"{ends}, but the interval of the difference to every other metric contains 0."
    else:
        level_with = [m for n, m in enumerate(metrics) if rows[n] != best and not behind[n]]
        said = f"{ends} and is ahead of {int(behind.sum())} of {len(behind) - 1} others beyond {DIFFERENCE}"
        low = rows[max(np.flatnonzero(behind), key=lambda n: -estimate[n])]
        said += f", the lowest of them {found.metrics[low]} ({estimate_text(each, low)})"
        said += f"; tied with it: {first_few(level_with, MAX_NAMED)}." if level_with else "."
    return Finding(opening + said, section)


def _axiom_findings(found: Assay) -> list[Finding]:
    """Which metrics break an axiom, at which rate, and which were not tested."""
    known = axiom_rates(found)
    bad = {metric: each for metric, each in known.items() if each is not None and each.broken}
    good = [metric for metric, each in known.items() if each is not None and not each.broken]
    none = [metric for metric, each in known.items() if each is None]
    said = []
    depths = sorted({each.space.depth for each in found.axioms})
    where = f" over rankings of up to {depths[-1]} results" if depths else ""
    if bad:
        worst = max(bad, key=lambda metric: max(bad[metric].rates.values()))
        if len(bad) == 1:
            text = f"Axioms: {worst} breaks {bad[worst].words}{where}."
        else:
            text = f"Axioms: {_metrics_text(list(bad))} break at least one of those tested{where}; most often {worst}: "
            text += f"{bad[worst].words}."
        text = f"{text} {_example(found, worst)}".rstrip()
        said.append(Finding(text, "axioms"))
    if good:
        said.append(
            Finding(
                f"Axioms: {_metrics_text(good)} {'breaks' if len(good) == 1 else 'break'} none of those tested{where}.",
                "axioms",
            )
        )
    if none:
        said.append(Finding(f"Axioms not tested, so that nothing is said of them: {first_few(none, MAX_LISTED)}."))
    return said


def _control_findings(found: Assay, made: Profile) -> list[Finding]:
    """What the criteria cannot reject: scores that measure nothing."""
    rows = {name: made.names.index(name) for name in (HASH, CONSTANT)}
    power, steady = made.by(DISCRIMINATES), made.by(REPEATS)
    assert power is not None
    assert steady is not None
    c, h = rows[CONSTANT], rows[HASH]
    text = (
        f"{CONSTANT}, a number per system plus noise that has nothing to do with results, discriminates "
        f"{power.estimate[c]:.1%} of the pairs ({found.test}) and repeats with a tau of {steady.estimate[c]:.3f}: "
        "neither criterion can reject it, and reliability is not validity. "
        f"{HASH}, the mean of {HASHES} hashes of topic and system, discriminates {power.estimate[h]:.1%} "
        f"(each {power.low[h]:.1%} to {power.high[h]:.1%}) and repeats with a tau of {steady.estimate[h]:.3f} (each "
        f"{steady.low[h]:.3f} to {steady.high[h]:.3f}), which is what chance gives."
    )
    said = [Finding(text, "metrics")]
    if TRUTH in made.controls:
        t, near = made.names.index(TRUTH), made.by(AGREES)
        text = f"{TRUTH}, the simulated quality of each system, discriminates {power.estimate[t]:.1%} of "
        text += f"the pairs and repeats with a tau of {steady.estimate[t]:.3f}"
        text += (
            ""
            if near is None
            else f"; its mean tau with the metrics is {near.estimate[t]:.3f}, that of {CONSTANT} {near.estimate[c]:.3f}"
        )
        said.append(Finding(f"{text}.", "metrics"))
    return said


def _metrics_text(names: Sequence[str]) -> str:
    shown = MAX_NAMED if len(names) > MAX_NAMED + 1 else len(names)  # of four all are named, not three and one more
    return f"{len(names)} metrics ({first_few(names, shown)})" if len(names) > 2 else name_list(names)


def _example(found: Assay, metric: str) -> str:
    """The counterexample to the axiom that a metric breaks most often."""
    among = found.axioms_of(metric, found.axioms)
    if among is None:
        return ""
    called = found.canonical_name(metric)
    shares = np.nan_to_num(among.share[among.metrics.index(called)])
    witness = among.witness(called, among.axioms[int(np.argmax(shares))].name)
    return witness.sentence if witness else ""


def _leader_findings(found: Assay) -> list[Finding]:
    """Whether the metrics name the same best system."""
    means, usable = found.similarity.means(), np.flatnonzero(~found.similarity.constant)
    if len(usable) < 2:
        return []
    first = [found.similarity.systems[int(np.argmax(means[:, m]))] for m in usable]
    ranked = sorted(dict.fromkeys(first), key=lambda system: -first.count(system))
    if len(ranked) == 1:
        return [Finding(f"By their means, all metrics put {ranked[0]} first.", "systems")]
    counts = [f"{system} by {first.count(system)}" for system in ranked]
    return [Finding(f"{len(ranked)} systems are put first by some metric: {first_few(counts, 4)}.", "systems")]


def _twin_findings(found: Assay) -> list[Finding]:
    """Metrics that rank the systems exactly alike."""
    tau, groups = found.similarity.tau, []
    if len(found.scores.systems) < MIN_RANKED:
        return []
    left = [m for m in range(len(found.metrics)) if not found.similarity.constant[m]]
    while left:
        head, *left = left
        same = [head, *(m for m in left if tau[head, m] > 1 - 1e-12)]
        left = [m for m in left if m not in same]
        if len(same) > 1:
            groups.append(" = ".join(f"{found.metrics[m]}" for m in same))
    if not groups:
        return []
    return [
        Finding(
            f"These rank the systems in exactly the same order (tau of 1 on these topics): {first_few(groups, 4)}.",
            "similarity",
        )
    ]


def _caveats(found: Assay) -> list[Finding]:
    said = []
    topics, systems = len(found.scores.topics), len(found.scores.systems)
    if topics < FEW_TOPICS:
        said.append(
            Finding(
                f"{count_phrase(topics, 'topic')} are few: with other topics much of this may change.", "consistency"
            )
        )
    if systems < FEW_SYSTEMS:
        said.append(
            Finding(f"{count_phrase(systems, 'system')} are few: tau and power move in large steps.", "similarity")
        )
    unknown = [metric for metric in found.metrics if metric not in found.known]
    if unknown:
        said.append(Finding(f"Known by their scores only, not by a definition: {first_few(unknown, MAX_NAMED)}."))
    return [*said, *map(Finding, found.remarks)]


def own_metric_sentence(found: Assay, metric: str) -> str:
    """What is known of a user's metric, criterion by criterion, in a sentence."""
    made, m = found.profile, found.metrics.index(metric)
    parts = []
    for each in () if made is None else made.criteria:
        if made is None or np.isnan(each.estimate[m]):
            continue
        kind = made.bounds[m] if each.name == COMPLETE else ""
        others = (made.bounds.count(kind) if kind else len(found.metrics)) - 1
        ahead, behind = int(each.ahead[m].sum()), int(each.ahead[:, m].sum())
        place = f"; ahead of {ahead} of {others} others, behind {behind}, level with the rest" if others else ""
        parts.append(f"{each.name}{f' ({kind})' if kind else ''} {estimate_text(each, m)}{place}")
    known = axiom_rates(found)[metric]
    if known is None:
        parts.append("axioms not tested")
    else:
        parts.append(
            f"axioms: breaks {known.words}" if known.broken else f"axioms: keeps all {len(known.rates)} tested"
        )
    near = found.similarity.nearest(metric)
    if near and not np.isnan(near[0][1]):
        parts.append(f"ranks the systems most as {near[0][0]} does (tau {near[0][1]:.3f})")
    return f"The profile of {metric}: " + ". ".join(part[0].upper() + part[1:] for part in parts) + "."
