"""Options that several commands share: each group is a function whose signature is lent to the commands."""

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer

Format = Literal["table", "tsv", "csv", "json", "trec_eval", "latex", "markdown", "html"]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "--metrics",
        "-m",
        help="Metric such as nDCG@10 or RBP(p=0.95); may be repeated.",
        show_default=False,
    ),
]
Define = Annotated[
    list[Path] | None,
    typer.Option("--define", help="Python file with metrics of your own; may be repeated.", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Leave out notes and progress.")]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Also draw it: FILE.svg, .png, .pdf or .html.", show_default=False)
]


def takes(**groups: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command the options of each group; what the group returns is passed under the group's name."""

    def wrap(command: Callable[..., Any]) -> Callable[..., Any]:
        own = [p for p in inspect.signature(command).parameters.values() if p.name not in groups]
        hints = get_type_hints(command, include_extras=True)
        lent: dict[str, list[str]] = {}
        parameters = list(own)
        for name, group in groups.items():
            borrowed = list(inspect.signature(group).parameters.values())
            lent[name] = [p.name for p in borrowed]
            parameters += borrowed
            hints |= get_type_hints(group, include_extras=True)

        @wraps(command)
        def run(**given: Any) -> Any:
            made = {name: groups[name](**{key: given.pop(key) for key in keys}) for name, keys in lent.items()}
            return command(**given, **made)

        ordered = sorted(
            (p.replace(kind=p.KEYWORD_ONLY, annotation=hints[p.name]) for p in parameters), key=lambda p: 0
        )
        run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: hints[p.name] for p in ordered}
        return run

    return wrap


def reading(
    order: Annotated[
        Literal["score", "rank", "file"], typer.Option(help="What orders a run's results.", rich_help_panel="Reading")
    ] = "score",
    ties: Annotated[
        Literal["docid", "docid-asc", "file"],
        typer.Option(help="What orders equal scores; docid is descending, as in trec_eval.", rich_help_panel="Reading"),
    ] = "docid",
    score_precision: Annotated[
        Literal["double", "single"],
        typer.Option(help="Compare scores in this precision; trec_eval 9 used single.", rich_help_panel="Reading"),
    ] = "double",
    on_duplicate: Annotated[
        Literal["error", "first", "nonrelevant"] | None,
        typer.Option(help="A document twice in a topic's list.", rich_help_panel="Reading", show_default="error"),
    ] = None,
    missing: Annotated[
        Literal["zero", "skip", "error"],
        typer.Option(help="A judged topic that a run does not answer.", rich_help_panel="Reading"),
    ] = "zero",
    no_relevant: Annotated[
        Literal["zero", "skip"], typer.Option(help="A topic with nothing relevant.", rich_help_panel="Reading")
    ] = "zero",
    depth: Annotated[
        int | None, typer.Option(help="Cut every list to this many results first.", min=1, rich_help_panel="Reading")
    ] = None,
    rel: Annotated[
        float | None,
        typer.Option(help="Least grade that counts as relevant.", rich_help_panel="Reading", show_default="1"),
    ] = None,
    max_grade: Annotated[
        float | None,
        typer.Option(
            help="Top of the judging scale.", rich_help_panel="Reading", show_default="largest grade in the qrels"
        ),
    ] = None,
    lengths: Annotated[
        Path | None, typer.Option(help="Words of each document: two columns, or JSON.", rich_help_panel="Reading")
    ] = None,
    costs: Annotated[
        Path | None, typer.Option(help="Cost of each result type (column 2 of the run).", rich_help_panel="Reading")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="Weights of aspects: topic subtopic weight.", rich_help_panel="Reading")
    ] = None,
    topic_params: Annotated[
        Path | None, typer.Option(help="Parameters by topic, for values such as T='@T'.", rich_help_panel="Reading")
    ] = None,
    qrels_format: Annotated[
        Literal["auto", "trec", "subtopic"],
        typer.Option(help="What column 2 of the qrels means.", rich_help_panel="Reading"),
    ] = "auto",
    run_format: Annotated[
        Literal["auto", "trec", "dd", "session"],
        typer.Option(help="What kind of runs these are.", rich_help_panel="Reading"),
    ] = "auto",
) -> dict[str, Any]:
    """The reading policies, as keyword arguments of `irassay.score`."""
    return dict(locals())


def load(define: list[Path] | None) -> None:
    """Registers the metrics of a user's files."""
    from irassay.scoring.userfile import define_metrics

    for path in define or []:
        define_metrics(path)
