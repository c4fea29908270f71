"""Papers recomputed: their published figures as data, and ours beside them; one package per paper."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from irassay.errors import InputError, argument
from irassay.io.file_paths import file_paths
from irassay.method import method
from irassay.papers.published import Published, figures
from irassay.papers.reproduction import Figure, Reproduction, Request
from irassay.settings import Option, Settings

Paper = Literal["albahem2018", "albahem2019", "chen2023", "jiang2016", "moffat2012"]
PAPERS = get_args(Paper)

__all__ = ["PAPERS", "Published", "Reproduction", "Request", "recomputed", "reproduce", "reproduction_of"]


def check_tables(
    paper: str, tables: tuple[str, ...], runs: tuple[str, ...], qrels: Path | None, data: tuple[Path, ...], fetch: bool
) -> None:
    """Refuses tables that a paper does not have, and what they cannot be computed from."""
    published = Published(tuple(map(Path, data)), fetch)
    _check_request(paper, figures(paper), Request(published, frozenset(tables), tuple(runs), qrels))


@method(
    "Can a paper's figures be reproduced?",
    path="reproduce",
    check=check_tables,
    examples=("irassay reproduce albahem2018", "irassay reproduce jiang2016 --data FOLDER --table 3"),
)
def reproduce(
    paper: Annotated[Paper, Option("Paper to recompute.", metavar="PAPER")],
    *,
    tables: Annotated[
        tuple[str, ...], Option("Only this table or figure; may be repeated.", "--table", "-t", key="tables")
    ] = (),
    data: Annotated[
        tuple[Path, ...],
        "Folder with the published files, or the folders WWW2, WWW3 and TR19DL of chen2023, anywhere below it; may be "
        "repeated.",
    ] = (),
    fetch: Annotated[bool, Option("Download missing files from where they were published.", network=True)] = False,
    runs: Annotated[tuple[str, ...], Option("Your own run files, for chen2023 or moffat2012.", files=True)] = (),
    qrels: Annotated[Path | None, "Judgements for these runs."] = None,
    seed: Annotated[int, Option("Random seed.", low=0)] = 0,
) -> Reproduction:
    """Recompute a paper: published, ours and difference for every figure, and whether its claims hold.

    The exit status is 0 if every figure that can match does, and 1 if one differs without an explanation.

    Files are found by their published names (for albahem2019 also trec-all-2015-evals.csv, without which 112 figures
    are not computed). A collection of chen2023 is a folder with its judgements, one file with qrels in its name, and a
    folder runs. docs/papers.md says where all of them are published.
    """
    published = Published(tuple(map(Path, data)), fetch)
    reproduction = reproduction_of(paper, Request(published, frozenset(tables), tuple(runs), qrels, seed))
    run_paths = tuple(map(Path, file_paths(list(runs)))) if runs else ()
    paths_read = {"files": tuple(published.used_paths), "runs": run_paths}
    inputs = {name: paths for name, paths in paths_read.items() if paths}
    return replace(reproduction, settings=Settings("reproduce", {}, {"paper": paper, **inputs}))


def reproduction_of(paper: str, request: Request) -> Reproduction:
    """A paper's figures as recomputed, cell by cell, beside those published.

    A paper's package has `paper.reproduce`. Its figures.toml lists its `tables`, the published `files` that it reads,
    the tables that it computes `without_files`, the `folders` of collections that it looks for, if it `takes_runs`,
    and the tables that it `needs_runs` for.
    """
    if paper not in PAPERS:
        raise InputError(f"Unknown paper {paper}; choose one of {', '.join(PAPERS)}.")
    printed = figures(paper)
    _check_request(paper, printed, request)
    published = replace(request.published, needed_files=tuple(printed["files"].values()))
    module = import_module(f"irassay.papers.{paper}.paper")
    result: Reproduction = module.reproduce(replace(request, published=published))
    cells = tuple(cell for cell in result.cells if request.wants(_table_of(cell, printed["tables"])))
    is_idle = (published.folders or published.fetch) and not printed["files"] and not printed.get("folders")
    note = f"{paper} reads no published files, so none were looked for or downloaded."
    return replace(result, cells=cells, notes=(*result.notes, note) if is_idle else result.notes)


recomputed = reproduction_of  # the name in earlier versions


def _table_of(cell: Figure, tables: list[str]) -> str:
    """The table that a figure belongs to: 3 for '3 marks'."""
    return max((table for table in tables if cell.table.startswith(table)), key=len)


def _check_request(paper: str, printed: dict[str, Any], request: Request) -> None:
    """Refuse unknown tables, what there are no files or runs for, and runs that nothing would read."""
    tables = printed["tables"]
    valid_names = {*tables, *(table.rstrip("ab") for table in tables)}  # '1' stands for 1a and 1b
    unknown = sorted(request.tables - valid_names)
    if unknown:
        text = f"{paper} has no table or figure {', '.join(unknown)}; choose from {', '.join(tables)}."
        raise InputError(text, argument="tables")
    options = {argument("runs"): request.runs, argument("qrels"): request.qrels}
    run_options = " and ".join(str(option) for option, value in options.items() if value)
    if run_options and not printed.get("takes_runs"):
        data = f"it reads published files (see {argument('data')})" if printed["files"] else "it needs no data"
        raise InputError(f"{paper} does not use {run_options}, because {data}; leave out {run_options}.")
    first_file = next(iter(printed["files"].values()), None)
    wants_files = not request.tables or not request.tables <= {*printed.get("without_files", ())}
    if first_file and wants_files and not printed.get("takes_runs") and not request.published.has(first_file):
        request.published.content(first_file)  # which says that it was not found
    for table in tables:
        has_data = run_options or (printed.get("folders") and request.published.folders)
        if table in request.tables and table in printed.get("needs_runs", ()) and not has_data:
            label = f"Table {table}" if table[0].isdigit() else table.capitalize()
            raise InputError(
                f"{label} of {paper} needs runs and judgements; give {argument('runs')} and {argument('qrels')}, or "
                f"{argument('data')} with the folders of its collections."
            )
