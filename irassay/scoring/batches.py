"""Scores of batches of judged lists, some rows at a time."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from irassay.arrays import Bools, Floats
from irassay.judging.judged_lists import JudgedLists
from irassay.metrics.metric import MAX_PADDING, BrowsingCache, Metric
from irassay.parallel import map_blocks
from irassay.rankings.batch import MAX_RANK, Rankings

CELLS_AT_A_TIME = 1 << 16  # scored together, so that intermediate arrays stay in the cache
ROWS_AT_A_TIME = 1 << 12


def batch_scores(r: Rankings, metrics: Sequence[Metric], bounds: bool = False) -> Floats:
    """[n, metric] the scores of a batch, in blocks of rows; with bounds, three columns per metric."""
    far = max(padding_depth(metrics), r.pool.grade.shape[1] if bounds else 0)  # bounds give each list its own pool
    parts = map_blocks(_row_scores, row_blocks(r, far), (r, metrics, bounds))
    return np.concatenate(parts) if parts else np.zeros((0, len(metrics) * (3 if bounds else 1)))


def _row_scores(rows: slice, shared: tuple[Rankings, Sequence[Metric], bool]) -> Floats:
    """[n, metric] as `batch_scores`, for some rows."""
    r, metrics, bounds = shared
    block, columns, cache = r[rows], list[Floats](), BrowsingCache()
    for metric in metrics:
        worst, best = metric.bounds(block) if bounds else (metric.score(block, cache), None)
        columns += [worst] if best is None else [worst, worst, best]  # as judged is the worst case
    return np.stack(columns, axis=1)


def padding_depth(metrics: Sequence[Metric]) -> int:
    """How far metrics follow ranks past the end of a list, if that is unusually far; else 0."""
    far = max((min(max(m.size or 0, m.params.get("horizon") or 0), MAX_RANK) for m in metrics), default=0)
    return far if far > MAX_PADDING else 0


def row_blocks(r: Rankings, far: int = 0) -> list[slice]:
    """Some rows of a batch at a time; few if metrics go far past the end of a list."""
    rows = rows_at_a_time(max(1, r.depth, far, int(r.turns.max(initial=0))))
    return [slice(start, start + rows) for start in range(0, len(r), rows)]


def rows_at_a_time(wide: int) -> int:
    """The number of lists of this width that are scored together."""
    return min(ROWS_AT_A_TIME, max(1, CELLS_AT_A_TIME // wide))


def row_scores(run: JudgedLists, metrics: Sequence[Metric], bounds: bool = False) -> Floats:
    """[n, column] the scores of a run's rows; for sessions, metrics of single lists are averaged over the queries."""
    queries = run.queries
    if queries is None:
        return run.in_order([batch_scores(r, metrics, bounds) for r in run.batches])
    topic = run.in_order(run.topic)
    columns = []
    for metric in metrics:
        if "turns" in metric.meaning.needs:
            columns.append(run.in_order([batch_scores(r, [metric], bounds) for r in run.batches]))
        else:
            each = queries.in_order([batch_scores(r, [metric], bounds) for r in queries.batches])
            columns.append(np.stack([queries.mean(column)[topic] for column in each.T], axis=1))
    return np.concatenate(columns, axis=1)


def followed_models(batches: Sequence[Rankings], metrics: Sequence[Metric]) -> list[int] | None:
    """The user models followed rank by rank, without a closed form; None if there is no list to tell by."""
    first = next((r[:1] for r in batches if len(r)), None)
    if first is None:
        return None
    models = [(m, metric, metric.params) for m, metric in enumerate(metrics) if metric.is_model]
    endless = [(m, metric) for m, metric, p in models if p["end"] in ("infinite", "leak") and p["horizon"] is None]
    return [m for m, metric in endless if metric.has_no_tail(first)]


def remaining_users(batches: Sequence[Rankings], metrics: Sequence[Metric], models: Sequence[int] | None) -> Floats:
    """[metric] the largest share of users left at the last rank, for models that are followed; else 0."""
    left = np.zeros(len(metrics))
    for m in models or ():
        shares = (map_blocks(_share_left, row_blocks(r), (r, metrics[m])) for r in batches)
        left[m] = max(chain.from_iterable(shares), default=0.0)
    return left


def _share_left(rows: slice, shared: tuple[Rankings, Metric]) -> float:
    """The largest share of users left at the last rank of some rows."""
    r, metric = shared
    return metric.browse(metric.seen(r[rows])).still_there()


def nothing_relevant(r: Rankings, metrics: Sequence[Metric], rel: float) -> Bools:
    """[n, metric] whether a topic has no document at the metric's level of relevance, or if it has none, at `rel`."""
    views = (replace(r.metric_view, rel=m.params.get("rel", rel)) for m in metrics)
    return np.stack([replace(r, metric_view=view).relevant_known == 0 for view in views], axis=1)
