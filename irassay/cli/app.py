"""The commands by name; each is imported when it is called for, so that help comes at once."""

import typer

from irassay.cli import axioms, catalogue, compare, files, judged, meta, report, reproduce, score

app = typer.Typer(
    name="irassay",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Scores search runs with every effectiveness metric, and tests the metrics themselves.",
)


JUDGED = judged  # its commands join those of `meta` on import


def show_version(asked: bool) -> None:
    """Prints the version and ends."""
    if asked:
        from importlib.metadata import version

        print(f"irassay {version('irassay')}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Print the version."),
) -> None:
    """Options of the whole program."""


app.command("demo")(report.demo)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.add_typer(meta.app, name="meta")
app.command("axioms")(axioms.axioms)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("metrics")(catalogue.metrics)
app.command("explain")(catalogue.explain)
app.command("validate")(files.validate)
app.command("convert")(files.convert)
