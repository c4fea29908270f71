"""What a file holds where nobody says so: judgements or a run, and its rows."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from irassay.errors import InputError
from irassay.io import detection
from irassay.io.column_names import are_grades, scores_are_integers
from irassay.io.detection import Role
from irassay.io.foreign import foreign_kind
from irassay.io.lines import Layout, TextTable, read_table
from irassay.io.reader import Reader
from irassay.io.records import numbered_records
from irassay.io.sources import Source
from irassay.io.trec import QRELS_LAYOUT, RUN_LAYOUT, Run


@dataclass(frozen=True, eq=False)
class Content:
    """The rows of a file, and what was made of them."""

    name: str
    role: Role
    table: TextTable
    run: Run | None  # where it is one
    reader: str  # its format
    unsure: bool  # the rows would do for the other role, too

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of first appearance."""
        turns = self.run.turns if self.run else ()
        return tuple(turns or self.table.frame["topic"].unique(maintain_order=True))


def content_of(source: Source) -> Content:
    """What a file holds, told by its format, the names of its columns, or its numbers."""
    for reader in detection.READERS:
        if reader.run_looks_so(source) or _judged(reader, source):
            return _by_reader(source, reader)
    layout = _layout(source)
    table = read_table(source, layout)
    if layout is QRELS_LAYOUT:
        return Content(source.name, "judgements", table, None, "trec", False)
    run = Run(source.name, table.frame, source.name, lines=table.lines, file=source)
    return Content(source.name, "run", table, run, "trec", False)


def _judged(reader: Reader, source: Source) -> bool:
    return reader.kind == "trec" and reader.judgements_look_so(source)


def _by_reader(source: Source, reader: Reader) -> Content:
    """A file of a format that may hold either: what reads as only one of the two is that one."""
    qrels = None
    try:
        run = reader.read_run(source, ())
    except InputError:
        run, qrels = None, reader.read_judgements(source) if _judged(reader, source) else None
        if qrels is None:
            raise
    unsure = run is not None and run.kind == "trec" and _judged(reader, source) and not reader.surely_run
    if unsure and run is not None and are_grades(run.frame):
        try:
            qrels = reader.read_judgements(source)
        except InputError:
            unsure = False
    if qrels is not None:  # columns without names may also be those of a run that lacks some
        return Content(
            source.name, "judgements", TextTable(qrels.frame), None, reader.name, unsure or reader.surely_run
        )
    assert run is not None
    return Content(
        source.name, "run", TextTable(run.frame, run.lines), run, reader.name, unsure and scores_are_integers(run.frame)
    )


def _layout(source: Source) -> Layout:
    """What kind of TREC file it is, by the number of fields that most of its first lines have."""
    if what := foreign_kind(source.head()):
        raise InputError(f"{source.name} looks like {what}")
    widths = Counter(min(len(fields), 6) for _, fields in islice(numbered_records(source), 100))
    if not widths:
        raise InputError(f"{source.name} has no lines but blank ones and comments")
    width = widths.most_common(1)[0][0]
    if width not in (4, 6):
        raise InputError(f"{source.name} has {width} fields a line, expected 4 ({QRELS_LAYOUT}) or 6 ({RUN_LAYOUT})")
    return QRELS_LAYOUT if width == 4 else RUN_LAYOUT
