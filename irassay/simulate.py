"""A synthetic collection whose truth is known, for the demo, the documentation and the calibration of methods."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from irassay.collection import Collection
from irassay.errors import InputError
from irassay.simulate_sessions import Study, study
from irassay.simulate_topics import Bools, Floats, Ints, Topics, draws, normal, numbered, subject_matter, uniform
from irassay.trec import Qrels, Run

TEAM = 3  # runs that a team sends in
LEAST, MOST = 0.75, 1.35  # quality of the worst and the best team: how much relevance adds to a document's score
OWN_OPINION = {"plain": 0.3, "diverse": 0.3, "short": 0.3, "copy": 0.1}  # spread of what only this run sees
REPETITION = 0.5  # what a diverse run takes off a score each time the rank within an aspect doubles
DECIMALS = 4  # of the scores in runs


@dataclass(frozen=True, eq=False)
class Systems:
    """What the systems are like: the truth that an evaluation tries to find out."""

    name: tuple[str, ...]  # [s]
    team: Ints  # [s]
    kind: tuple[str, ...]  # [s] plain, diverse, short or copy
    quality: Floats  # [s] how much relevance adds to a document's score
    diversity: Floats  # [s] how strongly repeating an aspect is avoided, 0 to 1
    length: Ints  # [s] results a topic that the system means to give

    @property
    def teams(self) -> tuple[str, ...]:
        """[s] the name of each system's team."""
        return tuple(name.split("-")[0] for name in self.name)

    def frame(self) -> pl.DataFrame:
        """The truth as a table, one row a run."""
        columns = {"run": self.name, "team": self.teams, "kind": self.kind}
        numbers = {"quality": self.quality.round(4), "diversity": self.diversity.round(4), "length": self.length}
        return pl.DataFrame(columns | numbers)


def simulate(
    seed: int = 1,
    topics: int = 50,
    systems: int = 24,
    *,
    depth: int = 100,
    pool_depth: int = 20,
    sessions: int = 80,
) -> Collection:
    """A collection with topics, graded judgements by aspect, runs of known quality, and sessions rated by a known user.

    Teams send in three runs: a plain one, a diverse one that avoids repeating an aspect, and one that stops early or
    is a near copy of the first. The first `pool_depth` results of the plain runs are judged, nothing else. A seed
    gives the same collection everywhere; sessions do not change with the number of systems, nor runs with theirs.

    >>> collection = simulate(seed=7, topics=5, systems=6)
    >>> [run.name for run in collection.runs]
    ['T1-plain', 'T1-diverse', 'T1-short', 'T2-plain', 'T2-diverse', 'T2-copy']
    >>> collection.qrels.max_grade
    3.0
    """
    _check(seed=(seed, 0), topics=(topics, 2), systems=(systems, 2), depth=(depth, 10))
    _check(pool_depth=(pool_depth, 1), sessions=(sessions, 2))
    about = subject_matter(seed, topics, candidates=4 * depth)
    who = participants(seed, systems, depth)
    ranked, score, size = answers(seed, about, who)  # [s, t, d], [s, t, d], [s, t]
    plain = np.array([kind == "plain" for kind in who.kind])
    judged = pooled(ranked[plain], size[plain], pool_depth)  # [t, d]
    names = tuple(f"{101 + t}" for t in range(topics))
    documents = pl.Series(numbered("D", about.documents))
    asked: Study = study(seed, about, names, documents, sessions)
    return Collection(
        seed=seed,
        qrels=_judgements(about, names, documents, judged),
        diversity_qrels=_judgements_by_aspect(about, names, documents, judged),
        runs=tuple(
            Run(who.name[s], _results(about, names, documents, ranked[s], score[s], size[s]), who.name[s])
            for s in range(systems)
        ),
        lengths=pl.DataFrame({"doc": documents, "words": about.words.astype(np.float64)}),
        groups=dict(zip(who.name, who.teams, strict=True)),
        truth=who.frame(),
        sessions=asked.results,
        session_qrels=asked.qrels,
        ratings=asked.ratings,
    )


def participants(seed: int, systems: int, depth: int) -> Systems:
    """Systems in teams of three; the teams are spread evenly from the least to the most quality, in random order."""
    rng = draws(seed, "systems")
    team = np.arange(systems) // TEAM
    teams = int(team[-1]) + 1
    place = np.argsort(rng.random(teams), kind="stable") / max(1, teams - 1)  # [team]
    quality = LEAST + (MOST - LEAST) * place[team] + 0.02 * normal(rng, systems)
    kind = tuple("plain" if i == 0 else "diverse" if i == 1 else ("short", "copy")[t % 2] for t, i in _members(systems))
    strength, stops = uniform(rng, 0.5, 1.0, systems), uniform(rng, 0.1, 0.4, systems)
    diverse, short = (np.array([k == wanted for k in kind]) for wanted in ("diverse", "short"))
    called = numbered("T", teams, first=1)
    return Systems(
        name=tuple(f"{called[t]}-{k}" for t, k in zip(team.tolist(), kind, strict=True)),
        team=team,
        kind=kind,
        quality=quality,
        diversity=np.where(diverse, strength, 0.0),
        length=np.where(short, np.maximum(1, np.rint(depth * stops)), depth).astype(np.int64),
    )


def _members(systems: int) -> list[tuple[int, int]]:
    return [divmod(s, TEAM) for s in range(systems)]


def answers(seed: int, about: Topics, who: Systems) -> tuple[Ints, Floats, Ints]:
    """[s, t, d] candidates from the best score down, [s, t, d] their scores, and [s, t] how many are returned.

    A score is what relevance adds to it, what makes the document look good to all systems, and the opinions that a
    team and a run have of their own. Scores are rounded before they are sorted, so that files say all there is.
    """
    rng = draws(seed, "answers")
    t, d = about.grade.shape
    teams, depth = int(who.team[-1]) + 1, int(who.length.max())
    luck = 0.25 * normal(rng, teams, t)[who.team] + 0.05 * normal(rng, len(who.name), t)  # [s, t]
    strength = who.quality[:, None] * about.ease + luck
    own = np.array([OWN_OPINION[kind] for kind in who.kind])[:, None, None]
    score = strength[:, :, None] * about.worth + about.lure
    score += 0.7 * normal(rng, teams, t, d)[who.team] + own * normal(rng, len(who.name), t, d)
    for s in np.flatnonzero(who.diversity):
        score[s] -= who.diversity[s] * REPETITION * np.log2(_rank_within_aspect(score[s], about.main))
    points = np.rint(score * 10**DECIMALS).astype(np.int64)
    ranked = np.argsort(-(points * d + np.arange(d)), axis=2, kind="stable")  # equal scores by document id descending
    size = np.rint(who.length[:, None] * np.exp(0.4 * normal(rng, len(who.name), t)))
    size = np.where(who.length[:, None] < depth, np.clip(size, 1, depth), depth).astype(np.int64)
    return ranked, np.take_along_axis(points, ranked, axis=2) / 10**DECIMALS, size


def _rank_within_aspect(score: Floats, main: Ints) -> Ints:
    """[t, d] 1 for the best document about an aspect, 2 for the next one about the same."""
    order = np.argsort(-score, axis=1, kind="stable")
    same = np.take_along_axis(main, order, axis=1)[:, :, None] == np.arange(main.max() + 1)  # [t, d, a]
    rank = np.empty_like(main)
    np.put_along_axis(rank, order, (same.cumsum(axis=1) * same).sum(axis=2), axis=1)
    return rank


def pooled(ranked: Ints, size: Ints, depth: int) -> Bools:
    """[t, d] true where one of the runs has the document among its first `depth` results."""
    pool = np.zeros(ranked.shape[1:], dtype=np.bool_)
    _, topic, rank = np.nonzero(np.arange(ranked.shape[2]) < np.minimum(size, depth)[:, :, None])
    run, topic, rank = np.nonzero(np.arange(ranked.shape[2]) < np.minimum(size, depth)[:, :, None])
    pool[topic, ranked[run, topic, rank]] = True
    return pool


def _check(**given: tuple[int, int]) -> None:
    for name, (value, least) in given.items():
        if value < least:
            raise InputError(f"{name}={value}, but a simulated collection needs at least {least}; raise it")
