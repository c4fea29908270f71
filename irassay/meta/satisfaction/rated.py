"""Rated units: scores and ratings of the same units, from tables or sessions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from irassay.arrays import Ints
from irassay.errors import InputError, argument, as_found
from irassay.io.file_paths import file_paths
from irassay.meta.satisfaction.ratings import Ratings
from irassay.method import Input
from irassay.metrics.grammar import parse_each
from irassay.scores import Scores
from irassay.scoring.score import label_settings
from irassay.settings import Settings

if TYPE_CHECKING:
    from irassay.metrics.metric import Metric

ScoreFunction = Callable[..., Scores]  # from the values of parameters to the scores of the units
Scale = Sequence[float | None]  # the ends of the rating scale; None: the smallest or largest rating


@dataclass(frozen=True, eq=False)
class RatedUnits(Input):
    """Scores of units (sessions or result lists), and users' ratings of the same units."""

    scores: Scores
    ratings: Ratings
    curve: Callable[..., ScoreFunction] | None = None  # from names of parameters; not for score tables
    names: tuple[str, ...] = ()  # of the metrics, without the parameter that varies
    settings: Settings = field(default_factory=Settings)  # of scores and ratings
    folds: Ints | None = None  # [partition, unit] folds for cross-validation, in the order of the ratings, or random

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
        """The rated units of score tables made by any tool, or of scores."""
        if ratings is None:
            option = argument("ratings", metavar="FILE")
            raise InputError("Give the ratings of the units with ", option, " (columns unit, rating).")
        if not isinstance(ratings, str | Path):
            raise InputError(argument("ratings"), f" must be a table's path or Ratings; found {as_found(ratings)}.")
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
        """The rated units of sessions, scored here; a folder of sessions may have judgements and ratings of its own."""
        from irassay.io.sessions import read_session_qrels, read_sessions
        from irassay.meta.satisfaction.units import session_curve, session_scores

        if sessions is None:
            tables = argument("scores"), " and ", argument("ratings")
            raise InputError("Give sessions to score with ", argument("sessions"), ", or scores with ", *tables, ".")
        folder = Path(sessions)
        if not folder.exists():
            raise InputError(f"There is no file or folder {folder}.", argument="sessions")
        if qrels is None and not folder.is_dir():
            raise InputError("Give the judgements of the sessions with ", argument("qrels", metavar="FILE"), ".")
        own = folder / "session"
        if ratings is None and not own.is_file():
            without = f"The folder {folder} has no file session with ratings. " if folder.is_dir() else ""
            option = argument("ratings", metavar="FILE")
            raise InputError(f"{without}Give the ratings of the sessions with ", option, " (columns unit, rating).")
        if not metrics:
            options = argument("metrics"), ", or those of jiang2016 with ", argument("grid", "effort")
            raise InputError("Give metrics with ", *options, ".")
        units, judgements = read_sessions(folder), read_session_qrels(Path(qrels) if qrels else folder)
        given = {"ratings": ratings, "sessions": folder, "qrels": qrels}
        paths = {n: tuple(map(Path, file_paths(path))) for n, path in given.items() if path is not None}
        cube = session_scores(units, judgements, metrics)
        return cls(
            cube,
            Ratings.read(ratings or own, *_ends(scale)),
            lambda *parameters: session_curve(units, judgements, metrics, *parameters),
            tuple(map(str, metrics)),
            _settings(None, {"metrics": cube.metrics, **label_settings(parse_each(metrics)), **paths}, scale),
        )

    def varied(self, *parameters: str) -> ScoreFunction:
        """The scores as a function of some parameters; refused for score tables."""
        if self.curve is None:
            refuse_tables(parameters)
        return self.curve(*parameters)


def refuse_tables(parameters: Iterable[str]) -> NoReturn:
    """Raises the error that score tables hold no other values of these parameters."""
    text = f"Score tables cannot be computed for other values of {' and '.join(parameters)}; give sessions instead."
    raise InputError(text, argument="scores")


def _ends(scale: Scale) -> tuple[float | None, float | None]:
    """The two ends of a rating scale."""
    if len(scale) != 2:
        given = argument("scale", metavar=",".join(f"{end:g}" for end in scale if end is not None))
        raise InputError(given, f": expected the two ends of a rating scale, such as 1,5; found {len(scale)}.")
    return scale[0], scale[1]


def _settings(scores: Scores | None, about: Mapping[str, Any], scale: Scale) -> Settings:
    origin = getattr(scores, "settings", None)
    inputs: dict[str, Any] = {"scores": origin} if isinstance(origin, Settings) else {}
    ends = {} if tuple(scale) == (None, None) else {"scale": tuple(scale)}
    return Settings("", {}, {**inputs, **about, **ends})


def _path(table: str | Path) -> str:
    """The file of TABLE or NAME=TABLE."""
    return str(table) if Path(table).exists() else str(table).split("=", 1)[-1]
