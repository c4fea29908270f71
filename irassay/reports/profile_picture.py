"""The picture of the profile on the page: metrics by criteria, and two metrics head to head.

It is a table whose cells are drawn as SVG in percent of their width, so it needs no script and fits every screen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from irassay.assays.assay import Assay
from irassay.assays.axiom_results import axiom_rates
from irassay.assays.criteria import AXIOMS, RATINGS, Criterion
from irassay.assays.criterion_sentences import (
    criterion_definition,
    estimate_text,
    is_compared,
    missing_estimate_reason,
    place_text,
    value_text,
)
from irassay.assays.profile import Profile
from irassay.prose import level_text
from irassay.views.assay import NOT_TESTED, head_to_head

MAX_STEPS = 6  # of an axis
MAX_SHORT_ROWS = 12  # of a picture with room for the caveats below it


@dataclass(frozen=True)
class DrawnInterval:
    """An estimate and its interval, in percent of the width of a cell; no interval if low and high are equal."""

    at: float
    low: float
    high: float


@dataclass(frozen=True)
class PictureCell:
    """A number with its interval; it is filled where the metric may be best."""

    text: str
    tip: str
    drawn: DrawnInterval | None = None
    filled: bool = False
    is_compared: bool = True


@dataclass(frozen=True)
class PictureColumn:
    """A criterion with its axis: the values at both ends."""

    name: str
    tip: str
    ends: tuple[str, str] = ("", "")
    lines: tuple[float, ...] = ()  # vertical ones, in percent of the width; none if its cells are text


@dataclass(frozen=True)
class Picture:
    """Rows of cells: metrics by criteria, or criteria by the difference of two metrics."""

    columns: tuple[PictureColumn, ...]
    rows: tuple[tuple[str, tuple[PictureCell, ...]], ...]

    @property
    def is_short(self) -> bool:
        """Whether the caveats have room below it on the first screen."""
        return len(self.rows) <= MAX_SHORT_ROWS

    @property
    def all_compared(self) -> bool:
        """Whether every estimate was compared with the others."""
        return all(cell.is_compared for _, cells in self.rows for cell in cells)

    @property
    def has_ratings(self) -> bool:
        """Whether users' ratings are a criterion."""
        return any(column.name == RATINGS for column in self.columns)

    @property
    def any_behind(self) -> bool:
        """Whether a metric is significantly behind another on a criterion."""
        compared = (cell for _, cells in self.rows for cell in cells if cell.drawn and cell.is_compared)
        return not all(cell.filled for cell in compared)

    @property
    def any_interval(self) -> bool:
        """Whether an estimate has an interval."""
        return any(cell.drawn and cell.drawn.low < cell.drawn.high for _, cells in self.rows for cell in cells)

    @property
    def any_broken(self) -> bool:
        """Whether a metric breaks an axiom."""
        return any(cell.text.startswith("✗") for _, cells in self.rows for cell in cells)

    @property
    def longest_name(self) -> int:
        """The length of the longest name of a row, in letters."""
        return max(len(f"{name}") for name, _ in self.rows)


def axis_ends(low: float, high: float) -> tuple[float, float]:
    """Round numbers that enclose both ends, or whole ones if these are the same.

    >>> axis_ends(0.0, 0.451), axis_ends(0.61, 0.83), axis_ends(1.0, 1.0)
    ((0.0, 0.5), (0.6, 0.85), (0.0, 1.0))
    """
    if high - low < 1e-9:
        low, high = min(math.floor(low), 0), max(math.ceil(high), 1)
    width = max(high - low, 0.01)
    unit = 10.0 ** math.floor(math.log10(width / MAX_STEPS))
    step = next(unit * factor for factor in (1, 2, 5, 10) if width / (unit * factor) <= MAX_STEPS)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return round(first * step, 12), round(max(last, first + 1) * step, 12)


def profile_picture(assay: Assay) -> Picture | None:
    """The profile of every metric, the one with the highest estimate on the first criterion at the top."""
    profile = assay.profile
    if profile is None:
        return None
    first, number = profile.criteria[0], len(profile.metrics)
    order = np.argsort(-np.nan_to_num(first.estimate[:number], nan=-np.inf), kind="stable")
    columns = [_criterion_column(assay, profile, each) for each in profile.criteria]
    if assay.axioms:
        columns.append((PictureColumn(AXIOMS, "how many of the tested axioms the metric breaks"), _axiom_cells(assay)))
    rows = tuple((profile.metrics[m], tuple(cells[m] for _, cells in columns)) for m in order)
    return Picture(tuple(head for head, _ in columns), rows)


def _criterion_column(assay: Assay, profile: Profile, each: Criterion) -> tuple[PictureColumn, list[PictureCell]]:
    """A criterion and the cell of every metric on it."""
    rows = np.flatnonzero(~np.isnan(each.estimate[: len(profile.metrics)]))
    values = np.concatenate([array[rows] for array in (each.estimate, each.low, each.high)])
    values = values[~np.isnan(values)]
    lowest = 0.0 if each.is_share or not len(values) else float(values.min())
    ends = axis_ends(lowest, float(values.max()) if len(values) else 1.0)
    start, end = (
        f"{value:.3g}%" if each.is_share else f"{value:.3g}" for value in np.multiply(ends, 100 if each.is_share else 1)
    )

    def cell(m: int) -> PictureCell:
        if m not in rows:
            return PictureCell("–", f"{profile.metrics[m]}: {missing_estimate_reason(assay, profile, each, m)}")
        estimate = float(each.estimate[m])
        text = value_text(each, estimate).replace("under ", "<").replace("over ", ">")  # on one line
        low, high = (estimate if math.isnan(end) else float(end) for end in (each.low[m], each.high[m]))
        compared = is_compared(each, m)
        best = compared and each.selection is not None and bool(each.selection.may_be_best[m])
        tip = f"{profile.metrics[m]}, {each.name}: {estimate_text(each, m)}{place_text(assay, each, m)}"
        drawn = DrawnInterval(*_percent((estimate, low, high), ends))
        return PictureCell(text, tip, drawn, best, compared)

    tip = criterion_definition(assay, each.name)
    head = PictureColumn(each.name, tip, (start, end), (0.0, 100.0))
    return head, [cell(m) for m in range(len(profile.metrics))]


def _percent(values: Sequence[float], ends: tuple[float, float]) -> tuple[float, ...]:
    """Values in percent of an axis."""
    return tuple(round(100 * (value - ends[0]) / (ends[1] - ends[0]), 2) for value in values)


def _axiom_cells(assay: Assay) -> list[PictureCell]:
    """[metric] how many axioms it breaks."""
    known = axiom_rates(assay)
    cells = []
    for metric in assay.metrics:
        each = known[metric]
        if each is None:
            cells.append(PictureCell("–", f"{metric}: {NOT_TESTED}"))
        else:
            keeps = f"keeps all {len(each.rates)} axioms tested"
            tip = f"{metric} breaks {each.words}" if each.broken else f"{metric} {keeps}"
            cells.append(PictureCell(f"✗ {len(each.broken)}" if each.broken else "✓", tip))
    return cells


def _difference_text(value: float, is_share: bool) -> str:
    """A difference, that of shares in percentage points.

    >>> _difference_text(-0.0154, True), _difference_text(-0.0004, False)
    ('-1.5', '+0.000')
    """
    digits = 1 if is_share else 3
    return f"{round(100 * value if is_share else value, digits) + 0.0:+.{digits}f}"  # not -0.000


def difference_picture(assay: Assay) -> Picture | None:
    """Two metrics head to head: the difference on every criterion, or why they cannot be compared."""
    profile = assay.profile
    if profile is None or len(profile.metrics) != 2:
        return None
    table = head_to_head(assay, profile)
    numbers = np.array([[math.nan if cell is None else cell for cell in row[1:4]] for row in table.rows], dtype=float)
    reach = axis_ends(0, float(np.nanmax(np.abs(numbers))) if not np.isnan(numbers).all() else 1.0)[1]
    rows = []
    for row, (difference, low, high) in zip(table.rows, numbers.tolist(), strict=True):
        name, remark = str(row[0]), f"{row[4]}"
        text, interval, drawn = "–", "", None
        each = profile.by(name)
        if not math.isnan(difference):
            is_share = each is not None and each.is_share
            number = partial(_difference_text, is_share=is_share)
            text = f"{number(difference)} points" if is_share else number(difference)
            interval = "" if math.isnan(low) else f"{number(low)} to {number(high)}"
            ends = (low, high) if interval else (difference, difference)
            drawn = DrawnInterval(*_percent((difference, *ends), (-reach, reach)))
        is_significant = each is not None and each.selection is not None and bool(each.selection.behind.any())
        tip = criterion_definition(assay, name)
        cells = (PictureCell(text, tip, drawn, is_significant), PictureCell(interval, tip), PictureCell(remark, tip))
        rows.append((name, cells))
    one, other = (f"{metric}" for metric in profile.metrics)
    sides = (f"← {other} is higher", f"{one} is higher →")
    columns = (
        PictureColumn(f"{one} minus {other}", "the difference of the estimates", sides, (0.0, 50.0, 100.0)),
        PictureColumn(f"{level_text(profile.alpha)} interval", "of the difference; zero inside means: not significant"),
        PictureColumn("conclusion", "whether the difference is significant, or why there is no comparison"),
    )
    return Picture(columns, tuple(rows))
