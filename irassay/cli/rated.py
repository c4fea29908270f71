"""Units with a rating: from a table of ratings, or from the sessions' own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from irassay.errors import InputError
from irassay.meta.satisfaction.ratings import Ratings, read_ratings
from irassay.scores import Scores

Ends = tuple[float | None, ...]


def rated_units(
    sessions: Path | None,
    qrels: Path | None,
    ratings: Path | None,
    tables: Sequence[str] | None,
    metrics: Sequence[str],
    ends: Ends,
) -> tuple[Scores, Ratings]:
    """The scores of units, from tables or by scoring sessions, and their ratings."""
    if tables:
        from irassay.io.tables import read_scores

        if ratings is None:
            raise InputError("give the ratings of the units with --ratings FILE (unit rating)")
        cube = read_scores(list(tables))
        return (cube.select(metrics=metrics) if metrics else cube), read_ratings(ratings, *ends)
    from irassay.meta.satisfaction.units import session_scores

    found, judgements, given = judged_sessions(sessions, qrels, ratings, ends)
    return session_scores(found, judgements, wanted(metrics)), given


def rated_curve(
    sessions: Path | None, qrels: Path | None, ratings: Path | None, metrics: Sequence[str], parameter: str, ends: Ends
) -> tuple[Callable[[float], Scores], Ratings]:
    """A function from the value of a parameter to the scores of the sessions, and their ratings."""
    from irassay.meta.satisfaction.units import session_curve

    found, judgements, given = judged_sessions(sessions, qrels, ratings, ends)
    return session_curve(found, judgements, wanted(metrics), parameter), given


def wanted(metrics: Sequence[str]) -> Sequence[str]:
    """The metrics that were asked for; there must be some."""
    if not metrics:
        raise InputError("name metrics with -m, or jiang2016's with --grid effort")
    return metrics


def judged_sessions(
    sessions: Path | None, qrels: Path | None, ratings: Path | None, ends: Ends
) -> tuple[Any, Any, Ratings]:
    """Sessions, their judgements, and their ratings, which a folder of sessions may bring itself."""
    from irassay.io.sessions import read_session_qrels, read_sessions

    if sessions is None:
        raise InputError("give units to score with --sessions, or scores with --scores and --ratings")
    if qrels is None and not sessions.is_dir():
        raise InputError("give the judgements of the sessions with --qrels FILE")
    own = sessions / "session"
    if ratings is None and not own.is_file():
        raise InputError("give the ratings of the sessions with --ratings FILE (unit rating)")
    return read_sessions(sessions), read_session_qrels(qrels or sessions), read_ratings(ratings or own, *ends)
