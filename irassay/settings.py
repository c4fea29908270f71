"""Settings: all the arguments a function was called with, and how its keywords are declared.

A keyword of a method is declared by its annotation: `Annotated[int, "Resamples."]` or, where the command line spells it
otherwise, `Annotated[str, Option("Correction for many pairs.", flag="--correct")]`. Keywords that several methods share
are the fields of a frozen record, a `Record`, which is flattened: each field is a keyword and an option of its own.
"""

from collections.abc import Callable, Iterator, KeysView, Mapping
from dataclasses import InitVar, dataclass, field, fields, replace
from functools import cache, cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from irassay.argument_types import FromFile, checked_argument, domain_of, without_none
from irassay.domains import Domain
from irassay.errors import InputError, argument, as_found
from irassay.prose import did_you_mean
from irassay.provenance import InputPath

MAX_DRAWS = 10_000_000  # times that anything is drawn, at most: more would take days, or all memory


@dataclass(frozen=True, eq=False, repr=False)
class Option:
    """How a keyword is shown to people: its sentence, and its spelling on the command line where that differs."""

    help: str
    flag: str = ""  # such as --correct; by default the keyword with dashes
    short: str = ""  # such as -p
    also: tuple[str, ...] = ()  # further spellings
    shown: str = ""  # the default in words, where the value would not say it
    panel: str = ""  # heading under which help lists it
    low: float | None = None  # smallest value
    high: float | None = None  # largest value
    metavar: str = ""
    several: bool = False  # may be given several times, though its type does not say so
    greedy: bool = False  # takes every word up to the next option
    place: int = 0  # of an argument without a flag: where it stands among those
    key: str = ""  # its name in JSON; by default the keyword
    old_keyword: str = ""  # a former spelling of the keyword in Python, which still works
    words: Callable[[], tuple[str, ...]] | None = None  # that it may be, where its type cannot say so
    scored: bool = False  # names metrics, which are scored along with those asked for
    least: InitVar[float | None] = None  # what low and high were called in 0.1.0
    most: InitVar[float | None] = None

    def __post_init__(self, least: float | None, most: float | None) -> None:
        for end, before in (("low", least), ("high", most)):
            if before is not None:
                object.__setattr__(self, end, before)
        if not isinstance(self.also, tuple):
            object.__setattr__(self, "also", (self.also,))
        for spelling in (each for each in (self.flag, self.short, *self.also) if not isinstance(each, str) or each):
            if not isinstance(spelling, str):
                raise InputError(f"an option is spelled as text, such as '--correct'; found {as_found(spelling)}")
            if not spelling.startswith("-"):
                raise InputError(f"an option begins with a dash, such as --{spelling:.40}; found {as_found(spelling)}")


@dataclass(frozen=True, eq=False, repr=False)
class DefaultMetrics:
    """The metrics that a method uses if none is named, as a note on the type of an input."""

    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """A frozen dataclass of keywords that several methods share."""

    def __post_init__(self) -> None:
        own: Any = type(self)
        for setting in _fields(own):
            value = getattr(self, setting.name)
            if (plain := setting.checked_value(value)) is not value:
                object.__setattr__(self, setting.name, plain)


@dataclass(frozen=True, eq=False, repr=False)
class Setting:
    """One keyword: its name, type, default and sentence."""

    name: str
    kind: Any  # the type, without its annotations
    default: Any
    option: Option
    record: str = ""  # the parameter of which this is a field; '' for a keyword of its own

    @property
    def flag(self) -> str:
        """Its spelling on the command line."""
        return self.option.flag or "--" + self.name.replace("_", "-")

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
        """The values it may have; of a tuple, each of its items."""
        if self.option.words:
            return Domain("word", words=self.option.words())
        return domain_of(self.kind, self.option.low, self.option.high)

    def checked_value(self, value: Any) -> Any:
        """The value, if it may have it; InputError otherwise."""
        return checked_argument(self.name, self.kind, value, self.domain)

    @property
    def reads(self) -> type[FromFile] | None:
        """The type whose file format it takes, if it does."""
        for kind in (self.kind, *get_args(self.kind)):
            if isinstance(kind, type) and issubclass(kind, FromFile):
                return kind
        return None


@dataclass(frozen=True)
class Settings:
    """Every keyword that a function was called with, defaults too, and the settings of what it was given.

    >>> Settings("similarity", {"alpha": 0.05}).alpha
    0.05
    """

    method: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)  # every keyword, also where it has its default
    inputs: Mapping[str, Any] = field(default_factory=dict)  # what it was about: settings of results, paths, or words
    spelled: Mapping[str, str] = field(default_factory=dict, repr=False)  # names in JSON that are not the keywords

    def __getitem__(self, name: str) -> Any:
        return self.given[self._keyword(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def keys(self) -> KeysView[str]:
        """The names of the keywords, so that `dict(settings)` has them all."""
        return self.given.keys()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or self._keyword(name) not in self.given:
            raise AttributeError(f"there is no setting {name!r}")
        return self.given[self._keyword(name)]

    def _keyword(self, name: str) -> str:
        """The keyword that a name stands for, which may be its name in JSON."""
        if name in self.given:
            return name
        return next((keyword for keyword, key in self.spelled.items() if key == name), name)

    def flat(self) -> dict[str, Any]:
        """Every value by its name in JSON, those of what the function was about first."""
        found: dict[str, Any] = {}
        for name, about in self.inputs.items():
            if isinstance(about, Settings):
                found |= about.flat()
            elif not _paths(about):
                found[name] = about
        return found | {self.spelled.get(name, name): value for name, value in self.given.items()}

    def paths(self) -> list[str]:
        """Every file that was read, in the order in which it was named."""
        return list(dict.fromkeys(map(str, self._files())))

    def checksums(self) -> dict[str, str]:
        """The checksums, by path, of the files that were hashed as they were read."""
        return {str(path): path.sha256 for path in self._files() if isinstance(path, InputPath) and path.sha256}

    def _files(self) -> list[Path]:
        every = [*self.inputs.values(), *self.given.values()]
        return [path for given in every for path in (given._files() if isinstance(given, Settings) else _paths(given))]


@cache
def _fields(record: Any) -> tuple[Setting, ...]:
    """The fields of a record, as keywords."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(s for f in fields(record) if f.init for s in declared_settings(f.name, hints[f.name], f.default))


def _paths(given: Any) -> list[Path]:
    """The paths that a value is or holds."""
    listed = given if isinstance(given, list | tuple) else [given]
    return [item for item in listed if isinstance(item, Path)]


@cache
def settings_of(function: Callable[..., Any]) -> tuple[Setting, ...]:
    """The keywords that a function's signature declares after the `*`, records flattened."""
    hints = get_type_hints(function, include_extras=True)
    found: list[Setting] = []
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            found += declared_settings(parameter.name, hints[parameter.name], parameter.default)
    twice = [setting.name for i, setting in enumerate(found) if setting.name in [s.name for s in found[:i]]]
    clash = [name for name in twice if name != "seed"]  # one seed fills all records
    if clash:
        raise TypeError(f"{function.__name__}: two keywords are called {clash[0]}")
    return tuple(found)


def declared_settings(name: str, hint: Any, default: Any, record: str = "") -> list[Setting]:
    """The keyword that a parameter or a field declares; the fields of a record, if it is one."""
    kind, option = hint, Option("")
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        option = next((n if isinstance(n, Option) else Option(n) for n in notes if isinstance(n, Option | str)), option)
    whole, _ = without_none(kind)
    if isinstance(whole, type) and issubclass(whole, Record):
        base = default if isinstance(default, whole) else whole()
        hints = get_type_hints(whole, include_extras=True)
        return [
            s for f in fields(whole) if f.init for s in declared_settings(f.name, hints[f.name], getattr(base, f.name), name)
        ]
    if default is Parameter.empty:
        raise TypeError(f"the keyword {name} needs a default")
    return [Setting(name, kind, default, option, record)]


def composed_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords as the function takes them: fields of records put together, files read, unknown ones refused."""
    known = settings_of(function)
    hints, parameters = get_type_hints(function), signature(function).parameters
    made = {s.name: _read(s, given[s.name]) for s in known if not s.record and s.name in given}
    for name in dict.fromkeys(s.record for s in known if s.record):
        kind, _ = without_none(hints[name])
        whole = given[name] if isinstance(given.get(name), kind) else None  # such as test=PairedTest("t")
        own = [s for s in known if s.record == name and s.name in given and not (s.name == name and whole is not None)]
        flat = {s.name: _read(s, given[s.name]) for s in own}
        if whole is None and name in given and name not in flat:
            refuse_record(name, given[name], kind)
        base = whole or parameters[name].default
        made[name] = replace(kind() if base in (None, Parameter.empty) else base, **flat) if flat else base
    names = [s.name for s in known]
    for name in given:
        if name not in names and name not in made:
            refuse_unknown(name, function.__name__, names)
    return made


def composed_records(flat: Mapping[str, Any], **records: Record) -> dict[str, Any]:
    """The records with what is given flat, or whole, put into them."""
    made: dict[str, Any] = {}
    known = {f.name for record in records.values() for f in fields(record)}
    for name in flat:
        if name not in known and name not in records:
            refuse_unknown(name, "this", sorted(known))
    for name, record in records.items():
        own = {f.name: flat[f.name] for f in fields(record) if f.name in flat}
        if not isinstance(flat.get(name, record), type(record)):
            refuse_record(name, flat[name], type(record))
        made[name] = replace(flat.get(name, record), **own)
    return made


def record_values(record: Record) -> dict[str, Any]:
    """The fields of a record by name; files as paths."""
    return {s.name: _kept(s, getattr(record, s.name)) for s in declared_settings("", type(record), record)}


def refuse_record(name: str, value: Any, kind: type[Record]) -> None:
    """Says that a record was expected, and that its fields may be given one by one."""
    field = fields(kind)[0].name
    raise InputError(
        f"{argument(name, value)} is not a {kind.__name__}; give one, or its fields by name, such as {field}=…"
    )


def refuse_unknown(name: str, by: str, known: list[str]) -> None:
    """Says that there is no such keyword, and which one may have been meant."""
    takes = f"it takes {', '.join(known)}" if known else "it takes none"
    raise InputError(f"{by} takes no {name}; {did_you_mean(name, known, takes)}")


def recorded_settings(function: Callable[..., Any], made: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every keyword with the value it has, under its own name; files by path."""
    found: dict[str, Any] = {}
    for setting in settings_of(function):
        value = made.get(setting.name, setting.default)
        if setting.record and made[setting.record] is not None:
            value = getattr(made[setting.record], setting.name)
        if setting.reads is not None and isinstance(given.get(setting.name), str | Path):
            value = given[setting.name]
        found[setting.name] = _kept(setting, value)
    return found


def _kept(setting: Setting, value: Any) -> Any:
    """A value as it is recorded: files by path, so that they are hashed."""
    if setting.is_path and isinstance(value, list | tuple):
        return tuple(Path(item) if isinstance(item, str) else item for item in value)
    return Path(value) if setting.is_path and isinstance(value, str) else value


def _read(setting: Setting, value: Any) -> Any:
    """A value as the function takes it: a path of the declared type, or what the file there holds."""
    value = setting.checked_value(value)
    if setting.reads is not None:
        return setting.reads.read(value) if isinstance(value, str | Path) else value
    return _kept(setting, value) if str not in (setting.kind, *get_args(setting.kind)) else value
