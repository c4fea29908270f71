"""Views of how metrics rank systems: alike, alike again on other topics, and telling them apart."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from irassay.meta.consistency import Consistency
from irassay.meta.discrimination import Discrimination
from irassay.meta.similarity import Similarity
from irassay.metrics.grids import canonical
from irassay.prose import counted, some
from irassay.views.systems_charts import MATRIX, asl_curves, interval_dots, similarity_map
from irassay.views.view import Cell, Table, View, view

PAIRS_SHOWN = 40
CANONICAL = "Bold (* in charts): the canonical aggregation of a browsing model."
NAMES = {"tau_ap": "tau_AP", "spearman": "rho", "rbo": "RBO"}


def cell(value: Any) -> Cell:
    """A number as a table takes it."""
    return value.item() if hasattr(value, "item") else value


def marked(metrics: Sequence[str], column: int = 0) -> frozenset[tuple[int, int]]:
    """The cells of the canonical metrics in a table with a row for each metric."""
    found = set(canonical(metrics))
    return frozenset((row, column) for row, metric in enumerate(metrics) if metric in found)


def on_canonical(metrics: Sequence[str]) -> tuple[str, ...]:
    """The note on marks, where there are any."""
    return (CANONICAL,) if canonical(metrics) else ()


@view.register
def similarity_view(result: Similarity, **_: Any) -> View:
    """How alike every two metrics rank the systems."""
    low, high = result.interval()
    pairs = sorted(result.pairs(), key=lambda pair: -np.nan_to_num(result.tau[pair], nan=-2))
    columns = ("metric", "other metric", "tau", "low", "high", "low (topics)", "high (topics)")
    rows = [
        (
            result.metrics[a],
            result.metrics[b],
            *(cell(array[a, b]) for array in (result.tau, result.low, result.high, low, high)),
            *(cell(other[a, b]) for other in result.other),
        )
        for a, b in pairs
    ]
    also = tuple(NAMES[name] for name in result.also)
    tables = [Table("pairs", (*columns, *also), tuple(rows), "Pairs of metrics", digits=3, most=PAIRS_SHOWN)]
    if 2 < len(result.metrics) <= MATRIX:
        names = tuple(result.metrics[m] for m in result.order)
        matrix = result.tau[np.ix_(result.order, result.order)]
        rows_of = tuple((name, *map(cell, row)) for name, row in zip(names, matrix, strict=True))
        tables.append(Table("matrix", ("metric", *names), rows_of, "tau", digits=3, marks=marked(names)))
    notes = (
        *result.notes,
        "low and high are Fieller's, as in chen2023, which takes the systems for a sample and was made for |tau| < .8; "
        "those of topics leave out a fifth of the topics at a time.",
        *(("tau_AP is the symmetric form, ties left out.",) if "tau_ap" in result.also else ()),
        *on_canonical(result.metrics),
    )
    cite = (
        "chen2023",
        "fieller1957",
        "shao1989",
        *({"tau_ap": "yilmaz2008", "rbo": "webber2010"}.get(n, "") for n in result.also),
    )
    return View(
        "Similarity of system rankings",
        _alike(result, pairs),
        tuple(tables),
        notes,
        (("similarity", lambda: similarity_map(result)),),
        tuple(filter(None, cite)),
    )


def _alike(result: Similarity, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    known = [pair for pair in pairs if not np.isnan(result.tau[pair])]
    about = f"{counted(len(result.systems), 'system')} on {counted(result.topics, 'topic')}"
    if not known:
        return (f"There are no two metrics that rank {about}.",)
    best, worst = known[0], known[-1]

    def named(pair: tuple[int, int]) -> str:
        return f"{result.metrics[pair[0]]} and {result.metrics[pair[1]]} ({result.tau[pair]:.3f})"

    if len(known) == 1:
        return (
            f"The rankings of {about} by {result.metrics[best[0]]} and {result.metrics[best[1]]} have a tau of "
            f"{result.tau[best]:.3f}.",
        )
    said = [f"Of {about}, the rankings by {named(best)} are the most alike, those by {named(worst)} the least."]
    high = sum(result.tau[pair] >= 0.9 for pair in known)
    many = "None" if not high else "All" if high == len(known) else f"{high:,} ({high / len(known):.0%})"
    said.append(f"{many} of the {len(known):,} pairs of metrics have a tau of .9 or more.")
    same = [f"{result.metrics[a]} = {result.metrics[b]}" for a, b in known if result.tau[a, b] > 1 - 1e-12]
    if same:
        said.append(f"{counted(len(same), 'pair')} of metrics with exactly the same ranking: {some(same, 4)}.")
    usable = np.flatnonzero(~result.constant)
    if len(usable) > 2:
        mean = (result.tau[np.ix_(usable, usable)].sum(axis=1) - 1) / (len(usable) - 1)
        odd = int(np.argmin(mean))
        said.append(f"{result.metrics[usable[odd]]} is the least like the others, with a mean tau of {mean[odd]:.3f}.")
    return tuple(said)


@view.register
def consistency_view(result: Consistency, **_: Any) -> View:
    """How well the ranking of the systems repeats on other topics."""
    order = np.argsort(-np.nan_to_num(result.mean, nan=-np.inf), kind="stable")
    low, high = result.interval()
    beats = result.beats()
    grouped = any(result.group)
    columns = ["metric", "mean tau", "low", "high", "sd", "splits"]
    rows = []
    for m in order:
        row = [result.metrics[m], *(cell(a[m]) for a in (result.mean, low, high, result.sd, result.valid))]
        rows.append((*row, *((int(beats[m]),) if result.compared else ()), *((result.group[m],) if grouped else ())))
    columns += ["beats the worst"] * result.compared + ["compared within"] * grouped
    names = [result.metrics[m] for m in order]
    tables = [Table("consistency", tuple(columns), tuple(rows), "Consistency", digits=3, marks=marked(names))]
    if result.compared:
        tables.append(_split_tests(result))
    notes = (
        *result.notes,
        (f"Each of {len(result.tau):,} splits" if len(result.tau) > 1 else "The one split")
        + f" (seed {result.seed}) is the same for all metrics; tau is tau-b.",
        f"low and high are what other topics would give at {1 - result.alpha:.0%}, by leaving out a fifth of the "
        "topics at a time; sd is over splits.",
        *on_canonical(result.metrics),
    )
    return View(
        "Consistency of system rankings",
        _steady(result, order),
        tuple(tables),
        notes,
        (("consistency", lambda: interval_dots(result, names)),),
        ("chen2023", "sakai2021", "shao1989", *(("carterette2012",) if result.compared else ())),
    )


def _split_tests(result: Consistency) -> Table:
    """Every two metrics that were compared over the splits, with the papers' p-value."""
    rows = [
        (result.metrics[a], result.metrics[b], float(result.mean[a] - result.mean[b]), float(result.p[a, b]))
        for a in range(len(result.metrics))
        for b in range(a + 1, len(result.metrics))
        if not np.isnan(result.p[a, b])
    ]
    columns = ("metric", "other metric", "difference", "p (over splits)")
    title = "Randomised HSD over the splits, as the papers have it"
    return Table("splits", columns, tuple(rows), title, most=PAIRS_SHOWN)


def _steady(result: Consistency, order: Iterable[Any]) -> tuple[str, ...]:
    usable = [int(m) for m in order if not np.isnan(result.mean[m])]
    about = f"{counted(result.systems, 'system')} on halves of {counted(result.topics, 'topic')}"
    if not usable:
        return (f"No metric ranks {about}.",)
    low, high = result.interval()
    best, worst = usable[0], usable[-1]
    said = [
        f"{result.metrics[best]} ranks {about} the most consistently: mean tau {result.mean[best]:.3f} "
        f"({low[best]:.3f} to {high[best]:.3f})."
    ]
    if worst != best:
        beaten = [m for m in usable if m != best and result.difference(result.metrics[best], result.metrics[m])[1] > 0]
        first, rivals = result.metrics[best], len(usable) - 1
        if rivals == 1:
            ahead = f"Other topics would leave {first} ahead" if beaten else "On other topics it might be the other way"
        elif beaten:
            ahead = f"Other topics would leave {first} ahead of {len(beaten)} of {rivals} others, each taken by itself"
        else:
            ahead = f"On other topics any of {rivals} others might be ahead of {first}"
        said.append(f"{result.metrics[worst]} is the least consistent ({result.mean[worst]:.3f}). {ahead}.")
    return tuple(said)


@view.register
def discrimination_view(result: Discrimination, **_: Any) -> View:
    """How many pairs of systems every metric tells apart."""
    alpha = 0.05 if 0.05 in result.levels else result.levels[0]
    order = np.lexsort((result.asl_area(), -result.power(alpha)))
    middle = result.threshold[result.levels.index(alpha)]
    columns: dict[str, Any] = {"metric": np.array(result.metrics, dtype=object)}
    columns |= {f"power {level:g}": result.power(level) for level in result.levels}
    columns |= {"area": result.asl_area()}
    if not np.isnan(middle).all():
        columns["threshold"] = middle
    columns |= {"least": result.smallest_significant(alpha), "sure": result.largest_nonsignificant(alpha), "spread": result.spread}
    if result.grouped:
        columns |= {name: result.power(alpha, name) for name in ("across", "within")}
    if result.dropped:
        columns["without worst"] = result.power_without(alpha)
    rows = tuple(tuple(cell(values[m]) for values in columns.values()) for m in order)
    names = [result.metrics[m] for m in order]
    how = result.test + (f", {result.correction}" if result.correction != "none" else "")
    notes = [
        *result.notes,
        f"power: share of pairs with p below a level by {how}"
        + (f" ({result.trials:,} resamples, seed {result.seed})" if result.trials else "")
        + "; area: under the ASL curve, less is better.",
        f"At {alpha:g}, least is the smallest difference of means that was significant, sure the largest that was not, "
        "spread that of the best and the worst system; they are in the metric's own units."
        + (
            " threshold is the difference that the test asks for, the median over pairs."
            if "threshold" in columns
            else ""
        ),
    ]
    if result.dropped:
        notes.append(f"without worst: power when the worst tenth by mean rank is left out ({some(result.dropped, 3)}).")
    return View(
        "Discriminative power",
        _powerful(result, order, alpha, how),
        (Table("discrimination", tuple(columns), rows, "Discriminative power", digits=4, marks=marked(names)),),
        (*notes, *on_canonical(result.metrics)),
        (("asl", lambda: asl_curves(result)),),
        ("chen2023", "sakai2006", "carterette2012"),
    )


def _powerful(result: Discrimination, order: Any, alpha: float, how: str) -> tuple[str, ...]:
    power, pairs = result.power(alpha), len(result.p)
    ranked = [int(m) for m in order if not result.constant[m]] or [int(order[0])]
    best, worst = ranked[0], ranked[-1]
    of = f"{round(power[best] * pairs):,} of {counted(pairs, 'pair')} ({power[best]:.1%})"
    where = f"at {alpha:g} by {how}, with {counted(len(result.systems), 'system')} on {counted(result.topics, 'topic')}"
    if not power[best]:
        return (f"No metric tells any of {counted(pairs, 'pair')} apart {where}.",)
    if power[best] == power[worst]:
        who = result.metrics[best] if best == worst else "Every metric"
        said = [f"{who} tells {of} apart {where}."]
    else:
        said = [
            f"{result.metrics[best]} tells the most pairs apart: {of} {where}.",
            f"{result.metrics[worst]} tells the fewest apart ({power[worst]:.1%}).",
        ]
    if result.grouped:
        across = result.power(alpha, "across")[best]
        said.append(
            f"Across teams {result.metrics[best]} tells {across:.1%} of {int(result.across.sum()):,} pairs apart."
        )
    if result.dropped and len(result.metrics) > 1:
        rest = result.power_without(alpha)
        change = rest - power
        again = result.metrics[int(np.argmax(rest))]
        runs = "worst run" if len(result.dropped) == 1 else f"{len(result.dropped)} worst runs"
        least, most = f"{100 * change.min():+.1f}", f"{100 * change.max():+.1f}"
        moved = f"changes by {least} to {most} points" if least != most else f"changes by {most} points"
        said.append(f"Without the {runs} power {moved}" + (f", and {again} has the most." if rest.any() else "."))
    return tuple(said)
