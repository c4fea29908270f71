"""The kinds of runs: the settings each kind has, when a document counts as a copy, and their notes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.errors import InputError, argument
from irassay.io.order_settings import TOP_RANKS, Ordering
from irassay.judging.missing_topics import refuses_unanswered
from irassay.judging.policy import JudgingPolicy, Missing, OnDuplicate
from irassay.notes import EqualScores, Note, NothingJudged
from irassay.prose import count_phrase, first_few

if TYPE_CHECKING:
    from irassay.io.tie_order import OrderedLists
    from irassay.io.trec import Run
    from irassay.judging.pool import JudgedPool

Copies = Literal["list", "file", "turn"]  # a copy comes later in the list, in the file, or in the same turn


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """How runs of one kind are judged, where kinds differ."""

    name: str
    without_settings: frozenset[str]  # settings that have no meaning
    on_duplicate: OnDuplicate  # the default
    copies: Copies
    missing_text: str  # for notes on topics that the run does not have
    left_out_text: str  # for notes on copies that are left out
    kept_text: str  # for notes on copies that are kept
    noun: str = "topic"  # what a list answers
    unjudged_text: str = "without judgements left out"  # for notes on topics that are not judged
    zero_text: str = "scored 0"
    error_text: str = "has no results for"
    copy_noun: str = "document"
    orders: tuple[str, ...] = ("score", "rank", "file")
    turns: bool = True  # lists have turns
    copies_judged: bool = False  # a copy that is kept counts as judged, with no gain
    depth_by_turn: bool = False

    def full_policy(self, policy: JudgingPolicy) -> JudgingPolicy:
        """The policy with this kind's defaults and with files read; an error for settings without meaning."""
        wrong = policy.changed_settings() & self.without_settings
        if wrong:
            first = argument(next(name for name in policy.__dataclass_fields__ if name in wrong))
            raise InputError(first, f" has no meaning for {self.name} runs. Leave it out.", argument=first)
        if policy.order not in self.orders:
            order = argument("order", policy.order)
            text = f" is not available for Dynamic Domain runs. Choose one of {', '.join(self.orders)}."
            raise InputError(order, text, argument=order)
        return (policy if policy.on_duplicate else replace(policy, on_duplicate=self.on_duplicate)).with_files_read()

    def ordering(self, policy: JudgingPolicy) -> Ordering:
        """The order of results; sessions are in order already."""
        if "order" in self.without_settings:
            return Ordering("file")
        return Ordering(policy.order, "file" if self.turns else policy.ties, policy.score_precision)

    def notes_on_topics(
        self, run: "Run", pool: "JudgedPool", answered: Bools, unknown: tuple[str, ...], missing: Missing
    ) -> list[Note]:
        """Notes on topics that only the run or only the judgements have; an error if none is in both."""
        absent = [name for name, row in pool.topics.items() if not answered[row]]
        if (run.turns or run.frame.height) and not answered.any():
            raise InputError(
                f"No {self.noun} of {run.source} (which has {first_few(run.topics, 3)}) is judged in {pool.source} ("
                f"which has {first_few(tuple(pool.topics), 3)}). Check that the two files belong together.",
                code="no-topic-judged",
            )
        if refuses_unanswered(answered, missing):
            judged = f"{count_phrase(len(absent), f'judged {self.noun}')} ({first_few(absent)})"
            fix = ("Add them, or use ", argument("missing", "zero"), " or ", argument("missing", "skip"), ".")
            raise InputError(f"{run.source} {self.error_text} {judged}. ", *fix, argument="missing")
        return self.topic_notes(run.name, unknown, absent, missing)

    def topic_notes(self, name: str, unknown: Sequence[str], absent: Sequence[str], missing: Missing) -> list[Note]:
        """Notes on a run's topics that are not judged, and on judged topics that it does not answer."""
        notes: list[Note] = []
        if unknown:
            notes.append(Note(f"{self.unjudged_text} ({first_few(unknown)})", name, len(unknown), self.noun))
        if absent:
            text = f"{self.missing_text} {self.zero_text if missing == 'zero' else 'skipped'} ({first_few(absent)})"
            notes.append(Note(text, name, len(absent), f"judged {self.noun}", caveat=True))
        return notes

    def copy_notes(
        self, run: "Run", results: "OrderedLists", copies: Ints, policy: JudgingPolicy, topics: tuple[str, ...]
    ) -> list[Note]:
        """A note on documents that a list has more than once, or an error about the first of them."""
        if not len(copies):
            return []
        if policy.on_duplicate == "error":
            (found, fix), more = self._first_copy(run, results, copies, topics), len(copies) - 1
            rest = f" ({count_phrase(more, 'more duplicate')}: irassay validate)" if more and not self.turns else ""
            first, nonrelevant = (argument("on_duplicate", choice) for choice in ("first", "nonrelevant"))
            pieces = (f"{found}. {fix}, or use ", first, " or ", nonrelevant, f"{rest}.")
            raise InputError(*pieces, argument="on_duplicate", found=found, fix=fix, code="document-twice")
        text = self.left_out_text if policy.on_duplicate == "first" else self.kept_text
        return [Note(text, run.name, len(copies), self.copy_noun)]

    def _first_copy(
        self, run: "Run", results: "OrderedLists", copies: Ints, topics: tuple[str, ...]
    ) -> tuple[str, str]:
        """Where a document is listed a second time, in the order of the file, and how to fix it."""
        copies = copies[np.argsort(results.row(copies))] if self.copies == "file" else copies
        row = int(results.row(copies[:1])[0])
        doc, topic = run.frame["doc"], run.frame["topic"][row]
        if self.copies == "turn":
            query = f"query {run.frame['turn'][row]} of session {topic}"
            return f"{run.source}: {query} lists document {doc[row]} twice", "Delete one"
        if self.copies == "file":
            return f"{run.location_of(row)}: document {doc[row]} is listed a second time for topic {topic}", "Delete it"
        one = results.list_of(copies[:1])[0]
        rows = np.sort(results.row(results.start[one] + np.arange(results.size[one])))
        first, second = rows[(doc.gather(rows) == doc[row]).to_numpy()][:2].tolist()
        copy = f"document {doc[row]} is listed a second time for topic {topics[results.topic[one]]}"
        return f"{run.location_of(second)}: {copy}, after {run.location_of(first)}", "Delete one"


TREC = Kind(
    "trec",
    without_settings=frozenset(),
    on_duplicate="error",
    copies="list",
    unjudged_text="not judged and left out",
    missing_text="without results",
    zero_text="counted as 0",
    copy_noun="repeated result",
    left_out_text="left out; the best placed of each is kept",
    kept_text="kept as not relevant; only the best placed of each counts",
    turns=False,
    copies_judged=True,
)
DYNAMIC = Kind(
    "dd",
    without_settings=frozenset({"ties", "score_precision", "costs", "weights", "topic_params"}),
    on_duplicate="nonrelevant",
    copies="file",
    missing_text="without results,",
    left_out_text="listed again in a topic: left out",
    kept_text="listed again in a topic: not relevant (but P counts every line, like the track's precision)",
    orders=("score", "file"),
)
SESSION = Kind(
    "session",
    without_settings=frozenset({"order", "ties", "score_precision", "costs", "topic_params"}),
    on_duplicate="error",
    copies="turn",
    noun="session",
    missing_text="without queries,",
    error_text="does not have",
    left_out_text="listed again by a query, left out",
    kept_text="listed again by a query, not relevant",
    depth_by_turn=True,
)
KINDS = {kind.name: kind for kind in (TREC, DYNAMIC, SESSION)}


def order_notes(name: str, tied: int, all_tied: bool, unsettled: int, policy: JudgingPolicy) -> list[Note]:
    """Notes on equal scores, and on scores that differ in one precision only."""
    notes: list[Note] = []
    if tied and all_tied:  # the run's own order is lost
        text = "with one score for all results, so document ids alone decide their order"
        notes.append(EqualScores(text, name, tied, "topic", caveat=True))
    elif tied:
        notes.append(EqualScores("with equal scores, ordered by document id", name, tied, "topic"))
    if unsettled:
        single, double = "single precision (trec_eval 9)", "double precision"
        other, used = (single, double) if policy.score_precision == "double" else (double, single)
        notes.append(Note(f"ordered differently in {other}; {used} was used", name, unsettled, "topic"))
    return notes


def column_2_notes(source: str, topics: int) -> tuple[Note, ...]:
    """A note if column 2 of the judgements varies in some topics and was not used."""
    varies = f"column 2 of {source} varies in {count_phrase(topics, 'topic')} and was ignored"
    return (Note(f"{varies}; a document judged more than once has its largest grade"),) if topics else ()


def unmatched_note(name: str, source: str, any_judged: bool, samples: str) -> Note:
    """A note that hardly any, or no, result is judged, with samples of document ids."""
    share = f"fewer than 1% of the first {TOP_RANKS} results are judged" if any_judged else "no result is judged"
    kind = Note if any_judged else NothingJudged
    return kind(f"{share} in {source}; check that document ids match: {samples}", name, caveat=True)
