"""Runs and judgements to scores: every metric on every topic of every run."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from io import IOBase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument, as_found
from irassay.io.file_paths import file_paths
from irassay.io.first_lines import first_line_notes
from irassay.io.input_files import NamedRuns, are_files, open_inputs, run_files
from irassay.io.run_names import repeated_name_error
from irassay.io.sources import Source
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.scanned_runs import ScannedRuns, judged_lists
from irassay.method import method
from irassay.metrics.grammar import parse, parse_each
from irassay.metrics.metric import Metric
from irassay.notes import EqualScores, NothingJudged, merged_notes
from irassay.parallel import with_progress
from irassay.provenance import path_or_address
from irassay.scores import Scores
from irassay.scoring.columns import Columns
from irassay.scoring.levels import level_notes, metric_at_level
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.remarks import (
    changed_notes,
    check_any_judged,
    file_notes,
    grade_notes,
    name_notes,
    ranx_notes,
    reopened_file_notes,
    scale_note,
    setting_notes,
    swapped_file_notes,
)
from irassay.scoring.run_tasks import scored_runs
from irassay.settings import Option, Settings

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

DEFAULT_METRICS = ("AP", "nDCG@10", "P@10", "RR", "RBP", "Judged@10")
METRICS = Option(
    "Metric such as nDCG@10 or RBP(p=0.95), or several separated by commas; may be repeated.",
    "--metric",
    "-m",
    metavar="METRIC",
    also=("--metrics",),
    several=True,
)


def parsed_metrics(
    metrics: Iterable[str | Metric] | Mapping[str, str | Metric],
    rel: float | None = None,
    judged_only: bool = False,
    always: bool = False,
) -> list[Metric]:
    """The metrics from their strings, with a level of relevance and condensing for all of them."""
    if not isinstance(metrics, Iterable | Metric):
        raise InputError(f"Metrics must be strings such as 'nDCG@10', one or a list; found {as_found(metrics)}.")
    if isinstance(metrics, Set):
        metrics = sorted(metrics, key=str)
    if isinstance(metrics, Mapping):
        metrics = [parse(metric).with_alias(name) for name, metric in metrics.items()]
    by_name: dict[str, Metric] = {}
    for each in parse_each(metrics):
        metric = metric_at_level(each, rel, always)
        if judged_only:
            metric = metric(judged_only=True)
        first = by_name.setdefault(str(metric), metric)
        if first.alias != metric.alias and first.alias and metric.alias:
            raise InputError(f"{metric} is called both {first.alias} and {metric.alias}. Give it one name.")
    if not by_name:
        raise InputError("No metric was given. Name at least one, such as nDCG@10.")
    labels = Counter(metric.label for metric in by_name.values())
    for name, metric in by_name.items():
        if (metric.alias and metric.alias in by_name and metric.alias != name) or labels[metric.label] > 1:
            raise InputError(f"Two metrics are called {metric.label}. Give {metric} another name.")
    return list(by_name.values())


def check_ranges(bounds: bool, tie_range: bool | None) -> None:
    """Refuses two kinds of ranges at once."""
    if bounds and tie_range:
        both = ("Give either ", argument("bounds"), " or ", argument("tie_range"), ", not both.")
        raise InputError(*both, argument="tie_range")


@method(
    "What does each run score?",
    path="score",
    check=check_ranges,
    examples=(
        "irassay score qrels.txt runs/ -m nDCG@10 -m AP",
        "irassay score qrels.txt run.gz -m 'RBP(p=0.95)' --bounds --by-topic",
    ),
)
def score(
    runs: Annotated[
        Any, Option("Runs: files, folders, globs, NAME=FILE, or -.", metavar="RUN", several=True, place=2, files=True)
    ],
    qrels: Annotated[
        Any, Option("Judgements: a qrels file, or - for standard input.", metavar="QRELS", place=1, files=True)
    ],
    metrics: Annotated[Any, METRICS] = DEFAULT_METRICS,
    *,
    bounds: Annotated[
        bool,
        "Also score unjudged documents (and ranks past the end of a list) as not relevant, and as top grade.",
    ] = False,
    tie_range: Annotated[
        bool | None, "Score tied results in all orders instead: the lowest, the expected and the highest score."
    ] = None,
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> Scores:
    """Scores runs against judgements: means over topics, and every topic.

    Without metrics: AP, nDCG@10, P@10, RR, RBP and the share judged in the top ten.

    `runs` are paths (files, folders, globs), Run objects, `{topic: {doc: score}}`, `{topic: [doc, …]}`, data frames, or
    `{name: run}`; `qrels` are a path, `{topic: {doc: grade}}` or a data frame. The two policies, or their fields as
    keywords, set how they are read and scored: `rel=2, missing="skip"`.

    >>> scores = score({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, ["RR", "P@1"])
    >>> scores.values.tolist()
    [[[0.5, 0.0]]]
    """
    policies: dict[str, Any] = {"judging": judging, "scoring": scoring}
    return scores_of(
        runs, qrels, metrics, bounds=bounds, bounds_unanswered=bounds, tie_range=bool(tie_range), **policies
    )


def scores_of(
    runs: Any,
    qrels: Any,
    metrics: Any,
    *,
    bounds: bool = False,
    bounds_unanswered: bool = False,
    tie_range: bool = False,
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
    watch: Callable[[JudgedLists], None] | None = None,
) -> Scores:
    """The scores of runs; `watch` gets the judged lists of every run, with keys, unless they come in blocks.

    With `bounds_unanswered`, topics without results have bounds of their own; else what they count as. With `tie_range`
    each metric has three columns: its least, expected and largest score over all orders of tied results.
    """
    runs, qrels = open_inputs(materialized_runs(runs), qrels)
    parsed = parsed_metrics(metrics, scoring.rel, scoring.judged_only, always=scoring.no_relevant == "skip")
    ends = {"bounds_unanswered": bounds_unanswered, "tie_range": tie_range}
    columns = Columns(parsed, bounds, judging.missing, scoring.no_relevant, **ends, rel=scoring.level)
    systems: dict[str, Floats] = {}
    notes: list[str] = [*file_notes(runs), *setting_notes(parsed, judging)]
    notes += changed_notes(parsed)
    needs = frozenset().union(*(m.meaning.needs for m in parsed))
    rescores = not tie_range and judging.ties == "docid" and any(m.meaning.ties != "docid" for m in parsed)
    for source in run_files(runs) if rescores and are_files(runs) else ():
        if source.is_pipe:
            source.content()  # into memory, because it is read twice
    if tie_range:
        from irassay.scoring.tie_range import tie_range_runs, uncut_runs  # which need polars

        whole = uncut_runs(runs, qrels, judging, needs)
        judged: ScannedRuns | RunByRun = whole
        scored = tie_range_runs(whole, columns, judging.depth)
    else:
        judged = judged_lists(runs, qrels, judging, needs, columns.reach, with_keys=watch is not None)
        scored = scored_runs(columns, judged, watch)
    unmatched = list[NothingJudged]()
    for run in with_progress(scored, len(judged), "reading runs"):
        if run.name in systems:
            raise repeated_name_error(run.name)
        systems[run.name] = run.values
        unmatched += [note for note in run.notes if isinstance(note, NothingJudged)]
        notes += [note for note in run.notes if note not in notes]
    if not systems:
        raise InputError("There is no run to score.", argument="runs")
    if rescores and any(isinstance(note, EqualScores) for note in notes):
        _rescore_in_own_order(columns, judged, systems)
    check_any_judged(unmatched, len(systems), judging)
    notes += level_notes(parsed, run.largest)
    notes += ranx_notes(as_list(metrics), run.max_grade)
    notes += reopened_file_notes(runs)
    notes += name_notes(runs, list(systems), judging.names)
    if judging.run_format == "auto" and are_files(runs):
        notes += first_line_notes(run_files(runs), list(systems), qrels, judging.order == "score")
    notes.append(scale_note(run.max_grade, judging.max_grade is None, run.largest))
    notes += [*grade_notes(qrels), *swapped_file_notes(qrels)]
    values = np.stack(list(systems.values())) if len(systems) > 1 else run.values[None]
    cube = columns.cube(values, list(systems), run.topics, merged_notes(notes))
    names: dict[str, Any] = {"metrics": cube.metrics, "asked": tuple(map(str, as_list(metrics)))}
    return replace(cube, settings=Settings("score", {}, input_paths(runs, qrels) | names | label_settings(parsed)))


def _rescore_in_own_order(columns: Columns, runs: "ScannedRuns | RunByRun", systems: Mapping[str, Floats]) -> None:
    """Scores metrics whose authors order equal scores by ascending id once more, in that order."""
    ascending = [m for m, metric in enumerate(columns.metrics) if metric.meaning.ties == "docid-asc"]
    own = replace(columns, metrics=[columns.metrics[m] for m in ascending])
    for run in scored_runs(own, runs.with_ties("docid-asc")):
        systems[run.name][:, columns.places(ascending)] = run.values


def label_settings(metrics: Iterable[Metric]) -> dict[str, dict[str, str]]:
    """The labels of metrics by canonical string, for settings; empty if all are the same."""
    labels = {str(metric): metric.label for metric in metrics if metric.label != str(metric)}
    return {"labels": labels} if labels else {}


def materialized_runs(runs: Any) -> Any:
    """The runs, with those of a generator or set as a list; records of one run stay together."""
    if isinstance(runs, IOBase):
        raise InputError(f"{getattr(runs, 'name', 'runs')} is an open file. Give its path.")
    is_arrow_reader = hasattr(runs, "__arrow_c_stream__")  # which is an iterator too
    if not isinstance(runs, Iterator | Set) or is_arrow_reader:
        return runs
    items = list(runs) if isinstance(runs, Iterator) else sorted(runs, key=str)
    return iter(items) if any(hasattr(run, "query_id") or hasattr(run, "_fields") for run in items) else items


def input_paths(runs: Any, qrels: Any) -> dict[str, Any]:
    """The paths of files among the judgements and runs."""
    paths: dict[str, Any] = {}
    if isinstance(qrels, Source | Path):
        of_folder = () if isinstance(qrels, Source) else tuple(map(path_or_address, file_paths(qrels)))
        paths["qrels"] = qrels.input_path if isinstance(qrels, Source) else of_folder
    named = any(isinstance(run, NamedRuns) for run in (runs.values() if isinstance(runs, Mapping) else as_list(runs)))
    return paths | ({"runs": tuple(source.input_path for source in run_files(runs))} if named else {})


def as_list(given: Any) -> list[Any]:
    """One or several values as a list."""
    return list(given) if isinstance(given, list | tuple) else [given]
