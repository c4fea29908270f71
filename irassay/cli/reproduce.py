"""`irassay reproduce`: a paper's figures beside ours, cell by cell."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from irassay.cli.meta import output
from irassay.cli.options import takes

Paper = Literal["albahem2018", "albahem2019", "chen2023", "jiang2016", "moffat2012"]


@takes(out=output)
def reproduce(
    paper: Annotated[Paper, typer.Argument(help="Which paper.")],
    table: Annotated[
        list[str] | None,
        typer.Option("--table", "-t", help="Only this table or figure; may be repeated.", show_default=False),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder that has the published files, anywhere below it; may be repeated.", show_default=False
        ),
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Get what is missing from where it was published.")] = False,
    runs: Annotated[
        list[str] | None,
        typer.Option(help="Your own run files, for papers whose runs are not public.", show_default=False),
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="The judgements of --runs.", show_default=False)] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is random.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; the result is the same.", min=1)] = 2,
    out: Any = None,
) -> None:
    """Recompute a paper: published | ours | difference for every figure, and what became of its claims.

    The exit status is 0 when everything that can match does, 1 when something differs without an explanation.
    """
    from irassay.cli.gather import report_plain
    from irassay.cli.output import progress
    from irassay.papers import Published, Request
    from irassay.papers import reproduce as reproduced

    request = Request(
        published=Published(tuple(data or ()), fetch),
        tables=frozenset(table or ()),
        runs=tuple(runs or ()),
        qrels=qrels,
        seed=seed,
        jobs=jobs,
        progress=progress(f"recomputing {paper}", out["quiet"]),
    )
    found = reproduced(paper, request)
    report_plain(found, [], out, {"paper": paper, "tables": table, "data": data, "runs": runs, "seed": seed})
    if not found.reproduced:
        raise typer.Exit(1)
