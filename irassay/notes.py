"""Notes: what a reader should know about the input, as records that can be merged without parsing."""

from collections.abc import Iterable, Sequence
from typing import Any

from irassay.errors import InputError, Piece, as_found, spelled_as
from irassay.prose import count_phrase, first_few

MAX_CAVEATS = 3  # shown below an answer


class Note(str):
    """A sentence with its subject and count as fields; it prints and saves as text.

    Its text may be given as pieces, so that the front end that prints the note spells the arguments in it. As plain
    text, and in files, arguments are spelled as keywords.

    >>> note = Note("not judged", "runA", 1, "topic")
    >>> print(note, note.about, note.number)
    runA: 1 topic not judged runA 1
    >>> Note("weights change nothing for {metrics}", metrics=["alpha-nDCG", "NRBP"])
    'weights change nothing for alpha-nDCG, NRBP'
    >>> from irassay.errors import argument
    >>> with spelled_as("option"):
    ...     print(Note(("ordered by score; to change that use ", argument("order", "rank"))))
    ordered by score; to change that use --order rank
    """

    __slots__ = ("about", "caveat", "metrics", "noun", "number", "pieces")

    pieces: tuple[Piece, ...]  # the sentence without subject and count; {metrics} stands for the metrics
    about: str  # a run or a file; '' for the input as a whole
    number: int  # 0 if nothing is counted
    noun: str  # what is counted, in the singular; '' if the text says it
    metrics: tuple[str, ...]  # canonical strings of the metrics it names
    caveat: bool  # it changes what a number means, so the terminal always shows it

    def __new__(
        cls,
        text: str | tuple[Piece, ...],
        about: str = "",
        number: int = 0,
        noun: str = "",
        metrics: Sequence[str] = (),
        caveat: bool = False,
    ) -> "Note":
        """A note with its whole sentence as text."""
        pieces = (str(text),) if isinstance(text, str) else text
        texts = isinstance(pieces, tuple) and all(isinstance(each, Piece) for each in (*pieces, about, noun))
        if not (texts and isinstance(number, int) and all(isinstance(each, str) for each in metrics)):
            raise InputError("A note takes a sentence, its subject, a whole number and the noun that is counted.")
        with spelled_as("keyword"):
            note = super().__new__(cls, _note_sentence(pieces, about, number, noun, metrics))
        own = {"pieces": pieces, "about": about, "number": number, "noun": noun, "metrics": tuple(metrics)}
        own["caveat"] = caveat
        for name, value in own.items():
            object.__setattr__(note, name, value)
        return note

    @property
    def text(self) -> str:
        """The sentence without subject and count, with arguments as keywords."""
        with spelled_as("keyword"):
            return "".join(map(str, self.pieces))

    def about_metrics(self, metrics: Sequence[str]) -> "Note":
        """The same note with these names for its metrics."""
        return type(self)(self.pieces, self.about, self.number, self.noun, metrics, self.caveat)

    def __str__(self) -> str:
        if all(isinstance(each, str) for each in self.pieces):
            return super().__str__()
        return _note_sentence(self.pieces, self.about, self.number, self.noun, self.metrics)

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"notes cannot be changed; make a new one instead of setting {name}")

    def __reduce__(self) -> tuple[type["Note"], tuple[Any, ...]]:
        return type(self), (self.pieces, self.about, self.number, self.noun, self.metrics, self.caveat)


class NothingJudged(Note):
    """No result of a run is judged, perhaps because document ids do not match."""

    __slots__ = ()


class EqualScores(Note):
    """Lists of a run have equal scores, so that the order of document ids matters."""

    __slots__ = ()


class ScaleNote(Note):
    """The judging scale."""

    __slots__ = ()


class MeansNote(Note):
    """Rows of means in a score table were left out."""

    __slots__ = ()


def as_notes(sentences: Iterable[str]) -> tuple[Note, ...]:
    """The sentences as notes; those that are notes already stay as they are."""
    if isinstance(sentences, str) or not isinstance(sentences, Iterable) or getattr(sentences, "ndim", 1) == 0:
        raise InputError(f"Notes must be several sentences; found {as_found(sentences)}.")
    return tuple(each if isinstance(each, Note) else Note(each) for each in sentences)


def caveats(notes: Iterable[str]) -> list[Note]:
    """The first notes that change what a number means; they are shown even where other notes are folded."""
    return [note for note in notes if isinstance(note, Note) and note.caveat][:MAX_CAVEATS]


def one_metric_notes(subject: str, metrics: Sequence[object]) -> list[Note]:
    """A note if more than one metric is given, and only the first is used."""
    if len(metrics) < 2:
        return []
    others = count_phrase(len(metrics) - 1, "other metric")
    return [Note(f"{subject} is about one metric, {{metrics}}; {others} left out", metrics=[str(metrics[0])])]


def merged_notes(notes: Iterable[str]) -> tuple[Note, ...]:
    """The notes, each once; the same note about three or more runs becomes one.

    >>> merged_notes([Note("not judged", run, 2, "topic") for run in "ABCD"])
    ('4 runs (A, B, C, …): 2 topics each not judged',)
    """
    groups: dict[tuple[str, tuple[Piece, ...], tuple[str, ...]], list[Note]] = {}
    for note in as_notes(notes):
        counts = bool(note.about and note.number)
        key = (note.noun, note.pieces, note.metrics) if counts else ("", (str(note),), ())
        groups.setdefault(key, []).append(note)
    by_text: dict[str, Note] = {}
    for (noun, pieces, metrics), group in groups.items():
        if len(group) > 2 and group[0].number:
            runs = ", ".join(note.about for note in group[:3]) + (", …" if len(group) > 3 else "")
            low, high = min(note.number for note in group), max(note.number for note in group)
            count = f"{f'{low:,} to ' if low < high else ''}{count_phrase(high, noun) if noun else f'{high:,}'} each"
            about = f"{len(group)} runs ({runs})"
            kind, parts = type(group[0]), (f"{count}{_gap(pieces)}", *pieces)
            group = [kind(parts, about, metrics=metrics, caveat=group[0].caveat)]
        by_text |= {str(note): note for note in group}
    return tuple(by_text.values())


def joined_over_metrics(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes, each once; the same note about several metrics becomes one.

    >>> joined_over_metrics([Note("not defined for {metrics}", metrics=[name]) for name in ("AP", "RR")])
    ('not defined for AP, RR',)
    """
    joined: dict[object, str] = {}
    for note in notes:
        if not isinstance(note, Note) or not note.metrics:
            joined.setdefault(str(note), note)
            continue
        key = (type(note), note.pieces, note.about, note.number, note.noun)
        before = joined.get(key)
        metrics = (*before.metrics, *note.metrics) if isinstance(before, Note) else note.metrics
        joined[key] = note.about_metrics(tuple(dict.fromkeys(metrics)))
    return tuple(joined.values())


def _note_sentence(pieces: tuple[Piece, ...], about: str, number: int, noun: str, metrics: Sequence[str]) -> str:
    count = f"{count_phrase(number, noun) if noun else f'{number:,}'}{_gap(pieces)}" if number else ""
    text = (f"{about}: " if about else "") + count + "".join(map(str, pieces))
    return text.replace("{metrics}", first_few(metrics, len(metrics))) if metrics else text


def _gap(pieces: tuple[Piece, ...]) -> str:
    """What stands between a count and the words after it."""
    return "" if str(pieces[0]).startswith((",", ";", ":")) else " "
