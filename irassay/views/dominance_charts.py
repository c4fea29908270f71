"""Charts of dominance: the partial order of systems, all pairs, and the users who disagree on one pair."""

from collections.abc import Sequence

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.dominance import Dominance
from irassay.views import altair as alt
from irassay.views.charts import chart_rows, chart_title, class_scale, tooltips
from irassay.views.theme import AHEAD, BEHIND, NEITHER, row_chart
from irassay.views.verdict_matrix import word_matrix

TOP_SYSTEMS = 20  # of the diagram, besides those that are named
LETTER, BOX_HEIGHT, GAP, LAYER = 7.6, 24, 24, 60  # pixels: of a letter, of boxes, between them, between layers
MAX_WIDTH = 870  # pixels of a row; if there are wider ones, the order goes from left to right
SIGNIFICANT, CERTIFIED = "significant", "not significant"
MATRIX_COLOURS = {
    "beats it for every user, significantly": AHEAD,
    "beats it for every user": "#8fc1e3",
    "equal for every user": "#e8e8e8",
    "users disagree": NEITHER,
    "is beaten for every user": "#f0b48a",
    "is beaten for every user, significantly": BEHIND,
}
MAX_POINTS = 400  # of a curve


def pictured_pair(result: Dominance) -> tuple[str, str]:
    """The two systems that were named, or the best ones that users disagree on, or else the best two."""
    if len(result.named) > 1:
        return result.named[0], result.named[1]
    ranked = [result.systems[s] for s in result.order]
    others = [name for name in ranked if name not in result.named]
    first = result.named[0] if result.named else ranked[0]
    rest = [name for name in others if name != first]
    refused = (name for name in rest if not result.dominates[result.direction(first, name)[0]].any())
    return first, next(refused, rest[0])


def hasse_diagram(result: Dominance) -> "alt.AnyChart":
    """The best systems, each joined with those directly below it: a line down is a win for every user."""
    chosen = [*result.order[:TOP_SYSTEMS], *(result.systems.index(name) for name in result.named)]
    groups = _equal_groups(result, list(dict.fromkeys(int(s) for s in chosen)))
    heads = np.array([group[0] for group in groups])
    above = result.matrix(result.dominates)[np.ix_(heads, heads)]
    significant = result.matrix(result.significant)[np.ix_(heads, heads)]
    names = [" = ".join(result.systems[s] for s in group) for group in groups]
    x, y, right = _layout(above, names)
    high, low = np.nonzero(cover_relation(above))
    beaten = result.matrix(result.significant).sum(axis=1)[heads]  # of all systems
    kind = np.where(significant[high, low], SIGNIFICANT, CERTIFIED)
    lines = {"x": x[high], "y": y[high], "x2": x[low], "y2": y[low], "win": kind}
    edges = chart_rows(lines | {"system": [names[n] for n in high], "other": [names[n] for n in low]})
    half = np.array([LETTER * len(name) / 2 + 8 for name in names])
    width, tall = float((x + half).max()) + GAP, float(y.max()) + BOX_HEIGHT
    boxes = {"left": x - half, "right": x + half, "top": y - BOX_HEIGHT / 2, "bottom": y + BOX_HEIGHT / 2}
    nodes = chart_rows({"system": names, "x": x, "y": y, **boxes, "beaten": [str(n) if n else "" for n in beaten]})
    horizontal = alt.Scale(domain=[0, width], nice=False)
    vertical = alt.Scale(domain=[0, tall], nice=False, reverse=True)
    colours = class_scale({SIGNIFICANT: AHEAD, CERTIFIED: NEITHER}, (edge["win"] for edge in edges))
    rules = row_chart(edges).mark_rule(strokeWidth=2).encode(
        x=alt.X("x:Q", scale=horizontal, axis=None), y=alt.Y("y:Q", scale=vertical, axis=None), x2="x2:Q", y2="y2:Q",
        color=alt.Color("win:N", scale=colours, title="win for every user", legend=alt.Legend(orient="bottom")),
        tooltip=tooltips("system", "other", "win"),
    )  # fmt: skip
    base = row_chart(nodes)
    rectangles = base.mark_rect(fill="#eef3f8", stroke="#5b6b7b", cornerRadius=4).encode(
        x=alt.X("left:Q", scale=horizontal, axis=None), x2="right:Q",
        y=alt.Y("top:Q", scale=vertical, axis=None), y2="bottom:Q", tooltip=tooltips("system"),
    )  # fmt: skip
    labels = base.mark_text(color="#222222", fontSize=12).encode(
        x=alt.X("x:Q", scale=horizontal, axis=None), y=alt.Y("y:Q", scale=vertical, axis=None), text="system:N"
    )
    numbers = base.mark_text(color=AHEAD, fontSize=11, fontWeight="bold", align="left").encode(
        x=alt.X("right:Q", scale=horizontal, axis=None), y=alt.Y("top:Q", scale=vertical, axis=None), text="beaten:N"
    )
    shown = f"the best {len(chosen)} of {len(result.systems)} systems" if len(result.systems) > len(chosen) else ""
    path, winner = ("to the right", "left") if right else ("down", "upper")
    under = [f"a path of lines {path}: the {winner} system", "wins for every user; no such path: users disagree"]
    wins, tested = int(above.sum()), int(significant.sum())
    count = f"{tested:,}" if tested else "none"
    under += [f"{count} of the {wins:,} wins shown {'is' if tested < 2 else 'are'} significant"] if wins else []
    under += ["lines join neighbours only"] if wins else []
    among = f", of all {len(result.systems)}" if shown else ""
    under += [f"blue number: how many systems it beats significantly{among}"] if beaten.any() else []
    under += [shown] if shown else []
    title = chart_title("Which systems beat which for every user", under)
    size = {"width": width, "height": tall, "usermeta": {"scrolls": True}}  # the page does not shrink it
    return alt.layer(rules, rectangles, labels, numbers).properties(title=title, **size)


def _equal_groups(result: Dominance, chosen: Sequence[int]) -> list[list[int]]:
    """The chosen systems in order, those with the same curve together."""
    wins = result.matrix(result.dominates)
    groups: list[list[int]] = []
    for s in chosen:
        same = next((group for group in groups if wins[group[0], s] and wins[s, group[0]]), None)
        groups.append([s]) if same is None else same.append(s)
    return groups


def cover_relation(above: Bools) -> Bools:
    """[system, system] the pairs of a strict order with nothing between them.

    >>> cover_relation(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)).astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    between = above.astype(np.int64) @ above.astype(np.int64)
    return np.asarray(above & (between == 0))


def _layers(above: Bools) -> Ints:
    """[system] the length of the longest chain down to it."""
    layer = np.zeros(len(above), dtype=np.int64)
    for _ in range(len(above)):
        layer = np.maximum(layer, np.where(above, layer[:, None] + 1, 0).max(axis=0))
    return layer


def _layout(above: Bools, names: Sequence[str]) -> tuple[Floats, Floats, bool]:
    """[system] the middles of boxes in pixels, and whether the order goes right instead of down, as rows are too wide.

    In a layer, boxes are near those that they are joined with in earlier layers.
    """
    layer, cover = _layers(above), cover_relation(above)
    rows = [np.flatnonzero(layer == n) for n in range(layer.max() + 1)]
    widths = np.array([LETTER * len(name) + 16.0 for name in names])
    right = max(float((widths[row] + GAP).sum()) for row in rows) > MAX_WIDTH
    length = np.full(len(names), BOX_HEIGHT + 12.0) if right else widths + GAP  # of a box along its layer
    total = max(float(length[row].sum()) for row in rows)
    along, across, start = np.zeros(len(names)), np.zeros(len(names)), 0.0
    for n, row in enumerate(rows):
        placed = row[np.argsort([along[cover[:, s]].mean() for s in row], kind="stable")] if n else row
        along[placed] = (total - length[row].sum()) / 2 + np.cumsum(length[placed]) - length[placed] / 2
        thick = float(widths[row].max()) + LAYER if right else float(LAYER)
        across[row] = start + thick / 2
        start += thick
    return (across, along, right) if right else (along, across, right)


def dominance_matrix(result: Dominance) -> "alt.AnyChart":
    """What every user says about each pair of systems."""
    order, wins = result.order, result.matrix(result.dominates)
    significant = result.matrix(result.significant)
    words = list(MATRIX_COLOURS)
    verdicts = np.select(
        [significant, significant.T, wins & wins.T, wins, wins.T],
        [words[0], words[5], words[2], words[1], words[4]],
        words[3],
    ).astype(object)
    np.fill_diagonal(verdicts, "")
    title = "Row against column, for every user"
    return word_matrix([result.systems[s] for s in order], verdicts[np.ix_(order, order)], title, MATRIX_COLOURS)


def pair_chart(result: Dominance, system: str, other: str) -> "alt.AnyChart":
    """The lead of one system over another in gain per result, and the attention of the user who is worst for it."""
    pair, way = result.direction(system, other)
    lead, k = result.lead(system, other), int(result.worst_k[pair, way])
    rank = np.unique(np.geomspace(1, result.depth, MAX_POINTS).astype(np.int64))
    rank = np.union1d(rank, [k])
    value = lead[rank - 1]
    side = np.where(value > 0, f"{system} ahead", np.where(value < 0, f"{other} ahead", "equal"))
    colours = {f"{system} ahead": AHEAD, f"{other} ahead": BEHIND, "equal": NEITHER}
    lines = chart_rows({"k": rank, "lead": value, "side": side})
    places = alt.Scale(type="log", domain=[1, max(2, result.depth)], nice=False)
    x = alt.X("k:Q", scale=places, title="results read, k", axis=alt.Axis(format="~g"))
    base = row_chart(lines)
    line = base.mark_line(color="#888888", strokeWidth=1).encode(x=x, y=alt.Y("lead:Q"))
    dots = base.mark_circle(size=24, opacity=1).encode(
        x=x, y=alt.Y("lead:Q", title="lead in mean gain per result"),
        color=alt.Color(
            "side:N", scale=class_scale(colours, side), title=None, legend=alt.Legend(orient="bottom")
        ),
        tooltip=tooltips("side", k="d", lead=".4f"),
    )  # fmt: skip
    zero = row_chart([{"zero": 0}]).mark_rule(strokeDash=[4, 4]).encode(y=alt.Y("zero:Q"))
    dominates = bool(result.dominates[pair, way])
    about = f"smallest lead of {system}" if dominates else f"largest lead of {other}"
    worst = row_chart([{"k": k}]).mark_rule(strokeDash=[2, 3]).encode(x=x)
    leads = alt.layer(zero, worst, line, dots).properties(
        width=420, height=200, title=chart_title(f"{system} minus {other}", f"dotted: {about}, at k = {k}")
    )
    until = max(k + 2, min(result.depth, 2 * k))
    ranks = np.append(0.5, np.arange(1, until + 1))  # each rank has a step around it, the first one from 0.5
    weights = chart_rows({"rank": ranks, "attention": (ranks <= k) / k})
    who = f"The user with the smallest lead of {system}" if dominates else f"The user who prefers {other} most"
    attention = row_chart(weights).mark_area(interpolate="step", color=NEITHER if dominates else BEHIND, opacity=0.6)
    ticks = alt.Axis(tickMinStep=1, format="d")
    attention = attention.encode(
        x=alt.X("rank:Q", title="rank", scale=alt.Scale(domain=[0.5, until], nice=False), axis=ticks),
        y=alt.Y("attention:Q", title="attention to a result", scale=alt.Scale(domain=[0, 1.1 / k], nice=False)),
    ).properties(
        width=300, height=200,
        title=chart_title(who, f"reads {'the first result' if k == 1 else f'{k} results'}: "
                          f"lead {float(result.worst_lead[pair, way]):+.4f}"),
    )  # fmt: skip
    return alt.hconcat(leads, attention, title=f"Which users prefer {system} to {other}?")
