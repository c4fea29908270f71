"""Effort: the time that users spend on results of each grade, from a log of clicks and dwell times."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.click_logs import ClickLog
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.shared_options import Alpha
from irassay.method import method
from irassay.notes import Note
from irassay.prose import count_phrase
from irassay.rankings.gain import compact
from irassay.results import Result
from irassay.settings import Option, Settings
from irassay.stats.draws import name_codes
from irassay.stats.jackknife import DeleteOne

MAX_SECONDS = 1e9  # on a page, 30 years
MAX_GRADE = 1000  # as for `max_grade`
FEW_USERS = 10  # below which intervals are only approximate


@dataclass(frozen=True, eq=False, repr=False)
class Effort(Result):
    """The time that users spend on a result of each grade, and that time divided by the top grade's.

    With P_click and t_click of the grade: t = t_summary + P_click · t_click (jiang2016, equation 6).
    """

    saved_as: ClassVar[str] = "effort"

    grades: Ints  # [grade] 0, 1, …, the top grade
    examined: Ints  # [grade] results
    clicks: Ints  # [grade] examined results that were clicked
    p_click: Floats  # [grade] the share of examined results that were clicked
    p_click_low: Floats  # [grade] the ends of the intervals
    p_click_high: Floats
    t_click: Floats  # [grade] mean seconds on the page of a clicked result; NaN without clicks
    t_click_low: Floats
    t_click_high: Floats
    seconds: Floats  # [grade] to examine a result
    seconds_low: Floats
    seconds_high: Floats
    effort: Floats  # [grade] seconds, divided by those of the top grade
    effort_low: Floats
    effort_high: Floats
    users: int
    summary: float  # seconds to read the summary of a result
    examined_by: str  # 'recorded', or 'last-click'
    alpha: float

    def effort_table(self, digits: int = 4) -> tuple[float, ...]:
        """The efforts by grade that `effort=` of a metric takes."""
        return tuple(round(float(value), digits) for value in self.effort)

    def metric_string(self, name: str = "RBP") -> str:
        """The string of a metric with these efforts.

        >>> log = {"user": [1, 1], "query": [1, 1], "rank": [1, 2], "grade": [0, 1], "examined": [1, 1]}
        >>> import polars as pl
        >>> frame = pl.DataFrame(log | {"clicked": [0, 1], "dwell": [None, 13.2]})
        >>> effort(frame).metric_string()
        'RBP(effort=(0.25,1))'
        """
        return f"{name}(effort={compact(self.effort_table())})"

    def ranked(self) -> list[tuple[str, float]]:
        """The grades and their efforts, the smallest effort first."""
        return [(f"grade {self.grades[g]}", float(self.effort[g])) for g in np.argsort(self.effort, kind="stable")]


def look_at_log(log: Any) -> None:
    """Refuses a file that is not a log."""
    ClickLog.of(log)


@method(
    "How much time do users spend on results of each grade?",
    cite="jiang2016 smucker2012",
    look=look_at_log,
    examples=("irassay meta effort log.tsv", "irassay meta effort log.tsv --examined last-click --summary 3.5"),
)
def effort(
    log: Annotated[
        Any,
        Option(
            "Log with a header: user query rank doc grade examined clicked dwell (seconds).",
            metavar="LOG",
            place=1,
            files=True,
        ),
    ],
    *,
    summary: Annotated[float, Option("Seconds to read the summary of a result.", low=0)] = 4.4,
    examined: Annotated[
        Literal["recorded", "last-click"],
        Option("Which results a user examined: those of column examined, or all down to the last click."),
    ] = "recorded",
    alpha: Alpha = 0.05,
) -> Effort:
    """Estimate the effort of examining a result of each grade, for `effort=` of metrics (jiang2016).

    The time for a result is the time to read its summary, plus the time on its page times the probability of a click.
    The effort is that time divided by the top grade's. Intervals are by the jackknife over users with Student's t.
    """
    checked_alpha(alpha)
    rows = ClickLog.of(log)
    seen, notes = _examined_rows(rows, examined)
    grades = _whole_grades(rows)
    user, top = name_codes(rows.user), int(grades.max())

    def counts(chosen: Bools, weight: Any = None) -> Floats:
        """[user, grade] sums over chosen rows."""
        place = (user * (top + 1) + grades)[chosen]
        sums = np.bincount(place, None if weight is None else weight[chosen], (user.max() + 1) * (top + 1))
        return sums.reshape(-1, top + 1).astype(np.float64)

    is_timed = seen & rows.clicked & ~np.isnan(rows.dwell)
    shown, clicked = counts(seen), counts(seen & rows.clicked)
    timed, dwell = counts(is_timed), counts(is_timed, np.nan_to_num(rows.dwell))
    _refuse_unknown(rows, shown.sum(axis=0), clicked.sum(axis=0), timed.sum(axis=0))
    if untimed := int((clicked - timed).sum()):
        notes += (Note(f"{count_phrase(untimed, 'click')} without a dwell time: left out of the mean time on a page"),)
    users = int((shown.sum(axis=1) > 0).sum())
    if users < FEW_USERS:
        notes += (Note(f"There are only {count_phrase(users, 'user')}; intervals are approximate.", caveat=True),)
    tables = np.stack([shown, clicked, timed, dwell])  # [count, user, grade]
    totals = tables.sum(axis=1)
    every, without = _statistics(totals, summary), _statistics(totals[:, None] - tables, summary)
    fields: dict[str, Any] = {}
    for name, value in every.items():
        is_share = name == "p_click"  # others are times, whose intervals are made for their logarithms
        scale, back = ((lambda x: x), (lambda x: x)) if is_share else (np.log, np.exp)
        with np.errstate(divide="ignore", invalid="ignore"):
            one = DeleteOne(scale(value), scale(without[name]), shown > 0)
            low, high = one.interval(alpha, *((0.0, 1.0) if is_share else ()))
        fields |= {name: value, f"{name}_low": back(low), f"{name}_high": back(high)}
    return Effort(
        grades=np.arange(top + 1),
        examined=shown.sum(axis=0).astype(np.int64),
        clicks=clicked.sum(axis=0).astype(np.int64),
        **fields,
        users=users,
        summary=summary,
        examined_by=examined,
        alpha=alpha,
        notes=notes,
        settings=Settings(inputs={"log": Path(log)} if isinstance(log, str | Path) else {}),
    )


def _whole_grades(rows: ClickLog) -> Ints:
    """[row] the grades; one below 0 costs as much as grade 0. InputError for values that no log can have."""
    grades = np.maximum(rows.grade, 0.0)
    if (grades != np.floor(grades)).any():
        raise InputError(
            f"{rows.source} has a grade {grades[grades != np.floor(grades)][0]:g}; efforts need whole grades."
        )
    if (rows.dwell > MAX_SECONDS).any():
        raise InputError(
            f"{rows.source} has a dwell of {np.nanmax(rows.dwell):g} s; expected at most {MAX_SECONDS:g} s."
        )
    if grades.max() > MAX_GRADE:
        raise InputError(f"{rows.source} has a grade {int(grades.max())}; grades go up to {MAX_GRADE}.")
    return grades.astype(np.int64)


def _statistics(counts: Floats, summary: float) -> dict[str, Floats]:
    """[…, grade] P_click, t_click, t, and t divided by that of the top grade.

    From the numbers of examined, clicked and timed results and their time on pages, [count, …, grade].
    """
    shown, clicked, timed, dwell = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        p_click, t_click = clicked / shown, dwell / timed
        seconds = summary + np.where(clicked > 0, p_click * t_click, 0.0 * p_click)
        return {"p_click": p_click, "t_click": t_click, "seconds": seconds, "effort": seconds / seconds[..., -1:]}


def _examined_rows(rows: ClickLog, by: str) -> tuple[Bools, tuple[Note, ...]]:
    """[row] whether the user examined the result, and notes on how that is known."""
    if by == "recorded":
        if rows.examined is None:
            fix = (
                "assume that users examined all results down to their last click with ",
                argument("examined", "last-click"),
            )
            raise InputError(
                f"{rows.source} has no column examined. Add it (jiang2016 used eye tracking), or ", *fix, "."
            )
        missed = int((rows.clicked & ~rows.examined).sum())
        text = "on results that were not examined: left out"
        return rows.examined, (Note(f"{count_phrase(missed, 'click')} {text}"),) if missed else ()
    lists = name_codes([f"{user}\0{query}" for user, query in zip(rows.user, rows.query, strict=True)])
    last = np.full(int(lists.max()) + 1, -np.inf)
    np.maximum.at(last, lists[rows.clicked], rows.rank[rows.clicked])
    unclicked = count_phrase(int(np.isinf(last).sum()), "list")
    text = f"Assumed: users examined all results down to their last click, and none of {unclicked} without one"
    return rows.rank <= last[lists], (Note(f"{text}. That makes clicks look more likely than they are.", caveat=True),)


def _refuse_unknown(rows: ClickLog, shown: Floats, clicked: Floats, timed: Floats) -> None:
    """Raises an error for a grade about which the log says nothing."""
    if len(unseen := np.flatnonzero(shown == 0)):
        fix = "Merge it with another grade, or add results"
        raise InputError(
            f"No result of grade {unseen[0]} was examined in {rows.source}, so its effort is unknown. {fix}."
        )
    if len(untimed := np.flatnonzero((clicked > 0) & (timed == 0))):
        raise InputError(f"No click on a result of grade {untimed[0]} has a dwell time in {rows.source}. Add one.")
