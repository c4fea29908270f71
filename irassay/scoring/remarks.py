"""Notes on what was given to be scored: the scale, names, files beside the runs, users of a model that are left."""

from collections.abc import Sequence
from typing import Any

from irassay.arrays import Floats
from irassay.errors import argument
from irassay.io.input_files import NamedRuns, are_files, run_files
from irassay.io.records import first_tag
from irassay.io.run_names import Names, own_names, renamed_notes
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.cwl import MAX_FOLLOWED_RANKS
from irassay.metrics.metric import Metric
from irassay.notes import Note, ScaleNote
from irassay.prose import count_phrase, first_few


def scale_note(top: float, found: bool, largest: float) -> Note:
    """What the judging scale is, whether it was found in the judgements, and whether these have anything relevant."""
    said = f"the judging scale goes from 0 to {top:g}"
    if largest <= 0:
        return ScaleNote(f"no document is judged relevant in any topic: the largest grade given is {largest:g}; {said}")
    return ScaleNote(said + (", the largest grade given" if found else ""))


def repeated_file_notes(runs: Any) -> list[str]:
    """A note on files that are named more than once, each of which is scored once."""
    named = [str(run) for run in runs] if are_files(runs) else []
    again = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    return [f"{', '.join(again)} given more than once, and scored once"] if again else []


def skipped_file_notes(runs: Any) -> list[str]:
    """A note on files of folders that are plainly no runs, and were not read."""
    named = [run for run in runs if isinstance(run, NamedRuns)] if isinstance(runs, list) else []
    others = {source.name: source.path.name for run in named for source in run.skipped_sources}
    if not others:
        return []
    told = first_few(tuple(others.values()))
    what = "is no run" if len(others) == 1 else "are no runs"
    return [f"{count_phrase(len(others), 'file')} passed over that {what}: {told}"]


def name_notes(runs: Any, names: list[str], by: Names) -> list[str]:
    """A note on runs in files that are not called after their files, or by their tags, for two would be the same."""
    sources = {source.path_text: source for source in run_files(runs)} if are_files(runs) else {}
    if len(sources) != len(names) or any(source.is_pipe for source in sources.values()):
        return []
    return renamed_notes(own_names([*sources], by, lambda path: first_tag(sources[path])), names)


def equal_weight_notes(metrics: Sequence[Metric]) -> list[str]:
    """A note on metrics by aspect that take all aspects alike, whatever the weights."""
    alike = [str(m) for m in metrics if "aspects" in m.meaning.needs and "weights" not in m.uses]
    note = "weights change nothing for {metrics}, which take all aspects alike"
    return [Note(note, metrics=alike)] if alike else []


def unused_file_notes(metrics: Sequence[Metric], judging: JudgingPolicy) -> list[Note]:
    """Notes on lengths, costs or weights that none of the metrics uses."""
    names = [name for name in ("lengths", "costs", "weights") if getattr(judging, name) is not None]
    idle = [name for name in names if not any(name in metric.uses for metric in metrics)]
    return [Note((argument(name), " changes nothing: no metric here uses it")) for name in idle]


def character_length_notes(metrics: Sequence[Metric]) -> list[str]:
    """A note on U, to which lengths are characters unless it is told otherwise."""
    taken = [str(m) for m in metrics if m.name == "U" and m.params["dialect"] == "original" and m.params["chars"] == 1]
    told = "lengths are characters; where those given are words, say how many characters one has, such as U(chars=6)"
    return [Note("for {metrics} " + told, metrics=taken)] if taken else []


def users_left_notes(metrics: Sequence[Metric], left: Floats) -> list[Note]:
    """A note for each user model that was followed, and then still had users."""
    return [
        Note(
            f"{{metrics}} was followed for {MAX_FOLLOWED_RANKS:,} ranks, where up to {share:.1g} of its users are left",
            metrics=[str(metric)],
        )
        for metric, share in zip(metrics, left.tolist(), strict=True)
        if share > 1e-9
    ]
