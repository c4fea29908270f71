"""Scripts and style sheets of the pages: those of the lab, those of the report, and what the theme says."""

import gzip
import json
from functools import cache
from hashlib import sha256
from importlib.resources import files

MEDIA_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}


@cache
def static_file(name: str) -> bytes | None:
    """The content of a script or style sheet; None if there is none of this name."""
    if name == "vega.js":
        from irassay.views.theme import runtime

        return runtime().encode()
    if name == "report.css":
        return (files("irassay.reports") / "page.css").read_bytes()
    if name == "shared.js":
        return (files("irassay.reports") / name).read_bytes() + b"export { copyText, sortTable, unpackedSpec };\n"
    if name == "theme.js":
        from irassay.views.theme import COLOURS, DARK_COLOURS, config

        looks = {"light": config(), "dark": config(dark=True), "dimmed": DARK_COLOURS, "colours": COLOURS}
        return f"export const looks = {json.dumps(looks)};\n".encode()
    known = {file.name: file for file in (files("irassay.lab") / "static").iterdir()}
    return known[name].read_bytes() if name in known else None


@cache
def content_tag(name: str) -> str:
    """A short name for the content of a file, by which a browser knows whether it has it already."""
    return f'"{sha256(static_file(name) or b"").hexdigest()[:20]}"'


@cache
def compressed_file(name: str) -> bytes:
    """The same, compressed."""
    return gzip.compress(static_file(name) or b"", 6)
