"""The text of a score table, split into cells with their line numbers."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from irassay.errors import InputError

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
MEASURE = re.compile(  # names of measures of trec_eval, ndeval, ir_measures and irassay
    r"(runid|relstring|num_|gm_|iprec_at|ircl_prn|P_\d|recall_|ndcg|nDCG|Rndcg|set_|success_|utility|11pt|"
    r"binG|infAP|rbp|RBP|recip_rank|Rprec|bpref|map|MAP|AP|RR|MRR|ERR|strec|alpha|P-IA|INST|INSQ|err)|.*[@(]"
)
MISSING_SCORES = ("", "nan", "-nan", "+nan", "na", "n/a", "none", "null")  # texts for "no score", in lower case

ROLES = {
    "run": ("run", "run_id", "runid", "run_name", "runtag", "system", "system_id", "name", "model"),
    "topic": ("topic", "topic_id", "qid", "query_id", "q_id", "queryid", "topicid", "query"),
    "metric": ("metric", "measure", "metric_name", "measure_name"),
    "value": ("value", "score"),
    "iteration": ("iteration",),
}


@dataclass(frozen=True)
class TableText:
    """One table: its path, its text, and the name for a run or metric that has none in it."""

    name: str
    stem: str
    text: str
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)  # labels of its metrics, by name

    @property
    def first(self) -> str:
        """The first line that is not blank."""
        line = re.search(r"[^\n]*\S[^\n]*", self.text)
        return line.group() if line else ""


@dataclass(frozen=True)
class ScoreRows:
    """A table with one row per score: line, and run, metric, topic, value and iteration as text."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    tagged: bool = False  # runs are named by a tag, which other tables may share


def score_rows(rows: pl.DataFrame, run: str, notes: Iterable[str] = (), tagged: bool = False) -> ScoreRows:
    """The rows with all columns; `run` is the name of the run if they do not say."""
    absent = {name: pl.lit(text) for name, text in (("run", run), ("iteration", "")) if name not in rows.columns}
    rows = rows.with_columns(**absent).select("line", "run", "metric", "topic", "value", "iteration")
    return ScoreRows(rows.cast({"line": pl.UInt32}), tuple(notes), tagged)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number.

    >>> is_number("-1e-05"), is_number("301"), is_number("P_10")
    (True, True, False)
    """
    return NUMBER.match(cell.strip()) is not None


def is_score(cell: str) -> bool:
    """Whether a cell holds a score, or a word for a missing one.

    >>> is_score("0.25"), is_score("nan"), is_score(""), is_score("map")
    (True, True, False, False)
    """
    return is_number(cell) or (cell.strip() != "" and cell.strip().lower() in MISSING_SCORES)


def column_roles(header: list[str]) -> dict[str, int]:
    """The column of each role that the header names.

    >>> column_roles(["name", "qid", "measure", "value"])
    {'run': 0, 'topic': 1, 'metric': 2, 'value': 3}
    """
    lower = [cell.strip().lower() for cell in header]
    names = {role: next((name for name in names if name in lower), None) for role, names in ROLES.items()}
    return {role: lower.index(name) for role, name in names.items() if name is not None}


def separator(line: str) -> str:
    """The character between the cells of a line; a space stands for any run of blanks."""
    return next((mark for mark in "\t,;" if mark in line), " ")


def split_line(line: str, mark: str) -> list[str]:
    """The cells of one line."""
    if mark == " ":
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark))]
    except csv.Error as error:
        raise InputError(f"A line of the score table cannot be split into cells: {error}.") from None


def cells(source: TableText, mark: str, quoted: bool = True) -> pl.DataFrame:
    """The columns line, 0, 1, … of a table, including its header; all lines must have the same number of cells."""
    if quoted and mark != " " and '"' in source.text:
        return _quoted_cells(source, mark)
    lines = pl.DataFrame({"text": source.text.split("\n")}).with_row_index("line", offset=1)
    text = pl.col("text")
    if mark == " ":
        mark = "\t"
        lines = lines.with_columns(text.str.strip_chars().str.replace_all(r"\s+", mark))
    lines = lines.filter(text.str.strip_chars() != "")
    counts = lines.select(pl.col("line"), text.str.count_matches(mark, literal=True).alias("count") + 1)
    width = _column_count(source, counts["line"], counts["count"])
    return lines.select(
        pl.col("line"),
        text.str.split_exact(mark, width - 1).struct.rename_fields([str(c) for c in range(width)]),
    ).unnest("text").with_columns(pl.exclude("line").str.strip_chars())  # fmt: skip


def _quoted_cells(source: TableText, mark: str) -> pl.DataFrame:
    reader = csv.reader(source.text.split("\n"), delimiter=mark)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(file=source.name, line=reader.line_num, found=str(error), fix="fix the quotes") from None
    line = pl.Series("line", [line for line, _ in rows], dtype=pl.UInt32)
    width = _column_count(source, line, pl.Series([len(row) for _, row in rows], dtype=pl.UInt32))
    columns = {str(c): [row[c].strip() for _, row in rows] for c in range(width)}
    return pl.DataFrame({"line": line, **columns})


def _column_count(source: TableText, line: pl.Series, count: pl.Series) -> int:
    if not len(count):
        raise InputError(f"{source.name} is empty; expected a score table.")
    other = (count != count[0]).arg_true()
    if len(other):
        found = f"found {count[other[0]]} cells, but line {line[0]} has {count[0]}"
        expected = "the same number on every line"
        raise InputError(file=source.name, line=line[other[0]], found=found, expected=expected)
    return int(count[0])
