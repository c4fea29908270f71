"""Finding a system, or a pair of systems, by name, or by the path, file name or tag of a run."""

from collections.abc import Callable, Sequence
from pathlib import Path

from irassay.errors import InputError, argument
from irassay.io.records import first_tag
from irassay.io.run_names import run_name
from irassay.io.sources import Source
from irassay.prose import did_you_mean, first_few
from irassay.scores import Scores

ROLES = {  # settings that name a system, and what it is named for
    "baseline": "to use as the baseline",
    "pair": "to use as one of the pair",
    "new": "to use as the new run",
    "old": "to use as the old run",
    "show": "to show",
}


def system_by_name(scores: Scores, word: str | Path, setting: str) -> str:
    """The system that a name, path or tag refers to, given as this setting; InputError if there is none."""
    return named_system(word, setting, scores.systems, _runs(scores))


def named_system(word: str | Path, setting: str, systems: Sequence[str], runs: Sequence[object]) -> str:
    """The same, for systems and the runs that they come from, as far as these are files."""
    name = str(word)
    if name in systems:
        return name
    paths = [run if isinstance(run, Path) else Path(run) for run in runs if isinstance(run, str | Path)]
    files = dict(zip(systems, paths, strict=True)) if len(paths) == len(systems) else {}
    criteria: list[Callable[[Path], bool]] = [
        lambda path: path == Path(name),
        lambda path: path.name == Path(name).name,
        lambda path: run_name(path) == run_name(name),
        lambda path: _tag(path) == name,
    ]
    for is_match in criteria:
        matches = [system for system, path in files.items() if is_match(path)]
        if len(matches) > 1:
            text = f"'{name}' could be any of {first_few(matches)}; name the system {ROLES[setting]}."
            raise InputError(text, argument=setting)
        if matches:
            return matches[0]
    if run_name(name) in systems:
        return run_name(name)
    hint = did_you_mean(run_name(name), systems, f"there are {first_few(systems, 20)}.")
    raise InputError(f"There is no system '{name}' {ROLES[setting]}; {hint}", argument=setting)


def named_pair(scores: Scores, pair: Sequence[str]) -> tuple[str, str] | None:
    """The two systems that a pair names, also as A,B in one word; None if it names none."""
    return pair_of_systems(pair, scores.systems, _runs(scores)) if pair else None


def pair_of_systems(pair: Sequence[str], systems: Sequence[str], runs: Sequence[object]) -> tuple[str, str]:
    """The same, for systems and the runs that they come from."""
    if len(pair) == 1 and pair[0] not in systems:
        pair = [name.strip() for name in pair[0].split(",")]
    names = [named_system(name, "pair", systems, runs) for name in pair]
    if len(names) != 2 or names[0] == names[1]:
        given = argument("pair", ",".join(pair))
        raise InputError(given, ": give two different runs, separated by a comma.", argument=given)
    return names[0], names[1]


def _runs(scores: Scores) -> Sequence[object]:
    """The runs that the scores are of, if they are known."""
    return scores.settings.inputs.get("runs") or ()


def _tag(path: Path) -> str:
    """The tag of the run in a file, as it was read or, if that is not known, as it is now."""
    tag: str | None = getattr(path, "tag", None)
    return tag if tag is not None else first_tag(Source(path)) if path.is_file() else ""
