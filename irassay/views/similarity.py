"""The view of how similarly metrics rank systems."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.meta.similarity import Similarity
from irassay.prose import count_phrase, name_list
from irassay.views.canonical import canonical_cells, canonical_note
from irassay.views.charts import MATRIX_METRICS, chart_title, heat_map
from irassay.views.phrases import ORDER_NOT_TESTED
from irassay.views.table_columns import interval_ends, plain_value
from irassay.views.view import PAIRS_SHOWN, Detail, Table, View

TAU_TOLERANCE = 1e-12  # taus that differ by less are equal up to rounding
MANY_PAIRS = 10  # with more, the matrix is easier to read
STATISTICS = {"tau_ap": "tau_AP", "spearman": "rho", "rbo": "RBO"}


def view(result: Similarity) -> View:
    """How similarly each pair of metrics ranks the systems."""
    fieller, over_topics = _intervals(result)
    pairs = sorted(result.pairs(), key=lambda pair: -np.nan_to_num(result.tau[pair], nan=-2))
    columns = ("metric", "other metric", "tau", "low", "high", "low (topics)", "high (topics)")
    numbers = (result.tau, *fieller, *over_topics, *result.other)
    rows = [(result.metrics[a], result.metrics[b], *(plain_value(array[a, b]) for array in numbers)) for a, b in pairs]
    also = tuple(STATISTICS[name] for name in result.also)
    title = "Pairs of metrics, with intervals over systems (low, high) and over topics"
    tables = [Table("pairs", (*columns, *also), tuple(rows), title, digits=3, max_rows=PAIRS_SHOWN)]
    if 2 < len(result.metrics) <= MATRIX_METRICS:
        tables = [replace(tables[0], detail=len(rows) > MANY_PAIRS)]
        names = tuple(result.metrics[m] for m in result.order)
        matrix = result.tau[np.ix_(result.order, result.order)]
        taus = tuple((name, *map(plain_value, row)) for name, row in zip(names, matrix, strict=True))
        tables.append(Table("matrix", ("metric", *names), taus, "tau", digits=3, marks=canonical_cells(names)))
    notes = (
        *result.notes,
        "low and high: Fieller's interval, as in chen2023, which treats the systems as a sample and was derived for "
        f"|tau| < 0.8; low (topics) and high (topics): interval of the tau expected on {result.topics} topics like "
        "these, leaving out half of them at a time. With more topics tau itself may change: noise in the means usually "
        "lowers it.",
        *_without_interval(result, pairs),
        *((ORDER_NOT_TESTED,) if len(pairs) > 1 else ()),
        *(("tau_AP is the symmetric form, without ties.",) if "tau_ap" in result.also else ()),
        *canonical_note(result.metrics),
    )
    others = {"tau_ap": "yilmaz2008", "rbo": "webber2010"}
    cite = tuple(others[name] for name in result.also if name in others)
    charts = (("similarity", lambda: similarity_map(result)),)
    return View("Similarity of system rankings", _sentences(result, pairs), tuple(tables), notes, charts, cite)


def _intervals(result: Similarity) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """[metric, metric] the ends of Fieller's intervals, and of those over topics."""
    return interval_ends(result.tau, result.low, result.high), interval_ends(result.tau, *result.interval())


def _without_interval(result: Similarity, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Notes on pairs without an interval."""
    (low, _), (low_over_topics, _) = _intervals(result)
    known = [pair for pair in pairs if not np.isnan(result.tau[pair])]
    fieller = any(np.isnan(low[pair]) and abs(result.tau[pair]) > 1 - TAU_TOLERANCE for pair in known)
    over_topics = any(np.isnan(low_over_topics[pair]) for pair in known)
    notes = []
    if fieller:
        notes.append("no interval by Fieller at a tau of 1 or -1, which does not make such a tau certain.")
    if over_topics:
        notes.append(
            "no interval over topics: tau was the same on every half of the topics drawn; that does not show that it "
            "would be the same on other topics."
        )
    return notes


def _sentences(result: Similarity, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    known = [pair for pair in pairs if not np.isnan(result.tau[pair])]
    about = f"{count_phrase(len(result.systems), 'system')} on {count_phrase(result.topics, 'topic')}"
    if not known:
        return (
            f"There is no tau: by all metrics, or all but one, the {count_phrase(len(result.systems), 'system')} tie.",
        )
    tau = np.array([result.tau[pair] for pair in known])

    def both(pair: tuple[int, int]) -> str:
        return f"{result.metrics[pair[0]]} and {result.metrics[pair[1]]}"

    def similar(how: str, of: float) -> str:
        tied = [known[place] for place in np.flatnonzero(np.abs(tau - of) < TAU_TOLERANCE)]
        if of > 1 - TAU_TOLERANCE:
            same = "rank the systems in exactly the same order"
            if len(tied) == 1:
                return f"{both(tied[0])} {same}."
            return f"{len(tied):,} pairs of metrics {same}, such as {both(tied[0])}."
        if len(tied) > 1:
            which = f"{len(tied):,} pairs of metrics rank the systems {how} similarly"
            return f"{which} (tau {of:.3f}), among them {both(tied[0])}."
        return f"{both(tied[0])} rank the systems {how} similarly (tau {of:.3f})."

    size = Detail(f"The rankings are of {about}.")
    if np.ptp(tau) < TAU_TOLERANCE:
        which = both(known[0]) if len(known) == 1 else f"each of the {len(known):,} pairs of metrics"
        sentences = [f"The rankings of the systems by {which} have a tau of {tau[0]:.3f}."]
    else:
        sentences = [similar("most", tau.max()), similar("least", tau.min())]
    if len(known) == 1:
        return (*sentences, size)
    high = sum(result.tau[pair] >= 0.9 for pair in known)
    number = "None" if not high else "All" if high == len(known) else f"{high:,}"
    sentences.append(f"{number} of the {len(known):,} pairs of metrics {'has' if high == 1 else 'have'} tau ≥ 0.9.")
    usable = np.flatnonzero(~result.constant)
    if len(usable) > 2:
        mean = (result.tau[np.ix_(usable, usable)].sum(axis=1) - 1) / (len(usable) - 1)
        odd = [result.metrics[m] for m in usable[mean < mean.min() + TAU_TOLERANCE]]
        if len(odd) <= len(usable) // 2:
            be = "is" if len(odd) == 1 else "are"
            sentences.append(
                f"{name_list(odd, 3)} {be} least similar to the others, with a mean tau of {mean.min():.3f}."
            )
    return (*sentences, size)


def similarity_map(result: Similarity) -> Any:
    """tau between each pair of metrics, with Fieller's interval in the tooltip."""
    ends = result.low, result.high
    under = f"Kendall's tau between the rankings of {count_phrase(len(result.systems), 'system')} by two metrics"
    return heat_map(result.metrics, result.tau, result.order, "tau", chart_title("Similarity of rankings", under), ends)
