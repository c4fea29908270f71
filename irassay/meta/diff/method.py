"""Which tool is right? Two score tables, where they differ, and the conventions that explain it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.io.input_files import open_inputs
from irassay.judging.policy import JudgingPolicy
from irassay.meta.diff.rescoring import rescorer
from irassay.meta.diff.table_search import NamedConvention, TableSearch
from irassay.meta.diff.tables import side_by_side
from irassay.method import method
from irassay.notes import Note
from irassay.prose import first_few
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.score import input_paths
from irassay.settings import Option, Settings


@dataclass(frozen=True, eq=False, repr=False)
class Diff(Result):
    """Where two score tables differ, by how much, and why."""

    saved_as: ClassVar[str] = "diff"

    first: str
    second: str
    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # [table, system, topic, metric]; NaN where a table has none
    differs: Bools  # [system, topic, metric]
    explained: Bools  # [system, topic, metric] of those that differ
    conventions: tuple[NamedConvention, ...]
    rescored: bool  # judgements and runs were given

    @property
    def compared(self) -> int:
        """The number of values that at least one table has."""
        return int((~np.isnan(self.values)).any(axis=0).sum())

    @property
    def unexplained(self) -> list[tuple[str, str, str, float, float]]:
        """Run, metric, topic and both values of every difference that no convention explains."""
        s, t, m = np.nonzero(self.differs & ~self.explained)
        names = ((self.systems[i], self.metrics[k], self.topics[j]) for i, j, k in zip(s, t, m, strict=True))
        both = self.values[:, s, t, m].T.tolist()
        return [(*name, one, two) for name, (one, two) in zip(names, both, strict=True)]

    @property
    def status(self) -> int:
        """The exit status: 0 if everything is explained, 1 if not."""
        return int((self.differs & ~self.explained).any())

    def largest(self) -> Floats:
        """[metric] the largest difference between two values, 0 if there is none."""
        gap = np.nan_to_num(np.abs(self.values[0] - self.values[1]))
        return np.asarray((gap * self.differs).max(axis=(0, 1), initial=0.0))

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their largest differences, largest first."""
        largest = self.largest()
        return [(self.metrics[m], float(largest[m])) for m in np.argsort(-largest, kind="stable")]


def check_judgements_and_runs(qrels: Any, runs: Any) -> None:
    """Refuses judgements without runs, and runs without judgements."""
    if (qrels is None) != (runs is None or runs == ()):
        raise InputError("Give both ", argument("qrels"), " and ", argument("runs"), ", or neither.")


@method(
    "Which tool is right?",
    path="diff",
    check=check_judgements_and_runs,
    without_options="plot",
    examples=(
        "irassay diff trec_eval.txt ranx.tsv --qrels qrels.txt --runs runs/",
        "irassay diff old.tsv new.tsv",
    ),
)
def diff(
    first: Annotated[Any, Option("Scores by topic, from any tool.", metavar="SCORES-A", place=1, files=True)],
    second: Annotated[Any, Option("Scores of the same runs by another tool.", metavar="SCORES-B", place=2, files=True)],
    *,
    qrels: Annotated[Any, Option("Judgements, to find out why values differ.", metavar="QRELS", files=True)] = None,
    runs: Annotated[
        Any,
        Option("The runs that were scored: files or folders.", metavar="RUN", several=True, greedy=True, files=True),
    ] = None,
) -> Diff:
    """Compare two score tables: where they differ, by how much, and which conventions of the tools explain it.

    With judgements and runs, lists are scored again under conventions by which tools differ: the order of results and
    of equal scores, the precision of scores, documents listed twice, unjudged results, cutoff and depth, level of
    relevance, gain, discount, ideal list and recall base. The answer is the smallest set of conventions that
    reproduces all values, for all runs or for some. Values that no convention explains are listed. The exit status is 0
    if everything is explained, and 1 if not.

    Without runs, only rounding and topics that one tool leaves out can be explained.
    """
    tables = tuple(_score_table(given) for given in (first, second))
    both_tables = side_by_side(*tables)
    names = [one for one, _ in both_tables.systems]
    list_rescorer = None if qrels is None else rescorer(names, qrels, runs, JudgingPolicy())
    search = TableSearch(both_tables, list_rescorer)
    search.explain()
    notes = (*tables[0].notes, *tables[1].notes, *both_tables.notes, *(list_rescorer.notes if list_rescorer else ()))
    if search.not_rescored:
        why = "no metric of irassay, or one that needs sessions, lengths, passages or preferences"
        metrics = first_few(search.not_rescored)
        notes += (Note(f"not scored again, so not explained: {metrics} ({why})", caveat=True),)
    inputs = {"first": tables[0].settings, "second": tables[1].settings}
    inputs |= {"again": Settings(inputs=input_paths(*open_inputs(runs, qrels)))} if list_rescorer else {}
    return Diff(
        _table_name(first, "the first table"),
        _table_name(second, "the second table"),
        tuple(one for one, _ in both_tables.metrics),
        tuple(names),
        both_tables.topics,
        both_tables.values,
        search.differs,
        search.explained,
        tuple(search.named_conventions()),
        list_rescorer is not None,
        notes=tuple(dict.fromkeys(notes)),
        settings=Settings(inputs=inputs),
    )


def _score_table(table: Any) -> Scores:
    """The table, read from its file if it is not in memory."""
    if isinstance(table, Scores):
        return table
    from irassay.io.tables import read_scores

    return read_scores(table)


def _table_name(table: Any, otherwise: str) -> str:
    """The name of the table's file, or other words for a table in memory."""
    return Path(table).name if isinstance(table, str | Path) else otherwise
