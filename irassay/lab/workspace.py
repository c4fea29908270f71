"""The workspace: uploaded files in a folder, and an SQLite index of collections, files and jobs beside them.

A file is complete on the disk before the index names it, and the index is written before a request is answered. So a
kill at any moment loses nothing that was acknowledged, and what was not acknowledged is removed at the next start.
"""

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import IO, Any

from irassay.errors import InputError, argument
from irassay.lab.problems import ProblemError
from irassay.lab.stored_files import StoredFile

DOCUMENT = "document.json"  # of a job: its answer
ENDED_STATES = ("done", "failed", "cancelled")  # states of jobs
JOB_STATES = ("queued", "running", *ENDED_STATES)
SCHEMA = """
CREATE TABLE IF NOT EXISTS collections (id TEXT PRIMARY KEY, name TEXT, created TEXT, notes TEXT);
CREATE TABLE IF NOT EXISTS files (id TEXT PRIMARY KEY, collection TEXT, role TEXT, name TEXT, path TEXT, sha256 TEXT,
  size INTEGER, place INTEGER, given TEXT DEFAULT '');
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, collection TEXT, command TEXT, request TEXT, state TEXT,
  progress REAL, detail TEXT, problem TEXT, created TEXT);
CREATE INDEX IF NOT EXISTS files_of ON files (collection, place);
CREATE INDEX IF NOT EXISTS jobs_of ON jobs (collection, command, state);
"""


@dataclass(frozen=True)
class Collection:
    """Files that belong together, and what `validate` reports about them, once they have been checked."""

    id: str
    name: str
    files: tuple[StoredFile, ...]
    notes: tuple[str, ...]
    is_checked: bool = True

    def of_role(self, role: str) -> list[StoredFile]:
        """Its files with this role."""
        return [file for file in self.files if file.role == role]

    def document(self) -> dict[str, Any]:
        """The collection as the API describes it."""
        files = [file.document() for file in self.files]
        return {"id": self.id, "name": self.name, "files": files, "notes": list(self.notes)}


def locked_file(path: Path) -> IO[str] | None:
    """The file, locked until it is closed or the process ends; InputError if another lab has locked it.

    None where the system has no such locks.
    """
    try:
        import fcntl
    except ImportError:
        return None
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        text = f"Another lab uses the workspace {path.parent}; stop it, or give another folder with "
        raise InputError(text, argument("workspace"), ".") from None
    except OSError:  # a file system without locks
        file.close()
        return None
    return file


class Workspace:
    """A folder of collections and results, with its index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        for part in ("collections", "incoming", "jobs"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        self._lock = RLock()
        self._lock_file = locked_file(self.folder / "lab.lock")
        try:
            self._index = sqlite3.connect(self.folder / "index.sqlite", check_same_thread=False, isolation_level=None)
            self._index.execute("PRAGMA journal_mode=WAL")
            self._index.execute("PRAGMA synchronous=FULL")
            self._index.executescript(SCHEMA)
            if "given" not in [column[1] for column in self._index.execute("PRAGMA table_info(files)")]:
                self._index.execute("ALTER TABLE files ADD COLUMN given TEXT DEFAULT ''")  # written by an earlier lab
            self._check_columns()
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self.folder / 'index.sqlite'} is not the index of a workspace ({error}).") from None
        self._remove_unfinished()

    def _check_columns(self) -> None:
        """Refuses an index whose tables are not those of this lab."""
        with sqlite3.connect(":memory:") as fresh:
            fresh.executescript(SCHEMA)
            for table in ("collections", "files", "jobs"):
                own, found = (
                    {column[1] for column in index.execute(f"PRAGMA table_info({table})")}
                    for index in (fresh, self._index)
                )
                if own != found:
                    text = f"{self.folder / 'index.sqlite'} was not written by this version of the lab"
                    raise InputError(f"{text}; give another folder with ", argument("workspace"), ".")

    def _remove_unfinished(self) -> None:
        """Removes what was never acknowledged, and marks jobs that a stop of the lab ended."""
        for item in (self.folder / "incoming").iterdir():
            shutil.rmtree(item) if item.is_dir() else item.unlink()
        for table, part in (("collections", "collections"), ("jobs", "jobs")):
            known = {row[0] for row in self._rows(f"SELECT id FROM {table}")}
            for item in (self.folder / part).iterdir():
                if item.name not in known:
                    shutil.rmtree(item, ignore_errors=True)
        problem = ProblemError(503, "The lab stopped before the job finished.").document()
        self._write(
            "UPDATE jobs SET state = 'failed', detail = ?, problem = ? WHERE state IN ('queued', 'running')",
            problem["detail"],
            json.dumps(problem),
        )

    def close(self) -> None:
        """Closes the index."""
        with self._lock:
            self._index.close()
            if self._lock_file:
                self._lock_file.close()

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._index.execute(query, values).fetchall()

    def _write(self, statement: str, *values: Any) -> int:
        with self._lock:
            return self._index.execute(statement, values).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._index.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._index.execute("ROLLBACK")
                raise
            self._index.execute("COMMIT")

    # Collections

    def new_upload(self) -> Path:
        """A new folder for files that are still arriving; its name is the id of the collection to be."""
        folder = self.folder / "incoming" / f"c{secrets.token_hex(8)}"
        folder.mkdir()
        return folder

    def collection_folder(self, id: str) -> Path:
        """The folder of a collection's files."""
        return self.folder / "collections" / id

    def add_collection(
        self, upload: Path, name: str, files: Sequence[StoredFile], notes: Sequence[str] | None
    ) -> Collection:
        """Makes an upload, whose files are on the disk, a collection; its notes are None until they are known."""
        for folder in (upload, *(part for part in upload.iterdir() if part.is_dir())):
            _sync_folder(folder)
        target = self.collection_folder(upload.name)
        os.replace(upload, target)
        _sync_folder(target.parent)
        now = datetime.now(UTC).isoformat()
        with self._transaction():
            self._index.execute(
                "INSERT INTO collections VALUES (?, ?, ?, ?)", (upload.name, name, now, json.dumps(notes))
            )
            rows = [
                (f.id, upload.name, f.role, f.name, f.path, f.sha256, f.size, place, f.given)
                for place, f in enumerate(files)
            ]
            columns = "id, collection, role, name, path, sha256, size, place, given"
            self._index.executemany(f"INSERT INTO files ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return self.collection(upload.name)

    def set_notes(self, id: str, notes: Sequence[str]) -> None:
        """Records what `validate` reports about a collection."""
        self._write("UPDATE collections SET notes = ? WHERE id = ?", json.dumps(list(notes)), id)

    def set_given_paths(self, collection: Collection, given: Sequence[str]) -> None:
        """Records the paths by which the command line names the files of a collection now."""
        with self._transaction():
            for file, path in zip(collection.files, given, strict=True):
                self._index.execute("UPDATE files SET given = ? WHERE id = ?", (path, file.id))

    def collections(self) -> list[Collection]:
        """Every collection, the oldest first."""
        return [self.collection(row[0]) for row in self._rows("SELECT id FROM collections ORDER BY created, id")]

    def collection(self, id: str) -> Collection:
        """The collection with this id; KeyError if there is none."""
        found = self._rows("SELECT name, notes FROM collections WHERE id = ?", id)
        if not found:
            raise KeyError(id)
        files = self._rows(
            "SELECT id, role, name, path, sha256, size, given FROM files WHERE collection = ? ORDER BY place", id
        )
        name, notes = found[0][0], json.loads(found[0][1])
        return Collection(id, name, tuple(StoredFile(*row) for row in files), tuple(notes or ()), notes is not None)

    def delete_collection(self, id: str) -> None:
        """Removes a collection, its files and its jobs; KeyError if there is none."""
        self.collection(id)
        jobs = [row[0] for row in self._rows("SELECT id FROM jobs WHERE collection = ?", id)]
        with self._transaction():
            for table, column in (("files", "collection"), ("jobs", "collection"), ("collections", "id")):
                self._index.execute(f"DELETE FROM {table} WHERE {column} = ?", (id,))
        for folder in (self.collection_folder(id), *(self.job_folder(job) for job in jobs)):
            shutil.rmtree(folder, ignore_errors=True)

    # Jobs

    def job_folder(self, id: str) -> Path:
        """The folder of a job's result."""
        return self.folder / "jobs" / id

    def add_job(self, collection: str, command: str, request: Mapping[str, Any]) -> str:
        """The id of a new job, queued."""
        id = f"j{secrets.token_hex(8)}"
        self.job_folder(id).mkdir()
        now, text = datetime.now(UTC).isoformat(), json.dumps(request, sort_keys=True)
        values = (id, collection, command, text, "queued", 0.0, "", "", now)
        self._write("INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)
        return id

    def set_job(self, id: str, state: str, progress: float, detail: str, problem: Mapping[str, Any] | None) -> None:
        """Records the state of a job; the state of a job that has ended never changes."""
        text = json.dumps(problem) if problem else ""
        self._write(
            "UPDATE jobs SET state = ?, progress = ?, detail = ?, problem = ? "
            "WHERE id = ? AND state IN ('queued', 'running')",
            state, progress, detail, text, id,
        )  # fmt: skip

    def job(self, id: str) -> dict[str, Any]:
        """A job as stored; KeyError if there is none."""
        columns = ("id", "collection", "command", "request", "state", "progress", "detail", "problem", "created")
        found = self._rows(f"SELECT {', '.join(columns)} FROM jobs WHERE id = ?", id)
        if not found:
            raise KeyError(id)
        job = dict(zip(columns, found[0], strict=True))
        return job | {
            "request": json.loads(job["request"]),
            "problem": json.loads(job["problem"]) if job["problem"] else None,
        }

    def jobs(self, limit: int, command: str = "", collection: str = "") -> list[dict[str, Any]]:
        """The last jobs, the newest first: all, or those of a command that are about a collection or about none."""
        where, values = ("WHERE command = ? AND collection IN (?, '')", (command, collection)) if command else ("", ())
        rows = self._rows(f"SELECT id FROM jobs {where} ORDER BY created DESC LIMIT {int(limit)}", *values)
        return [self.job(row[0]) for row in rows]

    def finished_job(self, collection: str, command: str, request: Mapping[str, Any]) -> str:
        """The newest finished job with the same request; '' if there is none."""
        rows = self._rows(
            "SELECT id FROM jobs WHERE collection = ? AND command = ? AND state = 'done' AND request = ? "
            "ORDER BY created DESC LIMIT 1",
            collection, command, json.dumps(request, sort_keys=True),
        )  # fmt: skip
        return rows[0][0] if rows else ""


def _sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
