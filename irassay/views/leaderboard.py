"""The view of ranks by wins over several rounds."""

from dataclasses import replace
from functools import partial

import numpy as np

from irassay.meta.pair_verdicts import set_label
from irassay.meta.wins_by_round import Standings
from irassay.prose import first_few
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, name_axis, panels
from irassay.views.table_columns import column_table, grid_columns
from irassay.views.view import View, view_of


def view(result: Standings) -> View:
    """Ranks for every set of simple metrics in every round and over all rounds."""
    over = "over all rounds" if len(result.rounds) > 1 else f"in round {result.rounds[0]}"
    sentences = [
        f"By {set_label(metric_set)}, {first_few([result.metrics[m] for m in np.flatnonzero(rank == 1)])} won most "
        f"often {over}."
        if won.any()
        else f"By {set_label(metric_set)}, no metric won against another {over}."
        for metric_set, rank, won in zip(result.sets, result.overall_ranks(), result.overall(), strict=True)
    ]
    ranks = {f"@{name}": rank for name, rank in zip(result.rounds, result.ranks(), strict=True)}  # [set, metric]
    ranks |= {"all": result.overall_ranks(), "wins": result.overall()}
    columns = grid_columns({"simple": map(set_label, result.sets), "metric": result.metrics}, ranks)
    note = "Ranks are dense: metrics with equal wins share a rank, and no rank is skipped."
    table, charts = column_table("standings", columns), (("standings", partial(_ranks, result)),)
    summary = View("Standings", tuple(sentences), (table,), (note,), charts, ("albahem2019",))
    return _with_rounds(summary, result) if result.each else summary


def _ranks(result: Standings) -> "alt.AnyChart":
    """A heat map of ranks, metrics by rounds, a panel for each set of simple metrics."""
    ranks, overall = result.ranks(), result.overall_ranks()
    rounds = [*(f"@{name}" for name in result.rounds), "all"]
    sets, by_round = [*map(set_label, result.sets)], np.stack([*ranks, overall], axis=-1)  # [set, metric, round]
    cells = cell_rows({"simple": sets, "metric": result.metrics, "round": rounds}, {"rank": by_round})
    worst = max(int(ranks.max()), int(overall.max()))
    base = alt.Chart().encode(
        x=alt.X("round:N", sort=rounds, title="round", axis=alt.Axis(labelAngle=0)),
        y=name_axis("metric", result.metrics),
        tooltip=["simple:N", "metric:N", "round:N", "rank:Q"],
    )
    scale = alt.Scale(scheme="blues", reverse=True, domain=[1, max(2, worst)])
    tiles = base.mark_rect().encode(color=alt.Color("rank:Q", scale=scale, legend=None))
    ink = alt.condition(f"datum.rank <= {(1 + worst) / 2.5}", alt.value("white"), alt.value("#222222"))
    text = base.mark_text(fontSize=11).encode(text="rank:Q", color=ink)
    size = {"width": 36 * len(rounds), "height": 22 * len(result.metrics)}
    drawn = panels(cells, (tiles, text), "simple", sets, **size)
    return drawn.properties(title="Ranks by wins (1 is best)")


def _with_rounds(summary: View, result: Standings) -> View:
    """The standings over all rounds, followed by the tables of every round."""
    each = {name: view_of(round_result) for name, round_result in zip(result.rounds, result.each, strict=True)}
    tables = tuple(
        replace(table, name=f"{table.name} {name}", title=f"{table.title} (iteration {name})".strip())
        for name, shown in each.items()
        for table in shown.tables
    )
    notes = dict.fromkeys(note for shown in each.values() for note in shown.notes)
    return replace(summary, tables=(*summary.tables, *tables), notes=(*summary.notes, *notes))
