"""Views for machines: TSV, CSV, JSON and frames, with numbers in full precision."""

import io
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irassay.errors import missing_package_error
from irassay.prose import encodable, escaped_json
from irassay.views.table_columns import formula_as_text
from irassay.views.view import Cell, Table, View

if TYPE_CHECKING:
    import pandas
    import polars as pl

YES_OR_NO = {"yes": True, "no": False}


def separated_text(table: Table, separator: str, safe: bool = False) -> str:
    """A table with a header line, numbers in full precision; if `safe`, no text is a formula for a spreadsheet."""
    import csv

    table = table.machine or table
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    rows = [list(map(formula_as_text, row)) for row in table.rows] if safe else table.rows
    writer.writerow(table.columns)
    writer.writerows([[_machine_text(cell) for cell in row] for row in rows])
    return out.getvalue()


def _machine_text(cell: Cell) -> str:
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def as_json(view: View, provenance: Mapping[str, Any]) -> str:
    """One JSON object: version, inputs, parameters, and results as lists of objects keyed by the columns of the CSV."""
    results = {
        table.name: [dict(zip(table.columns, map(_finite, row), strict=True)) for row in table.rows]
        for table in (each.machine or each for each in view.tables)
    }
    document = {
        **provenance,
        "sentences": list(view.sentences),
        **({"methods": view.methods} if view.methods else {}),
        "notes": list(view.notes),
        "results": next(iter(results.values())) if len(results) == 1 else results,
    }
    return escaped_json(json.dumps(document, indent=1, ensure_ascii=False))


def _finite(cell: Cell) -> Cell:
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else ("Infinity" if cell > 0 else "-Infinity")
    return cell


def as_frame(view: View) -> "pl.DataFrame":
    """The main table as a frame, numbers in full precision; a column of words and numbers holds strings.

    The columns `significant` and those that end in `best` are Booleans.
    """
    import polars as pl

    if not view.main:
        return pl.DataFrame()
    table = view.main[0].machine or view.main[0]
    rows = [tuple(encodable(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows]
    columns = [encodable(column) for column in table.columns]
    frame = pl.DataFrame(rows, columns, orient="row", infer_schema_length=None, strict=False)
    answers = [each for each in frame if each.name.endswith(("significant", "best")) and each.dtype == pl.String]
    answers = [each for each in answers if set(each.unique()) <= YES_OR_NO.keys()]
    return frame.with_columns(each.replace_strict(YES_OR_NO, return_dtype=pl.Boolean) for each in answers)


def pandas_frame(frame: "pl.DataFrame") -> "pandas.DataFrame":
    """The same frame as one of pandas; pyarrow is not needed."""
    try:
        import pandas
    except ImportError:
        raise missing_package_error("pandas", "pandas", "to_pandas") from None
    columns = {each.name: each.to_numpy() if each.dtype.is_numeric() else each.to_list() for each in frame}
    return pandas.DataFrame(columns)
