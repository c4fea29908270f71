"""The view of how often metrics agree with people's choices between two result lists."""

from functools import partial
from typing import Any

import numpy as np

from irassay.arrays import Ints
from irassay.meta.preference import Preference
from irassay.prose import count_phrase, first_few, name_list, percent_text
from irassay.views.charts import chart_title, dashed_line, dot_chart, number_axis
from irassay.views.phrases import other_metrics_sentences
from irassay.views.selection import selection_columns
from irassay.views.table_columns import column_table
from irassay.views.view import PAIRS_SHOWN, View


def view(result: Preference, alpha: float = 0.05) -> View:
    """Which metric agrees with most choices, and which are no better than chance."""
    order = np.argsort(-result.agreement, kind="stable")
    columns = _agreement_columns(result) | {"p": result.p, "gamma": result.gamma()}
    if result.selection:
        columns |= selection_columns(result.metrics, result.selection)
    columns |= {"shared": result.agree, "reversed": result.differ, "tied": result.tied}
    brief = tuple(name for name in columns if name not in ("gamma", "shared"))
    a, b = np.triu_indices(len(result.metrics), k=1)
    pairs: dict[str, Any] = {
        "metric": [result.metrics[m] for m in a],
        "other": [result.metrics[m] for m in b],
        "difference": result.agreement[a] - result.agreement[b],
        "p": result.pair_p[a, b],
    }
    if result.selection:
        pairs["corrected p"] = result.selection.p[a, b]
    notes = [
        *result.notes,
        f"Intervals resample {result.clusters}s, and p permutes {result.clusters}s ({result.trials:,} trials, seed "
        f"{result.seed}). Ties of a metric count half. Corrected p and behind hold for all pairs of metrics together "
        "(max-T of pseudo-values).",
    ]
    if result.undecided or result.unscored:
        choices = count_phrase(result.undecided, "choice")
        notes.append(f"Left out: {choices} for neither list, {result.unscored} without a score for both lists.")
    tables = (
        column_table("metrics", columns, "Agreement with choices", order, p_columns=("p",), brief=brief),
        column_table("pairs", pairs, "Pairs of metrics", max_rows=PAIRS_SHOWN, p_columns=("p", "corrected p")),
    )
    charts = (("preference", partial(_bars, result)),)
    return View("Preference", _sentences(result, order, alpha), tables, tuple(notes), charts)


def _sentences(result: Preference, order: Ints, alpha: float) -> tuple[str, ...]:
    """Which metrics, best first in this order, agree with the most choices, and which are no better than chance."""
    best = int(order[0])
    close = [m for m in order[1:] if not (result.selection and result.selection.behind[m, best])]
    low, high = result.low[best], result.high[best]
    share = f"{percent_text(result.agreement[best])} of {count_phrase(result.choices(), 'choice')}"
    tied = [result.metrics[m] for m in order if result.agreement[m] == result.agreement[best]]
    half = ", ties counted half" if result.tied[best] else ""
    agree = f"{name_list(tied)} {'agrees' if len(tied) == 1 else 'agree'} with"
    sentences = [
        f"{agree} the most choices: {percent_text(result.agreement[best])} of {result.choices():,}{half}."
        if len(order) > len(tied)
        else f"{agree} {share}{half}.",
        *other_metrics_sentences(len(close), len(order) - 1),
    ]
    if not np.isnan(low):
        sentences.append(f"The 95% interval for {result.metrics[best]} is {percent_text(low)} to {percent_text(high)}.")
    if result.selection and 0 < len(close) < len(order) - 1:
        may = [result.metrics[m] for m in order if result.selection.may_be_best[m]]
        sentences.append(f"{count_phrase(len(may), 'metric')} may agree most: {first_few(may)}.")
    coins = [result.metrics[m] for m in order if not result.p[m] < alpha]
    if coins:
        names = first_few(coins, len(coins))
        sentences.append(f"Not significantly better than chance (at {alpha:g}, uncorrected): {names}.")
    return tuple(sentences)


def _agreement_columns(result: Preference) -> dict[str, Any]:
    """[metric] its agreement with the choices, and the interval."""
    return {"metric": result.metrics, "agreement": result.agreement, "low": result.low, "high": result.high}


def _bars(result: Preference) -> Any:
    """Agreement with its interval, best first, and a line at one half."""
    ranked = [name for name, _ in result.ranked()]
    x, coin = number_axis("low", "share of choices it agrees with"), dashed_line(0.5, "half")
    chart = dot_chart(_agreement_columns(result), ranked, "agreement", x, under=(coin,))
    title = chart_title("Agreement with people's choices", "lines: 95% intervals; dashed: by chance")
    return chart.properties(title=title, width=360)
