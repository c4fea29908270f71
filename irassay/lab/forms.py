"""The fields of a method's form, from its declaration and the files of a collection."""

import re
from collections.abc import Mapping
from typing import Any

from irassay.lab.arguments import accepted_arguments, primary_inputs, takes_files
from irassay.lab.workspace import Collection

OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")  # in a sentence of help; a form has fields instead
FORM_PANELS = ("", "Testing", "Reading")  # headings of the settings of a method, in this order


def form_fields(entry: Mapping[str, Any], collection: Collection | None) -> list[dict[str, Any]]:
    """The fields of a method's form, by heading."""
    primary = [argument["name"] for argument in primary_inputs(entry)]
    groups: dict[str, list[dict[str, Any]]] = {}
    for name, argument in accepted_arguments(entry).items():
        if name in ("metrics", "metric") or argument["name"] in primary:
            continue
        is_file = takes_files(argument)
        stored = collection.files if collection and is_file else ()
        options = [(file.id, f"{file.name} ({file.role})") for file in stored if file.role != "run"]
        texts = {key: _form_text(argument[key]) for key in ("help", "default") if key in argument}
        field = {**argument, "name": name, **texts, "is_file": is_file, "options": options}
        reads = argument["part"] == "input" and argument.get("flags") and argument["kind"] != "choice"
        groups.setdefault(argument.get("panel", "") or ("Reading" if reads else ""), []).append(field)
    order = [*(p for p in FORM_PANELS if p in groups), *(p for p in groups if p not in FORM_PANELS)]
    return [{"panel": panel, "fields": groups[panel]} for panel in order]


def _form_text(text: str) -> str:
    """A text of the help for a form: options by the names of their fields, and several values in one field.

    >>> _form_text("2; 1 with --grades"), _form_text("A metric for --also-scores; may be repeated.")
    ('2; 1 with grades', 'A metric for also scores, or several separated by commas.')
    """
    several = "" if "separated by commas" in text else ", or several separated by commas"
    plain = text.replace("; may be repeated", several)
    return OPTION.sub(lambda found: found[1].replace("-", " "), plain)
