"""The view of unanimity: how well a metric's verdicts match those that all simple metrics share."""

from functools import partial

import numpy as np

from irassay.arrays import Floats
from irassay.meta.pair_verdicts import set_label
from irassay.meta.unanimity import Unanimity
from irassay.meta.wins_by_round import dense_ranks
from irassay.prose import count_phrase, first_few, name_list
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, chart_title, interval_lines, name_axis, panels
from irassay.views.table_columns import interval_ends
from irassay.views.view import Cell, Table, View


def view(result: Unanimity, alpha: float = 0.05) -> View:
    """Which metric's verdicts best match those that all simple metrics share."""
    return View(
        "Unanimity",
        (*(_leader_sentence(result, s, alpha) for s in range(len(result.sets))), *_pair_sentences(result, alpha)),
        (_metrics_table(result, alpha),),
        (*result.notes, *_notes(result)),
        tuple(
            ("-".join(filter(None, ("unanimity", collection))), partial(_bars, result, c))
            for c, collection in enumerate(result.collections)
        ),
    )


def _leader_sentence(result: Unanimity, s: int, alpha: float) -> str:
    """The most unanimous metric by one set of simple metrics and the metrics it beats, without constant metrics."""
    beats = result.beats()[:, s] & ~result.constant[:, None, :]  # [collection, metric, other]
    won = np.where(result.constant, -1, beats.sum(axis=2)).sum(axis=0)
    best = int(np.argmax(won))
    significant = int((beats & result.beats(True, alpha)[:, s])[:, best].sum())
    others = int((~np.delete(result.constant, best, axis=1)).sum())
    where = f" over {len(result.collections)} collections" if len(result.collections) > 1 else ""
    bits = first_few([f"{value:.3f}" for value in result.bits[:, s, best]])
    if result.constant.all() or np.isnan(result.gamma[:, s]).all():
        nothing = "unanimity says nothing: where all simple metrics prefer a system, no other metric does"
        return f"By {set_label(result.sets[s])}, {nothing}."
    if not others:
        rest = "" if len(result.metrics) == 1 else ", and no other metric ever prefers a system"
        return f"By {set_label(result.sets[s])}, {result.metrics[best]} has a unanimity of {bits} bits{rest}."
    if won[best] <= 0:
        return f"By {set_label(result.sets[s])}, no metric is more unanimous than another{where} ({bits} bits)."
    same_bits = np.isclose(result.bits[:, s], result.bits[:, s, [best]], rtol=0, atol=1e-9).all(axis=0)
    tied = np.flatnonzero((won == won[best]) & same_bits)
    others = int((~np.delete(result.constant, tied, axis=1)).sum())
    has = f"{name_list([result.metrics[m] for m in tied])} {'has' if len(tied) == 1 else 'have'}"
    start = f"By {set_label(result.sets[s])}, {has} a unanimity of {bits} bits. That is"
    if others == 1:
        how = f"{result.interval_by} at {alpha:g}"
        return f"{start} {'' if significant else 'not '}significantly more than the other{where} ({how})."
    if len(result.collections) > 1:  # a metric counts once in each
        return f"{start} significantly more in {significant or 'none'} of {others} comparisons with others{where}."
    if significant == others:
        return f"{start} significantly more than {'both' if others == 2 else f'all {others}'} others."
    more = f"significantly more than {significant}" if significant else "not significantly more than any"
    return f"{start} {more} of {others} others."


def _pair_sentences(result: Unanimity, alpha: float) -> list[str]:
    """What tests of one pair of metrics at a time do not show; empty for fewer than three metrics."""
    if len(result.metrics) < 3:
        return []
    tests = f"one pair at a time ({result.interval_by} at {alpha:g}, uncorrected)"
    return [f"Metrics are tested {tests}, which does not show which is the best."]


def _notes(result: Unanimity) -> list[str]:
    dropped = int(result.dropped().max(initial=0))
    notes = [f"Left out: up to {count_phrase(dropped, 'case')} without a score."] if dropped else []
    how = {
        "bootstrap": f"resample topics ({result.trials:,} times, seed {result.seed}) and take the systems as given",
        "jackknife": "leave out systems and topics, treating both as samples",
    }
    notes.append(f"Intervals and p-values {how[result.interval_by]}.")
    if (np.isnan(_bits_ends(result)[0]) & ~np.isnan(result.bits)).any():
        notes.append("no interval of bits where it would be a single value; that does not make them certain.")
    if result.variant == "printed":
        notes.append("As printed in the paper: ties of a metric raise its bits; the authors' code counts differently.")
    return notes


def _bits_ends(result: Unanimity) -> tuple[Floats, Floats]:
    """[collection, set, metric] the ends of the intervals of bits; NaN where both are the bits themselves."""
    return interval_ends(result.bits, result.bits_low, result.bits_high)


def _metrics_table(result: Unanimity, alpha: float) -> Table:
    """[collection, set and metric] bits with interval, the conditional probability, gamma, wins and rank."""
    many = result.collections != ("",)
    more, significant, conditional = result.wins(), result.wins(True, alpha), result.conditional()
    bits_ends, gamma_ends = _bits_ends(result), interval_ends(result.gamma, result.gamma_low, result.gamma_high)
    rows: list[tuple[Cell, ...]] = []
    for c, collection in enumerate(result.collections):
        for s, metric_set in enumerate(result.sets):
            rank = dense_ranks(more[c, s])
            for m in np.argsort(rank, kind="stable"):
                at = (c, s, m)
                names = (*((collection,) if many else ()), set_label(metric_set), result.metrics[m])
                bits = (float(a[at]) for a in (result.bits, *bits_ends, conditional))
                gamma = (float(a[at]) for a in (result.gamma, *gamma_ends))
                wins = int(more[at]), int(significant[at]), bool(result.constant[c, m])
                rows.append((*names, int(rank[m]), *bits, *gamma, *wins))
    columns = (
        *("simple", "metric", "rank", "bits", "low", "high", "P(joins | unanimous)"),
        *("gamma", "gamma low", "gamma high", "wins", "significant wins", "constant"),
    )
    named = ("collection", *columns) if many else columns
    hidden = ("gamma low", "gamma high", "wins", "constant", *(("simple",) if len(result.sets) == 1 else ()))
    brief = tuple(name for name in named if name not in hidden)
    return Table("unanimity", named, tuple(rows), "Unanimity", brief=brief)


def _bars(result: Unanimity, c: int) -> "alt.AnyChart":
    """Bits of every metric with their intervals, a panel for each set of simple metrics."""
    sets = [*map(set_label, result.sets)]
    low, high = _bits_ends(result)
    drawn = {"bits": result.bits[c], "low": low[c], "high": high[c]}  # [set, metric]
    drawn["gamma"] = np.nan_to_num(result.gamma[c])
    rows = cell_rows({"simple": sets, "metric": result.metrics}, drawn)
    tip = ["metric:N", "bits:Q", "low:Q", "high:Q", "gamma:Q"]
    best_first = [result.metrics[m] for m in np.argsort(-np.nan_to_num(result.bits[c].mean(axis=0)), kind="stable")]
    base = alt.Chart().encode(y=name_axis("metric", best_first), tooltip=tip)
    bars = base.mark_bar(color="#56B4E9").encode(x=alt.X("bits:Q", title="unanimity (bits)"))
    text = "Unanimity with simple metrics" + (f", {result.collections[c]}" if result.collections[c] else "")
    title = chart_title(text, f"pointwise mutual information; lines: 95% intervals ({result.interval_by})")
    return panels(rows, (bars, interval_lines(base)), "simple", sets, width=220).properties(title=title)
