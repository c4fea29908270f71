"""Ratings: users' ratings of units (sessions or result lists), and the scores of the same units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from irassay.argument_types import FromFile
from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.sources import Source
from irassay.prose import count_phrase, first_few
from irassay.provenance import shown_name
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.stats.draws import name_codes

COLUMNS = {  # names of each column, in any case
    "unit": ("unit", "session", "sessionid"),
    "rating": ("rating", "satisfaction", "performance"),
    "user": ("user",),
    "task": ("task", "topic"),
}


@dataclass(frozen=True, eq=False)
class Ratings(Saved, FromFile):
    """One rating per unit on a scale, and the user and task, if known."""

    saved_as: ClassVar[str] = "ratings"

    units: tuple[str, ...]
    values: Floats  # [unit]
    low: float  # the ends of the scale
    high: float
    users: tuple[str, ...] = ()  # [unit], or empty
    tasks: tuple[str, ...] = ()  # [unit], or empty
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.units)) < len(self.units):
            twice = next(unit for i, unit in enumerate(self.units) if unit in self.units[:i])
            raise InputError(f"Unit '{twice}' is rated twice; give one rating per unit.")
        for name, column in (("value", self.values), ("user", self.users), ("task", self.tasks)):
            if len(column) != len(self.units) and (name == "value" or len(column)):
                raise InputError(f"There are {len(self.units)} rated units, but {len(column)} {name}s for them.")
        if self.low == self.high and len(self.values) and (self.values == self.low).all():
            raise InputError(f"All ratings are {self.low:g}, so nothing can agree with them; give ratings that vary.")
        if not self.low < self.high:
            raise InputError(f"A rating scale from {self.low:g} to {self.high:g} has no length; give both ends.")
        outside = np.flatnonzero((self.values < self.low) | (self.values > self.high))
        if len(outside):
            unit, value = self.units[outside[0]], self.values[outside[0]]
            raise InputError(f"Unit '{unit}' is rated {value:g}, outside the scale from {self.low:g} to {self.high:g}.")

    @property
    def length(self) -> float:
        """The length of the scale."""
        return self.high - self.low

    @property
    def groupings(self) -> dict[str, Ints]:
        """By 'user' and 'task', if they vary, and 'none': [unit] the number of its group or its own, by name."""
        names = {"user": self.users, "task": self.tasks, "none": self.units}
        return {group: name_codes(each) for group, each in names.items() if group == "none" or len(set(each)) > 1}

    def members(self, group: str) -> Ints:
        """[unit] the number of its 'user' or 'task', refused if the ratings have none, or with 'none' its own."""
        if group not in (groupings := self.groupings):
            choices = ", ".join(sorted(groupings, key="none user task".index))
            raise InputError(argument("group", group), f": these ratings can be grouped by {choices}.")
        return groupings[group]

    @classmethod
    def read(cls, path: str | Path, low: float | None = None, high: float | None = None) -> Self:
        """The ratings in a table with a header: columns unit and rating, and user and task if known.

        By default the ends of the scale are the smallest and largest rating, and a note says so.
        """
        units, values, users, tasks = _columns(Path(path))
        notes: tuple[str, ...] = ()
        if low is None or high is None:
            low, high = float(values.min() if low is None else low), float(values.max() if high is None else high)
            notes = (f"The rating scale was assumed to be {low:g} to {high:g}, the range of the ratings.",)
        return cls(units, values, low, high, users, tasks, notes)

    def select(self, units: Sequence[str]) -> "Ratings":
        """The ratings of these units, in this order."""
        place = {unit: i for i, unit in enumerate(self.units)}
        rows = [place[unit] for unit in units]
        users, tasks = (tuple(column[i] for i in rows) if column else () for column in (self.users, self.tasks))
        return replace(self, units=tuple(units), values=self.values[rows], users=users, tasks=tasks)


def _columns(file: Path) -> tuple[tuple[str, ...], Floats, tuple[str, ...], tuple[str, ...]]:
    """Units, ratings, users and tasks of a table."""
    header, lines = headed_table(file, may_be_longer=True)
    names = {column: next((name for name in aliases if name in header), "") for column, aliases in COLUMNS.items()}
    if not names["unit"] or not names["rating"]:
        raise InputError(f"{file}, line 1: expected a header with columns unit and rating; found '{' '.join(header)}'.")
    rows = list(lines)
    if not rows:
        raise InputError(f"{file} has no ratings; expected one line per unit.")
    values = np.array([_number(row[names["rating"]], file, number) for number, row in rows])
    units, users, tasks = (
        tuple(row[names[column]] for _, row in rows) if names[column] else () for column in ("unit", "user", "task")
    )
    return units, values, users, tasks


def headed_table(file: Path, *, may_be_longer: bool = False) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The header of a table, in lower case, and each row by column with its line number.

    Columns are separated by tabs, commas or spaces, the first of these that the header has. If two columns have the
    same name, the first counts.
    """
    lines = Source(file).text().splitlines()
    first = lines[0] if lines else ""
    separator = next((mark for mark in "\t," if mark in first), None)
    header = [name.strip().lower() for name in first.split(separator)]

    def rows() -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in enumerate(lines[1:], start=2):
            cells = [cell.strip() for cell in line.split(separator)]
            if not line.strip():
                continue
            if len(cells) < len(header) or (len(cells) > len(header) and not may_be_longer):
                expected = f"{len(header)}, as in the header"
                raise InputError(
                    file=shown_name(file), line=number, found=f"found {len(cells)} columns", expected=expected
                )
            yield number, dict(zip(reversed(header), reversed(cells[: len(header)]), strict=True))

    return header, rows()


def _number(text: str, file: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(file=shown_name(file), line=line, found=f"'{text}' is not a rating", expected="a number")
    return value


def rated_scores(scores: Scores, ratings: Ratings) -> tuple[Floats, Ratings, tuple[str, ...]]:
    """[metric, unit] the scores of the rated units that have one by every metric, their ratings, and notes.

    A unit is a topic of the scores; with several systems, it is named SYSTEM/TOPIC. Higher is better.
    """
    values = scores.oriented().values.reshape(-1, len(scores.metrics)).T  # [metric, unit]
    if len(scores.systems) == 1:
        names = list(scores.topics)
    else:
        names = [f"{system}/{topic}" for system in scores.systems for topic in scores.topics]
    if len(set(names)) < len(names):
        raise InputError("Units of several collections have the same name; give each unit its own name.")
    place = {name: i for i, name in enumerate(names)}
    complete = np.isnan(values).sum(axis=0) == 0  # [unit]
    kept = [unit for unit in ratings.units if unit in place and complete[place[unit]]]
    notes = [*scores.notes, *ratings.notes]
    if unscored := len(ratings.units) - len(kept):
        notes.append(f"Left out: {unscored} of {len(ratings.units)} rated units without a score.")
    unrated = sum(not np.isnan(values[:, i]).all() for name, i in place.items() if name not in set(ratings.units))
    if unrated:
        notes.append(f"Left out: {count_phrase(unrated, 'scored unit')} without a rating.")
    if len(kept) < 4:
        found = f"Found {count_phrase(len(kept), 'unit')} with a rating and all scores; at least 4 needed."
        raise InputError(found if kept or not names else f"{found} {_unit_form(scores, ratings)}")
    rated = ratings.select(kept)
    if np.ptp(rated.values) == 0:
        raise InputError("All units have the same rating, so nothing can correlate with it; give more ratings.")
    same = [name for name, column in (("user", rated.users), ("task", rated.tasks)) if len(set(column)) == 1]
    notes += [f"All units have the same {name}, so {name}s are left out." for name in same]
    return values[:, [place[unit] for unit in kept]], rated, tuple(notes)


def _unit_form(scores: Scores, ratings: Ratings) -> str:
    """How units are named, for ratings of which none matches."""
    system, topic = scores.systems[0], scores.topics[0]
    form = f"TOPIC, such as {topic}" if len(scores.systems) == 1 else f"SYSTEM/TOPIC, such as {system}/{topic}"
    return f"A unit is named {form}; the ratings have {first_few(ratings.units, 3)}."
