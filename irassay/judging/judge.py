"""Judge: a run and judgements to Rankings. The only join of documents to judgements."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.io.sources import Source, ahead, files
from irassay.io.trec import Qrels, Run, distinct, run_from, tag
from irassay.judging.lookup import Found, looked_up, refuse
from irassay.judging.order import By, Lists, Ordering, Precision, Ties, lists
from irassay.judging.pool import Offer, Weights, offered
from irassay.prose import counted, some
from irassay.rankings.batch import Rankings, neutral

OnDuplicate = Literal["error", "first", "nonrelevant"]
Missing = Literal["zero", "skip", "error"]


@dataclass(frozen=True, eq=False)
class Judged:
    """A run's lists with their grades, and what a reader of its scores should know."""

    name: str
    rankings: Rankings
    topics: tuple[str, ...]  # what the rows of the pool are called
    notes: tuple[str, ...] = ()


def judge(
    run: Run,
    qrels: Qrels,
    *,
    order: By = "score",
    ties: Ties = "docid",
    score_precision: Precision = "double",
    on_duplicate: OnDuplicate = "error",
    missing: Missing = "zero",
    depth: int | None = None,
    max_grade: float | None = None,
    subtopics: bool = False,
    weights: Weights | None = None,
    lengths: Mapping[str, float] | pl.DataFrame | None = None,
    costs: Mapping[str, float] | None = None,
    topic_params: Mapping[str, Mapping[str, float]] | None = None,
) -> Judged:
    """The run's lists with their grades: one for each judged topic, in the order of the judgements.

    >>> judged = judge(Run.of({"1": {"a": 0.5, "b": 0.9}}), Qrels.of({"1": {"a": 2, "c": 1}}))
    >>> judged.rankings.grade, judged.rankings.judged
    (array([[0., 2.]]), array([[False,  True]]))
    """
    _check(on_duplicate=(on_duplicate, OnDuplicate), missing=(missing, Missing))
    offer = offered(qrels, subtopics, weights)
    results = lists(run, offer.topics, Ordering(order, ties, score_precision))
    notes = [*run.notes, *qrels.notes, *_on_topics(run, qrels, results, missing)]
    if results.tied:
        notes.append(f"{run.name}: {counted(results.tied, 'topic')} with equal scores, which document ids put in order")
    if results.unsettled:
        notes.append(
            f"{run.name}: {counted(len(results.unsettled), 'topic')} in one order when scores are compared in single "
            f"precision (as in trec_eval 9) and in another in double; {score_precision} was used"
        )
    if qrels.varied and not subtopics:
        notes.append(
            f"column 2 of {qrels.source} varies in {counted(qrels.varied, 'topic')} and was ignored; a document judged "
            "more than once has its largest grade"
        )
    found = looked_up(run, results, offer.index)
    repeats = np.zeros(0, dtype=np.int64)
    if len(found.copies):
        if on_duplicate == "error":
            refuse(found.copies, run, results, qrels.topics)
        done = "the best placed of each kept" if on_duplicate == "first" else "later ones kept as not relevant"
        notes.append(f"{run.name}: {counted(len(found.copies), 'repeated result')}, {done}")
        repeats = found.copies if on_duplicate == "nonrelevant" else repeats
        results, found = _without_copies(run, results, found, offer, on_duplicate)
    if depth is not None and depth < 1:
        raise InputError(f"depth={depth}; expected a number of results, 1 or more")
    places = Places(results, len(offer.topics), depth)
    words, unknown = _words(run, places, lengths)
    if unknown:
        notes.append(f"{run.name}: {counted(unknown, 'result')} without a length in the file of lengths")
    if weights is not None and subtopics:
        judged = {(t, s) for t, s in qrels.frame.select("topic", "subtopic").unique().rows()}
        unjudged = sum((t, s) not in judged for t, of in weights.items() for s in of)
        if unjudged:
            notes.append(f"weights name {counted(unjudged, 'subtopic')} that no document was judged for")
    carried = {"aspects": subtopics} | {
        name: given is not None for name, given in (("weights", weights), ("lengths", lengths), ("costs", costs))
    }
    rankings = Rankings(
        **_grades(offer, places, found, repeats, subtopics),
        retrieved=places.retrieved,
        topic=np.arange(len(offer.topics)),
        pool=offer.pool,
        max_grade=_scale(qrels, max_grade),
        **{**neutral(len(offer.topics), places.depth), **words, **_costs(run, places, costs)},
        carries=frozenset(name for name, given in carried.items() if given),
        topic_values=_topic_values(topic_params or {}, qrels.topics),
    )
    if missing == "skip" and len(results.topic) < len(offer.topics):
        rankings = rankings[np.sort(results.topic)]
    return Judged(run.name, rankings, qrels.topics, tuple(notes))


def judged_runs(paths: str | Path | Iterable[str | Path], qrels: Qrels, **options: Any) -> Iterator[Judged]:
    """Each run in files, folders and globs, judged with the options of `judge`; few are in memory at a time."""
    columns = ["rank"] * (options.get("order") == "rank") + ["kind"] * (options.get("costs") is not None)
    sources = [Source(path) for path in files(paths)]
    tagged = [tag(source) for source in sources]
    named = distinct(tagged, [source.name for source in sources])
    offered(qrels, options.get("subtopics", False), options.get("weights"))

    def judged(i: int) -> Judged:
        run = run_from(sources[i], columns)
        return judge(run if named[i] == tagged[i] else replace(run, name=named[i]), qrels, **options)

    yield from ahead(judged, range(len(sources)))


class Places:
    """Where the results of lists lie in arrays [n, depth]."""

    def __init__(self, results: Lists, n: int, depth: int | None) -> None:
        self.results = results
        whole = np.zeros(n, dtype=np.int64)
        whole[results.topic] = results.size
        self.retrieved = whole if depth is None else np.minimum(whole, depth)  # [n]
        self.depth = int(self.retrieved.max(initial=0))

    def cell(self, place: Ints) -> tuple[Ints, Bools]:
        """Where those of some ascending places that lie within the depth are in the flattened array; which ones do."""
        one = self.results.list_of(place)
        column = place - self.results.start[one]
        within = column < self.depth
        return (self.results.topic[one] * self.depth + column)[within], within

    def layout(self, values: Floats, past: float) -> Floats:
        """[n, depth] values by row of the run's frame; `past` beyond the end of a list."""
        place = np.arange(self.results.size.sum())
        cell, within = self.cell(place)
        array = np.full(len(self.retrieved) * self.depth, past)
        array[cell] = values[self.results.row(place[within])]
        return array.reshape(len(self.retrieved), self.depth)


def _check(**choices: tuple[str, Any]) -> None:
    for name, (value, known) in choices.items():
        if value not in get_args(known):
            raise InputError(f"{name}={value!r} is not known; choose one of {', '.join(get_args(known))}")


def _on_topics(run: Run, qrels: Qrels, results: Lists, missing: Missing) -> list[str]:
    """What is to be said of topics that only the run or only the judgements have."""
    answered = set(results.topic.tolist())
    absent = [name for row, name in enumerate(qrels.topics) if row not in answered]
    if run.frame.height and not answered:
        raise InputError(
            f"no topic of {run.source} (it has {some(run.topics, 3)}) is judged in {qrels.source} (it has "
            f"{some(qrels.topics, 3)}); check that the two belong together"
        )
    if absent and missing == "error":
        raise InputError(
            f"{run.source} has no results for {counted(len(absent), 'judged topic')} ({some(absent)}); add them, "
            "or say missing='zero' or 'skip' (--missing)"
        )
    notes = []
    if results.unknown:
        left_out = f"{counted(len(results.unknown), 'topic')} not judged and left out ({some(results.unknown)})"
        notes.append(f"{run.name}: {left_out}")
    if absent:
        done = "counted as 0" if missing == "zero" else "skipped"
        notes.append(f"{run.name}: {counted(len(absent), 'judged topic')} without results {done} ({some(absent)})")
    return notes


def _without_copies(
    run: Run, results: Lists, found: Found, offer: Offer, on_duplicate: OnDuplicate
) -> tuple[Lists, Found]:
    """Further copies of a document left out, or kept as results that are not judged."""
    if on_duplicate == "first":
        results = results.without(found.copies)
        return results, looked_up(run, results, offer.index)
    once = ~np.isin(found.place, found.copies)
    return results, replace(found, place=found.place[once], entry=found.entry[once])


def _grades(offer: Offer, places: Places, found: Found, repeats: Ints, subtopics: bool) -> dict[str, Any]:
    """The grades of the results that are judged, in all and by aspect; repeats are known to be worth nothing."""
    cell, within = places.cell(found.place)
    source = offer.index.place[found.entry[within]]
    shape = len(places.retrieved), places.depth
    grade, judged = np.zeros(shape), np.zeros(shape, dtype=bool)
    grade.ravel()[cell] = offer.pool.grade.ravel()[source]
    judged.ravel()[cell] = True
    judged.ravel()[places.cell(repeats)[0]] = True
    if not subtopics:
        return {"grade": grade, "judged": judged, "aspects": grade[:, :, None]}
    offered_aspects = offer.pool.aspects.reshape(-1, offer.pool.aspects.shape[2])
    aspects = np.zeros((*shape, offered_aspects.shape[1]), dtype=offered_aspects.dtype)
    aspects.reshape(-1, offered_aspects.shape[1])[cell] = offered_aspects[source]
    return {"grade": grade, "judged": judged, "aspects": aspects}


def _scale(qrels: Qrels, max_grade: float | None) -> float:
    if max_grade is None:
        return qrels.max_grade or 1.0
    if max_grade < qrels.max_grade or max_grade <= 0:
        raise InputError(f"max_grade={max_grade:g}, but {qrels.source} has a grade {qrels.max_grade:g}; raise it")
    return float(max_grade)


def _words(run: Run, places: Places, lengths: Mapping[str, float] | pl.DataFrame | None) -> tuple[dict[str, Any], int]:
    """Document lengths, NaN where unknown, and how many retrieved documents that concerns."""
    if lengths is None:
        return {}, 0
    if isinstance(lengths, Mapping):
        lengths = pl.DataFrame({"doc": list(lengths), "words": list(map(float, lengths.values()))})
    past = float(lengths["words"].to_numpy().mean())
    joined = run.frame.select("doc").join(lengths, on="doc", how="left", maintain_order="left")
    words = places.layout(joined["words"].fill_null(np.nan).to_numpy(), past)
    return {"words": words, "past_words": past}, int(np.isnan(words).sum())


def _costs(run: Run, places: Places, costs: Mapping[str, float] | None) -> dict[str, Any]:
    """Costs by the kind of result in column 2 of the run; past the list, the largest."""
    if costs is None:
        return {}
    kind = run.carrying("kind").frame["kind"]
    unknown = (~kind.is_in(list(costs))).arg_true()
    if len(unknown):
        raise InputError(
            f"{run.place(int(unknown[0]))}: the kind of result {kind[int(unknown[0])]!r} has no cost (there are "
            f"some for {', '.join(costs)}); add it to the file of costs"
        )
    past = max(costs.values())
    by_row = kind.replace_strict(dict(costs), return_dtype=pl.Float64).to_numpy()
    return {"cost": places.layout(by_row, past), "past_cost": past}


def _topic_values(params: Mapping[str, Mapping[str, float]], topics: tuple[str, ...]) -> dict[str, Floats]:
    """[t] the value of each parameter for each topic."""
    values = {}
    for name, by_topic in params.items():
        absent = [topic for topic in topics if topic not in by_topic]
        if absent:
            raise InputError(
                f"the parameter {name} has no value for {counted(len(absent), 'topic')} ({some(absent)}); add them"
            )
        values[name] = np.array([float(by_topic[topic]) for topic in topics])
    return values
