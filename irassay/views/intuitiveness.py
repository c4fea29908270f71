"""The view of the intuitiveness test: which metric beats which, also if topics and runs are treated as samples."""

from functools import partial
from itertools import combinations

import numpy as np

from irassay.meta.intuitiveness import Intuitiveness
from irassay.meta.pair_verdicts import set_label
from irassay.meta.wins_by_round import dense_ranks
from irassay.prose import count_phrase, name_list
from irassay.views import altair as alt
from irassay.views.charts import cell_rows, name_axis
from irassay.views.table_columns import plain_value
from irassay.views.theme import row_chart
from irassay.views.view import PAIRS_SHOWN, Cell, Detail, Table, View


def view(result: Intuitiveness, alpha: float = 0.05) -> View:
    """The answer for every set of simple metrics, the wins, and each pair of metrics."""
    by_topics, total = result.survivors("topics", alpha)
    by_runs = result.survivors("runs", alpha)[0]
    sentences = [_leader_sentence(result, s, alpha) for s in range(len(result.sets))]
    single = f"Metrics are tested one pair at a time (topic permutation test at {alpha:g}, uncorrected)"
    one_pair = f"The topic permutation test was used, at {alpha:g}."
    sentences.append(f"{single}, which does not show which is the best." if len(result.metrics) > 2 else one_pair)
    if total:
        sentences += [
            Detail(
                f"Of {count_phrase(total, 'significant difference')} by the sign test over cases, "
                f"{by_topics or 'none'} {'holds' if by_topics <= 1 else 'hold'} if the cases of a topic are kept "
                f"together, and {by_runs or 'none'} if systems and topics are both treated as samples."
            )
        ]
    return View(
        "Intuitiveness",
        tuple(sentences),
        (_standings_table(result, alpha), _pairs_table(result, alpha)),
        (*result.notes, *_notes(result)),
        tuple(
            (_chart_name(result, c, s), partial(_matrix, result, c, s, alpha))
            for c in range(len(result.collections))
            for s in range(len(result.sets))
        ),
    )


def _leader_sentence(result: Intuitiveness, s: int, alpha: float) -> str:
    """Which metric has the most wins against the others under one set of simple metrics."""
    won = result.wins("topics", alpha)[:, s].sum(axis=0)
    others = (len(result.metrics) - 1) * len(result.collections)
    where = f" over {len(result.collections)} collections" if len(result.collections) > 1 else ""
    if not won.any():
        return f"By {set_label(result.sets[s])}, no metric is significantly more intuitive than another{where}."
    best = [name for name, wins in zip(result.metrics, won, strict=True) if wins == won.max()]
    if others == 1:
        other = next(name for name in result.metrics if name not in best)
        return f"By {set_label(result.sets[s])}, {best[0]} is significantly more intuitive than {other}."
    more = (
        f"{'is' if len(best) == 1 else 'are each'} significantly more intuitive in {won.max()} of {others} comparisons"
    )
    return f"By {set_label(result.sets[s])}, {name_list(best)} {more} with other metrics{where}."


def _notes(result: Intuitiveness) -> list[str]:
    dropped = int(result.dropped()[:, 0, 0, 0].sum())
    ties = "all simple metrics must prefer the same system"
    ties = ties if result.ties == "strict" else "a tie in a simple metric counts as agreement"
    return [
        *([f"Left out: {count_phrase(dropped, 'case')} (two systems on a topic) without a score."] if dropped else []),
        f"Ties are {result.ties}: {ties}. The sign test treats cases as independent, which they are not; p (topics) "
        f"permutes topics ({result.trials:,} trials, seed {result.seed}); p (runs and topics) is by jackknife, which "
        "in simulations was wrong in 7 to 11% of tests at a level of 5%.",
    ]


def _standings_table(result: Intuitiveness, alpha: float) -> Table:
    """[set and metric] wins over all collections by each test, and the dense rank."""
    rows = []
    tests = {test: result.wins(test, alpha).sum(axis=0) for test in ("topics", "runs", "binomial", "none")}
    for s, metric_set in enumerate(result.sets):
        rank = dense_ranks(tests["topics"][s])
        for m in np.argsort(rank, kind="stable"):
            wins = (int(won[s, m]) for won in tests.values())
            rows.append((set_label(metric_set), result.metrics[m], int(rank[m]), *wins))
    columns = ("simple", "metric", "rank", "wins (topics)", "wins (runs and topics)", "wins (sign test)", "wins (any)")
    title, brief = "Wins against other metrics", columns[1:] if len(result.sets) == 1 else ()
    return Table("standings", columns, tuple(rows), title, brief=brief)


def _pairs_table(result: Intuitiveness, alpha: float) -> Table:
    """[collection, set and pair] shares and tests; the winner's share by the test over topics is marked."""
    share, rate, beats = result.shares(), result.disagreement_rate(), result.beats("topics", alpha)
    rows: list[tuple[Cell, ...]] = []
    marks: set[tuple[int, int]] = set()
    for c, collection in enumerate(result.collections):
        for s, metric_set in enumerate(result.sets):
            for a, b in combinations(range(len(result.metrics)), 2):
                at, turned = (c, s, a, b), (c, s, b, a)
                marks |= {(len(rows), 4)} if beats[at] else {(len(rows), 5)} if beats[turned] else set()
                counts = result.correct[at], result.correct[turned], result.disagreements[at], result.cases[at]
                tests = (p[at] for p in (result.by_topic, result.by_run, result.binomial))
                numbers = map(plain_value, (share[at], share[turned], rate[at], *counts, *tests))
                rows.append((collection, set_label(metric_set), result.metrics[a], result.metrics[b], *numbers))
    columns = (
        *("collection", "simple", "metric", "other", "intuitive", "other intuitive", "disagree"),
        *("correct", "other correct", "disagreements", "cases", "p (topics)", "p (runs and topics)", "p (sign test)"),
    )
    keep, brief = (
        range(1 if result.collections == ("",) else 0, len(columns)),
        (*columns[:6], "disagreements", "p (topics)"),
    )
    return Table(
        "pairs",
        tuple(columns[i] for i in keep),
        tuple(tuple(row[i] for i in keep) for row in rows),
        "If two metrics disagree, how often each agrees with all simple metrics",
        marks=frozenset((row, column - keep.start) for row, column in marks),
        max_rows=PAIRS_SHOWN,
        p_columns=columns[-3:],
        brief=tuple(name for name in brief if name != "simple" or len(result.sets) > 1),
    )


def _short_percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{share:.3f}".removeprefix("0")


def _chart_name(result: Intuitiveness, c: int, s: int) -> str:
    return "-".join(filter(None, ("intuitiveness", result.collections[c], set_label(result.sets[s]))))


def _matrix(result: Intuitiveness, c: int, s: int, alpha: float) -> "alt.AnyChart":
    """A heat map of the share of the row's metric if it disagrees with the column's; + marks a significant win."""
    share, rate = result.shares()[c, s], result.disagreement_rate()[c, s]
    beats, published = result.beats("topics", alpha)[c, s], result.beats("binomial", alpha)[c, s]
    names, signs = list(result.metrics), np.where(beats, "+", np.where(published, "°", ""))
    shown = [_short_percent(value) + sign for value, sign in zip(share.flat, signs.flat, strict=True)]
    values = {"intuitive": share, "shown": shown, "disagree": rate, "p (topics)": result.by_topic[c, s]}
    cells = cell_rows({"metric": names, "other": names}, values, ~np.eye(len(names), dtype=np.bool_))
    base = row_chart(cells).encode(
        x=alt.X("other:N", sort=names, title="against", axis=alt.Axis(orient="top", labelAngle=-40)),
        y=name_axis("metric", names),
    )
    legend = alt.Legend(gradientLength=min(200, 28 * len(names) - 16))  # with its title as high as the tiles
    tiles = base.mark_rect().encode(
        color=alt.Color("intuitive:Q", title="share", scale=alt.Scale(scheme="blues"), legend=legend),
        tooltip=["metric:N", "other:N", "intuitive:Q", "disagree:Q", "p (topics):Q"],
    )
    top = np.nanmax(share) if not np.isnan(share).all() else 1.0
    text = base.mark_text(fontSize=11).encode(
        text="shown:N", color=alt.condition(alt.datum.intuitive > 0.6 * top, alt.value("white"), alt.value("#222222"))
    )
    title = alt.Title(
        f"Intuitiveness by {set_label(result.sets[s])}"
        + (f", {result.collections[c]}" if result.collections[c] else ""),
        subtitle=[
            "how often the row's metric agrees with all simple metrics if the two disagree",
            "+ significant with topics as clusters, ° by the sign test over cases only",
        ],
    )
    return (tiles + text).properties(title=title, width=alt.Step(46), height=alt.Step(28))
