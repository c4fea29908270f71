"""What methods are about: the closed set of inputs, each with its arguments on the command line and its reader.

An input is declared as a setting is: the keywords of its reader are its options. Adding one is rare; a method that
takes one of these types before its `*` needs no further line of code.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from irassay.errors import InputError
from irassay.judging.policy import JudgingPolicy
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.metrics.grammar import listed
from irassay.metrics.grids import grid as grid_of
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import METRICS, score
from irassay.settings import Option, Record, Usual

GRID = Option("The metrics of a paper: chen2023's 39, jiang2016's, albahem2019's.")
TABLES = Option("A score table made by any tool, or NAME=TABLE; may be repeated.", metavar="TABLE")
DIALECT = Option("Dialect of the score tables, where it cannot be told.", "--from", key="from")
LOWER = Option("A metric of which less is better; may be repeated.")
FILES = Option("Judgements, then runs: files, folders or globs.", metavar="QRELS RUN")

Grid = Literal["cwla", "effort", "dynamic"]


def asked(metrics: Sequence[str], grid: str | None) -> list[str]:
    """The metrics named one by one, and those of a grid."""
    named = [one for text in metrics for one in listed(text)]
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
        return asked(self.metrics, self.grid)

    def chosen(self, cube: Scores, also: Sequence[str] = ()) -> Scores:
        """The metrics asked for, by any spelling, and `also` some; all, where none is."""
        if wanted := self.wanted:
            cube = cube.asked([*wanted, *(name for name in also if name not in wanted)])
        return cube.costs(*(cube.named(name) for name in self.lower)) if self.lower else cube

    def refuse_about_tables(self) -> None:
        """Says that what is about score tables has no meaning without any."""
        for name, value in (("--from", self.dialect), ("--lower", self.lower)):
            if value:
                raise InputError(f"{name} is about score tables; leave it out, or give them with --scores")


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
            raise InputError("give either QRELS RUN... or --scores TABLE, not both")
        for record in (judging, scoring):
            refuse_reading(record)
        return source.chosen(read_scores(list(source.scores), source.dialect), also)
    if len(inputs) < 2:
        raise InputError("give judgements and at least one run (QRELS RUN...), or score tables (--scores TABLE)")
    wanted = source.wanted
    wanted += [name for name in also if name not in wanted]
    if not wanted and not usual:
        raise InputError("name metrics with -m, such as -m nDCG@10 -m AP, or a paper's with --grid")
    source.refuse_about_tables()
    how = judging or JudgingPolicy()
    return score(inputs[1:], inputs[0], wanted or usual, judging=how, scoring=scoring or ScoringPolicy())


def rounds_from(inputs: tuple[str, ...] = (), *, also: tuple[str, ...] = (), **words: Any) -> dict[str, Scores]:
    """The scores of every iteration that the tables have."""
    if inputs or not words.get("scores"):
        raise InputError("--by iteration needs score tables with a column iteration; give them with --scores")
    odd = next((name for name in words if name not in ScoreSource.__dataclass_fields__), "")
    if odd:
        raise InputError(f"--{odd.replace('_', '-')} has no meaning with --by iteration; leave it out")
    from irassay.io.tables import read_iterations

    source = ScoreSource(**words)
    cubes = read_iterations(list(source.scores), source.dialect)
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
        raise InputError("give judgements and runs (QRELS RUN...), or score tables (--scores TABLE)")
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
        raise InputError("give judgements and runs (QRELS RUN...): other judgements need the runs")
    given = (inputs[1:], inputs[0], *([metrics] if metrics else []))
    return JudgedRuns.of(*given, judging=judging, scoring=scoring)


def rated_from(
    *,
    ratings: Annotated[Path | None, "Ratings: unit rating, and user task where known."] = None,
    scores: Annotated[tuple[str, ...], TABLES] = (),
    sessions: Annotated[Path | None, "Sessions to score: a folder (session, results, qrels) or a table."] = None,
    qrels: Annotated[Path | None, "Judgements by session, with --sessions TABLE."] = None,
    metrics: Annotated[tuple[str, ...], METRICS] = (),
    grid: Annotated[Literal["effort"] | None, "jiang2016's metrics."] = None,
    scale: Annotated[tuple[float, ...], Option("Ends of the rating scale, such as 1,5.")] = (),
) -> RatedUnits:
    """Units with a rating: from score tables and a table of ratings, or sessions scored here."""
    wanted, ends = asked(metrics, grid), scale or (None, None)
    if scores:
        if sessions is not None or qrels is not None:
            raise InputError("give either sessions (--sessions, --qrels) or score tables (--scores), not both")
        return RatedUnits.from_tables(list(scores), ratings, wanted, scale=ends)
    return RatedUnits.from_sessions(sessions, wanted, qrels=qrels, ratings=ratings, scale=ends)


def refuse_reading(record: JudgingPolicy | ScoringPolicy | None) -> None:
    """Says that tables of scores are not judged again."""
    if record is None:
        return
    plain = type(record)()
    changed = [f.name for f in fields(record) if getattr(record, f.name) != getattr(plain, f.name)]
    named = f" (--{changed[0].replace('_', '-')})" if changed else ""
    raise InputError(f"options on how runs are read{named} have no meaning beside --scores; leave them out")


READERS: dict[Any, Callable[..., Any]] = {
    Scores: scores_from,
    JudgedRuns: judged_runs_from,
    RatedUnits: rated_from,
    RunsOrScores: runs_or_scores_from,
}


def reader_of(hint: Any) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """The reader of an input's type, and what its annotation adds; no reader where it is given as it stands."""
    more: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        more = next(({"usual": note.metrics} for note in notes if isinstance(note, Usual)), {})
    return READERS.get(hint), more
