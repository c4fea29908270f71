"""The kinds of runs: which settings mean something to each, when a document is a copy, and what is said of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.errors import InputError, argument, option_in_parentheses
from irassay.io.order_settings import Ordering
from irassay.judging.missing_topics import are_refused
from irassay.judging.policy import JudgingPolicy, Missing, OnDuplicate
from irassay.notes import Note
from irassay.prose import count_phrase, first_few

if TYPE_CHECKING:
    from irassay.io.tie_order import Lists
    from irassay.io.trec import Run
    from irassay.judging.pool import JudgedPool

Copies = Literal["list", "file", "turn"]  # a copy comes later in the list, in the file, or in the same turn


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """How runs of one kind are judged, where kinds differ."""

    name: str
    without: frozenset[str]  # settings that have no meaning
    on_duplicate: OnDuplicate  # what is done unless told otherwise
    copies: Copies
    not_answered: str  # said of topics that the run does not have
    left_out: str  # said of copies that are
    kept: str  # said of copies that are not
    listed: str = "topic"  # what a list answers
    not_judged: str = "without judgements left out"  # said of topics that are not judged
    counted_as_0: str = "scored 0"
    refused: str = "has no results for"  # the same as an error
    copied: str = "document"  # what a copy is called
    orders: tuple[str, ...] = ("score", "rank", "file")
    turns: bool = True  # lists have turns
    copies_judged: bool = False  # a copy that is kept is known to be worth nothing, rather than unknown
    depth_by_turn: bool = False

    def policy(self, given: JudgingPolicy) -> JudgingPolicy:
        """The policy with this kind's defaults and files read; settings without meaning are refused."""
        wrong = given.given() & self.without
        if wrong:
            first = next(name for name in given.__dataclass_fields__ if name in wrong)
            raise InputError(f"{argument(first)} has no meaning for {self.name} runs; leave it out")
        if given.order not in self.orders:
            known = ", ".join(self.orders)
            raise InputError(f"order={given.order!r} is not known for Dynamic Domain runs; choose one of {known}")
        return (given if given.on_duplicate else replace(given, on_duplicate=self.on_duplicate)).loaded()

    def ordering(self, policy: JudgingPolicy) -> Ordering:
        """What decides the order of results; sessions come in order."""
        if "order" in self.without:
            return Ordering("file")
        return Ordering(policy.order, "file" if self.turns else policy.ties, policy.score_precision)

    def on_topics(
        self, run: "Run", pool: "JudgedPool", answered: Bools, unknown: tuple[str, ...], missing: Missing
    ) -> list[Note]:
        """Notes on topics that only the run or only the judgements have."""
        absent = [name for name, row in pool.topics.items() if not answered[row]]
        if (run.turns or run.frame.height) and not answered.any():
            raise InputError(
                f"no {self.listed} of {run.source} (it has {first_few(run.topics, 3)}) is judged in {pool.source} (it has "
                f"{first_few(tuple(pool.topics), 3)}); check that the two belong together"
            )
        if are_refused(answered, missing):
            raise InputError(
                f"{run.source} {self.refused} {count_phrase(len(absent), f'judged {self.listed}')} ({first_few(absent)}); add "
                f"them, or say missing='zero' or 'skip'{option_in_parentheses('missing')}"
            )
        return self.topic_notes(run.name, unknown, absent, missing)

    def topic_notes(self, name: str, unknown: Sequence[str], absent: Sequence[str], missing: Missing) -> list[Note]:
        """What is said of a run's topics that are not judged, and of judged ones that it does not answer."""
        notes = []
        if unknown:
            notes.append(Note(f"{self.not_judged} ({first_few(unknown)})", name, len(unknown), self.listed))
        if absent:
            done = self.counted_as_0 if missing == "zero" else "skipped"
            text = f"{self.not_answered} {done} ({first_few(absent)})"
            notes.append(Note(text, name, len(absent), f"judged {self.listed}"))
        return notes

    def on_copies(
        self, run: "Run", results: "Lists", copies: Ints, policy: JudgingPolicy, topics: tuple[str, ...]
    ) -> list[Note]:
        """A note on documents that a list has more than once; or the first of them is refused."""
        if not len(copies):
            return []
        if policy.on_duplicate == "error":
            raise InputError(
                f"{self._first_copy(run, results, copies, topics)}, or say on_duplicate='first' or 'nonrelevant'"
                f"{option_in_parentheses('on_duplicate')}{_more(self, copies)}"
            )
        return [
            Note(self.left_out if policy.on_duplicate == "first" else self.kept, run.name, len(copies), self.copied)
        ]

    def _first_copy(self, run: "Run", results: "Lists", copies: Ints, topics: tuple[str, ...]) -> str:
        """Where a document is found a second time, as its file has it."""
        copies = copies[np.argsort(results.row(copies))] if self.copies == "file" else copies
        row = int(results.row(copies[:1])[0])
        doc, topic = run.frame["doc"], run.frame["topic"][row]
        if self.copies == "turn":
            query = f"query {run.frame['turn'][row]} of session {topic}"
            return f"{run.source}: {query} lists document {doc[row]} twice; delete one"
        if self.copies == "file":
            return f"{run.place(row)}: found document {doc[row]} for topic {topic} a second time; delete it"
        one = results.list_of(copies[:1])[0]
        rows = np.sort(results.row(results.start[one] + np.arange(results.size[one])))
        first, second = rows[(doc.gather(rows) == doc[row]).to_numpy()][:2].tolist()
        again = f"found document {doc[row]} for topic {topics[results.topic[one]]} a second time"
        return f"{run.place(second)}: {again}, after {run.place(first)}; delete one"


TREC = Kind(
    "trec",
    without=frozenset(),
    on_duplicate="error",
    copies="list",
    not_judged="not judged and left out",
    not_answered="without results",
    counted_as_0="counted as 0",
    copied="repeated result",
    left_out=", the best placed of each kept",
    kept=", later ones kept as not relevant",
    turns=False,
    copies_judged=True,
)
DYNAMIC = Kind(
    "dd",
    without=frozenset({"ties", "score_precision", "costs", "weights", "topic_params"}),
    on_duplicate="nonrelevant",
    copies="file",
    not_answered="without results,",
    left_out="listed again in a topic: left out",
    kept="listed again in a topic: not relevant (but P counts every line, as the track's precision)",
    orders=("score", "file"),
)
SESSION = Kind(
    "session",
    without=frozenset({"order", "ties", "score_precision", "costs", "topic_params"}),
    on_duplicate="error",
    copies="turn",
    listed="session",
    not_answered="without queries,",
    refused="does not have",
    left_out="listed again by a query, left out",
    kept="listed again by a query, not relevant",
    depth_by_turn=True,
)
KINDS = {kind.name: kind for kind in (TREC, DYNAMIC, SESSION)}


def on_order(name: str, tied: int, unsettled: int, policy: JudgingPolicy) -> list[Note]:
    """Notes on equal scores, and on scores that differ in one precision only."""
    notes = []
    if tied:
        notes.append(Note("with equal scores, which document ids put in order", name, tied, "topic"))
    if unsettled:
        text = (
            "in one order when scores are compared in single precision (as in trec_eval 9) and in another in double; "
            f"{policy.score_precision} was used"
        )
        notes.append(Note(text, name, unsettled, "topic"))
    return notes


def on_column_2(source: str, topics: int) -> tuple[Note, ...]:
    """A note on a second column of judgements that varies in some topics and was not used."""
    said = (
        f"column 2 of {source} varies in {count_phrase(topics, 'topic')} and was ignored; a document judged more than once"
    )
    return (Note(f"{said} has its largest grade"),) if topics else ()


def _more(kind: Kind, copies: Ints) -> str:
    if kind.turns or len(copies) == 1:
        return ""
    return f" ({count_phrase(len(copies) - 1, 'more duplicate')}: irassay validate)"
