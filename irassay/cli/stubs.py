"""The stubs that type checkers and editors read, written from the declarations."""

import ast
import inspect
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from irassay.argument_types import without_none
from irassay.method import Method
from irassay.settings import Record, settings_of

HEADER = '"""{about} Written by `make index` from the declarations; a test keeps it current."""\n'


class StubImports:
    """The names that a stub imports for its types."""

    def __init__(self) -> None:
        self.needed: set[tuple[str, str]] = set()

    def type_source(self, kind: Any) -> str:
        """A type as source code; the names in it are imported."""
        origin, inner = get_origin(kind), get_args(kind)
        if kind is None or kind is type(None):
            return "None"
        if kind is Any or kind is inspect.Parameter.empty or isinstance(kind, str):
            return self.imported_name("typing", "Any")
        if kind is Ellipsis:
            return "..."
        if origin is Annotated:
            return self.type_source(inner[0])
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.type_source(part) for part in inner))
        if origin is Literal:
            return f"{self.imported_name('typing', 'Literal')}[{', '.join(map(repr, inner))}]"
        if origin is not None:
            outer = self.imported_name(origin.__module__, origin.__name__)
            if outer == "Callable":
                return f"{outer}[..., {self.type_source(inner[-1])}]"
            return f"{outer}[{', '.join(map(self.type_source, inner))}]"
        return self.imported_name(kind.__module__, kind.__qualname__)

    def imported_name(self, module: str, name: str) -> str:
        """The name, which will be imported from this module if it is not built in."""
        if module != "builtins":
            self.needed.add((module, name.split(".")[0]))
        return name

    def lines(self) -> list[str]:
        """The import statements."""
        modules = sorted({module for module, _ in self.needed})
        return [f"from {m} import {', '.join(sorted(n for k, n in self.needed if k == m))}" for m in modules]


def default_source(value: Any) -> str:
    """A default as source code, or `...` if it cannot be written as a literal."""
    try:
        is_literal = ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return "..."
    return repr(value) if is_literal else "..."


def function_stub(method: Method[..., Any], name: str, imports: StubImports) -> str:
    """A method as a function with flattened records, as it may be called."""
    hints = get_type_hints(method.function, include_extras=True)
    parameters, any_type = [], imports.imported_name("typing", "Any")
    if method.input_type is not None:  # composed of several things, which may also be given one by one
        parts = inspect.signature(method.input_type.of).parameters.values()
        parameters = [
            f"{p.name}: {any_type} = {default_source(p.default)}" for p in parts if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
    for each in inspect.signature(method.function).parameters.values() if not parameters else ():
        if each.kind is not each.KEYWORD_ONLY:
            default = "" if each.default is each.empty else f" = {default_source(each.default)}"
            parameters.append(f"{each.name}: {imports.type_source(hints[each.name])}{default}")
    parameters.append("*")
    names: set[str] = set()
    for setting in (each for each in settings_of(method.function) if each.name not in names):
        names.add(setting.name)
        kind = imports.type_source(setting.kind)
        if setting.reads is not None:
            kind = f"{imports.imported_name('pathlib', 'Path')} | str | {kind}"
        record = get_type_hints(method.function).get(setting.name)
        if setting.record == setting.name and record is not None:
            kind = f"{imports.type_source(record)} | {kind}"
        parameters.append(f"{setting.name}: {kind} = {default_source(setting.default)}")
    for record_name, hint in get_type_hints(method.function).items():  # a record may also be given as an object
        record, _ = without_none(hint)
        if isinstance(record, type) and issubclass(record, Record) and record_name not in names:
            parameters.append(f"{record_name}: {imports.type_source(record)} = ...")
    if parameters[-1] == "*":
        parameters.pop()
    parameters += [f"**policies: {any_type}"] if method.input_type is not None else []
    about = method.question.replace('"', "'")

    def definition(parameters: list[str], returned: Any) -> str:
        lines = ",\n    ".join(parameters)
        return f'def {name}(\n    {lines},\n) -> {imports.type_source(returned)}:\n    """{about}"""\n'

    plain = definition(parameters, hints["return"])
    if method.traits.by_iteration is None:
        return plain
    first, _, kind = parameters[0].partition(": ")  # scores, or a mapping of iterations to scores
    overload, mapping = imports.imported_name("typing", "overload"), imports.imported_name("collections.abc", "Mapping")
    returned = get_type_hints(method.traits.by_iteration)["return"]
    by_iteration = definition([f"{first}: {mapping}[str, {kind}]", *parameters[1:]], returned)
    return f"@{overload}\n{plain}\n@{overload}\n{by_iteration}"


def stub_text(
    about: str, methods: dict[str, Method[..., Any]], plain: Iterable[tuple[str, str]], rest: str = ""
) -> str:
    """The text of a stub: imported names, then methods as functions."""
    imports = StubImports()
    bodies = [function_stub(method, name, imports) for name, method in methods.items()]
    exported = [f"from {module} import {name} as {name}" for module, name in sorted(plain)]
    imports.needed = {(m, n) for m, n in imports.needed if n not in {name for _, name in plain}}
    return "\n".join([HEADER.format(about=about), *imports.lines(), *exported, "", rest, *bodies])
