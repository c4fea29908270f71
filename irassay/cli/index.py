"""Writes the index of every declaration, and the stubs that type checkers and editors read: `make index`."""

import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, get_type_hints

import irassay
from irassay.ask import BY
from irassay.cli.arguments import ENVELOPE, Argument, checked, from_setting, keywords, places
from irassay.cli.stubs import stub
from irassay.inputs import reader_of
from irassay.method import METHODS, Method
from irassay.results import SAVED, Result

PACKAGE = Path(irassay.__file__).parent


def built() -> dict[str, Any]:
    """Everything that is declared: commands with their arguments, metrics, saved results."""
    from irassay.metrics.grammar import catalogue

    for module in walk_packages([str(PACKAGE)], "irassay."):
        if "__main__" not in module.name:
            import_module(module.name)
    return {
        "commands": {path: entry(found) for path, found in sorted(METHODS.items())},
        "metrics": {name: metric.declaration.function.__module__ for name, metric in catalogue().items()},
        "docs": dict(sorted(docs())),
        "saved": {name: f"{kind.__module__}:{kind.__qualname__}" for name, kind in sorted(SAVED.items())},
    }


def docs() -> Iterator[tuple[str, str]]:
    """What declared functions say of themselves, by module and name."""
    from irassay.meta.axioms.numeric import CHECKS
    from irassay.meta.axioms.relations import AXIOMS
    from irassay.metrics.metric import METRICS
    from irassay.stats.paired_test import TESTS

    declared = [metric.declaration for metric in METRICS.values()]
    declared += [declaration.with_A for declaration in declared if declaration.with_A]
    others: list[Any] = [*CHECKS.values(), *TESTS.values(), *METHODS.values(), *declared]
    for function in [axiom.relation for axiom in AXIOMS.values()] + [each.function for each in others]:
        yield f"{function.__module__}:{function.__qualname__}", inspect.getdoc(function) or ""


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
    return checked(found.path, [*listed, *(argument for argument in ENVELOPE if argument.name not in taken)])


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


def write() -> None:
    """Writes index.json and the stubs."""
    text = json.dumps(built(), indent=1, ensure_ascii=False, sort_keys=False)
    (PACKAGE / "index.json").write_text(text + "\n", encoding="utf-8")
    for path, stubbed in stubs().items():
        (PACKAGE / path).write_text(stubbed, encoding="utf-8")


if __name__ == "__main__":
    write()
