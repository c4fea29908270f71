"""Which tool is right? Two score tables, where they differ, and the conventions that explain it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.judging.policy import JudgingPolicy
from irassay.meta.diff.conventions import TITLES, convention_space, value_words
from irassay.meta.diff.rescoring import Rescorer, rescorer
from irassay.meta.diff.search import Difference, Pair, Values, differences, explanations
from irassay.meta.diff.tables import SideBySide, known_metric, side_by_side
from irassay.method import method
from irassay.results import Result, Saved
from irassay.scores import Scores
from irassay.settings import Option, Settings


@dataclass(frozen=True, eq=False)
class NamedConvention(Saved):
    """One convention in which two tables differ, and the values that it helps to explain."""

    saved_as: ClassVar[str] = "diff-convention"

    name: str
    first: str  # in words
    second: str
    metrics: tuple[str, ...]
    runs: tuple[str, ...]
    values: int


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


@method(
    "Which tool is right?",
    path="diff",
    without_options="plot",
    examples=(
        "irassay diff trec_eval.txt ranx.tsv --qrels qrels.txt --runs runs/",
        "irassay diff old.tsv new.tsv",
    ),
)
def diff(
    first: Annotated[Any, Option("Scores by topic, made by any tool.", metavar="SCORES-A", place=1)],
    second: Annotated[Any, Option("Scores of the same runs by another tool.", metavar="SCORES-B", place=2)],
    *,
    qrels: Annotated[Any, Option("Judgements, to find out why values differ.", metavar="QRELS")] = None,
    runs: Annotated[
        Any, Option("The runs that were scored: files or folders.", metavar="RUN", several=True, greedy=True)
    ] = None,
) -> Diff:
    """Compare two score tables: where they differ, by how much, and which conventions of the tools explain it.

    With judgements and runs, lists are scored again under conventions by which tools differ: the order of results and
    of equal scores, the precision of scores, documents listed twice, unjudged results, cutoff and depth, level of
    relevance, gain, discount, ideal list and recall base. The answer is the smallest set of conventions under which all
    values come out, for all runs or for some; values that none explains are listed. Status 0 if everything is
    explained, 1 if not.

    Without runs, only rounding and topics that one tool leaves out can be explained.
    """
    if (qrels is None) != (runs is None or runs == ()):
        raise InputError("Give both ", argument("qrels"), " and ", argument("runs"), ", or neither.")
    tables = tuple(_table(given) for given in (first, second))
    both = side_by_side(*tables)
    names = [one for one, _ in both.systems]
    again = None if qrels is None else rescorer(names, qrels, runs, JudgingPolicy())
    search = Search(both, again)
    search.explain()
    notes = (*tables[0].notes, *tables[1].notes, *both.notes, *(again.notes if again else ()))
    return Diff(
        _title(first, "the first table"),
        _title(second, "the second table"),
        tuple(one for one, _ in both.metrics),
        tuple(names),
        both.topics,
        both.values,
        search.differs,
        search.explained,
        tuple(search.named_conventions()),
        again is not None,
        notes=tuple(dict.fromkeys(notes)),
        settings=Settings(inputs={"first": tables[0].settings, "second": tables[1].settings}),
    )


def _table(given: Any) -> Scores:
    if isinstance(given, Scores):
        return given
    from irassay.io.tables import read_scores

    return read_scores(given)


def _title(given: Any, otherwise: str) -> str:
    return Path(given).name if isinstance(given, str | Path) else otherwise


class Search:
    """The differences of two tables, and what explains them so far."""

    def __init__(self, both: SideBySide, again: Rescorer | None) -> None:
        self.both, self.again = both, again
        tolerance = np.stack([both.tolerance(0), both.tolerance(1)])
        known = ~np.isnan(both.values)
        gap = np.abs(both.values[0] - both.values[1])
        self.tolerance = tolerance
        self.is_rounding = known.all(axis=0) & (gap <= tolerance.max(axis=0) * (1 + 1e-6))
        self.is_hole = known[0] != known[1]
        self.differs = self.is_hole | (known.all(axis=0) & ~self.is_rounding)
        self.explained = np.zeros_like(self.differs)
        self.earlier: list[Pair] = []
        self.found: dict[Difference, list[tuple[str, tuple[str, ...], int]]] = {}

    def explain(self) -> None:
        """Explains what it can: holes, and values by conventions."""
        self._explain_holes()
        number = (self.differs & ~self.is_hole).sum(axis=(0, 1))
        for m in np.argsort(-number, kind="stable"):  # those that tell most first
            if self.again is not None and number[m]:
                self._explain_metric(int(m), self.again)

    def _explain_holes(self) -> None:
        """A topic that only one table has is explained if it has the score of an empty list there, which mostly is 0."""
        value = np.nan_to_num(self.both.values).sum(axis=0)
        counts = np.array([self._counts_known(m) for m in range(len(self.both.metrics))])
        is_zero = self.is_hole & ((np.abs(value) <= self.tolerance.max(axis=0)) | counts)
        self.explained |= is_zero
        for table, pair in ((0, ("skip", "zero")), (1, ("zero", "skip"))):
            inside = is_zero & np.isnan(self.both.values[table])
            for m in np.flatnonzero(inside.any(axis=(0, 1))):
                self._add(("missing", *pair), m, inside[:, :, m])

    def _counts_known(self, m: int) -> bool:
        """Whether a metric is a number of known documents, which an empty list has too."""
        return all(metric is not None and metric.name == "NumRel" for metric in map(known_metric, self.both.metrics[m]))

    def _explain_metric(self, m: int, again: Rescorer) -> None:
        """Explains the values of one metric."""
        pair = [known_metric(name) for name in self.both.metrics[m]]
        if pair[0] is None or pair[1] is None or pair[0].needs - {"pool"}:
            return
        space = convention_space(pair[0], pair[1], again.grades, again.longest, again.repeats)
        usable = ~np.isnan(self.both.values[:, :, :, m]).any(axis=0)  # [system, topic]
        usable &= np.array([one in again.runs for one, _ in self.both.systems])[:, None]
        s, t = np.nonzero(usable)
        cells = tuple((self.both.systems[i][0], self.both.topics[j]) for i, j in zip(s, t, strict=True))
        of = Values(space, cells, self.both.values[:, s, t, m], self.tolerance[:, s, t, m], self.differs[s, t, m])
        if not of.differs.any():
            return
        for found in explanations(of, again, self.earlier):
            self.earlier.append(found.choices)
            place = np.zeros_like(usable)
            place[s, t] = found.explained
            self.explained[:, :, m] |= place
            changes = differences(space, found.choices) or {("decimals", *self.both.decimals)}
            for change in changes:
                self._add(change, m, place)

    def _add(self, change: Difference, m: int, inside: Bools) -> None:
        runs = tuple(self.both.systems[i][0] for i in np.flatnonzero(inside.any(axis=1)))
        self.found.setdefault(change, []).append((self.both.metrics[m][0], runs, int(inside.sum())))

    def named_conventions(self) -> Iterable[NamedConvention]:
        """The conventions in words, the one that concerns most values first."""
        rounded = int((self.is_rounding & (self.both.values[0] != self.both.values[1])).sum())
        parts = sorted(self.found.items(), key=lambda item: -sum(number for _, _, number in item[1]))
        for (name, one, two), where in parts:
            metrics = tuple(metric for metric, _, _ in where)
            runs = tuple(dict.fromkeys(run for _, of, _ in where for run in of))
            words = value_words(name, one), value_words(name, two)
            yield NamedConvention(TITLES[name], *words, metrics, runs, sum(number for _, _, number in where))
        if rounded and self.both.decimals[0] != self.both.decimals[1]:
            words = value_words("decimals", self.both.decimals[0]), value_words("decimals", self.both.decimals[1])
            yield NamedConvention(TITLES["decimals"], *words, (), (), rounded)
