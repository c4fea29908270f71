"""The atlas: every metric's profile on every collection, and what holds on all of them, from docs/atlas."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any

from markdown_text import markdown_table

from irassay.reports.glossary import TERMS
from irassay.views import altair as alt
from irassay.views.charts import interval_lines
from irassay.views.theme import AHEAD, COLOURS, NEITHER, row_chart, save_chart

DATA = Path(__file__).parents[1] / "atlas"
ORDER = ("trec-covid-1", "dl-2019", "trec-8", "web-2012", "simulated", "simulated-diversity")
# The colour and shape of each collection.
LOOKS = tuple(zip(COLOURS, ("circle", "square", "triangle-up", "cross", "diamond", "triangle-right"), strict=False))
MANY = 25  # metrics in a sentence; more are folded
NEAREST = 5  # metrics named on a metric's page, for each collection
SHOWN = 3  # metrics named in a cell
INTRODUCTION = """# Atlas

What does irassay say about each metric on the public collections at hand? `python benchmarks/atlas.py` computed the
figures; the pages are drawn from them. A figure describes these systems on these topics. What holds on several
collections is a better guide to a new one, but five collections are few.
"""
ON_ALL = """Only metrics that were tested on at least two collections are named here. A metric *may be best* if no other
is significantly better; usually several may."""
FILLED = """Each row is a metric, and each mark its estimate on one collection. A filled mark (bold in the tables) means
that the metric may be best on that collection. Metrics are in the order of the first collection that has them.
Collections differ in their systems and topics, so compare marks of one colour."""
LEGEND = """A blue dot means that the metric *may be best* by this criterion: no other metric is significantly better.
The line is the 95 % interval over topics. Criteria are explained under [columns and terms](../reference/columns.md)."""


@dataclass(frozen=True)
class Atlas:
    """The figures of one collection."""

    key: str
    title: str
    source: str
    systems: int
    topics: int
    metrics: tuple[str, ...]  # spelled in full
    names: tuple[str, ...]  # of their pages
    criteria: Mapping[str, Mapping[str, Sequence[Any]]]
    tau: Sequence[Sequence[float | None]]

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"{self.systems} systems, {self.topics} topics"

    def estimate(self, criterion: str, metric: str) -> float | None:
        """A metric's estimate; None if there is none."""
        if criterion not in self.criteria or metric not in self.metrics:
            return None
        return self.criteria[criterion]["estimate"][self.metrics.index(metric)]

    def may_be_best(self, criterion: str, metric: str) -> bool:
        """Whether a metric with an estimate is behind no other."""
        return not self.criteria[criterion]["behind"][self.metrics.index(metric)]

    def behind(self, criterion: str) -> set[tuple[str, str]]:
        """The pairs of a metric and one that it is significantly behind."""
        rows = enumerate(self.criteria.get(criterion, {}).get("behind", ()))
        return {(self.metrics[m], self.metrics[other]) for m, others in rows for other in others}


@cache
def atlases() -> tuple[Atlas, ...]:
    """The collections, in their order on the pages; empty if none was computed."""
    found = []
    for key in ORDER:
        if (path := DATA / f"{key}.json").exists():
            fields = json.loads(path.read_text(encoding="utf-8"))
            spellings, names = zip(*((each["spelling"], each["name"]) for each in fields["metrics"]), strict=True)
            kept = {name: fields[name] for name in ("title", "source", "systems", "topics", "criteria", "tau")}
            found.append(Atlas(key=key, metrics=spellings, names=names, **kept))
    return tuple(found)


def atlas_pages(pictures: Path) -> Iterator[tuple[str, str]]:
    """The file name and the text of the overview and of each collection's page; draws their pictures."""
    yield "index", overview(pictures)
    for each in atlases():
        yield each.key, collection_page(each, pictures)


def overview(pictures: Path) -> str:
    """The collections, and what holds on all of them; draws a picture for each criterion."""
    rows = (
        (f"[{each.title}]({each.key}.md)", str(each.systems), str(each.topics), str(len(each.metrics)), each.source)
        for each in atlases()
    )
    blocks = [INTRODUCTION, markdown_table(("collection", "systems", "topics", "metrics", "from"), rows)]
    blocks += ["## What holds on all collections", ON_ALL, *common_findings()]
    blocks += ["## One criterion at a time", FILLED]
    for criterion in criteria():
        picture = pictures / f"atlas-{criterion.replace(' ', '-')}.svg"
        save_chart(criterion_chart(criterion), picture)
        blocks += [f"### {criterion.capitalize()}", TERMS[criterion]]
        blocks.append(f"![{criterion.capitalize()} of each metric on each collection.](../pictures/{picture.name})")
        blocks.append(f":::{{dropdown}} The numbers\n{criterion_table(criterion)}\n:::")
    names = "\n".join(each.key for each in atlases())
    return "\n\n".join([*blocks, f"```{{toctree}}\n:hidden:\n\n{names}\n```"]) + "\n"


def criteria() -> list[str]:
    """All criteria, in the order of the report."""
    return list(dict.fromkeys(name for each in atlases() for name in each.criteria))


def common_findings() -> Iterator[str]:
    """For each criterion, the metrics that may be best on every collection, and the orders found on every one."""
    for criterion in criteria():
        metrics = [metric for metric in all_metrics() if is_repeated(tested(criterion, metric))]
        best = [m for m in metrics if all(each.may_be_best(criterion, m) for each in tested(criterion, m))]
        names = ", ".join(best)
        yield f"**{criterion.capitalize()}.** " + (
            f"{len(best)} of {len(metrics)} metrics may be best wherever they were tested, so this tells few apart."
            if len(best) > MANY
            else f"Wherever they were tested, these may be best: {names}."
            if best
            else "No metric may be best wherever it was tested."
        )
        if len(best) > MANY:
            yield f":::{{dropdown}} The {len(best)} metrics\n{names}\n:::"
        orders = common_orders(criterion, metrics)
        behind = {low: ", ".join(high for other, high in orders if other == low) for low, _ in orders}
        if behind:
            table = markdown_table(("metric", "is significantly behind"), behind.items())
            title = f"{len(behind)} metrics are behind others wherever both were tested"
            yield f":::{{dropdown}} {title}\n{table}\n:::"


def all_metrics() -> list[str]:
    """The metrics of all collections."""
    return list(dict.fromkeys(metric for each in atlases() for metric in each.metrics))


def tested(criterion: str, *metrics: str) -> list[Atlas]:
    """The collections on which all these metrics have an estimate."""
    return [each for each in atlases() if all(each.estimate(criterion, metric) is not None for metric in metrics)]


def is_repeated(found: Sequence[Atlas]) -> bool:
    """Whether there are two different collections; the simulated one by subtopic has the systems of the other."""
    return len({each.key.removesuffix("-diversity") for each in found}) > 1


def common_orders(criterion: str, metrics: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of metrics of which the first is significantly behind on every collection that has both, at least two."""
    behind = {each.key: each.behind(criterion) for each in atlases()}
    return [
        (low, high)
        for low in metrics
        for high in metrics
        if is_repeated(both := tested(criterion, low, high)) and all((low, high) in behind[each.key] for each in both)
    ]


def sorted_metrics(criterion: str) -> list[str]:
    """The metrics with an estimate, highest first on the first collection that has them."""
    metrics = {metric: tested(criterion, metric) for metric in all_metrics() if tested(criterion, metric)}

    def place(metric: str) -> tuple[int, float]:
        first = metrics[metric][0]
        return atlases().index(first), -(first.estimate(criterion, metric) or 0)

    return sorted(metrics, key=place)


def criterion_table(criterion: str) -> str:
    """Every metric's estimate on every collection; bold where the metric may be best."""
    columns = [each for each in atlases() if criterion in each.criteria]
    rows = (
        (metric_link(metric), *(estimate_cell(each, criterion, metric) for each in columns))
        for metric in sorted_metrics(criterion)
    )
    return markdown_table(("metric", *(each.title for each in columns)), rows)


def criterion_chart(criterion: str) -> Any:
    """The same as marks, one colour and shape for each collection; filled where the metric may be best."""
    looks = {each.title: look for each, look in zip(atlases(), LOOKS, strict=True) if criterion in each.criteria}
    order, titles, (colours, shapes) = sorted_metrics(criterion), list(looks), zip(*looks.values(), strict=True)
    rows = [
        {"metric": metric, "collection": each.title, "estimate": each.estimate(criterion, metric)}
        | {"fill": each.title if each.may_be_best(criterion, metric) else ""}
        for metric in order
        for each in tested(criterion, metric)
    ]
    scale = alt.Scale(domain=titles, range=list(colours))
    legend = alt.Legend(orient="top", columns=3, symbolFillColor="white", symbolStrokeWidth=2)
    filled = alt.Scale(domain=[*titles, ""], range=[*colours, "#ffffff"])
    return (
        row_chart(rows, width=420, height=13 * len(order))
        .mark_point(size=55, strokeWidth=1.5, opacity=1)
        .encode(
            x=alt.X("estimate:Q", title=criterion).scale(zero=False),
            y=alt.Y("metric:N", sort=order, title=None).axis(grid=True),
            shape=alt.Shape("collection:N", title=None, legend=legend).scale(domain=titles, range=list(shapes)),
            color=alt.Color("collection:N", scale=scale, title=None, legend=legend),
            fill=alt.Fill("fill:N", scale=filled, legend=None),
        )
    )


def estimate_cell(atlas: Atlas, criterion: str, metric: str) -> str:
    """An estimate, bold where the metric may be best; empty if there is none."""
    value = atlas.estimate(criterion, metric)
    if value is None:
        return ""
    return f"**{value:.2f}**" if atlas.may_be_best(criterion, metric) else f"{value:.2f}"


def metric_link(metric: str) -> str:
    """A metric, with a link to its page."""
    name = next(each.names[each.metrics.index(metric)] for each in atlases() if metric in each.metrics)
    return f"[{metric}](../metrics/{name}.md)"


def collection_page(atlas: Atlas, pictures: Path) -> str:
    """The profiles on one collection, and which metrics rank its systems alike."""
    picture = pictures / f"atlas-{atlas.key}.svg"
    save_chart(profile_chart(atlas), picture)
    rows = (
        (metric_link(metric), *(interval_cell(atlas, name, m) for name in atlas.criteria), nearest_text(atlas, metric))
        for m, metric in enumerate(atlas.metrics)
    )
    blocks = [
        f"# {atlas.title}",
        f"{atlas.size}, {len(atlas.metrics)} metrics; from {atlas.source}.",
        f"![Estimates and intervals of each metric by each criterion on {atlas.title}.](../pictures/{picture.name})",
        LEGEND,
        markdown_table(("metric", *atlas.criteria, "ranks systems most like (tau)"), rows),
    ]
    return "\n\n".join(blocks) + "\n"


def interval_cell(atlas: Atlas, criterion: str, m: int) -> str:
    """An estimate with its interval."""
    found = atlas.criteria[criterion]
    value, low, high = (found[part][m] for part in ("estimate", "low", "high"))
    return "" if value is None else f"{value:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")


def profile_chart(atlas: Atlas) -> Any:
    """A dot with an interval for every metric, one panel for each criterion; the metrics by discriminative power."""
    first = next(iter(atlas.criteria))
    order = sorted(atlas.metrics, key=lambda metric: -(atlas.estimate(first, metric) or 0))
    colour = alt.Color("best:N", scale=alt.Scale(domain=[True, False], range=[AHEAD, NEITHER]), legend=None)
    drawn = []
    for name, found in atlas.criteria.items():
        rows = [
            {"metric": metric, "best": atlas.may_be_best(name, metric)}
            | {part: found[part][m] for part in ("estimate", "low", "high")}
            for m, metric in enumerate(atlas.metrics)
            if found["estimate"][m] is not None
        ]
        axis = alt.Axis() if name == first else alt.Axis(labels=False, ticks=False)
        y = alt.Y("metric:N", sort=order, title=None, axis=axis, scale=alt.Scale(domain=order))
        base = row_chart(rows, width=150, height=13 * len(order), title=panel_title(name)).encode(y=y, color=colour)
        circles = base.mark_circle(size=50, opacity=1).encode(x=alt.X("estimate:Q"))
        x = alt.X("low:Q", title=None, axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=False))
        drawn.append(interval_lines(base, x) + circles)
    return alt.hconcat(*drawn, spacing=15)


def panel_title(criterion: str) -> Any:
    """A criterion above its panel, in two lines."""
    return alt.TitleParams(text=wrap(criterion, 18), fontSize=12, frame="group", anchor="start")


def nearest(atlas: Atlas, metric: str) -> list[tuple[str, float]]:
    """The other metrics by their tau with this one, the most similar first."""
    row = atlas.tau[atlas.metrics.index(metric)]
    pairs = [(other, tau) for other, tau in zip(atlas.metrics, row, strict=True) if tau is not None and other != metric]
    return sorted(pairs, key=lambda pair: -pair[1])


def nearest_text(atlas: Atlas, metric: str) -> str:
    """The most similar metrics with tau."""
    return ", ".join(f"{other} {tau:.2f}" for other, tau in nearest(atlas, metric)[:SHOWN])


def nearest_section(name: str) -> str:
    """The metrics that rank systems most like a metric's own ranking, by collection; empty if it is in none."""
    rows = [
        (
            f"[{each.title}](../atlas/{each.key}.md)",
            metric,
            ", ".join(f"{metric_link(other)} {tau:.2f}" for other, tau in nearest(each, metric)[:NEAREST]),
        )
        for each in atlases()
        for metric, of in zip(each.metrics, each.names, strict=True)
        if of == name
    ]
    if not rows:
        return ""
    about = "Which metrics rank the systems of a collection most alike? The numbers are Kendall's tau."
    return f"## Nearest metrics\n\n{about}\n\n{markdown_table(('collection', 'metric', 'nearest'), rows)}"
