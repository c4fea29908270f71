"""`irassay report` and `irassay demo`: everything for a collection, on one page."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from irassay.cli.gather import Inputs, asked, files_of, gather
from irassay.cli.meta import Groups, procedure, source, teams
from irassay.cli.options import Format, Quiet, reading, takes


@takes(of=source, how=procedure, policies=reading)
def report(
    inputs: Inputs = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page to write.")] = Path("report.html"),
    main: Annotated[
        str | None, typer.Option(help="The metric that systems are compared by.", show_default="the first")
    ] = None,
    groups: Groups = None,
    splits: Annotated[int, typer.Option(help="Random halves of the topics.", min=1)] = 1000,
    alpha: Annotated[float, typer.Option(help="Level of significance.")] = 0.05,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "",
    format: Annotated[Format | None, typer.Option(help="Also print the answer.", show_default=False)] = None,
    quiet: Quiet = False,
    of: Any = None,
    how: Any = None,
    policies: Any = None,
) -> None:
    """Score, compare and meta-evaluate a collection, and write one self-contained page about it.

    A metric of your own (--define) is shown beside the published ones: is it any good?
    """
    from irassay.assay.assay import USUAL, assay
    from irassay.cli.output import emit, progress
    from irassay.provenance import provenance
    from irassay.report.page import report as write
    from irassay.views.view import view_of

    wanted = asked(of["metrics"], of["grid"])
    settings: dict[str, Any] = {
        "main": main, "groups": teams(groups),
        "test": how["test"] or "tukey", "trials": how["trials"] or 10_000, "splits": splits,
        "alpha": alpha, "seed": how["seed"], "jobs": how["jobs"], "progress": progress("assaying", quiet),
    }  # fmt: skip
    if of["scores"]:
        found = assay(scores=gather(inputs, policies, {"quiet": quiet}, **of), **settings)
    else:
        from irassay.cli.options import load
        from irassay.errors import InputError

        load(of["define"])
        if not inputs or len(inputs) < 2:
            raise InputError("give judgements and runs (QRELS RUN...), or score tables (--scores TABLE)")
        found = assay(inputs[1:], inputs[0], wanted or USUAL, **settings, **policies)
    shown = {
        key: str(value) for key, value in {**policies, **settings}.items() if value is not None and key != "progress"
    }
    origin = provenance(files_of(inputs, of["scores"], policies), shown)
    path = write(found, output, title=title, provenance=origin, command=" ".join(["irassay", *sys.argv[1:]]))
    if format is not None:
        emit(view_of(found), format, origin, quiet=quiet)
    elif not quiet:
        for sentence in view_of(found).sentences:
            print(sentence, file=sys.stderr)
        for note in found.scores.notes:
            print(f"note: {note}", file=sys.stderr)
    print(path)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the report.")] = Path("irassay-demo"),
    keep: Annotated[
        Path | None,
        typer.Option(
            help="Also write the simulated collection, as ordinary TREC files, into this folder.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the simulation and of all tests.")] = 1,
    topics: Annotated[int, typer.Option(help="Topics to simulate.", min=4)] = 50,
    systems: Annotated[int, typer.Option(help="Systems to simulate.", min=2)] = 24,
    quiet: Quiet = False,
) -> None:
    """Simulate a collection, evaluate it, test the metrics on it, and write the report: the tour."""
    from irassay.cli.demo import demo as tour
    from irassay.cli.output import progress

    for line in tour(
        output, seed=seed, topics=topics, systems=systems, keep=keep, progress=progress("the tour", quiet)
    ):
        print(line)
