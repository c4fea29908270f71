"""What every endpoint shares: bodies are read within a limit, and errors become problem documents."""

import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from irassay.errors import as_found
from irassay.lab.problems import DISK_IS_FULL, ProblemError
from irassay.lab.requests import refusal
from irassay.lab.workers import WorkerProblem


class ProblemResponse(JSONResponse):
    """A problem document."""

    media_type = "application/problem+json"


async def json_body(request: Request, most: int) -> dict[str, Any]:
    """The JSON object of a request."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await limited_body(request, most)
    if not body and not kind:
        return {}
    if kind != "application/json":
        raise ProblemError(415, "The request must be application/json.")
    try:
        document = json.loads(body, object_pairs_hook=object_without_repeats)
    except json.JSONDecodeError as error:
        raise not_json(f"{error.msg.lower()} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise not_json("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise not_json("it is not UTF-8 text") from None
    except ValueError:
        raise not_json("a number has too many digits") from None
    if not isinstance(document, dict):
        raise refusal("The request must be a JSON object.", "")
    return document


def not_json(why: str) -> ProblemError:
    """The problem of a body that is not JSON."""
    return ProblemError(400, f"The request is not valid JSON: {why}.")


def object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The JSON object of these names and values; ProblemError if a name is repeated, as readers then disagree."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ProblemError(400, f"The request has {as_found(name)} twice.")
        found[name] = value
    return found


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
        except OSError as error:
            full = error.errno in DISK_IS_FULL
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
