"""The papers: their published figures as data, and how we recompute them; one module a paper."""

from dataclasses import replace
from importlib import import_module
from types import ModuleType

from irassay.errors import InputError
from irassay.papers.published import Published
from irassay.papers.reproduction import Reproduction, Request

PAPERS = ("albahem2018", "albahem2019", "chen2023", "jiang2016", "moffat2012")

__all__ = ["PAPERS", "Published", "Reproduction", "Request", "reproduce"]


def reproduce(paper: str, request: Request) -> Reproduction:
    """Recomputes a paper's figures, cell by cell.

    A paper's module has `reproduce`, the TABLES it knows, the published FILES it reads, whether it TAKES_RUNS, and the
    tables that it NEEDS_RUNS for.
    """
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper}; the papers are {', '.join(PAPERS)}")
    module = import_module(f"irassay.papers.{paper}.paper")
    _checked(paper, module, request)
    found: Reproduction = module.reproduce(
        replace(request, published=replace(request.published, needed=tuple(module.FILES)))
    )
    if not module.FILES and (request.published.folders or request.published.fetch):
        idle = " and ".join(
            option
            for option, given in (("--data", request.published.folders), ("--fetch", request.published.fetch))
            if given
        )
        found = replace(found, notes=(*found.notes, f"{idle}: not used, since {paper} reads no published files."))
    return found


def _checked(paper: str, module: ModuleType, request: Request) -> None:
    """Refuses tables that there are not, or not without runs, and runs that nothing would read."""
    known = {*module.TABLES, *(table.rstrip("ab") for table in module.TABLES)}  # '1' stands for 1a and 1b
    strange = sorted(request.tables - known)
    if strange:
        raise InputError(f"{paper} has no table or figure {', '.join(strange)}; there are {', '.join(module.TABLES)}")
    given = [option for option, value in (("--runs", request.runs), ("--qrels", request.qrels)) if value]
    if given and not module.TAKES_RUNS:
        what = "published files, found with --data" if module.FILES else "no data at all"
        raise InputError(
            f"{paper} does not use {' and '.join(given)}: it takes {what}; leave out {' and '.join(given)}"
        )
    for table in module.TABLES:
        if table in request.tables and table in module.NEEDS_RUNS and not given:
            named = f"Table {table}" if table[0].isdigit() else table.capitalize()
            raise InputError(f"{named} of {paper} needs runs and judgements (--runs, --qrels)")
