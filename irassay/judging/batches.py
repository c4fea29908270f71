"""Whatever a user calls runs and judgements, as batches of judged rankings, one system at a time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irassay.errors import InputError
from irassay.io.sidefiles import read_costs, read_lengths, read_topic_params, read_weights
from irassay.io.sources import Source, files
from irassay.io.trec import Qrels, Run
from irassay.io.validation import is_sessions
from irassay.judging.judge import Judged, judge, judged_runs

if TYPE_CHECKING:
    from irassay.io.sessions import JudgedQueries

SIDE_FILES: dict[str, Callable[[Any], Any]] = {
    "lengths": read_lengths,
    "costs": read_costs,
    "weights": read_weights,
    "topic_params": read_topic_params,
}
# What the judging of each kind of run understands; None takes everything.
UNDERSTOOD: dict[str, frozenset[str] | None] = {
    "trec": None,
    "dd": frozenset({"order", "on_duplicate", "missing", "depth", "max_grade", "lengths"}),
    "session": frozenset({"missing", "on_duplicate", "depth", "max_grade", "weights", "lengths"}),
}
USUAL = {"order": "score", "ties": "docid", "score_precision": "double"}


@dataclass(frozen=True, eq=False)
class JudgedSessions(Judged):
    """Sessions as long rankings, and beside them their queries one by one, for metrics that know no sessions."""

    queries: "JudgedQueries | None" = None


def batches(
    runs: Any,
    qrels: Any,
    needs: frozenset[str],
    *,
    qrels_format: str = "auto",
    run_format: str = "auto",
    **reading: Any,
) -> Iterator[tuple[Judged, int]]:
    """Each run's judged lists with the number of runs there are; what QRELS is decides how runs are read."""
    given = {key: value for key, value in reading.items() if value is not None}
    kind = kind_of(qrels, runs, run_format)
    understood = UNDERSTOOD[kind]
    for key, value in given.items():
        if understood is not None and key not in understood and USUAL.get(key) != value:
            raise InputError(f"--{key.replace('_', '-')} has no meaning for {kind} runs; leave it out")
    policies = {key: value for key, value in given.items() if understood is None or key in understood}
    for name, read in SIDE_FILES.items():
        if isinstance(policies.get(name), str | Path):
            policies[name] = read(policies[name])
    if kind == "trec":
        judgements = Qrels.of(qrels)
        subtopics = qrels_format == "subtopic" or (qrels_format == "auto" and "aspects" in needs)
        if subtopics and qrels_format == "auto" and not judgements.varied and "turns" not in needs:
            raise InputError(
                f"{judgements.source} has one value in column 2 for each topic: these are ad hoc judgements, and a "
                "diversity metric needs judgements by subtopic; if it is the subtopic, say --qrels-format subtopic"
            )
        yield from plain(runs, judgements, policies | {"subtopics": subtopics})
    elif kind == "dd":
        yield from dynamic(runs, qrels, policies)
    else:
        yield from sessions(runs, qrels, policies | {"subtopics": qrels_format == "subtopic"})


def kind_of(qrels: Any, runs: Any, run_format: str) -> str:
    """'trec', 'dd' or 'session', where it is not said: passage judgements mean Dynamic Domain runs."""
    from irassay.io.passage_qrels import PassageQrels, is_passage_qrels

    if run_format != "auto":
        return run_format
    if isinstance(qrels, PassageQrels):
        return "dd"
    many = runs if isinstance(runs, list | tuple) else [runs]
    if any(isinstance(run, str | Path) and is_sessions(run) for run in many):
        return "session"
    is_file = isinstance(qrels, str | Path) and str(qrels) != "-" and Path(qrels).is_file()
    return "dd" if is_file and is_passage_qrels(Source(qrels)) else "trec"


def plain(runs: Any, qrels: Qrels, policies: Mapping[str, Any]) -> Iterator[tuple[Judged, int]]:
    """Ad hoc and diversity runs."""
    given = listed(runs)
    if all(isinstance(run, str) for run in given):
        yield from ((judged, len(given)) for judged in judged_runs(given, qrels, **policies))
        return
    for run in given:
        yield judge(Run.of(run), qrels, **policies), len(given)


def dynamic(runs: Any, qrels: Any, policies: Mapping[str, Any]) -> Iterator[tuple[Judged, int]]:
    """Dynamic Domain runs against passage judgements."""
    from irassay.io.dynamic import DynamicRun, judge_dynamic, read_dynamic_runs
    from irassay.io.passage_qrels import PassageQrels, read_passage_qrels

    truth = qrels if isinstance(qrels, PassageQrels) else read_passage_qrels(qrels)
    if isinstance(runs, DynamicRun):
        runs = [runs]
    complete_scores = isinstance(runs, list | tuple) and all(isinstance(run, DynamicRun) for run in runs)
    given: list[DynamicRun] = list(runs) if complete_scores else read_dynamic_runs(runs)
    for run in given:
        yield judge_dynamic(run, truth, **policies), len(given)


def sessions(runs: Any, qrels: Any, policies: Mapping[str, Any]) -> Iterator[tuple[Judged, int]]:
    """Session files: each is one system, its sessions are the topics."""
    from irassay.io.sessions import Sessions, judge_queries, judge_sessions, read_session_qrels, read_sessions

    judgements = qrels if isinstance(qrels, Qrels) else read_session_qrels(qrels)
    many = runs if isinstance(runs, list | tuple) else [runs]
    for run in many:
        found = run if isinstance(run, Sessions) else read_sessions(run)
        whole, parts = judge_sessions(found, judgements, **policies), judge_queries(found, judgements, **policies)
        yield JudgedSessions(whole.name, whole.rankings, whole.topics, whole.notes, queries=parts), len(many)


def listed(runs: Any) -> list[Any]:
    """The runs one by one: files by path, everything else as Run."""
    if isinstance(runs, str | Path):
        return list(files(runs))
    if isinstance(runs, Run):
        return [runs]
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        inner = next(iter(first.values()), None) if isinstance(first, Mapping) else first
        if isinstance(first, Mapping) and not isinstance(inner, Mapping):
            return [Run.of(runs)]
        return [Run.of(run, str(name)) for name, run in runs.items()]
    if isinstance(runs, list | tuple):
        if all(isinstance(run, str | Path) for run in runs):
            return list(files(runs))
        return [run if isinstance(run, Run) else Run.of(run, f"run{i}") for i, run in enumerate(runs, 1)]
    return [Run.of(runs)]
