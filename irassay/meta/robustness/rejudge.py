"""The same runs under other judgements: looked up once, scored as often as judgements are altered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.meta.robustness.perturb import Confusion, Judgements, as_judged, noisy, pooled, thinned, without_team
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Pool, Rankings
from irassay.scores import Scores
from irassay.scoring.score import gathered, nothing_relevant, resolved, score, scored


@dataclass(frozen=True, eq=False)
class Case:
    """Scores under judgements that were altered in one way, to one degree, once."""

    kind: str  # other, thin, pool, noise, team
    level: str  # the share kept, the depth, the team
    repeat: int
    scores: Scores
    judged: int  # documents judged; 0 where that is not known
    own: tuple[str, ...] = ()  # the runs of the team that was left out


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """What the runs returned, as places in the pool of judged documents."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    lists: Rankings  # the lists of all runs, one run after the other; their grades are not used
    system: Ints  # [list]
    place: NDArray[np.int32]  # [list, rank] in the flattened pool, -1 where not judged
    pool: Pool
    max_grade: float
    no_relevant: str  # zero, or skip: topics in which the first judgements have nothing relevant
    notes: tuple[str, ...]

    def under(self, judgements: Judgements) -> Rankings:
        """The lists of all runs with these judgements."""
        known = np.append(judgements.kept.ravel(), False)[self.place]  # -1 is the last
        grade = np.where(known, np.append(judgements.grade.ravel(), 0.0)[self.place], 0.0)
        aspects: Any = grade[:, :, None]
        if self.pool.aspects.shape[2] > 1:
            flat = self.pool.aspects.reshape(-1, self.pool.aspects.shape[2])
            aspects = flat[self.place.clip(min=0)] * known[:, :, None]
        changed = {"grade": grade, "judged": known, "aspects": aspects, "pool": judgements.as_pool()}
        return replace(self.lists, **changed, max_grade=self.max_grade)

    def top(self, depth: int | None) -> "PooledRuns":
        """The lists cut to this depth."""
        if depth is None or depth >= self.lists.depth:
            return self
        return replace(self, lists=self.lists.top(depth), place=self.place[:, :depth])

    def scores(self, judgements: Judgements, metrics: Sequence[Metric]) -> Scores:
        """The scores of all runs with these judgements."""
        cut = self.top(_depth(metrics))
        r = cut.under(judgements)
        found = np.full((len(self.systems), len(self.topics), len(metrics)), np.nan)
        values = scored(r, metrics)
        values[r.retrieved == 0] = 0.0
        if self.no_relevant == "skip":
            values[nothing_relevant(cut.under(as_judged(self.pool)), metrics, bounds=False)] = np.nan
        found[self.system, r.topic] = values
        directions = tuple(metric.meaning.higher_is_better for metric in metrics)
        return Scores(found, self.systems, self.topics, tuple(map(str, metrics)), directions, notes=self.notes)


def retrieved(
    runs: Any,
    qrels: Any,
    metrics: Sequence[Metric],
    *,
    depth: int | None = None,
    max_grade: float | None = None,
    missing: str = "zero",
    no_relevant: str = "zero",
    weights: Any = None,
    qrels_format: str = "auto",
    **reading: Any,
) -> PooledRuns:
    """Looks up every result of every run in the pool, once; options are those of `score`."""
    import polars as pl

    from irassay.io.trec import Qrels
    from irassay.judging.batches import SIDE_FILES, batches
    from irassay.judging.pool import offered

    judgements = Qrels.of(qrels)
    needs = frozenset().union(*(metric.meaning.needs for metric in metrics))
    by_aspect = qrels_format == "subtopic" or (qrels_format == "auto" and "aspects" in needs)
    given: Any = SIDE_FILES["weights"](weights) if isinstance(weights, str | Path) else weights
    offer = offered(judgements, by_aspect, given)
    top = max_grade or judgements.max_grade or 1.0
    if top < judgements.max_grade:
        raise InputError(f"max_grade={top:g}, but {judgements.source} has a grade {judgements.max_grade:g}; raise it")
    # Judgements whose grades are the places themselves: joining them to a run finds the place of every result.
    width = offer.pool.grade.shape[1]
    where = pl.DataFrame({"place": offer.index.place, "doc": offer.index.docs}).sort("place")
    row = where["place"].to_numpy() // width
    frame = where.select(
        topic=pl.Series(np.array(judgements.topics, dtype=object)[row], dtype=pl.String),
        subtopic=pl.lit("0"),
        doc="doc",
        grade=pl.col("place").cast(pl.Float64),
    )
    index = Qrels(frame, judgements.source, judgements.notes)
    parts: list[Rankings] = []
    names: list[str] = []
    notes: list[str] = []
    for batch, _ in batches(runs, index, needs - {"aspects"}, depth=depth, missing=missing, **reading):
        parts.append(batch.rankings)
        names.append(batch.name)
        notes += batch.notes
    lists = stacked(parts)
    carries = lists.carries | ({"aspects"} if by_aspect else set()) | ({"weights"} if given is not None else set())
    return PooledRuns(
        systems=tuple(names),
        topics=judgements.topics,
        lists=replace(lists, carries=frozenset(carries)),
        system=np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
        place=np.where(lists.judged, lists.grade, -1).astype(np.int32),
        pool=offer.pool,
        max_grade=float(top),
        no_relevant=no_relevant,
        notes=(*gathered(list(dict.fromkeys(notes))), f"the judging scale goes from 0 to {top:g}"),
    )


def _depth(metrics: Sequence[Metric]) -> int | None:
    """How much of a list the metrics look at; None where that is not known beforehand."""
    cuts = [None if m.params["judged_only"] or "turns" in m.meaning.needs else m.cutoff for m in metrics]
    known = [cut for cut in cuts if cut is not None]
    return max(known) if known and len(known) == len(cuts) else None


def stacked(parts: Sequence[Rankings]) -> Rankings:
    """Several batches over one pool as one, the lists of the first batch first."""
    if not parts:
        raise InputError("there is no run to score")
    depth = max(part.depth for part in parts)
    wide = [part.to_depth(depth) for part in parts]

    def joined(name: str) -> Any:
        arrays = [getattr(part, name) for part in wide]
        if name in ("cost", "words", "turn"):
            if all(len(array) == 1 for array in arrays):
                return arrays[0]
            arrays = [np.broadcast_to(array, (len(part), depth)) for array, part in zip(arrays, wide, strict=True)]
        return np.concatenate(arrays)

    changed = ("grade", "judged", "retrieved", "topic", "cost", "words", "turn", "turns", "aspects")
    return replace(wide[0], **{name: joined(name) for name in changed})


def rejudged(
    runs: Any,
    qrels: Any,
    metrics: Iterable[str | Metric],
    *,
    other: Any = None,
    thin: Sequence[float] = (),
    pool_depth: Sequence[int] = (),
    noise: Confusion | None = None,
    groups: Mapping[str, str] | None = None,
    found_within: int | None = None,
    repeats: int = 20,
    seed: int = 0,
    rel: float | None = None,
    **reading: Any,
) -> tuple[Scores, list[Case]]:
    """The scores of the runs under the judgements given and under each alteration asked for.

    `other` are other judgements of the same topics; `thin` shares to keep, `noise` a confusion of grades, both
    drawn `repeats` times; `pool_depth` depths to cut the pool to. `groups` names the team of each run: every team's
    unique finds are left out in turn, a find being a result within the first `found_within`. The top of the
    scale stays that of the first judgements.
    """
    asked = resolved(metrics, rel)
    have = retrieved(runs, qrels, asked, **reading)
    reference = have.scores(as_judged(have.pool), asked)
    cases: list[Case] = []
    if other is not None:
        options = reading | {"max_grade": have.max_grade}
        cases.append(Case("other", "other", 0, score(runs, other, asked, **options), 0))
    for kind, level, repeat, judgements, own in _altered(
        have, thin, pool_depth, noise, groups, found_within, repeats, seed
    ):
        cases.append(Case(kind, level, repeat, have.scores(judgements, asked), judgements.judged, own))
    if not cases:
        raise InputError(
            "Nothing to compare the judgements with; give other judgements (--other), shares to keep (--thin), pool "
            "depths (--pool-depth), a confusion of grades (--noise) or teams (--groups)."
        )
    return reference, cases


def _altered(
    have: PooledRuns,
    thin: Sequence[float],
    pool_depth: Sequence[int],
    noise: Confusion | None,
    groups: Mapping[str, str] | None,
    found_within: int | None,
    repeats: int,
    seed: int,
) -> Iterator[tuple[str, str, int, Judgements, tuple[str, ...]]]:
    for keep in thin:
        for repeat in range(repeats):
            yield "thin", f"{keep:g}", repeat, thinned(have.pool, keep, seed, repeat), ()
    for depth in pool_depth:
        yield "pool", f"{depth}", 0, pooled(have.pool, have.place, depth), ()
    if noise is not None:
        for repeat in range(repeats):
            yield "noise", "noise", repeat, noisy(have.pool, noise, have.max_grade, seed, repeat), ()
    if groups is not None:
        unknown = [system for system in have.systems if system not in groups]
        if unknown:
            raise InputError(f"{len(unknown)} runs have no team in the groups, such as {unknown[0]}; add them.")
        teams = list(dict.fromkeys(groups[system] for system in have.systems))
        team: Ints = np.array([teams.index(groups[system]) for system in have.systems])[have.system]
        for number, name in enumerate(teams):
            own = tuple(system for system in have.systems if groups[system] == name)
            yield "team", name, 0, without_team(have.pool, have.place, team, number, found_within), own
