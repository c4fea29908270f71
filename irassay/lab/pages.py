"""The pages: shells with their forms, written from the declarations; scripts fill in what has to be computed."""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from irassay.lab.arguments import FIXED_ROLES, FOLDER_ROLES, uses_collection
from irassay.lab.commands import command_line, python_code
from irassay.lab.endpoints import json_body
from irassay.lab.forms import form_fields
from irassay.lab.lab import CHECKED_ROLES, CODE, Lab
from irassay.lab.page_requests import MAX_USERS, page_request
from irassay.lab.problems import ProblemError
from irassay.lab.rendering import problem_html, template
from irassay.lab.requests import MethodRequest, api_path, lacking_files, metrics_and_settings, refusal
from irassay.lab.schemas import method_document, metric_document, openapi
from irassay.lab.static_files import MEDIA_TYPES, compressed_file, content_tag, static_file
from irassay.lab.workers import WorkerProblem
from irassay.lab.workspace import Collection

PAGES = {  # path to the name of its link
    "data": "Data", "leaderboard": "Leaderboard", "users": "User models", "topics": "Topics", "metrics": "Metrics",
    "judges": "Judges",
}  # fmt: skip
ROLE_NAMES = {  # of files, one and several
    "qrels": ("judgements", "judgements"), "run": ("run", "runs"), "scores": ("score table", "score tables"),
    "other": ("other judgements", "other judgements"),
}  # fmt: skip
MAX_JOBS = 12  # listed on a page
MAX_JUDGES = 24  # other sets of labels in a leaderboard
CHECK_SECONDS = 8  # that a page waits for files to be checked, before it asks again
ANSWER_SECONDS = 60  # while a person waits
DEFAULT_METRICS = ("nDCG@10", "AP", "RBP(p=0.8)")


class Pages:
    """The pages and what their scripts ask for."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def routes(self, route: Any) -> list[Any]:
        """The paths of the pages."""
        return [
            route("/", ("GET", self.home)),
            *(route(f"/{name}", ("GET", self._page_endpoint(name))) for name in PAGES),
            route("/static/{name}", ("GET", self.static)),
            route("/lab/metric", ("GET", self.metric)),
            route("/lab/leaderboard", ("POST", self._scores_endpoint("leaderboard"))),
            route("/lab/topics", ("POST", self._scores_endpoint("topics"))),
            route("/lab/release", ("POST", self._scores_endpoint("release"))),
            route("/lab/bench", ("POST", self.bench)),
            route("/lab/judges", ("POST", self.judges)),
            route("/lab/run", ("POST", self.run)),
            route("/lab/source", ("POST", self.source)),
            route("/lab/panel/{id}", ("GET", self.panel)),
            route("/lab/checked/{id}", ("GET", self.checked)),
            route("/lab/code", ("POST", self.code)),
        ]

    async def home(self, request: Request) -> Response:
        """The first page: the leaderboard if there is a collection, otherwise the place to bring one."""
        return RedirectResponse("/leaderboard" if self.lab.workspace.collections() else "/data", 303)

    def _page_endpoint(self, name: str) -> Any:
        async def page(request: Request) -> Response:
            try:
                return HTMLResponse(self.page_html(name, request))
            except ProblemError as problem:  # such as a collection that was removed
                return HTMLResponse(problem_html(problem, PAGES), problem.status)

        return page

    def page_html(self, name: str, request: Request) -> str:
        """A page as HTML."""
        lab = self.lab
        collections = lab.workspace.collections()
        chosen = request.query_params.get("collection", "")
        collection = self.lab.collection(chosen) if chosen else collections[-1] if collections else None
        state = {
            "page": name,
            "collection": collection.document() if collection else None,
            "default_metrics": list(DEFAULT_METRICS),
            "most_users": MAX_USERS,
            "metrics": [_metric_summary(n, entry) for n, entry in lab.metrics.items()],
            "allow_code": lab.allow_code,
            "code": lab.code_text() if lab.allow_code else "",
        }
        more: dict[str, Any] = {}
        if name in ("metrics", "judges"):
            more = self._method_context(name, request, collection)
            state["method"] = more["method"] and more["method"]["path"]
        if name == "data":
            roles = [role for role in lab.roles if role not in FIXED_ROLES]
            more = {
                "role_names": ROLE_NAMES,
                "checked_roles": CHECKED_ROLES,
                "roles": roles,
                "folder_roles": FOLDER_ROLES,
                "jobs": lab.workspace.jobs(MAX_JOBS),
            }
        return template(
            f"{name}.html.jinja",
            pages=PAGES, here=name, collections=collections, collection=collection, state=state, lab=lab, **more,
        )  # fmt: skip

    def _method_context(self, name: str, request: Request, collection: Collection | None) -> dict[str, Any]:
        """The methods, the chosen one with its form, and the results so far."""
        by_path = {api_path(c): (c, e) for c, e in self.lab.commands.items() if "pattern" not in _argument_names(e)}
        chosen = request.query_params.get("method", "")
        if name == "judges":
            chosen = next((path for path, (_, entry) in by_path.items() if "others" in _argument_names(entry)), "")
        method: dict[str, Any] | None = None
        jobs: list[dict[str, Any]] = []
        if chosen in by_path:
            command, entry = by_path[chosen]
            jobs = self.lab.workspace.jobs(MAX_JOBS, command, collection.id if collection else "")
            method = method_document(command, entry) | {"form": form_fields(entry, collection), "more": entry["more"]}
            takes_runs = next((name for name in ("inputs", "runs") if name in method["inputs"]), "")
            method["lacking"] = lacking_files(entry, collection) if collection else ""
            method["two_runs"] = entry.get("two_runs", "")
            method["takes_runs"] = takes_runs if collection and len(collection.of_role("run")) > 1 else ""
        methods = [
            method_document(command, entry) | {"lacking": lacking_files(entry, collection) if collection else ""}
            for command, entry in by_path.values()
        ]
        unknown = "" if method else chosen[:80]
        return {"methods": methods, "method": method, "unknown": unknown, "jobs": jobs, "catalogue": self.lab.metrics}

    async def api_docs(self, request: Request) -> Response:
        """The API, readable without a network."""
        document = openapi(self.lab.commands, self.lab.metrics)
        return HTMLResponse(
            template("docs.html.jinja", pages=PAGES, here="", collections=[], collection=None,
                     state={"page": "docs"}, lab=self.lab, api=document)
        )  # fmt: skip

    async def static(self, request: Request) -> Response:
        """A script or a style sheet, compressed."""
        name = request.path_params["name"]
        content = await asyncio.to_thread(static_file, name)
        if content is None:
            raise ProblemError(404, "There is nothing at this address.")
        tag = content_tag(name)
        headers = {"Cache-Control": "private, no-cache", "ETag": tag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers["Content-Encoding"] = await asyncio.to_thread(compressed_file, name), "gzip"
        return Response(content, media_type=MEDIA_TYPES[name.rpartition(".")[2]], headers=headers)

    async def metric(self, request: Request) -> Response:
        """What a metric string says, and the declaration of the metric."""
        text = request.query_params.get("m", "")[:2000]
        parts = await self.lab.interactive.call("metric", seconds=ANSWER_SECONDS, text=text)
        entry = self.lab.metrics.get(parts["name"])
        return JSONResponse({**parts, "declaration": entry and metric_document(parts["name"], entry)})

    def _scores_endpoint(self, operation: str) -> Any:
        """An endpoint for what the scores of a collection show at once."""

        async def endpoint(request: Request) -> Response:
            body = await json_body(request, self.lab.json_limit)
            collection = self.lab.collection(str(body.pop("collection", "")))
            client = f"{operation} {body.pop('client', '')}"
            arguments = {**page_request(operation, body), "files": self.lab.scored_files(collection)}
            return JSONResponse(await self.lab.interactive.call(operation, client, ANSWER_SECONDS, **arguments))

        return endpoint

    async def bench(self, request: Request) -> Response:
        """What the bench shows while a slider moves."""
        body = await json_body(request, self.lab.json_limit)
        collection = self.lab.collection(str(body.pop("collection", "")))
        client = str(body.pop("client", ""))
        metrics, settings = metrics_and_settings(body)
        api_body = {"metrics": metrics, "settings": {**settings, "client": client}}
        return JSONResponse(await self.lab.bench_answer(collection, api_body))

    async def judges(self, request: Request) -> Response:
        """The leaderboard by each set of labels, the collection's judgements first."""
        body = await json_body(request, self.lab.json_limit)
        collection = self.lab.collection(str(body.get("collection", "")))
        files, metric = self.lab.scored_files(collection), body.get("metric")
        if "qrels" not in files or not isinstance(metric, str):
            raise refusal("This needs judgements, runs and a metric.", "")
        sets: list[dict[str, Any]] = []
        sources: list[dict[str, str]] = []
        entry = self.lab.commands["score"]
        for labels in (*collection.of_role("qrels")[:1], *collection.of_role("other")[:MAX_JUDGES]):
            about = {**files, "qrels": labels.path}
            try:
                scores = await self.lab.interactive.call("topics", "", ANSWER_SECONDS, files=about, metric=metric)
            except WorkerProblem as problem:
                if not sets:
                    raise
                sets.append({"name": labels.name, "problem": problem.document["detail"]})
                continue
            metric_name = scores["metric"]
            reading = {name: path for name, path in files["reading"] if name in scores["reading"]}
            values = {"qrels": labels.path, "runs": files["runs"], "metrics": (scores["metric"],), **reading}
            sources.append(self._source(entry, MethodRequest("score", values), collection))
            systems = scores["systems"]
            order = [systems[s] for s in scores["order"]]
            sets.append(
                {"name": labels.name, "means": dict(zip(systems, scores["means"], strict=True)), "order": order}
            )
        texts = {name: "\n\n".join(dict.fromkeys(each[name] for each in sources)) for name in ("command", "python")}
        return JSONResponse({"metric": metric_name, "sets": sets, **texts})

    async def run(self, request: Request) -> Response:
        """A job for a method, or the finished one with the same request; with the command and code that do the same."""
        body = await json_body(request, self.lab.json_limit)
        command, entry, api_body, collection, texts = await self._method_request(body)
        about = collection.id if collection else ""
        if not body.get("again") and (found := self.lab.workspace.finished_job(about, command, api_body)):
            return JSONResponse({**self.lab.jobs.document(found), **texts})
        job = await self.lab.start_job(command, entry, api_body, collection)
        return JSONResponse({**job.document(), **texts}, 202)

    async def source(self, request: Request) -> Response:
        """The command line and the Python code for a method, which is not run."""
        return JSONResponse((await self._method_request(await json_body(request, self.lab.json_limit)))[-1])

    async def _method_request(self, body: Mapping[str, Any]) -> tuple[Any, ...]:
        """The command of a page's request, its entry, the body that the API takes, the collection, and the source."""
        command, entry = self.lab.entry(str(body.get("method", "")))
        collection = self.lab.collection(str(body.get("collection", ""))) if uses_collection(entry) else None
        api_body = {name: body[name] for name in ("metrics", "settings") if body.get(name)}
        checked = await self.lab.checked_request(command, entry, api_body, collection)
        return command, entry, api_body, collection, self._source(entry, checked, collection)

    def _source(
        self, entry: Mapping[str, Any], request: MethodRequest, collection: Collection | None
    ) -> dict[str, str]:
        """The command line and the Python code of a request, with users' files if it needs them."""
        define = self._users_files() if self.lab.is_of_users(request) else []
        about = (entry, request, collection, define)
        return {"command": command_line(*about), "python": python_code(*about)}

    def _users_files(self) -> list[str]:
        """The files with users' metrics and methods, that of the editor last."""
        code = self.lab.workspace.folder / CODE
        return [*self.lab.define, *([str(code)] if self.lab.allow_code and code.is_file() else [])]

    async def panel(self, request: Request) -> Response:
        """The result of a job as a piece of a page."""
        lab, id = self.lab, request.path_params["id"]
        try:
            stored = lab.workspace.job(id)
        except KeyError:
            raise ProblemError(404, "There is no job with this id.") from None
        if stored["state"] != "done":
            raise ProblemError(409, stored["detail"] or f"The job is {stored['state']}.")
        shown = await lab.jobs.call("panel", job=str(lab.workspace.job_folder(id)))
        try:
            command, entry = lab.entry(api_path(stored["command"]))
            collection = lab.workspace.collection(stored["collection"]) if stored["collection"] else None
            checked = await lab.checked_request(command, entry, stored["request"], collection)
            texts = self._source(entry, checked, collection)
        except (ProblemError, WorkerProblem, KeyError):
            texts = {"command": f"irassay {stored['command']}", "python": ""}
        return JSONResponse({**shown, **texts, "job": id, "method": api_path(stored["command"])})

    async def checked(self, request: Request) -> Response:
        """Whether the files of a collection have been checked; waits a while for it."""
        id = self.lab.collection(request.path_params["id"]).id
        if check := self.lab.checks.get(id):
            await asyncio.wait([check], timeout=CHECK_SECONDS)
        return JSONResponse({"checked": self.lab.collection(id).is_checked})

    async def code(self, request: Request) -> Response:
        """Runs the code of the editor in the workers, and returns the metrics it declares."""
        if not self.lab.allow_code:
            raise ProblemError(403, "The lab was started without --allow-code.")
        body = await json_body(request, self.lab.json_limit)
        text = body.get("code")
        if not isinstance(text, str):
            raise refusal("The code must be text.", "/code")
        return JSONResponse(await self.lab.use_code(text))


def _argument_names(entry: Mapping[str, Any]) -> set[str]:
    return {argument["name"] for argument in entry["arguments"]}


def _metric_summary(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A metric for the page's scripts: what the field for metrics suggests."""
    return {"name": name, "aliases": list(entry.get("aliases", ())), "sentence": entry["sentence"]}
