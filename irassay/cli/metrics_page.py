"""The page `docs/metrics.md`, written from the declarations of the metrics by `make index`."""

import re
import sys
from collections.abc import Iterable, Iterator

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

- a metric that is *monotone* never scores lower when a result gets a better grade, with the default parameters;
- @k after a name means that the definition itself depends on the cutoff; any other metric also takes a cutoff, which
  shortens the list;
- *pool* means that the metric looks at all judged documents of a topic, not only at those in the list.
"""
NEEDS = {
    "pool": "the pool",
    "aspects": "judgements by subtopic",
    "turns": "sessions or Dynamic Domain runs",
    "lengths": "document lengths",
    "passages": "passage judgements",
}
USES = {"lengths": "document lengths", "costs": "costs of results", "weights": "weights of aspects"}


def metrics_page() -> str:
    """The page in Markdown: an overview, the common parameters, every metric by family, the works cited."""
    metrics = list(catalogue().values())
    blocks = [INTRODUCTION.format(count=len(metrics)), "## Overview", overview(metrics)]
    blocks += ["## Parameters that many metrics take", common_parameters()]
    for family in FAMILIES:
        blocks += [f"## {family_heading(family)}"]
        for metric in (m for m in metrics if m.declaration.function.__module__ == family):
            blocks += section(metric)
    cited = sorted({key for metric in metrics for reading in readings(metric) for key in reading.cite})
    blocks += ["## References", "\n".join(f"- **{key}**: {entries()[key].reference}" for key in cited)]
    return "\n\n".join(block.strip() for block in blocks) + "\n"


def readings(metric: Metric) -> Iterator[Declaration]:
    """The definition of a metric, and the other one that it has where A is given, if there is one."""
    yield metric.declaration
    if metric.declaration.with_A:
        yield metric.declaration.with_A


def family_heading(module: str) -> str:
    """What a family's file says it holds."""
    return (sys.modules[module].__doc__ or "").split("\n")[0].strip().rstrip(".")


def heading(metric: Metric) -> str:
    """The name of a metric, with @k where its definition depends on the cutoff."""
    return metric.name + ("@k" if metric.declaration.sized else "")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    names = list(head)
    lines = [names, ["---"] * len(names), *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def overview(metrics: Iterable[Metric]) -> str:
    """A table with a line for each metric."""
    rows = ((f"[{heading(m)}](#{anchor(m)})", m.declaration.summary, ", ".join(needs(m.declaration))) for m in metrics)
    return table(("metric", "what it measures, or what its user does", "needs"), rows)


def anchor(metric: Metric) -> str:
    """The place of a metric on the page, as GitHub and Sphinx call its heading."""
    return re.sub(r"[^\w-]", "", heading(metric).lower())


def needs(declaration: Declaration) -> list[str]:
    """What has to be given for a metric, in words."""
    return [words for need, words in NEEDS.items() if need in declaration.needs]


def common_parameters() -> str:
    """The parameters that mean the same in all metrics, in a table."""
    rows = ((f"`{name}`", domain.describe(), sentence) for name, (domain, sentence) in COMMON.items())
    before = "User models take all of these but `h`; other metrics take those that are listed with them."
    return before + "\n\n" + table(("parameter", "values", "meaning"), rows)


def section(metric: Metric) -> list[str]:
    """The blocks on one metric."""
    declaration = metric.declaration
    more = doc(declaration.function).split("\n\n")[1:]
    blocks = [f"### {heading(metric)}", declaration.summary]
    blocks += [" ".join(part.split()) for part in more if ">>>" not in part]
    if declaration.with_A:
        other = declaration.with_A
        blocks.append(f"With `A=` given, it is the user model of {', '.join(other.cite)}: {lower_first(other.summary)}")
    own = [declaration.parameters[name] for name in declaration.own]
    if own:
        blocks.append(table(("parameter", "default", "values", "meaning"), (parameter_row(each) for each in own)))
    shared = [name for name in declaration.parameters if name not in declaration.own]
    facts = [("Common parameters", ", ".join(f"`{n}={compact(declaration.defaults[n])}`" for n in shared))]
    return [*blocks, "\n".join(f"- {name}: {text}" for name, text in [*facts, *metric_facts(metric)] if text)]


def lower_first(sentence: str) -> str:
    """A sentence that goes on after a colon."""
    return sentence[:1].lower() + sentence[1:]


def parameter_row(parameter: Parameter) -> tuple[str, ...]:
    """The line of a parameter."""
    return f"`{parameter.name}`", f"`{compact(parameter.default)}`", parameter.domain.describe(), parameter.sentence


def metric_facts(metric: Metric) -> Iterator[tuple[str, str]]:
    """What else there is to know of a metric, by heading."""
    declaration = metric.declaration
    low, high = ("∞" if end == float("inf") else "-∞" if end == -float("inf") else f"{end:g}" for end in metric.range)
    best = "" if declaration.higher_is_better else "; lower is better"
    yield "Range", f"{low} to {high}{best}{'; monotone' if metric.monotone else ''}"
    yield "Needs", ", ".join(needs(declaration))
    yield "Uses, if given", ", ".join(words for use, words in USES.items() if use in metric.uses - declaration.needs)
    over = {"sum": "sum", "geometric": "geometric mean"}
    yield "Over topics", over.get(declaration.over_topics, "")
    yield "In trec_eval", names(declaration.trec_eval, declaration)
    others = [alias for alias in declaration.all_aliases if alias not in declaration.trec_eval]
    yield "Also understood", names(others, declaration)
    yield "Source", ", ".join(declaration.cite)


def names(aliases: Iterable[str], declaration: Declaration) -> str:
    """Aliases with the parameters that they imply."""
    implied = {alias: declaration.variants.get(alias, {}) for alias in aliases}
    shown = {alias: ", ".join(f"{k}={compact(v)}" for k, v in given.items()) for alias, given in implied.items()}
    return ", ".join(f"`{alias}`" + (f" (with `{given}`)" if given else "") for alias, given in shown.items())
