"""The kinds of runs: which settings mean something to each, when a document is a copy, and the words for its lists."""

from dataclasses import dataclass, replace
from typing import Literal

from irassay.errors import InputError, argument
from irassay.io.order import Ordering
from irassay.judging.policy import JudgingPolicy, OnDuplicate

Copies = Literal["list", "file", "turn"]  # a copy comes later in the list, in the file, or in the same turn


@dataclass(frozen=True)
class Kind:
    """How runs of one kind are judged, where kinds differ."""

    name: str
    without: frozenset[str]  # settings that have no meaning
    on_duplicate: OnDuplicate  # what is done unless told otherwise
    copies: Copies
    listed: str  # what a list answers
    not_judged: str  # said of those that are not judged
    not_answered: str  # said of those that the run does not have
    counted_as_0: str
    refused: str  # the same as an error
    copied: str  # what a copy is called
    left_out: str  # said of copies that are
    kept: str  # said of copies that are not
    orders: tuple[str, ...] = ("score", "rank", "file")
    turns: bool = False  # lists have turns
    copies_judged: bool = False  # a copy that is kept is known to be worth nothing, rather than unknown
    depth_by_turn: bool = False

    def policy(self, given: JudgingPolicy) -> JudgingPolicy:
        """The policy with this kind's defaults and files read; settings without meaning are refused."""
        wrong = [name for name in given.__dataclass_fields__ if name in given.given() & self.without]
        if wrong:
            raise InputError(f"{argument(wrong[0])} has no meaning for {self.name} runs; leave it out")
        if given.order not in self.orders:
            known = ", ".join(self.orders)
            raise InputError(f"order={given.order!r} is not known for Dynamic Domain runs; choose one of {known}")
        return replace(given, on_duplicate=given.on_duplicate or self.on_duplicate).loaded()

    def ordering(self, policy: JudgingPolicy) -> Ordering:
        """What decides the order of results; sessions come in order."""
        if "order" in self.without:
            return Ordering("file")
        return Ordering(policy.order, "file" if self.turns else policy.ties, policy.score_precision)


TREC = Kind(
    "trec",
    without=frozenset(),
    on_duplicate="error",
    copies="list",
    listed="topic",
    not_judged="not judged and left out",
    not_answered="without results",
    counted_as_0="counted as 0",
    refused="has no results for",
    copied="repeated result",
    left_out=", the best placed of each kept",
    kept=", later ones kept as not relevant",
    copies_judged=True,
)
DYNAMIC = Kind(
    "dd",
    without=frozenset({"ties", "score_precision", "costs", "weights", "topic_params"}),
    on_duplicate="nonrelevant",
    copies="file",
    listed="topic",
    not_judged="without judgements left out",
    not_answered="without results,",
    counted_as_0="scored 0",
    refused="has no results for",
    copied="document",
    left_out="listed again in a topic: left out",
    kept="listed again in a topic: not relevant (but P counts every line, as the track's precision)",
    orders=("score", "file"),
    turns=True,
)
SESSION = Kind(
    "session",
    without=frozenset({"order", "ties", "score_precision", "costs", "topic_params"}),
    on_duplicate="error",
    copies="turn",
    listed="session",
    not_judged="without judgements left out",
    not_answered="without queries,",
    counted_as_0="scored 0",
    refused="does not have",
    copied="document",
    left_out="listed again by a query, left out",
    kept="listed again by a query, not relevant",
    turns=True,
    depth_by_turn=True,
)
KINDS = {kind.name: kind for kind in (TREC, DYNAMIC, SESSION)}
