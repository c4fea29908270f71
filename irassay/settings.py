"""Settings: all the arguments a function was called with, and how its keywords are declared.

A keyword of a method is declared by its annotation: `Annotated[int, "Number of resamples."]` or, if the command line
spells it differently, `Annotated[str, Option("Correction.", flag="--correct")]`. Keywords that several methods share
are the fields of a frozen `Record`, which is flattened: each field is a keyword and an option.
"""

from collections.abc import Callable, Iterator, KeysView, Mapping
from dataclasses import InitVar, dataclass, field, fields, replace
from functools import cache, cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Self, cast, get_args, get_type_hints

from irassay.argument_types import FromFile, checked_argument, domain_of, type_and_notes, without_none
from irassay.domains import Domain, OpenEnds
from irassay.errors import InputError, as_found, option_flag
from irassay.provenance import InputPath

MAX_DRAWS = 10_000_000  # more would take days, or all memory


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """How a keyword is shown to people: its sentence, and its spelling on the command line if that differs."""

    help: str
    flag: str = ""  # such as --correct; by default the keyword with dashes
    short: str = ""  # such as -p
    also: tuple[str, ...] = ()  # further spellings
    shown: str = ""  # the default in words, if the value does not explain itself
    panel: str = ""  # heading under which help lists it
    low: float | None = None  # smallest value
    high: float | None = None  # largest value
    open: OpenEnds = ""  # the ends that are not allowed themselves
    pattern: str = ""  # a regular expression that the whole of a text must match
    example: str = ""  # of such a text
    metavar: str = ""
    files: bool = False  # its text names files, although its type does not say so
    several: bool = False  # may be repeated, although its type is not a tuple
    greedy: bool = False  # takes every word up to the next option
    place: int = 0  # for an argument without a flag: its position among those
    key: str = ""  # its name in JSON; by default the keyword
    old_keyword: str = ""  # a former spelling of the keyword in Python, which still works
    words: Callable[[], tuple[str, ...]] | None = None  # its choices, if its type cannot declare them
    needed: str = ""  # begins the sentence that it must be given, if its default will not do
    network: bool = False  # has the method download something
    scored: bool = False  # names metrics, which are scored along with the requested ones
    least: InitVar[float | None] = None  # the names of low and high in 0.1.0
    most: InitVar[float | None] = None

    def __post_init__(self, least: float | None, most: float | None) -> None:
        for end, before in (("low", least), ("high", most)):
            if before is not None:
                object.__setattr__(self, end, before)
        if not isinstance(self.also, tuple):
            object.__setattr__(self, "also", (self.also,))
        for spelling in (self.flag, self.short, *self.also):
            if not isinstance(spelling, str):
                raise InputError(f"An option must be text, such as '--correct'; found {as_found(spelling)}.")
            if spelling and not spelling.startswith("-"):
                example = f"--{spelling:.40}"
                raise InputError(f"An option must begin with a dash, such as {example}; found {as_found(spelling)}.")


@dataclass(frozen=True, eq=False, repr=False)
class DefaultMetrics:
    """The metrics that a method uses if none is named, as an annotation of an input."""

    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """A frozen dataclass of keywords that several methods share."""

    def __post_init__(self) -> None:
        own: Any = type(self)
        for setting in _record_settings(own):
            value = getattr(self, setting.name)
            if (plain := setting.checked_value(value)) is not value:
                object.__setattr__(self, setting.name, plain)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """This record, a method's default, with the values that a user gives."""
        return replace(cast(Any, self), **values)

    @property
    def used_values(self) -> dict[str, Any]:
        """The values of the fields that the others leave in use, as results record them; by default all."""
        own: Any = type(self)
        return {setting.name: getattr(self, setting.name) for setting in _record_settings(own)}


@dataclass(frozen=True, eq=False, repr=False)
class Setting:
    """One keyword: its name, type, default and sentence."""

    name: str
    kind: Any  # the type, without its annotations
    default: Any
    option: Option
    record: str = ""  # the parameter that this is a field of; '' if it is a keyword itself

    @property
    def flag(self) -> str:
        """Its spelling on the command line."""
        return self.option.flag or option_flag(self.name)

    @property
    def key(self) -> str:
        """Its name in JSON."""
        return self.option.key or self.name

    @property
    def is_path(self) -> bool:
        """Whether it may be the path of a file."""
        kinds = (self.kind, *get_args(self.kind))
        return self.reads is not None or Path in (*kinds, *(inner for kind in kinds for inner in get_args(kind)))

    @cached_property
    def domain(self) -> Domain:
        """The values it may have; for a tuple, those of its items."""
        if self.option.words:
            return Domain("word", words=self.option.words())
        option = self.option
        domain = domain_of(self.kind, option.low, option.high)
        return replace(domain, open=option.open, pattern=option.pattern, example=option.example)

    def checked_value(self, value: Any) -> Any:
        """The value, if it is allowed; InputError otherwise."""
        if value is self.default:  # known to be allowed, so that words need no look-up, which may import readers
            return value
        return checked_argument(self.name, self.kind, value, self.domain)

    def read_value(self, path: str | Path) -> Any:
        """The content of the file that it takes; InputError, about this setting, if it has another format."""
        assert self.reads is not None
        try:
            return self.reads.read(path)
        except InputError as error:
            error.argument = error.argument or self.name
            raise

    @property
    def reads(self) -> type[FromFile] | None:
        """The type whose file format it takes, if any."""
        kinds = (self.kind, *get_args(self.kind))
        return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, FromFile)), None)


@dataclass(frozen=True)
class Settings:
    """Every keyword that a function was called with, defaults included, and the settings of its inputs.

    >>> Settings("similarity", {"alpha": 0.05}).alpha
    0.05
    """

    method: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)  # every keyword, defaults included
    inputs: Mapping[str, Any] = field(default_factory=dict)  # settings of results, paths, or words
    spelled: Mapping[str, str] = field(default_factory=dict, repr=False)  # names in JSON that are not the keywords
    unused: frozenset[str] = field(default=frozenset(), repr=False, compare=False)  # keywords that changed nothing

    def __getitem__(self, name: str) -> Any:
        return self.given[self._keyword(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def keys(self) -> KeysView[str]:
        """The names of the keywords, so that `dict(settings)` works."""
        return self.given.keys()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._keyword(name) not in self.given:
            raise AttributeError(f"there is no setting {name!r}")
        return self.given[self._keyword(name)]

    def _keyword(self, name: str) -> str:
        """The keyword with this name, which may be its name in JSON."""
        if name in self.given:
            return name
        return next((keyword for keyword, key in self.spelled.items() if key == name), name)

    def flat(self, *, only_used: bool = False) -> dict[str, Any]:
        """Every value by its name in JSON, those of the inputs first; or only those that were used."""
        values: dict[str, Any] = {}
        for name, source in self.inputs.items():
            if isinstance(source, Settings):
                values |= source.flat(only_used=only_used)
            elif not _paths_in(source):
                values[name] = source
        unused = self.unused if only_used else ()
        own = ((name, value) for name, value in self.given.items() if name not in unused)
        return values | {self.spelled.get(name, name): value for name, value in own}

    def paths(self) -> list[str]:
        """Every file that was read, in the order given."""
        return list(dict.fromkeys(map(str, self._files())))

    def checksums(self) -> dict[str, str]:
        """The checksums, by path, of the files that were hashed as they were read."""
        return {str(path): path.sha256 for path in self._files() if isinstance(path, InputPath) and path.sha256}

    def _files(self) -> list[Path]:
        every = [*self.inputs.values(), *self.given.values()]
        return [path for each in every for path in (each._files() if isinstance(each, Settings) else _paths_in(each))]


@cache
def _record_settings(record: Any) -> tuple[Setting, ...]:
    """The fields of a record, as keywords."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(s for f in fields(record) if f.init for s in declared_settings(f.name, hints[f.name], f.default))


def _paths_in(value: Any) -> list[Path]:
    """The paths in a value, which may be one."""
    return [item for item in (value if isinstance(value, list | tuple) else [value]) if isinstance(item, Path)]


@cache
def settings_of(function: Callable[..., Any]) -> tuple[Setting, ...]:
    """The keywords that a function's signature declares after the `*`, with records flattened."""
    settings = parameter_settings(function, by_place=False)
    if needs_default := next((s.name for s in settings if s.default is Parameter.empty), ""):
        raise TypeError(f"the keyword {needs_default} needs a default")
    names = [s.name for s in settings if s.name != "seed"]  # one seed serves all records
    if clash := next((name for name in names if names.count(name) > 1), ""):
        raise TypeError(f"{function.__name__}: two keywords are named {clash}")
    return settings


def parameter_settings(function: Callable[..., Any], *, by_place: bool) -> tuple[Setting, ...]:
    """The parameters that a function declares before its `*`, or after it; Parameter.empty stands for no default."""
    hints = get_type_hints(function, include_extras=True)
    parameters = (p for p in signature(function).parameters.values() if by_place is (p.kind is not p.KEYWORD_ONLY))
    return tuple(s for p in parameters for s in declared_settings(p.name, hints[p.name], p.default))


def declared_settings(name: str, hint: Any, default: Any) -> list[Setting]:
    """The setting that a parameter or a field declares; for a record, those of its fields."""
    kind, notes = type_and_notes(hint)
    option = next((n if isinstance(n, Option) else Option(n) for n in notes if isinstance(n, Option | str)), Option(""))
    plain, _ = without_none(kind)
    if isinstance(plain, type) and issubclass(plain, Record):
        base = default if isinstance(default, plain) else plain()
        return [replace(s, default=getattr(base, s.name), record=name) for s in _record_settings(cast(Any, plain))]
    return [Setting(name, kind, default, option)]
