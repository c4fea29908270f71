"""The same runs under other judgements: looked up once, scored for every alteration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.judging.judged_lists import JudgedRun, rows_by_length
from irassay.judging.missing_topics import scores_with_unanswered
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import document_judgements, judged_runs
from irassay.meta.robustness.altered_judgements import (
    Confusion,
    Judgements,
    check_any_alteration,
    judgements_without_team,
    noisy_judgements,
    original_judgements,
    pooled_judgements,
    thinned_judgements,
)
from irassay.meta.shared_options import refuse_without_team
from irassay.metrics.metric import Metric
from irassay.notes import Note, merged_notes
from irassay.parallel import check_cancelled
from irassay.rankings.batch import Rankings, stacked_batches
from irassay.rankings.pool import Pool
from irassay.scores import Scores
from irassay.scoring.batches import batch_scores, nothing_relevant
from irassay.scoring.columns import Columns
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.remarks import check_any_judged
from irassay.scoring.score import score
from irassay.stats.clusters import group_codes
from irassay.stats.draws import name_codes

MAX_PLACES = 1 << 29  # topics times documents of the largest topic


@dataclass(frozen=True, eq=False)
class RejudgedScores:
    """Scores under judgements altered in one way, to one degree, once."""

    kind: str  # other, thin, pool, noise, team
    level: str  # the share kept, the depth, the team
    repeat: int
    scores: Scores
    judged: int  # documents judged; 0 if unknown
    own: tuple[str, ...] = ()  # the runs of the team whose finds are left out


@dataclass(frozen=True, eq=False)
class PooledLists:
    """Lists of similar length, of several runs, as places in the pool of judged documents."""

    lists: Rankings  # with the original grades
    system: Ints  # [list]
    place: NDArray[np.int32]  # [list, rank] in the flattened pool, -1 where not judged

    def regraded(self, judgements: Judgements) -> Rankings:
        """The lists with these grades, but with their original pool; a copy of a document is still worth nothing."""
        pool = judgements.pool
        kept = np.append(judgements.kept.ravel(), False)[self.place]  # -1 is the last
        grade = np.where(kept, np.append(judgements.grade.ravel(), 0.0)[self.place], 0.0)
        aspects: Any = grade[:, :, None]
        if pool.aspects.shape[2] > 1:
            flat = pool.aspects.reshape(-1, pool.aspects.shape[2])
            aspects = flat[self.place.clip(min=0)] * kept[:, :, None]
        judged = kept | (self.lists.judged & (self.place < 0))
        return replace(self.lists, grade=grade, judged=judged, aspects=aspects)

    def top(self, depth: int | None) -> "PooledLists":
        """The lists cut to this depth, if there is one."""
        return replace(self, lists=self.lists.top(depth or self.lists.depth), place=self.place[:, :depth])


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """The results of the runs, as places in the pool of judged documents."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    parts: tuple[PooledLists, ...]
    pool: Pool
    max_grade: float
    no_relevant: str  # zero or skip: what to do with topics without relevant documents in the original judgements
    rel: float  # the level of relevance of metrics that have none of their own
    notes: tuple[Note, ...]

    @property
    def places(self) -> list[NDArray[np.int32]]:
        """[part][list, rank] the places of results in the flattened pool."""
        return [part.place for part in self.parts]

    def scores(self, judgements: Judgements, metrics: Sequence[Metric]) -> Scores:
        """The scores of all runs under these judgements."""
        scores = np.full((len(self.systems), len(self.topics), len(metrics)), np.nan)
        columns, altered = Columns(metrics), judgements.as_pool()
        for part in self.parts:
            cut = part.top(columns.reach)
            r = replace(cut.regraded(judgements), pool=altered)
            values = scores_with_unanswered(r, batch_scores(r, metrics), metrics, "zero")
            if self.no_relevant == "skip":
                values[nothing_relevant(cut.lists, metrics, self.rel)] = np.nan
            scores[part.system, r.topic] = values
        return columns.cube(scores, self.systems, self.topics, self.notes)


def pooled_runs(
    runs: Any,
    qrels: Any,
    metrics: Sequence[Metric],
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> PooledRuns:
    """The runs, with every result looked up in the pool of judged documents."""
    needs = frozenset().union(*(metric.meaning.needs for metric in metrics))
    policy = judging
    if policy.column_2 == "auto" and "aspects" in needs:
        policy = replace(policy, qrels_format="subtopic")
    judged = judged_runs(runs, document_judgements(runs, qrels, judging), policy, needs)
    pool = judged.pool
    if len(pool.size) * int(pool.size.max(initial=0)) > MAX_PLACES:
        largest = list(pool.topics)[int(pool.size.argmax())]
        raise InputError(
            f"Topic {largest} has {int(pool.size.max()):,} judged documents; {len(pool.size):,} topics of that size "
            "take too much memory. Leave it out, or give fewer topics."
        )
    each = list(judged)
    if not each:
        raise InputError("There is no run to score; give at least one.")
    by_query = next((metric for metric in metrics if "turns" not in metric.meaning.needs), None)
    if by_query is not None and any(run.queries is not None for run in each):
        found = f"{by_query} scores each query of a session by itself"
        fix = "give metrics of whole sessions, such as sDCG"
        raise InputError(f"{found}, which is not possible with changed judgements; {fix}.", found=found, fix=fix)
    notes = [note for run in each for note in run.notes if note not in pool.remarks]
    check_any_judged(notes, len(each), judging)
    top = pool.scale(policy.max_grade)
    return PooledRuns(
        systems=tuple(run.name for run in each),
        topics=each[0].topics,
        parts=tuple(_lists_by_length(each)),
        pool=pool.pool,
        max_grade=top,
        no_relevant=scoring.no_relevant,
        rel=scoring.level,
        notes=(*merged_notes(notes), Note(f"the judging scale goes from 0 to {top:g}")),
    )


def _lists_by_length(each: Sequence[JudgedRun]) -> Iterator[PooledLists]:
    """The lists of all runs, those of like length together."""
    batches = [(s, r, place) for s, run in enumerate(each) for r, place in zip(run.batches, run.places(), strict=True)]
    depths = np.array([r.depth for _, r, _ in batches for _ in range(len(r))])
    owner = np.repeat(np.arange(len(batches)), [len(r) for _, r, _ in batches])
    for rows in rows_by_length(depths):
        chosen = [batches[i] for i in np.unique(owner[rows])]
        lists = stacked_batches([r for _, r, _ in chosen])
        place = np.concatenate(
            [np.pad(p, [(0, 0), (0, lists.depth - p.shape[1])], constant_values=-1) for _, _, p in chosen]
        )
        yield PooledLists(lists, np.repeat([s for s, _, _ in chosen], [len(r) for _, r, _ in chosen]), place)


def rejudged_scores(
    judged_runs: JudgedRuns,
    *,
    other: Any = None,
    thin: Sequence[float] = (),
    pool_depth: Sequence[int] = (),
    noise: Confusion | None = None,
    groups: Mapping[str, str] | None = None,
    found_within: int | None = None,
    repeats: int = 20,
    seed: int = 0,
) -> tuple[Scores, list[RejudgedScores]]:
    """The scores of the runs under the original judgements and under each alteration.

    `other` are other judgements of the same topics. `thin` are shares to keep and `noise` is a confusion table, both
    drawn `repeats` times. `pool_depth` are depths to cut the pool to. `groups` gives the team of each run: the unique
    finds of each team, within its first `found_within` results, are left out in turn. The top of the scale stays that
    of the original judgements.
    """
    metrics = judged_runs.parsed_metrics
    pooled = pooled_runs(judged_runs.runs, judged_runs.qrels, metrics, judged_runs.judging, judged_runs.scoring)
    reference = pooled.scores(original_judgements(pooled.pool), metrics)
    by_name = name_codes(pooled.topics)
    cases: list[RejudgedScores] = []
    if other is not None:
        judging = replace(judged_runs.judging, max_grade=pooled.max_grade)
        other_scores = score(
            judged_runs.runs, other, metrics, judging=judging, scoring=replace(judged_runs.scoring, rel=None)
        )
        cases.append(RejudgedScores("other", "other", 0, other_scores, 0))

    def add(kind: str, level: str, judgements: Judgements, repeat: int = 0, own: tuple[str, ...] = ()) -> None:
        check_cancelled()
        cases.append(RejudgedScores(kind, level, repeat, pooled.scores(judgements, metrics), judgements.judged, own))

    for keep in thin:
        for repeat in range(repeats):
            add("thin", f"{keep:g}", thinned_judgements(pooled.pool, keep, seed, repeat, by_name), repeat)
    for depth in pool_depth:
        add("pool", f"{depth}", pooled_judgements(pooled.pool, pooled.places, depth))
    if noise is not None:
        for repeat in range(repeats):
            noisy = noisy_judgements(pooled.pool, noise, pooled.max_grade, seed, repeat, by_name)
            add("noise", "noise", noisy, repeat)
    if groups is not None:
        refuse_without_team(pooled.systems, groups)
        teams = list(dict.fromkeys(groups[system] for system in pooled.systems))
        list_teams = [group_codes([groups[system] for system in pooled.systems])[part.system] for part in pooled.parts]
        for number, name in enumerate(teams):
            own = tuple(system for system in pooled.systems if groups[system] == name)
            altered = judgements_without_team(pooled.pool, pooled.places, list_teams, number, found_within)
            add("team", name, altered, own=own)
    check_any_alteration(bool(cases))
    return reference, cases
