"""What explains the differences of two score tables: rounding, topics left out, and conventions, metric by metric."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools
from irassay.meta.diff.conventions import MAX_CHANGES, TITLES, convention_space, value_words
from irassay.meta.diff.metric_search import SOME_ORDER, CellExplanation, Difference, Values, differences, explanations
from irassay.meta.diff.rescoring import Rescorer
from irassay.meta.diff.tables import ROUNDING, SideBySide, known_metric
from irassay.saving import Saved

RESCORED_NEEDS = {"pool", "aspects"}  # what metrics may need to be scored again


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


@dataclass(frozen=True, eq=False)
class Answer:
    """What explains values of one metric."""

    m: int
    values: Values
    found: CellExplanation

    @property
    def differences(self) -> set[Difference]:
        """The conventions in which the two tables differ."""
        return differences(self.values.space, self.found.choices)

    def with_difference(self, change: Difference, rescorer: Rescorer) -> "Answer | None":
        """The same with other values of one convention; None if that explains less."""
        name, *values = change
        pair = tuple(
            frozenset(each for each in choices if each[0] != name)
            | ({(name, value)} if value != self.values.space.reference(name) else frozenset())
            for choices, value in zip(self.found.choices, values, strict=True)
        )
        scores = rescorer.scores(self.values.cells, self.values.space, pair)
        if scores[0] is None or scores[1] is None:
            return None
        explained = self.values.hits(0, scores[0]) & self.values.hits(1, scores[1])
        found = replace(self.found, choices=(pair[0], pair[1]))
        return replace(self, found=found) if explained[self.found.explained].all() else None


class TableSearch:
    """The differences of two tables, and what explains them so far."""

    def __init__(self, tables: SideBySide, rescorer: Rescorer | None) -> None:
        self.tables, self.rescorer = tables, rescorer
        self.tolerance = np.stack([tables.tolerance(0), tables.tolerance(1)])  # [table, system, topic, metric]
        known = ~np.isnan(tables.values)
        gap = np.abs(tables.values[0] - tables.values[1])
        self.is_hole = known[0] != known[1]
        self.differs = self.is_hole | (known.all(axis=0) & (gap > ROUNDING * np.maximum(1, np.abs(tables.values[0]))))
        self.is_rounding = self.differs & (gap <= self.tolerance.max(axis=0))
        self.explained = self.is_rounding.copy()
        self.answers: list[Answer] = []
        self.failures = 0  # metrics without an explanation
        self.not_rescored: list[str] = []  # metrics with differences
        self.found: dict[Difference, list[tuple[str, tuple[str, ...], int]]] = {}

    def explain(self) -> None:
        """Explains what it can: rounding, topics that one table leaves out, and values by conventions."""
        for m in np.flatnonzero(self.is_rounding.any(axis=(0, 1))).tolist():
            self._add(self._decimals(m), m, self.is_rounding[:, :, m])
        self._explain_holes()
        number = (self.differs & ~self.is_hole & ~self.is_rounding).sum(axis=(0, 1))
        if self.rescorer is None:
            return
        for m in np.argsort(-number, kind="stable"):  # those that tell most first
            if number[m]:
                self._explain_metric(int(m), self.rescorer)
        self._unite_values(self.rescorer)
        self._drop_vague_answers(int(number.sum()))
        for each in self.answers:
            place = np.zeros(self.differs.shape[:2], dtype=np.bool_)
            index = {cell: n for n, cell in enumerate(each.values.cells)}
            for s, (system, _) in enumerate(self.tables.systems):
                for t, topic in enumerate(self.tables.topics):
                    n = index.get((system, topic))
                    place[s, t] = n is not None and each.found.explained[n]
            self.explained[:, :, each.m] |= place
            for change in each.differences or {self._decimals(each.m)}:
                self._add(change, each.m, place)

    def _decimals(self, m: int) -> Difference:
        return ("decimals", self.tables.decimals[0][m], self.tables.decimals[1][m])

    def _explain_holes(self) -> None:
        """A topic that only one table has is explained if it has the score of an empty list there, mostly 0."""
        value = np.nan_to_num(self.tables.values).sum(axis=0)
        counts = np.array([self._counts_known(m) for m in range(len(self.tables.metrics))])
        is_zero = self.is_hole & ((np.abs(value) <= self.tolerance.max(axis=0)) | counts)
        self.explained |= is_zero
        for table, pair in ((0, ("skip", "zero")), (1, ("zero", "skip"))):
            inside = is_zero & np.isnan(self.tables.values[table])
            for m in np.flatnonzero(inside.any(axis=(0, 1))).tolist():
                self._add(("missing", *pair), m, inside[:, :, m])

    def _counts_known(self, m: int) -> bool:
        """Whether a metric is a number of known documents, which an empty list has too."""
        return all(each is not None and each.name == "NumRel" for each in map(known_metric, self.tables.metrics[m]))

    def _explain_metric(self, m: int, rescorer: Rescorer) -> None:
        """Finds what explains the values of one metric."""
        pair = [known_metric(name) for name in self.tables.metrics[m]]
        if pair[0] is None or pair[1] is None or (pair[0].needs | pair[1].needs) - RESCORED_NEEDS:
            self.not_rescored.append(self.tables.metrics[m][0])
            return
        space = convention_space(pair[0], pair[1], rescorer.grades, rescorer.longest, rescorer.repeats)
        usable = ~np.isnan(self.tables.values[:, :, :, m]).any(axis=0)  # [system, topic]
        usable &= np.array([one in rescorer.runs for one, _ in self.tables.systems])[:, None]
        s, t = np.nonzero(usable)
        cells = tuple((self.tables.systems[i][0], self.tables.topics[j]) for i, j in zip(s, t, strict=True))
        differs = (self.differs & ~self.is_rounding)[s, t, m]
        values = Values(space, cells, self.tables.values[:, s, t, m], self.tolerance[:, s, t, m], differs)
        if differs.any():
            earlier = [each.found.choices for each in self.answers]
            changes = MAX_CHANGES[min(self.failures, len(MAX_CHANGES) - 1)]
            found = [Answer(m, values, each) for each in explanations(values, rescorer, earlier, changes)]
            self.answers += found
            self.failures += not found

    def _drop_vague_answers(self, differing: int) -> None:
        """Leaves out answers that blame some order of equal scores, if more values than these stay unexplained."""
        vague = [each for each in self.answers if any(SOME_ORDER in choices for choices in each.found.choices)]
        unexplained = differing - sum(int(each.found.explained.sum()) for each in self.answers)
        if sum(int(each.found.explained.sum()) for each in vague) < unexplained:
            self.answers = [each for each in self.answers if each not in vague]

    def _unite_values(self, rescorer: Rescorer) -> None:
        """Metrics get the same values of a convention where these explain as much, so that fewer are named."""
        used = Counter(change for each in self.answers for change in each.differences)
        for name in dict.fromkeys(change[0] for change in used):
            options = [change for change, _ in used.most_common() if change[0] == name]
            open_places = {n for n, each in enumerate(self.answers) if each.differences & set(options)}
            while len(options) > 1 and open_places:
                possible = {
                    change: {
                        n: each for n in open_places if (each := self._answer_with(n, change, rescorer)) is not None
                    }
                    for change in options
                }
                best = max(options, key=lambda change: len(possible[change]))
                for n, each in possible[best].items():
                    self.answers[n] = each
                open_places -= possible[best].keys()
                options = [change for change in options if change != best]

    def _answer_with(self, n: int, change: Difference, rescorer: Rescorer) -> Answer | None:
        own = self.answers[n]
        if change in own.differences:
            return own
        return own.with_difference(change, rescorer) if change[0] in own.values.space.options else None

    def _add(self, change: Difference, m: int, inside: Bools) -> None:
        runs = tuple(self.tables.systems[i][0] for i in np.flatnonzero(inside.any(axis=1)))
        self.found.setdefault(change, []).append((self.tables.metrics[m][0], runs, int(inside.sum())))

    def named_conventions(self) -> Iterable[NamedConvention]:
        """The conventions in words, the one that concerns most values first."""
        parts = sorted(self.found.items(), key=lambda item: -sum(number for _, _, number in item[1]))
        for (name, one, two), where in parts:
            metrics = tuple(dict.fromkeys(metric for metric, _, _ in where))
            runs = tuple(dict.fromkeys(run for _, of, _ in where for run in of))
            words = value_words(name, one), value_words(name, two)
            yield NamedConvention(TITLES[name], *words, metrics, runs, sum(number for _, _, number in where))
