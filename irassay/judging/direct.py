"""Files to judged lists by the shortest way: what is clean and usual is scanned, all else goes the careful way.

The two are equal by law: the same rankings, names and notes. Whatever needs a message or a policy is left to the
careful way, run by run.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from irassay.arrays import Ints
from irassay.errors import InputError
from irassay.io.folders import run_files
from irassay.io.names import Names, called_alone, distinct
from irassay.io.ordering import RARE, TOP
from irassay.io.reader import ADDED
from irassay.io.records import tag
from irassay.io.scan import (
    TIED,
    UNSETTLED,
    Bytes,
    Keys,
    Part,
    Text,
    chunks,
    library,
    read_part,
)
from irassay.io.sources import LONG, Pipe, Source, ahead, unreadable
from irassay.judging.judged import JudgedLists, by_length
from irassay.judging.kinds import TREC, on_order
from irassay.judging.policy import COLUMN_2, JudgingPolicy
from irassay.judging.scanned_qrels import ScannedQrels, qrels_from_file, qrels_from_pool
from irassay.parallel import progress_for
from irassay.rankings.batch import Rankings

if TYPE_CHECKING:
    from irassay.judging.runs import RunByRun

USUAL = frozenset(
    {"on_duplicate", "missing", "depth", "max_grade", "qrels_format", "run_format", "weights", "names", "ties"}
)


_WATCH: ContextVar[Callable[[JudgedLists], None] | None] = ContextVar("watch", default=None)


@contextmanager
def watched_by(watch: Callable[[JudgedLists], None]) -> Iterator[None]:
    """A context in which `watch` is shown runs in files that are read whole; their documents can be told apart."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


@dataclass(frozen=True, eq=False)
class ScannedRuns:
    """Runs in files and their judgements, which are put together when one goes through them."""

    paths: tuple[Path, ...] | tuple[Pipe]
    names: tuple[str, ...]
    judgements: ScannedQrels
    policy: JudgingPolicy
    reach: int | None  # results of a list that count; None: all
    given: tuple[Any, Any, JudgingPolicy, frozenset[str]]  # for the careful way
    keyed: bool = False  # documents that are not judged can be told too

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[JudgedLists]:
        watch = _WATCH.get()
        for i, parts in enumerate(self._scanned()):
            found = None if parts is None else self._judged(self.names[i], parts)
            found = found or self.careful.judged(self.careful.runs[i])
            if watch is not None:
                watch(found)
            yield found

    @property
    def deepest(self) -> int:
        """Results of a list that are looked at."""
        return min(self.policy.depth or FAR, max(self.reach or FAR, TOP))

    @property
    def ragged(self) -> bool:
        """Whether all judgements as one pool would take far more room than there are."""
        return len(by_length(self.judgements.offer.size)) > 1

    @property
    def long(self) -> bool:
        """Whether there is one run only, so long that it is scored as it is read."""
        if len(self.paths) > 1 or isinstance(self.paths[0], Pipe):
            return len(self.paths) == 1
        return self.paths[0].stat().st_size >= LONG

    @cached_property
    def careful(self) -> "RunByRun":
        """The same runs, to be read the careful way."""
        from irassay.judging.runs import judged_runs

        with self.paths[0].again() if isinstance(self.paths[0], Pipe) else nullcontext():
            return judged_runs(*self.given)

    def part(self, text: Text, spare: list[Bytes]) -> Part | None:
        """The lists of a text, whose buffer is spare from then on; None: not clean."""
        found = read_part(self.judgements.offer, text, self.policy.ties == "docid-asc", self.keyed)
        spare.append(text[0])
        return found

    def _scanned(self) -> Iterator[list[Part] | None]:
        """The lists of each run; None: not clean."""
        spare: list[Bytes] = []

        def part(text: Text) -> Part | None:
            return self.part(text, spare)

        def run(path: Path | Pipe) -> list[Part] | None:
            try:
                found = [part(text) for text in chunks(path, spare)]
            except unreadable():
                return None
            return None if None in found else [each for each in found if each is not None]

        if len(self.paths) > 1:
            yield from ahead(run, self.paths)
        elif isinstance(self.paths[0], Path) and self.paths[0].stat().st_size < SMALL:
            yield run(self.paths[0])
        else:
            try:
                found = list(ahead(part, chunks(self.paths[0], spare, progress_for("reading the run"))))
            except unreadable():
                found = [None]
            yield None if None in found else [each for each in found if each is not None]

    def _judged(self, name: str, parts: list[Part]) -> JudgedLists | None:
        """A run's lists with their grades; None: it is not for here to say what is wrong with them."""
        of, policy = self.judgements, self.policy
        if len({part.tag for part in parts}) != 1:
            return None
        topic, size, flags = (np.concatenate([getattr(p, each) for p in parts]) for each in ("topic", "size", "flags"))
        known = topic >= 0
        times = np.bincount(topic[known], minlength=len(of.offer.topics))
        absent = [of.offer.topics[t] for t in np.flatnonzero(times == 0).tolist()]
        if not known.any() or times.max() > 1 or (absent and policy.missing == "error"):
            return None
        unknown = tuple(dict.fromkeys(each for part in parts for each in part.unknown))
        tied, unsettled = (int(np.count_nonzero(flags & flag)) for flag in (TIED, UNSETTLED))
        notes = [*of.notes, *TREC.topic_notes(name, unknown, absent, policy.missing)]
        notes += [*on_order(name, tied, unsettled, policy), *of.remarks]
        retrieved = np.zeros(len(times), dtype=np.int64)
        retrieved[topic[known]] = size[known]
        retrieved = np.minimum(retrieved, self.deepest)
        topics = np.flatnonzero(times) if policy.missing == "skip" else np.arange(len(times))
        rows = tuple(by_length(retrieved[topics]))
        made = [self._rankings(parts, topics[each], retrieved[topics[each]]) for each in rows]
        batches = tuple(r for r, _ in made)
        if sum(int(b.judged[:, :TOP].sum()) for b in batches) < RARE * int(np.minimum(size[known], TOP).sum()):
            return None  # ids may be of two kinds, which the careful way says with samples
        keys = tuple(each for _, each in made if each is not None)
        return JudgedLists(batches, rows, name, of.offer.topics, tuple(notes), None, scanned_keys=keys)

    def _rankings(self, parts: list[Part], topic: Ints, retrieved: Ints) -> tuple[Rankings, Keys | None]:
        of = self.judgements
        row = np.full(len(of.offer.topics), -1)
        row[topic] = np.arange(len(topic))
        placed = [(part, np.where(part.topic >= 0, row[part.topic], -1)) for part in parts]
        return of.rankings(of.pool, placed, topic, retrieved)


FAR = 1 << 40  # further than any list goes
SMALL = 1 << 20  # bytes of a run for which no threads are started


def judged_lists(
    runs: Any,
    qrels: Any,
    policy: JudgingPolicy,
    needs: frozenset[str] = frozenset(),
    reach: int | None = None,
    keyed: bool = False,
) -> "ScannedRuns | RunByRun":
    """The runs with their judgements, of whatever kind they are; `needs` is what metrics need of them.

    Lists may be cut after `reach` results, where metrics look no further. They have `keys` if these are asked for.
    """
    keyed = keyed or _WATCH.get() is not None
    if isinstance(runs, Mapping) and isinstance(qrels, Mapping):
        from irassay.io.frames import swapped  # which needs polars

        if why := swapped(runs, qrels):
            raise InputError(why)
    usual = library() is not None and policy.given() <= USUAL and policy.run_format in ("auto", "trec") and not ADDED
    usual = usual and policy.ties != "file"
    by_column_2 = policy.column_2 == "subtopic" or (policy.column_2 == "auto" and "aspects" in needs)
    scanned_kind = policy.qrels_format in COLUMN_2 and not (by_column_2 and "turns" in needs)
    if usual and policy.weights is None and scanned_kind:
        judgements = qrels_from_file(qrels, policy, by_column_2)
        found = None if judgements is None else _files(runs, policy.names) or _pipe(runs)
        if judgements is not None and found:
            scanned = ScannedRuns(*found, judgements, policy, reach, (runs, qrels, policy, needs), keyed)
            return scanned.careful if isinstance(found[0][0], Pipe) and found[0][0].short else scanned
    from irassay.judging.runs import judged_runs

    careful = judged_runs(runs, qrels, policy, needs)
    return (_from_careful(careful, reach, keyed) if usual else None) or careful


def _files(runs: Any, by: Names) -> tuple[tuple[Path, ...] | tuple[Pipe], tuple[str, ...]] | None:
    """The files that hold runs and what these are called; None where some are not files or not of this kind."""
    many = runs if isinstance(runs, list | tuple) else [runs]
    if not all(isinstance(run, str | Path) and not (Path(run) / "session").is_file() for run in many):
        return None
    try:
        paths = run_files(many)
        if not all(path != "-" and Path(path).is_file() for path in paths):
            return None
        names = called_alone(paths, by, lambda path: tag(Source(path)))
    except InputError:
        return None
    return tuple(map(Path, paths)), tuple(distinct(names, paths))


def _pipe(runs: Any) -> tuple[tuple[Pipe], tuple[str]] | None:
    """The one run that is to be had, once only, from standard input or a pipe; None where it is no such thing."""
    one = runs[0] if isinstance(runs, list | tuple) and len(runs) == 1 else runs
    if not isinstance(one, str | Path) or not (str(one) == "-" or Path(one).is_fifo()):
        return None
    return (Pipe(one),), ("",)


def _from_careful(careful: "RunByRun", reach: int | None, keyed: bool) -> ScannedRuns | None:
    """Files scanned against judgements that were read the careful way; None where that cannot be."""
    from irassay.judging.runs import RunFile

    sources = [run.given for run in careful.runs if isinstance(run, RunFile) and run.reader.name == "trec"]
    files = [given for given in sources if isinstance(given, Source) and given.data is None]
    every = bool(files) and len(files) == len(careful.runs)
    judgements = qrels_from_pool(careful.pool, careful.policy) if every else None
    if judgements is None:
        return None
    policy = careful.policy
    paths = tuple(given.path for given in files)
    called = tuple(run.name for run in careful.runs)
    scanned = ScannedRuns(paths, called, judgements, policy, reach, (None, None, policy, frozenset()), keyed)
    scanned.__dict__["careful"] = careful
    return scanned
