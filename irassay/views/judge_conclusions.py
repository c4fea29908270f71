"""The effect of labels on conclusions: what they can be used for, a table, and what its columns mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.meta.judges.conclusions import POWER, RANKING_STATISTICS, SAFE, SPLITS, Conclusions
from irassay.prose import count_phrase, level_text, name_list
from irassay.stats.paired_test import paired_test_label
from irassay.views.table_columns import column_table, grid_columns, interval_columns
from irassay.views.view import Detail, Table

MIN_TOPICS = 5  # halves of fewer topics do not show how far apart systems must be


def uses(reference: str, result: Conclusions, j: int, m: int) -> list[str]:
    """What the labels of a judge can be used for by a metric, and what not: an answer for each use."""
    metric, judge, gap, beyond = result.metrics[m], result.judges[j], result.gap[j, m], int(result.beyond[j, m])
    answer = f"To rank systems by {metric} with the labels of {judge}:"
    if np.isnan(result.tau[j, m]):
        return [f"{answer} not known, because all systems tie."]
    if result.topics[j] < MIN_TOPICS:
        return [f"{answer} not known, because {result.topics[j]} topics are too few."]
    what = "systems" if gap == 0 else "such pairs"
    promise = f"On topics like these, expect {what} in the order that {reference} gives them, right or wrong."
    if gap == 0:
        return [f"{answer} yes.", promise]
    if not beyond:
        return [f"{answer} no. Even those that are far apart may come in another order by {reference}."]
    share = f"{beyond:,} of {count_phrase(result.pairs, 'pair')} {'is' if beyond == 1 else 'are'}."
    return [
        f"{answer} only if they are more than {gap:.3f} apart. {share}",
        promise,
        Detail(f"To rank closer systems: no, because {reference} may order them the other way round."),
    ]


def other_gaps(result: Conclusions, j: int, metrics: Sequence[int]) -> str:
    """How far apart systems must be by other metrics; empty if there are none."""
    known = [m for m in metrics if not np.isnan(result.tau[j, m]) and result.topics[j] >= MIN_TOPICS]
    gap, beyond = result.gap[j], result.beyond[j]
    gaps = name_list([f"{gap[m]:.3f} by {result.metrics[m]}" for m in known if gap[m] and beyond[m]])
    none = name_list([result.metrics[m] for m in known if gap[m] and not beyond[m]])
    any_gap = name_list([result.metrics[m] for m in known if not gap[m]])
    sentences = (
        f"Other metrics need other gaps: {gaps}." if gaps else "",
        f"By {none}, no gap is enough." if none else "",
        f"By {any_gap}, any gap is enough." if any_gap else "",
    )
    return " ".join(filter(None, sentences))


def evidence(reference: str, result: Conclusions, j: int, m: int) -> list[str]:
    """The two rankings, their significant differences and their best systems."""
    sentences: list[str] = []
    by = f" by {result.metrics[m]}" if len(result.metrics) > 1 else ""
    if not np.isnan(result.tau[j, m]):
        low, high = (ends[j, m] for ends in result.interval("tau"))
        interval = interval_words(low, high, result.alpha)
        sentences.append(Detail(f"The two rankings have a tau of {result.tau[j, m]:.3f}.{interval}"))
    kept, lost, new, turned = (
        int(each[j, m]) for each in (result.kept, result.vanished, result.appeared, result.reversed)
    )
    if significant := kept + lost + turned:
        verb = "remains" if kept == 1 else "remain"
        found = (
            f"{kept:,} of {significant:,} found by {reference} {verb}, {f'{turned:,}' if turned else 'none'} reversed"
        )
    else:
        found = f"{reference} finds none"
    more = f" The labels add {new:,}." if new else ""
    test = paired_test_label(result.test, result.correction)
    sentences.append(f"To find significant differences{by} ({test}): {found}.{more}")
    best, rank = result.systems[result.best[j, m]], result.best_rank[j, m]
    if np.isnan(result.tau[j, m]):
        found = "not known, because all systems tie"
    elif rank == 1 or result.choice[j, m] == result.best[j, m]:
        found = f"on these topics yes, {best} {'stays' if rank == 1 else 'is among the'} first"
    elif result.loss[j, m] == 0:
        found = f"on these topics yes, {result.systems[result.choice[j, m]]} is ranked first and as good as {best}"
    else:
        worse = f"the one ranked first instead is worse by {result.loss[j, m]:.4f}"
        found = f"on these topics no. {best} falls to rank {rank:g}; {worse}"
    return [*sentences, f"To find the best system{by}: {found}."]


def favouritism(result: Conclusions, j: int, m: int) -> str:
    """Whether the judge favours the runs that share its model; empty if that is not known."""
    if not (result.sharing[j] and np.isfinite(result.favour[j, m])):
        return ""
    low, high = (ends[j, m] for ends in result.interval("favour"))
    low, high = (result.favour[j, m],) * 2 if np.isnan(low) else (low, high)  # the same on every half
    word = "favours" if low > 0 else "disfavours" if high < 0 else "neither favours nor disfavours significantly"
    gain = f"which gain {result.favour[j, m]:.2f} ranks more than the others"
    return (
        f"It {word} runs that share its model ({result.sharing[j]}), {gain}.{interval_words(low, high, result.alpha)}"
    )


def conclusions_table(result: Conclusions, order: Sequence[int]) -> Table:
    """[judge, metric] agreement of rankings and significant differences by the labels with those by the reference.

    Judges are in this order.
    """
    values: dict[str, Any] = {"topics": np.repeat(result.topics, len(result.metrics))}  # [judge, metric]
    for name, title in RANKING_STATISTICS.items():
        values |= interval_columns(title, getattr(result, name), *result.interval(name))
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
    rows = [len(result.metrics) * j + m for j in order for m in range(len(result.metrics))]
    digits = tuple(1 if name == "its rank" else 3 for name in columns)  # ranks, which may be halves
    title = "Effect of the labels on conclusions"
    return column_table("conclusions", columns, title, rows, digits=digits, detail=True)


def conclusions_explained(result: Conclusions) -> str:
    """What the columns of the table mean."""
    test = paired_test_label(result.test, result.correction)
    return (
        f"Kept, vanished, appeared, reversed: pairs of systems significant at {result.alpha:g} by {test}. Safe gap: on "
        f"{SAFE:.0%} of random halves of the topics, no two systems that are further apart by the judge's labels are "
        "tied or in another order by the reference. It promises agreement with the reference on topics like these, "
        "not that the order is the true one. Replicated: of the pairs further apart than any that is reversed on a "
        "random half of the topics, the share ordered as by the reference on the other half (mean of "
        f"{SPLITS} splits). Topics needed: human-judged topics that decide half of the open pairs with power "
        f"{POWER:g}, if their differences are as observed. Intervals of rankings are by the jackknife over topics, "
        "leaving out half of them, with Student's t; there is no interval if every half gives the same value."
    )


def interval_words(low: float, high: float, alpha: float) -> str:
    """The interval in words, after the sentence with the value; empty if there is none."""
    return f" The {level_text(alpha)} interval over topics is {low:.3f} to {high:.3f}." if low < high else ""
