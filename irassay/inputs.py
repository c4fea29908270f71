"""The inputs of methods: a closed set of types, each with its command-line arguments and its reader.

An input is declared as a setting is: the keywords of its reader are its options. A method that takes one of these types
before its `*` needs no further code.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from irassay.argument_types import type_and_notes
from irassay.errors import InputError, argument
from irassay.judging.policy import JudgingPolicy
from irassay.keywords import ReaderCall
from irassay.meta.satisfaction.rated import RatedUnits
from irassay.metrics.grammar import metric_strings, parse
from irassay.metrics.grids import grid as grid_of
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.scoring.score import METRICS, label_settings, parsed_metrics, score
from irassay.settings import DefaultMetrics, Option, Record, Settings

GRID = Option("The metrics of a paper: chen2023's 39, jiang2016's, albahem2019's.")
TABLES = Option("A score table made by any tool, or NAME=TABLE; may be repeated.", metavar="TABLE", files=True)
DIALECT = Option("Format of the score tables, if it cannot be detected.", "--from", key="from")
LOWER = Option("A metric for which lower is better; may be repeated.")
TABLE = argument("scores", metavar="TABLE")
FILES = Option("Judgements, then runs: files, folders, globs or NAME=FILE.", metavar="QRELS RUN", files=True)

Grid = Literal["cwla", "effort", "dynamic"]


def metric_names(metrics: Sequence[str], grid: str | None) -> list[str]:
    """The metrics given by name, then the others of a grid."""
    names = [name for text in metrics for name in metric_strings(text)]
    return [*names, *(metric for metric in grid_of(grid).metrics if metric not in names)] if grid else names


@dataclass(frozen=True)
class ScoreSource(Record):
    """Score tables, if scores are not made from runs, and the requested metrics."""

    scores: Annotated[tuple[str, ...], TABLES] = ()
    metrics: Annotated[tuple[str, ...], METRICS] = ()
    grid: Annotated[Grid | None, GRID] = None
    dialect: Annotated[str | None, DIALECT] = None
    lower: Annotated[tuple[str, ...], LOWER] = ()

    @property
    def requested_metrics(self) -> list[str]:
        """The metrics given by name, and those of the grid."""
        return metric_names(self.metrics, self.grid)

    def selected_scores(self, cube: Scores, extra_metrics: Sequence[str] = ()) -> Scores:
        """The scores of the requested metrics, in any spelling, and of extra ones; of all, if none is requested."""
        if requested := self.requested_metrics:
            cube = cube.with_metrics([*requested, *(name for name in extra_metrics if name not in requested)])
        return cube.costs(*(cube.resolved_metric(name) for name in self.lower)) if self.lower else cube

    def refuse_table_settings(self) -> None:
        """Refuses settings of score tables if there are none."""
        for name in ("dialect", "lower"):
            if getattr(self, name):
                fix = (" applies to score tables only; leave it out, or give tables with ", argument("scores"), ".")
                raise InputError(argument(name), *fix, argument=name, code="no-tables")


def scores_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    source: ScoreSource = ScoreSource(),
    judging: JudgingPolicy | None = None,
    scoring: ScoringPolicy | None = None,
    default_metrics: tuple[str, ...] = (),
    extra_metrics: tuple[str, ...] = (),
) -> Scores:
    """The scores of runs with judgements, or of score tables of any tool.

    `default_metrics` are used if no metric is named; `extra_metrics` are scored along with the named ones.
    """
    metrics = (*source.requested_metrics, *extra_metrics) or default_metrics
    check_source(inputs, source=source, judging=judging, scoring=scoring, metrics=metrics)
    if source.scores:
        from irassay.io.tables import read_scores

        return source.selected_scores(read_scores(list(source.scores), source.dialect), extra_metrics)
    judging, scoring = judging or JudgingPolicy(), scoring or ScoringPolicy()
    return score(inputs[1:], inputs[0], list(dict.fromkeys(metrics)), judging=judging, scoring=scoring)


def check_scores(
    inputs: tuple[str, ...] = (),
    *,
    source: ScoreSource = ScoreSource(),
    default_metrics: tuple[str, ...] = (),
    extra_metrics: tuple[str, ...] = (),
    **policies: Any,
) -> None:
    """Refuses what `scores_from` refuses before it reads."""
    check_source(
        inputs, source=source, metrics=(*source.requested_metrics, *extra_metrics) or default_metrics, **policies
    )


def check_source(
    inputs: tuple[str, ...] = (),
    *,
    source: ScoreSource = ScoreSource(),
    judging: JudgingPolicy | None = None,
    scoring: ScoringPolicy | None = None,
    metrics: Sequence[str] | None = None,
) -> None:
    """Refuses runs and score tables together, neither, settings of the one that is not given, and runs by no metric."""
    if not source.scores:
        if len(inputs) < 2:
            fix = ("Give judgements and at least one run (", argument("inputs"), "), or score tables (", TABLE, ").")
            raise InputError(*fix, argument="inputs", code="no-inputs")
        if metrics is not None and not metrics:
            examples = (", such as nDCG@10 and AP, or those of a paper with ", argument("grid"), ".")
            named = ("Name metrics with ", argument("metrics"))
            raise InputError(*named, *examples, argument="metrics", code="no-metrics")
        source.refuse_table_settings()
        return
    if inputs:
        either = ("Give either ", argument("inputs"), " or ", TABLE, ", not both; repeat ", argument("scores"))
        raise InputError(*either, " for each further table.", code="two-inputs")
    for record in (judging, scoring):
        refuse_reading_settings(record)
    if source.dialect:
        from irassay.io.tables.dialects import checked_dialect

        checked_dialect(source.dialect)


def expected_scores(
    inputs: tuple[str, ...] = (),
    *,
    source: ScoreSource | None = None,
    metrics: Sequence[str] = (),
    grid: str | None = None,
    sessions: Path | None = None,
    scores: tuple[str, ...] = (),
    scoring: ScoringPolicy | None = None,
    default_metrics: tuple[str, ...] = (),
    extra_metrics: tuple[str, ...] = (),
    **others: Any,
) -> Scores | None:
    """The scores that a reader of runs or sessions will make, without systems and topics; None if they are in tables.

    None also if no metric is named, and the method has none by default.
    """
    own = source.requested_metrics if source else metric_names(metrics, grid)
    named, tables = (*own, *extra_metrics) or default_metrics, source.scores if source else scores
    if tables or not named or not (inputs or sessions):
        return None
    rules = scoring or ScoringPolicy()
    parsed = parsed_metrics(named, rules.rel, rules.judged_only, always=rules.no_relevant == "skip")
    settings = Settings("score", {"rel": rules.rel, "judged_only": rules.judged_only}, label_settings(parsed))
    names = tuple(map(str, parsed))
    return Scores(np.empty((0, 0, len(names))), (), (), names, settings=settings)


def expected_scores_of(calls: Mapping[str, ReaderCall]) -> Scores | None:
    """The scores that one of these readers, called with these keywords, will make, as far as they are known."""
    expected = (expected_scores(**keywords) for _, keywords in calls.values())
    return next((scores for scores in expected if scores is not None), None)


def iterations_from(
    inputs: tuple[str, ...] = (), *, extra_metrics: tuple[str, ...] = (), **given: Any
) -> dict[str, Scores]:
    """The scores of every iteration in the tables."""
    check_iterations(inputs, **given)
    from irassay.io.tables import read_scores

    source = ScoreSource(**given)
    cubes = read_scores(list(source.scores), source.dialect, by="iteration")
    return {name: source.selected_scores(cube, extra_metrics) for name, cube in cubes.items()}


def check_metric_names(setting: str, names: Sequence[str]) -> None:
    """Refuses unknown metrics, which this setting names."""
    for name in names:
        try:
            for text in metric_strings(name):
                parse(text)
        except InputError as error:
            error.argument = setting
            raise


def check_iterations(inputs: tuple[str, ...] = (), **given: Any) -> None:
    """Refuses runs, and settings of runs, where the iterations of score tables are wanted."""
    by = argument("by", "iteration")
    if inputs or not given.get("scores"):
        needs = (by, " needs score tables with a column iteration; give them with ", argument("scores"), ".")
        raise InputError(*needs, argument="scores", code="no-tables")
    if odd := next((name for name in given if name not in {*ScoreSource.__dataclass_fields__, "extra_metrics"}), ""):
        raise InputError(argument(odd), " cannot be used with ", by, "; leave it out.", argument=odd)


def runs_or_scores_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    source: ScoreSource = ScoreSource(),
    judging: JudgingPolicy | None = None,
    scoring: ScoringPolicy | None = None,
    default_metrics: tuple[str, ...] = (),
) -> RunsOrScores:
    """One collection, as runs with judgements or as score tables; `default_metrics` are used if no metric is named."""
    check_source(inputs, source=source, judging=judging, scoring=scoring)
    if source.scores:
        return RunsOrScores.of(scores=scores_from(inputs, source=source, judging=judging, scoring=scoring))
    judging, scoring = judging or JudgingPolicy(), scoring or ScoringPolicy()
    metrics = source.requested_metrics or default_metrics
    return RunsOrScores.of(inputs[1:], inputs[0], metrics, judging=judging, scoring=scoring)


def judged_runs_from(
    inputs: Annotated[tuple[str, ...], FILES] = (),
    *,
    metrics: Annotated[tuple[str, ...], METRICS] = (),
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> JudgedRuns:
    """Runs and judgements, for a method that scores them more than once."""
    check_judged_runs(inputs)
    metrics_given = [metrics] if metrics else []
    return JudgedRuns.of(inputs[1:], inputs[0], *metrics_given, judging=judging, scoring=scoring)


def check_judged_runs(inputs: tuple[str, ...] = (), **others: Any) -> None:
    """Refuses to score again what cannot be: score tables, or nothing."""
    if len(inputs) < 2:
        fix = ("Give judgements and runs (", argument("inputs"), "), because the runs are scored again.")
        raise InputError(*fix, argument="inputs", code="no-inputs")


def rated_from(
    *,
    ratings: Annotated[Path | None, "Table of ratings: unit rating, and user task if known."] = None,
    scores: Annotated[tuple[str, ...], TABLES] = (),
    sessions: Annotated[Path | None, "Sessions to score: a folder (session, results, qrels) or a table."] = None,
    qrels: Annotated[Path | None, "Judgements by session, if sessions are a table."] = None,
    metrics: Annotated[tuple[str, ...], METRICS] = (),
    grid: Annotated[Literal["effort"] | None, "jiang2016's metrics."] = None,
    scale: Annotated[tuple[float, ...], Option("Ends of the rating scale, such as 1,5.")] = (),
) -> RatedUnits:
    """Units with a rating: from score tables and a table of ratings, or from sessions, which are scored."""
    names, ends = metric_names(metrics, grid), scale or (None, None)
    if scores:
        if sessions is not None or qrels is not None:
            either = ("Give either sessions (", argument("sessions"), ", ", argument("qrels"), ") or score tables (")
            raise InputError(*either, argument("scores"), "), not both.", code="two-inputs")
        return RatedUnits.from_tables(list(scores), ratings, names, scale=ends)
    return RatedUnits.from_sessions(sessions, names, qrels=qrels, ratings=ratings, scale=ends)


def refuse_reading_settings(record: JudgingPolicy | ScoringPolicy | None) -> None:
    """Refuses settings on how runs are read or scored if score tables are given."""
    default = type(record)() if record is not None else None
    names = [f.name for f in fields(record)] if record is not None else []
    changed = next((name for name in names if getattr(record, name) != getattr(default, name)), "")
    if changed:
        why = (" cannot be used with ", argument("scores"), ", because it is about reading runs; leave it out.")
        raise InputError(argument(changed), *why, argument=changed, code="two-inputs")


READERS: dict[Any, Callable[..., Any]] = {
    Scores: scores_from,
    JudgedRuns: judged_runs_from,
    RatedUnits: rated_from,
    RunsOrScores: runs_or_scores_from,
}
CHECKS: dict[Any, Callable[..., None]] = {  # of what readers are called with, before they read
    scores_from: check_scores,
    runs_or_scores_from: check_scores,
    judged_runs_from: check_judged_runs,
    iterations_from: check_iterations,
}


def input_reader(hint: Any) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """The reader of an input's type, and the keywords its annotation adds; no reader if the input is used as given."""
    kind, notes = type_and_notes(hint)
    defaults = ({"default_metrics": note.metrics} for note in notes if isinstance(note, DefaultMetrics))
    return READERS.get(kind), next(defaults, {})
