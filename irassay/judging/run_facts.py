"""Facts about a run that the compiled scanner reads, gathered list by list, and the notes they give."""

from dataclasses import dataclass, field

import numpy as np

from irassay.arrays import Bools, Ints
from irassay.io.order_settings import RARE_SHARE, TOP_RANKS
from irassay.io.scan import ALL_TIED, PRECISION_SENSITIVE, TIED, ScannedLists
from irassay.judging.kinds import TREC, order_notes
from irassay.judging.missing_topics import refuses_unanswered, scored_topics
from irassay.judging.policy import JudgingPolicy
from irassay.judging.scanned_qrels import ScannedQrels
from irassay.notes import Note
from irassay.rankings.batch import Rankings


class UncleanError(Exception):
    """A run that only the general reader can read."""


@dataclass(eq=False)
class RunFacts:
    """Facts about a run from the lists read so far: topics answered, ties, judged results among the first ten."""

    judgements: ScannedQrels
    policy: JudgingPolicy
    tags: set[str] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)  # topics that are not judged
    first: int = 0  # results within the first ten
    judged: int = 0  # of these, judged ones
    any_judged: bool = False
    tied: int = 0
    all_tied: bool = True  # so far
    unsettled: int = 0

    def __post_init__(self) -> None:
        self.answered: Bools = np.zeros(len(self.judgements.topics), bool)

    def add(self, part: ScannedLists) -> tuple[Ints, Ints]:
        """Adds some lists; returns those about judged topics, and the topics. UncleanError if a topic comes again."""
        known = np.flatnonzero(part.topic >= 0)
        topic = part.topic[known].astype(np.int64)
        self.tags.add(part.tag)
        ordered = np.sort(topic)  # np.unique would import masked arrays
        if len(self.tags) > 1 or self.answered[topic].any() or (ordered[1:] == ordered[:-1]).any():
            raise UncleanError
        self.answered[topic] = True
        self.unknown.update(dict.fromkeys(part.unknown))
        self.tied += int(np.count_nonzero(part.flags & TIED))
        self.all_tied &= bool((part.flags & ALL_TIED).all())
        self.unsettled += int(np.count_nonzero(part.flags & PRECISION_SENSITIVE))
        self.first += int(np.minimum(part.size[known], TOP_RANKS).sum())
        return known, topic

    def count_judged(self, *batches: Rankings) -> None:
        """Counts the judged results of some lists."""
        for r in batches:
            self.judged += int(r.judged[:, :TOP_RANKS].sum())
            self.any_judged = self.any_judged or bool(r.judged.any())

    @property
    def hardly_judged(self) -> bool:
        """Whether so few of the first results are judged that document ids may not match."""
        return self.judged < RARE_SHARE * self.first

    def absent(self) -> Ints:
        """The judged topics without results, once all lists were read; UncleanError if they are an error."""
        if not self.answered.any() or refuses_unanswered(self.answered, self.policy.missing):
            raise UncleanError
        return np.flatnonzero(~self.answered)

    def topics(self) -> Ints:
        """The scored topics, once all lists were read."""
        self.absent()
        return scored_topics(self.answered, self.policy.missing)

    @property
    def tag(self) -> str:
        """The tag of all lines."""
        return next(iter(self.tags), "")

    def notes(self, name: str) -> tuple[Note, ...]:
        """Notes for readers of the scores."""
        of, policy = self.judgements, self.policy
        absent = [of.topics[t] for t in self.absent().tolist()]
        notes = [*of.notes, *TREC.topic_notes(name, tuple(self.unknown), absent, policy.missing)]
        return (*notes, *order_notes(name, self.tied, self.all_tied, self.unsettled, policy), *of.remarks)
