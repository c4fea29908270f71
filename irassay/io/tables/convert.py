"""Score tables from one format into another."""

import io
import sys
from typing import Annotated, Literal

from irassay.io.tables import read_scores, write_scores
from irassay.method import method
from irassay.settings import Option

Dialect = Literal["irassay", "trec_eval", "tot", "ir_measures", "autojudge", "pyterrier", "csv", "wide"]


@method(
    "Convert score tables between tools' formats.",
    path="convert",
    without_options="format plot save define jobs",
    examples=("irassay convert trec_eval.out --to ir_measures",),
)
def convert(
    tables: Annotated[
        tuple[str, ...], Option("Score tables in any format, compressed or not, or -.", metavar="TABLE", files=True)
    ],
    *,
    to: Annotated[Dialect, "Output format."] = "irassay",
    dialect: Annotated[str | None, Option("Input format, if it cannot be detected.", "--from")] = None,
    metrics: Annotated[
        tuple[str, ...],
        Option("Only this metric; may be repeated.", "--metric", "-m", ("--metrics",), metavar="METRIC"),
    ] = (),
    runs: Annotated[tuple[str, ...], Option("Only this run; may be repeated.", "--run")] = (),
    means: Annotated[bool, "Write means only, not every topic."] = False,
    quiet: Annotated[bool, Option("Hide notes and progress.", short="-q", panel="Output")] = False,
) -> str:
    """Convert score tables between the formats of trec_eval, ir_measures, PyTerrier and others.

    Rows named all, amean or gmean are never read as topics.
    """
    scores = read_scores(list(tables), dialect)
    if metrics or runs:
        scores = scores.select(systems=runs or None, metrics=[scores.resolved_metric(name) for name in metrics] or None)
    out = io.StringIO()
    write_scores(scores, to, out, by_topic=not means)
    for note in () if quiet else scores.notes:
        print(f"note: {note}", file=sys.stderr)
    return out.getvalue()
