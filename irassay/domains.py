"""Domains: the values that a setting of a method or a parameter of a metric may take."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

from irassay.errors import Argument, InputError, as_found
from irassay.prose import did_you_mean

DomainKind = Literal["flag", "whole", "number", "word", "text", "path", "table", "metric", "any"]
OpenEnds = Literal["", "low", "high", "both"]
PACKED_FIELDS = ("low", "high", "open", "words", "optional", "example", "pattern")  # besides the kind

KIND_PHRASES = {
    "flag": "True or False",
    "whole": "a whole number",
    "number": "a number",
    "text": "text",
    "path": "a path",
    "metric": "a metric such as 'nDCG@10'",
    "any": "anything",
}


@dataclass(frozen=True)
class Domain:
    """A set of allowed values, with a description and a check."""

    kind: DomainKind
    low: float | None = None  # smallest number; for a table, smallest entry
    high: float | None = None
    open: OpenEnds = ""  # the ends that are not allowed themselves
    words: tuple[str, ...] = ()  # for a word, all choices; for a table, words allowed instead of one
    optional: bool = False  # None is allowed too
    example: str = ""  # of a table, or of text with a pattern
    pattern: str = ""  # a regular expression that the whole of a text must match
    holds_if: Callable[[Any], bool] | None = field(default=None, compare=False, repr=False)  # a further condition
    canonical: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)  # one spelling for each
    wording: str = field(default="", compare=False, repr=False)  # instead of the derived description

    def describe(self) -> str:
        """The allowed values in words.

        >>> Domain("number", 0, 1, "both").describe(), Domain("whole", 1).describe(), Domain("number", 0, 1).describe()
        ('a number above 0 and below 1', 'a whole number of 1 or more', 'a number from 0 to 1')
        >>> Domain("word", words=("zero", "skip")).describe()
        'one of zero, skip'
        """
        phrase = self.wording or KIND_PHRASES.get(self.kind, "")
        if self.kind == "table":
            entries = " ".join(filter(None, ("numbers", self._bounds_phrase())))
            phrase = f"a table of {entries}, such as {self.example or '(0.4,0.6)'}"
        elif self.kind == "whole" and self.low is not None and self.high == self.low + 1:
            phrase = f"{self.low} or {self.high}"
        elif self.kind in ("whole", "number"):
            phrase = " ".join(filter(None, (phrase, self._bounds_phrase())))
        elif self.pattern:
            phrase = f"text such as {self.example}"
        if self.words:
            one_of = f"one of {', '.join(self.words)}" if self.words[1:] else self.words[0]
            phrase = f"{one_of}, or {phrase}" if phrase else one_of
        return phrase

    def _bounds_phrase(self) -> str:
        """The bounds of numbers in words; '' if there are none."""
        low, high = (None if end is None else f"{end:,.15g}" for end in (self.low, self.high))
        if low is not None and high is not None and not self.open:
            return f"from {low} to {high}"
        if low is not None and high is None:
            return f"above {low}" if self.open else f"of {low} or more"
        parts = [] if low is None else [f"above {low}" if self.open in ("low", "both") else f"of at least {low}"]
        if high is not None:
            parts.append(
                f"below {high}" if self.open in ("high", "both") else f"{'' if parts else 'of '}at most {high}"
            )
        return " and ".join(parts)

    def holds(self, value: Any) -> bool:
        """Whether a value is allowed."""
        if value is None:
            return self.optional or self.kind == "any"
        if self.kind in ("whole", "number"):
            allowed = self._in_bounds(value)
        elif self.kind == "table":
            entries = value if isinstance(value, tuple) else ()
            is_word = isinstance(value, str) and value in self.words
            allowed = is_word or (len(entries) > 0 and all(self._in_bounds(entry, flags=True) for entry in entries))
        elif self.kind == "flag":
            allowed = type(value).__name__ == "bool"  # numpy's too
        elif self.kind == "path":
            allowed = isinstance(value, str | Path)
        else:
            allowed = (self.kind == "any" or isinstance(value, str)) and (not self.words or value in self.words)
            allowed = allowed and (not self.pattern or re.fullmatch(self.pattern, value) is not None)
        return allowed and (self.holds_if is None or self.holds_if(value))

    def _in_bounds(self, value: Any, flags: bool = False) -> bool:
        """Whether this is a number within the bounds."""
        kind: Any = Integral if self.kind == "whole" else Real
        if not isinstance(value, kind) or (isinstance(value, bool) and not flags):
            return False
        if self.kind != "whole" and not _is_finite(value):
            return False
        if self.low is not None and (value < self.low or (value == self.low and self.open in ("low", "both"))):
            return False
        return self.high is None or value < self.high or (value == self.high and self.open not in ("high", "both"))

    def check(self, name: str | Argument, value: Any) -> Any:
        """The value, with numbers in Python's own types; InputError, which uses this name, if it is not allowed.

        >>> Domain("number", 0, 1, "both").check("p", 0.5)
        0.5
        """
        if not self.holds(value):
            raise self.refusal(name, value)
        if self.kind in ("whole", "number") and value is not None and type(value) not in (int, float):
            return int(value) if isinstance(value, Integral) else float(value)
        return value

    def refusal(self, name: str | Argument, value: Any) -> InputError:
        """The error that says what was expected instead of a value."""
        hint = did_you_mean(value, self.words) if isinstance(value, str) and self.words else ""
        endless = isinstance(value, float) and not math.isfinite(value)
        expected = self.describe().replace("a number", "a finite number", 1) if endless else self.describe()
        text = f" must be {expected}; found {as_found(value)}"
        message = f"{text}; {hint}" if hint else f"{text}."
        fields: dict[str, Any] = {"found": as_found(value), "expected": expected, "fix": hint, "code": "not-allowed"}
        return InputError(name, message, argument=name, value=value, **fields)

    def packed(self) -> dict[str, Any]:
        """The domain as plain data for the index, without defaults."""
        blank = Domain(self.kind)
        changed = [key for key in PACKED_FIELDS if getattr(self, key) != getattr(blank, key)]
        return {key: getattr(self, key) for key in ("kind", *changed)}

    @classmethod
    def unpacked(cls, data: Mapping[str, Any]) -> Self:
        """The domain from plain data; other keys are ignored.

        >>> Domain.unpacked({"kind": "whole", "low": 1, "help": "Resamples."}).describe()
        'a whole number of 1 or more'
        """
        fields = {key: data[key] for key in ("kind", *PACKED_FIELDS) if key in data}
        return cls(**fields | {"words": tuple(data.get("words", ()))})


def _is_finite(value: Any) -> bool:
    """Whether a number is finite, and small enough for a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more than 308 digits
        return False
