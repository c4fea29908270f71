"""Writes the parts of "How to choose" that follow from declarations and benchmarks: tables and a picture."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from generated_pages import write_page
from markdown_text import markdown_table
from sphinx.application import Sphinx

from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import Metric
from irassay.views import altair as alt
from irassay.views.theme import COLOURS, row_chart, save_chart

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks" / "README.md"
NOMINAL = 5  # per cent
TOO_HIGH = 7  # per cent; above it, a rate is in bold
TESTS = ("max-t", "t, holm", "bootstrap-max-t", "wilcoxon, holm")
TOPICS = (10, 25, 50)
# What the input has, beyond judgements and a run, and how to say it.
INPUTS = {
    "judgements and a run": frozenset[str](),
    "most relevant documents judged, too": frozenset({"pool"}),
    "judgements by aspect": frozenset({"pool", "aspects"}),
    "sessions or iterations": frozenset({"pool", "turns"}),
    "sessions or iterations, and aspects": frozenset({"pool", "turns", "aspects"}),
    "sessions or iterations, and document lengths": frozenset({"turns", "lengths", "passages"}),
    "preferences between documents": frozenset({"pool", "preferences"}),
}


def write_parts(app: Sphinx) -> None:
    """Writes the parts into docs/generated/parts, which the pages include."""
    folder = Path(app.srcdir) / "generated" / "parts"
    folder.mkdir(parents=True, exist_ok=True)
    metrics = [metric for metric in catalogue().values() if not is_count(metric)]
    write_page(folder / "metrics-by-input.md", metrics_by_input(metrics))
    write_page(folder / "metrics-by-trait.md", metrics_by_trait(metrics))
    tables = list(benchmark_tables("## Type I error"))
    write_page(folder / "false-differences.md", plain_table(with_bold_failures(tables[1])))
    write_page(folder / "false-differences-20.md", plain_table(tables[0]))
    picture = folder / "false-differences.svg"
    save_chart(error_chart(tables[1]), picture)


def is_count(metric: Metric) -> bool:
    """Whether a metric describes the input instead of the quality of a ranking."""
    return metric.declaration.counts or metric.declaration.of_judging


def metrics_by_input(metrics: Iterable[Metric]) -> str:
    """A table of the metrics that each kind of input allows, each in the first row that suffices."""
    rows: dict[str, list[str]] = {words: [] for words in INPUTS}
    for metric in metrics:
        words = next(words for words, has in INPUTS.items() if metric.declaration.needs <= has)
        rows[words].append(link(metric))
    return markdown_table(
        ("you have", "metrics"), ((words, ", ".join(names)) for words, names in rows.items() if names)
    )


def metrics_by_trait(metrics: Sequence[Metric]) -> str:
    """A table of the metrics with traits that matter for a choice."""
    models = [metric for metric in metrics if metric.declaration.kind == "user_model"]
    traits = {
        "the user goes on without regard to what was found": [m for m in models if family(m) == "static"],
        "what was found decides whether the user goes on": [m for m in models if family(m) == "adaptive"],
        "the user wants a certain amount": [metric for metric in metrics if metric.declaration.goal],
        "time or length counts": [m for m in metrics if "lengths" in m.uses or "lengths" in m.declaration.needs],
        "missing judgements give true bounds": [metric for metric in metrics if metric.bounded()],
    }
    return markdown_table(("if", "metrics"), ((words, ", ".join(map(link, some))) for words, some in traits.items()))


def family(metric: Metric) -> str:
    """The file of the catalogue that has a metric."""
    return metric.declaration.function.__module__.rpartition(".")[2]


def link(metric: Metric) -> str:
    """A link to a metric's page, from a page in a folder of docs."""
    return f"[{metric.name}](../generated/metrics/{metric.name}.md)"


def benchmark_tables(heading: str) -> Iterator[list[list[str]]]:
    """The tables of a section of the benchmarks, as rows of cells with the head first."""
    section = BENCHMARKS.read_text(encoding="utf-8").partition(f"\n{heading}")[2].partition("\n## ")[0]
    for block in section.split("\n\n"):
        if block.lstrip().startswith("|"):
            lines = [line for line in block.strip().splitlines() if not line.startswith("|---")]
            yield [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def plain_table(rows: Sequence[Sequence[str]]) -> str:
    """A table of the benchmarks as it is."""
    unbroken = [[cell.replace(" / ", "\u00a0/\u00a0") for cell in row] for row in rows]
    return markdown_table(unbroken[0], unbroken[1:])


def with_bold_failures(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The table of error rates with each rate above the limit in bold."""
    head, *body = rows
    cells = [[cell.replace("*", "").split(" / ") for cell in row[1:]] for row in body]
    bold = [[" / ".join(f"**{x}**" if float(x) > TOO_HIGH else x for x in cell) for cell in row] for row in cells]
    return [head, *([row[0], *rates] for row, rates in zip(body, bold, strict=True))]


def error_chart(rows: Sequence[Sequence[str]]) -> alt.Chart:
    """Family-wise error by test, number of topics and kind of scores, with the nominal level."""
    points = list(error_points(rows))
    order = [row[0] for row in rows[1:]]
    base = row_chart(points)
    level = alt.Chart().mark_rule(strokeDash=[4, 3], color="#333333").encode(x=alt.datum(NOMINAL))
    dots = (
        alt.Chart()
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=alt.X("per cent:Q", title="false difference, % of families").scale(domain=[0, 20]),
            y=alt.Y("scores:N", title=None, sort=order).axis(labelLimit=300),
            color=alt.Color("topics:N", sort=None, title="topics").scale(
                domain=[f"{topics}" for topics in TOPICS], range=list(COLOURS[: len(TOPICS)])
            ),
            shape=alt.Shape("topics:N", sort=None, title="topics").scale(domain=[f"{topics}" for topics in TOPICS]),
        )
    )
    return (
        alt.layer(level, dots, data=base.data)
        .properties(width=230, height=150)
        .facet(alt.Facet("test:N", title=None, sort=list(TESTS)), columns=2)
        .properties(title="How often tests find a difference among 15 equal systems (it should be 5 %)")
    )


def error_points(rows: Sequence[Sequence[str]]) -> Iterator[Mapping[str, object]]:
    """The cells of the table, one point each."""
    head, *body = rows
    for scores, *cells in body:
        for test, cell in zip(head[1:], cells, strict=True):
            for topics, number in zip(TOPICS, cell.replace("*", "").split("/"), strict=True):
                yield {"scores": scores, "test": test, "topics": f"{topics}", "per cent": float(number)}


def setup(app: Sphinx) -> dict[str, bool]:
    """Has the parts written before pages are read."""
    app.connect("builder-inited", write_parts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
