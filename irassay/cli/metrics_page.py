"""The page `docs/metrics.md`, which `make index` writes from the declarations of the metrics."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from irassay.bibliography import entries
from irassay.declarations import doc
from irassay.metrics.catalogue import FAMILIES
from irassay.metrics.declaration import Declaration
from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import Metric
from irassay.metrics.parameters import COMMON, Parameter
from irassay.rankings.gain import compact

INTRODUCTION = """# Metrics

<!-- Written by `make index` from the declarations in irassay/metrics/catalogue; a test keeps it current. -->

There are {count} metrics. Write one as `NAME`, `NAME@cutoff` or `NAME(key=value,…)@cutoff`: `nDCG@10`, `RBP(p=0.95)`,
`INST(T=2.25,A='MAX')@20`. Every parameter has a default. The names that other tools use are understood too.
`irassay metrics` prints the list; `irassay explain RBP 1,0,2` shows how a ranking earns its score.

On this page:

- a *monotone* metric never scores lower when a result gets a better grade, with the default parameters;
- @k after a name means that the definition itself depends on the cutoff; every other metric takes a cutoff too, which
  shortens the list;
- *pool* means that the metric uses all judged documents of a topic, not only those in the list.
"""
NEEDS = {
    "pool": "the pool",
    "aspects": "judgements by subtopic",
    "turns": "sessions or Dynamic Domain runs",
    "lengths": "document lengths",
    "passages": "passage judgements",
    "preferences": "preferences between documents",
}
USES = {"lengths": "document lengths", "costs": "costs of results", "weights": "weights of aspects"}


def metrics_page() -> str:
    """The page in Markdown: an overview, the common parameters, every metric by family, the references."""
    metrics = list(catalogue().values())
    blocks = [INTRODUCTION.format(count=len(metrics)), "## Overview", overview(metrics)]
    blocks += ["## Parameters that many metrics take", common_parameters()]
    for family in FAMILIES:
        blocks += [f"## {family_heading(family)}"]
        for metric in (m for m in metrics if m.declaration.function.__module__ == family):
            blocks += metric_section(metric)
    cited = sorted({key for metric in metrics for each in definitions(metric) for key in each.cite})
    blocks += ["## References", "\n".join(f"- **{key}**: {entries()[key].reference}" for key in cited)]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def definitions(metric: Metric) -> Iterator[Declaration]:
    """The definition of a metric, and a second one if it has another with A given."""
    yield metric.declaration
    if metric.declaration.with_A:
        yield metric.declaration.with_A


def family_heading(module: str) -> str:
    """The first line of a family's module docstring."""
    return (sys.modules[module].__doc__ or "").split("\n")[0].strip().rstrip(".")


def metric_heading(metric: Metric) -> str:
    """The name of a metric, with @k where its definition depends on the cutoff."""
    return metric.name + ("@k" if metric.declaration.sized else "")


def markdown_table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def overview(metrics: Iterable[Metric]) -> str:
    """A table with a row for each metric."""
    links = ((f"[{metric_heading(metric)}](#{anchor(metric)})", metric.declaration) for metric in metrics)
    rows = ((link, declaration.summary, input_needs(declaration)) for link, declaration in links)
    return markdown_table(("metric", "what it measures, or what its user does", "needs"), rows)


def anchor(metric: Metric) -> str:
    """The anchor of a metric's heading, as GitHub and Sphinx derive it."""
    return re.sub(r"[^\w-]", "", metric_heading(metric).lower())


def input_needs(declaration: Declaration) -> str:
    """What a metric needs as input, in words."""
    return ", ".join(words for need, words in NEEDS.items() if need in declaration.needs)


def common_parameters() -> str:
    """A table of the parameters that mean the same in all metrics."""
    rows = ((f"`{name}`", domain.describe(), sentence) for name, (domain, sentence) in COMMON.items())
    sentence = "User models take all of these except `h`; other metrics take those listed with them."
    return sentence + "\n\n" + markdown_table(("parameter", "values", "meaning"), rows)


def metric_section(metric: Metric) -> list[str]:
    """The paragraphs on one metric."""
    declaration = metric.declaration
    more = doc(declaration.function).split("\n\n")[1:]
    blocks = [f"### {metric_heading(metric)}", declaration.summary]
    blocks += [" ".join(part.split()) for part in more if ">>>" not in part]
    if declaration.with_A:
        other = declaration.with_A
        blocks.append(f"With `A=` given, it is the user model of {', '.join(other.cite)}: {lower_first(other.summary)}")
    own = [declaration.parameters[name] for name in declaration.own]
    if own:
        blocks.append(markdown_table(("parameter", "default", "values", "meaning"), map(parameter_row, own)))
    shared = [name for name in declaration.parameters if name not in declaration.own]
    facts = [("Common parameters", ", ".join(f"`{n}={compact(declaration.defaults[n])}`" for n in shared))]
    return [*blocks, "\n".join(f"- {name}: {text}" for name, text in [*facts, *metric_facts(metric)] if text)]


def lower_first(sentence: str) -> str:
    """A sentence that continues after a colon."""
    return sentence[:1].lower() + sentence[1:]


def parameter_row(parameter: Parameter) -> tuple[str, ...]:
    """The row of a parameter."""
    return f"`{parameter.name}`", f"`{compact(parameter.default)}`", parameter.domain.describe(), parameter.sentence


def metric_facts(metric: Metric) -> Iterator[tuple[str, str]]:
    """Further facts on a metric, by heading."""
    declaration = metric.declaration
    low, high = ("∞" if end == float("inf") else "-∞" if end == -float("inf") else f"{end:g}" for end in metric.range)
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
