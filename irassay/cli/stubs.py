"""The stubs that type checkers and editors read, written from the declarations with the index."""

import inspect
import types
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from irassay.argument_types import without_none
from irassay.method import Method
from irassay.settings import Record, settings_of

HEADER = '"""{about} Written by `make index` from the declarations; a test keeps it current."""\n'


class Imports:
    """The modules that the types of a stub come from."""

    def __init__(self) -> None:
        self.needed: set[tuple[str, str]] = set()

    def spelled(self, kind: Any) -> str:
        """A type as source code, what it needs being noted."""
        origin, inner = get_origin(kind), get_args(kind)
        if kind is None or kind is type(None):
            return "None"
        if kind is Any or kind is inspect.Parameter.empty:
            return self.named("typing", "Any")
        if kind is Ellipsis:
            return "..."
        if origin is Annotated:
            return self.spelled(inner[0])
        if origin in (Union, types.UnionType):
            return " | ".join(dict.fromkeys(self.spelled(part) for part in inner))
        if origin is Literal:
            return f"{self.named('typing', 'Literal')}[{', '.join(map(repr, inner))}]"
        if origin is not None:
            name = origin.__name__
            outer = name if origin.__module__ == "builtins" else self.named(origin.__module__, name)
            if name == "Callable":
                return f"{outer}[..., {self.spelled(inner[-1])}]"
            return f"{outer}[{', '.join(map(self.spelled, inner))}]"
        if isinstance(kind, str):
            return self.named("typing", "Any")
        return str(kind.__name__) if kind.__module__ == "builtins" else self.named(kind.__module__, kind.__qualname__)

    def named(self, module: str, name: str) -> str:
        """A name, its import noted."""
        self.needed.add((module, name.split(".")[0]))
        return name

    def lines(self) -> list[str]:
        """The imports."""
        modules = sorted({module for module, _ in self.needed})
        return [f"from {m} import {', '.join(sorted(n for k, n in self.needed if k == m))}" for m in modules]


def signature(method: Method[..., Any], name: str, imports: Imports) -> str:
    """A method as a function whose records are flattened, as it may be called."""
    hints = get_type_hints(method.function, include_extras=True)
    words, anything = [], imports.named("typing", "Any")
    if method.input_type is not None:  # put together from several things, which may also be given one by one
        given = inspect.signature(method.input_type.of).parameters.values()
        words = [f"{p.name}: {anything} = ..." for p in given if p.kind is p.POSITIONAL_OR_KEYWORD]
    for parameter in inspect.signature(method.function).parameters.values() if not words else ():
        if parameter.kind is parameter.KEYWORD_ONLY:
            continue
        default = "" if parameter.default is parameter.empty else " = ..."
        words.append(f"{parameter.name}: {imports.spelled(hints[parameter.name])}{default}")
    seen: set[str] = set()
    words.append("*")
    for setting in settings_of(method.function):
        if setting.name in seen:
            continue
        seen.add(setting.name)
        kind = imports.spelled(setting.kind)
        if setting.reads is not None:
            kind = f"{imports.named('pathlib', 'Path')} | str | {kind}"
        record = get_type_hints(method.function).get(setting.name)
        if setting.record == setting.name and record is not None:
            kind = f"{imports.spelled(record)} | {kind}"
        words.append(f"{setting.name}: {kind} = ...")
    for name_of, hint in get_type_hints(method.function).items():  # a record may also be given whole
        whole, _ = without_none(hint)
        if isinstance(whole, type) and issubclass(whole, Record) and name_of not in seen:
            words.append(f"{name_of}: {imports.spelled(whole)} = ...")
    if words[-1] == "*":
        words.pop()
    words += [f"**policies: {anything}"] if method.input_type is not None else []
    about = method.question.replace('"', "'")

    def written(words: list[str], returned: Any) -> str:
        inside = ",\n    ".join(words)
        return f'def {name}(\n    {inside},\n) -> {imports.spelled(returned)}:\n    """{about}"""\n'

    plain = written(words, hints["return"])
    if method.traits.by_iteration is None:
        return plain
    first, _, kind = words[0].partition(": ")  # scores, or those of every iteration by its name
    overload, mapping = imports.named("typing", "overload"), imports.named("collections.abc", "Mapping")
    again = written(
        [f"{first}: {mapping}[str, {kind}]", *words[1:]], get_type_hints(method.traits.by_iteration)["return"]
    )
    return f"@{overload}\n{plain}\n@{overload}\n{again}"


def stub(about: str, methods: dict[str, Method[..., Any]], plain: Iterable[tuple[str, str]], rest: str = "") -> str:
    """A stub: names from elsewhere, then methods as functions."""
    imports = Imports()
    bodies = [signature(method, name, imports) for name, method in methods.items()]
    exported = [f"from {module} import {name} as {name}" for module, name in sorted(plain)]
    taken = {name for _, name in plain}
    imports.needed = {(m, n) for m, n in imports.needed if n not in taken}
    return "\n".join([HEADER.format(about=about), *imports.lines(), *exported, "", rest, *bodies])
