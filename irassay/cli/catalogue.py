"""`irassay metrics` and `irassay explain`: what there is, and how it works."""

from typing import Annotated

import typer

from irassay.cli.options import Define, Format, Plot, load


def metrics(
    pattern: Annotated[str, typer.Argument(help="Show only names that contain this.")] = "",
    define: Define = None,
    format: Annotated[Format, typer.Option(help="How to print it.")] = "table",
) -> None:
    """List every metric: parameters with defaults, range, what it needs, a sentence, and where it comes from."""
    from irassay.cli.output import emit
    from irassay.metrics.grammar import catalogue
    from irassay.views.catalogue import view

    load(define)
    emit(view(catalogue().values(), pattern), format)


def explain(
    metric: Annotated[str, typer.Argument(help="A metric such as INST(T=2.25).")],
    ranking: Annotated[
        str,
        typer.Argument(help="Grades from the top (1,0,2) or aspects (ab,x,a).", show_default="1,0,2,0,0,1 or ab,x,a,b"),
    ] = "",
    pool: Annotated[
        str | None,
        typer.Option(help="All that was judged, likewise; default: what the ranking has.", show_default=False),
    ] = None,
    max_grade: Annotated[
        float | None, typer.Option(help="Top of the judging scale.", show_default="largest grade given")
    ] = None,
    ranks: Annotated[int, typer.Option(help="Ranks to show, also past the ranking.", min=1)] = 10,
    define: Define = None,
    format: Annotated[Format, typer.Option(help="How to print it.")] = "table",
    plot: Plot = None,
) -> None:
    """Show what a metric models, and how a ranking earns its score rank by rank."""
    from irassay.cli.output import emit
    from irassay.metrics.explanation import explain as explained
    from irassay.metrics.grammar import parse
    from irassay.provenance import provenance
    from irassay.views.view import view_of

    load(define)
    asked = parse(metric)
    ranking = ranking or ("ab,x,a,b" if "aspects" in asked.meaning.needs else "1,0,2,0,0,1")
    origin = provenance([], {"metric": str(asked), "ranking": ranking, "pool": pool, "max_grade": max_grade})
    emit(view_of(explained(asked, ranking, pool, max_grade, ranks)), format, origin, plot=plot)
