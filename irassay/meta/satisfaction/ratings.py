"""Ratings: what people said of each unit, a session or a result list, and the scores that go with it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from irassay.argument_types import FromFile
from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.io.sources import Source
from irassay.prose import count_phrase
from irassay.results import Saved
from irassay.scores import Scores

COLUMNS = {  # what each column may be called, in any case
    "unit": ("unit", "session", "sessionid"),
    "rating": ("rating", "satisfaction", "performance"),
    "user": ("user",),
    "task": ("task", "topic"),
}


@dataclass(frozen=True, eq=False)
class Ratings(Saved, FromFile):
    """One rating a unit, on a scale; who gave it, and working on what, where that is known."""

    saved_as: ClassVar[str] = "ratings"

    units: tuple[str, ...]
    values: Floats  # [unit]
    low: float  # the ends of the scale, given or not
    high: float
    users: tuple[str, ...] = ()  # [unit] or none
    tasks: tuple[str, ...] = ()  # [unit] or none
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.units)) < len(self.units):
            twice = next(unit for i, unit in enumerate(self.units) if unit in self.units[:i])
            raise InputError(f"Unit '{twice}' is rated twice; give every unit one rating.")
        for name, given in (("value", self.values), ("user", self.users), ("task", self.tasks)):
            if len(given) != len(self.units) and not (name != "value" and not len(given)):
                raise InputError(f"There are {len(self.units)} rated units, but {len(given)} {name}s for them.")
        if not self.low < self.high:
            raise InputError(f"A rating scale from {self.low:g} to {self.high:g} has no length; give both ends.")
        outside = (self.values < self.low) | (self.values > self.high)
        if outside.any():
            i = int(np.flatnonzero(outside)[0])
            scale = f"the scale from {self.low:g} to {self.high:g}"
            raise InputError(f"Unit '{self.units[i]}' is rated {self.values[i]:g}, outside {scale}.")

    @property
    def length(self) -> float:
        """How long the scale is."""
        return self.high - self.low

    @classmethod
    def read(cls, path: str | Path, low: float | None = None, high: float | None = None) -> Self:
        """The ratings in a table with a header: columns unit and rating, and user and task where known.

        The ends of the scale are those of the ratings where they are not given, and a note says so.
        """
        units, values, users, tasks = _columns(Path(path))
        notes: tuple[str, ...] = ()
        if low is None or high is None:
            low, high = float(values.min() if low is None else low), float(values.max() if high is None else high)
            notes = (f"The rating scale was taken to run from {low:g} to {high:g}, as far as the ratings do.",)
        return cls(units, values, low, high, users, tasks, notes)

    def select(self, units: Sequence[str]) -> "Ratings":
        """The ratings of these units, in this order."""
        place = {unit: i for i, unit in enumerate(self.units)}
        chosen = [place[unit] for unit in units]
        return replace(
            self,
            units=tuple(units),
            values=self.values[chosen],
            users=tuple(self.users[i] for i in chosen) if self.users else (),
            tasks=tuple(self.tasks[i] for i in chosen) if self.tasks else (),
        )


def _columns(file: Path) -> tuple[tuple[str, ...], Floats, tuple[str, ...], tuple[str, ...]]:
    """Units, ratings, users and tasks of a table."""
    header, lines = headed_table(file, may_be_longer=True)
    called = {column: next((name for name in names if name in header), "") for column, names in COLUMNS.items()}
    if not called["unit"] or not called["rating"]:
        raise InputError(f"{file}, line 1: expected a header with columns unit and rating; found '{' '.join(header)}'.")
    rows = list(lines)
    if not rows:
        raise InputError(f"{file} holds no rating; expected one line a unit.")
    values = np.array([_number(row[called["rating"]], file, number) for number, row in rows])
    units, users, tasks = (
        tuple(row[called[column]] for _, row in rows) if called[column] else () for column in ("unit", "user", "task")
    )
    return units, values, users, tasks


def headed_table(file: Path, *, may_be_longer: bool = False) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """The header of a table, in lower case, and each row by column with the number of its line.

    Columns are apart by tabs, or else by commas, or else by spaces, as the header has them. Of two columns of one
    name the first counts.
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
                raise InputError(f"{file}, line {number}: found {len(cells)} columns; the header has {len(header)}.")
            yield number, dict(zip(reversed(header), reversed(cells[: len(header)]), strict=True))

    return header, rows()


def _number(text: str, file: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise InputError(f"{file}, line {line}: '{text}' is no rating; expected a number.")
    return value


def rated_scores(scores: Scores, ratings: Ratings) -> tuple[Floats, Ratings, tuple[str, ...]]:
    """[metric, unit] scores of the rated units that have one under every metric, their ratings, and what was left out.

    A unit is a topic of the scores; where they hold several systems, it is called SYSTEM/TOPIC. More is better.
    """
    values = scores.oriented().values.reshape(-1, len(scores.metrics)).T  # [metric, unit]
    if len(scores.systems) == 1:
        names = list(scores.topics)
    else:
        names = [f"{system}/{topic}" for system in scores.systems for topic in scores.topics]
    if len(set(names)) < len(names):
        raise InputError("Units of several collections share a name; give each unit its own.")
    scored = {name: i for i, name in enumerate(names)}
    whole = np.isnan(values).sum(axis=0) == 0  # [unit]
    kept = [unit for unit in ratings.units if unit in scored and whole[scored[unit]]]
    notes = [*scores.notes, *ratings.notes]
    if len(kept) < len(ratings.units):
        notes.append(
            f"Left out: {len(ratings.units) - len(kept)} of {len(ratings.units)} rated units, without a score."
        )
    unrated = sum(not np.isnan(values[:, i]).all() for name, i in scored.items() if name not in set(ratings.units))
    if unrated:
        notes.append(f"Left out: {count_phrase(unrated, 'scored unit')} without a rating.")
    if len(kept) < 4:
        raise InputError(f"Found {count_phrase(len(kept), 'unit')} with a rating and all scores; at least 4 are needed.")
    rated = ratings.select(kept)
    if np.ptp(rated.values) == 0:
        raise InputError("All units have the same rating, so that nothing can go with it; give more ratings.")
    return values[:, [scored[unit] for unit in kept]], rated, tuple(notes)
