"""How runs and judgements are read and joined: one record for every kind of input."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from irassay.arrays import Frame
from irassay.domains import Domain
from irassay.errors import InputError, argument, as_found
from irassay.io.order_settings import OrderBy, Precision, Ties
from irassay.io.reader import never
from irassay.io.run_names import Names
from irassay.settings import Option, Record

reading = partial(Option, panel="Reading")
OnDuplicate = Literal["error", "first", "nonrelevant"]
Missing = Literal["zero", "skip", "error"]
OnUnjudged = Literal["error", "zero"]
ByTopic = Mapping[str, Mapping[str, float]]  # weights by topic and subtopic; or parameters by name and topic
COLUMN_2 = ("auto", "trec", "subtopic", "passage-sum")  # its possible meanings; auto for other formats

PREFERENCES = ("prefs", "qrels_prefs")  # the formats of preferences, as trec_eval calls them


def run_formats() -> tuple[str, ...]:
    """The formats of runs that have readers."""
    from irassay.io.detection import all_readers

    return ("auto", *sorted({reader.name for reader in all_readers()}))


def qrels_formats() -> tuple[str, ...]:
    """The formats of judgements that have readers, and the meanings of column 2."""
    from irassay.io.detection import all_readers

    trec = [reader for reader in all_readers() if reader.kind == "trec"]
    plain = {reader.name for reader in trec if reader.judgements_look_so is not never}
    return (*COLUMN_2, *sorted(plain - {*COLUMN_2}), *PREFERENCES)


def _checked_side_file(name: str, value: Any, nested: bool) -> Any:
    """A file as it is, or its content: numbers by name, or (nested) numbers by topic and name; names are text."""
    if value is None or isinstance(value, str | Path):
        return value
    from irassay.io.sidefiles import checked_lengths, checked_numbers  # which needs polars

    if name == "lengths" and hasattr(value, "get_column"):  # a polars frame
        if not {"doc", "words"} <= {*value.columns}:
            raise InputError(argument(name), f" as a frame needs the columns doc and words; found {as_found(value)}.")
        return checked_lengths(value)
    what = "{topic: {name: number}}" if nested else "{name: number}"
    if not isinstance(value, Mapping) or (nested and not all(isinstance(of, Mapping) for of in value.values())):
        raise InputError(f"{name} must be a file, or {what}; found {as_found(value)}.")
    if not nested:
        return checked_numbers(name, value)
    any_sign = name == "topic_params"
    return {str(topic): checked_numbers(name, of, any_sign) for topic, of in value.items()}


# Settings whose files io.sidefiles reads, and whether their numbers are nested: by topic, and then by name.
SIDE_FILES = {"lengths": False, "costs": False, "weights": True, "topic_params": True}


@dataclass(frozen=True)
class JudgingPolicy(Record):
    """How to read a run and its judgements, where there is a choice."""

    order: Annotated[OrderBy, reading("Order a run's results by this.")] = "score"
    ties: Annotated[Ties, reading("Order equal scores by this; docid is descending, as in trec_eval.")] = "docid"
    score_precision: Annotated[Precision, reading("Compare scores in this precision; trec_eval 9 used single.")] = (
        "double"
    )
    on_duplicate: Annotated[
        OnDuplicate | None, reading("What to do with a document listed twice for a topic.", shown="error")
    ] = None
    missing: Annotated[Missing, reading("What to do with a judged topic that a run does not have.")] = "zero"
    on_unjudged: Annotated[
        OnUnjudged | None, reading("What to do if no result of any run is judged.", shown="error")
    ] = None
    depth: Annotated[int | None, reading("Cut every list to this many results first.", low=1)] = None
    max_grade: Annotated[
        float | None,
        reading("Top of the judging scale.", shown="largest grade in the qrels", low=0, high=1000, open="low"),
    ] = None
    lengths: Annotated[
        str | Path | Mapping[str, float] | Frame | None,
        reading("Document lengths in words (in characters for U, or use U(chars=6)): two columns, or JSON."),
    ] = None
    costs: Annotated[
        str | Path | Mapping[str, float] | None,
        reading("Cost of each result type (column 2 of the run)."),
    ] = None
    weights: Annotated[
        str | Path | ByTopic | None,
        reading("Weights of aspects: topic subtopic weight.", shown="the same for all that have a relevant document"),
    ] = None
    topic_params: Annotated[str | Path | ByTopic | None, reading("Parameters by topic, for values such as T='@T'.")] = (
        None
    )
    qrels_format: Annotated[
        str,
        reading(
            "Format of the qrels, or meaning of column 2: trec (ignored) or subtopic; passage-sum: a document's "
            "grade is the sum of its passages' ratings; prefs, qrels_prefs: preferences, as in trec_eval.",
            words=qrels_formats,
        ),
    ] = "auto"
    names: Annotated[Names, reading("Name runs by file name (without the usual extensions) or by tag.")] = "file"
    run_format: Annotated[str, reading("Format of the runs; scored: topic document score.", words=run_formats)] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.qrels_format not in COLUMN_2:
            Domain("word", words=qrels_formats()).check(argument("qrels_format"), self.qrels_format)
        if self.run_format != "auto":
            from irassay.io.detection import reader_named

            reader_named(self.run_format)
        for name, nested in SIDE_FILES.items():
            object.__setattr__(self, name, _checked_side_file(name, getattr(self, name), nested))
        if self.depth is not None and self.depth >= 1 << 62:  # longer than any list
            object.__setattr__(self, "depth", (1 << 62) - 1)

    @property
    def column_2(self) -> str:
        """The meaning of column 2 of the judgements, or auto."""
        return self.qrels_format if self.qrels_format in COLUMN_2 else "auto"

    @property
    def qrels_file(self) -> str:
        """The format of a file of judgements, or auto."""
        return "auto" if self.qrels_format in ("subtopic", "passage-sum", "qrels_prefs") else self.qrels_format

    @property
    def preferences(self) -> bool:
        """Whether the judgements compare documents."""
        return self.qrels_format in PREFERENCES

    @property
    def passage_grade(self) -> Literal["largest", "sum"]:
        """How the ratings of its passages make a document's grade."""
        return "sum" if self.qrels_format == "passage-sum" else "largest"

    def changed_settings(self) -> frozenset[str]:
        """The settings that differ from their defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        same = (f.name for f, v in values if v is f.default or (isinstance(v, str | int | float) and v == f.default))
        return frozenset(field.name for field in fields(self)) - frozenset(same)

    def with_files_read(self) -> "JudgingPolicy":
        """The policy with its files of lengths, costs, weights and parameters read."""
        given = {name: getattr(self, name) for name in SIDE_FILES}
        paths = {name: value for name, value in given.items() if isinstance(value, str | Path)}
        if not paths:
            return self
        from irassay.io import sidefiles

        contents = {}
        for name, path in paths.items():
            try:
                contents[name] = getattr(sidefiles, f"read_{name}")(path)
            except InputError as error:
                error.argument = name
                raise
        return replace(self, **contents)
