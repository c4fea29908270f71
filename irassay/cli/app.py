"""The commands by name; only the one that is called for is imported, so that it answers at once."""

from collections.abc import Sequence
from importlib import import_module

import typer

# In the order in which help lists them: where each command is, as module:function; `meta` has commands of its own.
COMMANDS = {
    "demo": "report:demo",
    "score": "score:score",
    "compare": "compare:compare",
    "meta": "judged:app",
    "axioms": "axioms:axioms",
    "explain": "catalogue:explain",
    "metrics": "catalogue:metrics",
    "report": "report:report",
    "reproduce": "reproduce:reproduce",
    "validate": "files:validate",
    "convert": "files:convert",
}


def app(arguments: Sequence[str]) -> typer.Typer:
    """The program: with the one command that the arguments begin with, or with all of them."""
    program = typer.Typer(
        name="irassay",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Scores search runs with every effectiveness metric, and tests the metrics themselves.",
    )
    program.callback()(options)
    first = arguments[0] if arguments else ""
    for name in [first] if first in COMMANDS else COMMANDS:
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"irassay.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            program.add_typer(found, name=name)
        else:
            program.command(name)(found)
    return program


def show_version(asked: bool) -> None:
    """Prints the version and ends."""
    if asked:
        from importlib.metadata import version

        print(f"irassay {version('irassay')}")
        raise typer.Exit


def options(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Print the version."),
) -> None:
    """Options of the whole program."""
