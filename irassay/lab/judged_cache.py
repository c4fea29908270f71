"""Judged lists of collections, kept in memory so that a moved slider scores without reading; bounded by size."""

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from irassay.io.input_files import open_inputs
from irassay.judging.judged import JudgedLists
from irassay.judging.policy import JudgingPolicy
from irassay.judging.scanned import ScannedRuns, judged_lists
from irassay.lab.answers import inside
from irassay.metrics.metric import Metric
from irassay.scores import Scores
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

    def scores(self, metrics: list[str]) -> Scores:
        """The scores by these metrics, from judged lists that are read once."""
        if self.tables:
            from irassay.io.tables import read_scores

            with inside(Path(self.folder)):
                scores = read_scores(list(self.tables))
            return scores.with_metrics(metrics) if metrics else scores
        parsed = parsed_metrics(metrics)
        needs = frozenset().union(*(metric.needs for metric in parsed)) - {"pool"}
        lists = CACHE.lists(self, needs)
        if lists is None or any(metric.meaning.ties != "docid" for metric in parsed):
            with inside(Path(self.folder)):
                return scores_of(list(self.runs), self.qrels, parsed)
        return cached_scores(lists, parsed)


def cached_scores(lists: list[JudgedLists], metrics: list[Metric]) -> Scores:
    """The scores of judged runs; the same numbers as those of `score`."""
    columns = Columns(metrics)
    scored = [(run.name, run.topics, columns.scores(run, rows)[0]) for run, rows, _ in columns.runs_with_scores(lists)]
    values = np.stack([values for _, _, values in scored])
    return columns.cube(values, [name for name, _, _ in scored], scored[0][1], ())


class ListCache:
    """The judged lists of the collections used last."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self.most = most
        self._kept: OrderedDict[Any, list[JudgedLists] | None] = OrderedDict()

    def lists(self, files: CollectionFiles, needs: frozenset[str]) -> list[JudgedLists] | None:
        """The judged lists of a collection; None if its runs are so long that they are judged in parts."""
        key = (files, needs)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with inside(Path(files.folder)):
            runs, qrels = open_inputs(list(files.runs), files.qrels)
            judged = judged_lists(runs, qrels, JudgingPolicy(), needs, None)
            in_parts = isinstance(judged, ScannedRuns) and judged.in_blocks
            lists = None if in_parts else list(judged)
        self._kept[key] = lists
        while len(self._kept) > 1 and sum(map(size_of, self._kept.values())) > self.most:
            self._kept.popitem(last=False)
        return lists


def size_of(lists: list[JudgedLists] | None) -> int:
    """The bytes of the arrays of judged lists."""
    batches = [batch for run in lists or () for batch in run.batches]
    return sum(batch.grade.nbytes + batch.judged.nbytes + batch.aspects.nbytes for batch in batches)


CACHE = ListCache()
