"""`irassay axioms`: try every ranking there is, and count where a metric breaks common sense."""

from typing import Annotated, Any

import typer

from irassay.cli.meta import numbers, output
from irassay.cli.options import Define, Metrics, load, takes
from irassay.errors import InputError

USUAL = ["ACT", "AP_IA", "alpha_nDCG@10", "nERR_IA@10", "NRBP", "nDCG@10", "AP", "RR", "P@10"]


@takes(out=output)
def axioms(
    metrics: Metrics = None,
    property: Annotated[
        list[str] | None,
        typer.Option(
            "--property",
            "-p",
            show_default="albahem2018",
            help="A property, or albahem2018, moffat2013, moffat2012, all; strict_ before a name; may be repeated.",
        ),
    ] = None,
    aspects: Annotated[
        int | None, typer.Option(help="Aspects, 1 to 4.", min=1, max=4, show_default="2; 1 with --grades")
    ] = None,
    depth: Annotated[int, typer.Option(help="Longest ranking.", min=1)] = 10,
    grades: Annotated[int, typer.Option(help="Top grade; above 1: graded relevance.", min=1)] = 1,
    pool: Annotated[
        int | None, typer.Option(help="Judged documents of each relevant kind.", min=1, show_default="the depth")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="Weights of the aspects: 0.7,0.3.", show_default="equal")] = None,
    multi_aspect: Annotated[bool, typer.Option("--multi-aspect", help="Documents may carry several aspects.")] = False,
    witnesses: Annotated[int, typer.Option(help="Counterexamples of each broken property.", min=0)] = 1,
    exact: Annotated[bool, typer.Option("--exact", help="Rational arithmetic, for the metrics that allow it.")] = False,
    induction: Annotated[bool, typer.Option(help="Also count relations that follow from several steps.")] = True,
    sample: Annotated[
        int | None,
        typer.Option(help="Do not enumerate: so many random rankings, and climbing from them.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of --sample.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; the result is the same.", min=1)] = 2,
    define: Define = None,
    out: Any = None,
) -> None:
    """Check metrics against desirable properties on every ranking up to a depth (albahem2018).

    Prints how often each property is broken, and the shortest counterexample in words. The exit status is 0 whatever
    is found.
    """
    from irassay.cli.gather import report_plain
    from irassay.cli.output import progress
    from irassay.meta.axioms.method import axioms as method
    from irassay.metrics.grammar import parse
    from irassay.scoring.score import weightless

    load(define)
    asked = metrics or USUAL
    if weights and (alike := weightless([parse(metric) for metric in asked])):
        raise InputError(f"{alike[0]}; leave them out, or use IA(metric='AP') and the like")
    found = method(
        asked,
        tuple(property or ["albahem2018"]),
        aspects=aspects,
        depth=depth,
        grades=grades,
        pool=pool,
        weights=numbers(weights, "--weights") if weights else None,
        multi_aspect=multi_aspect,
        witnesses=witnesses,
        exact=exact,
        induction=induction,
        sample=sample,
        seed=seed,
        jobs=jobs,
        progress=progress("trying rankings", out["quiet"]),
    )
    options = {
        "metrics": asked,
        "properties": property or ["albahem2018"],
        "aspects": aspects,
        "depth": depth,
        "grades": grades,
    }
    report_plain(found, (), out, options | {"pool": pool, "exact": exact, "sample": sample, "seed": seed})
