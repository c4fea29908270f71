"""The API: collections, methods and jobs as JSON; no method is known by name."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from irassay.lab.arguments import uses_collection
from irassay.lab.endpoints import ProblemResponse, json_body
from irassay.lab.lab import Lab
from irassay.lab.problems import ProblemError
from irassay.lab.requests import api_path, refusal
from irassay.lab.schemas import MEDIA_TYPES, method_document, metric_document, openapi
from irassay.lab.uploads import Upload
from irassay.lab.workspace import DOCUMENT, ENDED_STATES, Collection

READY_SECONDS = 0.5  # an answer that is ready by then is sent at once
ENDINGS = {"latex": "tex", "markdown": "md"}


class Api:
    """The endpoints of the API."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._documents: dict[str, tuple[Any, bytes | memoryview]] = {}

    async def metrics(self, request: Request) -> Response:
        """Every metric."""
        return self._declared_document("metrics", lambda: [metric_document(n, e) for n, e in self.lab.metrics.items()])

    async def methods(self, request: Request) -> Response:
        """Every method."""
        return self._declared_document("methods", lambda: [method_document(c, e) for c, e in self.lab.commands.items()])

    async def openapi(self, request: Request) -> Response:
        """The description of the API."""
        return self._declared_document("openapi", lambda: openapi(self.lab.commands, self.lab.metrics))

    def _declared_document(self, name: str, document: Callable[[], Any]) -> Response:
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
            notes = await lab.file_notes(folder, upload.files)
            return lab.workspace.add_collection(folder, name, upload.files, notes)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    async def collection(self, request: Request) -> Response:
        """One collection."""
        return JSONResponse(self.lab.collection(request.path_params["id"]).document())

    async def delete_collection(self, request: Request) -> Response:
        """Removes a collection."""
        id = self.lab.collection(request.path_params["id"]).id
        self.lab.jobs.cancel_collection(id)
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
        return JSONResponse(await lab.bench_answer(collection, body))

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
        live = self.lab.jobs.live_job(id)
        self.lab.jobs.cancel(id)
        if live is not None:
            await asyncio.wait_for(live.ended.wait(), 5)
        return JSONResponse(self._job_document(request))

    async def events(self, request: Request) -> Response:
        """The progress of a job as server-sent events."""
        self._job_document(request)
        return StreamingResponse(self._events(request.path_params["id"]), media_type="text/event-stream")

    async def _events(self, id: str) -> AsyncIterator[str]:
        job = self.lab.jobs.live_job(id)
        while job is not None and job.state not in ENDED_STATES:
            yield f"data: {json.dumps(job.document())}\n\n"
            changed = job.changed
            try:
                await asyncio.wait_for(changed.wait(), 10)
            except TimeoutError:
                yield ": waiting\n\n"
        try:
            document = self.lab.jobs.document(id)
        except KeyError:  # it was removed with its collection
            document = job.document() if job else {}
        yield f"data: {json.dumps(document)}\n\n"

    async def result(self, request: Request) -> Response:
        """The result of a job in a format."""
        lab, form = self.lab, request.query_params.get("format", "json")
        document = self._job_document(request)
        if form not in MEDIA_TYPES:
            raise refusal(f"The format must be one of {', '.join(MEDIA_TYPES)}.", "/format")
        if document["state"] != "done":
            problem = document.get("problem") or ProblemError(409, f"The job is {document['state']}.").document()
            return ProblemResponse({**problem, "title": "Conflict", "status": 409}, 409)
        chart = request.query_params.get("chart", "0")
        if not chart.isdecimal() or len(chart) > 3:
            raise refusal("The chart must be a whole number.", "/chart")
        folder = lab.workspace.job_folder(document["id"])
        name = f"irassay-{lab.workspace.job(document['id'])['command'].replace(' ', '-')}"
        ending = ENDINGS.get(form, form)
        attached = form != "json" or bool(request.query_params.get("download"))
        headers = {"Content-Disposition": f'attachment; filename="{name}.{ending}"'} if attached else {}
        file = folder / DOCUMENT if form == "json" else folder / f"chart-{int(chart)}.{ending}"
        if not file.is_file():
            new = file.with_name(f"new-{os.urandom(4).hex()}-{file.name}")
            await lab.jobs.call("write", job=str(folder), form=form, chart=int(chart), target=str(new))
            os.replace(new, file)
        return FileResponse(file, media_type=MEDIA_TYPES[form], headers=headers)
