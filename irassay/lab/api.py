"""The API: collections, methods and jobs as JSON; no method is known by name."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from irassay.declarations import index
from irassay.lab.declared import built_in_entries
from irassay.lab.jobs import Job, Jobs
from irassay.lab.problems import ProblemError
from irassay.lab.requests import (
    FIXED_ROLES,
    MethodRequest,
    api_path,
    is_offered,
    method_request,
    refusal,
    side_roles,
    uses_collection,
)
from irassay.lab.schemas import FORMATS, method_document, metric_document, openapi
from irassay.lab.uploads import Upload, UploadLimits
from irassay.lab.workers import Interactive, WorkerProblem
from irassay.lab.workspace import DOCUMENT, ENDED, Collection, Workspace
from irassay.writing import write_file

READY_SECONDS = 0.5  # an answer that is ready by then is sent at once
CHECK_SECONDS = 120  # to check an upload as `validate` does
BENCH_SECONDS = 30
CODE_SECONDS = 10  # for users' code to be run once
CODE = "editor.py"
EXAMPLE = '''from typing import Annotated

import irassay as ia


@ia.user_model("Fickle")
def Fickle(r, p: Annotated[float, ia.Domain("number", 0, 1, "both"), "Patience at the top."] = 0.9):
    """Continues with probability p, but less and less as ranks go by without gain."""
    return p * (1 + r.total_gain) / (1 + r.total_gain + r.rank / 10)
'''
MAX_USERS = 4  # side by side on the bench
MEDIA_TYPES = {
    "json": "application/json", "csv": "text/csv; charset=utf-8", "latex": "text/x-tex; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png",
}  # fmt: skip
ENDINGS = {"latex": "tex", "markdown": "md"}


class ProblemResponse(JSONResponse):
    """A problem document."""

    media_type = "application/problem+json"


@dataclass
class Lab:
    """Everything that a running lab has."""

    workspace: Workspace
    jobs: Jobs
    interactive: Interactive
    limits: UploadLimits
    json_limit: int
    workers_per_job: int = 1
    allow_code: bool = False
    define: tuple[str, ...] = ()
    user_commands: dict[str, Any] = field(default_factory=dict)  # of users' files
    user_metrics: dict[str, Any] = field(default_factory=dict)
    background: list["asyncio.Task[None]"] = field(default_factory=list)  # work that nobody waits for

    @property
    def commands(self) -> Mapping[str, Any]:
        """Every command that the API offers."""
        return {c: e for c, e in (index()["commands"] | self.user_commands).items() if is_offered(e)}

    @property
    def metrics(self) -> Mapping[str, Any]:
        """Every metric, users' own first."""
        return self.user_metrics | built_in_entries()

    @property
    def roles(self) -> list[str]:
        """The fields of an upload that are files."""
        return [*FIXED_ROLES, *side_roles(self.commands)]

    def code_text(self) -> str:
        """The code of the editor."""
        file = self.workspace.folder / CODE
        return file.read_text(encoding="utf-8") if file.is_file() else EXAMPLE

    async def use_code(self, text: str) -> dict[str, Any]:
        """Runs users' code in the workers; returns the metrics it declares, or the problem and its line."""
        file = self.workspace.folder / CODE
        write_file(file, text)
        try:
            declared = await self.interactive.call("define", seconds=CODE_SECONDS, path=str(file))
        except WorkerProblem as problem:
            found = re.search(r", line (\d+)", problem.document["detail"])
            line = int(found[1]) if found else None
            return {"metrics": [], "line": line, "problem": problem.document["detail"].replace(str(file), "Your code")}
        self.jobs.redefine((*self.define, str(file)))
        self.interactive.define = (*self.define, str(file))
        self.user_metrics, self.user_commands = declared["metrics"], declared["commands"]
        return {"metrics": list(declared["metrics"]), "line": None, "problem": ""}

    def entry(self, path: str) -> tuple[str, Mapping[str, Any]]:
        """The command at a path of the API, and its entry."""
        for command, entry in self.commands.items():
            if api_path(command) == path:
                return command, entry
        raise ProblemError(404, f"There is no method {path[:80]}; GET /api/methods lists them.")

    def collection(self, id: str) -> Collection:
        """A collection by its id."""
        try:
            return self.workspace.collection(id)
        except KeyError:
            raise ProblemError(404, "There is no collection with this id.") from None

    async def checked_request(
        self, command: str, entry: Mapping[str, Any], body: Mapping[str, Any], collection: Collection | None
    ) -> MethodRequest:
        """The request for a method, checked before a job starts."""
        request = method_request(command, entry, body, collection)
        await self.interactive.call("check", command=command, values=request.values)
        return request

    async def start_job(
        self, command: str, entry: Mapping[str, Any], body: Mapping[str, Any], collection: Collection | None
    ) -> Job:
        """A job for a request that was checked."""
        request = await self.checked_request(command, entry, body, collection)
        folder = str(self.workspace.collection_folder(collection.id)) if collection else None
        arguments = {
            "command": command, "entry": entry, "values": dict(request.values), "view": dict(request.view),
            "folder": folder, "jobs": self.workers_per_job,
        }  # fmt: skip
        return self.jobs.start(collection.id if collection else "", command, body, arguments)


async def json_body(request: Request, most: int) -> dict[str, Any]:
    """The JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await limited_body(request, most)
    if not body and not kind:
        return {}
    if kind != "application/json":
        raise ProblemError(415, "The request must be application/json.")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProblemError(400, f"The request is not valid JSON: {str(error)[:200]}.") from None
    if not isinstance(document, dict):
        raise refusal("The request must be a JSON object.", "")
    return document


async def limited_body(request: Request, most: int) -> bytes:
    """The body of a request, unless it is too long."""
    parts, size = [], 0
    if int(request.headers.get("content-length") or 0) > most:
        raise ProblemError(413, f"A request may have at most {most:,} bytes.")
    async for block in request.stream():
        size += len(block)
        if size > most:
            raise ProblemError(413, f"A request may have at most {most:,} bytes.")
        parts.append(block)
    return b"".join(parts)


def answered(endpoint: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint, with every error as a problem document."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except ProblemError as problem:
            return ProblemResponse(problem.document(), problem.status, problem.headers)
        except WorkerProblem as problem:
            return ProblemResponse(problem.document, problem.document["status"])
        except ClientDisconnect:
            text = "The request did not arrive in time."
            return ProblemResponse(ProblemError(408, text).document(), 408)
        except OSError as error:
            import errno

            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            status, text = (
                (507, "The disk is full; make room in the workspace.") if full else (500, "A file cannot be used.")
            )
            return ProblemResponse(ProblemError(status, text).document(), status)
        except Exception as error:
            if os.environ.get("IRASSAY_TRACEBACK"):
                raise
            text = f"internal error: {type(error).__name__}; please report it."
            full = "disk is full" in str(error)  # as sqlite3 says it
            status = 507 if full else 500
            return ProblemResponse(ProblemError(status, "The disk is full." if full else text).document(), status)

    return answer


class Api:
    """The endpoints of the API."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._documents: dict[str, tuple[Any, bytes | memoryview]] = {}

    async def metrics(self, request: Request) -> Response:
        """Every metric."""
        return self._declared("metrics", lambda: [metric_document(n, e) for n, e in self.lab.metrics.items()])

    async def methods(self, request: Request) -> Response:
        """Every method."""
        return self._declared("methods", lambda: [method_document(c, e) for c, e in self.lab.commands.items()])

    async def openapi(self, request: Request) -> Response:
        """The description of the API."""
        return self._declared("openapi", lambda: openapi(self.lab.commands))

    def _declared(self, name: str, document: Callable[[], Any]) -> Response:
        """A document made from the declarations; it is made again only if users' files declare something else."""
        declared = (list(self.lab.user_commands), list(self.lab.user_metrics))
        if name not in self._documents or self._documents[name][0] != declared:
            self._documents[name] = (declared, JSONResponse(document()).body)
        return Response(self._documents[name][1], media_type="application/json")

    async def collections(self, request: Request) -> Response:
        """The collections."""
        return JSONResponse([each.document() for each in self.lab.workspace.collections()])

    async def upload(self, request: Request) -> Response:
        """A new collection."""
        collection = await self.stored_upload(request)
        location = {"Location": f"/api/collections/{collection.id}"}
        return JSONResponse(collection.document(), 201, location)

    async def stored_upload(self, request: Request) -> Collection:
        """The collection that a form brings."""
        lab = self.lab
        if int(request.headers.get("content-length") or 0) > lab.limits.bytes:
            raise ProblemError(413, f"An upload may have at most {lab.limits.bytes:,} bytes.")
        folder = lab.workspace.new_upload()
        try:
            content_type = request.headers.get("content-type", "")
            upload = Upload(folder, frozenset(lab.roles), lab.limits, content_type)
            await upload.receive(request.stream())
            await asyncio.to_thread(upload.check_unpacked)
            name = upload.name or upload.files[0].name
            notes = await self.notes(folder, [f.path for f in upload.files if f.role in ("qrels", "run", "other")])
            return lab.workspace.add_collection(folder, name, upload.files, notes)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    async def notes(self, folder: Path, paths: list[str]) -> list[str]:
        """What `validate` reports about files; a sentence if they could not be checked."""
        if not paths:
            return []
        try:
            return list(await self.lab.jobs.call("notes", CHECK_SECONDS, folder=str(folder), paths=tuple(paths)))
        except WorkerProblem as problem:
            return [f"The files could not be checked: {problem.document['detail']}"]

    async def collection(self, request: Request) -> Response:
        """One collection."""
        return JSONResponse(self.lab.collection(request.path_params["id"]).document())

    async def delete_collection(self, request: Request) -> Response:
        """Removes a collection."""
        id = self.lab.collection(request.path_params["id"]).id
        self.lab.jobs.cancel_of(id)
        await asyncio.to_thread(self.lab.workspace.delete_collection, id)
        return Response(status_code=204)

    async def method(self, request: Request) -> Response:
        """The answer of a method, or the job that will have it."""
        lab, id = self.lab, request.path_params.get("id")
        collection = lab.collection(id) if id else None
        command, entry = lab.entry(request.path_params["path"])
        if collection is not None and not uses_collection(entry):
            raise ProblemError(404, f"{command} is not about a collection; post to /api/{api_path(command)}.")
        body = await json_body(request, lab.json_limit)
        job = await lab.start_job(command, entry, body, collection)
        wants_job = "respond-async" in request.headers.get("prefer", "").lower()
        if not wants_job:
            try:
                await asyncio.wait_for(job.ended.wait(), READY_SECONDS)
            except TimeoutError:
                pass
            else:
                return self._result_now(job.id)
        headers = {"Location": f"/api/jobs/{job.id}"} | ({"Preference-Applied": "respond-async"} if wants_job else {})
        return JSONResponse(job.document(), 202, headers)

    async def method_by_other_verb(self, request: Request) -> Response:
        """The refusal of another HTTP method than POST; 404 if there is no such method of irassay at all."""
        self.lab.entry(request.path_params["path"])
        raise ProblemError(405, "Ask a method with POST.", headers={"Allow": "POST"})

    def _result_now(self, id: str) -> Response:
        """The document of a job that has ended."""
        stored = self.lab.workspace.job(id)
        if stored["state"] != "done":
            problem = stored["problem"] or ProblemError(409, stored["detail"]).document()
            return ProblemResponse(problem, problem["status"])
        link = {"Link": f'</api/jobs/{id}>; rel="via"'}
        return FileResponse(self.lab.workspace.job_folder(id) / DOCUMENT, media_type="application/json", headers=link)

    async def bench(self, request: Request) -> Response:
        """Means, order and curves of user models."""
        lab = self.lab
        body = await json_body(request, lab.json_limit)
        collection = lab.collection(request.path_params["id"])
        return JSONResponse(await self.bench_answer(collection, body))

    async def bench_answer(self, collection: Collection | None, body: Mapping[str, Any]) -> Any:
        """What the bench says about metrics, with a newer request of the same client replacing one that waits."""
        metrics, settings = body.get("metrics"), body.get("settings", {})
        if (
            not isinstance(metrics, list)
            or not all(isinstance(m, str) for m in metrics)
            or not 1 <= len(metrics) <= MAX_USERS
        ):
            raise refusal(f"The metrics must be a list of 1 to {MAX_USERS} strings.", "/metrics")
        if odd := next((name for name in body if name not in ("metrics", "settings")), None):
            raise refusal(f"A request has metrics and settings, but no {odd[:80]}.", f"/{odd[:80]}")
        types: dict[str, Any] = {"ranks": int, "ranking": str, "client": str}
        for name, value in (settings if isinstance(settings, dict) else {"": None}).items():
            if name not in types or not isinstance(value, types[name]) or isinstance(value, bool):
                raise refusal(
                    f"The settings of the bench are {', '.join(types)}; found {name[:80]!r}.", f"/settings/{name[:80]}"
                )
        if not 1 <= settings.get("ranks", 20) <= 100:
            raise refusal("/settings/ranks must be a whole number from 1 to 100.", "/settings/ranks")
        more = {name: settings[name] for name in ("ranks", "ranking") if name in settings}
        client = settings.get("client", "")
        files = bench_files(self.lab, collection) if collection else None
        return await self.lab.interactive.call("bench", client, BENCH_SECONDS, files=files, metrics=metrics, **more)

    async def job(self, request: Request) -> Response:
        """The state of a job."""
        return JSONResponse(self._job_document(request))

    def _job_document(self, request: Request) -> dict[str, Any]:
        try:
            return self.lab.jobs.document(request.path_params["id"])
        except KeyError:
            raise ProblemError(404, "There is no job with this id.") from None

    async def cancel(self, request: Request) -> Response:
        """Cancels a job."""
        id = self._job_document(request)["id"]
        live = self.lab.jobs.live(id)
        self.lab.jobs.cancel(id)
        if live is not None:
            await asyncio.wait_for(live.ended.wait(), 5)
        return JSONResponse(self._job_document(request))

    async def events(self, request: Request) -> Response:
        """The progress of a job as server-sent events."""
        self._job_document(request)
        return StreamingResponse(self._events(request.path_params["id"]), media_type="text/event-stream")

    async def _events(self, id: str) -> AsyncIterator[str]:
        while True:
            job = self.lab.jobs.live(id)
            document = self.lab.jobs.document(id)
            yield f"data: {json.dumps(document)}\n\n"
            if job is None or document["state"] in ENDED:
                return
            changed = job.changed
            try:
                await asyncio.wait_for(changed.wait(), 10)
            except TimeoutError:
                yield ": waiting\n\n"

    async def result(self, request: Request) -> Response:
        """The result of a job in a format."""
        lab, form = self.lab, request.query_params.get("format", "json")
        document = self._job_document(request)
        if form not in FORMATS:
            raise refusal(f"The format must be one of {', '.join(FORMATS)}.", "/format")
        if document["state"] != "done":
            problem = document.get("problem") or ProblemError(409, f"The job is {document['state']}.").document()
            return ProblemResponse({**problem, "title": "Conflict", "status": 409}, 409)
        chart = request.query_params.get("chart", "0")
        if not chart.isdecimal() or len(chart) > 3:
            raise refusal("The chart must be a whole number.", "/chart")
        folder = lab.workspace.job_folder(document["id"])
        name = f"irassay-{lab.workspace.job(document['id'])['command'].replace(' ', '-')}"
        ending = ENDINGS.get(form, form)
        headers = {} if form == "json" else {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
        if request.query_params.get("download"):
            headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'}
        file = folder / DOCUMENT if form == "json" else folder / f"chart-{int(chart)}.{ending}"
        if not file.is_file():
            new = file.with_name(f"new-{os.urandom(4).hex()}-{file.name}")
            await lab.jobs.call("write", job=str(folder), form=form, chart=int(chart), target=str(new))
            os.replace(new, file)
        return FileResponse(file, media_type=MEDIA_TYPES[form], headers=headers)


def scored_files(lab: Lab, collection: Collection) -> dict[str, Any]:
    """The files of a collection that can be scored: judgements and runs, or score tables."""
    qrels, runs = collection.of_role("qrels"), collection.of_role("run")
    folder = {"folder": str(lab.workspace.collection_folder(collection.id))}
    if qrels and runs:
        return {**folder, "qrels": qrels[0].path, "runs": tuple(run.path for run in runs)}
    if tables := collection.of_role("scores"):
        return {**folder, "tables": tuple(table.path for table in tables)}
    raise refusal("This collection has neither judgements with runs nor score tables.", "")


def bench_files(lab: Lab, collection: Collection) -> dict[str, Any]:
    """The files of a collection that the bench scores again and again."""
    files = scored_files(lab, collection)
    if "tables" in files:
        raise refusal("The bench needs judgements and runs; this collection has only score tables.", "")
    return files
