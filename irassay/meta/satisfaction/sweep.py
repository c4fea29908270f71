"""Values of one parameter of metrics, or of two together, and the scores of rated units under each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.meta.satisfaction.rated import RatedUnits, refuse_tables
from irassay.meta.satisfaction.ratings import Ratings, rated_scores
from irassay.metrics.grammar import metric_strings, parse
from irassay.results import Result
from irassay.settings import Option

Sweep = Annotated[
    tuple[str, ...],
    Option(
        "Parameter values to try: p=0.5,0.6,… (e: the ratio of efforts; e0, e1, …: the effort of a grade); given "
        "twice, two parameters together.",
        metavar="NAME=a,b,c",
        needed="Give the parameter and its values with ",
    ),
]
MAX_COMBINATIONS = 400  # of the values of two parameters
Place = int | np.integer[Any]


@dataclass(frozen=True, eq=False, repr=False)
class SweptResult(Result):
    """A result over the values of one parameter, or of two together."""

    parameter: str
    values: Floats  # [value]
    metrics: tuple[str, ...]
    second: str = field(default="", kw_only=True)  # another parameter, if two vary together
    second_values: Floats | None = field(default=None, kw_only=True)  # [value]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that vary."""
        return (self.parameter, self.second) if self.second else (self.parameter,)

    def value_columns(self, places: Any = slice(None)) -> dict[str, Floats]:
        """The values at some places, in a column for each parameter."""
        columns = {self.parameter: self.values[places]}
        return columns if self.second_values is None else columns | {self.second: self.second_values[places]}

    def value_at(self, place: Place) -> float | tuple[float, ...]:
        """The value of the parameter, or the values of both."""
        values = tuple(float(column) for column in self.value_columns(place).values())
        return values if self.second else values[0]

    def value_text(self, place: Place) -> str:
        """The values with the names of their parameters, such as p = 0.5."""
        return ", ".join(f"{name} = {value:g}" for name, value in self.value_columns(place).items())


@dataclass(frozen=True, eq=False)
class Candidates:
    """The scores of metrics with each value of a parameter, on the units that have a score with all of them."""

    scores: Floats  # [value, metric, unit]
    ratings: Ratings
    swept: Mapping[str, Any]  # fields of a result: parameter, values, metrics and notes


def candidates_of(rated: RatedUnits, sweep: str | tuple[str, ...]) -> Candidates:
    """The scores of the units under each value, or pair of values, of a sweep."""
    swept = swept_values(sweep)
    values = combined_values(swept)
    score = rated.varied(*swept)
    cubes = [score(*each) for each in values]
    each = [rated_scores(scores, rated.ratings) for scores in cubes]
    x, ratings, notes = each[0]
    for value, (other, units, _) in zip(values, each, strict=True):
        if other.shape != x.shape or units.units != ratings.units:
            raise InputError(f"The metrics or units for {_texts(value)} are not those for {_texts(values[0])}.")
    labels = rated.names or cubes[0].metrics
    if len(labels) != len(x):
        raise InputError(f"There are {len(x)} metrics, but {len(labels)} names for them.")
    fields: dict[str, Any] = {"metrics": labels, "notes": notes}
    for end, name, column in zip(("", "second"), swept, np.array(values).T, strict=False):
        fields |= {end or "parameter": name, f"{end}_values" if end else "values": column}
    return Candidates(np.stack([row for row, _, _ in each]), ratings, fields)


def _texts(values: tuple[float, ...]) -> str:
    return f"the value {', '.join(f'{value:g}' for value in values)}"


def combined_values(swept: Mapping[str, tuple[float, ...]]) -> list[tuple[float, ...]]:
    """The values of one parameter, or every pair of those of two; InputError if there are too few or too many."""
    values = list(product(*swept.values()))
    if len(values) > MAX_COMBINATIONS:
        raise InputError(argument("sweep"), f" has {len(values)} pairs of values; give at most {MAX_COMBINATIONS}.")
    if len(values) < 2:
        text = f"A curve needs at least two values of its parameter; found {len(values)}."
        raise InputError(text, argument="sweep")
    return values


def check_sweep(sweep: str | tuple[str, ...], metrics: Sequence[str] = (), scores: Sequence[str] = ()) -> None:
    """Refuses a sweep that is not of one parameter or two, those of score tables, and those that a metric lacks."""
    swept = swept_values(sweep)
    combined_values(swept)
    if scores:
        refuse_tables(swept)
    from irassay.meta.satisfaction.units import is_effort, with_value

    for metric in (parse(name) for text in metrics for name in metric_strings(text)):
        for parameter, value in ((name, value) for name, values in swept.items() for value in values):
            if is_effort(metric, parameter):  # the number of grades is not known yet
                continue
            try:
                with_value(metric, parameter, value, 1)
            except InputError as error:
                error.argument = error.argument or "sweep"
                raise


def swept_values(sweep: str | tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """The values of one parameter or two, by name, from text.

    >>> swept_values("p=0.5,0.6"), swept_values(("h=100,200", "P_save=0.6,0.8"))
    ({'p': (0.5, 0.6)}, {'h': (100.0, 200.0), 'P_save': (0.6, 0.8)})
    """
    texts = (sweep,) if isinstance(sweep, str) else tuple(sweep)
    if len(texts) > 2:
        raise InputError(argument("sweep"), f" takes one parameter or two together; found {len(texts)}.")
    swept: dict[str, tuple[float, ...]] = {}
    for text in texts:
        parameter, _, values = text.partition("=")
        if not values:
            expected = "a parameter and its values, as in p=0.5,0.6,0.7"
            raise InputError(argument=argument("sweep", text), expected=expected)
        if parameter in swept:
            raise InputError(argument("sweep"), f" has {parameter} twice; give two different parameters.")
        try:
            swept[parameter] = tuple(float(value) for value in values.split(","))
        except ValueError:
            expected = "numbers separated by commas, such as p=0.5,0.6"
            raise InputError(argument=argument("sweep", text), expected=expected) from None
    return swept
