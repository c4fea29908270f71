"""What every endpoint shares: bodies are read within a limit, and errors become problem documents."""

import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from irassay.errors import as_found
from irassay.lab.problems import DISK_IS_FULL, ProblemError, full_disk_problem
from irassay.lab.requests import refusal
from irassay.lab.workers import WorkerProblem

MAX_DEPTH = 16  # of lists and objects in a request


class ProblemResponse(JSONResponse):
    """A problem document."""

    media_type = "application/problem+json"

    def render(self, content: Any) -> bytes:
        """The document as bytes, whatever a client has put into names."""
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace")


async def json_body(request: Request, max_bytes: int) -> dict[str, Any]:
    """The JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await limited_body(request, max_bytes)
    if not body and not kind:
        return {}
    if kind != "application/json":
        raise ProblemError(415, "The request must be application/json.")
    try:
        document = json.loads(body, object_pairs_hook=object_without_repeats)
    except json.JSONDecodeError as error:
        raise invalid_json(f"{error.msg.lower()} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise invalid_json("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise invalid_json("it is not UTF-8 text") from None
    except ValueError:
        raise invalid_json("a number has too many digits") from None
    if not isinstance(document, dict):
        raise refusal("The request must be a JSON object.", "")
    if is_nested_deeper(document, MAX_DEPTH):
        raise invalid_json("it is nested too deeply")
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise invalid_json("a string has half of a surrogate pair") from None
    return document


def is_nested_deeper(value: Any, depth: int) -> bool:
    """Whether lists and objects in a value are inside more than this many others.

    >>> is_nested_deeper([[1]], 2), is_nested_deeper({"a": [[1]]}, 2)
    (False, True)
    """
    inside = [value]
    for _ in range(depth + 1):
        nested = (item.values() if isinstance(item, dict) else item for item in inside if isinstance(item, dict | list))
        inside = [item for items in nested for item in items]
        if not inside:
            return False
    return True


def invalid_json(reason: str) -> ProblemError:
    """The problem of a body that is not JSON."""
    return ProblemError(400, f"The request is not valid JSON: {reason}.")


def object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The JSON object of these names and values; ProblemError if a name is repeated, as readers then disagree."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ProblemError(400, f"The request has {as_found(name)} twice.")
        found[name] = value
    return found


async def limited_body(request: Request, max_bytes: int) -> bytes:
    """The body of a request, unless it is too long."""
    parts, size = [], 0
    too_long = ProblemError(413, f"A request may have at most {max_bytes:,} bytes.")
    if int(request.headers.get("content-length") or 0) > max_bytes:
        raise too_long
    async for block in request.stream():
        size += len(block)
        if size > max_bytes:
            raise too_long
        parts.append(block)
    return b"".join(parts)


def is_full_disk(error: Exception) -> bool:
    """Whether an error says that the disk is full, as the system or as sqlite3 does."""
    return getattr(error, "errno", 0) in DISK_IS_FULL or "disk is full" in str(error)


def with_problem_documents(
    endpoint: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
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
        except Exception as error:
            if is_full_disk(error):
                return ProblemResponse(full_disk_problem().document(), 507)
            if os.environ.get("IRASSAY_TRACEBACK"):
                raise
            is_file = isinstance(error, OSError)
            text = "A file cannot be used." if is_file else f"internal error: {type(error).__name__}; please report it."
            return ProblemResponse(ProblemError(500, text).document(), 500)

    return answer
