"""The pages."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from irassay.lab.api import Lab
from irassay.lab.problems import ProblemError
from irassay.views.render import escape


class Pages:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def routes(self, route: Any) -> list[Any]:
        return []

    async def api_docs(self, request: Request) -> Response:
        return HTMLResponse("")


def problem_html(problem: ProblemError) -> str:
    return f"<!doctype html><title>irassay lab</title><p>{escape(problem.detail)}</p>"
