"""Notes on the inputs of scoring: the scale, names, skipped files, unused settings, users left in a model."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import shorten
from typing import Any

from irassay.arrays import Floats
from irassay.errors import InputError, argument, order_of_files
from irassay.io.addresses import dataset_of
from irassay.io.input_files import NamedRuns, are_files, run_files
from irassay.io.records import first_tag
from irassay.io.run_names import Names, own_names, renamed_notes
from irassay.io.sources import Source
from irassay.judging.policy import JudgingPolicy
from irassay.metrics.cwl import MAX_FOLLOWED_RANKS
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note, NothingJudged, ScaleNote
from irassay.prose import count_phrase, first_few

LABEL_LENGTH = 60  # characters of the meaning of a grade
RANX_RBP = re.compile(r"rbp\.\d+")


def check_any_judged(notes: Iterable[object], runs: int, judging: JudgingPolicy) -> None:
    """Refuses runs none of which has a judged result, as their notes say."""
    unmatched = [note for note in notes if isinstance(note, NothingJudged)]
    if unmatched and len(unmatched) == runs and judging.on_unjudged != "zero":
        others = " (the same for every other run)" if runs > 1 else ""
        raise InputError(f"{unmatched[0]}{others}. To score it anyway, use ", argument("on_unjudged", "zero"), ".")


def scale_note(top: float, found: bool, largest: float) -> Note:
    """The judging scale, where it comes from, and whether any document is relevant."""
    scale = f"the judging scale goes from 0 to {top:g}"
    if largest <= 0:
        why = f"no document is judged relevant: the largest grade given is {largest:g}"
        return ScaleNote(f"{why}; {scale}", caveat=True)
    return ScaleNote(scale + (", the largest grade given" if found else ""))


def grade_notes(qrels: Any) -> list[Note]:
    """A note on the meaning of the grades, if the documentation of a dataset gives it."""
    dataset = dataset_of(qrels)
    labels = {} if dataset is None else dataset.grade_labels()
    if not labels:
        return []
    meanings = "; ".join(f"{grade}: {shorten(labels[grade], LABEL_LENGTH)}" for grade in sorted(labels))
    return [Note(f"grades of {dataset}: {meanings}")]


def swapped_file_notes(qrels: Any) -> list[Note]:
    """A note if judgements and runs were given in the other order, which their content decided."""
    swapped = isinstance(qrels, Source) and qrels.is_swapped
    text = "by their content, the judgements are in {}; normally "
    return [Note((text.format(qrels.name), order_of_files()))] if swapped else []


def file_notes(runs: Any) -> list[str]:
    """Notes on files that are not read, or not read again."""
    return [*_repeated_file_notes(runs), *_skipped_file_notes(runs)]


def _repeated_file_notes(runs: Any) -> list[str]:
    """A note on files given more than once; each is scored once."""
    names = Counter(str(run) for run in runs) if are_files(runs) else {}
    repeated = [name for name, count in names.items() if count > 1]
    return [f"{', '.join(repeated)} given more than once, but scored once"] if repeated else []


def _skipped_file_notes(runs: Any) -> list[str]:
    """A note on files in folders that are clearly not runs and were not read."""
    named = [run for run in runs if isinstance(run, NamedRuns)] if isinstance(runs, list) else []
    others = {source.name: source.path.name for run in named for source in run.skipped_sources}
    if not others:
        return []
    what = "that is not a run" if len(others) == 1 else "that are not runs"
    return [f"skipped {count_phrase(len(others), 'file')} {what}: {first_few(tuple(others.values()))}"]


def reopened_file_notes(runs: Any) -> list[str]:
    """A note on files that were opened more than once, because the process may not keep them all open."""
    number = sum(source.is_reopened for source in run_files(runs)) if are_files(runs) else 0
    why = "opened more than once, because too few files may be open at a time (ulimit -n)"
    return [f"{count_phrase(number, 'file')} {why}"] if number else []


def name_notes(runs: Any, names: list[str], naming: Names) -> list[str]:
    """A note on runs not named by their file, or by their tag, because two names would be the same."""
    sources = {source.path_text: source for source in run_files(runs)} if are_files(runs) else {}
    if len(sources) != len(names) or any(source.is_pipe for source in sources.values()):
        return []
    expected = own_names([*sources], naming, lambda path: first_tag(sources[path]))
    expected = [source.alias or name for source, name in zip(sources.values(), expected, strict=True)]
    return renamed_notes(expected, names)


def setting_notes(metrics: Sequence[Metric], judging: JudgingPolicy) -> list[Note]:
    """Notes on lengths, costs or weights that change nothing, or that have another unit than U takes by default."""
    notes = []
    unweighted = [str(m) for m in metrics if "aspects" in m.meaning.needs and "weights" not in m.uses]
    if unweighted and judging.weights is not None:
        notes.append(Note("weights change nothing for {metrics}, which weight all aspects equally", metrics=unweighted))
    for name in ("lengths", "costs", "weights"):
        if getattr(judging, name) is not None and not any(name in metric.uses for metric in metrics):
            notes.append(Note((argument(name), " changes nothing: no metric here uses it")))
    in_characters = {"dialect": "original", "chars": 1}.items()
    by_character = [str(m) for m in metrics if m.name == "U" and in_characters <= m.params.items()]
    if by_character and judging.lengths is not None:
        text = "{metrics} takes lengths in characters; if yours are in words, set the characters per word: U(chars=6)"
        notes.append(Note(text, metrics=by_character))
    return notes


def changed_notes(metrics: Sequence[Metric]) -> list[Note]:
    """A note for each metric whose numbers changed in this release."""
    texts = [(metric, metric.meaning.changed(metric.params) if metric.meaning.changed else "") for metric in metrics]
    return [Note(text, metrics=[str(metric)], caveat=True) for metric, text in texts if text]


def ranx_notes(asked: Sequence[object], top: float) -> list[Note]:
    """A note on rbp.95, which ranx computes from grades as they are, and which is then no probability."""
    names = [text for text in asked if isinstance(text, str) and RANX_RBP.fullmatch(text.strip())]
    if not names or top <= 1:
        return []
    raw = f"{parse(names[0])(gain='raw')}"
    text = f"gains of {first_few(names)} are divided by the top grade, {top:g}; ranx's number is {raw}"
    return [Note(text, caveat=True)]


def users_left_notes(metrics: Sequence[Metric], left: Floats) -> list[Note]:
    """A note for each user model that still had users at the last rank followed."""
    text = f"{{metrics}} was followed for {MAX_FOLLOWED_RANKS:,} ranks, where up to %.1g of its users are left"
    shares = zip(metrics, left.tolist(), strict=True)
    return [Note(text % share, metrics=[str(metric)]) for metric, share in shares if share > 1e-9]
