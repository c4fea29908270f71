"""`irassay validate` and `irassay convert`: files as they are, and score tables in other dialects."""

import sys
from typing import Annotated, Literal

import typer

from irassay.cli.options import Format, Metrics, Quiet

Dialect = Literal["irassay", "trec_eval", "tot", "ir_measures", "autojudge", "pyterrier", "csv", "wide"]


def validate(
    paths: Annotated[list[str], typer.Argument(help="Qrels and runs: files, folders, globs, or -.")],
    strict: Annotated[bool, typer.Option("--strict", help="Take warnings for errors.")] = False,
    format: Annotated[Format, typer.Option(help="How to print it.")] = "table",
) -> None:
    """List everything that is wrong with qrels and runs, line by line, and how to mend it.

    Given qrels and runs together, also topics that one has and the other lacks. Exit status 1 where there are errors.
    """
    from irassay.cli.output import emit
    from irassay.io.sources import files as expanded
    from irassay.io.validation import validate as problems
    from irassay.provenance import provenance
    from irassay.views.problems import view

    found = problems(paths)
    origin = provenance(expanded(paths), {"strict": strict}) if format == "json" else None
    emit(view(found, len(paths)), format, origin)
    if any(problem.severity == "error" or (strict and problem.severity == "warning") for problem in found):
        raise typer.Exit(1)


def convert(
    tables: Annotated[list[str], typer.Argument(help="Score tables of any dialect, gz or not, or -.")],
    to: Annotated[Dialect, typer.Option("--to", help="The dialect to write.")] = "irassay",
    dialect: Annotated[
        str | None, typer.Option("--from", help="The dialect to read, where it cannot be told.", show_default=False)
    ] = None,
    metrics: Metrics = None,
    runs: Annotated[
        list[str] | None, typer.Option("--run", help="Only this run; may be repeated.", show_default=False)
    ] = None,
    means: Annotated[bool, typer.Option("--means", help="Write means only, not every topic.")] = False,
    quiet: Quiet = False,
) -> None:
    """Convert score tables between the dialects of trec_eval, ir_measures, PyTerrier and others.

    Rows called all, amean or gmean are never taken for topics.
    """
    from irassay.cli.gather import named
    from irassay.io.tables import read_scores, write_scores

    scores = read_scores(tables, dialect)
    if metrics or runs:
        scores = scores.select(
            systems=runs, metrics=[named(name, scores.metrics) for name in metrics] if metrics else None
        )
    write_scores(scores, to, sys.stdout, by_topic=not means)
    for note in () if quiet else scores.notes:
        print(f"note: {note}", file=sys.stderr)
