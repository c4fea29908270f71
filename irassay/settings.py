"""Settings: records of them, and flat keywords that fill the records."""

from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import Any

from irassay.errors import InputError


def compose(records: Mapping[str, Any], flat: Mapping[str, Any]) -> dict[str, Any]:
    """The records with the flat settings filled in, each where a record has a field of its name; None changes nothing.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Reading:
    ...     depth: int = 10
    >>> compose({"reading": Reading()}, {"depth": 5})
    {'reading': Reading(depth=5)}
    """
    owner = {field.name: name for name, record in records.items() for field in fields(record)}
    for name in flat:
        if name not in owner:
            close = get_close_matches(name, owner, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(owner)}"
            raise InputError(f"there is no setting {name!r}; {hint}")
    return {
        name: replace(record, **{key: value for key, value in flat.items() if value is not None and owner[key] == name})
        for name, record in records.items()
    }
