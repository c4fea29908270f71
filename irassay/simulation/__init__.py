"""A synthetic collection whose truth is known, for the demo, the documentation and the calibration of methods."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from irassay.argument_types import typed
from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.io.trec import Qrels, Run
from irassay.simulation.collection import Collection
from irassay.simulation.sessions import USER, judgements, study
from irassay.simulation.topics import Topics, draws, normal, numbered, subject_matter, uniform

TEAM = 3  # runs that a team sends in
LEAST, MOST = 0.6, 1.5  # quality of the worst and of the best team
OPINION = {"plain": 0.3, "diverse": 0.3, "short": 0.3, "copy": 0.1}  # spread of what only this run sees in documents
REPETITION = 1.0  # what full diversity takes off a score each time the rank within an aspect doubles
MOST_SIZE = 100_000  # of each number, far beyond what is useful
LEAST_SIZE = {"seed": 0, "topics": 2, "systems": 2, "depth": 10, "pool_depth": 1, "sessions": 2}
POINTS = 1_000_000  # scores are whole numbers of points, told apart in single precision too


@dataclass(frozen=True, eq=False)
class Systems:
    """What the systems are like: the truth that an evaluation tries to find out."""

    name: tuple[str, ...]  # [s]
    team: Ints  # [s]
    kind: tuple[str, ...]  # [s] plain, diverse, short or copy
    quality: Floats  # [s] how much relevance adds to a document's score
    diversity: Floats  # [s] how strongly repeating an aspect is avoided, 0 to 1
    length: Ints  # [s] results that a topic gets, on average

    def are(self, kind: str) -> Bools:
        """[s] true for the systems of a kind."""
        return np.array([k == kind for k in self.kind])

    def truth(self) -> pl.DataFrame:
        """One row a run."""
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


@typed
def simulate(
    seed: int = 1,
    topics: int = 50,
    systems: int = 24,
    *,
    depth: int = 100,
    pool_depth: int = 20,
    sessions: int = 160,
) -> Collection:
    """A collection with topics, judgements, runs of known quality, and sessions rated by a known user.

    Teams send in three runs: a plain one, a diverse one that avoids repeating an aspect, and one that stops early or
    is a near copy of the plain one. What plain and diverse runs have among their first `pool_depth` results is judged,
    nothing else. A seed gives the same collection on every machine; sessions do not depend on systems, nor runs on
    sessions.

    >>> collection = simulate(seed=7, topics=5, systems=6)
    >>> [run.name for run in collection.runs]
    ['T1-plain', 'T1-diverse', 'T1-short', 'T2-plain', 'T2-diverse', 'T2-copy']
    >>> collection.qrels.max_grade
    3.0
    """
    given = {"seed": seed, "topics": topics, "systems": systems}
    given |= {"depth": depth, "pool_depth": pool_depth, "sessions": sessions}
    for name, value in given.items():
        if value < LEAST_SIZE[name]:
            raise InputError(f"{name}={value}, but a simulated collection needs at least {LEAST_SIZE[name]}; raise it")
        if name != "seed" and value > MOST_SIZE:
            raise InputError(f"{argument(name, value)}: a simulated collection has at most {MOST_SIZE:,}; lower it")
    about = subject_matter(seed, topics, candidates=4 * depth)
    who = participants(seed, systems, depth)
    ranked, score, size = answers(seed, about, who)
    first = who.are("plain") | who.are("diverse")
    judged = pooled(ranked[first], size[first], pool_depth)
    topic, place = np.nonzero(judged)
    called = pl.Series([f"{101 + t}" for t in range(topics)])
    documents = pl.Series(numbered("D", len(about.words)))
    asked = study(seed, about, tuple(called), documents, sessions)
    truth = who.truth()
    return Collection(
        seed=seed,
        user=USER,
        qrels=judgements(
            "simulated judgements",
            called.gather(topic),
            documents.gather(about.doc[topic, place]),
            about.grade[topic, place],
        ),
        diversity_qrels=_judgements_by_aspect(about, called, documents, judged),
        runs=tuple(_run(who.name[s], about, called, documents, ranked[s], score[s], size[s]) for s in range(systems)),
        lengths=pl.DataFrame({"doc": documents, "words": about.words.astype(np.float64)}),
        groups=dict(zip(truth["run"], truth["team"], strict=True)),
        truth=truth,
        sessions=asked.results,
        session_qrels=asked.qrels,
        ratings=asked.ratings,
    )


def participants(seed: int, systems: int, depth: int) -> Systems:
    """Systems in teams of three, the teams spread evenly from the least quality to the most, in random order."""
    rng = draws(seed, "systems")
    team, member = np.divmod(np.arange(systems), TEAM)
    called = numbered("T", int(team[-1]) + 1)
    place = np.argsort(rng.random(len(called)), kind="stable") / max(1, len(called) - 1)  # [team]
    kind = tuple(
        ("plain", "diverse", ("short", "copy")[t % 2])[i] for t, i in zip(team.tolist(), member.tolist(), strict=True)
    )
    made = Systems(
        name=tuple(f"{called[t]}-{k}" for t, k in zip(team.tolist(), kind, strict=True)),
        team=team,
        kind=kind,
        quality=LEAST + (MOST - LEAST) * place[team] + 0.06 * opinion(kind) * normal(rng, systems),
        diversity=uniform(rng, 0.5, 1.0, systems),
        length=np.rint(depth * uniform(rng, 0.2, 0.5, systems)).astype(np.int64),
    )
    return replace(
        made,
        diversity=np.where(made.are("diverse"), made.diversity, 0.0),
        length=np.where(made.are("short"), made.length, depth),
    )


def opinion(kind: tuple[str, ...]) -> Floats:
    """[s] how far a run's own view of documents strays from its team's."""
    return np.array([OPINION[k] for k in kind])


def answers(seed: int, about: Topics, who: Systems) -> tuple[Ints, Floats, Ints]:
    """[s, t, d] candidates from the best score down, [s, t, d] their scores, and [s, t] how many are returned.

    A score is what relevance adds to it, what makes the document look good to all systems, and the opinions that a
    team and a run have of their own. It is rounded before it is sorted, so that files say all there is.
    """
    rng = draws(seed, "answers")
    t, d = about.grade.shape
    systems, teams, depth = len(who.name), int(who.team[-1]) + 1, int(who.length.max())
    luck = 0.25 * normal(rng, teams, t)[who.team] + 0.05 * normal(rng, systems, t)  # [s, t]
    strength = who.quality[:, None] * about.ease + luck
    score = strength[:, :, None] * about.worth + about.lure
    score += 0.7 * normal(rng, teams, t, d)[who.team] + opinion(who.kind)[:, None, None] * normal(rng, systems, t, d)
    for s in np.flatnonzero(who.diversity):
        score[s] -= who.diversity[s] * REPETITION * np.log2(_rank_within_aspect(score[s], about.main))
    points = np.rint(score * POINTS).astype(np.int64)
    # Equal scores are ordered by descending document id, as readers of runs do it.
    ranked = np.argsort(-(points * d + np.arange(d)), axis=2).astype(np.int64)
    varied = np.clip(np.rint(who.length[:, None] * np.exp(0.4 * normal(rng, systems, t))), 1, depth)
    size = np.where(who.are("short")[:, None], varied, depth).astype(np.int64)
    return ranked, np.take_along_axis(points, ranked, axis=2) / POINTS, size


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
    run, topic, rank = np.nonzero(np.arange(ranked.shape[2]) < np.minimum(size, depth)[:, :, None])
    pool[topic, ranked[run, topic, rank]] = True
    return pool


def _run(
    name: str, about: Topics, names: pl.Series, documents: pl.Series, ranked: Ints, score: Floats, size: Ints
) -> Run:
    topic, rank = np.nonzero(np.arange(ranked.shape[1]) < size[:, None])
    doc = documents.gather(about.doc[topic, ranked[topic, rank]])
    return Run(name, pl.DataFrame({"topic": names.gather(topic), "doc": doc, "score": score[topic, rank]}), name)


def _judgements_by_aspect(about: Topics, names: pl.Series, documents: pl.Series, judged: Bools) -> Qrels:
    """Every judged document is judged for every aspect of its topic."""
    known = np.arange(about.aspects.shape[2]) < about.known[:, None]  # [t, a]
    topic, aspect, place = np.nonzero(known[:, :, None] & judged[:, None, :])
    doc, grade = documents.gather(about.doc[topic, place]), about.aspects[topic, place, aspect]
    subtopic = pl.Series(aspect + 1).cast(pl.String)
    return judgements("simulated judgements by aspect", names.gather(topic), doc, grade, subtopic)
