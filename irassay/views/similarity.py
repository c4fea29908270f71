"""The view of how alike metrics rank systems."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irassay.meta.similarity import Similarity
from irassay.prose import count_phrase, name_list, first_few
from irassay.views.canonical import marked, on_canonical
from irassay.views.charts import MATRIX_METRICS, heat_map
from irassay.views.view import PAIRS_SHOWN, Table, View, plain

SAME = 1e-12  # taus less far apart are the same but for rounding
NAMES = {"tau_ap": "tau_AP", "spearman": "rho", "rbo": "RBO"}


def view(result: Similarity) -> View:
    """How alike every two metrics rank the systems."""
    low, high = result.interval()
    pairs = sorted(result.pairs(), key=lambda pair: -np.nan_to_num(result.tau[pair], nan=-2))
    columns = ("metric", "other metric", "tau", "low", "high", "low (topics)", "high (topics)")
    numbers = (result.tau, result.low, result.high, low, high, *result.other)
    rows = [(result.metrics[a], result.metrics[b], *(plain(array[a, b]) for array in numbers)) for a, b in pairs]
    also = tuple(NAMES[name] for name in result.also)
    tables = [Table("pairs", (*columns, *also), tuple(rows), "Pairs of metrics", digits=3, most=PAIRS_SHOWN)]
    if 2 < len(result.metrics) <= MATRIX_METRICS:
        names = tuple(result.metrics[m] for m in result.order)
        matrix = result.tau[np.ix_(result.order, result.order)]
        rows_of = tuple((name, *map(plain, row)) for name, row in zip(names, matrix, strict=True))
        tables.append(Table("matrix", ("metric", *names), rows_of, "tau", digits=3, marks=marked(names)))
    notes = (
        *result.notes,
        "low and high are Fieller's, as in chen2023, which takes the systems for a sample and was made for |tau| < .8; "
        f"those of topics are for the tau expected on {result.topics} topics like these, by leaving out half of them "
        "at a time. With more topics tau itself may move: chance in the means mostly lowers it.",
        *_without_width(result, pairs),
        *(("tau_AP is the symmetric form, ties left out.",) if "tau_ap" in result.also else ()),
        *on_canonical(result.metrics),
    )
    others = {"tau_ap": "yilmaz2008", "rbo": "webber2010"}
    cite = tuple(others[name] for name in result.also if name in others)
    charts = (("similarity", lambda: similarity_map(result)),)
    return View("Similarity of system rankings", _alike(result, pairs), tuple(tables), notes, charts, cite)


def _without_width(result: Similarity, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """What intervals without width do not say."""
    low, high = result.interval()
    said = []
    if any(result.low[pair] == result.high[pair] for pair in pairs):
        said.append(
            "Fieller's formula has no width at a tau of 1 or -1; that is not to say that such a tau is certain."
        )
    if any(low[pair] == high[pair] for pair in pairs):
        said.append(
            "An interval of topics without width: tau was the same on every half of the topics looked at, which does "
            "not show that it would be on other topics."
        )
    return said


def _alike(result: Similarity, pairs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    known = [pair for pair in pairs if not np.isnan(result.tau[pair])]
    about = f"{count_phrase(len(result.systems), 'system')} on {count_phrase(result.topics, 'topic')}"
    if not known:
        return (f"There are no two metrics that rank {about}.",)
    tau = np.array([result.tau[pair] for pair in known])

    def both(pair: tuple[int, int]) -> str:
        return f"{result.metrics[pair[0]]} and {result.metrics[pair[1]]}"

    def pairs_at(of: float) -> str:
        alike = [known[place] for place in np.flatnonzero(np.abs(tau - of) < SAME)]
        if len(alike) > 1:
            return f"{len(alike):,} pairs of metrics (tau {of:.3f}, {both(alike[0])} among them)"
        return f"{both(alike[0])} (tau {of:.3f})"

    if np.ptp(tau) < SAME:
        which = both(known[0]) if len(known) == 1 else f"each of the {len(known):,} pairs of metrics"
        said = [f"The rankings of {about} by {which} have a tau of {tau[0]:.3f}."]
    else:
        said = [
            f"Of {about}, the rankings by {pairs_at(tau.max())} are the most alike, "
            f"those by {pairs_at(tau.min())} the least."
        ]
    if len(known) == 1:
        return tuple(said)
    high = sum(result.tau[pair] >= 0.9 for pair in known)
    many = "None" if not high else "All" if high == len(known) else f"{high:,} ({high / len(known):.0%})"
    said.append(f"{many} of the {len(known):,} pairs of metrics have a tau of 0.9 or more.")
    same = [f"{result.metrics[a]} = {result.metrics[b]}" for a, b in known if result.tau[a, b] > 1 - SAME]
    if same:
        how = f"{'ranks' if len(same) == 1 else 'rank'} these systems in exactly the same order"
        said.append(f"{count_phrase(len(same), 'pair')} of metrics {how}: {first_few(same, 4)}.")
    usable = np.flatnonzero(~result.constant)
    if len(usable) > 2:
        mean = (result.tau[np.ix_(usable, usable)].sum(axis=1) - 1) / (len(usable) - 1)
        odd = [result.metrics[m] for m in usable[mean < mean.min() + SAME]]
        if len(odd) <= len(usable) // 2:
            be = "is" if len(odd) == 1 else "are"
            said.append(f"{name_list(odd, 3)} {be} the least like the others, with a mean tau of {mean.min():.3f}.")
    return tuple(said)


def similarity_map(result: Similarity) -> Any:
    """tau between every two metrics, with Fieller's interval in the tooltip."""
    ends = result.low, result.high
    return heat_map(result.metrics, result.tau, result.order, "tau", "Similarity of rankings", ends)
