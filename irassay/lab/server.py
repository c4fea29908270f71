"""The application: the API and the pages behind the gate."""

import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from irassay.lab.api import Api
from irassay.lab.connections import PatienceMiddleware
from irassay.lab.endpoints import ProblemResponse, with_problem_documents
from irassay.lab.lab import Lab
from irassay.lab.pages import PAGES, Pages
from irassay.lab.problems import ProblemError
from irassay.lab.rendering import problem_html
from irassay.lab.security import Gate, GateMiddleware
from irassay.prose import visible_text

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
MAX_LOG = 10 << 20  # bytes of a log that is continued


def application(lab: Lab, gate: Gate, client_seconds: float) -> Any:
    """The lab as an ASGI application."""
    api, pages = Api(lab), Pages(lab)
    log = RequestLog(lab.workspace.folder / "lab.log")

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        yield
        for task in lab.checks.values():
            task.cancel()
        await lab.jobs.close()
        lab.interactive.close()
        lab.workspace.close()
        log.close()

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        text = {404: "There is nothing at this address.", 405: "This address does not take this HTTP method."}
        problem = ProblemError(
            error.status_code, text.get(error.status_code, error.detail), headers=error.headers or {}
        )
        return problem_response(request.scope, problem, PAGES)  # whoever gets here has the token

    app = Starlette(routes=_routes(api, pages), lifespan=lifespan, exception_handlers={HTTPException: http_error})
    app.router.redirect_slashes = False
    return GateMiddleware(PatienceMiddleware(app, client_seconds), gate, problem_response, log.add)


def route(path: str, *methods: tuple[str, Any]) -> Route:
    """One path with an endpoint for each HTTP method."""
    endpoints = {name: with_problem_documents(endpoint) for name, endpoint in methods}
    if path.startswith("/lab/"):
        endpoints = {name: without_error_status(endpoint) for name, endpoint in endpoints.items()}

    async def dispatch(request: Request) -> Response:
        verb = "GET" if request.method == "HEAD" else request.method
        if verb not in endpoints:
            refused = ProblemError(405, "This address does not take this HTTP method.")
            return ProblemResponse(refused.document(), 405, {"Allow": ", ".join(endpoints)})
        return await endpoints[verb](request)

    return Route(path, dispatch, methods=list(VERBS))


def _routes(api: Api, pages: Pages) -> list[Route]:
    """The paths of the API, and of the pages and their scripts; the first that matches counts."""
    other_verbs = [(verb, api.method_by_other_verb) for verb in ("GET", "PUT", "PATCH", "DELETE")]
    return [
        route("/api/metrics", ("GET", api.metrics), ("POST", _method_at(api, "metrics"))),
        route("/api/methods", ("GET", api.methods)),
        route("/api/openapi.json", ("GET", api.openapi)),
        route("/api/docs", ("GET", pages.api_docs)),
        route("/api/collections", ("GET", api.collections), ("POST", api.upload)),
        route("/api/collections/{id}", ("GET", api.collection), ("DELETE", api.delete_collection)),
        route("/api/collections/{id}/bench", ("POST", api.bench)),
        route("/api/collections/{id}/{path:path}", ("POST", api.method), *other_verbs),
        route("/api/jobs/{id}", ("GET", api.job), ("DELETE", api.cancel)),
        route("/api/jobs/{id}/events", ("GET", api.events)),
        route("/api/jobs/{id}/result", ("GET", api.result)),
        route("/api/{path:path}", ("POST", api.method), *other_verbs),
        route("/lab/collections", ("POST", api.upload)),
        route("/lab/collections/{id}", ("DELETE", api.delete_collection)),
        route("/lab/jobs/{id}", ("GET", api.job), ("DELETE", api.cancel)),
        *pages.routes(route),
    ]


class RequestLog:
    """The log: method, path and status of every request, in a file of the workspace and on a terminal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_file() and path.stat().st_size > MAX_LOG:
            path.unlink()
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def add(self, method: str, path: str, status: int) -> None:
        """Adds a line."""
        line = f"{method} {visible_text(path)[:500]} {status}\n"
        with suppress(OSError, ValueError):  # a full disk stops the log, not the lab
            self._file.write(line)
        if sys.stderr.isatty():
            sys.stderr.write(line)


def without_error_status(endpoint: Any) -> Any:
    """An endpoint for scripts: problems come as ordinary answers, which browsers do not report as failures."""

    async def answer(request: Request) -> Response:
        response: Response = await endpoint(request)
        return JSONResponse({"refused": json.loads(bytes(response.body))}) if response.status_code >= 400 else response

    return answer


def _method_at(api: Api, path: str) -> Any:
    """The method at a fixed path, beside another endpoint."""

    async def endpoint(request: Request) -> Response:
        request.path_params["path"] = path
        return await api.method(request)

    return endpoint


def problem_response(scope: Any, problem: ProblemError, pages: Mapping[str, str] = {}) -> Response:
    """A problem as a page for people, with links to these pages, or as a problem document for programs."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    if scope["path"].startswith("/api/") or "text/html" not in headers.get("accept", ""):
        return ProblemResponse(problem.document(), problem.status, problem.headers)
    return HTMLResponse(problem_html(problem, pages), problem.status, problem.headers)
