"""The content of a file whose role was not given: judgements or a run, and its rows."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from irassay.errors import InputError
from irassay.io import detection
from irassay.io.detection import Role
from irassay.io.foreign import foreign_kind
from irassay.io.lines import Layout, TextTable, read_table
from irassay.io.named_columns import are_grades, scores_are_integers
from irassay.io.reader import Reader
from irassay.io.records import numbered_records
from irassay.io.sources import Source
from irassay.io.trec import QRELS_LAYOUT, RUN_LAYOUT, Run, comment_notes
from irassay.notes import Note, as_notes


@dataclass(frozen=True, eq=False)
class Content:
    """The rows of a file, and its detected role."""

    name: str
    role: Role
    table: TextTable
    run: Run | None  # if it is one
    reader: str  # its format
    is_ambiguous: bool  # the rows are valid for the other role, too
    notes: tuple[Note, ...] = ()  # of its reader

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of first appearance."""
        turns = self.run.turns if self.run else ()
        return tuple(turns or self.table.frame["topic"].unique(maintain_order=True))


def content_of(source: Source) -> Content:
    """The content of a file, recognised by its format, the names of its columns, or its numbers."""
    for reader in detection.READERS:
        if reader.run_looks_so(source) or _may_be_judgements(reader, source):
            return _content_by_reader(source, reader)
    layout = _trec_layout(source)
    table = read_table(source, layout)
    notes = comment_notes(table.comments, source.name)
    if layout is QRELS_LAYOUT:
        return Content(source.name, "judgements", table, None, "trec", False, notes)
    run = Run(source.name, table.frame, source.name, lines=table.lines, file=source)
    return Content(source.name, "run", table, run, "trec", False, notes)


def _may_be_judgements(reader: Reader, source: Source) -> bool:
    return reader.kind == "trec" and reader.judgements_look_so(source)


def _content_by_reader(source: Source, reader: Reader) -> Content:
    """The content of a file in a format for both roles; if it is valid for only one, it has that one."""

    def judgements(is_ambiguous: bool) -> Content:
        qrels = reader.read_judgements(source)
        notes = as_notes(qrels.notes)
        return Content(source.name, "judgements", TextTable(qrels.frame), None, reader.name, is_ambiguous, notes)

    try:
        run = reader.read_run(source, ())
    except InputError:
        if not _may_be_judgements(reader, source):
            raise
        return judgements(reader.surely_run)  # columns without names may also be those of an incomplete run
    is_ambiguous = run.kind == "trec" and _may_be_judgements(reader, source) and not reader.surely_run
    if is_ambiguous and are_grades(run.frame):
        try:
            return judgements(is_ambiguous)
        except InputError:
            is_ambiguous = False
    is_ambiguous = is_ambiguous and scores_are_integers(run.frame)
    table = TextTable(run.frame, run.lines)
    return Content(source.name, "run", table, run, reader.name, is_ambiguous, as_notes(run.notes))


def _trec_layout(source: Source) -> Layout:
    """The layout of a TREC file, by the number of fields on most of its first lines."""
    if kind := foreign_kind(source.head()):
        raise InputError(f"{source.name} looks like {kind}; expected judgements or a run.")
    widths = Counter(min(len(fields), 6) for _, fields in islice(numbered_records(source), 100))
    if not widths:
        raise InputError(f"{source.name} has only blank lines and comments.")
    width = widths.most_common(1)[0][0]
    if width not in (4, 6):
        expected = f"4 ({QRELS_LAYOUT}) or 6 ({RUN_LAYOUT})"
        raise InputError(file=source.name, found=f"found {width} fields per line", expected=expected)
    return QRELS_LAYOUT if width == 4 else RUN_LAYOUT
