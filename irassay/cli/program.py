"""A command from its words to its exit status."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import Any

from irassay.cli import STARTS_WORKERS
from irassay.cli.parser import parsed_values
from irassay.declarations import argument_spellings, index
from irassay.errors import InputError
from irassay.installed import load_installed
from irassay.prose import did_you_mean

# A flag that selects another command: (command, flag) to the command, and whether the flag stays.
FLAG_COMMANDS = {
    ("compare", "--plan"): ("plan", False),
    ("meta satisfaction", "--fit"): ("meta fitting", False),
    ("meta satisfaction", "--sweep"): ("meta sensitivity", True),
}
HELP_FLAGS = ("--help", "-h")
OUTPUT_FILES = {"save", "plot", "output"}  # arguments that name files to write


def run(words: Sequence[str], spellings: dict[str, str] | None = None) -> int:
    """The exit status of a command line: 0 done, 1 if the answer is no.

    `spellings` is filled with how the command spells its arguments, once the command is known.
    """
    words = list(words)
    if words[:1] == ["help"]:
        words = [*(word for word in words[1:] if word not in HELP_FLAGS), "--help"]
    if words[:1] == ["--version"]:
        return _print(version())
    commands = index()["commands"] | user_commands(words)
    if not words or words[0] in HELP_FLAGS:
        return _print_list(commands, "", bool(words))
    command, rest = command_and_rest(words, commands)
    if command.endswith(" "):
        return _print_list(commands, command, bool(rest))
    entry = commands[command]
    if spellings is not None:
        spellings |= argument_spellings(entry)
    if any(flag in rest for flag in HELP_FLAGS):
        from irassay.cli.help import command_help

        return _print(command_help(command, entry))
    return run_command(command, entry, parsed_values(command, entry, rest))


def version() -> str:
    """The version, and whether files are scanned by compiled code."""
    from importlib.metadata import version

    from irassay.io.scan import library

    return f"irassay {version('irassay')} ({'compiled scanner' if library() else 'without the compiled scanner'})"


def _print(text: str, status: int = 0) -> int:
    print(text)
    return status


def _print_list(commands: Mapping[str, Any], group: str, requested: bool) -> int:
    from irassay.cli.help import command_list

    return _print(command_list(commands, group), 0 if requested else 2)


def user_commands(words: Sequence[str]) -> dict[str, Any]:
    """The commands that users' files declare, which are run before the command is looked up, and installed packages."""
    paths = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--define"]
    paths += [word.partition("=")[2] for word in words if word.startswith("--define=")]
    if words[:1] == [STARTS_WORKERS]:
        return {}
    is_known = any(" ".join(words[:length]) in index()["commands"] for length in (1, 2))
    with prints_to_stderr() if paths else nullcontext():
        for path in dict.fromkeys(paths):
            import_module("irassay.userfile").define(path)
    if not (paths or (not is_known and load_installed("methods"))):
        return {}
    from irassay.cli.index import command_entry
    from irassay.method import METHODS

    return {path: command_entry(method) for path, method in METHODS.items() if path not in index()["commands"]}


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Sends what users' code prints, also from other programs, to standard error: standard output may be JSON."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(output, 1)
        os.close(output)


def command_and_rest(words: Sequence[str], commands: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The command that the words begin with, and the other words; 'meta ' if only the group is given."""
    first, rest = words[0], list(words[1:])
    if first in {name.split()[0] for name in commands if " " in name}:
        if not rest or rest[0] in HELP_FLAGS:
            return f"{first} ", rest
        first, rest = f"{first} {rest[0]}", rest[1:]
    if first not in commands:
        if first.startswith("-"):
            raise InputError(f"irassay has no option {first}; see irassay --help.")
        last = first.split()[-1]
        if moved := next((name for name in commands if name.split()[-1] == last), ""):  # such as `meta topics`
            raise InputError(f"There is no command {first}; did you mean {moved}?")
        two_words = " ".join((first, *rest[:1]))  # such as `mta similarity`
        hint = did_you_mean(first, commands) or did_you_mean(two_words, commands, "see irassay --help.")
        raise InputError(f"There is no command {first}; {hint}")
    for (command, flag), (other, stays) in FLAG_COMMANDS.items():
        if first == command and any(word.split("=")[0] == flag for word in rest):
            return other, rest if stays else [word for word in rest if word != flag]
    return first, rest


def run_command(command: str, entry: Mapping[str, Any], by_part: Mapping[str, dict[str, Any]]) -> int:
    """The exit status of a command, once its answer is printed."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the work is already parallel; BLAS threads would only wait
    from pkgutil import resolve_name

    from irassay.ask import ask, command_method
    from irassay.cli.output import check_format, check_target, emit, shows_checksums
    from irassay.cli.progress import clear_progress, progress
    from irassay.parallel import context
    from irassay.provenance import DEFINED_FILES, recording_checksums

    envelope, options = by_part["envelope"], by_part["view"]
    if "plot" in envelope:
        check_target("plot", envelope["plot"])
    protect_inputs(by_part)
    method = command_method(command)
    check_format(method, envelope, options)
    keys = {setting.name: setting.key for setting in method.settings}
    of_inputs = {argument["name"] for argument in entry["arguments"] if argument["part"] == "input"}
    settings = {keys[name] if name in of_inputs else name: value for name, value in by_part["setting"].items()}
    quiet = envelope.get("quiet", False)
    cluster, jobs = envelope.get("cluster"), envelope.get("jobs", None if "cluster" in envelope else 2)
    with ExitStack() as stack, context(jobs, lambda label: progress(label, quiet), cluster=cluster):
        if shows_checksums(method, envelope):
            stack.enter_context(recording_checksums())
        stack.callback(clear_progress)  # whatever stops the work, the next line begins on a line of its own
        with prints_to_stderr() if DEFINED_FILES else nullcontext():
            result = ask(command, by_part["input"] | settings)
        if method.traits.presenter:
            return int(resolve_name(method.traits.presenter)(result, envelope, **options))
        return emit(result, options, envelope)


def protect_inputs(by_part: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuses to overwrite a file that is read."""
    from irassay.io.run_names import is_same_file

    values = {name: value for part in by_part.values() for name, value in part.items()}
    read = [value for name, value in values.items() if name not in OUTPUT_FILES]
    words = [str(word) for value in read for word in (value if isinstance(value, list | tuple) else [value])]
    for name in OUTPUT_FILES & values.keys():
        target = Path(values[name])
        if not is_same_file(target, target):  # it does not exist
            continue
        for word in words:
            names = word, word.partition("=")[2]
            paths = [*names, *(path for each in names if has_magic(each) for path in glob(each, recursive=True))]
            if any(is_same_file(Path(path), place) for path in paths if path for place in (target, target.parent)):
                raise InputError(f"{target} would be overwritten, but it is also an input. Choose another name.")
