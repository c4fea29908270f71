"""The curves of moffat2012 (weights, halting probabilities and residuals), and its Figures 1 and 2."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.metrics.cwl import examination_probability
from irassay.metrics.grammar import parse
from irassay.papers.moffat2012.agreement import sides
from irassay.papers.moffat2012.tables import FIGURE_2C, TABLES
from irassay.rankings.batch import Rankings
from irassay.views import altair as alt
from irassay.views.theme import inline_data

DRAWN_RANKS = 1000
PANELS = {"W": "(a) weight", "H": "(b) halting probability", "R": "(c) residual"}
FIGURE_1 = {"SDCG@100": "SDCG@100", "RBP, p = 0.73": "RBP(p=0.73)", "INSQ": "INSQ"}
FIGURE_2 = {"T = 1": "INSQ(T=1)", "T = 5": "INSQ(T=5)", "T = 25": "INSQ(T=25)"}


@dataclass(frozen=True, eq=False)
class Curves:
    """A user model on one ranking, rank by rank."""

    V: Floats  # [rank] the probability of examining it
    W: Floats  # [rank] its weight
    C: Floats  # [rank] the probability of continuing after it
    R: Floats  # [rank] the weight of all ranks after it
    depth: float  # the expected number of results examined

    @property
    def H(self) -> Floats:  # noqa: N802  the paper's letter
        """[rank] The probability of halting at it."""
        return 1 - self.C

    @property
    def L(self) -> Floats:  # noqa: N802  the paper's letter
        """[rank] The probability that it is the last one examined."""
        return self.V * (1 - self.C)


def curves(metric: str, ranks: int, relevant: Sequence[int] = ()) -> Curves:
    """A user model on a ranking with relevant documents only at the given ranks.

    >>> curves("RBP(p=0.5)", 3).R.tolist()
    [0.5, 0.25, 0.125]
    """
    model = parse(metric)
    browsing = model.browse(model.seen(example(relevant, ranks)))
    C = browsing.C[0]
    V = examination_probability(browsing.C)[0]
    after = np.append(V[1:], browsing.past_total()[0])
    remaining = np.flip(np.flip(after).cumsum())  # summed from the small end, so that deep residuals keep their digits
    total = float(V[0] + remaining[0])
    return Curves(V, V / total, C, remaining / total, total)


def example(relevant: Sequence[int], ranks: int) -> Rankings:
    """One ranking, with relevant documents only at the given ranks."""
    grade = np.zeros((1, ranks))
    grade[0, np.array(relevant, dtype=np.int64) - 1] = 1
    return Rankings.of(grade, max_grade=1)


def scores_2c() -> list[float]:
    """The scores of INSQ, adaptive INSQ, and adaptive INSQ one rank deeper on the example of Figure 2(c)."""
    metrics = ("INSQ(T=5)", "aINSQ(T=5)", "aINSQ(T=5,shift=1)")
    return [float(parse(metric).score(example(FIGURE_2C, 100))[0]) for metric in metrics]


def figure_1() -> "alt.AnyChart":
    """Weights, halting probabilities and residuals of three static metrics."""
    models = {name: curves(metric, DRAWN_RANKS) for name, metric in FIGURE_1.items()}
    return _side_by_side("Figure 1", *(_panel(models, letter, title, "metric") for letter, title in PANELS.items()))


def figure_2() -> "alt.AnyChart":
    """INSQ for three goals, and an example of how adaptation changes its weights."""
    models = {name: curves(metric, DRAWN_RANKS) for name, metric in FIGURE_2.items()}
    adapted_models = {
        "background": curves("INSQ(T=5)", DRAWN_RANKS),
        "adjusted (equation 3)": curves("aINSQ(T=5)", DRAWN_RANKS, FIGURE_2C),
        "adjusted (one rank deeper)": curves("aINSQ(T=5,shift=1)", DRAWN_RANKS, FIGURE_2C),
    }
    ticks = [{"rank": rank, "value": float(adapted_models["adjusted (equation 3)"].W[rank - 1])} for rank in FIGURE_2C]
    relevant = alt.Chart(inline_data(ticks)).mark_point(color="black", size=24).encode(x="rank:Q", y="value:Q")
    panels = [_panel(models, letter, PANELS[letter], "goal") for letter in ("W", "H")]
    panels.append(_panel(adapted_models, "W", "(c) weight, T = 5; relevant ranks marked", "weights") + relevant)
    return _side_by_side("Figure 2", *panels)


def transposition_chart() -> "alt.AnyChart":
    """Class agreements recomputed from part (a), compared with those printed on either side of the diagonal."""
    points = [
        {
            "table": f"Table {TABLES[collection][0]}(b)",
            "side": side.printed,
            "metrics": f"{side.row}, {side.column}",
            "printed": side.figure,
            "recomputed": side.captioned,
        }
        for collection in TABLES
        for side in sides(collection)
    ]
    scale = alt.Scale(domain=[60, 100])
    dots = (
        alt.Chart(inline_data(points))
        .mark_point(filled=True, opacity=0.8)
        .encode(
            x=alt.X("recomputed:Q", title="recomputed from part (a), as the caption defines it", scale=scale),
            y=alt.Y("printed:Q", title="printed", scale=scale),
            color=alt.Color("side:N", title="printed"),
            tooltip=["metrics:N", alt.Tooltip("recomputed:Q", format=".1f"), "printed:Q"],
        )
    )
    ends = alt.Chart(inline_data([{"recomputed": end, "printed": end} for end in (60, 100)]))
    places = {"x": alt.X("recomputed:Q", scale=scale), "y": alt.Y("printed:Q", scale=scale)}
    diagonal = ends.mark_line(color="grey").encode(**places)
    return alt.hconcat(
        *(
            (diagonal + dots.transform_filter(f"datum.table == '{name}'")).properties(width=260, height=260, title=name)
            for name in dict.fromkeys(str(point["table"]) for point in points)
        ),
        title="moffat2012, Tables 1(b) and 2(b): printed and recomputed",
    )


def _panel(models: dict[str, Curves], letter: str, title: str, legend: str) -> "alt.AnyChart":
    """One panel with logarithmic scales, without values of 0."""
    ranks = [*range(1, 101), *range(110, DRAWN_RANKS + 1, 10)]
    points = [
        {"rank": rank, legend: name, "value": float(values[rank - 1])}
        for name, model in models.items()
        for values in (getattr(model, letter),)
        for rank in ranks
        if rank <= len(values) and values[rank - 1] > 1e-6
    ]
    return (
        alt.Chart(inline_data(points), title=title, width=250, height=220)
        .mark_line()
        .encode(
            x=alt.X("rank:Q", scale=alt.Scale(type="log"), title="rank"),
            y=alt.Y("value:Q", scale=alt.Scale(type="log"), title=None, axis=alt.Axis(format="~e")),
            color=alt.Color(f"{legend}:N", sort=list(models)),
        )
    )


def _side_by_side(title: str, *panels: Any) -> "alt.AnyChart":
    return alt.hconcat(*panels, title=f"moffat2012, {title}, redrawn").resolve_scale(color="independent")
