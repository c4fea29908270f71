"""A command from its words to its exit status."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irassay.cli.parser import given
from irassay.declarations import index
from irassay.errors import InputError
from irassay.prose import did_you_mean

if TYPE_CHECKING:
    from irassay.method import Method

# In the order in which help lists them.
ORDER = (
    "demo", "score", "compare", "table", "topics", "plan", "judges", "meta", "axioms", "explain", "metrics", "report",
    "reproduce", "validate", "convert", "trec_eval", "completion",
)  # fmt: skip
# A flag that asks for another command: (command, flag) to the command, and whether the flag stays.
ALIASES = {
    ("compare", "--plan"): ("plan", False),
    ("meta satisfaction", "--fit"): ("meta fitting", False),
    ("meta satisfaction", "--sweep"): ("meta sensitivity", True),
}
WRITTEN = {"save", "plot", "output"}  # arguments that name files to be written
ABOUT = "Scores search runs with every effectiveness metric, and tests the metrics themselves."


def run(words: Sequence[str]) -> int:
    """The exit status of a command line: 0 done, 1 where the answer is no."""
    words = list(words)
    if words[:1] == ["help"]:
        words = [*(word for word in words[1:] if word not in ("--help", "-h")), "--help"]
    if words[:1] == ["--version"]:
        return _say(version())
    commands = index()["commands"] | defined(words)
    if not words or words[0] in ("--help", "-h"):
        return _say(listing(commands)) and 0 if words else _say(listing(commands), 2)
    command, rest = resolved(words, commands)
    if command.endswith(" "):
        return _say(listing(commands, command), 0 if rest else 2)
    entry = commands[command]
    if "--help" in rest or "-h" in rest:
        from irassay.cli.argparser import parser_of

        return _say(parser_of(command, entry).format_help().rstrip())
    return answered(command, entry, given(command, entry, rest))


def version() -> str:
    """The version, and whether files are scanned by compiled code."""
    from importlib.metadata import version

    from irassay.io.scan import library

    return f"irassay {version('irassay')} ({'compiled scanner' if library() else 'without the compiled scanner'})"


def _say(text: str, status: int = 0) -> int:
    print(text)
    return status


def defined(words: Sequence[str]) -> dict[str, Any]:
    """The commands that users' files declare; they are read before the command is looked up."""
    paths = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--define"]
    paths += [word.partition("=")[2] for word in words if word.startswith("--define=")]
    if not paths:
        return {}
    from irassay.cli.index import entry
    from irassay.method import METHODS
    from irassay.userfile import define

    before = set(index()["commands"])
    for path in dict.fromkeys(paths):
        define(path)
    return {path: entry(found) for path, found in list(METHODS.items()) if path not in before}


def resolved(words: Sequence[str], commands: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The command that the words begin with, and the rest of them; 'meta ' where only that was given."""
    first, rest = words[0], list(words[1:])
    groups = {name.split()[0] for name in commands if " " in name}
    if first in groups:
        if not rest or rest[0] in ("--help", "-h"):
            return f"{first} ", rest
        first, rest = f"{first} {rest[0]}", rest[1:]
    if first not in commands:
        both = " ".join((first, *rest[:1]))  # such as `mta similarity`
        hint = did_you_mean(first, commands) or did_you_mean(both, commands, "irassay --help lists them")
        if first.startswith("-"):
            raise InputError(f"irassay takes no {first}; irassay --help says what it takes")
        raise InputError(f"there is no command {first}; {hint}")
    for (command, flag), (other, stays) in ALIASES.items():
        if first == command and any(word.split("=")[0] == flag for word in rest):
            return other, rest if stays else [word for word in rest if word != flag]
    return first, rest


def listing(commands: Mapping[str, Any], group: str = "") -> str:
    """The commands with a line each."""
    names = [name for name in commands if name.startswith(group)] if group else list(commands)
    shown = {name.removeprefix(group) if group else name.split()[0]: name for name in names}
    order = sorted(shown, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    width = max(map(len, order)) + 2
    about = {name: commands[shown[name]]["question"] for name in order}
    if not group:
        about["meta"] = "Test metrics: what each is good for."
    lines = [f"  {name:<{width}}{about[name]}" for name in order]
    what = ABOUT if not group else "Test metrics: what each is good for."
    return "\n".join([f"irassay {group}COMMAND …", "", what, "", *lines, "", f"irassay help {group}COMMAND says more."])


def answered(command: str, entry: Mapping[str, Any], by_part: Mapping[str, dict[str, Any]]) -> int:
    """Reads the inputs, asks the method, prints the answer: the exit status."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # workers are ours; threads of BLAS beside them only wait
    from irassay.cli.output import check_format, check_picture, clear, emit, progress, shows_checksums
    from irassay.method import METHODS
    from irassay.parallel import context
    from irassay.provenance import keep_checksums

    out = by_part["envelope"]
    if "plot" in out:
        check_picture(Path(out["plot"]))
    spare_inputs(by_part)
    module, _, _ = entry["where"].partition(":")
    import_module(module)
    method = METHODS[command]
    check_format(method, out, by_part["view"])
    quiet, settings = out.get("quiet", False), by_part["setting"]
    settings |= from_grid(method, by_part["input"], settings)
    with ExitStack() as after, context(jobs=out.get("jobs", 2), progress=lambda doing: progress(doing, quiet)):
        if shows_checksums(method, out):
            after.enter_context(keep_checksums())
        after.callback(clear)  # whatever stops the work, the next line begins on a line of its own
        if by_part["input"].pop("by", None):
            from irassay.meta.standings import by_round

            cubes = about(method, by_part["input"], settings, rounds=True)["scores"]
            result = by_round(lambda scores: method(scores, **settings), cubes)
        else:
            result = method(**about(method, by_part["input"], settings), **settings)
        if method.traits.shown_by:
            where, _, name = method.traits.shown_by.partition(":")
            return int(getattr(import_module(where), name)(result, out, **by_part["view"]))
        return emit(result, by_part["view"], out)


def spare_inputs(by_part: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuses to write a file over one that is read."""
    from irassay.io.run_names import is_same

    given = {name: value for part in by_part.values() for name, value in part.items()}
    kept = [value for name, value in given.items() if name not in WRITTEN]
    words = [str(word) for value in kept for word in (value if isinstance(value, list | tuple) else [value])]
    for name in WRITTEN & given.keys():
        target = Path(given[name])
        if not is_same(target, target):  # nothing is there
            continue
        for word in words:
            paths = [word, word.partition("=")[2], *(glob(word) if has_magic(word) else ())]
            if any(is_same(Path(path), place) for path in paths if path for place in (target, target.parent)):
                raise InputError(f"{target} would be written over, and is read here; choose another name")


def from_grid(method: "Method[..., Any]", words: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the grid of a paper says of settings that name metrics, such as which are the simple ones."""
    open_ = [s.name for s in method.settings if s.option.scored and s.name not in settings]
    if "grid" not in words or not open_:
        return {}
    from irassay.metrics.grids import grid

    return {name: getattr(grid(words["grid"]), name) for name in open_}


def about(
    method: "Method[..., Any]", words: Mapping[str, Any], settings: Mapping[str, Any], rounds: bool = False
) -> dict[str, Any]:
    """What the method is about, read by the reader of each input's type."""
    from irassay.settings import composed, declared

    scored = [s.name for s in method.settings if s.option.scored]
    also = tuple(name for key in scored for name in settings.get(key, ()))
    own = {s.name for name, hint in method.inputs.items() for s in declared(name, hint, "") if s.option.help}
    found = {name: words[name] for name in own if name in words}
    if own >= method.inputs.keys():  # nothing is read, and what reads is not imported
        return found
    from irassay.inputs import reader_of, rounds_from

    for name, hint in method.inputs.items():
        reader, more = reader_of(hint)
        if reader is None:
            continue
        rest = {key: value for key, value in words.items() if key not in own}
        by_place = (rest.pop("inputs"),) if "inputs" in rest else ()
        if rounds:
            found[name] = rounds_from(*by_place, **rest, also=also)
            continue
        found[name] = reader(*by_place, **composed(reader, rest | more | ({"also": also} if also else {})))
    return found
