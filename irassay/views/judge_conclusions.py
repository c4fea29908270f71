"""The effect of labels on conclusions: a paragraph, a table, and what the table's columns mean."""

from dataclasses import replace
from typing import Any

import numpy as np

from irassay.meta.judges.conclusions import POWER, SPLITS, Conclusions
from irassay.prose import count_phrase
from irassay.stats.paired_test import paired_test_label
from irassay.views.view import Table, column_table, grid_columns, interval_columns, rows

STATISTICS = {"tau": "tau", "tau_ap": "tau_AP", "rbo": "RBO"}  # fields to column names


def answer(reference: str, result: Conclusions, j: int, m: int) -> str:
    """The answer for a judge and a metric, in one paragraph."""
    judge, metric = result.judges[j], result.metrics[m]
    low, high = (ends[j, m] for ends in result.interval("tau"))
    topics = count_phrase(int(result.topics[j]), "topic")
    sentences = [
        f"With the labels of {judge}, {metric} ranks {count_phrase(len(result.systems), 'system')} on {topics} with a "
        f"tau of {result.tau[j, m]:.3f} ({_ends(result, low, high)}) to the ranking by {reference}."
        if not np.isnan(result.tau[j, m])
        else f"With the labels of {judge} or of {reference}, {metric} ties all systems on {topics}, so there is no tau."
    ]
    gap, beyond, pairs = result.gap[j, m], int(result.beyond[j, m]), result.pairs
    if gap == 0:
        sentences.append("On these topics both order every pair of systems in the same way.")
    elif beyond:
        sentences.append(
            f"Safe on these topics: to rank systems that differ by more than {gap:.3f} by its labels; all "
            f"{count_phrase(beyond, 'such pair')} of {pairs:,} are in the reference's order."
        )
    else:
        sentences.append("Not safe: even the two systems that differ most by its labels may be in the wrong order.")
    if np.isfinite(result.replicated[j, m]):
        share = f"{result.replicated[j, m]:.1%} of the pairs on the other half"
        sentences.append(f"A safe gap estimated on half of the topics held for {share}.")
    lost, new, turned = (int(a[j, m]) for a in (result.vanished, result.appeared, result.reversed))
    significant = int(result.kept[j, m]) + lost + turned
    loses, reverses, appears = (
        f"{n} {verb}{'s' if n == 1 else ''}" for n, verb in ((lost, "lose"), (turned, "reverse"), (new, "more appear"))
    )
    how = f"(at {result.alpha:g}, {paired_test_label(result.test, result.correction)})"
    sentences.append(
        f"Of {count_phrase(significant, 'pair')} with a significant difference by the reference {how}, {loses} it and "
        f"{reverses}; {appears}."
        if significant
        else f"No pair has a significant difference by the reference {how}, and {new or 'none'} by its labels."
    )
    if beyond < pairs and gap > 0:
        sentences.append(f"Not safe: to rank systems that differ by less ({count_phrase(pairs - beyond, 'pair')}).")
    best, rank = result.systems[result.best[j, m]], result.best_rank[j, m]
    sentences.append(
        f"The reference's best system, {best}, {'stays' if rank == 1 else 'is among the'} first."
        if rank == 1 or result.choice[j, m] == result.best[j, m]
        else f"The reference's best system, {best}, has rank {rank:g}; the system ranked first instead is worse by "
        f"{result.loss[j, m]:.4f}."
    )
    left, needed = int(result.open[j, m]), result.needed[j, m]
    if left and np.isfinite(needed):
        sentences.append(
            f"To decide half of the {count_phrase(left, 'pair')} that neither decides would take about {needed:,.0f} "
            f"human-judged topics (power {POWER:g}), if their differences are as observed."
        )
    elif left:
        sentences.append(
            f"No number of topics is known to decide half of the {count_phrase(left, 'pair')} that neither decides."
        )
    if result.sharing[j] and np.isfinite(result.favour[j, m]):
        low, high = (ends[j, m] for ends in result.interval("favour"))
        word = "favours" if low > 0 else "disfavours" if high < 0 else "neither favours nor disfavours significantly"
        sentences.append(
            f"It {word} the {count_phrase(int(result.sharing[j]), 'run')} that share its model: they gain "
            f"{result.favour[j, m]:.2f} ranks more than the others ({low:.2f} to {high:.2f})."
        )
    return " ".join(sentences)


def conclusions_table(result: Conclusions) -> Table:
    """[judge, metric] agreement of rankings and significant differences by the labels with those by the reference."""
    values: dict[str, Any] = {"topics": np.repeat(result.topics, len(result.metrics))}  # [judge, metric]
    ends_for_people: dict[str, Any] = {}  # undefined where all halves of the topics agree, which gives no interval
    for name, title in STATISTICS.items():
        low, high = result.interval(name)
        values |= interval_columns(title, getattr(result, name), low, high)
        for end, ends in (("low", low), ("high", high)):
            ends_for_people[f"{title} {end}"] = np.where(low < high, ends, np.nan).ravel()
    systems = np.array(result.systems, dtype=object)
    values |= {name: getattr(result, name) for name in ("kept", "vanished", "appeared", "reversed")}
    values |= {
        "best": systems[result.best],
        "its rank": result.best_rank,
        "first instead": systems[result.choice],
        "loss": result.loss,
        "safe gap": result.gap,
        "pairs beyond": result.beyond,
        "replicated": result.replicated,
        "open pairs": result.open,
        "topics needed": [None if np.isinf(n) else int(n) for n in result.needed.ravel()],
    }
    if result.sharing.any():
        values |= interval_columns("favour", result.favour, *result.interval("favour"))
    columns = grid_columns({"judge": result.judges, "metric": result.metrics}, values)
    title = "Effect of the labels on conclusions"
    machine = column_table("conclusions", columns, title, digits=3)
    return replace(machine, rows=rows(*(columns | ends_for_people).values()), machine=machine)


def conclusions_explained(result: Conclusions) -> str:
    """What the columns of the table mean."""
    how = paired_test_label(result.test, result.correction)
    return (
        f"Kept, vanished, appeared, reversed: pairs of systems significant at {result.alpha:g} by {how}. Safe gap: "
        "the largest difference by the judge's labels between systems that the reference orders differently; it is "
        "observed on these topics and systems and has no interval. Replicated: of the pairs that differ by more than "
        "the gap of a random half of the topics, the share ordered as by the reference on the other half (mean of "
        f"{SPLITS} splits). Intervals of rankings are by the jackknife over topics, leaving out half of them, with "
        "Student's t."
    )


def _ends(result: Conclusions, low: float, high: float) -> str:
    """The interval of a tau in words, or why there is none."""
    if np.isnan(low + high):
        return "no interval: all systems tie without some of the topics"
    if low == high:
        return "the same on every half of the topics drawn, so there is no interval"
    return f"{1 - result.alpha:.0%} interval over topics {low:.3f} to {high:.3f}"
