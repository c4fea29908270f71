"""Which tool is right? Two score tables, where they differ, and the conventions that explain it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.errors import InputError, argument
from irassay.io.input_files import open_inputs
from irassay.judging.policy import JudgingPolicy
from irassay.meta.diff.conventions import MAX_CHANGES, TITLES, convention_space, value_words
from irassay.meta.diff.rescoring import Rescorer, rescorer
from irassay.meta.diff.search import SOME_ORDER, Difference, Explanation, Values, differences, explanations
from irassay.meta.diff.tables import ROUNDING, SideBySide, known_metric, side_by_side
from irassay.method import method
from irassay.results import Result, Saved
from irassay.scores import Scores
from irassay.scoring.score import input_paths
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
    first: Annotated[Any, Option("Scores by topic, from any tool.", metavar="SCORES-A", place=1)],
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
    relevance, gain, discount, ideal list and recall base. The answer is the smallest set of conventions that gives all
    values, for all runs or for some; values that none explains are listed. Status 0 if everything is
    explained, 1 if not.

    Without runs, only rounding and topics that one tool leaves out can be explained.
    """
    if (qrels is None) != (runs is None or runs == ()):
        raise InputError("Give both ", argument("qrels"), " and ", argument("runs"), ", or neither.")
    tables = tuple(_score_table(given) for given in (first, second))
    both = side_by_side(*tables)
    names = [one for one, _ in both.systems]
    again = None if qrels is None else rescorer(names, qrels, runs, JudgingPolicy())
    search = Search(both, again)
    search.explain()
    notes = (*tables[0].notes, *tables[1].notes, *both.notes, *(again.notes if again else ()))
    inputs = {"first": tables[0].settings, "second": tables[1].settings}
    inputs |= {"again": Settings(inputs=input_paths(*open_inputs(runs, qrels)))} if again else {}
    return Diff(
        _table_name(first, "the first table"),
        _table_name(second, "the second table"),
        tuple(one for one, _ in both.metrics),
        tuple(names),
        both.topics,
        both.values,
        search.differs,
        search.explained,
        tuple(search.named_conventions()),
        again is not None,
        notes=tuple(dict.fromkeys(notes)),
        settings=Settings(inputs=inputs),
    )


def _score_table(given: Any) -> Scores:
    """The table, read from its file if it is not in memory."""
    if isinstance(given, Scores):
        return given
    from irassay.io.tables import read_scores

    return read_scores(given)


def _table_name(given: Any, otherwise: str) -> str:
    """The name of the table\'s file, or other words for a table in memory."""
    return Path(given).name if isinstance(given, str | Path) else otherwise


@dataclass(frozen=True, eq=False)
class Answer:
    """What explains values of one metric."""

    m: int
    of: Values
    found: Explanation

    @property
    def differences(self) -> set[Difference]:
        """The conventions in which the two tables differ."""
        return differences(self.of.space, self.found.choices)

    def with_difference(self, change: Difference, again: Rescorer) -> "Answer | None":
        """The same with other values of one convention; None if that explains less."""
        name, *values = change
        pair = tuple(
            frozenset(each for each in choices if each[0] != name)
            | ({(name, value)} if value != self.of.space.reference(name) else frozenset())
            for choices, value in zip(self.found.choices, values, strict=True)
        )
        scores = again.scores(self.of.cells, self.of.space, pair)
        if scores[0] is None or scores[1] is None:
            return None
        explained = self.of.hits(0, scores[0]) & self.of.hits(1, scores[1])
        found = replace(self.found, choices=(pair[0], pair[1]))
        return replace(self, found=found) if explained[self.found.explained].all() else None


class Search:
    """The differences of two tables, and what explains them so far."""

    def __init__(self, both: SideBySide, again: Rescorer | None) -> None:
        self.both, self.again = both, again
        self.tolerance = np.stack([both.tolerance(0), both.tolerance(1)])  # [table, system, topic, metric]
        known = ~np.isnan(both.values)
        gap = np.abs(both.values[0] - both.values[1])
        self.is_hole = known[0] != known[1]
        self.differs = self.is_hole | (known.all(axis=0) & (gap > ROUNDING * np.maximum(1, np.abs(both.values[0]))))
        self.is_rounding = self.differs & (gap <= self.tolerance.max(axis=0))
        self.explained = self.is_rounding.copy()
        self.answers: list[Answer] = []
        self.failures = 0  # metrics without an explanation
        self.found: dict[Difference, list[tuple[str, tuple[str, ...], int]]] = {}

    def explain(self) -> None:
        """Explains what it can: rounding, topics that one table leaves out, and values by conventions."""
        for m in np.flatnonzero(self.is_rounding.any(axis=(0, 1))).tolist():
            self._add(self._decimals(m), m, self.is_rounding[:, :, m])
        self._explain_holes()
        number = (self.differs & ~self.is_hole & ~self.is_rounding).sum(axis=(0, 1))
        if self.again is None:
            return
        for m in np.argsort(-number, kind="stable"):  # those that tell most first
            if number[m]:
                self._explain_metric(int(m), self.again)
        self._unite_values(self.again)
        self._drop_vague_answers(int(number.sum()))
        for each in self.answers:
            place = np.zeros(self.differs.shape[:2], dtype=np.bool_)
            index = {cell: n for n, cell in enumerate(each.of.cells)}
            for s, (system, _) in enumerate(self.both.systems):
                for t, topic in enumerate(self.both.topics):
                    n = index.get((system, topic))
                    place[s, t] = n is not None and each.found.explained[n]
            self.explained[:, :, each.m] |= place
            for change in each.differences or {self._decimals(each.m)}:
                self._add(change, each.m, place)

    def _decimals(self, m: int) -> Difference:
        return ("decimals", self.both.decimals[0][m], self.both.decimals[1][m])

    def _explain_holes(self) -> None:
        """A topic that only one table has is explained if it has the score of an empty list there, mostly 0."""
        value = np.nan_to_num(self.both.values).sum(axis=0)
        counts = np.array([self._counts_known(m) for m in range(len(self.both.metrics))])
        is_zero = self.is_hole & ((np.abs(value) <= self.tolerance.max(axis=0)) | counts)
        self.explained |= is_zero
        for table, pair in ((0, ("skip", "zero")), (1, ("zero", "skip"))):
            inside = is_zero & np.isnan(self.both.values[table])
            for m in np.flatnonzero(inside.any(axis=(0, 1))).tolist():
                self._add(("missing", *pair), m, inside[:, :, m])

    def _counts_known(self, m: int) -> bool:
        """Whether a metric is a number of known documents, which an empty list has too."""
        return all(metric is not None and metric.name == "NumRel" for metric in map(known_metric, self.both.metrics[m]))

    def _explain_metric(self, m: int, again: Rescorer) -> None:
        """Finds what explains the values of one metric."""
        pair = [known_metric(name) for name in self.both.metrics[m]]
        if pair[0] is None or pair[1] is None or pair[0].needs - {"pool"}:
            return
        space = convention_space(pair[0], pair[1], again.grades, again.longest, again.repeats)
        usable = ~np.isnan(self.both.values[:, :, :, m]).any(axis=0)  # [system, topic]
        usable &= np.array([one in again.runs for one, _ in self.both.systems])[:, None]
        s, t = np.nonzero(usable)
        cells = tuple((self.both.systems[i][0], self.both.topics[j]) for i, j in zip(s, t, strict=True))
        differs = (self.differs & ~self.is_rounding)[s, t, m]
        of = Values(space, cells, self.both.values[:, s, t, m], self.tolerance[:, s, t, m], differs)
        if differs.any():
            earlier = [each.found.choices for each in self.answers]
            changes = MAX_CHANGES[min(self.failures, len(MAX_CHANGES) - 1)]
            found = [Answer(m, of, each) for each in explanations(of, again, earlier, changes)]
            self.answers += found
            self.failures += not found

    def _drop_vague_answers(self, differing: int) -> None:
        """Leaves out answers that blame some order of equal scores, if more values than these stay unexplained."""
        vague = [each for each in self.answers if any(SOME_ORDER in choices for choices in each.found.choices)]
        unexplained = differing - sum(int(each.found.explained.sum()) for each in self.answers)
        if sum(int(each.found.explained.sum()) for each in vague) < unexplained:
            self.answers = [each for each in self.answers if each not in vague]

    def _unite_values(self, again: Rescorer) -> None:
        """Metrics get the same values of a convention where these explain as much, so that fewer are named."""
        used = Counter(change for each in self.answers for change in each.differences)
        for name in dict.fromkeys(change[0] for change in used):
            options = [change for change, _ in used.most_common() if change[0] == name]
            open_places = {n for n, each in enumerate(self.answers) if each.differences & set(options)}
            while len(options) > 1 and open_places:
                possible = {
                    change: {n: each for n in open_places if (each := self._answer_with(n, change, again)) is not None}
                    for change in options
                }
                best = max(options, key=lambda change: len(possible[change]))
                for n, each in possible[best].items():
                    self.answers[n] = each
                open_places -= possible[best].keys()
                options = [change for change in options if change != best]

    def _answer_with(self, n: int, change: Difference, again: Rescorer) -> Answer | None:
        own = self.answers[n]
        if change in own.differences:
            return own
        return own.with_difference(change, again) if change[0] in own.of.space.options else None

    def _add(self, change: Difference, m: int, inside: Bools) -> None:
        runs = tuple(self.both.systems[i][0] for i in np.flatnonzero(inside.any(axis=1)))
        self.found.setdefault(change, []).append((self.both.metrics[m][0], runs, int(inside.sum())))

    def named_conventions(self) -> Iterable[NamedConvention]:
        """The conventions in words, the one that concerns most values first."""
        parts = sorted(self.found.items(), key=lambda item: -sum(number for _, _, number in item[1]))
        for (name, one, two), where in parts:
            metrics = tuple(dict.fromkeys(metric for metric, _, _ in where))
            runs = tuple(dict.fromkeys(run for _, of, _ in where for run in of))
            words = value_words(name, one), value_words(name, two)
            yield NamedConvention(TITLES[name], *words, metrics, runs, sum(number for _, _, number in where))
