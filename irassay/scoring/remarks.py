"""Notes on what was given to be scored: the scale, names, files beside the runs, users of a model that are left."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError, argument
from irassay.io.input_files import NamedRuns, are_files, run_files
from irassay.io.records import tag
from irassay.io.run_names import Names, called_alone, on_names
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.cwl import FOLLOWED
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.prose import counted, some
from irassay.rankings.batch import Rankings


def scale_note(top: float, found: bool, largest: float) -> Note:
    """What the judging scale is, whether it was found in the judgements, and whether these have anything relevant."""
    said = f"the judging scale goes from 0 to {top:g}"
    if largest <= 0:
        return Note(f"no document is judged relevant in any topic: the largest grade given is {largest:g}; {said}")
    return Note(said + (", the largest grade given" if found else ""))


def twice_given(runs: Any) -> list[str]:
    """A note on files that are named more than once, each of which is scored once."""
    named = [str(run) for run in runs] if are_files(runs) else []
    again = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    return [f"{', '.join(again)} given more than once, and scored once"] if again else []


def on_passed_over(runs: Any) -> list[str]:
    """A note on files of folders that are plainly no runs, and were not read."""
    named = [run for run in runs if isinstance(run, NamedRuns)] if isinstance(runs, list) else []
    others = {source.name: source.path.name for run in named for source in run.passed_over}
    if not others:
        return []
    told = some(tuple(others.values()))
    what = "is no run" if len(others) == 1 else "are no runs"
    return [f"{counted(len(others), 'file')} passed over that {what}: {told}"]


def on_names_of(runs: Any, names: list[str], by: Names) -> list[str]:
    """A note on runs in files that are not called after their files, or by their tags, for two would be the same."""
    sources = {source.given: source for source in run_files(runs)} if are_files(runs) else {}
    if len(sources) != len(names) or any(source.is_pipe for source in sources.values()):
        return []
    return on_names(called_alone([*sources], by, lambda path: tag(sources[path])), names)


def weightless(metrics: Sequence[Metric]) -> list[str]:
    """A note on metrics by aspect that take all aspects alike, whatever the weights."""
    alike = [str(m) for m in metrics if "aspects" in m.meaning.needs and not m.meaning.weighted]
    return [f"weights change nothing for {', '.join(alike)}, which take all aspects alike"] if alike else []


def unused(metrics: Sequence[Metric], judging: JudgingPolicy) -> list[str]:
    """Notes on files beside the runs, if there are any, that none of the metrics takes anything from."""
    given = [name for name in ("lengths", "costs", "weights") if getattr(judging, name) is not None]
    idle = [argument(name) for name in given if not any(_takes(metric, name) for metric in metrics)]
    return [f"{name} changes nothing: no metric here takes anything from it" for name in idle]


def _takes(metric: Metric, name: str) -> bool:
    """Whether lengths, costs or weights can change the score: declared, or else tried, for parameters may decide."""
    if name == "weights":
        return "aspects" in metric.meaning.needs
    if name in metric.meaning.needs:
        return True
    r = Rankings.of([[2.0, 0.0, 1.0, 0.0, 1.0]], max_grade=2)
    r = replace(r, carries=frozenset({"lengths", "costs"}), words=np.full((1, 5), 300.0), past_words=300.0)
    odd: Any = np.array([[9.0, 2.0, 7.0, 5.0, 3.0]])
    other = {"words": odd, "past_words": 2.0} if name == "lengths" else {"cost": odd, "past_cost": 2.0}
    return _differ(metric, r, replace(r, **other))


def _differ(metric: Metric, one: Rankings, other: Rankings) -> bool:
    """Whether a metric scores two rankings differently, or needs more than they have."""
    try:
        return bool(metric.score(one) != metric.score(other))
    except InputError:
        return True


def in_characters(metrics: Sequence[Metric]) -> list[str]:
    """A note on U, to which lengths are characters unless it is told otherwise."""
    taken = [str(m) for m in metrics if m.name == "U" and m.params["dialect"] == "original" and m.params["chars"] == 1]
    told = "lengths are characters; where those given are words, say how many characters one has, such as U(chars=6)"
    return [f"for {', '.join(taken)} {told}"] if taken else []


def on_users_left(metrics: Sequence[Metric], left: Floats) -> list[Note]:
    """A note for each user model that was followed, and then still had users."""
    return [
        Note(f"{metric} was followed for {FOLLOWED:,} ranks, where up to {share:.1g} of its users are left")
        for metric, share in zip(metrics, left.tolist(), strict=True)
        if share > 1e-9
    ]
