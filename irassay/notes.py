"""Notes: what a reader should know about the input, as records that can be put together without parsing them."""

from collections.abc import Iterable

from irassay.errors import InputError, Piece, as_found, spelled_as
from irassay.prose import counted


class Note(str):
    """A sentence that also knows what it is about, and of how many things it speaks; it prints and saves as text.

    Its text may be pieces, some of them arguments. JSON and saved files hold the note's characters, in which arguments
    are Python keywords; `str(note)` and `f"{note}"` spell them for the front end that prints it.

    >>> note = Note("not judged", "runA", 1, "topic")
    >>> print(note, note.about, note.number)
    runA: 1 topic not judged runA 1
    >>> from irassay.errors import argument
    >>> with spelled_as("option"):
    ...     print(Note(("scores decide, unless you say ", argument("order", "rank"))))
    scores decide, unless you say --order rank
    """

    __slots__ = ("about", "noun", "number", "pieces")

    pieces: tuple[Piece, ...]  # of the sentence, without what it is about and how many
    about: str  # a run or a file; '' where it is the input as a whole
    number: int  # how many, or 0 where nothing is counted
    noun: str  # of what, in the singular; '' where the text says it

    def __new__(cls, text: str | tuple[Piece, ...], about: str = "", number: int = 0, noun: str = "") -> "Note":
        """The note that says it all in one sentence."""
        pieces = (str(text),) if isinstance(text, str) else text
        texts = isinstance(pieces, tuple) and all(isinstance(each, Piece) for each in (*pieces, about, noun))
        if not (texts and isinstance(number, int)):
            raise InputError("a note is a sentence, what it is about, a whole number and what is counted")
        with spelled_as("keyword"):
            note = super().__new__(cls, _sentence(pieces, about, number, noun))
        for name, value in (("pieces", pieces), ("about", about), ("number", number), ("noun", noun)):
            object.__setattr__(note, name, value)
        return note

    @property
    def text(self) -> str:
        """The sentence without what it is about and how many, with arguments as keywords."""
        with spelled_as("keyword"):
            return "".join(map(str, self.pieces))

    def __str__(self) -> str:
        if all(isinstance(each, str) for each in self.pieces):
            return super().__str__()
        return _sentence(self.pieces, self.about, self.number, self.noun)

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a note does not change; make another one instead of setting {name}")

    def __reduce__(self) -> tuple[type["Note"], tuple[tuple[Piece, ...], str, int, str]]:
        return type(self), (self.pieces, self.about, self.number, self.noun)


class NothingJudged(Note):
    """That no result of a run is judged, as where document ids are of two kinds."""

    __slots__ = ()


def as_notes(sentences: Iterable[str]) -> tuple[Note, ...]:
    """The sentences as notes; those that are notes already stay as they are."""
    if isinstance(sentences, str) or not isinstance(sentences, Iterable) or getattr(sentences, "ndim", 1) == 0:
        raise InputError(f"notes are several sentences; found {as_found(sentences)}")
    return tuple(each if isinstance(each, Note) else Note(each) for each in sentences)


def gathered(notes: Iterable[str]) -> tuple[Note, ...]:
    """The notes, each once, with those that say the same of three runs or more put together.

    >>> gathered([Note("not judged", run, 2, "topic") for run in "ABCD"])
    ('4 runs (A, B, C, …): 2 topics each not judged',)
    """
    alike: dict[tuple[str, tuple[Piece, ...]], list[Note]] = {}
    for note in as_notes(notes):
        counts = bool(note.about and note.number)
        alike.setdefault((note.noun, note.pieces) if counts else ("", (str(note),)), []).append(note)
    found: dict[str, Note] = {}
    for (noun, pieces), each in alike.items():
        if len(each) > 2 and each[0].number:
            runs = ", ".join(note.about for note in each[:3]) + (", …" if len(each) > 3 else "")
            low, high = min(note.number for note in each), max(note.number for note in each)
            many = f"{f'{low:,} to ' if low < high else ''}{counted(high, noun) if noun else f'{high:,}'} each"
            each = [Note((f"{many}{_gap(pieces)}", *pieces), f"{len(each)} runs ({runs})")]
        found |= {str(note): note for note in each}
    return tuple(found.values())


def _sentence(pieces: tuple[Piece, ...], about: str, number: int, noun: str) -> str:
    many = f"{counted(number, noun) if noun else f'{number:,}'}{_gap(pieces)}" if number else ""
    return (f"{about}: " if about else "") + many + "".join(map(str, pieces))


def _gap(pieces: tuple[Piece, ...]) -> str:
    """What stands between a number and the words after it."""
    return "" if str(pieces[0]).startswith((",", ";", ":")) else " "
