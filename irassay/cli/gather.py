"""Scores for commands that meta-evaluate: from runs and judgements, or from score tables of any tool."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from irassay.cli.options import load
from irassay.errors import InputError

if TYPE_CHECKING:
    from irassay.scores import Scores

Inputs = Annotated[
    list[str] | None, typer.Argument(metavar="[QRELS RUN...]", help="Judgements, then runs: files, folders or globs.")
]
Tables = Annotated[
    list[str] | None,
    typer.Option(
        "--scores", help="A score table made by any tool, or NAME=TABLE; may be repeated.", show_default=False
    ),
]


def gather(
    paths: Sequence[str] | None,
    tables: Sequence[str] | None,
    metrics: Sequence[str] | None,
    define: Sequence[Path] | None,
    policies: dict[str, Any],
    usual: Sequence[str] = (),
    quiet: bool = False,
    dialect: str | None = None,
) -> "Scores":
    """The score cube that the inputs stand for."""
    load(list(define or []))
    if tables:
        from irassay.tables import read_scores

        if paths:
            raise InputError("give either QRELS RUN... or --scores TABLE, not both")
        scores = read_scores(list(tables), dialect)
        return scores.select(metrics=[named(name, scores.metrics) for name in metrics]) if metrics else scores
    if not paths or len(paths) < 2:
        raise InputError("give judgements and at least one run (QRELS RUN...), or score tables (--scores TABLE)")
    from irassay.cli.output import progress
    from irassay.evaluate import score

    asked = list(metrics or usual)
    return score(paths[1:], paths[0], asked, progress=progress("scoring", quiet), **policies)


def named(name: str, known: Sequence[str]) -> str:
    """A metric by the name it has in a table, or by any spelling of ours that means the same."""
    if name in known:
        return name
    from irassay.grammar import parse

    for other in known:
        try:
            if parse(other) == parse(name):
                return other
        except InputError:
            continue
    raise InputError(f"the tables have no metric {name}; they have {', '.join(known[:20])}")


def files_of(paths: Sequence[str] | None, tables: Sequence[str] | None, policies: dict[str, Any]) -> list[str]:
    """Every input file, for the provenance."""
    from irassay.source import files

    side = [str(value) for key, value in policies.items() if isinstance(value, Path) and key]
    listed = [table.split("=", 1)[-1] if not Path(table).exists() else table for table in tables or []]
    return [*(files(list(paths)) if paths else []), *listed, *side]
