"""Findings: the results in sentences, each about one criterion with its interval."""

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
    TITLES,
    Criterion,
    Profile,
    ahead_by_criterion,
    interval_text,
    pareto_front,
)
from irassay.prose import count_phrase, first_few, name_list

MAX_NAMED = 3  # metrics named in most sentences
MAX_LISTED = 12  # metrics named in a list of all
FEW_TOPICS, FEW_SYSTEMS = 25, 10  # with fewer, results say little about other topics and systems
MIN_RANKED = 4  # systems; rankings of fewer are often equal by chance
DEFAULT_CRITERIA = (DISCRIMINATES, REPEATS, COMPLETE, AXIOMS)  # of the front
SECTIONS = {
    DISCRIMINATES: "discrimination",
    REPEATS: "consistency",
    COMPLETE: "judgements",
    AGREES: "similarity",
    OTHERS: "judges",
    RATINGS: "ratings",
}
NO_VALIDITY = "None of these criteria shows that a metric measures what users want."
VALIDITY_BY_RATINGS = (
    f"Of these criteria only {TITLES[RATINGS]} is evidence of what users want, and only for these users and their "
    "searches."
)


@dataclass(frozen=True)
class Finding:
    """A sentence, and the section with its evidence."""

    text: str
    section: str = ""


def findings(found: Assay) -> tuple[Finding, ...]:
    """All findings: the user's own metric first, then the front, each criterion, the controls, and caveats."""
    made = found.profile
    result = [Finding(own_metric_sentence(found, metric), "metrics") for metric in found.new if metric in found.metrics]
    if made is not None:
        result += _front_findings(found, made)
        for name in SECTIONS:
            result += _criterion_findings(found, made, name)
    result += _axiom_findings(found)
    if made is not None:
        result += _control_findings(found, made)
    return (
        *result,
        Finding(validity_text(found), "metrics"),
        *_leader_findings(found),
        *_twin_findings(found),
        *_caveats(found),
    )


def validity_text(found: Assay) -> str:
    """What the criteria estimated here do and do not show."""
    made = found.profile
    shown = ["how reliably a metric orders systems"]
    shown += ["how much of that missing judgements could undo"] if made and made.by(COMPLETE) else []
    shown += ["which axioms it satisfies"] if found.axioms else []
    what = ", ".join([*shown[:-1], f"and {shown[-1]}"]) if len(shown) > 1 else shown[0]
    if made and made.by(RATINGS):
        return f"{VALIDITY_BY_RATINGS} The others show {what}."
    return (
        f"{NO_VALIDITY} They show {what}. Evidence would be users' ratings of the same results or preferences between "
        "them (meta satisfaction, meta preference), task outcomes, or online experiments."
    )


def metrics_on_front(found: Assay, ticked: Sequence[str] = DEFAULT_CRITERIA) -> tuple[Bools, tuple[str, ...]]:
    """[metric] whether a metric is on the front over the ticked criteria, and those of them that are available."""
    assert found.profile is not None
    broken = broken_sets(found)
    criteria = tuple(name for name in ticked if (name == AXIOMS and found.axioms) or found.profile.by(name))
    untested = np.array([each is None for each in broken]) if AXIOMS in criteria else None
    return pareto_front(ahead_by_criterion(found.profile, broken, criteria), untested), criteria


def _front_findings(found: Assay, made: Profile) -> list[Finding]:
    """The metrics that no other metric dominates."""
    if len(found.metrics) == 1:
        return []
    best, criteria = metrics_on_front(found)
    names = [metric for metric, ok in zip(found.metrics, best, strict=True) if ok]
    over = name_list([TITLES[name] for name in criteria], len(criteria))
    size = f"{count_phrase(len(found.scores.systems), 'system')} on {count_phrase(made.topics, 'topic')}"
    if best.all():
        text = (
            f"On {over}, with {size}, no metric dominates another: none is significantly better on one criterion "
            "without being significantly worse on another. These criteria do not decide between them."
        )
    else:
        be = "is" if len(names) == 1 else "are"
        which = f" ({first_few(names, MAX_LISTED)})" if len(names) <= MAX_LISTED else ""
        text = (
            f"On {over}, with {size}, {len(names)} of {len(best)} metrics {be} on the Pareto front{which}: no other "
            "metric is significantly better on one criterion without being significantly worse on another."
        )
        text += " The criteria do not decide between these." if len(names) > 1 else ""
    return [Finding(text, "metrics")]


def criterion_definition(found: Assay, name: str) -> str:
    """The definition of a criterion, in words."""
    each = found.profile.by(name) if found.profile else None
    if each is not None and each.about:
        return each.about
    return {
        DISCRIMINATES: f"share of pairs of systems with a significant difference, {found.test}",
        REPEATS: "tau between the rankings of the systems on halves of the topics",
        COMPLETE: "share of pairs whose difference stays significant at both ends of what missing judgements allow",
        AGREES: "mean tau with the other metrics",
        OTHERS: "tau between the rankings of the systems by these judgements and by the other judgements",
    }[name]


def estimate_text(each: Criterion, row: int) -> str:
    """An estimate with its interval."""
    share = each.name in (DISCRIMINATES, COMPLETE)
    shown = f"{each.estimate[row]:.1%}" if share else f"{each.estimate[row]:.3f}"
    return f"{shown}, {interval_text(float(each.low[row]), float(each.high[row]), share)}"


def _criterion_findings(found: Assay, made: Profile, name: str) -> list[Finding]:
    """How far the metrics differ on one criterion, by kind of bounds."""
    each = made.by(name)
    if each is None:
        return []
    kinds = made.bounds if name == COMPLETE else ("",) * len(found.metrics)
    rows = {kind: [m for m, own in enumerate(kinds) if own == kind] for kind in dict.fromkeys(kinds)}
    known = {kind: [m for m in some if not np.isnan(each.estimate[m])] for kind, some in rows.items()}
    return [_difference_finding(found, made, each, some, kind) for kind, some in known.items() if some]


def _difference_finding(found: Assay, made: Profile, each: Criterion, rows: list[int], kind: str) -> Finding:
    """How far some metrics, with bounds of one kind, differ on one criterion."""
    metrics, estimate = [found.metrics[m] for m in rows], each.estimate[rows]
    best, worst = rows[int(np.argmax(estimate))], rows[int(np.argmin(estimate))]
    what = criterion_definition(found, each.name) + (f"; {kind}" if kind else "")
    level = 0.95 if each.name == RATINGS else 1 - made.alpha
    opening = f"{TITLES[each.name].capitalize()} ({what}; {level:.0%} interval): "
    section = SECTIONS[each.name]
    if len(metrics) == 1:
        return Finding(f"{opening}{metrics[0]} {estimate_text(each, best)}.", section)
    behind, ahead = each.ahead[best, rows], each.ahead[np.ix_(rows, rows)]
    lowest = first_few([m for m, e in zip(metrics, estimate, strict=True) if e == each.estimate[worst]], MAX_NAMED)
    ends = f"{found.metrics[best]} has the highest estimate ({estimate_text(each, best)})"
    every = "all metrics" if len(rows) == len(found.metrics) else _metrics_text(metrics)
    if each.estimate[best] == each.estimate[worst]:
        text = f"{every} have the same estimate ({estimate_text(each, best)})."
    elif not ahead.any():
        text = f"{ends}, {lowest} the lowest ({estimate_text(each, worst)}); no two differ significantly."
    elif not behind.any():
        text = f"{ends}, but is not significantly ahead of any other metric."
    else:
        tied = [m for n, m in enumerate(metrics) if rows[n] != best and not behind[n]]
        text = f"{ends} and is significantly ahead of {int(behind.sum())} of {len(behind) - 1} others"
        low = rows[max(np.flatnonzero(behind), key=lambda n: -estimate[n])]
        text += f", the lowest of them {found.metrics[low]} ({estimate_text(each, low)})"
        text += f"; tied with it: {first_few(tied, MAX_NAMED)}." if tied else "."
    return Finding(opening + text, section)


def _axiom_findings(found: Assay) -> list[Finding]:
    """The metrics that break axioms, how often, and the metrics that were not tested."""
    known = axiom_rates(found)
    bad = {metric: each for metric, each in known.items() if each is not None and each.broken}
    good = [metric for metric, each in known.items() if each is not None and not each.broken]
    none = [metric for metric, each in known.items() if each is None]
    result = []
    depths = sorted({each.space.depth for each in found.axioms})
    where = f" over rankings of up to {depths[-1]} results" if depths else ""
    if bad:
        worst = max(bad, key=lambda metric: max(bad[metric].rates.values()))
        if len(bad) == 1:
            text = f"Axioms: {worst} breaks {bad[worst].words}{where}."
        else:
            text = f"Axioms: {_metrics_text(list(bad))} break at least one of those tested{where}; most often {worst}: "
            text += f"{bad[worst].words}."
        result.append(Finding(f"{text} {_example(found, worst)}".rstrip(), "axioms"))
    if good:
        verb = "breaks" if len(good) == 1 else "break"
        result.append(Finding(f"Axioms: {_metrics_text(good)} {verb} none of those tested{where}.", "axioms"))
    if none:
        result.append(Finding(f"Axioms not tested: {first_few(none, MAX_LISTED)}."))
    return result


def _control_findings(found: Assay, made: Profile) -> list[Finding]:
    """The controls: scores that measure nothing, which the criteria cannot reject."""
    rows = {name: made.names.index(name) for name in (HASH, CONSTANT)}
    power, steady = made.by(DISCRIMINATES), made.by(REPEATS)
    assert power is not None
    assert steady is not None
    c, h = rows[CONSTANT], rows[HASH]
    text = (
        f"The {CONSTANT} gives each system a fixed number plus noise, whatever its results; it discriminates "
        f"{power.estimate[c]:.1%} of the pairs ({found.test}) and has a consistency of {steady.estimate[c]:.3f}. "
        "Neither criterion can reject it, because reliability is not validity. "
        f"The {HASH}, the mean of {HASHES} hashes of topic and system, discriminates "
        f"{power.estimate[h]:.1%} (single hashes {power.low[h]:.1%} to {power.high[h]:.1%}) and has a consistency of "
        f"{steady.estimate[h]:.3f} (single hashes {steady.low[h]:.3f} to {steady.high[h]:.3f}), as expected by chance."
    )
    result = [Finding(text, "metrics")]
    if TRUTH in made.controls:
        t, near = made.names.index(TRUTH), made.by(AGREES)
        text = f"The {TRUTH}, the simulated quality of each system, discriminates {power.estimate[t]:.1%} of "
        text += f"the pairs and has a consistency of {steady.estimate[t]:.3f}"
        if near is not None:
            text += (
                f"; its mean tau with the metrics is {near.estimate[t]:.3f}, that of {CONSTANT} {near.estimate[c]:.3f}"
            )
        result.append(Finding(f"{text}.", "metrics"))
    return result


def _metrics_text(names: Sequence[str]) -> str:
    shown = MAX_NAMED if len(names) > MAX_NAMED + 1 else len(names)  # four are all named, not three and one more
    return f"{len(names)} metrics ({first_few(names, shown)})" if len(names) > 2 else name_list(names)


def _example(found: Assay, metric: str) -> str:
    """A counterexample to the axiom that a metric breaks most often."""
    among = found.axioms_of(metric, found.axioms)
    if among is None:
        return ""
    name = found.canonical_name(metric)
    shares = np.nan_to_num(among.share[among.metrics.index(name)])
    witness = among.witness(name, among.axioms[int(np.argmax(shares))].name)
    return witness.sentence if witness else ""


def _leader_findings(found: Assay) -> list[Finding]:
    """The systems with the best mean by each metric."""
    means, usable = found.similarity.means(), np.flatnonzero(~found.similarity.constant)
    if len(usable) < 2:
        return []
    first = [found.similarity.systems[int(np.argmax(means[:, m]))] for m in usable]
    ranked = sorted(dict.fromkeys(first), key=lambda system: -first.count(system))
    if len(ranked) == 1:
        return [Finding(f"{ranked[0]} has the best mean by all metrics.", "systems")]
    counts = [f"{system} by {first.count(system)}" for system in ranked]
    return [Finding(f"{len(ranked)} systems have the best mean by some metric: {first_few(counts, 4)}.", "systems")]


def _twin_findings(found: Assay) -> list[Finding]:
    """Metrics that rank the systems in exactly the same order."""
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
    text = f"These metrics rank the systems in exactly the same order (tau 1 on these topics): {first_few(groups, 4)}."
    return [Finding(text, "similarity")]


def _caveats(found: Assay) -> list[Finding]:
    """Few topics or systems, metrics without a definition, and the remarks of the assay."""
    result = []
    topics, systems = len(found.scores.topics), len(found.scores.systems)
    if topics < FEW_TOPICS:
        text = f"{count_phrase(topics, 'topic')} are few: much of this may change with other topics."
        result.append(Finding(text, "consistency"))
    if systems < FEW_SYSTEMS:
        text = f"{count_phrase(systems, 'system')} are few: tau and discriminative power change in large steps."
        result.append(Finding(text, "similarity"))
    unknown = [metric for metric in found.metrics if metric not in found.known]
    if unknown:
        result.append(Finding(f"Without a definition, only scores: {first_few(unknown, MAX_NAMED)}."))
    return [*result, *map(Finding, found.remarks)]


def own_metric_sentence(found: Assay, metric: str) -> str:
    """The profile of a user's metric in a sentence."""
    made, m = found.profile, found.metrics.index(metric)
    parts = []
    for each in () if made is None else made.criteria:
        if made is None or np.isnan(each.estimate[m]):
            continue
        kind = made.bounds[m] if each.name == COMPLETE else ""
        others = (made.bounds.count(kind) if kind else len(found.metrics)) - 1
        ahead, behind = int(each.ahead[m].sum()), int(each.ahead[:, m].sum())
        place = f"; significantly ahead of {ahead} of {others} others, behind {behind}" if others else ""
        parts.append(f"{TITLES[each.name]}{f' ({kind})' if kind else ''} {estimate_text(each, m)}{place}")
    known = axiom_rates(found)[metric]
    if known is None:
        parts.append("axioms not tested")
    else:
        parts.append(
            f"axioms: {f'breaks {known.words}' if known.broken else f'satisfies all {len(known.rates)} tested'}"
        )
    near = found.similarity.nearest(metric)
    if near and not np.isnan(near[0][1]):
        parts.append(f"ranks the systems most like {near[0][0]} (tau {near[0][1]:.3f})")
    return f"Profile of {metric}: " + ". ".join(part[0].upper() + part[1:] for part in parts) + "."
