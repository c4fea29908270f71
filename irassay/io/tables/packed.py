"""Score tables that are no lines: Parquet, the JSON that commands print, and saved results."""

import io
import json
from typing import Any

import polars as pl

from irassay.errors import InputError
from irassay.io.parquet import MAGIC
from irassay.io.sources import Source
from irassay.results import from_text
from irassay.scores import Scores


def text_version(source: Source) -> str | None:
    """The lines that a table of such a kind stands for; None where it is text already."""
    if source.head().startswith(MAGIC):
        try:
            return pl.read_parquet(io.BytesIO(source.content())).write_csv(separator="\t")
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise InputError(f"{source.name} is a damaged Parquet file ({str(error).splitlines()[0]})") from None
    found = _printed_object(source)
    if found is None:
        return None
    if "saved" in found:
        scores = saved_scores(source)
        if scores is None:
            raise InputError(
                f"{source.name} holds a saved result that is no table of scores; `score --save` writes one"
            )
        return _long_text(scores)
    rows = found.get("results")
    if not isinstance(rows, list) or not rows or not {"run", "metric", "topic", "value"} <= rows[0].keys():
        raise InputError(
            f"{source.name} holds no scores by topic; `score --by-topic --format json` writes them, and `score --save`"
        )
    return "".join(json.dumps(row) + "\n" for row in rows)


def saved_scores(source: Source) -> Scores | None:
    """The scores that were saved in a file, if it holds some."""
    found = _printed_object(source)
    if found is None or "saved" not in found:
        return None
    result = from_text(source.text(), source.name)
    return result if isinstance(result, Scores) else None


def metric_labels(source: Source) -> dict[str, str]:
    """What people are to be shown for metrics, by name, where a file that we wrote says so."""
    said = (_printed_object(source) or {}).get("parameters")
    labels = said.get("labels") if isinstance(said, dict) else None
    return {str(name): str(label) for name, label in labels.items()} if isinstance(labels, dict) else {}


def _printed_object(source: Source) -> dict[str, Any] | None:
    """The one object of a file that we wrote."""
    head = source.head().lstrip()
    if not head.startswith(b"{") or b'"irassay"' not in head[:20]:
        return None
    try:
        found = json.loads(source.text())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _long_text(scores: Scores) -> str:
    """One row a score, its exact value; several collections are refused."""
    from irassay.io.tables.layouts import write_scores

    out = io.StringIO()
    write_scores(scores, "irassay", out)
    return out.getvalue()
