"""Rankings as a tree with the relations between them, and the relations that a metric breaks."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.meta.axioms.closure import reachable_rankings, relation_graph
from irassay.meta.axioms.enumerated_scores import tolerance
from irassay.meta.axioms.induction import relations
from irassay.meta.axioms.method import Axioms, chainable_axioms, drawn_depth
from irassay.meta.axioms.relations import Axiom
from irassay.meta.axioms.violations import violation_mask
from irassay.rankings.enumeration import Space
from irassay.views import altair as alt
from irassay.views.charts import chart_title
from irassay.views.theme import row_chart

WIDTH, LEVEL = 760, 110  # of a tree, in pixels
PANELS = 3  # the most metrics that have a tree of their own
RED, GREY, FAINT = "#D50000", "#8a8a8a", "#d8d8d8"
INDUCED = "follows"


def relation_tree(result: Axioms, axiom: Axiom | None) -> "alt.AnyChart":
    """The shortest rankings as a tree, with an arrow to each ranking that should score no less; violations are red.

    Without an axiom, the arrows are those of all axioms, and faint ones those that follow from them. Each metric that
    breaks a relation has a tree of its own.
    """
    space = replace(result.space, depth=drawn_depth(result.space))
    edges = relation_edges(space, [axiom] if axiom else chainable_axioms(result.axioms), with_induced=axiom is None)
    panels = []
    for m, metric in enumerate(result.metrics):
        broken = _violations(result.shortest[m], edges)
        if broken.any():
            panels.append(tree_panel(space, edges, broken, f"{metric} breaks {int(broken.sum())} of {len(edges)}"))
    title = axiom.title if axiom else "all axioms and what follows from them"
    if not panels:
        panels = [tree_panel(space, edges, np.zeros(len(edges), dtype=bool), f"{len(edges)} relations, none broken")]
    colours = "an arrow points to the ranking that should score no lower; red: broken"
    colours += "; faint: follows from the others" if axiom is None else ""
    text = f"Rankings of up to {space.depth} results: {title}"
    return alt.vconcat(*panels[:PANELS]).properties(title=chart_title(text, colours))


Edge = tuple[int, int, str, bool]  # worse, better, axiom, strict


def relation_edges(space: Space, axioms: Sequence[Axiom], with_induced: bool) -> list[Edge]:
    """Every relation that the axioms state, and, if wanted, those that follow from them."""
    edges: dict[tuple[int, int], Edge] = {}
    for axiom in axioms:
        for worse, better in relations(space, [axiom]):
            for w, b in zip(worse.tolist(), better.tolist(), strict=True):
                edges.setdefault((w, b), (w, b, axiom.title, axiom.strict))
    if with_induced and edges:
        known = relation_graph(space.size, *np.array(list(edges)).T)
        for w in range(space.size):
            for b in reachable_rankings(known, w).tolist():
                if b != w:
                    edges.setdefault((w, b), (w, b, INDUCED, False))
    return list(edges.values())


def _violations(scores: Floats, edges: Sequence[Edge]) -> Bools:
    """[edge] whether the scores break the relation."""
    if not edges:
        return np.zeros(0, dtype=bool)
    tie = tolerance(scores)
    return np.array([bool(violation_mask(scores, w, b, tie, strict)) for w, b, _, strict in edges])


def _position(space: Space, index: int) -> tuple[float, float]:
    """The position of a ranking in pixels, below the one that it extends."""
    letters = space.decoded(index)
    value = index - space.first(len(letters))
    return WIDTH * (value + 0.5) / space.q ** len(letters), LEVEL * len(letters)


def tree_panel(space: Space, edges: Sequence[Edge], broken: Bools, title: str) -> "alt.LayerChart | alt.FacetChart":
    """The rankings of a space as a tree, with an arrow for each relation; broken ones are red."""
    lines, heads = [], []
    order = np.argsort([bool(b) + (edge[2] != INDUCED) for edge, b in zip(edges, broken, strict=True)], kind="stable")
    for n in order.tolist():
        worse, better, name, _ = edges[n]
        colour = RED if broken[n] else FAINT if name == INDUCED else GREY
        (x, y), (to_x, to_y) = _position(space, worse), _position(space, better)
        bow = 12 + 0.16 * abs(to_x - x) if y == to_y else 0.0
        relation = f"{space.text(worse)} should not beat {space.text(better)}"
        tooltip = {"edge": n, "relation": relation, "why": name, "colour": colour}
        middle = (x + to_x) / 2, (y + to_y) / 2 + bow
        path = [(x, y), middle, (to_x, to_y)]
        lines += [tooltip | {"x": px, "y": py, "step": step} for step, (px, py) in enumerate(path)]
        if name != INDUCED or broken[n]:
            angle = math.degrees(math.atan2(to_x - x, -(to_y - y)))
            tip = (x + 3 * to_x) / 4, (y + 3 * to_y) / 4 + 0.46 * bow
            heads.append(tooltip | {"x": tip[0], "y": tip[1], "angle": angle})
    places = [_position(space, i) for i in range(space.size)]
    nodes = [{"ranking": space.text(i), "x": x, "y": y} for i, (x, y) in enumerate(places)]
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, WIDTH]))
    down = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[LEVEL * (space.depth + 0.25), -LEVEL * 0.2]))
    ink = alt.Color("colour:N", scale=None)
    tips = ["relation:N", "why:N"]
    drawn = row_chart(lines).mark_line(interpolate="basis", strokeWidth=1.2)
    layers = [drawn.encode(x=across, y=down, detail="edge:N", order="step:Q", color=ink, tooltip=tips)]
    arrows = row_chart(heads).mark_point(shape="triangle", filled=True, size=40, opacity=1)
    layers.append(arrows.encode(x=across, y=down, color=ink, angle=alt.Angle("angle:Q", scale=None), tooltip=tips))
    names = row_chart(nodes).encode(x=across, y=down, text="ranking:N")
    size = 15 if space.size <= 15 else 9
    layers += [
        names.mark_text(fontSize=size, stroke="white", strokeWidth=4),
        names.mark_text(fontSize=size, fontWeight="bold"),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=LEVEL * (space.depth + 0.45), title=title)
