"""A simulated collection whose true properties are known, for the demo, the documentation and calibrating methods."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from irassay.argument_types import checks_arguments
from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels, Run
from irassay.simulation.collection import SimulatedCollection
from irassay.simulation.sessions import SIMULATED_USER, simulated_qrels, simulated_study
from irassay.simulation.topics import SimulatedTopics, normal, numbered_names, random_stream, simulated_topics, uniform

TEAM_SIZE = 3  # runs per team
WORST_TEAM_QUALITY, BEST_TEAM_QUALITY = 0.6, 1.5
OPINION_SPREAD = {"plain": 0.3, "diverse": 0.3, "short": 0.3, "copy": 0.1}  # of a run's own view of documents, by kind
REPETITION_PENALTY = 1.0  # what full diversity subtracts each time the rank within an aspect doubles
MAX_SIZE = 100_000  # of each number, far beyond what is useful
MIN_SIZES = {"seed": 0, "topics": 2, "systems": 2, "depth": 10, "pool_depth": 1, "sessions": 2}
POINTS_PER_UNIT = 1_000_000  # scores are integers over this, so that single precision distinguishes them too


@dataclass(frozen=True, eq=False)
class SimulatedSystems:
    """The true properties of the systems, which an evaluation tries to recover."""

    name: tuple[str, ...]  # [s]
    team: Ints  # [s]
    kind: tuple[str, ...]  # [s] plain, diverse, short or copy
    quality: Floats  # [s] how much relevance adds to a document's score
    diversity: Floats  # [s] how strongly the system avoids repeating an aspect, 0 to 1
    length: Ints  # [s] mean number of results per topic

    def is_kind(self, kind: str) -> Bools:
        """[s] True for the systems of a kind."""
        return np.array(self.kind) == kind

    def truth_table(self) -> pl.DataFrame:
        """The true properties, one row per run."""
        return pl.DataFrame(
            {
                "run": self.name,
                "team": [name.split("-")[0] for name in self.name],
                "kind": self.kind,
                "quality": self.quality.round(4),
                "diversity": self.diversity.round(4),
                "length": self.length,
            }
        )


@checks_arguments
def simulate(
    seed: int = 1, topics: int = 50, systems: int = 24, *, depth: int = 100, pool_depth: int = 20, sessions: int = 160
) -> SimulatedCollection:
    """A collection with topics, judgements, runs of known quality, and sessions rated by a known user.

    Each team submits three runs: a plain one, a diverse one that avoids repeating an aspect, and one that stops early
    or is a near copy of the plain one. The first `pool_depth` results of plain and diverse runs are judged, and nothing
    else. A seed gives the same collection on every machine. Sessions do not depend on systems, nor runs on sessions.

    >>> collection = simulate(seed=7, topics=5, systems=6)
    >>> [run.name for run in collection.runs]
    ['T1-plain', 'T1-diverse', 'T1-short', 'T2-plain', 'T2-diverse', 'T2-copy']
    >>> collection.qrels.max_grade
    3.0
    """
    sizes = {"seed": seed, "topics": topics, "systems": systems}
    sizes |= {"depth": depth, "pool_depth": pool_depth, "sessions": sessions}
    for name, value in sizes.items():
        if value < MIN_SIZES[name]:
            raise InputError(
                f"{argument(name, value)} is too small: a simulated collection needs at least {MIN_SIZES[name]}."
            )
        if name != "seed" and value > MAX_SIZE:
            raise InputError(
                f"{argument(name, value)} is too large: a simulated collection can have at most {MAX_SIZE:,}."
            )
    subjects = simulated_topics(seed, topics, candidates=4 * depth)
    entrants = simulated_systems(seed, systems, depth)
    ranked, score, size = system_rankings(seed, subjects, entrants)
    is_pooled = entrants.is_kind("plain") | entrants.is_kind("diverse")
    judged = pool_mask(ranked[is_pooled], size[is_pooled], pool_depth)
    topic, candidate = np.nonzero(judged)
    docs, grades = subjects.candidate_names(topic, candidate), subjects.grade[topic, candidate]
    study = simulated_study(seed, subjects, sessions)
    truth = entrants.truth_table()
    return SimulatedCollection(
        seed=seed,
        user=SIMULATED_USER,
        qrels=simulated_qrels("simulated judgements", subjects.topic_name.gather(topic), docs, grades),
        diversity_qrels=_judgements_by_aspect(subjects, judged),
        runs=tuple(_simulated_run(entrants.name[s], subjects, ranked[s], score[s], size[s]) for s in range(systems)),
        lengths=pl.DataFrame({"doc": subjects.doc_name, "words": subjects.words.astype(np.float64)}),
        groups=dict(zip(truth["run"], truth["team"], strict=True)),
        truth=truth,
        sessions=study.results,
        session_qrels=study.qrels,
        ratings=study.ratings,
    )


def simulated_systems(seed: int, systems: int, depth: int) -> SimulatedSystems:
    """Systems in teams of three; the teams' qualities are evenly spaced from worst to best, in random order."""
    rng = random_stream(seed, "systems")
    team, member = np.divmod(np.arange(systems), TEAM_SIZE)
    team_names = numbered_names("T", int(team[-1]) + 1)
    place = np.argsort(rng.random(len(team_names)), kind="stable") / max(1, len(team_names) - 1)  # [team]
    kind = tuple(
        ("plain", "diverse", ("short", "copy")[t % 2])[i] for t, i in zip(team.tolist(), member.tolist(), strict=True)
    )
    quality = WORST_TEAM_QUALITY + (BEST_TEAM_QUALITY - WORST_TEAM_QUALITY) * place[team]
    kinds = np.array(kind)
    return SimulatedSystems(
        name=tuple(f"{team_names[t]}-{k}" for t, k in zip(team.tolist(), kind, strict=True)),
        team=team,
        kind=kind,
        quality=quality + 0.06 * opinion_spreads(kind) * normal(rng, systems),
        diversity=np.where(kinds == "diverse", uniform(rng, 0.5, 1.0, systems), 0.0),
        length=np.where(kinds == "short", np.rint(depth * uniform(rng, 0.2, 0.5, systems)).astype(np.int64), depth),
    )


def opinion_spreads(kind: tuple[str, ...]) -> Floats:
    """[s] How far a run's own view of documents differs from its team's."""
    return np.array([OPINION_SPREAD[k] for k in kind])


def system_rankings(seed: int, subjects: SimulatedTopics, entrants: SimulatedSystems) -> tuple[Ints, Floats, Ints]:
    """[s, t, d] Candidates from the best score down, [s, t, d] their scores, and [s, t] how many are returned.

    A score adds up the effect of relevance, how good the document looks to all systems, and the opinions of the team
    and of the run. It is rounded before sorting, so that files contain all the information there is.
    """
    rng = random_stream(seed, "answers")
    t, d = subjects.grade.shape
    systems, teams, depth = len(entrants.name), int(entrants.team[-1]) + 1, int(entrants.length.max())
    luck = 0.25 * normal(rng, teams, t)[entrants.team] + 0.05 * normal(rng, systems, t)  # [s, t]
    strength = entrants.quality[:, None] * subjects.ease + luck
    score = strength[:, :, None] * subjects.relevance_score + subjects.appeal
    spread = opinion_spreads(entrants.kind)[:, None, None]
    score += 0.7 * normal(rng, teams, t, d)[entrants.team] + spread * normal(rng, systems, t, d)
    for s in np.flatnonzero(entrants.diversity):
        rank = _rank_within_aspect(score[s], subjects.main_aspect)
        score[s] -= entrants.diversity[s] * REPETITION_PENALTY * np.log2(rank)
    points = np.rint(score * POINTS_PER_UNIT).astype(np.int64)
    # Equal scores are ordered by descending document id, as when runs are read.
    ranked = np.argsort(-(points * d + np.arange(d)), axis=2).astype(np.int64)
    short_size = np.clip(np.rint(entrants.length[:, None] * np.exp(0.4 * normal(rng, systems, t))), 1, depth)
    size = np.where(entrants.is_kind("short")[:, None], short_size, depth).astype(np.int64)
    return ranked, np.take_along_axis(points, ranked, axis=2) / POINTS_PER_UNIT, size


def _rank_within_aspect(score: Floats, main_aspect: Ints) -> Ints:
    """[t, d] 1 for the best document about an aspect, 2 for the next one about the same aspect."""
    order = np.argsort(-score, axis=1, kind="stable")
    same = np.take_along_axis(main_aspect, order, axis=1)[:, :, None] == np.arange(main_aspect.max() + 1)  # [t, d, a]
    rank = np.empty_like(main_aspect)
    np.put_along_axis(rank, order, (same.cumsum(axis=1) * same).sum(axis=2), axis=1)
    return rank


def pool_mask(ranked: Ints, size: Ints, depth: int) -> Bools:
    """[t, d] True where one of the runs has the document among its first `depth` results."""
    pool = np.zeros(ranked.shape[1:], dtype=np.bool_)
    run, topic, rank = np.nonzero(np.arange(ranked.shape[2]) < np.minimum(size, depth)[:, :, None])
    pool[topic, ranked[run, topic, rank]] = True
    return pool


def _simulated_run(name: str, subjects: SimulatedTopics, ranked: Ints, score: Floats, size: Ints) -> Run:
    topic, rank = np.nonzero(np.arange(ranked.shape[1]) < size[:, None])
    doc = subjects.candidate_names(topic, ranked[topic, rank])
    columns = {"topic": subjects.topic_name.gather(topic), "doc": doc, "score": score[topic, rank]}
    return Run(name, pl.DataFrame(columns), name)


def _judgements_by_aspect(subjects: SimulatedTopics, judged: Bools) -> Qrels:
    """Judgements of every judged document for every aspect of its topic."""
    is_aspect = np.arange(subjects.aspects.shape[2]) < subjects.aspect_count[:, None]  # [t, a]
    topic, aspect, candidate = np.nonzero(is_aspect[:, :, None] & judged[:, None, :])
    docs, grades = subjects.candidate_names(topic, candidate), subjects.aspects[topic, candidate, aspect]
    subtopic = pl.Series(aspect + 1).cast(pl.String)
    return simulated_qrels("simulated judgements by aspect", subjects.topic_name.gather(topic), docs, grades, subtopic)
