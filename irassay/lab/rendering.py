"""Templates filled with values, everything escaped."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from irassay.lab.problems import ProblemError
from irassay.lab.static_files import static_file
from irassay.prose import visible_text


@cache
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(lambda name: (files("irassay.lab") / "templates" / name).read_text(encoding="utf-8")),
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=lambda value: visible_text(value, keep="\n\t") if type(value) is str else value,
    )  # fmt: skip
    environment.filters["island"] = _island
    environment.filters["form_query"] = form_query
    environment.globals["version"] = version("irassay")
    return environment


def template(name: str, **values: Any) -> str:
    """A template filled with values, everything escaped."""
    return str(_environment().get_template(name).render(**values))


def _island(value: Any) -> Any:
    """Data for the page's scripts, safe inside a script element."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def form_query(job: Mapping[str, Any]) -> str:
    """The metrics and settings of a job as the address of its form has them; chosen files are left out.

    >>> form_query({"request": {"metrics": ["AP"], "settings": {"levels": [0.01, 0.05], "compat": True}}})
    '&metrics=AP&s.levels=0.01%2C0.05&s.compat=true'
    """
    request = job["request"]
    values = [("metrics", metric) for metric in request.get("metrics", ())]
    for name, value in request.get("settings", {}).items():
        if name not in ("inputs", "runs"):
            items = value if isinstance(value, list) else [value]
            texts = (str(each).lower() if isinstance(each, bool) else str(each) for each in items)
            values.append((f"s.{name}", ",".join(texts)))
    return f"&{urlencode(values)}" if values else ""


def problem_html(problem: ProblemError, pages: Mapping[str, str] = {}) -> str:
    """A problem as a page for people, with links to the pages if they may visit them.

    Its styles are in it, because whoever has no token gets nothing else.
    """
    from markupsafe import Markup

    styles = Markup("\n".join((static_file(name) or b"").decode() for name in ("report.css", "lab.css")))
    return template(
        "problem.html.jinja", pages=pages, here="", collections=[], collection=None, state={"page": "problem"},
        lab=None, problem=problem.document(), styles=styles,
    )  # fmt: skip
