"""Scores for commands that meta-evaluate: from runs and judgements, or from score tables of any tool."""

from collections.abc import Mapping, Sequence
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
    policies: Mapping[str, Any],
    out: Mapping[str, Any],
    *,
    scores: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    grid: str | None = None,
    define: Sequence[Path] | None = None,
    dialect: str | None = None,
    lower: Sequence[str] | None = None,
    usual: Sequence[str] = (),
) -> "Scores":
    """The score cube that the inputs stand for."""
    load(list(define or []))
    wanted = asked(metrics, grid)
    if scores:
        from irassay.io.tables import read_scores

        if paths:
            raise InputError("give either QRELS RUN... or --scores TABLE, not both")
        cube = read_scores(list(scores), dialect)
        cube = cube.select(metrics=[named(name, cube.metrics) for name in wanted]) if wanted else cube
        return cube.costs(*(named(name, cube.metrics) for name in lower)) if lower else cube
    if not paths or len(paths) < 2:
        raise InputError("give judgements and at least one run (QRELS RUN...), or score tables (--scores TABLE)")
    if not wanted and not usual:
        raise InputError("name metrics with -m, such as -m nDCG@10 -m AP, or a paper's with --grid")
    from irassay.cli.output import progress
    from irassay.scoring.score import score

    return score(paths[1:], paths[0], wanted or usual, progress=progress("scoring", out["quiet"]), **policies)


def asked(metrics: Sequence[str] | None, grid: str | None) -> list[str]:
    """The metrics named one by one, and those of a grid."""
    listed = list(metrics or [])
    if grid:
        from irassay.metrics.grids import grid as grid_of

        listed += [metric for metric in grid_of(grid).metrics if metric not in listed]
    return listed


def named(name: str, known: Sequence[str]) -> str:
    """A metric by the name it has in a table, or by any spelling that means the same."""
    from irassay.metrics.grammar import parse
    from irassay.metrics.grids import PUBLISHED_AS

    other_names = [name, PUBLISHED_AS.get(name, name), f"{PUBLISHED_AS.get(name, name)}@10"]
    for spelling in (*other_names, *(other for other in known if other.lower() == name.lower())):
        if spelling in known:
            return spelling

    for other in known:
        try:
            if parse(other) == parse(name):
                return other
        except InputError:
            continue
    more = f" and {len(known) - 20} more" if len(known) > 20 else ""
    raise InputError(f"there is no metric {name} among the scores; there are {', '.join(known[:20])}{more}")


def report(
    found: Any,
    cube: "Scores",
    paths: Sequence[str] | None,
    of: Mapping[str, Any],
    out: Mapping[str, Any],
    policies: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Prints, draws and keeps a result, with the notes that its scores came with."""
    inputs = files_of(paths, of.get("scores"), policies)
    report_plain(found, inputs, out, {"metrics": cube.metrics, **policies, **options}, cube.notes)


def report_plain(
    found: Any, inputs: Sequence[str], out: Mapping[str, Any], options: Mapping[str, Any], notes: Sequence[str] = ()
) -> None:
    """Prints, draws and keeps a result."""
    from dataclasses import replace

    from irassay.cli.output import emit
    from irassay.provenance import provenance
    from irassay.views.view import view_of

    given = {key: _said(value) for key, value in options.items() if value is not None}
    origin = provenance(inputs, given)
    shown = view_of(found)
    shown = replace(shown, notes=tuple(dict.fromkeys((*notes, *shown.notes))))
    if out.get("save"):
        from irassay.saving import write_result

        write_result(found, out["save"], origin)
    emit(shown, out["format"], origin, out["plot"], out["quiet"])


def _said(value: Any) -> Any:
    """A parameter as JSON can hold it."""
    if isinstance(value, list | tuple):
        return [_said(entry) for entry in value]
    return value if isinstance(value, str | int | float) else str(value)


def iterations(of: Mapping[str, Any]) -> dict[str, "Scores"]:
    """The score cube of every iteration that the tables have."""
    from irassay.io.tables import read_iterations

    if not of["scores"]:
        raise InputError("--by iteration needs score tables with a column iteration; give them with --scores")
    cubes = read_iterations(list(of["scores"]), of["dialect"])
    if of["metrics"]:
        cubes = {k: cube.select(metrics=[named(n, cube.metrics) for n in of["metrics"]]) for k, cube in cubes.items()}
    lower = of["lower"] or []
    return {k: cube.costs(*(named(n, cube.metrics) for n in lower)) for k, cube in cubes.items()}


def report_rounds(
    rounds: Mapping[str, Any],
    of: Mapping[str, Any],
    out: Mapping[str, Any],
    policies: Mapping[str, Any],
    options: Mapping[str, Any],
) -> None:
    """Prints the result of every iteration, one after another, and the standings over all of them."""
    from irassay.cli.output import emit
    from irassay.provenance import provenance
    from irassay.views.standings import rounds as joined

    whole = joined(rounds)
    given = {key: _said(value) for key, value in {**policies, **options}.items() if value is not None}
    origin = provenance(files_of(None, of.get("scores"), policies), given)
    if out.get("save"):
        raise InputError("--save keeps one result; leave out --by iteration, or save each iteration on its own")
    emit(whole, out["format"], origin, out["plot"], out["quiet"])


def files_of(paths: Sequence[str] | None, tables: Sequence[str] | None, policies: Mapping[str, Any]) -> list[str]:
    """Every input file, for the provenance."""
    from irassay.io.sources import files

    side = [str(value) for value in policies.values() if isinstance(value, Path)]
    listed = [table if Path(table).exists() else table.split("=", 1)[-1] for table in tables or []]
    return [*(files(list(paths)) if paths else []), *(files(listed) if listed else []), *side]
