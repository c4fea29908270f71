"""`irassay score`: runs and judgements to scores."""

import sys
from typing import Annotated, Any

import typer

from irassay.cli.options import Define, Format, Metrics, Quiet, load, reading, takes

USUAL = ["AP", "nDCG@10", "P@10", "RR", "RBP", "Judged@10"]


@takes(policies=reading)
def score(
    qrels: Annotated[str, typer.Argument(help="Judgements: a qrels file, or - for standard input.")],
    runs: Annotated[list[str], typer.Argument(help="Runs: files, folders, globs, or -.")],
    metrics: Metrics = None,
    by_topic: Annotated[bool, typer.Option("--by-topic", help="Also show every topic.")] = False,
    bounds: Annotated[
        bool,
        typer.Option("--bounds", help="Also with nothing, and with the top grade, assumed of what was not judged."),
    ] = False,
    judged_only: Annotated[
        bool, typer.Option("--judged-only", help="Leave unjudged results out of every list.")
    ] = False,
    define: Define = None,
    digits: Annotated[int, typer.Option(help="Decimals in tables for people.", min=0, max=15)] = 4,
    format: Annotated[Format, typer.Option(help="How to print it.")] = "table",
    quiet: Quiet = False,
    policies: Any = None,
) -> None:
    """Score runs against judgements: means over topics, and every topic with --by-topic.

    Without -m: AP, nDCG@10, P@10, RR, RBP and the share judged in the top ten.
    """
    from irassay.cli.output import emit, progress
    from irassay.io.sources import files
    from irassay.provenance import provenance
    from irassay.scoring.score import score as scored
    from irassay.views.scores import view

    load(define)
    asked = metrics or USUAL
    scores = scored(
        runs, qrels, asked, bounds=bounds, judged_only=judged_only, progress=progress("scoring", quiet), **policies
    )
    if format == "trec_eval":
        from irassay.io.tables import write_scores

        write_scores(scores, "trec_eval", sys.stdout, by_topic=by_topic)
        return
    inputs = [qrels, *files(runs)]
    given = {key: str(value) for key, value in policies.items() if value is not None}
    parameters = {
        "metrics": list(scores.metrics),
        "asked": asked,
        "bounds": bounds,
        "judged_only": judged_only,
        **given,
    }
    long = format in ("tsv", "csv", "json")
    emit(
        view(scores, by_topic, digits, long),
        format,
        provenance(inputs, parameters) if format == "json" else None,
        quiet=quiet,
    )
