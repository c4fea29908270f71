"""Score tables that are not lines of text: Parquet, the JSON that commands print, and saved results."""

import io
import json
from typing import Any

from irassay.errors import InputError
from irassay.io.parquet import MAGIC, damage_as_input_errors, whole_frame
from irassay.io.sources import Source
from irassay.io.tables.layouts import write_scores
from irassay.results import result_from_json
from irassay.scores import Scores


def text_version(source: Source) -> str | None:
    """The table as lines of text; None if it is text already."""
    if source.head().startswith(MAGIC):
        with damage_as_input_errors(source):  # nested columns, which text cannot hold, are an error of polars too
            return whole_frame(source).write_csv(separator="\t")
    printed = _printed_object(source)
    if printed is None:
        return None
    if "saved" in printed:
        scores = saved_scores(source)
        if scores is None:
            raise InputError(f"{source.name} holds a saved result without scores; expected one of `score --save`.")
        out = io.StringIO()
        write_scores(scores, "irassay", out)  # one exact value per row; several collections are an error
        return out.getvalue()
    rows = printed.get("results")
    if not isinstance(rows, list) or not rows or not {"run", "metric", "topic", "value"} <= rows[0].keys():
        commands = "`score --by-topic --format json` or `score --save`"
        raise InputError(f"{source.name} has no scores by topic; expected the output of {commands}.")
    return "".join(json.dumps(row) + "\n" for row in rows)


def saved_scores(source: Source) -> Scores | None:
    """The saved scores in a file; None if it has none."""
    if "saved" not in (_printed_object(source) or {}):
        return None
    result = result_from_json(source.text(), source.name)
    return result if isinstance(result, Scores) else None


def saved_labels(source: Source) -> dict[str, str]:
    """The labels of metrics, by name, in a file that irassay wrote."""
    parameters = (_printed_object(source) or {}).get("parameters")
    labels = parameters.get("labels") if isinstance(parameters, dict) else None
    return {str(name): str(label) for name, label in labels.items()} if isinstance(labels, dict) else {}


def _printed_object(source: Source) -> dict[str, Any] | None:
    """The JSON object in a file that irassay wrote; None in any other."""
    head = source.head().lstrip()
    if not head.startswith(b"{") or b'"irassay"' not in head[:20]:
        return None
    try:
        printed = json.loads(source.text())
    except ValueError:
        return None
    return printed if isinstance(printed, dict) else None
