"""The sessions of a simulated collection: users who search with several queries and rate their satisfaction."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from irassay.arrays import Bools, Floats, Ints
from irassay.io.trec import Qrels
from irassay.metrics.grammar import parse
from irassay.rankings.batch import Rankings
from irassay.simulation.topics import SimulatedTopics, normal, numbered_names, random_stream, uniform

SIMULATED_USER = "RBP(p=0.8,effort=(0.1,1,1,1))@10"  # satisfaction follows this rate of gain, as jiang2016 found
PAGE_SIZE = 10  # largest number of results of a query
SESSIONS_PER_USER = 4
MAX_QUERIES = 6


@dataclass(frozen=True, eq=False)
class SimulatedStudy:
    """The results shown in the sessions, their judgements, and the ratings."""

    results: pl.DataFrame  # session, query, rank, doc; the last two are null for a query without results
    qrels: Qrels  # the topics are the sessions
    ratings: pl.DataFrame  # unit, rating, user, task


def simulated_study(seed: int, subjects: SimulatedTopics, sessions: int) -> SimulatedStudy:
    """Sessions with the first topics as tasks, four for each user."""
    rng = random_stream(seed, "sessions")
    users = -(-sessions // SESSIONS_PER_USER)
    tasks = min(users, len(subjects.topic_name))
    user, turn = np.divmod(np.arange(sessions), SESSIONS_PER_USER)  # [session]
    task = (user + turn * max(1, tasks // SESSIONS_PER_USER)) % tasks
    queries = 2 + (rng.random(sessions) * (MAX_QUERIES - 1)).astype(np.int64)  # [session]
    session = np.repeat(np.arange(sessions), queries)  # [query]
    shown, size = _result_pages(rng, subjects, task[session], np.diff(session, append=sessions) > 0)
    within = np.arange(PAGE_SIZE) < size[:, None]
    grade = np.where(within, np.take_along_axis(subjects.grade[task[session]], shown, axis=1), 0)  # [query, rank]
    rating = _ratings(rng, gain_rates(grade, session), user, task)
    units, people = np.array(numbered_names("s", sessions)), np.array(numbered_names("u", users))
    doc = subjects.doc[task[session][:, None], shown]  # [query, rank]
    is_shown = np.zeros(subjects.doc.shape, dtype=np.bool_)
    is_shown[np.broadcast_to(task[session][:, None], within.shape)[within], shown[within]] = True
    judged, candidate = np.nonzero(is_shown[task])  # each session has the results of all sessions on its task judged
    docs, grades = subjects.candidate_names(task[judged], candidate), subjects.grade[task[judged], candidate]
    columns = {"unit": units, "rating": rating, "user": people[user], "task": subjects.topic_name.gather(task)}
    return SimulatedStudy(
        results=_result_rows(units[session], queries, doc, within, subjects.doc_name),
        qrels=simulated_qrels("session judgements", pl.Series(units[judged]), docs, grades),
        ratings=pl.DataFrame(columns),
    )


def gain_rates(grade: Ints, session: Ints) -> Floats:
    """[session] The simulated user's rate of gain, a mean over the session's queries, including empty ones."""
    gain = parse(SIMULATED_USER).score(Rankings.of(grade.astype(np.float64), max_grade=3))  # [query]
    return np.bincount(session, weights=gain) / np.bincount(session)


def _result_pages(rng: np.random.Generator, subjects: SimulatedTopics, task: Ints, last: Bools) -> tuple[Ints, Ints]:
    """[query, rank] Candidates shown, and [query] how many; some pages are short or empty, but never the last."""
    n = len(task)
    strength = subjects.ease[task] * np.maximum(0, 1.1 + 0.45 * normal(rng, n))  # [query] how good the query is
    score = strength[:, None] * subjects.relevance_score[task] + subjects.appeal[task]
    score += 0.7 * normal(rng, n, subjects.doc.shape[1])
    shown = np.argsort(-score.round(4), axis=1, kind="stable")[:, :PAGE_SIZE]
    kind, short = rng.random(n), uniform(rng, 1, PAGE_SIZE, n).astype(np.int64)
    return shown, np.where((kind < 0.07) & ~last, 0, np.where(kind < 0.2, short, PAGE_SIZE))


def _ratings(rng: np.random.Generator, rate: Floats, user: Ints, task: Ints) -> Ints:
    """[session] 1 to 5: the rate of gain, plus effects of the user and the task, plus noise."""
    effects = 0.4 * normal(rng, len(user))[user] + 0.35 * normal(rng, len(task))[task] + 0.5 * normal(rng, len(rate))
    satisfaction = 0.55 * (rate - rate.mean()) / max(float(rate.std()), 1e-9) + effects
    return np.clip(np.rint(3.4 + 1.1 * satisfaction), 1, 5).astype(np.int64)


def _result_rows(units: np.ndarray, queries: Ints, doc: Ints, within: Bools, documents: pl.Series) -> pl.DataFrame:
    """One row per result, and one without rank and document for each query without results."""
    number = np.arange(1, len(units) + 1) - np.repeat(queries.cumsum() - queries, queries)  # [query]
    has_row = within.copy()
    has_row[:, 0] = True
    query, column = np.nonzero(has_row)
    filled = pl.Series(within[query, column])
    frame = pl.DataFrame({"session": units[query], "query": number[query], "rank": column + 1})
    frame = frame.with_columns(doc=documents.gather(doc[query, column]), filled=filled)
    return frame.with_columns(pl.when("filled").then(pl.col("rank", "doc"))).drop("filled")


def simulated_qrels(
    name: str, topic: pl.Series, doc: pl.Series, grade: Ints, subtopic: pl.Series | None = None
) -> Qrels:
    """Judgements as qrels; without subtopics, column 2 is 0."""
    aspect = pl.repeat("0", len(topic), eager=True) if subtopic is None else subtopic
    columns = {"topic": topic, "subtopic": aspect, "doc": doc, "grade": grade.astype(np.float64)}
    return Qrels(pl.DataFrame(columns), name)
