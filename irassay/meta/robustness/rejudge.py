"""The same runs under other judgements: looked up once, scored as often as judgements are altered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Ints
from irassay.errors import InputError, option_in_parentheses
from irassay.io.detection import reader_named, read_judgements
from irassay.judging.judged import JudgedRun, rows_by_length
from irassay.judging.missing_topics import scores_with_unanswered
from irassay.judging.policy import JudgingPolicy
from irassay.judging.runs import judged_runs
from irassay.meta.robustness.perturb import (
    Confusion,
    Judgements,
    judgements_without_team,
    noisy_judgements,
    original_judgements,
    pooled_judgements,
    thinned_judgements,
)
from irassay.metrics.metric import Metric
from irassay.notes import Note, merged_notes
from irassay.rankings.batch import Pool, Rankings, stacked_batches
from irassay.scores import Scores
from irassay.scoring.columns import Columns, nothing_relevant, batch_scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.policy import ScoringPolicy
from irassay.scoring.score import score

MAX_PLACES = 1 << 29  # places of documents, as many for each topic as the largest has, that are altered


@dataclass(frozen=True, eq=False)
class RejudgedScores:
    """Scores under judgements that were altered in one way, to one degree, once."""

    kind: str  # other, thin, pool, noise, team
    level: str  # the share kept, the depth, the team
    repeat: int
    scores: Scores
    judged: int  # documents judged; 0 where that is not known
    own: tuple[str, ...] = ()  # the runs of the team that was left out


@dataclass(frozen=True, eq=False)
class PooledLists:
    """Lists of like length, of several runs, as places in the pool of judged documents."""

    lists: Rankings  # their grades are those of the first judgements
    system: Ints  # [list]
    place: NDArray[np.int32]  # [list, rank] in the flattened pool, -1 where not judged

    def under(self, judgements: Judgements) -> Rankings:
        """The lists with these grades, though not with their pool; a copy of a document stays worth nothing."""
        pool = judgements.pool
        known = np.append(judgements.kept.ravel(), False)[self.place]  # -1 is the last
        grade = np.where(known, np.append(judgements.grade.ravel(), 0.0)[self.place], 0.0)
        aspects: Any = grade[:, :, None]
        if pool.aspects.shape[2] > 1:
            flat = pool.aspects.reshape(-1, pool.aspects.shape[2])
            aspects = flat[self.place.clip(min=0)] * known[:, :, None]
        judged = known | (self.lists.judged & (self.place < 0))
        return replace(self.lists, grade=grade, judged=judged, aspects=aspects)

    def top(self, depth: int | None) -> "PooledLists":
        """The lists cut to this depth."""
        if depth is None or depth >= self.lists.depth:
            return self
        return replace(self, lists=self.lists.top(depth), place=self.place[:, :depth])


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """What the runs returned, as places in the pool of judged documents."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    parts: tuple[PooledLists, ...]
    pool: Pool
    max_grade: float
    no_relevant: str  # zero, or skip: topics in which the first judgements have nothing relevant
    notes: tuple[Note, ...]

    @property
    def places(self) -> list[NDArray[np.int32]]:
        """[part][list, rank] where results lie in the flattened pool."""
        return [part.place for part in self.parts]

    def scores(self, judgements: Judgements, metrics: Sequence[Metric]) -> Scores:
        """The scores of all runs with these judgements."""
        found = np.full((len(self.systems), len(self.topics), len(metrics)), np.nan)
        altered = judgements.as_pool()
        for part in self.parts:
            cut = part.top(_depth(metrics))
            r = replace(cut.under(judgements), pool=altered)
            values = scores_with_unanswered(r, batch_scores(r, metrics), metrics, "zero")
            if self.no_relevant == "skip":
                values[nothing_relevant(cut.lists, metrics, bounds=False)] = np.nan
            found[part.system, r.topic] = values
        return Columns(metrics).cube(found, self.systems, self.topics, self.notes)


def pooled_runs(
    runs: Any,
    qrels: Any,
    metrics: Sequence[Metric],
    judging: JudgingPolicy = JudgingPolicy(),
    scoring: ScoringPolicy = ScoringPolicy(),
) -> PooledRuns:
    """Looks up every result of every run in the pool, once."""
    needs = frozenset().union(*(metric.meaning.needs for metric in metrics))
    policy = judging
    if policy.column_2 == "auto" and "aspects" in needs:
        policy = replace(policy, qrels_format="subtopic")
    judged = judged_runs(runs, read_judgements(qrels, reader_named("trec"), judging.qrels_file), policy, needs)
    pool = judged.pool
    if len(pool.size) * int(pool.size.max(initial=0)) > MAX_PLACES:
        largest = list(pool.topics)[int(pool.size.argmax())]
        raise InputError(
            f"Topic {largest} has {int(pool.size.max()):,} judged documents; {len(pool.size):,} topics as large as it "
            "take too much memory to alter; leave it out, or give fewer topics."
        )
    each = list(judged)
    if not each:
        raise InputError("there is no run to score")
    notes = [note for run in each for note in run.notes if note not in pool.remarks]
    top = pool.scale(policy.max_grade)
    return PooledRuns(
        systems=tuple(run.name for run in each),
        topics=each[0].topics,
        parts=tuple(_parts(each)),
        pool=pool.pool,
        max_grade=top,
        no_relevant=scoring.no_relevant,
        notes=(*merged_notes(notes), Note(f"the judging scale goes from 0 to {top:g}")),
    )


def _parts(each: Sequence[JudgedRun]) -> Iterator[PooledLists]:
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


def _depth(metrics: Sequence[Metric]) -> int | None:
    """How much of a list the metrics look at; None where that is not known beforehand."""
    cuts = [None if m.params["judged_only"] or "turns" in m.meaning.needs else m.cutoff for m in metrics]
    known = [cut for cut in cuts if cut is not None]
    return max(known) if known and len(known) == len(cuts) else None


def rejudged_scores(
    given: JudgedRuns,
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
    """The scores of the runs under the judgements given and under each alteration asked for.

    `other` are other judgements of the same topics; `thin` shares to keep, `noise` a confusion of grades, both
    drawn `repeats` times; `pool_depth` depths to cut the pool to. `groups` names the team of each run: every team's
    unique finds are left out in turn, a find being a result within the first `found_within`. The top of the
    scale stays that of the first judgements.
    """
    asked = given.resolved
    have = pooled_runs(given.runs, given.qrels, asked, given.judging, given.scoring)
    reference = have.scores(original_judgements(have.pool), asked)
    cases: list[RejudgedScores] = []
    if other is not None:
        judging = replace(given.judging, max_grade=have.max_grade)
        scored_anew = score(given.runs, other, asked, judging=judging, scoring=replace(given.scoring, rel=None))
        cases.append(RejudgedScores("other", "other", 0, scored_anew, 0))

    def add(kind: str, level: str, judgements: Judgements, repeat: int = 0, own: tuple[str, ...] = ()) -> None:
        cases.append(RejudgedScores(kind, level, repeat, have.scores(judgements, asked), judgements.judged, own))

    for keep in thin:
        for repeat in range(repeats):
            add("thin", f"{keep:g}", thinned_judgements(have.pool, keep, seed, repeat), repeat)
    for depth in pool_depth:
        add("pool", f"{depth}", pooled_judgements(have.pool, have.places, depth))
    if noise is not None:
        for repeat in range(repeats):
            add("noise", "noise", noisy_judgements(have.pool, noise, have.max_grade, seed, repeat), repeat)
    if groups is not None:
        unknown = [system for system in have.systems if system not in groups]
        if unknown:
            raise InputError(f"{len(unknown)} runs have no team in the groups, such as {unknown[0]}; add them.")
        teams = list(dict.fromkeys(groups[system] for system in have.systems))
        team: Ints = np.array([teams.index(groups[system]) for system in have.systems])
        of = [team[part.system] for part in have.parts]
        for number, name in enumerate(teams):
            own = tuple(system for system in have.systems if groups[system] == name)
            add("team", name, judgements_without_team(have.pool, have.places, of, number, found_within), own=own)
    if not cases:
        raise InputError(
            f"Nothing to compare the judgements with; give other judgements{option_in_parentheses('other')}, shares to "
            f"keep{option_in_parentheses('thin')}, pool depths{option_in_parentheses('pool_depth')}, a confusion of "
            f"grades{option_in_parentheses('noise')} or teams{option_in_parentheses('groups')}."
        )
    return reference, cases
