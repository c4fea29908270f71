"""Notes: what a reader should know about the input, as records that can be put together without parsing them."""

from collections.abc import Iterable, Sequence

from irassay.errors import InputError, as_found
from irassay.prose import counted, some


class Note(str):
    """A sentence that also knows what it is about, and of how many things it speaks; it prints and saves as text.

    >>> note = Note("not judged", "runA", 1, "topic")
    >>> print(note, note.about, note.number)
    runA: 1 topic not judged runA 1
    >>> Note("weights change nothing for {metrics}", metrics=["alpha-nDCG", "NRBP"])
    'weights change nothing for alpha-nDCG, NRBP'
    """

    __slots__ = ("about", "metrics", "noun", "number", "text")

    text: str  # the sentence, less what it is about and how many; {metrics} stands for the metrics
    about: str  # a run or a file; '' where it is the input as a whole
    number: int  # how many, or 0 where nothing is counted
    noun: str  # of what, in the singular; '' where the text says it
    metrics: tuple[str, ...]  # canonical strings of the metrics it names

    def __new__(
        cls, text: str, about: str = "", number: int = 0, noun: str = "", metrics: Sequence[str] = ()
    ) -> "Note":
        """The note that says it all in one sentence."""
        if not (isinstance(number, int) and all(isinstance(each, str) for each in (text, about, noun, *metrics))):
            raise InputError("a note is a sentence, what it is about, a whole number and what is counted")
        many = counted(number, noun) if noun else f"{number:,}"
        counting = _followed(many, text) if number else text
        sentence = f"{about}: {counting}" if about else counting
        if metrics:
            sentence = sentence.replace("{metrics}", some(metrics, len(metrics)))
        note = super().__new__(cls, sentence)
        own = {"text": str(text), "about": about, "number": number, "noun": noun, "metrics": tuple(metrics)}
        for name, value in own.items():
            object.__setattr__(note, name, value)
        return note

    def about_metrics(self, metrics: Sequence[str]) -> "Note":
        """The same note with these names for its metrics."""
        return type(self)(self.text, self.about, self.number, self.noun, metrics)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a note does not change; make another one instead of setting {name}")

    def __reduce__(self) -> tuple[type["Note"], tuple[str, str, int, str, tuple[str, ...]]]:
        return type(self), (self.text, self.about, self.number, self.noun, self.metrics)


class NothingJudged(Note):
    """That no result of a run is judged, as where document ids are of two kinds."""

    __slots__ = ()


class ScaleNote(Note):
    """What the judging scale is."""

    __slots__ = ()


class MeansNote(Note):
    """That rows of means in a score table were left out."""

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
    alike: dict[tuple[str, str, tuple[str, ...]], list[Note]] = {}
    for note in as_notes(notes):
        counts = note.about and note.number
        alike.setdefault((note.noun, note.text, note.metrics) if counts else ("", str(note), ()), []).append(note)
    found: dict[str, Note] = {}
    for (noun, text, metrics), each in alike.items():
        if len(each) > 2 and each[0].number:
            runs = ", ".join(note.about for note in each[:3]) + (", …" if len(each) > 3 else "")
            low, high = min(note.number for note in each), max(note.number for note in each)
            many = f"{f'{low:,} to ' if low < high else ''}{counted(high, noun) if noun else f'{high:,}'} each"
            each = [Note(_followed(many, text), f"{len(each)} runs ({runs})", metrics=metrics)]
        found |= {str(note): note for note in each}
    return tuple(found.values())


def _followed(many: str, text: str) -> str:
    return many + text if text.startswith((",", ";", ":")) else f"{many} {text}"
