"""A first look at the files: what a method would refuse once it has read them, found by reading as few as possible.

Read are the judgements, the first run, side files and score tables, unless they are long. A front end that starts long
work asks for it beforehand; what other files hold, only the method itself finds.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from irassay.errors import Argument, InputError, argument
from irassay.inputs import expected_scores_of, judged_runs_from
from irassay.io.input_files import open_inputs
from irassay.io.records import first_tag
from irassay.io.run_names import names_of_runs
from irassay.io.sources import Source
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import refuse_shared_files
from irassay.judging.scanned_runs import judged_lists
from irassay.keywords import ReaderCall, composed_keywords
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.shared_options import EveryTeam, Teams, refuse_without_team
from irassay.meta.system_lookup import ROLES, named_pair, system_by_name
from irassay.method import Method
from irassay.metrics.grammar import parse
from irassay.prose import first_few
from irassay.scores import Scores
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.settings import Setting

POLICIES = ("judging", "scoring")  # records that say how runs are read and scored
MAX_FILE_BYTES = 32 << 20  # of a file that is read for a first look


@contextmanager
def errors_about(name: str) -> Iterator[None]:
    """Bad input in the block is about this argument, unless it names one itself."""
    try:
        yield
    except InputError as error:
        if not any(isinstance(piece, Argument) for piece in error.args):
            error.argument = error.argument or name
        raise


def look_at_files(
    method: Method[..., Any],
    calls: Mapping[str, ReaderCall],
    inputs: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> Scores | None:
    """Refuses files that the method cannot use; returns the scores that it will get, as far as the files tell.

    `calls` are the readers of the method's inputs with their keywords; none if it reads its inputs itself.
    """
    calls = calls or _own_reading(method, inputs, settings)
    side_files = {s.name: s.read_value(settings[s.name]) for s in method.settings if _is_looked_at(s, settings)}
    expected = expected_scores_of(calls)
    for input_name, (reader, keywords) in calls.items():
        source: Any = keywords.get("source")
        tables: Sequence[str] = keywords.get("scores") or (source.scores if source else ())
        files = [*tables, *(keywords.get(name) for name in ("ratings", "sessions", "qrels") if keywords.get(name))]
        runs = list(dict.fromkeys(keywords.get("inputs", ())[1:]))  # a run that is given twice counts once
        if not runs and all(map(is_short, files)):
            with errors_about("scores" if tables else "sessions"):
                expected = _scores_in(reader(**keywords))
        elif runs:
            scores_by = method.traits.scores_by if method.input_type else "all"
            metrics = expected.metrics[: {"": 0, "first": 1, "all": None}[scores_by]] if expected else ()
            judging = keywords.get("judging") or JudgingPolicy()
            with errors_about("inputs" if input_name else "runs"):
                expected = _with_first_run(expected, runs, keywords["inputs"][0], judging, metrics)
            for name in (name for name, value in side_files.items() if isinstance(value, OtherQrels)):
                with errors_about(name):
                    first_lists(runs, settings[name], replace(judging, max_grade=None))
    if expected is None:
        return None
    check_named_systems(expected, settings)
    for name, teams in side_files.items():
        if isinstance(teams, Teams):
            _check_teams(expected.systems, name, teams)
    least, systems = method.traits.least_runs, len(expected.systems)
    if systems < least:
        raise InputError(f"{method.path} needs at least {least} systems; found {systems}.", argument="scores")
    return expected if expected.metrics else None


def look_by_method(method: Method[..., Any], values: Mapping[str, Any]) -> None:
    """Lets a method look at files that only it reads, such as labels or a log, if all are given and short.

    What it refuses is about the last of them.
    """
    if method.traits.look is None:
        return
    names = list(inspect.signature(method.traits.look).parameters)
    given = {name: values[name] for name in names if values.get(name) is not None}
    lists = (value if isinstance(value, list | tuple) else (value,) for value in given.values())
    if len(given) == len(names) and all(is_short(path) for paths in lists for path in paths):
        with errors_about(names[-1]):
            method.traits.look(**given)


def _is_looked_at(setting: Setting, settings: Mapping[str, Any]) -> bool:
    """Whether a setting is a short file with a format of its own."""
    return setting.reads is not None and is_short(settings.get(setting.name))


def is_short(path: Any) -> bool:
    """Whether this is the path of a file, or of a folder of files, that is read for a first look."""
    if not isinstance(path, str | Path):
        return False
    files = list(Path(path).iterdir()) if Path(path).is_dir() else [Path(path)]
    return all(file.is_file() and file.stat().st_size <= MAX_FILE_BYTES for file in files)


def _scores_in(read_input: Any) -> Scores | None:
    """The scores of one collection; None for any other input."""
    scores = read_input.scores if isinstance(read_input, RunsOrScores) else read_input
    return scores if isinstance(scores, Scores) else None


def _own_reading(
    method: Method[..., Any], inputs: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, ReaderCall]:
    """The reader of judged runs with the values of a method that itself takes judgements and runs, such as `score`."""
    records = {s.name: s.record for s in method.settings}
    given = {**settings, **inputs}
    qrels, runs = given.get("qrels", given.get("human")), given.get("runs", ())
    if "judging" not in records.values() or qrels is None or ("runs" in records and not runs):
        return {}
    if not runs:
        raise InputError("There is no run to score.", argument="runs")
    policies = {name: settings[name] for name, record in records.items() if record in POLICIES and name in settings}
    named = {"metrics": given["metrics"]} if given.get("metrics") else {}
    keywords = composed_keywords(judged_runs_from, policies | named)
    return {"": (judged_runs_from, {"inputs": (qrels, *runs), **keywords})}


def _with_first_run(
    expected: Scores | None, runs: Sequence[str], qrels: str, judging: JudgingPolicy, metrics: Sequence[str] = ()
) -> Scores:
    """The expected scores with the systems, and the topics of the judgements unless files are long.

    The first run is judged, and one of its lists scored by these metrics, so that whatever a metric lacks is refused.
    """
    parsed = [parse(name) for name in metrics]
    needs = frozenset().union(*(metric.meaning.needs for metric in parsed))
    first = first_lists(runs, qrels, judging, needs)
    if first is not None:
        for metric in parsed:
            lists = first.queries if first.queries and "turns" not in metric.meaning.needs else first
            with errors_about("metrics"):
                metric.score(lists.batches[0][:1])
    topics = first.topics if first is not None else ()
    systems = tuple(names_of_runs(runs, judging.names, lambda path: first_tag(Source(Path(path)))))
    before = expected or Scores(np.empty((0, 0, 0)), (), (), ())
    values = np.broadcast_to(np.nan, (len(systems), len(topics), len(before.metrics)))
    inputs = {**before.settings.inputs, "runs": tuple(map(Path, runs))}
    return Scores(values, systems, topics, before.metrics, settings=replace(before.settings, inputs=inputs))


def first_lists(
    runs: Sequence[str], qrels: str, judging: JudgingPolicy, needs: frozenset[str] = frozenset()
) -> JudgedLists | None:
    """The lists of the first run with their grades; None if its file or that of the judgements is long."""
    opened, judgements = open_inputs(list(runs), qrels)
    refuse_shared_files(opened, judgements)
    if not (is_short(qrels) and is_short(runs[0])):
        return None
    return next(iter(judged_lists(opened[:1], judgements, judging.with_files_read(), needs)))


def _check_teams(systems: Sequence[str], setting: str, teams: Teams) -> None:
    """Refuses a file of teams that names none of the systems, or not all where it must."""
    if not set(systems) & teams.keys():
        found = f" names none of the systems; it has {first_few(list(teams), 3)}."
        raise InputError(argument(setting), found, argument=setting)
    if isinstance(teams, EveryTeam):
        refuse_without_team(systems, teams)


def check_named_systems(scores: Scores, settings: Mapping[str, Any]) -> None:
    """Refuses a baseline or another system that the scores do not have."""
    for setting in (name for name in ROLES if settings.get(name) not in (None, ())):
        given = settings[setting]
        names = (given,) if isinstance(given, str) else given
        if setting == "pair":
            named_pair(scores, names)
        else:
            for name in names:
                system_by_name(scores, name, setting)
