"""Writes the files derived from the declarations: index.json and the stubs (`make index`)."""

import inspect
import json
import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name, walk_packages
from typing import Any, get_type_hints

import irassay
from irassay.ask import BY
from irassay.cli.arguments import (
    ENVELOPE,
    CommandArgument,
    argument_of_setting,
    distinct_arguments,
    keyword_arguments,
    placed_arguments,
)
from irassay.cli.help import ABOUT
from irassay.cli.stubs import stub_text
from irassay.inputs import input_reader, judged_runs_from
from irassay.method import METHODS, Method
from irassay.metrics.declaration import Declaration
from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import METRICS
from irassay.results import Result
from irassay.saving import SAVED
from irassay.scoring.judged_runs import DEFAULT_METRICS
from irassay.stats.tests import TESTS
from irassay.views.formats import FORMATS

PACKAGE = Path(irassay.__file__).parent


def declared_index() -> dict[str, Any]:
    """Everything that is declared: commands and their arguments, metrics and their parameters, docs, saved results."""
    for module in walk_packages([str(PACKAGE)], "irassay."):
        if "__main__" not in module.name and ".interop." not in module.name:  # which needs other packages
            import_module(module.name)
    arguments, parameters = SharedRecords(), SharedRecords()
    return {
        "commands": {path: packed_entry(path, command_entry(m), arguments) for path, m in sorted(METHODS.items())},
        "arguments": arguments.records,
        "metrics": {name: packed_metric(metric.declaration, parameters) for name, metric in catalogue().items()},
        "parameters": parameters.records,
        "aliases": {alias: test.name for test in TESTS.values() for alias in test.aliases},
        "docs": dict(sorted(declared_docs())),
        "urls": project_urls(),
        "saved": {name: f"{kind.__module__}:{kind.__qualname__}" for name, kind in sorted(SAVED.items())},
    }


def project_urls() -> dict[str, str]:
    """The addresses in pyproject.toml, such as that of the documentation; an installed package has no such file."""
    declared = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    urls: dict[str, str] = declared["project"].get("urls", {})
    return urls


class SharedRecords:
    """Records that several entries share, each kept once: under its name, or under its name and its first owner."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}

    def key(self, name: str, record: dict[str, Any], owner: str) -> str:
        """The key under which a record is kept."""
        same = (key for key, other in self.records.items() if key.partition(" ")[0] == name and other == record)
        key = next(same, None) or (f"{name} ({owner})" if name in self.records else name)
        self.records[key] = record
        return key


def packed_metric(declaration: Declaration, shared: SharedRecords) -> dict[str, Any]:
    """What pages, forms and completion need to know about a metric before it is imported."""
    with_A = declaration.with_A.parameters if declaration.with_A else {}  # those that apply only if A is given
    parameters = {**with_A, **declaration.parameters}
    entry = {
        "module": declaration.function.__module__,
        "aliases": list(declaration.aliases),
        "trec_eval": list(declaration.trec_eval),
        "variants": {name: dict(implied) for name, implied in declaration.variants.items()},
        "number_is": declaration.number_is,
        "cutoff": declaration.sized,
        "needs": sorted(declaration.needs),
        "range": [None if math.isinf(end) else end for end in METRICS[declaration.name].range],
        "cite": list(declaration.cite),
    }
    keys = {shared.key(name, each.packed(), declaration.name): each.default for name, each in parameters.items()}
    return {key: value for key, value in entry.items() if value} | {"parameters": keys}


def declared_docs() -> Iterator[tuple[str, str]]:
    """The docstrings of declared functions, by module and name."""
    from irassay.meta.axioms.checks import CHECKS
    from irassay.meta.axioms.relations import AXIOMS

    declared = [metric.declaration for metric in METRICS.values()]
    declared += [declaration.with_A for declaration in declared if declaration.with_A]
    others: list[Any] = [*CHECKS.values(), *TESTS.values(), *METHODS.values(), *declared]
    for function in [axiom.relation for axiom in AXIOMS.values()] + [each.function for each in others]:
        yield f"{function.__module__}:{function.__qualname__}", inspect.getdoc(function) or ""


def packed_entry(path: str, entry: dict[str, Any], shared: SharedRecords) -> dict[str, Any]:
    """The entry of a command with its arguments replaced by the keys of their records."""
    records = [dict(argument) for argument in entry["arguments"]]
    return {**entry, "arguments": [shared.key(record.pop("name"), record, path) for record in records]}


def command_entry(method: Method[..., Any]) -> dict[str, Any]:
    """What the command line needs to know about a method before it is imported."""
    text = inspect.getdoc(method.function) or method.question
    about, _, more = text.partition("\n\n")
    return {
        "where": f"{method.function.__module__}:{method.function.__name__}",
        "question": method.question,
        "about": " ".join(about.split()),
        "more": "\n\n".join(part for part in more.split("\n\n") if not re.search("`|>>>", part)).strip(),
        "examples": list(method.traits.examples),
        "cite": list(method.cite),
        "two_runs": method.traits.two_runs,
        "least_runs": method.traits.least_runs,
        "arguments": [argument.packed() for argument in arguments_of(method)],
    }


def arguments_of(method: Method[..., Any]) -> list[CommandArgument]:
    """Every argument of a command: those of its inputs, its settings, its view, and the envelope."""
    arguments: list[CommandArgument] = []
    for hint in method.inputs.values():
        reader, more = input_reader(hint)
        if reader is not None:
            metrics = ",".join(more.get("default_metrics", ()))
            defaults = {"metrics": f"{metrics} for runs" if metrics else _metrics_of_judged_runs(method, reader)}
            declared = placed_arguments(reader) + keyword_arguments(reader, "input")
            arguments += [replace(each, default=defaults.get(each.name) or each.default) for each in declared]
    arguments += placed_arguments(method.function) + keyword_arguments(method.function, "setting")
    if method.traits.by_iteration:
        arguments.append(argument_of_setting(BY, "input"))
    arguments += keyword_arguments(view_function(method), "view")
    excluded = {*method.traits.without_options, *(argument.name for argument in arguments)}
    excluded |= {"safe_csv"} if "format" in excluded else set()
    excluded |= {"cluster"} if "jobs" in excluded else set()
    kind = get_type_hints(method.function).get("return")
    if kind is str:  # text has one form
        excluded |= {"format", "plot", "save", "full", "notes", "sort"}
    envelope = [with_possible_formats(each, kind) for each in ENVELOPE if each.name not in excluded]
    return distinct_arguments(method.path, [*arguments, *envelope])


def _metrics_of_judged_runs(method: Method[..., Any], reader: Any) -> str:
    """The metrics by which a method scores judged runs if none is named."""
    by = method.traits.scores_by if reader is judged_runs_from else ""
    return ",".join(DEFAULT_METRICS[: {"": 0, "first": 1, "all": None}[by]])


def with_possible_formats(argument: CommandArgument, kind: Any) -> CommandArgument:
    """The argument, without formats that only another kind of result has; those of scores are listed everywhere."""
    possible = ("", "scores", getattr(kind, "saved_as", ""))
    impossible = {form.name for form in FORMATS.values() if form.only_for not in possible}
    return replace(argument, choices=tuple(choice for choice in argument.choices if choice not in impossible))


def view_function(method: Method[..., Any]) -> Any:
    """The view of a method's result, whose keywords are options too; without a view, a function without keywords."""
    if method.traits.presenter:
        return resolve_name(method.traits.presenter)
    kind = get_type_hints(method.function).get("return")
    if isinstance(kind, type) and issubclass(kind, Result) and kind.saved_as:
        try:
            return import_module(kind.view_in or f"irassay.views.{kind.saved_as}").view
        except ModuleNotFoundError:
            pass
    return lambda: None


def stub_texts() -> dict[str, str]:
    """The stubs of the package and of `irassay.meta`, by path; every module must be imported already."""
    meta = {path.split()[-1]: method for path, method in METHODS.items() if path.startswith("meta ")}
    public = [(f"irassay.{module}", name) for module, names in irassay.NAMES.items() for name in names.split()]
    own = {method.name: method for method in METHODS.values() if any(name == method.name for _, name in public)}
    plain = [(module, name) for module, name in public if name not in own]
    metrics = "".join(f"{name}: Metric\n" for name in sorted(METRICS))
    packages = "from irassay import meta as meta, papers as papers, stats as stats\n"
    return {
        "__init__.pyi": stub_text(ABOUT, own, plain, f"NAMES: dict[str, str]\n{packages}\n{metrics}\n"),
        "meta/__init__.pyi": stub_text("The meta-evaluations.", meta, []),
    }


def index_text(data: dict[str, Any]) -> str:
    """The index as JSON, with a line for each argument, parameter, metric and text, and for each part of a command."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def lines(entries: dict[str, Any]) -> str:
        return ",\n".join(f"{line(key)}:{line(value)}" for key, value in entries.items())

    commands = ",\n".join(f"{line(path)}:{{\n{lines(entry)}}}" for path, entry in data["commands"].items())
    parts = [
        f"{line(part)}:{{\n{commands if part == 'commands' else lines(entries)}\n}}" for part, entries in data.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def write_index() -> None:
    """Writes index.json and the stubs."""
    (PACKAGE / "index.json").write_text(index_text(declared_index()), encoding="utf-8")
    for path, text in stub_texts().items():
        (PACKAGE / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_index()
