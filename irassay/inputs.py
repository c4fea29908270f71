"""What methods are about: the closed set of inputs, each with its arguments on the command line and its reader.

An input is declared as a setting is: the keywords of its reader are its options. Adding one is rare; a method that
takes one of these types before its `*` needs no further line of code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from irassay.errors import InputError, Piece, argument
from irassay.judging.policy import JudgingPolicy
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.metrics.grammar import metric_strings
from irassay.metrics.grids import grid as grid_of
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import METRICS, score
from irassay.settings import DefaultMetrics, Option, Record

GRID = Option("The metrics of a paper: chen2023's 39, jiang2016's, albahem2019's.")
TABLES = Option("A score table made by any tool, or NAME=TABLE; may be repeated.", metavar="TABLE")
DIALECT = Option("Dialect of the score tables, where it cannot be told.", "--from", key="from")
LOWER = Option("A metric of which less is better; may be repeated.")
TABLE = argument("scores", metavar="TABLE")
FILES = Option("Judgements, then runs: files, folders or globs.", metavar="QRELS RUN")

Grid = Literal["cwla", "effort", "dynamic"]


def metric_names(metrics: Sequence[str], grid: str | None) -> list[str]:
    """The metrics named one by one, and those of a grid."""
    named = [one for text in metrics for one in metric_strings(text)]
    if grid:
        named += [metric for metric in grid_of(grid).metrics if metric not in named]
    return named


@dataclass(frozen=True)
class ScoreSource(Record):
    """Score tables, where scores are not made from runs, and the metrics that are asked for."""

    scores: Annotated[tuple[str, ...], TABLES] = ()
    metrics: Annotated[tuple[str, ...], METRICS] = ()
    grid: Annotated[Grid | None, GRID] = None
    dialect: Annotated[str | None, DIALECT] = None
    lower: Annotated[tuple[str, ...], LOWER] = ()

    @property
    def wanted(self) -> list[str]:
        """The metrics asked for."""
        return metric_names(self.metrics, self.grid)

    def chosen(self, cube: Scores, also: Sequence[str] = ()) -> Scores:
        """The metrics asked for, by any spelling, and `also` some; all, where none is."""
        if wanted := self.wanted:
            cube = cube.with_metrics([*wanted, *(name for name in also if name not in wanted)])
        return cube.costs(*(cube.resolved_metric(name) for name in self.lower)) if self.lower else cube

    def refuse_about_tables(self) -> None:
        """Refuses settings of score tables where there are none."""
        for name in ("dialect", "lower"):
            if getattr(self, name):
                fix = (" is about score tables; leave it out, or give them with ", argument("scores"))
                raise InputError(argument(name), *fix, argument=name, code="no-tables")


def scores_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    source: ScoreSource = ScoreSource(),
    judging: JudgingPolicy | None = None,
    scoring: ScoringPolicy | None = None,
    usual: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> Scores:
    """The scores that runs and judgements, or score tables of any tool, stand for.

    `usual` are the metrics where none is named; `also` are scored with those that are.
    """
    if source.scores:
        from irassay.io.tables import read_scores

        if inputs:
            raise InputError("give either ", argument("inputs"), " or ", TABLE, ", not both", code="two-inputs")
        for record in (judging, scoring):
            refuse_reading(record)
        return source.chosen(read_scores(list(source.scores), source.dialect), also)
    if len(inputs) < 2:
        raise _nothing_to_read("at least one run")
    wanted = source.wanted
    wanted += [name for name in also if name not in wanted]
    if not wanted and not usual:
        such = (", such as nDCG@10 and AP, or a paper's with ", argument("grid"))
        raise InputError("name metrics with ", argument("metrics"), *such, argument="metrics", code="no-metrics")
    source.refuse_about_tables()
    how = judging or JudgingPolicy()
    return score(inputs[1:], inputs[0], wanted or usual, judging=how, scoring=scoring or ScoringPolicy())


def iterations_from(inputs: tuple[str, ...] = (), *, also: tuple[str, ...] = (), **given: Any) -> dict[str, Scores]:
    """The scores of every iteration that the tables have."""
    by = argument("by", "iteration")
    if inputs or not given.get("scores"):
        needs = (by, " needs score tables with a column iteration; give them with ", argument("scores"))
        raise InputError(*needs, argument="scores", code="no-tables")
    odd = next((name for name in given if name not in ScoreSource.__dataclass_fields__), "")
    if odd:
        raise InputError(argument(odd), " has no meaning with ", by, "; leave it out", argument=odd)
    from irassay.io.tables import read_scores

    source = ScoreSource(**given)
    cubes = read_scores(list(source.scores), source.dialect, by="iteration")
    return {name: source.chosen(cube, also) for name, cube in cubes.items()}


def runs_or_scores_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    source: ScoreSource = ScoreSource(),
    judging: JudgingPolicy | None = None,
    scoring: ScoringPolicy | None = None,
) -> RunsOrScores:
    """One collection, as runs with judgements or as score tables."""
    if source.scores:
        return RunsOrScores.of(scores=scores_from(inputs, source=source, judging=judging, scoring=scoring))
    source.refuse_about_tables()
    if len(inputs) < 2:
        raise _nothing_to_read("runs")
    wanted, how = source.wanted, judging or JudgingPolicy()
    return RunsOrScores.of(inputs[1:], inputs[0], wanted, judging=how, scoring=scoring or ScoringPolicy())


def judged_runs_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    metrics: Annotated[tuple[str, ...], METRICS] = (),
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> JudgedRuns:
    """Runs and judgements, for a method that scores them more than once."""
    if len(inputs) < 2:
        runs = ("give judgements and runs (", argument("inputs"), "): other judgements need the runs")
        raise InputError(*runs, argument="inputs", code="no-inputs")
    given = (inputs[1:], inputs[0], *([metrics] if metrics else []))
    return JudgedRuns.of(*given, judging=judging, scoring=scoring)


def rated_from(
    *,
    ratings: Annotated[Path | None, "Ratings: unit rating, and user task where known."] = None,
    scores: Annotated[tuple[str, ...], TABLES] = (),
    sessions: Annotated[Path | None, "Sessions to score: a folder (session, results, qrels) or a table."] = None,
    qrels: Annotated[Path | None, "Judgements by session, where sessions are a table."] = None,
    metrics: Annotated[tuple[str, ...], METRICS] = (),
    grid: Annotated[Literal["effort"] | None, "jiang2016's metrics."] = None,
    scale: Annotated[tuple[float, ...], Option("Ends of the rating scale, such as 1,5.")] = (),
) -> RatedUnits:
    """Units with a rating: from score tables and a table of ratings, or sessions scored here."""
    wanted, ends = metric_names(metrics, grid), scale or (None, None)
    if scores:
        if sessions is not None or qrels is not None:
            either = ("give either sessions (", argument("sessions"), ", ", argument("qrels"), ") or score tables (")
            raise InputError(*either, argument("scores"), "), not both", code="two-inputs")
        return RatedUnits.from_tables(list(scores), ratings, wanted, scale=ends)
    return RatedUnits.from_sessions(sessions, wanted, qrels=qrels, ratings=ratings, scale=ends)


def refuse_reading(record: JudgingPolicy | ScoringPolicy | None) -> None:
    """Refuses settings on how runs are read where tables of scores are."""
    if record is None:
        return
    plain = type(record)()
    changed = next((f.name for f in fields(record) if getattr(record, f.name) != getattr(plain, f.name)), "")
    named: tuple[Piece, ...] = (" (", argument(changed), ")") if changed else ()
    no_use = (" have no meaning beside ", argument("scores"), "; leave them out")
    raise InputError("options on how runs are read", *named, *no_use, argument=changed, code="two-inputs")


def _nothing_to_read(runs: str) -> InputError:
    """That neither runs nor tables were given."""
    how = (f"give judgements and {runs} (", argument("inputs"), "), or score tables (", TABLE, ")")
    return InputError(*how, argument="inputs", code="no-inputs")


READERS: dict[Any, Callable[..., Any]] = {
    Scores: scores_from,
    JudgedRuns: judged_runs_from,
    RatedUnits: rated_from,
    RunsOrScores: runs_or_scores_from,
}


def reader_of(hint: Any) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """The reader of an input's type, and what its annotation adds; no reader where it is given as it stands."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    more: dict[str, Any] = next(({"usual": note.metrics} for note in notes if isinstance(note, DefaultMetrics)), {})
    return READERS.get(plain_type(hint)), more


def plain_type(hint: Any) -> Any:
    """A type without its annotation."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint
