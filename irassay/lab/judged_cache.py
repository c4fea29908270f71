"""Judged lists of collections, kept in memory so that a moved slider scores without reading; bounded by size."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from irassay.arrays import Floats
from irassay.io.input_files import open_inputs
from irassay.judging.judged_lists import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.scanned_runs import ScannedRuns, judged_lists
from irassay.lab.answers import working_in
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings, stacked_batches
from irassay.scores import Scores
from irassay.scoring.batches import batch_scores, row_scores
from irassay.scoring.columns import Columns
from irassay.scoring.score import parsed_metrics, scores_of

MAX_BYTES = 1 << 30  # of arrays in memory


@dataclass(frozen=True)
class CollectionFiles:
    """The judgements and runs of a collection, or its score tables, by path from its folder."""

    folder: str
    qrels: str = ""
    runs: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    reading: tuple[tuple[str, str], ...] = ()  # names and files of settings that say how to read them

    def used_settings(self, metrics: Sequence[Metric]) -> dict[str, Any]:
        """The settings that change the scores by these metrics."""
        used = {name for metric in metrics for name in metric.uses}
        used |= {"topic_params"} if any("@" in str(value) for m in metrics for value in m.params.values()) else set()
        return {name: file for name, file in self.reading if name in used}

    def scores(self, metrics: list[str]) -> Scores:
        """The scores by these metrics, from judged lists that are read once."""
        if self.tables:
            from irassay.io.tables import read_scores

            with working_in(Path(self.folder)):
                scores = read_scores(list(self.tables))
            return scores.with_metrics(metrics) if metrics else scores
        parsed = parsed_metrics(metrics)
        needs = frozenset().union(*(metric.needs for metric in parsed)) - {"pool"}
        policy = JudgingPolicy(**self.used_settings(parsed))
        lists = CACHE.lists(self, needs, policy)
        if lists is None or any(metric.meaning.ties != "docid" for metric in parsed):
            with working_in(Path(self.folder)):
                return scores_of(list(self.runs), self.qrels, parsed, judging=policy)
        return lists.scores(parsed)

    def max_grade(self) -> float | None:
        """The top of the judging scale, once something was scored; None if runs are judged in parts."""
        lists = CACHE.newest(self)
        return None if lists is None else float(lists.lists[0].batches[0].max_grade)


class JudgedStack:
    """The judged lists of a collection; runs of one depth over one pool are one batch, which is scored at once."""

    def __init__(self, lists: list[JudgedLists]) -> None:
        self.lists = lists
        self.alone: list[int] = []  # runs that are scored by themselves
        self.batches: list[tuple[list[int], Rankings]] = []
        groups: dict[tuple[int, int], list[int]] = {}
        for n, run in enumerate(lists):
            r = run.batches[0]
            if run.queries is None and len(run.batches) == 1 and not r.passages.repeated.any():
                groups.setdefault((id(r.pool), r.depth), []).append(n)
            else:
                self.alone.append(n)
        for runs in groups.values():
            self.batches.append((runs, stacked_batches([lists[n].batches[0] for n in runs])))

    @property
    def size(self) -> int:
        """The bytes of its arrays."""
        batches = [r for run in self.lists for r in run.batches] + [r for _, r in self.batches]
        return sum(r.grade.nbytes + r.judged.nbytes + r.aspects.nbytes for r in batches)

    def scores(self, metrics: list[Metric]) -> Scores:
        """The scores of the runs; the same numbers as those of `score`."""
        columns = Columns(metrics)
        by_run: dict[int, Floats] = {n: row_scores(self.lists[n], metrics) for n in self.alone}
        for runs, r in self.batches:
            cut = r if columns.reach is None or columns.reach >= r.depth else r.top(columns.reach)
            parts = np.split(batch_scores(cut, metrics), np.cumsum([len(self.lists[n].batches[0]) for n in runs])[:-1])
            by_run |= dict(zip(runs, parts, strict=True))
        values = np.stack([columns.scores(run, by_run[n])[0] for n, run in enumerate(self.lists)])
        return columns.cube(values, [run.name for run in self.lists], self.lists[0].topics, ())


class ListCache:
    """The judged lists of the collections used last."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._kept: OrderedDict[Any, JudgedStack | None] = OrderedDict()

    def lists(self, files: CollectionFiles, needs: frozenset[str], policy: JudgingPolicy) -> JudgedStack | None:
        """The judged lists of a collection; None if its runs are so long that they are judged in parts."""
        key = (files, needs, policy)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with working_in(Path(files.folder)):
            runs, qrels = open_inputs(list(files.runs), files.qrels)
            judged = judged_lists(runs, qrels, policy, needs, None)
            in_parts = isinstance(judged, ScannedRuns) and judged.in_blocks
            lists = None if in_parts else JudgedStack(list(judged))
        self._kept[key] = lists
        while len(self._kept) > 1 and sum(each.size for each in self._kept.values() if each) > self.max_bytes:
            self._kept.popitem(last=False)
        return lists

    def newest(self, files: CollectionFiles) -> JudgedStack | None:
        """The judged lists of a collection that were used last; None if there are none."""
        return next((lists for (of, *_), lists in reversed(self._kept.items()) if of == files), None)


CACHE = ListCache()
