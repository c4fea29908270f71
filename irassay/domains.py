"""Domains: the values that a setting of a method or a parameter of a metric may take."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

from irassay.errors import Argument, InputError, as_found
from irassay.prose import did_you_mean

Kind = Literal["flag", "whole", "number", "word", "text", "path", "table", "metric", "any"]
OpenEnds = Literal["", "low", "high", "both"]

LARGEST = sys.float_info.max
NAMES = {
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
    """The values that something may take, described in words and checked in one place."""

    kind: Kind
    low: float | None = None  # smallest number; of a table, smallest entry
    high: float | None = None
    open: OpenEnds = ""  # the ends that are not allowed themselves
    words: tuple[str, ...] = ()  # of a word, all that it may be; of a table, what may stand instead of one
    optional: bool = False  # None is allowed too
    example: str = ""  # of a table
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
        said = self.wording or NAMES.get(self.kind, "")
        if self.kind == "table":
            entries = " ".join(filter(None, ("numbers", self._bounds())))
            said = f"a table of {entries}, such as {self.example or '(0.4,0.6)'}"
        elif self.kind == "whole" and self.low is not None and self.high == self.low + 1:
            said = f"{self.low} or {self.high}"
        elif self.kind in ("whole", "number"):
            said = " ".join(filter(None, (said, self._bounds())))
        if self.words:
            one_of = f"one of {', '.join(self.words)}" if self.words[1:] else self.words[0]
            said = f"{one_of}, or {said}" if said else one_of
        return said

    def _bounds(self) -> str:
        """Where numbers may lie, in words; '' where they may lie anywhere."""
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
            found = self._within(value)
        elif self.kind == "table":
            entries = value if isinstance(value, tuple) else ()
            listed = len(entries) > 0 and all(self._within(entry, flags=True) for entry in entries)
            found = listed or (isinstance(value, str) and value in self.words)
        elif self.kind == "flag":
            found = type(value).__name__ == "bool"  # numpy's too
        elif self.kind == "path":
            found = isinstance(value, str | Path)
        else:
            found = self.kind == "any" or isinstance(value, str)
            found = found and (not self.words or value in self.words)
        return found and (self.holds_if is None or self.holds_if(value))

    def _within(self, value: Any, flags: bool = False) -> bool:
        """Whether this is a number between the ends."""
        kind: Any = Integral if self.kind == "whole" else Real
        if not isinstance(value, kind) or (isinstance(value, bool) and not flags):
            return False
        if value != value or (self.kind != "whole" and not -LARGEST <= value <= LARGEST):
            return False
        if self.low is not None and (value < self.low or (value == self.low and self.open in ("low", "both"))):
            return False
        return self.high is None or value < self.high or (value == self.high and self.open not in ("high", "both"))

    def check(self, name: str | Argument, value: Any) -> Any:
        """The value, numbers as Python's own; InputError, which calls the value by this name, if it is not allowed.

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
        endless = isinstance(value, float) and not -LARGEST <= value <= LARGEST  # also NaN
        expected = self.describe().replace("a number", "a finite number", 1) if endless else self.describe()
        text = f" must be {expected}; found {as_found(value)}"
        return InputError(
            name,
            f"{text}; {hint}" if hint else f"{text}.",
            argument=name,
            value=value,
            found=as_found(value),
            expected=expected,
            fix=hint,
            code="not-allowed",
        )

    def packed(self) -> dict[str, Any]:
        """The domain as plain data for the index, without what has its default."""
        blank, keys = Domain(self.kind), ("low", "high", "open", "words", "optional", "example")
        return {"kind": self.kind} | {
            key: value for key in keys if (value := getattr(self, key)) != getattr(blank, key)
        }

    @classmethod
    def unpacked(cls, data: Mapping[str, Any]) -> Self:
        """The domain that plain data stands for; other keys are passed over.

        >>> Domain.unpacked({"kind": "whole", "low": 1, "help": "Resamples."}).describe()
        'a whole number of 1 or more'
        """
        known = {key: data[key] for key in ("kind", "low", "high", "open", "optional", "example") if key in data}
        return cls(**known, words=tuple(data.get("words", ())))
