"""The papers: their published figures as data, and how we recompute them; one module a paper."""

from importlib import import_module

from irassay.errors import InputError
from irassay.papers.published import Published
from irassay.papers.reproduction import Reproduction, Request

PAPERS = ("albahem2018", "albahem2019", "chen2023", "jiang2016", "moffat2012")

__all__ = ["PAPERS", "Published", "Reproduction", "Request", "reproduce"]


def reproduce(paper: str, request: Request) -> Reproduction:
    """Recomputes a paper's figures, cell by cell."""
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper}; the papers are {', '.join(PAPERS)}")
    module = import_module(f"irassay.papers.{paper}")
    found: Reproduction = module.reproduce(request)
    if request.tables and not found.cells:
        asked, known = ", ".join(sorted(request.tables)), ", ".join(module.TABLES)
        raise InputError(f"{paper} has no table or figure {asked}; there are {known}")
    return found
