"""Connections: clients that say nothing, or too little at a time, are disconnected."""

import asyncio
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from irassay.lab.endpoints import ProblemResponse
from irassay.lab.problems import ProblemError
from irassay.lab.security import HEADERS, server_timing

SMALLEST_PIECE = 2048  # bytes of a body that must arrive in that time
MAX_CONNECTIONS = 500
UNWANTED_BYTES, UNWANTED_SECONDS = 64 << 20, 2.0  # read of a body that was refused, so that its client sees the answer


class PatientProtocol(H11Protocol):
    """The HTTP protocol of uvicorn, which by itself waits for ever for the first request."""

    patience: float  # seconds for the head of a request, and for a client to read its answer
    _deadline: asyncio.TimerHandle | None = None
    _reading_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client connects: its request must come soon."""
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            self.app = too_many_clients
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Data of a client: once the head of a request is complete, the application takes over."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._clear()
        elif self._deadline is None:
            self._expect_head()

    def on_response_complete(self) -> None:
        """An answer was sent; uvicorn closes connections that are then idle, but not slow ones."""
        super().on_response_complete()
        self._clear()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._clear()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read its answer fast enough."""
        super().pause_writing()
        self._reading_deadline = self.loop.call_later(self.patience, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read most of what was sent."""
        if self._reading_deadline is not None:
            self._reading_deadline.cancel()
            self._reading_deadline = None
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answers what is not HTTP with a problem document, unless another answer has begun."""
        answer = closing_problem(400, "This is not a valid HTTP request.")
        response = h11.Response(status_code=400, headers=answer.raw_headers, reason="Bad Request")
        with suppress(h11.LocalProtocolError):
            for event in (response, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _expect_head(self) -> None:
        self._clear()
        self._deadline = self.loop.call_later(self.patience, self._give_up)

    def _clear(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()


def patient_protocol(seconds: float) -> type[PatientProtocol]:
    """The protocol that waits so long for a client."""
    return type("PatientProtocol", (PatientProtocol,), {"patience": seconds})


def closing_problem(status: int, text: str) -> ProblemResponse:
    """A problem that is found before the application is asked; the connection ends with it."""
    headers = {**HEADERS, "connection": "close", "server-timing": server_timing(0)}
    return ProblemResponse(ProblemError(status, text).document(), status, headers)


async def too_many_clients(scope: Any, receive: Any, send: Any) -> None:
    """The application for connections beyond the limit."""
    await closing_problem(503, f"{MAX_CONNECTIONS} clients are connected; try again later.")(scope, receive, send)


class PatienceMiddleware:
    """Gives up on bodies that arrive too slowly: each two kilobytes must come within `patience` seconds."""

    def __init__(self, app: Any, patience: float) -> None:
        self.app, self.patience = app, patience

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        window = [loop.time(), 0]  # since when, and how many bytes have arrived since
        is_complete = [False]

        async def patient_receive() -> Any:
            if is_complete[0]:
                return await receive()  # a disconnect may be waited for
            left = window[0] + self.patience - loop.time()
            try:
                message = await asyncio.wait_for(receive(), max(left, 0.01))
            except TimeoutError:
                return {"type": "http.disconnect"}
            window[1] += len(message.get("body", b""))
            if window[1] >= SMALLEST_PIECE:
                window[:] = [loop.time(), 0]
            is_complete[0] = not message.get("more_body", False)
            return message

        async def closing_send(message: Any) -> None:
            if message["type"] == "http.response.start" and scope["method"] not in ("GET", "HEAD"):
                if not is_complete[0] and not any(name == b"expect" for name, _ in scope["headers"]):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(read_unwanted(), UNWANTED_SECONDS)
                if not is_complete[0]:  # the rest of the body is unread
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
            await send(message)

        async def read_unwanted() -> None:
            size = 0
            while not is_complete[0] and size < UNWANTED_BYTES:
                size += len((await patient_receive()).get("body", b""))

        await self.app(scope, patient_receive, closing_send)
