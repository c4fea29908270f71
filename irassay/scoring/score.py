"""Runs and judgements to scores: every metric on every topic of every run."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Floats
from irassay.errors import InputError
from irassay.metrics.cwl import FOLLOWED
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.prose import counted
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.io.sessions import JudgedQueries
    from irassay.scores import Scores

CELLS_AT_A_TIME = 1 << 16  # results scored together, so that intermediate arrays stay in the cache

Progress = Callable[[int, int], None]


def scored(r: Rankings, metrics: Sequence[Metric], bounds: bool = False) -> Floats:
    """[n, metric] the scores of a batch, in blocks of rows; with bounds, three columns a metric."""
    rows = max(1, CELLS_AT_A_TIME // max(1, r.depth))
    parts = []
    for start in range(0, len(r), rows):
        block = r[start : start + rows]
        columns = []
        for metric in metrics:
            worst, best = metric.bounds(block) if bounds else (metric.score(block), None)
            columns += [worst] if best is None else [worst, worst, best]  # as judged, nothing is assumed either
        parts.append(np.stack(columns, axis=1))
    width = len(metrics) * (3 if bounds else 1)
    return np.concatenate(parts) if parts else np.zeros((0, width))


def resolved(metrics: Iterable[str | Metric], rel: float | None = None, judged_only: bool = False) -> list[Metric]:
    """Metrics from their strings, with the level of relevance and the condensing asked for of all of them."""
    found: dict[str, Metric] = {}
    for text in [metrics] if isinstance(metrics, str | Metric) else metrics:
        metric = at_level(parse(text), rel)
        if judged_only:
            metric = metric(judged_only=True)
        found.setdefault(str(metric), metric)
    if not found:
        raise InputError("no metric was given; name at least one, such as nDCG@10")
    return list(found.values())


def score(
    runs: Any,
    qrels: Any,
    metrics: Iterable[str | Metric],
    *,
    bounds: bool = False,
    judged_only: bool = False,
    rel: float | None = None,
    missing: str = "zero",
    no_relevant: str = "zero",
    progress: Progress | None = None,
    **reading: Any,
) -> "Scores":
    """The scores of runs against judgements, under every metric.

    `runs` are paths (files, folders, globs), Run objects, `{topic: {doc: score}}`, `{name: {topic: {doc: score}}}`
    or data frames; `qrels` likewise. Other options are the reading policies of the command line: order, ties,
    score_precision, on_duplicate, depth, max_grade, lengths, costs, weights, topic_params, qrels_format, run_format.

    >>> scores = score({"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1}}, ["RR", "P@1"])
    >>> scores.values.tolist()
    [[[0.5, 0.0]]]
    """
    from irassay.judging.batches import JudgedSessions, batches
    from irassay.scores import Scores

    top = reading.get("max_grade")
    if top is not None and not 0 < float(top) <= 1000:
        raise InputError(f"--max-grade {top}: the top of the scale must be a number above 0 and at most 1000")
    asked = resolved(metrics, rel, judged_only)
    names = [name for m in asked for name in ((f"{m}", f"{m}[worst]", f"{m}[best]") if bounds else (f"{m}",))]
    directions = [m.meaning.higher_is_better for m in asked for _ in range(3 if bounds else 1)]
    worst_is_zero = np.repeat([m.meaning.higher_is_better and m.range[1] > 0 for m in asked], 3 if bounds else 1)
    systems: dict[str, Floats] = {}
    notes = twice_given(runs) + (weightless(asked) if reading.get("weights") is not None else [])
    topics: tuple[str, ...] = ()
    needs = frozenset().union(*(m.meaning.needs for m in asked))
    for batch, total in batches(runs, qrels, needs, missing=missing, **reading):
        r, topics = batch.rankings, batch.topics
        values = np.full((len(topics), len(names)), np.nan)
        queries = batch.queries if isinstance(batch, JudgedSessions) else None
        values[r.topic] = batch_scores(r, queries, asked, bounds)
        unanswered = r.topic[(r.turns == 0) if "turns" in r.carries else (r.retrieved == 0)]
        values[unanswered] = np.where(worst_is_zero, 0.0, np.nan) if missing == "zero" else np.nan
        if len(unanswered) and missing == "zero" and not worst_is_zero.all():
            left = ", ".join(name for name, zero in zip(names, worst_is_zero, strict=True) if not zero)
            notes.append(
                f"{batch.name}: {len(unanswered)} unanswered topics are left out of {left}, whose worst is not 0"
            )
        if no_relevant == "skip":
            empty = nothing_relevant(r, asked, bounds)
            values[r.topic] = np.where(empty, np.nan, values[r.topic])
            left_out = int(empty.any(axis=1).sum())
            if left_out:
                notes.append(f"{counted(left_out, 'topic')} with nothing relevant left out (--no-relevant skip)")
        if batch.name in systems:
            raise InputError(f"two runs are called {batch.name}; give them different tags or file names")
        systems[batch.name] = values
        notes += still_there(batch.rankings, asked)
        notes += [note for note in batch.notes if note not in notes]
        if progress is not None:
            progress(len(systems), total)
    if not systems:
        raise InputError("there is no run to score")
    notes.append(
        f"the judging scale goes from 0 to {r.max_grade:g}"
        + ("" if reading.get("max_grade") else ", the largest grade given")
    )
    return Scores(
        np.stack(list(systems.values())), tuple(systems), topics, tuple(names), tuple(directions), notes=gathered(notes)
    )


def twice_given(runs: Any) -> list[str]:
    """A note on files that are named more than once, each of which is scored once."""
    named = [str(run) for run in runs] if isinstance(runs, list | tuple) and all(map(_is_path, runs)) else []
    again = [name for name in dict.fromkeys(named) if named.count(name) > 1]
    return [f"{', '.join(again)} given more than once, and scored once"] if again else []


def _is_path(run: Any) -> bool:
    return isinstance(run, str | Path)


def at_level(metric: Metric, rel: float | None) -> Metric:
    """The metric, and the one inside it if it wraps another, at a level of relevance, unless it has its own."""
    if rel is None:
        return metric
    if "metric" in metric.params:
        metric = metric(metric=str(at_level(parse(metric.params["metric"]), rel)))
    return metric(rel=rel) if "rel" in metric.params and "rel" not in dict(metric.given) else metric


def batch_scores(
    r: Rankings, queries: "JudgedQueries | None", metrics: Sequence[Metric], bounds: bool = False
) -> Floats:
    """[n, column] the scores of a batch; of sessions, metrics that know none are averaged over the queries."""
    if queries is None:
        return scored(r, metrics, bounds)
    columns = [
        scored(r, [m], bounds)
        if "turns" in m.meaning.needs
        else np.stack([queries.mean(column) for column in scored(queries.rankings, [m], bounds).T], axis=1)
        for m in metrics
    ]
    return np.concatenate(columns, axis=1)


def weightless(metrics: Sequence[Metric]) -> list[str]:
    """A note on metrics by aspect that take all aspects alike, whatever the weights."""
    alike = [str(m) for m in metrics if "aspects" in m.meaning.needs and not m.meaning.weighted]
    return [f"weights change nothing for {', '.join(alike)}, which take all aspects alike"] if alike else []


def still_there(r: Rankings, metrics: Sequence[Metric]) -> list[str]:
    """A note for each user model that was followed for want of a closed form, and then still had users."""
    notes = []
    for metric in metrics:
        if metric.is_model and metric.params["end"] in ("infinite", "leak") and metric.params["horizon"] is None:
            left = metric.browse(metric.seen(r)).still_there() if metric.has_no_tail(r) else 0.0
            if left > 1e-9:
                notes.append(
                    f"{metric} was followed for {FOLLOWED:,} ranks, where up to {left:.1g} of its users are left"
                )
    return notes


def gathered(notes: Sequence[str]) -> tuple[str, ...]:
    """Notes that say the same of several runs, put together.

    >>> gathered(["A: 2 topics are not judged", "B: 1 topics are not judged", "C: 3 topics are not judged"])
    ('3 runs (A, B, C): in all 6 topics are not judged',)
    """
    alike: dict[str, list[tuple[str, int, str]]] = {}
    for note in notes:
        match = re.fullmatch(r"(\S+): ([\d,]+) (.*)", note, re.DOTALL)
        text, run, count = (match[3], match[1], int(match[2].replace(",", ""))) if match else (note, "", 0)
        many = re.sub(r"\b(topic|document|result|judgement)\b", r"\1s", text, count=1) if match else text
        alike.setdefault(many, []).append((run, count, note))
    found: list[str] = []
    for text, runs in alike.items():
        if len(runs) < 3 or not runs[0][0]:
            found += dict.fromkeys(note for _, _, note in runs)
        else:
            some = ", ".join(run for run, _, _ in runs[:3]) + (", …" if len(runs) > 3 else "")
            found.append(f"{len(runs)} runs ({some}): in all {sum(count for _, count, _ in runs):,} {text}")
    return tuple(found)


def nothing_relevant(r: Rankings, metrics: Sequence[Metric], bounds: bool) -> np.ndarray:
    """[n, column] true where a topic has no document at the metric's level of relevance."""
    columns = [
        replace(r, metric_view=replace(r.metric_view, rel=m.params.get("rel", 1))).relevant_known == 0 for m in metrics
    ]
    return np.repeat(np.stack(columns, axis=1), 3 if bounds else 1, axis=1)
