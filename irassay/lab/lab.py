"""A lab: its workspace, its workers, and what they say about collections; pages and API ask it."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from irassay.declarations import index
from irassay.errors import as_found
from irassay.lab.arguments import FIXED_ROLES, is_api_method, reading_files, side_roles
from irassay.lab.jobs import Job, Jobs
from irassay.lab.metric_entries import built_in_entries
from irassay.lab.page_requests import bench_request
from irassay.lab.problems import ProblemError
from irassay.lab.requests import MethodRequest, api_path, method_request, refusal
from irassay.lab.stored_files import StoredFile, shown_names
from irassay.lab.uploads import UploadLimits
from irassay.lab.workers import InteractiveWorker, WorkerProblem
from irassay.lab.workspace import Collection, Workspace
from irassay.writing import write_file

CHECKED_ROLES = ("qrels", "run", "other")  # of files that `validate` can check
CHECK_SECONDS = 120  # to check an upload as `validate` does
BENCH_SECONDS = 30
CODE_SECONDS = 10  # for users' code to be run once
CODE = "editor.py"
DRAFT = "editor-draft.txt"  # the code as it was typed, if it does not run
EXAMPLE = '''from typing import Annotated

import irassay as ia


@ia.user_model("Fickle")
def Fickle(r, p: Annotated[float, ia.Domain("number", 0, 1, "both"), "Patience at the top."] = 0.9):
    """Continues with probability p, but less and less as ranks go by without gain."""
    return p * (1 + r.total_gain) / (1 + r.total_gain + r.rank / 10)
'''


@dataclass
class Lab:
    """Everything that a running lab has."""

    workspace: Workspace
    jobs: Jobs
    interactive: InteractiveWorker
    limits: UploadLimits
    json_limit: int
    workers_per_job: int = 1
    allow_code: bool = False
    define: tuple[str, ...] = ()
    used_code: str = ""  # of the editor, that the workers of jobs have
    user_commands: dict[str, Any] = field(default_factory=dict)  # of users' files
    user_metrics: dict[str, Any] = field(default_factory=dict)
    checks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)  # of the files of collections, by id

    @property
    def commands(self) -> Mapping[str, Any]:
        """Every command that the API offers."""
        return {c: e for c, e in (index()["commands"] | self.user_commands).items() if is_api_method(e)}

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
        files = (self.workspace.folder / DRAFT, self.workspace.folder / CODE)
        return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), EXAMPLE)

    async def use_code(self, text: str) -> dict[str, Any]:
        """Runs users' code in the workers; returns the metrics it declares and all there are, or the problem."""
        file, draft = self.workspace.folder / CODE, self.workspace.folder / DRAFT
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        try:
            own = await self._define_code(file, text)
        except WorkerProblem as problem:
            write_file(draft, text)
            with suppress(WorkerProblem):  # workers that start later run what ran before
                await self._define_code(file, before) if before else file.unlink()
            line = next((error["line"] for error in problem.document.get("errors", ()) if "line" in error), None)
            text = problem.document["detail"].replace(str(file), "Your code")
            return {"metrics": [], "known": [], "line": line, "problem": text}
        draft.unlink(missing_ok=True)
        return {"metrics": own, "known": list(self.metrics), "line": None, "problem": ""}

    async def _define_code(self, file: Path, text: str) -> list[str]:
        """The metrics that users' code declares; the workers have them from now on."""
        write_file(file, text)
        declared = await self.interactive.call("define", seconds=CODE_SECONDS, path=str(file))
        if text != self.used_code:
            self.jobs.redefine((*self.define, str(file)))
        self.used_code = text
        self.interactive.define = (*self.define, str(file))
        self.user_metrics, self.user_commands = declared["metrics"], declared["commands"]
        return list(declared["own"])

    def entry(self, path: str) -> tuple[str, Mapping[str, Any]]:
        """The command at a path of the API, and its entry."""
        for command, entry in self.commands.items():
            if api_path(command) == path:
                return command, entry
        raise ProblemError(404, f"There is no method {as_found(path)}; GET /api/methods lists them.")

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
        folder, names = self._folder_and_names(collection)
        await self.interactive.call("check", command=command, values=request.values, folder=folder, names=names)
        return request

    def _folder_and_names(self, collection: Collection | None) -> tuple[str | None, dict[str, str]]:
        """The folder of a collection, in which a worker answers, and the names that its files were given."""
        if collection is None:
            return None, {}
        return str(self.workspace.collection_folder(collection.id)), shown_names(collection.files)

    async def start_job(
        self, command: str, entry: Mapping[str, Any], body: Mapping[str, Any], collection: Collection | None
    ) -> Job:
        """A job for a request that was checked."""
        request = await self.checked_request(command, entry, body, collection)
        folder, names = self._folder_and_names(collection)
        arguments = {
            "command": command, "entry": entry, "values": dict(request.values), "view": dict(request.view),
            "folder": folder, "names": names, "jobs": self.workers_per_job,
            "unused": () if self.is_of_users(request) else (str(self.workspace.folder / CODE),),
        }  # fmt: skip
        return self.jobs.start(collection.id if collection else "", command, body, arguments)

    def is_of_users(self, request: MethodRequest) -> bool:
        """Whether a request is about a method or a metric that users' files declare."""
        own = {alias for name, each in self.user_metrics.items() for alias in (name, *each["aliases"])}
        lists = (value if isinstance(value, list | tuple) else (value,) for value in request.values.values())
        named = {re.split(r"[(@]", each)[0] for values in lists for each in values if isinstance(each, str)}
        return request.command in self.user_commands or bool(named & own)

    async def bench_answer(self, collection: Collection, body: Mapping[str, Any]) -> Any:
        """What the bench says about metrics; a newer request of the same client replaces one that waits."""
        metrics, settings, client = bench_request(body)
        files = self.scored_files(collection)
        if "tables" in files:
            raise refusal("The bench needs judgements and runs; this collection has only score tables.", "")
        return await self.interactive.call("bench", client, BENCH_SECONDS, files=files, metrics=metrics, **settings)

    def scored_files(self, collection: Collection) -> dict[str, Any]:
        """The files of a collection that can be scored: judgements and runs, or score tables."""
        qrels, runs = collection.of_role("qrels"), collection.of_role("run")
        folder = {"folder": str(self.workspace.collection_folder(collection.id))}
        if qrels and runs:
            reading = reading_files(self.commands["score"], collection)
            paths = {"qrels": qrels[0].path, "runs": tuple(run.path for run in runs)}
            return {**folder, **paths, "reading": tuple((name, file.path) for name, file in reading.items())}
        if tables := collection.of_role("scores"):
            return {**folder, "tables": tuple(table.path for table in tables)}
        raise refusal("This collection has neither judgements with runs nor score tables.", "")

    async def file_notes(self, folder: Path, files: Sequence[StoredFile]) -> list[str]:
        """What `validate` reports about files; a sentence if they could not be checked."""
        paths = tuple(file.path for file in files if file.role in CHECKED_ROLES)
        if not paths:
            return []
        try:
            files_of = {"folder": str(folder), "paths": paths, "names": shown_names(files)}
            return list(await self.jobs.call("notes", CHECK_SECONDS, **files_of))
        except WorkerProblem as problem:
            return [f"The files could not be checked: {problem.document['detail']}"]
