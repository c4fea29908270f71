"""Writes what is derived from the declarations: the index, the stubs and docs/metrics.md (`make index`)."""

import inspect
import json
import math
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, get_type_hints

import irassay
from irassay.ask import BY
from irassay.cli.arguments import ENVELOPE, Argument, distinct_arguments, from_setting, keywords, places
from irassay.cli.metrics_page import metrics_page
from irassay.cli.stubs import stub
from irassay.inputs import reader_of
from irassay.method import METHODS, Method
from irassay.metrics.declaration import Declaration
from irassay.metrics.metric import METRICS
from irassay.results import SAVED, Result
from irassay.stats.tests import TESTS

PACKAGE = Path(irassay.__file__).parent


def built() -> dict[str, Any]:
    """Everything that is declared: commands and their arguments, metrics and their parameters, docs, saved results."""
    from irassay.metrics.grammar import catalogue

    for module in walk_packages([str(PACKAGE)], "irassay."):
        if "__main__" not in module.name:
            import_module(module.name)
    arguments, parameters = Shared(), Shared()
    return {
        "commands": {path: packed_entry(path, entry(found), arguments) for path, found in sorted(METHODS.items())},
        "arguments": arguments.records,
        "metrics": {name: metric_entry(metric.declaration, parameters) for name, metric in catalogue().items()},
        "parameters": parameters.records,
        "aliases": {alias: test.name for test in TESTS.values() for alias in test.aliases},
        "docs": dict(sorted(docs())),
        "saved": {name: f"{kind.__module__}:{kind.__qualname__}" for name, kind in sorted(SAVED.items())},
    }


class Shared:
    """Records that several entries have in common, each kept once: under its name, or its name and who has it first."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}

    def key(self, name: str, record: dict[str, Any], owner: str) -> str:
        """The key under which a record is kept."""
        same = (key for key, kept in self.records.items() if key.partition(" ")[0] == name and kept == record)
        key = next(same, None) or (f"{name} ({owner})" if name in self.records else name)
        self.records[key] = record
        return key


def metric_entry(declaration: Declaration, shared: Shared) -> dict[str, Any]:
    """What pages, forms and completion have to know of a metric before it is imported."""
    metric = METRICS[declaration.name]
    own = declaration.parameters
    late = declaration.with_A.parameters if declaration.with_A else {}  # only where A is given
    parameters = {
        shared.key(name, each.packed(), declaration.name): each.default
        for name, each in (dict(late) | dict(own)).items()
    }
    entry = {
        "module": declaration.function.__module__,
        "sentence": declaration.summary,
        "aliases": list(declaration.aliases),
        "trec_eval": list(declaration.trec_eval),
        "variants": {name: dict(implied) for name, implied in declaration.variants.items()},
        "number_is": declaration.number_is,
        "cutoff": declaration.sized,
        "needs": sorted(declaration.needs),
        "range": [None if math.isinf(end) else end for end in metric.range],
        "cite": list(declaration.cite),
    }
    return {key: value for key, value in entry.items() if value} | {"parameters": parameters}


def docs() -> Iterator[tuple[str, str]]:
    """What declared functions say of themselves, by module and name."""
    from irassay.meta.axioms.checks import CHECKS
    from irassay.meta.axioms.relations import AXIOMS

    declared = [metric.declaration for metric in METRICS.values()]
    declared += [declaration.with_A for declaration in declared if declaration.with_A]
    others: list[Any] = [*CHECKS.values(), *TESTS.values(), *METHODS.values(), *declared]
    for function in [axiom.relation for axiom in AXIOMS.values()] + [each.function for each in others]:
        yield f"{function.__module__}:{function.__qualname__}", inspect.getdoc(function) or ""


def packed_entry(path: str, found: dict[str, Any], shared: Shared) -> dict[str, Any]:
    """What the index keeps of a command: its arguments by their keys."""
    records = [dict(argument) for argument in found["arguments"]]
    return {**found, "arguments": [shared.key(record.pop("name"), record, path) for record in records]}


def entry(found: Method[..., Any]) -> dict[str, Any]:
    """What the command line has to know of a method before it is imported."""
    text = inspect.getdoc(found.function) or found.question
    about, _, more = text.partition("\n\n")
    return {
        "where": f"{found.function.__module__}:{found.function.__name__}",
        "question": found.question,
        "about": " ".join(about.split()),
        "more": "\n\n".join(part for part in more.split("\n\n") if not re.search("`|>>>", part)).strip(),
        "examples": list(found.traits.examples),
        "cite": list(found.cite),
        "arguments": [argument.packed() for argument in arguments_of(found)],
    }


def arguments_of(found: Method[..., Any]) -> list[Argument]:
    """Every argument of a command: of its inputs, its settings, its view, and the envelope."""
    listed: list[Argument] = []
    for hint in found.inputs.values():
        reader, _ = reader_of(hint)
        if reader is not None:
            listed += places(reader) + keywords(reader, "input")
    listed += places(found.function) + keywords(found.function, "setting")
    if found.traits.by_iteration:
        listed.append(from_setting(BY, "input"))
    listed += keywords(view_function(found), "view")
    taken = {*found.traits.without_options, *(argument.name for argument in listed)}
    if get_type_hints(found.function).get("return") is str:  # text has one form
        taken |= {"format", "plot", "save"}
    return distinct_arguments(found.path, [*listed, *(argument for argument in ENVELOPE if argument.name not in taken)])


def view_function(found: Method[..., Any]) -> Any:
    """The view of what a method returns, whose keywords are options, too; a function without any, if it has none."""
    if found.traits.presenter:
        module, _, name = found.traits.presenter.partition(":")
        return getattr(import_module(module), name)
    kind = get_type_hints(found.function).get("return")
    if isinstance(kind, type) and issubclass(kind, Result) and kind.saved_as:
        try:
            return import_module(kind.view_in or f"irassay.views.{kind.saved_as}").view
        except ModuleNotFoundError:
            pass
    return lambda: None


def stubs() -> dict[str, str]:
    """The stubs of the package and of `irassay.meta`, by path."""
    meta = {path.split()[-1]: method for path, method in METHODS.items() if path.startswith("meta ")}
    named = [(f"irassay.{module}", name) for module, names in irassay.NAMES.items() for name in names.split()]
    own = {method.name: method for method in METHODS.values() if any(name == method.name for _, name in named)}
    plain = [(module, name) for module, name in named if name not in own]
    metrics = "".join(f"{name}: Metric\n" for name in sorted(built()["metrics"]))
    packages = "from irassay import meta as meta, papers as papers, stats as stats\n"
    about = "irassay scores search runs with every effectiveness metric, and tests the metrics themselves."
    return {
        "__init__.pyi": stub(about, own, plain, f"NAMES: dict[str, str]\n{packages}\n{metrics}\n"),
        "meta/__init__.pyi": stub("The meta-evaluations.", meta, []),
    }


def index_text(data: dict[str, Any]) -> str:
    """The index as JSON: a line for each argument, parameter, metric and text, and for each part of a command."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def lines(entries: dict[str, Any]) -> str:
        return ",\n".join(f"{line(key)}:{line(value)}" for key, value in entries.items())

    commands = ",\n".join(f"{line(path)}:{{\n{lines(entry)}}}" for path, entry in data["commands"].items())
    parts = [
        f"{line(part)}:{{\n{commands if part == 'commands' else lines(entries)}\n}}" for part, entries in data.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def write() -> None:
    """Writes index.json, the stubs and, beside the sources, docs/metrics.md."""
    (PACKAGE / "index.json").write_text(index_text(built()), encoding="utf-8")
    for path, stubbed in stubs().items():
        (PACKAGE / path).write_text(stubbed, encoding="utf-8")
    if (PACKAGE.parent / "docs" / "metrics.md").is_file():
        (PACKAGE.parent / "docs" / "metrics.md").write_text(metrics_page(), encoding="utf-8")


if __name__ == "__main__":
    write()
