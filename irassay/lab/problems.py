"""Problem documents (RFC 9457): every error of the API, with the product's own message."""

import errno
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from irassay.errors import Argument, InputError, spelled_as

DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
POINTERS = {"metrics": "/metrics", "metric": "/metrics"}  # of arguments outside the settings


class ProblemError(Exception):
    """An answer that is a problem document."""

    def __init__(
        self, status: int, detail: str, *, errors: Sequence[Mapping[str, Any]] = (), headers: Mapping[str, str] = {}
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors, self.headers = status, detail, tuple(errors), dict(headers)

    def document(self) -> dict[str, Any]:
        """The problem document."""
        phrase = HTTPStatus(self.status).phrase
        errors = {"errors": list(self.errors)} if self.errors else {}
        return {"type": "about:blank", "title": phrase, "status": self.status, "detail": self.detail, **errors}


def full_disk_problem() -> ProblemError:
    """The problem that nothing more can be written."""
    return ProblemError(507, "The disk is full; make room in the workspace.")


class PointedError(Exception):
    """Bad input at a known place of the request."""

    def __init__(self, error: InputError, pointer: str) -> None:
        super().__init__(str(error))
        self.error, self.pointer = error, pointer


def input_problem(error: InputError | PointedError) -> dict[str, Any]:
    """The problem document of bad input, with a pointer to the argument that it is about, or else names first."""
    plain = error.error if isinstance(error, PointedError) else error
    with spelled_as("pointer", POINTERS):
        record = plain.record()
    named = [piece.name for piece in plain.args if isinstance(piece, Argument)]
    name = next((name for name in (plain.argument, *named) if name.isidentifier()), "")
    pointer = POINTERS.get(name, f"/settings/{name}" if name else "")
    if isinstance(error, PointedError):
        pointer = error.pointer
    where: dict[str, Any] = {
        key: record[key] for key in ("file", "line", "found", "expected", "fix", "code") if key in record
    }
    return ProblemError(
        422, record["message"], errors=[{"pointer": pointer, "detail": record["message"], **where}]
    ).document()
