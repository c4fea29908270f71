"""Two rankings of one topic side by side, and what each rank contributes to the difference of their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Run
from irassay.judging.judge import judge
from irassay.judging.judged_lists import JudgedRun
from irassay.judging.runs import judged_runs
from irassay.metrics.explanation import explanation
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings
from irassay.rankings.scenarios import condensed
from irassay.saving import Saved
from irassay.scoring.judged_runs import JudgedRuns

ROUNDING = 1e-14  # of a score: what is left of equal terms


@dataclass(frozen=True, eq=False)
class RankShares(Saved):
    """The two rankings of a topic with grades and gains, and what each rank adds to each score.

    The shares of all ranks and the share past them add up to the difference of the two scores.
    """

    saved_as: ClassVar[str] = "rank-shares"

    topic: str
    documents: tuple[tuple[str, ...], tuple[str, ...]]  # [list][rank]
    grade: Floats  # [2, rank] as judged; NaN if unjudged or past the list
    gain: Floats  # [2, rank] NaN past the list, and if the score does not come from gains
    adds: Floats  # [2, rank] what the rank adds to the list's score
    past: Floats  # [2] what the rest of the list adds to its score
    elsewhere: Ints  # [2, rank] the rank of the document in the other list; 0 if it is not there
    score: Floats  # [2]
    terms: bool  # whether `adds` are the terms of a sum over ranks; otherwise lists were cut rank by rank

    @property
    def share(self) -> Floats:
        """[rank] what the rank adds to the difference of the scores, first minus second; 0 below rounding."""
        share: Floats = self.adds[0] - self.adds[1]
        return np.where(np.abs(share) <= ROUNDING * np.abs(self.score).max(), 0.0, share)

    @property
    def past_share(self) -> float:
        """What the rest of the lists adds to the difference, first minus second."""
        return float(self.past[0] - self.past[1])


def rank_shares(inputs: JudgedRuns, metric: Metric, topic: str, scores: Mapping[str, float]) -> RankShares:
    """The rankings of a topic by two systems, side by side; `scores` has the score of each, even for an empty list."""
    source = judged_runs(inputs.runs, inputs.qrels, inputs.judging, metric.meaning.needs)
    explained_lists = []
    for given in (next(run for run in source.runs if run.name == name) for name in scores):
        run = given if isinstance(given, Run) else given.read(source.policy)
        documents, r = _list(run, judge(run, source.judgements, source.policy, separate_pools=True), topic, metric)
        explained_lists.append((documents, r, explanation(metric, r, documents, max(len(documents), 1))))
    depth = max(len(documents) for documents, _, _ in explained_lists)

    def wide(lists: Sequence[Floats], past: float) -> Floats:
        return np.stack([np.append(each, np.full(max(0, depth - len(each)), past))[:depth] for each in lists])

    places = [{doc: i for i, doc in reversed(list(enumerate(docs, 1)))} for docs, _, _ in explained_lists]
    elsewhere = [np.array([places[1 - n].get(doc, 0) for doc in explained_lists[n][0]]) for n in (0, 1)]
    adds = wide([each.earned for _, _, each in explained_lists], 0.0)
    known = zip(explained_lists, scores.values(), strict=True)
    score = np.array([each.score if documents else by_policy for (documents, _, each), by_policy in known])
    return RankShares(
        topic=topic,
        documents=(explained_lists[0][0], explained_lists[1][0]),
        grade=wide([np.where(r.judged[0], r.grade[0], np.nan) for _, r, _ in explained_lists], np.nan),
        gain=wide([each.gain[: len(docs)] for docs, _, each in explained_lists], np.nan),
        adds=adds,
        past=score - adds.sum(axis=1),
        elsewhere=wide(elsewhere, 0).astype(np.int64),
        score=score,
        terms=metric.is_model or metric.meaning.kind == "stop_model",
    )


def _list(run: Run, judged: JudgedRun, topic: str, metric: Metric) -> tuple[tuple[str, ...], Rankings]:
    """The documents of a topic in ranked order, and their batch of one, down to the depth that the metric looks at."""
    if "turns" in judged.batches[0].carries:
        raise InputError("Rankings of sessions cannot be shown side by side; leave out ", argument("topic"), ".")
    number = judged.topics.index(topic)
    r = next(r[of == number] for r, of in zip(judged.batches, judged.topic, strict=True) if number in of)
    results = judged.cells[0].results
    which = np.flatnonzero(results.topic == number)
    start = int(results.start[which[0]]) if len(which) else 0
    rows = results.row(start + np.arange(int(r.retrieved[0])))
    documents = np.array(run.frame["doc"].gather(rows).to_list(), dtype=object)
    r = r.top(max(1, len(documents)))
    if metric.params["judged_only"]:
        documents = documents[(r.judged & (r.grade >= 0))[0, : len(documents)]]
        r = condensed(r)
    size = len(documents) if metric.size is None else min(metric.size, len(documents))
    return tuple(documents[:size].tolist()), r.top(max(1, size))
