"""The pool: every judged document of every topic."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints, NDArray, freeze, read_only, share
from irassay.rankings.preferences import JudgedGroup


@dataclass(frozen=True, eq=False)
class Pool:
    """Every judged document of every topic, in descending order of document id; short rows are padded."""

    grade: Floats  # [t, p]
    size: Ints  # [t] judged documents
    aspects: NDArray[np.int8 | np.float64]  # [t, p, a] grade by aspect
    weights: Floats  # [t, a] share of each aspect, 0 past a topic's own aspects
    preferences: tuple[tuple[JudgedGroup, ...], ...] = ()  # [t] of each topic, if documents were compared
    _once: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def listed(self) -> Bools:
        """[t, p] true where there is a document, false in the padding."""
        return np.arange(self.grade.shape[1]) < self.size[:, None]

    @property
    def has_whole_grades(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool(self.once("has_whole_grades", lambda: bool((self.grade == np.floor(self.grade)).all())))

    @property
    def top(self) -> float:
        """The largest grade, or 0."""
        return float(self.once("top", lambda: float(self.grade.max(initial=0))))

    @property
    def top_by_aspect(self) -> float:
        """The largest grade by aspect, or 0."""
        return float(self.once("top_by_aspect", lambda: float(self.aspects.max(initial=0))))

    def set_totals(self, parts: Sequence["Pool"]) -> None:
        """Stores the properties of all judgements, of which this pool is one part."""
        self._once["has_whole_grades"] = all(part.has_whole_grades for part in parts)
        self._once.update({name: max(getattr(part, name) for part in parts) for name in ("top", "top_by_aspect")})

    def once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """The result of `compute`, computed the first time `key` is requested."""
        if key not in self._once:
            result = compute()
            result = read_only(result) if isinstance(result, np.ndarray) else result
            self._once.setdefault(key, result)  # threads that come here at once share one result
        return self._once[key]


def one_aspect_pool(grade: NDArray[np.int8 | np.float64], size: Ints) -> Pool:
    """The pool of documents that have one grade each [t, p], as if for one aspect."""
    return Pool(grade.astype(np.float64, copy=False), size, grade[:, :, None], np.ones((len(grade), 1)))


NO_POOL = Pool(np.zeros((0, 0)), np.zeros(0, np.int64), np.zeros((0, 0, 1)), np.zeros((0, 1)))


def aspect_dtype(grades: Floats) -> type[np.int8 | np.float64]:
    """The type of arrays of grades by aspect: small integers if all grades are."""
    small = (grades == np.floor(grades)).all() and grades.min(initial=0) >= -128 and grades.max(initial=0) <= 127
    return np.int8 if small else np.float64


def uniform_weights(by_aspect: NDArray[np.int8 | np.float64]) -> Floats:
    """[t, a] the same weight for all aspects that have a relevant document, given grades [t, p, a]."""
    is_covered: Floats = (by_aspect.max(axis=1) > 0).astype(np.float64)
    return share(is_covered, is_covered.sum(axis=1, keepdims=True))
