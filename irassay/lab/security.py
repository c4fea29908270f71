"""Who may talk to the lab: the token, the Host and Origin headers, and the headers of every answer."""

import hmac
from collections.abc import Mapping
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from irassay.lab.problems import ProblemError

# Vega's tooltips and charts set styles; scripts come from the lab only, and no text is run as code.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}
COOKIE_DAYS = 30


class Gate:
    """Decides about each request: whether it is for this lab, from this lab's pages, and by somebody with the token."""

    def __init__(self, token: str, host: str, port: int) -> None:
        self.token, self.port = token, port
        names = {host, "127.0.0.1", "localhost", "[::1]"} if host not in ("0.0.0.0", "::") else None
        self.hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set()) if names else None
        self.cookie = f"irassay-lab-{port}"

    def check_address(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuses another Host (DNS rebinding) and another Origin (a page of another site)."""
        host = headers.get("host", "")
        if self.hosts is not None and host.lower() not in self.hosts:
            raise ProblemError(400, "The Host header is not the address of this lab.")
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            raise ProblemError(403, "The request comes from a page of another site.")
        site = headers.get("sec-fetch-site", "same-origin")
        if method not in ("GET", "HEAD") and site not in ("same-origin", "none"):
            raise ProblemError(403, "The request comes from a page of another site.")

    def is_token(self, text: str) -> bool:
        """Whether a text is the token; the time that this takes says nothing about it."""
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether the request has the token, in its cookie or as a bearer."""
        if not self.token:
            return True
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() in ("bearer", "token") and self.is_token(bearer.strip()):
            return True
        cookies = (
            each.strip().partition("=") for each in headers.get("cookie", "").split(";")
        )  # any server's of this host
        return any(name == self.cookie and self.is_token(value) for name, _, value in cookies)

    def cookie_header(self) -> str:
        """The cookie that keeps the token, out of reach of scripts."""
        age = COOKIE_DAYS * 86400
        return f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}"


def without_token(query: str) -> tuple[str, str]:
    """The token of a query, and the query without it."""
    pairs = parse_qsl(query, keep_blank_values=True)
    token = next((value for name, value in pairs if name == "token"), "")
    return token, urlencode([pair for pair in pairs if pair[0] != "token"])


def server_timing(seconds: float) -> str:
    """How long an answer took, as its Server-Timing header says it.

    >>> server_timing(0.0123)
    'app;dur=12.30'
    """
    return f"app;dur={1000 * seconds:.2f}"


class GateMiddleware:
    """Passes on what the gate lets through, and adds the headers of security and the time taken to every answer."""

    def __init__(self, app: Any, gate: Gate, problem_page: Any, log: Any) -> None:
        self.app, self.gate, self.problem_page, self.log = app, gate, problem_page, log

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = perf_counter()

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                self.log(scope["method"], scope["path"], message["status"])
                own = {name for name, _ in message["headers"]}
                extra = {**HEADERS, "server-timing": server_timing(perf_counter() - started)}
                if not scope["path"].startswith("/static/"):
                    extra["cache-control"] = "no-store"
                message["headers"] = [
                    *message["headers"],
                    *((n.encode(), v.encode()) for n, v in extra.items() if n.encode() not in own),
                ]
            await send(message)

        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            self.gate.check_address(scope["method"], headers)
            token, rest = without_token(scope["query_string"].decode("latin-1"))
            if token and self.gate.token and self.gate.is_token(token):
                if scope["method"] == "GET" and not scope["path"].startswith("/api/"):
                    await self._visit(scope["path"], rest, send_with_headers)
                    return
            elif not self.gate.is_known(headers):
                text = "Open the address that irassay lab printed; it has the token."
                raise ProblemError(401, text, headers={"WWW-Authenticate": 'Bearer realm="irassay lab"'})
        except ProblemError as problem:
            await self.problem_page(scope, problem)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    async def _visit(self, path: str, query: str, send: Any) -> None:
        """Keeps the token in a cookie, and sends the browser to the same page without the token in its address."""
        target = "/" + quote(path.lstrip("/")) + (f"?{query}" if query else "")
        headers = [
            (b"location", target.encode()),
            (b"set-cookie", self.gate.cookie_header().encode()),
            (b"content-length", b"0"),
        ]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
