"""Templates filled with values, everything escaped."""

import json
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from irassay.lab.problems import ProblemError
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


def problem_html(problem: ProblemError) -> str:
    """A problem as a page for people."""
    return template(
        "problem.html.jinja", pages={}, here="", collections=[], collection=None, state={"page": "problem"}, lab=None,
        problem=problem.document(),
    )  # fmt: skip
