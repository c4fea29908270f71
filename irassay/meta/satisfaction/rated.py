"""Rated units: scores and ratings of the same units, from tables or by scoring sessions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from irassay.arrays import Ints
from irassay.errors import InputError, argument, as_found
from irassay.io.sources import file_paths
from irassay.meta.satisfaction.ratings import Ratings
from irassay.method import Input
from irassay.metrics.grammar import parse_each
from irassay.scores import Scores
from irassay.scoring.score import label_settings
from irassay.settings import Settings

if TYPE_CHECKING:
    from irassay.metrics.metric import Metric

ScoreFunction = Callable[[float], Scores]  # the scores of the units when a parameter has this value
Scale = Sequence[float | None]  # the ends of the rating scale; None: as far as the ratings go


@dataclass(frozen=True, eq=False)
class RatedUnits(Input):
    """Scores of units, sessions or result lists, and what people said of the same units."""

    scores: Scores
    ratings: Ratings
    curve: Callable[[str], ScoreFunction] | None = None  # from a parameter to how scores change with it, where units are scored
    names: tuple[str, ...] = ()  # what the metrics are called where their parameters change
    settings: Settings = field(default_factory=Settings)  # where they came from
    folds: Ints | None = None  # [partition, unit] folds for cross-validation, in the order of the ratings, if given

    @classmethod
    def of(cls, scores: Any, ratings: "Ratings | str | Path", *, scale: Scale = (None, None)) -> Self:
        """Scores, or tables of them, and ratings, or a table of them."""
        if not isinstance(ratings, Ratings):
            return cls.from_tables(scores, ratings, scale=scale)
        return cls(scores, ratings, settings=_settings(scores, {}, scale))

    @classmethod
    def from_tables(
        cls, tables: Any, ratings: str | Path | None, metrics: Sequence[str] = (), *, scale: Scale = (None, None)
    ) -> Self:
        """The units of score tables made by any tool, or of scores, that a table of ratings speaks of."""
        if ratings is None:
            raise InputError(f"give the ratings of the units with {argument('ratings', metavar='FILE')} (unit rating)")
        if not isinstance(ratings, str | Path):
            raise InputError(f"{argument('ratings')} is a table's path, or Ratings; found {as_found(ratings)}")
        paths = {"ratings": Path(ratings)}
        if isinstance(tables, Scores):
            cube = tables
        else:
            from irassay.io.tables import read_scores

            listed = [tables] if isinstance(tables, str | Path) or not isinstance(tables, Iterable) else list(tables)
            cube = read_scores(listed)
            paths |= {f"scores {n}": Path(_path(table)) for n, table in enumerate(listed)}
        chosen = cube.with_metrics(metrics) if metrics else cube
        return cls(chosen, Ratings.read(ratings, *_ends(scale)), settings=_settings(chosen, paths, scale))

    @classmethod
    def from_sessions(
        cls,
        sessions: str | Path | None,
        metrics: "Sequence[str | Metric]",
        *,
        qrels: str | Path | None = None,
        ratings: str | Path | None = None,
        scale: Scale = (None, None),
    ) -> Self:
        """Sessions scored here; a folder of sessions may bring judgements and ratings itself."""
        from irassay.io.sessions import read_session_qrels, read_sessions
        from irassay.meta.satisfaction.units import session_curve, session_scores

        if sessions is None:
            rated = f"{argument('scores')} and {argument('ratings')}"
            raise InputError(f"give units to score with {argument('sessions')}, or scores with {rated}")
        folder = Path(sessions)
        if qrels is None and not folder.is_dir():
            raise InputError(f"give the judgements of the sessions with {argument('qrels', metavar='FILE')}")
        own = folder / "session"
        if ratings is None and not own.is_file():
            raise InputError(f"give the ratings of the sessions with {argument('ratings', metavar='FILE')} (unit rating)")
        if not metrics:
            raise InputError(
                f"name metrics with {argument('metrics')}, or jiang2016's with {argument('grid', 'effort')}"
            )
        found, judgements = read_sessions(folder), read_session_qrels(Path(qrels) if qrels else folder)
        given = {"ratings": ratings, "sessions": folder, "qrels": qrels}
        paths = {n: tuple(map(Path, file_paths(path))) for n, path in given.items() if path is not None}
        cube = session_scores(found, judgements, metrics)
        return cls(
            cube,
            Ratings.read(ratings or own, *_ends(scale)),
            lambda parameter: session_curve(found, judgements, metrics, parameter),
            tuple(map(str, metrics)),
            _settings(None, {"metrics": cube.metrics, **label_settings(parse_each(metrics)), **paths}, scale),
        )

    def varied(self, parameter: str) -> ScoreFunction:
        """How the scores change with a parameter; refused where units were not scored here."""
        if self.curve is None:
            raise InputError(f"Scores cannot be made for other values of {parameter}; give the sessions themselves.")
        return self.curve(parameter)


def _ends(scale: Scale) -> tuple[float | None, float | None]:
    """The two ends of a rating scale; refused where there are not two."""
    if len(scale) != 2:
        given = argument("scale", metavar=",".join(f"{end:g}" for end in scale if end is not None))
        raise InputError(f"{given}: a rating scale has two ends, such as 1,5; found {len(scale)}")
    return scale[0], scale[1]


def _settings(scores: Scores | None, about: Mapping[str, Any], scale: Scale) -> Settings:
    origin = getattr(scores, "settings", None)
    inputs: dict[str, Any] = {"scores": origin} if isinstance(origin, Settings) else {}
    ends = {} if tuple(scale) == (None, None) else {"scale": tuple(scale)}
    return Settings("", {}, {**inputs, **about, **ends})


def _path(table: str | Path) -> str:
    """The file of TABLE or NAME=TABLE."""
    return str(table) if Path(table).exists() else str(table).split("=", 1)[-1]
