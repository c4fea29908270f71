"""The text of a score table, cut into cells that remember their line."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from irassay.errors import InputError

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$")
MEASURE = re.compile(  # what measures of trec_eval, ndeval, ir_measures and irassay are called
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
    """One table: where it is, its text, and the name it lends to a run or metric that has none inside."""

    name: str
    stem: str
    text: str
    collection: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)  # what people are shown for its metrics

    @property
    def first(self) -> str:
        """The first line that is not blank."""
        found = re.search(r"[^\n]*\S[^\n]*", self.text)
        return found.group() if found else ""


@dataclass(frozen=True)
class ScoreRows:
    """A table as one row a score: line, and as text run, metric, topic, value and iteration."""

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    tagged: bool = False  # runs go by a tag that other tables may bear too


def is_number(cell: str) -> bool:
    """Whether a cell holds a number.

    >>> is_number("-1e-05"), is_number("301"), is_number("P_10")
    (True, True, False)
    """
    return NUMBER.match(cell.strip()) is not None


def is_score(cell: str) -> bool:
    """Whether a cell holds a score, or a word for having none.

    >>> is_score("0.25"), is_score("nan"), is_score(""), is_score("map")
    (True, True, False, False)
    """
    return is_number(cell) or (cell.strip() != "" and cell.strip().lower() in MISSING_SCORES)


def column_roles(header: list[str]) -> dict[str, int]:
    """The column of each role whose usual name the header has.

    >>> column_roles(["name", "qid", "measure", "value"])
    {'run': 0, 'topic': 1, 'metric': 2, 'value': 3}
    """
    lower = [cell.strip().lower() for cell in header]
    found = {}
    for role, names in ROLES.items():
        for name in names:
            if name in lower:
                found[role] = lower.index(name)
                break
    return found


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
        raise InputError(f"a line of the score table cannot be split into cells: {error}.") from None


def cells(source: TableText, mark: str, quoted: bool = True) -> pl.DataFrame:
    """The columns line, 0, 1, … of a table, header included; every line must have as many cells."""
    if quoted and mark != " " and '"' in source.text:
        return _quoted_cells(source, mark)
    lines = pl.DataFrame({"text": source.text.split("\n")}).with_row_index("line", offset=1)
    text = pl.col("text")
    if mark == " ":
        mark = "\t"
        lines = lines.with_columns(text.str.strip_chars().str.replace_all(r"\s+", mark))
    lines = lines.filter(text.str.strip_chars() != "")
    counts = lines.select(pl.col("line"), text.str.count_matches(mark, literal=True).alias("count") + 1)
    width = _width(source, counts["line"], counts["count"])
    return lines.select(
        pl.col("line"),
        text.str.split_exact(mark, width - 1).struct.rename_fields([str(c) for c in range(width)]),
    ).unnest("text").with_columns(pl.exclude("line").str.strip_chars())  # fmt: skip


def _quoted_cells(source: TableText, mark: str) -> pl.DataFrame:
    reader = csv.reader(source.text.split("\n"), delimiter=mark)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(f"{source.name}, line {reader.line_num}: {error}; mend the quotes.") from None
    line = pl.Series("line", [line for line, _ in rows], dtype=pl.UInt32)
    width = _width(source, line, pl.Series([len(row) for _, row in rows], dtype=pl.UInt32))
    columns = {str(c): [row[c].strip() for _, row in rows] for c in range(width)}
    return pl.DataFrame({"line": line, **columns})


def _width(source: TableText, line: pl.Series, count: pl.Series) -> int:
    if not len(count):
        raise InputError(f"{source.name} is empty; a score table was expected.")
    other = (count != count[0]).arg_true()
    if len(other):
        raise InputError(
            f"{source.name}, line {line[other[0]]}: {count[other[0]]} cells where line {line[0]} "
            f"has {count[0]}; every line of a score table needs the same cells."
        )
    return int(count[0])
