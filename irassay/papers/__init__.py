"""The papers: their published figures as data, and how we recompute them; one module a paper."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from irassay.errors import InputError, argument
from irassay.io.sources import files
from irassay.method import method
from irassay.papers.published import Published, figures
from irassay.papers.reproduction import Figure, Reproduction, Request
from irassay.settings import Option, Settings

Paper = Literal["albahem2018", "albahem2019", "chen2023", "jiang2016", "moffat2012"]
PAPERS = get_args(Paper)

__all__ = ["PAPERS", "Published", "Reproduction", "Request", "recomputed", "reproduce"]


@method(
    "Do a paper's figures come out again?",
    path="reproduce",
    examples=("irassay reproduce albahem2018", "irassay reproduce jiang2016 --data FOLDER --table 3"),
)
def reproduce(
    paper: Annotated[Paper, Option("Which paper.", metavar="PAPER")],
    *,
    tables: Annotated[
        tuple[str, ...], Option("Only this table or figure; may be repeated.", "--table", "-t", key="tables")
    ] = (),
    data: Annotated[
        tuple[Path, ...], "A folder that has the published files, anywhere below it; may be repeated."
    ] = (),
    fetch: Annotated[bool, "Get what is missing from where it was published."] = False,
    runs: Annotated[tuple[str, ...], "Your own run files, for papers whose runs are not public."] = (),
    qrels: Annotated[Path | None, "The judgements of --runs."] = None,
    seed: Annotated[int, Option("Seed of all that is random.", least=0)] = 0,
) -> Reproduction:
    """Recompute a paper: published | ours | difference for every figure, and what became of its claims.

    The exit status is 0 when everything that can match does, 1 when something differs without an explanation.
    """
    published = Published(tuple(map(Path, data)), fetch)
    found = reproduction_of(paper, Request(published, frozenset(tables), tuple(runs), qrels, seed))
    read = {"files": tuple(published.used), "runs": tuple(map(Path, files(list(runs)))) if runs else ()}
    inputs = {name: paths for name, paths in read.items() if paths}
    return replace(found, settings=Settings("reproduce", {}, {"paper": paper, **inputs}))


def reproduction_of(paper: str, request: Request) -> Reproduction:
    """A paper's figures, cell by cell, beside what was published.

    A paper's module has `reproduce`; its figures.toml names the `tables` that it knows, the published `files` that it
    reads, whether it `takes_runs`, and the tables that it `needs_runs` for.
    """
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper}; the papers are {', '.join(PAPERS)}")
    said = figures(paper)
    _check_request(paper, said, request)
    published = replace(request.published, needed=tuple(said["files"].values()))
    found: Reproduction = import_module(f"irassay.papers.{paper}.paper").reproduce(
        replace(request, published=published)
    )
    found = replace(found, cells=tuple(cell for cell in found.cells if request.wants(_table_of(cell, said["tables"]))))
    idle = _options_in_use({argument("data"): published.folders, argument("fetch"): published.fetch})
    if idle and not said["files"]:
        found = replace(found, notes=(*found.notes, f"{idle}: not used, since {paper} reads no published files."))
    return found


def _options_in_use(options: dict[str, object]) -> str:
    """The options that have a value."""
    return " and ".join(option for option, value in options.items() if value)


def _table_of(cell: Figure, tables: list[str]) -> str:
    """The table that a figure belongs to: '3 marks' to 3."""
    return max((table for table in tables if cell.table.startswith(table)), key=len)


def _check_request(paper: str, said: dict[str, Any], request: Request) -> None:
    """Refuses tables that there are not, or not without runs, and runs that nothing would read."""
    tables = said["tables"]
    known = {*tables, *(table.rstrip("ab") for table in tables)}  # '1' stands for 1a and 1b
    strange = sorted(request.tables - known)
    if strange:
        raise InputError(f"{paper} has no table or figure {', '.join(strange)}; there are {', '.join(tables)}")
    given = _options_in_use({argument("runs"): request.runs, argument("qrels"): request.qrels})
    if given and not said.get("takes_runs"):
        what = f"published files, found with {argument('data')}" if said["files"] else "no data at all"
        raise InputError(f"{paper} does not use {given}: it takes {what}; leave out {given}")
    for table in tables:
        if table in request.tables and table in said.get("needs_runs", ()) and not given:
            named = f"Table {table}" if table[0].isdigit() else table.capitalize()
            raise InputError(f"{named} of {paper} needs runs and judgements ({argument('runs')}, {argument('qrels')})")
