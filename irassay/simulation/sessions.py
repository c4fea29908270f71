"""The sessions of a simulated collection: users who search in several queries and say how satisfied they were."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from irassay.arrays import Bools, Floats, Ints
from irassay.io.trec import Qrels
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings
from irassay.simulation.topics import Topics, draws, normal, numbered, uniform

USER = "RBP(p=0.8,effort=(0.1,1,1,1))@10"  # satisfaction follows this rate of gain, as jiang2016 found
PAGE = 10  # results that a query gives at most
EACH = 4  # sessions a user has
MOST_QUERIES = 6


@dataclass(frozen=True, eq=False)
class Study:
    """What was shown in the sessions, how it was judged, and how it was rated."""

    results: pl.DataFrame  # session, query, rank, doc; the last two are null for a query without results
    qrels: Qrels  # the topics are the sessions
    ratings: pl.DataFrame  # unit, rating, user, task


def study(seed: int, about: Topics, topics: tuple[str, ...], documents: pl.Series, sessions: int) -> Study:
    """Sessions of users, four each, on the first topics as tasks."""
    rng = draws(seed, "sessions")
    users = -(-sessions // EACH)
    tasks = min(users, len(topics))
    user, turn = np.divmod(np.arange(sessions), EACH)  # [session]
    task = (user + turn * max(1, tasks // EACH)) % tasks
    queries = 2 + (rng.random(sessions) * (MOST_QUERIES - 1)).astype(np.int64)  # [session]
    session = np.repeat(np.arange(sessions), queries)  # [query]
    shown, size = _pages(rng, about, task[session], np.diff(session, append=sessions) > 0)
    within = np.arange(PAGE) < size[:, None]
    grade = np.where(within, np.take_along_axis(about.grade[task[session]], shown, axis=1), 0)  # [query, rank]
    rating = _ratings(rng, rates(grade, session), user, task)
    units, people = np.array(numbered("s", sessions)), np.array(numbered("u", users))
    doc = about.doc[task[session][:, None], shown]  # [query, rank]
    seen = np.zeros(about.doc.shape, dtype=np.bool_)
    seen[np.broadcast_to(task[session][:, None], within.shape)[within], shown[within]] = True
    judged, place = np.nonzero(seen[task])  # what any session on the task was shown, under the name of each session
    return Study(
        results=_lines(units[session], queries, doc, within, documents),
        qrels=judgements(
            "session judgements",
            pl.Series(units[judged]),
            documents.gather(about.doc[task[judged], place]),
            about.grade[task[judged], place],
        ),
        ratings=pl.DataFrame(
            {"unit": units, "rating": rating, "user": people[user], "task": [topics[t] for t in task.tolist()]}
        ),
    )


def rates(grade: Ints, session: Ints) -> Floats:
    """[session] what the known user earns for the effort, the mean over the session's queries, empty ones too."""
    earned = parse(USER).score(Rankings.of(grade.astype(np.float64), max_grade=3))  # [query]
    return np.bincount(session, weights=earned) / np.bincount(session)


def _pages(rng: np.random.Generator, about: Topics, task: Ints, last: Bools) -> tuple[Ints, Ints]:
    """[query, rank] candidates shown, and [query] how many; some pages are short or empty, but never the last."""
    n = len(task)
    strength = about.ease[task] * np.maximum(0, 1.1 + 0.45 * normal(rng, n))  # [query] how well it was put
    score = strength[:, None] * about.worth[task] + about.lure[task] + 0.7 * normal(rng, n, about.doc.shape[1])
    shown = np.argsort(-score.round(4), axis=1, kind="stable")[:, :PAGE]
    kind, short = rng.random(n), uniform(rng, 1, PAGE, n).astype(np.int64)
    return shown, np.where((kind < 0.07) & ~last, 0, np.where(kind < 0.2, short, PAGE))


def _ratings(rng: np.random.Generator, rate: Floats, user: Ints, task: Ints) -> Ints:
    """[session] 1 to 5, from the rate of gain, how easily the user is pleased, how pleasant the task is, and chance."""
    usual = 0.4 * normal(rng, len(user))[user] + 0.35 * normal(rng, len(task))[task] + 0.5 * normal(rng, len(rate))
    felt = 0.55 * (rate - rate.mean()) / max(float(rate.std()), 1e-9) + usual
    return np.clip(np.rint(3.4 + 1.1 * felt), 1, 5).astype(np.int64)


def _lines(units: np.ndarray, queries: Ints, doc: Ints, within: Bools, documents: pl.Series) -> pl.DataFrame:
    """A row for each result, and one without rank and document for each query that has none."""
    number = np.arange(1, len(units) + 1) - np.repeat(queries.cumsum() - queries, queries)  # [query]
    row = within.copy()
    row[:, 0] = True
    query, column = np.nonzero(row)
    filled = pl.Series(within[query, column])
    frame = pl.DataFrame({"session": units[query], "query": number[query], "rank": column + 1})
    frame = frame.with_columns(doc=documents.gather(doc[query, column]), filled=filled)
    return frame.with_columns(pl.when("filled").then(pl.col("rank", "doc"))).drop("filled")


def judgements(name: str, topic: pl.Series, doc: pl.Series, grade: Ints, subtopic: pl.Series | None = None) -> Qrels:
    """Judgements line by line; without subtopics, column 2 is 0."""
    aspect = pl.repeat("0", len(topic), eager=True) if subtopic is None else subtopic
    columns = {"topic": topic, "subtopic": aspect, "doc": doc, "grade": grade.astype(np.float64)}
    return Qrels(pl.DataFrame(columns), name)
