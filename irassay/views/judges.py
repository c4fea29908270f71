"""The view of how far judges agree with a reference, and of what their labels do to conclusions."""

from typing import Any

import numpy as np

from irassay.meta.judges.agreement import SCALES
from irassay.meta.judges.conclusions import POWER, SPLITS, Conclusions
from irassay.meta.judges.labels import shown
from irassay.meta.judges.method import Judges
from irassay.prose import counted, some
from irassay.stats.paired_test import called
from irassay.views.judge_charts import agreement_chart, best_judges, confusion_chart, map_chart, ranking_chart
from irassay.views.view import PAIRS_SHOWN, Cell, Table, View, by_column

NAMED = {"tau": "tau", "tau_ap": "tau_AP", "rbo": "RBO"}


def view(result: Judges) -> View:
    """How far every judge agrees with the reference; the answer first."""
    said = [*_answer(result), *_agreed(result)]
    tables = [_judges(result), _agreement(result), _confusion(result), _lenient(result), _alike(result)]
    charts: list[tuple[str, Any]] = [
        ("agreement", lambda: agreement_chart(result)),
        ("confusion", lambda: confusion_chart(result)),
    ]
    if len(result.judges) > 1:
        charts.append(("map", lambda: map_chart(result)))
    if result.panels is not None:
        tables.append(_panels(result))
    if result.conclusions is not None:
        tables.insert(1, _conclusions(result.conclusions))
        charts.insert(0, ("rankings", lambda: ranking_chart(result)))
    notes = (*result.notes, *_explained(result))
    cite = ("shao1989",) if result.conclusions else ()
    return View("Judges", tuple(said), tuple(tables), notes, tuple(charts), cite)


def _agreed(result: Judges) -> list[str]:
    best = result.ranked()[0][0]
    value, low, high = result.of(best, result.by)
    about = f"{counted(result.documents, 'document')} of {counted(len(result.topics), 'topic')}"
    level = f"{1 - result.alpha:.0%}"
    said = []
    if np.isnan(value):
        said.append(f"{result.by} is undefined on {about}, for there the labels do not vary.")
    elif len(result.judges) == 1:
        said.append(
            f"{best} agrees with {result.reference} on {about} with a {result.by} of {value:.4f} "
            f"({level} interval over topics {low:.3f} to {high:.3f})."
        )
    else:
        said.append(
            f"Of {len(result.judges)} judges of {about}, {best} has the highest {result.by} with {result.reference}: "
            f"{value:.4f} ({level} interval over topics {low:.3f} to {high:.3f}); {_told_apart(result)}."
        )
    if len(result.judges) > 1 and not np.isnan(result.together[1]):
        ends = result.together_low[1], result.together_high[1]
        said.append(
            f"All judges and the reference together have an ordinal alpha of {result.together[1]:.4f} "
            f"({ends[0]:.3f} to {ends[1]:.3f})."
        )
    lenient = np.flatnonzero(result.leniency_low > 0), np.flatnonzero(result.leniency_high < 0)
    for which, word in zip(lenient, ("higher", "lower"), strict=True):
        if len(which):
            names = some([result.judges[j] for j in sorted(which, key=lambda j: -abs(result.leniency[j]))], 3)
            grades = "grades" if len(which) == 1 else "grade"
            said.append(f"{names} {grades} {word} than the reference, the interval over topics excluding 0.")
    if result.panels is not None:
        said.append(_panel(result))
    return said


def _told_apart(result: Judges) -> str:
    """Which judges the topics do not tell apart from the best, by the interval of the difference."""
    _, *near = result.near_best()
    if not near:
        return "every other judge has a lower one, the interval of each difference excluding 0"
    others = len(result.judges) - 1
    if len(near) == others:
        return f"these topics do not tell {'the other' if others == 1 else 'any other'} judge apart from it"
    return f"these topics do not tell {some(near, 3)} apart from it"


def _panel(result: Judges) -> str:
    """What a panel gains over the best judge alone, on topics that did not choose it."""
    found = result.panels
    assert found is not None
    rules = ", ".join(
        f"{rule} {found.held_out[r]:.3f} ({found.low[r]:.3f} to {found.high[r]:.3f})"
        for r, rule in enumerate(found.rules)
    )
    said = f"Chosen on some topics and tried on others, by {found.by}: {rules}; "
    if (best := found.best) == 0:
        return f"{said}no panel agrees more than the best judge alone."
    gain, low, high = found.held_out[best] - found.held_out[0], found.gain_low[best], found.gain_high[best]
    sure = "" if low > 0 else ", which may be chance"
    return (
        f"{said}the {found.rules[best]} of {some(list(found.members[best]), 3)} agrees by {gain:.3f} more than the "
        f"best judge alone ({low:.3f} to {high:.3f}{sure})."
    )


def _answer(result: Judges) -> list[str]:
    """What is safe with these labels, and what would settle the rest; a paragraph for the best judge and a metric."""
    found = result.conclusions
    if found is None:
        return []
    j = best_judges(result)[0]
    return [answer(result.reference, found, j, m) for m in range(len(found.metrics))]


def answer(reference: str, found: Conclusions, j: int, m: int) -> str:
    """The answer in one paragraph, for a judge and a metric."""
    judge, metric = found.judges[j], found.metrics[m]
    low, high = (ends[j, m] for ends in found.interval("tau"))
    topics = counted(int(found.topics[j]), "topic")
    said = [
        f"With the labels of {judge}, {metric} ranks {counted(len(found.systems), 'system')} on {topics} with a tau of "
        f"{found.tau[j, m]:.3f} ({1 - found.alpha:.0%} interval over topics {low:.3f} to {high:.3f}) to the ranking by "
        f"{reference}."
        if not np.isnan(found.tau[j, m])
        else f"With the labels of {judge}, or by {reference}, {metric} ties all systems on {topics}: there is no tau."
    ]
    gap, beyond, pairs = found.gap[j, m], int(found.beyond[j, m]), found.pairs
    if gap == 0:
        said.append("On these topics both order every pair of systems alike.")
    elif beyond:
        said.append(
            f"Safe on these topics: to rank systems more than {gap:.3f} apart by its labels, for all "
            f"{counted(beyond, 'such pair')} of {pairs:,} are in the reference's order."
        )
    else:
        said.append("Not safe: even the two systems furthest apart by its labels may be in the wrong order.")
    if np.isfinite(found.replicated[j, m]):
        said.append(
            "Found on half of the topics, a gap beyond which both order all pairs alike held for "
            f"{found.replicated[j, m]:.1%} of the pairs beyond it on the other half."
        )
    lost, new, turned = (int(a[j, m]) for a in (found.vanished, found.appeared, found.reversed))
    significant = int(found.kept[j, m]) + lost + turned
    loses, reverses, appears = (
        f"{n} {verb}{'s' if n == 1 else ''}" for n, verb in ((lost, "lose"), (turned, "reverse"), (new, "more appear"))
    )
    said.append(
        f"Of {counted(significant, 'pair')} with a significant difference by the reference (at {found.alpha:g}, "
        f"{called(found.test, found.correction)}), {loses} it and {reverses}; {appears}."
    )
    if beyond < pairs and gap > 0:
        said.append(f"Not safe: to tell apart systems closer than that ({counted(pairs - beyond, 'pair')}).")
    best, rank = found.systems[found.best[j, m]], found.best_rank[j, m]
    said.append(
        f"The reference's best system, {best}, {'stays' if rank == 1 else 'is among the'} first."
        if rank == 1 or found.choice[j, m] == found.best[j, m]
        else f"The reference's best system, {best}, has rank {rank:g}, and the one that comes first instead is worse "
        f"by {found.loss[j, m]:.4f}."
    )
    left, needed = int(found.open[j, m]), found.needed[j, m]
    if left and np.isfinite(needed):
        said.append(
            f"To settle half of the {counted(left, 'pair')} that neither decides would take about {needed:,.0f} "
            f"human-judged topics (power {POWER:g}), if their differences are as observed."
        )
    elif left:
        said.append(f"No number of topics is known to settle half of the {counted(left, 'pair')} that neither decides.")
    if found.sharing[j] and np.isfinite(found.favour[j, m]):
        low, high = (ends[j, m] for ends in found.interval("favour"))
        word = "favours" if low > 0 else "disfavours" if high < 0 else "is not seen to favour or disfavour"
        said.append(
            f"It {word} the {counted(int(found.sharing[j]), 'run')} that share its model: they gain "
            f"{found.favour[j, m]:.2f} ranks more than the others ({low:.2f} to {high:.2f})."
        )
    return " ".join(said)


def _judges(result: Judges) -> Table:
    order = best_judges(result)
    columns: dict[str, Any] = {"judge": [result.judges[j] for j in order]}
    for name in result.statistics:
        s = result.statistics.index(name)
        columns[name] = result.value[order, s]
        if name == result.by:
            columns["low"], columns["high"] = result.low[order, s], result.high[order, s]
    columns |= {
        "behind low": result.behind_low[order],
        "behind high": result.behind_high[order],
        "leniency": result.leniency[order],
        "judged": result.judged[order],
        "not judged": result.missing[order],
        "others judged": result.more[order],
        "outside the scale": result.outside[order],
        "most like": [result.nearest(result.judges[j]) for j in order],
    }
    return by_column("judges", columns, f"Agreement with {result.reference}", main=True)


def _agreement(result: Judges) -> Table:
    """[judge, statistic] every interval, and the alphas over all judges."""
    order, size = best_judges(result), len(result.statistics)
    columns: dict[str, Any] = {
        "judge": [*(result.judges[j] for j in order for _ in range(size)), *("all" for _ in SCALES)],
        "statistic": [*(result.statistics * len(order)), *SCALES],
        "value": [*result.value[order].ravel(), *result.together],
        "low": [*result.low[order].ravel(), *result.together_low],
        "high": [*result.high[order].ravel(), *result.together_high],
    }
    for j in order:
        ends = result.leniency[j], result.leniency_low[j], result.leniency_high[j]
        for name, value in zip(columns, (result.judges[j], "leniency", *ends), strict=True):
            columns[name].append(value)
    title = f"Statistics with {1 - result.alpha:.0%} intervals over topics"
    return by_column("agreement", columns, title, most=PAIRS_SHOWN)


def _confusion(result: Judges) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (result.judges[j], grade, *map(int, result.confusion[j, g]))
        for j in best_judges(result)
        for g, grade in enumerate(result.grades)
        if result.confusion[j, g].any()
    ]
    columns = ("judge", result.reference, *(f"{grade:g}" for grade in result.grades))
    title = f"Confusion: documents by the grade of {result.reference} (rows) and of the judge (columns)"
    return Table("confusion", columns, tuple(rows), title, digits=0, most=PAIRS_SHOWN)


def _lenient(result: Judges) -> Table:
    """[judge, topic or grade] mean grade less the reference's."""
    order = best_judges(result)
    whats = [*(("grade", f"{grade:g}") for grade in result.scale), *(("topic", topic) for topic in result.topics)]
    values = np.concatenate([result.leniency_grades, result.leniency_topics], axis=1)
    columns = {
        "judge": [result.judges[j] for j in order for _ in whats],
        "of": [kind for _ in order for kind, _ in whats],
        "which": [which for _ in order for _, which in whats],
        "leniency": values[order].ravel(),
    }
    return by_column("leniency", columns, "Leniency: mean grade less the reference's", digits=3, most=PAIRS_SHOWN)


def _alike(result: Judges) -> Table:
    names = [result.names[j] for j in result.order]
    matrix = result.likeness[np.ix_(result.order, result.order)]
    columns = {"judge": names} | dict(zip(names, matrix.T, strict=True))
    return by_column("likeness", columns, "Who is like whom: ordinal alpha", digits=2)


def _panels(result: Judges) -> Table:
    assert result.panels is not None
    found = result.panels
    columns = {
        "rule": found.rules,
        f"held-out {found.by}": found.held_out,
        "low": found.low,
        "high": found.high,
        "on the topics that chose": found.seen,
        "judges": [len(each) for each in found.members],
        "members": [", ".join(each) for each in found.members],
    }
    return by_column("panels", columns, "The best judge and the best panels, on held-out topics")


def _conclusions(found: Conclusions) -> Table:
    judges, metrics = len(found.judges), len(found.metrics)
    columns: dict[str, Any] = {
        "judge": [judge for judge in found.judges for _ in range(metrics)],
        "metric": found.metrics * judges,
        "topics": np.repeat(found.topics, metrics),
    }
    for name, title in NAMED.items():
        low, high = found.interval(name)
        columns |= {title: getattr(found, name).ravel(), f"{title} low": low.ravel(), f"{title} high": high.ravel()}
    for name in ("kept", "vanished", "appeared", "reversed"):
        columns[name] = getattr(found, name).ravel()
    columns |= {
        "best": [found.systems[s] for s in found.best.ravel()],
        "its rank": found.best_rank.ravel(),
        "first instead": [found.systems[s] for s in found.choice.ravel()],
        "loss": found.loss.ravel(),
        "safe gap": found.gap.ravel(),
        "pairs beyond": found.beyond.ravel(),
        "replicated": found.replicated.ravel(),
        "open pairs": found.open.ravel(),
        "topics needed": [None if np.isinf(n) else int(n) for n in found.needed.ravel()],
    }
    if found.sharing.any():
        low, high = found.interval("favour")
        columns["favour"] = found.favour.ravel()
        columns["favour low"], columns["favour high"] = low.ravel(), high.ravel()
    return by_column("conclusions", columns, "What the labels do to conclusions", digits=3)


def _explained(result: Judges) -> list[str]:
    said = [
        f"The scale is {shown(result.scale)}. Intervals are percentiles over topics drawn with replacement; they are "
        f"about topics like these {len(result.topics)}, not about other judges.",
        "Weights of kappa go by the places of grades among those used, interval alpha by the grades themselves. "
        "Behind: how far a judge stands behind the best. Leniency: mean grade less the reference's. "
        "All: the reference and every judge, on the reference's documents.",
    ]
    if result.panels is not None:
        said.append(
            "Panels: the judges that agree best on nine tenths of the topics, as many as agree best there, tried on "
            "the tenth left out; majority takes the lowest of grades with equally many votes, median the lower middle."
        )
    if (found := result.conclusions) is not None:
        how = called(found.test, found.correction)
        said.append(
            f"Kept, vanished, appeared, reversed: pairs of systems significant at {found.alpha:g} by {how}. Safe gap: "
            "the largest difference by the judge's labels between systems that the reference orders otherwise; it is "
            "observed on these topics and systems and has no interval. Replicated: of the pairs beyond a gap found on "
            "a random half of the topics, the share that the other half orders as the reference does there (mean of "
            f"{SPLITS} splits). Intervals of rankings are by the jackknife over "
            "topics, half of them left out, with Student's t."
        )
    return said
