"""How runs and judgements are read and put together: one record for every kind of input."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from irassay.arrays import Frame
from irassay.errors import InputError, argument, as_found
from irassay.io.order_settings import By, Precision, Ties
from irassay.io.reader import never
from irassay.io.run_names import Names
from irassay.settings import Option, Record

reading = partial(Option, panel="Reading")
OnDuplicate = Literal["error", "first", "nonrelevant"]
Missing = Literal["zero", "skip", "error"]
ByTopic = Mapping[str, Mapping[str, float]]  # of each topic the weights of its subtopics; of each parameter, by topic
COLUMN_2 = ("auto", "trec", "subtopic", "passage-sum")  # what it may mean; of other formats it is auto


def run_formats() -> tuple[str, ...]:
    """The formats of runs that there are readers for."""
    from irassay.io.detection import READERS

    return ("auto", *sorted({reader.name for reader in READERS}))


def qrels_formats() -> tuple[str, ...]:
    """The formats of judgements that there are readers for, and what column 2 may mean."""
    from irassay.io.detection import READERS

    plain = {reader.name for reader in READERS if reader.kind == "trec" and reader.judgements_look_so is not never}
    return (*COLUMN_2, *sorted(plain - {*COLUMN_2}))


def _refuse_other(name: str, value: Any, nested: bool) -> None:
    """Refuses what is neither a file nor numbers by name, or by topic and name."""
    if value is None or isinstance(value, str | Path):
        return
    if name == "lengths" and hasattr(value, "get_column"):  # a polars frame
        if not {"doc", "words"} <= {*value.columns}:
            raise InputError(f"{argument(name)} as a frame has the columns doc and words; found {as_found(value)}")
        return
    what = "{topic: {name: number}}" if nested else "{name: number}"
    try:
        for each in value.values():
            for number in each.values() if nested else (each,):
                float(number)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is a file, or {what}; found {as_found(value)}") from None


@dataclass(frozen=True)
class JudgingPolicy(Record):
    """What to make of a run and its judgements where that can be done in more than one way."""

    order: Annotated[By, reading("What orders a run's results.")] = "score"
    ties: Annotated[Ties, reading("What orders equal scores; docid is descending, as in trec_eval.")] = "docid"
    score_precision: Annotated[Precision, reading("Compare scores in this precision; trec_eval 9 used single.")] = (
        "double"
    )
    on_duplicate: Annotated[OnDuplicate | None, reading("A document twice in a topic's list.", shown="error")] = None
    missing: Annotated[Missing, reading("A judged topic that a run does not answer.")] = "zero"
    depth: Annotated[int | None, reading("Cut every list to this many results first.", low=1)] = None
    max_grade: Annotated[float | None, reading("Top of the judging scale.", shown="largest grade in the qrels")] = None
    lengths: Annotated[
        str | Path | Mapping[str, float] | Frame | None,
        reading("Words of each document (for U characters, or U(chars=6)): two columns, or JSON."),
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
            "Format of the qrels, or what their column 2 means: trec (nothing) or subtopic; passage-sum: a document's "
            "grade is the sum of its passages' ratings.",
            words=qrels_formats,
        ),
    ] = "auto"
    names: Annotated[
        Names, reading("What runs are called: their file name without the usual endings, or their tag.")
    ] = "file"
    run_format: Annotated[str, reading("Format of the runs; scored: topic document score.", words=run_formats)] = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.qrels_format not in COLUMN_2 and self.qrels_format not in (known := qrels_formats()):
            raise InputError(
                f"{argument('qrels_format', self.qrels_format)} is not known; choose one of {', '.join(known)}"
            )
        for name, nested in (("lengths", False), ("costs", False), ("weights", True), ("topic_params", True)):
            _refuse_other(name, getattr(self, name), nested)
        if self.depth is not None and self.depth >= 1 << 62:  # longer than any list
            object.__setattr__(self, "depth", (1 << 62) - 1)

    @property
    def column_2(self) -> str:
        """What column 2 of the judgements means: as told, or auto."""
        return self.qrels_format if self.qrels_format in COLUMN_2 else "auto"

    @property
    def qrels_file(self) -> str:
        """The format of a file of judgements: as told, or auto."""
        return "auto" if self.qrels_format in ("subtopic", "passage-sum") else self.qrels_format

    @property
    def passage_grade(self) -> Literal["largest", "sum"]:
        """Which of the ratings of its passages is the grade of a document."""
        return "sum" if self.qrels_format == "passage-sum" else "largest"

    def given(self) -> frozenset[str]:
        """The settings that differ from their defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return frozenset(f.name for f, value in values if not (value is f.default or _equal(value, f.default)))

    def loaded(self) -> "JudgingPolicy":
        """The policy with files beside runs and judgements read."""
        given = {name: getattr(self, name) for name in SIDE_FILES}
        paths = {name: value for name, value in given.items() if isinstance(value, str | Path)}
        if not paths:
            return self
        from irassay.io import sidefiles

        return replace(self, **{name: getattr(sidefiles, f"read_{name}")(path) for name, path in paths.items()})


SIDE_FILES = ("lengths", "costs", "weights", "topic_params")  # read by the functions of io.sidefiles


def _equal(value: object, default: object) -> bool:
    return isinstance(value, str | int | float) and value == default
