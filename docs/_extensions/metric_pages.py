"""One page per metric and their overview, from the declarations: formula, curves, a worked ranking, references."""

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from atlas_pages import nearest_section
from file_examples import file_example_blocks
from formula_symbols import formula_blocks
from full_names import FULL_NAMES, searched_names
from implementations import differences, implementing_tools
from markdown_text import bibtex, index_entries, markdown_table

from irassay import explain
from irassay.declarations import doc
from irassay.metrics.catalogue import FAMILIES
from irassay.metrics.declaration import Declaration
from irassay.metrics.explanation import Explanation
from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import COMMON, Parameter
from irassay.rankings.gain import compact

AXIOM_TABLE = Path(__file__).parents[2] / "tests" / "golden" / "axioms_m2_h8.tsv"
OVERVIEW = """# Metrics

There are {count} metrics. Write one as `NAME`, `NAME@cutoff` or `NAME(key=value,…)@cutoff`: `nDCG@10`, `RBP(p=0.95)`,
`INST(T=2.25,A='MAX')@20`. Every parameter has a default. The names that other tools use are understood too.

On these pages:

- a *monotone* metric never scores lower when a result gets a better grade, with the default parameters;
- @k after a name means that the definition itself depends on the cutoff; every other metric takes a cutoff too, which
  shortens the list;
- *pool* means that the metric uses all judged documents of a topic, not only those in the list.
"""
LENGTHS = "300,50,1200,80,400,600"  # of the results of a worked ranking
NEEDS = {
    "pool": "the pool",
    "aspects": "judgements by subtopic",
    "turns": "sessions or Dynamic Domain runs",
    "lengths": "document lengths",
    "passages": "passage judgements",
    "preferences": "preferences between documents",
}
USES = {"lengths": "document lengths", "costs": "costs of results", "weights": "weights of aspects"}


def metric_pages(pictures: Path) -> Iterator[tuple[str, str]]:
    """The file name and the text of the overview and of each metric's page; draws their pictures."""
    metrics = list(catalogue().values())
    yield "index", overview(metrics)
    axioms = axiom_rows()
    for metric in metrics:
        yield metric.name, metric_page(metric, axioms.get(metric.name, []), pictures)


def overview(metrics: Sequence[Metric]) -> str:
    """The page that lists all metrics by family, and the parameters that they share."""
    blocks, contents = [OVERVIEW.format(count=len(metrics))], []
    for family, heading in FAMILIES.items():
        members = [metric for metric in metrics if metric.declaration.function.__module__ == family]
        rows = (
            (
                f"[{metric_heading(metric)}]({metric.name}.md)" + full_name_after_comma(metric),
                metric.declaration.summary,
                input_needs(metric.declaration),
            )
            for metric in members
        )
        blocks += [f"## {heading}", family_sentence(family)]
        blocks.append(markdown_table(("metric", "what it measures", "needs"), rows))
        names = "\n".join(metric.name for metric in members)
        contents.append(f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{names}\n```")
    blocks += ["## Parameters that many metrics take", common_parameters()]
    return "\n\n".join([*blocks, *contents]) + "\n"


def metric_page(metric: Metric, axioms: Sequence[dict[str, str]], pictures: Path) -> str:
    """The page of one metric."""
    declaration = metric.declaration
    more = [" ".join(part.split()) for part in doc(declaration.function).split("\n\n")[1:] if ">>>" not in part]
    blocks = [
        f"# {metric.name}",
        index_entries((declaration.name, *declaration.all_aliases, *searched_names(metric.name))),
        f"**{capitalised(FULL_NAMES[metric.name])}**" if metric.name in FULL_NAMES else "",
        declaration.summary,
        *more,
    ]
    blocks += ["\n".join(f"- {name}: {text}" for name, text in metric_facts(metric) if text)]
    blocks += ["## Formula", *formula_blocks(declaration)]
    if declaration.with_A:
        other = declaration.with_A
        blocks.append(f"With `A=` given, it is the user model of {', '.join(other.cite)}: {lower_first(other.summary)}")
        blocks += formula_blocks(other)
    blocks += ["## Parameters", *parameter_tables(declaration)]
    blocks += ["## A worked ranking", *example_blocks(metric, pictures)]
    blocks += ["## Axioms", axiom_section(metric, axioms)]
    blocks.append(nearest_section(metric.name))
    blocks += ["## In other tools", *tool_section(metric)]
    blocks += ["## References", *(bibtex(key) for each in definitions(metric) for key in each.cite)]
    return "\n\n".join(block.strip() for block in blocks if block.strip()) + "\n"


def parameter_tables(declaration: Declaration) -> Iterator[str]:
    """The parameters of its own, and the names of those that it shares with others."""
    own = [declaration.parameters[name] for name in declaration.own]
    if own:
        yield markdown_table(("parameter", "default", "values", "meaning"), map(parameter_row, own))
    shared = [name for name in declaration.parameters if name not in declaration.own]
    if shared:
        listed = ", ".join(f"`{name}={compact(declaration.defaults[name])}`" for name in shared)
        yield f"It also takes [common parameters](index.md#parameters-that-many-metrics-take): {listed}."
    if not own and not shared:
        yield "It has none."


def worked_example(metric: Metric) -> tuple[Explanation, str]:
    """How a short ranking gets its score, and the options that the command needs."""
    if "lengths" in metric.needs:
        return explain(metric.name, lengths=LENGTHS), f" --lengths {LENGTHS}"
    return explain(metric.name), ""


def example_blocks(metric: Metric, pictures: Path) -> Iterator[str]:
    """The command, its picture and its table; or small files, if a ranking does not suffice."""
    if from_files := list(file_example_blocks(metric.name)):
        yield from from_files
        return
    example, options = worked_example(metric)
    items = ",".join(item for item in example.items if item != "·")
    yield f"`irassay explain {metric.name} {items}{options}`"
    picture = pictures / f"{metric.name}.svg"
    example.plot(picture)
    what = "The user's attention, rank by rank" if example.is_model else "What each rank earns"
    yield f"![{what}, by {metric.name} on the ranking {items}.](../pictures/{picture.name})"
    blocks = example.to_markdown().split("\n\n")[2:]  # without the heading and the summary, which the page has
    table = next(number for number, block in enumerate(blocks) if block.startswith("|"))
    yield " ".join(blocks[:table])
    yield from blocks[table:]


def axiom_rows() -> dict[str, list[dict[str, str]]]:
    """The rows of the tested table of axioms, by metric."""
    table: dict[str, list[dict[str, str]]] = {}
    with AXIOM_TABLE.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            table.setdefault(row["metric"], []).append(row)
    return table


def axiom_section(metric: Metric, rows: Sequence[dict[str, str]]) -> str:
    """Which axioms hold on all short rankings, and a counterexample for each that does not."""
    if not rows or not rows[0]["property"]:
        reason = f"{rows[0]['sentence'].removesuffix('; leave it out')}." if rows else ""
        return f"The axioms were not tested for this metric. {reason}"
    table = markdown_table(("axiom", "on all short rankings", "cases", "counterexample"), map(axiom_cells, rows))
    command = f"`irassay axioms -m {metric.name} --aspects 2 --depth 8`"
    return f"Tested on every ranking of up to 8 results over two aspects ({command}).\n\n{table}"


def axiom_cells(row: Mapping[str, str]) -> tuple[str, ...]:
    """An axiom, whether it holds, the cases tested, and a counterexample if there is one."""
    title, violations, cases = row["property"].replace("_", " "), int(row["violations"]), f"{int(row['cases']):,}"
    if not violations:
        return title, "holds", cases, row["sentence"]
    return title, "broken", f"{violations:,} of {cases}", row["sentence"]


def tool_section(metric: Metric) -> Iterator[str]:
    """Who else implements a metric, and what is known about differences."""
    tools = implementing_tools(metric)
    yield f"It is also in {', '.join(tools)}." if tools else "None of the tools that were compared has it."
    if items := list(differences(metric)):
        yield "Where tools and papers differ:"
        yield "\n".join(f"- {item}" for item in items)


def definitions(metric: Metric) -> Iterator[Declaration]:
    """The definition of a metric, and a second one if it has another with A given."""
    yield metric.declaration
    if metric.declaration.with_A:
        yield metric.declaration.with_A


def family_sentence(module: str) -> str:
    """The first line of a family's module docstring."""
    return (sys.modules[module].__doc__ or "").split("\n")[0].strip()


def metric_heading(metric: Metric) -> str:
    """The name of a metric, with @k where its definition depends on the cutoff."""
    return metric.name + ("@k" if metric.declaration.sized else "")


def full_name_after_comma(metric: Metric) -> str:
    """What stands after the name of a metric in a list."""
    return f", {FULL_NAMES[metric.name]}" if metric.name in FULL_NAMES else ""


def capitalised(name: str) -> str:
    """A name at the beginning of a line."""
    return name[:1].upper() + name[1:]


def input_needs(declaration: Declaration) -> str:
    """What a metric needs as input, in words."""
    return ", ".join(words for need, words in NEEDS.items() if need in declaration.needs)


def common_parameters() -> str:
    """A table of the parameters that mean the same in all metrics."""
    rows = ((f"`{name}`", domain.describe(), sentence) for name, (domain, sentence) in COMMON.items())
    sentence = "User models take all of these except `h`; other metrics take those listed with them."
    return sentence + "\n\n" + markdown_table(("parameter", "values", "meaning"), rows)


def lower_first(sentence: str) -> str:
    """A sentence that continues after a colon."""
    return sentence[:1].lower() + sentence[1:]


def parameter_row(parameter: Parameter) -> tuple[str, ...]:
    """The row of a parameter."""
    return f"`{parameter.name}`", f"`{compact(parameter.default)}`", parameter.domain.describe(), parameter.sentence


def metric_facts(metric: Metric) -> Iterator[tuple[str, str]]:
    """Further facts on a metric, by heading."""
    declaration = metric.declaration
    low, high = ("∞" if end == float("inf") else "−∞" if end == -float("inf") else f"{end:g}" for end in metric.range)
    best = "" if declaration.higher_is_better else "; lower is better"
    yield "Range", f"{low} to {high}{best}{'; monotone' if metric.monotone else ''}"
    yield "Needs", input_needs(declaration)
    yield "Uses, if given", ", ".join(words for use, words in USES.items() if use in metric.uses - declaration.needs)
    yield "Over topics", {"sum": "sum", "geometric": "geometric mean"}.get(declaration.over_topics, "")
    yield "In trec_eval", alias_list(declaration.trec_eval, declaration)
    others = [alias for alias in declaration.all_aliases if alias not in declaration.trec_eval]
    yield "Also understood", alias_list(others, declaration)
    yield "Not confirmed by an independent source", declaration.unchecked
    yield "Source", ", ".join(declaration.cite)


def alias_list(aliases: Iterable[str], declaration: Declaration) -> str:
    """Aliases with the parameters that they imply."""
    parameters = {alias: declaration.variants.get(alias, {}) for alias in aliases}
    texts = {alias: ", ".join(f"{k}={compact(v)}" for k, v in each.items()) for alias, each in parameters.items()}
    return ", ".join(f"`{alias}`" + (f" (with `{text}`)" if text else "") for alias, text in texts.items())
