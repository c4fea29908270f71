"""The keywords of a call: composed into what the function takes, and as the settings of its result record them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

from irassay.argument_types import without_none
from irassay.errors import InputError, argument
from irassay.prose import did_you_mean
from irassay.provenance import path_or_address
from irassay.settings import Record, Setting, declared_settings, settings_of

ReaderCall = tuple[Callable[..., Any], dict[str, Any]]  # a reader of inputs and its keywords


def composed_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords as the function takes them: records composed, files read, unknown keywords refused."""
    settings = settings_of(function)
    hints, parameters = get_type_hints(function), signature(function).parameters
    composed = {s.name: _loaded_value(s, given[s.name]) for s in settings if not s.record and s.name in given}
    for name in dict.fromkeys(s.record for s in settings if s.record):
        kind, _ = without_none(hints[name])
        record = given[name] if isinstance(given.get(name), kind) else None  # such as test=PairedTest("t")
        own = [s for s in settings if s.record == name and s.name in given and (s.name != name or record is None)]
        values = {s.name: _loaded_value(s, given[s.name]) for s in own}
        if record is None and name in given and name not in values:
            refuse_record(name, given[name], kind)
        base = record or parameters[name].default
        base = kind() if values and base in (None, Parameter.empty) else base
        composed[name] = base if not values else replace(base, **values) if record else base.with_values(values)
    refuse_unknown((name for name in given if name not in composed), function.__name__, [s.name for s in settings])
    return composed


def composed_records(flat: Mapping[str, Any], **records: Record) -> dict[str, Any]:
    """The records, with values given by field, or as whole records, put into them."""
    composed: dict[str, Any] = {}
    field_names = {f.name for record in records.values() for f in fields(record)}
    refuse_unknown((name for name in flat if name not in records), "this", sorted(field_names))
    for name, record in records.items():
        own = {f.name: flat[f.name] for f in fields(record) if f.name in flat}
        if not isinstance(flat.get(name, record), type(record)):
            refuse_record(name, flat[name], type(record))
        composed[name] = replace(flat.get(name, record), **own)
    return composed


def record_values(record: Record) -> dict[str, Any]:
    """The values of a record by field; files as paths."""
    return {s.name: _recorded_value(s, getattr(record, s.name)) for s in declared_settings("", type(record), record)}


def refuse_record(name: str, value: Any, kind: type[Record]) -> None:
    """Raises the error that a record was expected, or its fields one by one."""
    fix = f" is not a {kind.__name__}; give one, or its fields by name, such as {fields(kind)[0].name}=…."
    raise InputError(argument(name, value), fix, argument=name, value=value)


def refuse_unknown(names: Iterable[str], function: str, known: list[str]) -> None:
    """Refuses the first name that is not a known keyword, with a suggestion."""
    takes = f"it takes {', '.join(known)}." if known else "it takes none."
    for name in names:
        if name not in known:
            raise InputError(f"{function} takes no {name}; {did_you_mean(name, known, takes)}")


def recorded_settings(
    function: Callable[..., Any], composed: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Every keyword with its value, under its own name; files by path."""
    values: dict[str, Any] = {}
    for setting in settings_of(function):
        value = composed.get(setting.name, setting.default)
        if setting.record and composed[setting.record] is not None:
            record = composed[setting.record]
            value = record.used_values.get(setting.name, getattr(record, setting.name))
        if setting.reads is not None and isinstance(given.get(setting.name), str | Path):
            value = given[setting.name]
        values[setting.name] = _recorded_value(setting, value)
    return values


def unused_settings(function: Callable[..., Any], composed: Mapping[str, Any]) -> frozenset[str]:
    """The fields of records that the values of other fields leave unused, such as the seed of a test that never draws.

    A name that another keyword or record has too is used.
    """
    settings = settings_of(function)
    used = {s.name for s in settings if not s.record or composed[s.record] is None}
    used.update(*(composed[name].used_values for name in {s.record for s in settings if s.record} if composed[name]))
    return frozenset(s.name for s in settings) - used


def _recorded_value(setting: Setting, value: Any) -> Any:
    """A value as it is recorded: files by path, so that they are hashed."""
    if setting.is_path and isinstance(value, list | tuple):
        return tuple(path_or_address(item) if isinstance(item, str) else item for item in value)
    return path_or_address(value) if setting.is_path and isinstance(value, str) else own_copy(value)


def own_copy(value: Any) -> Any:
    """Lists as tuples and dicts copied, which the caller may change later; anything else as it is.

    >>> own_copy([["AP"], {"a": [1]}])
    (('AP',), {'a': (1,)})
    """
    try:
        return _copied_value(value)
    except RecursionError:  # a list that contains itself
        return value


def _copied_value(value: Any) -> Any:
    if type(value) in (list, tuple):
        return tuple(map(_copied_value, value))
    return {name: _copied_value(item) for name, item in value.items()} if type(value) is dict else value


def _loaded_value(setting: Setting, value: Any) -> Any:
    """A value as the function takes it: a path, or the content of the file if the type declares a format."""
    value = setting.checked_value(value)
    if setting.reads is not None:
        return setting.read_value(value) if isinstance(value, str | Path) else value
    return _recorded_value(setting, value) if str not in (setting.kind, *get_args(setting.kind)) else value
