"""Whatever a user calls runs and judgements, as batches of rankings."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.judge import Judged, judge, judged_runs
from irassay.sidefiles import read_costs, read_lengths, read_topic_params, read_weights
from irassay.trec import Qrels, Run

SIDE_FILES = {"lengths": read_lengths, "costs": read_costs, "weights": read_weights, "topic_params": read_topic_params}


def batches(
    runs: Any,
    qrels: Any,
    needs: frozenset[str],
    *,
    qrels_format: str = "auto",
    run_format: str = "auto",
    **reading: Any,
) -> Iterator[tuple[Judged, int]]:
    """Each run's judged lists, one run at a time, with the number of runs there are."""
    policies = {key: value for key, value in reading.items() if value is not None}
    for name, read in SIDE_FILES.items():
        if isinstance(policies.get(name), str | Path):
            policies[name] = read(policies[name])
    judgements = Qrels.of(qrels)
    policies["subtopics"] = qrels_format == "subtopic" or (qrels_format == "auto" and "aspects" in needs)
    given = listed(runs)
    if all(isinstance(run, str) for run in given):
        yield from ((judged, len(given)) for judged in judged_runs(given, judgements, **policies))
        return
    for run in given:
        yield judge(Run.of(run) if isinstance(run, str) else run, judgements, **policies), len(given)


def listed(runs: Any) -> list[Any]:
    """The runs one by one: files by path, everything else as Run."""
    from irassay.source import files

    if isinstance(runs, str | Path):
        return files(runs)
    if isinstance(runs, Run):
        return [runs]
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        inner = next(iter(first.values()), None) if isinstance(first, Mapping) else first
        if isinstance(first, Mapping) and not isinstance(inner, Mapping):
            return [Run.of(runs)]
        return [Run.of(run, str(name)) for name, run in runs.items()]
    if isinstance(runs, list | tuple):
        if not runs:
            raise InputError("there is no run to score")
        if all(isinstance(run, str | Path) for run in runs):
            return files(runs)
        return [run if isinstance(run, Run) else Run.of(run, f"run{i}") for i, run in enumerate(runs, 1)]
    return [Run.of(runs)]
