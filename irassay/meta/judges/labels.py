"""Label sets side by side: the documents that the reference judged, and the grade that every other judge gave them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument, order_of_files
from irassay.io.addresses import located_path
from irassay.io.file_paths import file_paths
from irassay.io.input_files import opened_judgements
from irassay.io.run_names import distinct_names, renamed_notes, run_name
from irassay.io.sources import Source
from irassay.io.trec import Qrels
from irassay.notes import Note
from irassay.prose import count_phrase, first_few, percent_text
from irassay.provenance import path_or_address
from irassay.stats.clusters import group_codes

MAX_GRADES = 50  # more different values are scores, not grades
KEY = ["topic", "doc"]


@dataclass(frozen=True, eq=False)
class Labels:
    """The documents that the reference judged, and every judge's grade of them, the reference first."""

    judges: tuple[str, ...]  # [judge]
    topics: tuple[str, ...]
    topic: Ints  # [document]
    grades: Floats  # [grade] every grade that any judge gave, ascending
    given: Ints  # [judge, document] the place of its grade among the grades; -1 where it was not judged
    scale: tuple[float, ...]  # of the reference: its grades and, if these are integers, all from 0 to the largest
    more: Ints  # [judge] documents judged that the reference did not judge
    outside: Ints  # [judge] grades outside the scale, on documents of the reference
    sets: tuple[Qrels, ...]  # [judge] the label sets
    paths: dict[str, Any]  # their files
    notes: tuple[str, ...] = ()

    @cached_property
    def judged(self) -> Bools:
        """[judge, document] whether there is a grade."""
        return self.given >= 0

    @cached_property
    def documents(self) -> list[Ints]:
        """[topic] the documents of each topic."""
        return np.split(np.argsort(self.topic, kind="stable"), np.bincount(self.topic).cumsum()[:-1])

    @cached_property
    def votes(self) -> Floats:
        """[judge, document, grade] 1 for the grade given, else 0."""
        return (self.given[:, :, None] == np.arange(len(self.grades))).astype(np.float64)

    @cached_property
    def counts(self) -> Floats:
        """[topic, judge, grade, judge, grade] how many documents of a topic got these grades from these two judges."""
        judges, _, grades = self.votes.shape
        counts = np.empty((len(self.topics), judges * grades, judges * grades))
        for t, documents in enumerate(self.documents):
            flat = self.votes[:, documents].transpose(1, 0, 2).reshape(-1, judges * grades)
            counts[t] = flat.T @ flat
        return counts.reshape(-1, judges, grades, judges, grades)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The lowest grades that may count as relevant."""
        return self.scale[1:]


def label_sets(human: Any, others: Any) -> Labels:
    """The label sets joined to the reference."""
    human = opened_judgements(human)
    plain, places, sets = zip(*_named_sets(human, others), strict=True)
    if len(sets) < 2:
        twice = isinstance(human, Source) and others  # the reference again, which is left out
        problem = f"{human.name} is both the reference and the other labels" if twice else "There are no other labels"
        raise InputError(f"{problem}; give at least one more set of labels.")
    names = distinct_names(plain, places)
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), ""):
        raise InputError(f"Two sets of labels are called {twice}; rename a file, or give a dict from names to labels.")
    frames = [_grade_frame(name, qrels) for name, qrels in zip(names, sets, strict=True)]
    first = frames[0]
    scale = _scale(first["grade"].to_numpy())
    joined = first.select(KEY)
    for n, frame in enumerate(frames):
        joined = joined.join(frame.rename({"grade": f"grade{n}"}), on=KEY, how="left", maintain_order="left")
    table = joined.select(pl.exclude(KEY)).to_numpy().T.astype(np.float64)  # [judge, document]
    notes = [*renamed_notes(plain, names, "sets of labels"), *(note for qrels in sets for note in qrels.notes)]
    topics = tuple(first["topic"].unique(maintain_order=True))
    for name, frame, row in zip(names[1:], frames[1:], table[1:], strict=True):
        _check_overlap(name, frame, row, scale, names[0], topics)
    grades = np.unique(table[~np.isnan(table)])
    given = np.where(np.isnan(table), -1, np.searchsorted(grades, np.nan_to_num(table)))
    outside = np.count_nonzero(~np.isnan(table) & ~np.isin(table, scale), axis=1)
    labels = Labels(
        judges=tuple(names),
        topics=topics,
        topic=group_codes(first["topic"].to_list()),
        grades=grades,
        given=given,
        scale=scale,
        more=np.array([frame.height for frame in frames]) - np.count_nonzero(given >= 0, axis=1),
        outside=outside,
        sets=sets,
        paths={name: paths for name, each in (("human", sets[:1]), ("others", sets[1:])) if (paths := _files(each))},
    )
    return replace(labels, notes=(*notes, *_label_notes(labels, frames)))


def _files(sets: Sequence[Qrels]) -> tuple[Path, ...]:
    return tuple(path_or_address(each.source) for each in sets if located_path(each.source).is_file())


def _named_sets(human: Any, others: Any) -> Iterator[tuple[str, str, Qrels]]:
    """The name, the path (or name again) and the labels of the reference and of every other set."""
    yield _named_set(human, "reference")
    if isinstance(others, Mapping) and not _is_graded(others):
        for name, other in others.items():
            yield str(name), str(name), Qrels.of(other, str(name))
        return
    for n, other in enumerate(others if isinstance(others, list | tuple) else [others]):
        if not isinstance(other, str | Path):
            yield _named_set(other, f"judge {n + 1}")
            continue
        for path in file_paths(other):
            if not (isinstance(human, Source) and located_path(path).resolve() == human.path.resolve()):
                yield _named_set(opened_judgements(path))


def _is_graded(given: Mapping[str, Any]) -> bool:
    """Whether this is one set of labels, `{topic: {doc: grade}}`, and not several sets by name."""
    first = next(iter(given.values()), None)
    return isinstance(first, Mapping) and isinstance(next(iter(first.values()), None), int | float)


def _named_set(given: Any, otherwise: str = "") -> tuple[str, str, Qrels]:
    """The name, the path (or name again) and the labels of one set; `otherwise` names a set without a file."""
    try:
        qrels = Qrels.of(given)
    except InputError as error:
        pieces = "the reference and the other labels are judgements, and runs go to ", argument("runs")
        error.args = tuple(p for piece in error.args for p in (pieces if piece == order_of_files() else (piece,)))
        raise
    if not isinstance(given, Source):
        return otherwise, otherwise, qrels
    return run_name(given.path), given.path_text, qrels


def _grade_frame(name: str, qrels: Qrels) -> pl.DataFrame:
    if qrels.has_subtopics:
        raise InputError(
            f"{name} has judgements by subtopic; judges are compared on one grade for each topic and document."
        )
    frame = qrels.frame.select(*KEY, pl.col("grade").cast(pl.Float64))
    if frame.height == 0:
        raise InputError(f"{name} has no labels; expected lines `topic 0 document grade`.")
    if (number := frame["grade"].n_unique()) > MAX_GRADES:
        raise InputError(
            f"{name} has {number:,} different grades, which look like scores; give grades, such as 0 to 3."
        )
    return frame


def _scale(grades: Floats) -> tuple[float, ...]:
    """The grades of the reference and, if they are integers, all from 0 to the largest.

    >>> _scale(np.array([0.0, 3.0, 1.0]))
    (0.0, 1.0, 2.0, 3.0)
    """
    scale = set(grades.tolist())
    if all(grade == int(grade) for grade in scale):
        scale |= set(map(float, range(int(max(scale)) + 1)))
    return tuple(sorted(scale))


def _check_overlap(
    name: str, frame: pl.DataFrame, row: Floats, scale: tuple[float, ...], human: str, topics: tuple[str, ...]
) -> None:
    """Refuses labels of other topics, of other documents, or on another scale than the reference."""
    grades = row[~np.isnan(row)]
    if not len(grades):
        shared = set(frame["topic"].unique()) & set(topics)
        if not shared:
            raise InputError(
                f"{name} has no topic in common with {human} (such as {min(frame['topic'])} and {topics[0]}); give "
                "labels of the same topics."
            )
        raise InputError(
            f"{name} judges other documents than {human}: they have {count_phrase(len(shared), 'topic')} but no "
            "document in common; give labels of the same documents."
        )
    outside = ~np.isin(grades, scale)
    if outside.mean() > 0.5:
        raise InputError(
            f"{name} has another scale: {percent_text(outside.mean(), 0)} of its grades ({grades.min():g} to "
            f"{grades.max():g}) are not on that of {human} ({scale_text(scale)}); map them to it first."
        )


def scale_text(scale: tuple[float, ...]) -> str:
    """The grades of a scale as text.

    >>> scale_text((0.0, 1.0, 2.0, 3.0)), scale_text((0.0, 0.5))
    ('0 to 3', '0, 0.5')
    """
    if len(scale) > 2 and all(b - a == 1 for a, b in pairwise(scale)):
        return f"{scale[0]:g} to {scale[-1]:g}"
    return ", ".join(f"{grade:g}" for grade in scale)


def _label_notes(labels: Labels, frames: list[pl.DataFrame]) -> Iterator[Note]:
    """Notes on each set: what it did not judge, and grades that are not on the scale."""
    for j, name in enumerate(labels.judges):
        if labels.outside[j]:
            grades = labels.grades[labels.given[j][labels.judged[j]]]
            outside = first_few([f"{grade:g}" for grade in np.unique(grades) if grade not in labels.scale])
            text = f"outside the scale {scale_text(labels.scale)} ({outside}); these grades are kept, not clipped"
            yield Note(text, name, int(labels.outside[j]), "label")
        missing = np.setdiff1d(np.arange(len(labels.topics)), labels.topic[labels.judged[j]])
        if len(missing):
            yield Note(f"not judged ({first_few([labels.topics[t] for t in missing])})", name, len(missing), "topic")
        if unjudged := int(np.count_nonzero(~labels.judged[j])):
            yield Note("of the reference not judged; agreement is over the others", name, unjudged, "document")
        if labels.more[j]:
            yield Note("not judged by the reference; left out", name, int(labels.more[j]), "document")
        unused = [f"{grade:g}" for grade in labels.scale if grade not in set(frames[j]["grade"])]
        if unused and j:
            yield Note(f"{name} never gives the grade {first_few(unused)}")
