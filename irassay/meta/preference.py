"""Preference: does a metric prefer the result list that people prefer?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np

from irassay.argument_types import FromFile
from irassay.arrays import Floats, Ints, Signs
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.meta.satisfaction.ratings import headed_table
from irassay.meta.shared_options import Seed, Trials, require_level_95
from irassay.method import method
from irassay.prose import count_phrase
from irassay.results import Result, Saved
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.clustered import group_codes, group_sums, repeat_table, sign_flip

FEW_CLUSTERS = 20  # topics or users, below which the bootstrap's intervals are seen to be too narrow
CHOICE_SIGNS = {"left": 1, "right": -1, "same": 0, "tie": 0, "1": 1, "-1": -1, "0": 0}
COLUMNS = ("topic", "left", "right", "choice")


@dataclass(frozen=True, eq=False)
class Choices(Saved, FromFile):
    """What people chose, shown two result lists for a topic."""

    saved_as: ClassVar[str] = "choices"

    topics: tuple[str, ...]  # [choice]
    left: tuple[str, ...]  # [choice] the system on the left
    right: tuple[str, ...]  # [choice]
    chosen: Signs  # [choice] 1 for the left one, -1 for the right one, 0 for neither
    users: tuple[str, ...] = ()  # [choice] or none

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The choices in a table with a header: topic, left, right, choice, and user where known."""
        return cls(*_columns(Path(path)))


@dataclass(frozen=True, eq=False, repr=False)
class Preference(Result):
    """How often each metric prefers the result list that people chose."""

    saved_as: ClassVar[str] = "preference"

    metrics: tuple[str, ...]
    agree: Ints  # [metric] choices that the metric shares
    differ: Ints  # [metric] choices that it reverses
    tied: Ints  # [metric] choices on which it scores both lists the same
    agreement: Floats  # [metric] the share of choices shared, ties counting half
    low: Floats  # [metric] the ends of its 95 % interval
    high: Floats  # [metric]
    p: Floats  # [metric] that the metric does no better or worse than a coin
    pair_p: Floats  # [metric, other] that two metrics agree with people equally often
    topics: int  # with a choice
    undecided: int  # choices for neither list
    unscored: int  # choices of which some metric lacks a score
    clusters: str  # 'topic' or 'user': what was redrawn, and changed sides in the tests, as a whole
    trials: int
    seed: int

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of the agreement, which was made at 0.95."""
        require_level_95(level)
        return self.low, self.high

    def choices(self) -> int:
        """How many choices took part."""
        return int(self.agree[0] + self.differ[0] + self.tied[0])

    def strict(self) -> Floats:
        """[metric] the share of choices shared, ties counting as failures."""
        return self.agree / self.choices()

    def gamma(self) -> Floats:
        """[metric] shared less reversed choices, of those on which the metric decides; NaN where it never does."""
        decided = self.agree + self.differ
        return (self.agree - self.differ) / np.where(decided, decided, np.nan)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their agreement, best first."""
        return best_first(self.metrics, self.agreement)


@method(
    "Does a metric prefer the result list that people prefer?",
    cite="sanderson2010",
    affine=True,
    examples=("irassay meta preference --scores scores.tsv --choices choices.tsv",),
)
def preference(
    scores: Scores,
    *,
    choices: Annotated[
        Choices | None, Option("Choices between two runs' lists: topic left right choice (user).")
    ] = None,
    clusters: Annotated[Literal["topic", "user"], "Which choices go together."] = "topic",
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Preference:
    """How often a metric prefers the list that people chose, with an interval [sanderson2010].

    Choices for neither list, and those of which some metric lacks a score, are left out and counted. Choices
    on the same topic, or of the same user, go together in the intervals and tests.
    """
    if choices is None:
        raise InputError(f"give people's choices with {argument('choices', metavar='FILE')} (topic left right choice)")
    if not scores.metrics:
        raise InputError("Preference needs at least one metric, and there is none; name some.")
    lead, held, unscored = _leads(scores, choices)
    decided = choices.chosen[held] != 0
    kept = held[decided]
    if not len(kept):
        raise InputError("No choice is left that prefers a list and has scores for both; nothing can be compared.")
    names = {"topic": choices.topics, "user": choices.users}.get(clusters)
    if not names:
        raise InputError(f"Choices go together by 'topic', or by 'user' where that is known; found '{clusters}'.")
    group = group_codes([names[i] for i in kept])
    share = lead[decided].T * choices.chosen[kept]  # [metric, choice] 1 shared, -1 reversed, 0 tied
    sums = group_sums(share.astype(np.float64), group)  # [metric, cluster]
    first, second = np.triu_indices(len(scores.metrics), k=1)
    pairs = np.ones((len(sums), len(sums)))
    pairs[first, second] = pairs[second, first] = sign_flip(sums[first] - sums[second], trials, seed)
    low, high = _ends(sums, np.bincount(group).astype(np.float64), trials, seed)
    notes: list[str] = [*scores.notes]
    if 5 < group.max() + 1 < FEW_CLUSTERS:
        notes.append(
            f"With {count_phrase(int(group.max()) + 1, clusters)} intervals are too narrow: in simulations 90 % of those at "
            "95 % held with 10 topics, 93 % with 25."
        )
    if group.max() < 5:
        notes.append(
            f"The choices are of {count_phrase(int(group.max()) + 1, clusters)} only; intervals and tests say little."
        )
    return Preference(
        metrics=scores.metrics,
        agree=(share > 0).sum(axis=1),
        differ=(share < 0).sum(axis=1),
        tied=(share == 0).sum(axis=1),
        agreement=(share.mean(axis=1) + 1) / 2,
        low=low,
        high=high,
        p=sign_flip(sums, trials, seed),
        pair_p=pairs,
        topics=len({choices.topics[i] for i in kept}),
        undecided=int((~decided).sum()),
        unscored=unscored,
        clusters=clusters,
        trials=trials,
        seed=seed,
        notes=tuple(notes),
    )


def _leads(scores: Scores, choices: Choices) -> tuple[Signs, Ints, int]:
    """[choice, metric] the metric's own choice, which choices have all scores, and how many have not."""
    values, noise = scores.oriented().values, scores.noise()
    system = {name: i for i, name in enumerate(scores.systems)}
    topic = {name: i for i, name in enumerate(scores.topics)}
    if len(topic) < len(scores.topics):
        raise InputError("Topics of several collections share a name; compare one collection at a time.")
    known = [
        n
        for n, (t, a, b) in enumerate(zip(choices.topics, choices.left, choices.right, strict=True))
        if t in topic and a in system and b in system
    ]
    left, right = ([system[side[n]] for n in known] for side in (choices.left, choices.right))
    at = [topic[choices.topics[n]] for n in known]
    gap = values[left, at] - values[right, at] if known else np.empty((0, len(noise)))
    whole = np.isnan(gap).sum(axis=1) == 0
    held = np.array(known, dtype=np.int64)[whole]
    lead = np.subtract(gap[whole] > noise, gap[whole] < -noise, dtype=np.int8)
    return lead, held, len(choices.topics) - len(held)


def _ends(sums: Floats, sizes: Floats, trials: int, seed: int) -> tuple[Floats, Floats]:
    """The ends of the percentile interval of the agreement, clusters being redrawn."""
    weight = repeat_table(len(sizes), trials, seed)  # [cluster, trial]
    redrawn = (sums @ weight / (sizes @ weight) + 1) / 2  # [metric, trial]
    low, high = np.quantile(redrawn, [0.025, 0.975], axis=1)
    return low, high


def _columns(file: Path) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], Signs, tuple[str, ...]]:
    """Topics, left and right systems, choices and users of a table.

    A choice is left, right or same; 1, -1 or 0; or the name of the system.
    """
    header, lines = headed_table(file)
    if not set(COLUMNS) <= set(header):
        raise InputError(f"{file}, line 1: expected a header with {', '.join(COLUMNS)}; found '{' '.join(header)}'.")
    rows = [(row, _chosen(row, f"{file}, line {number}")) for number, row in lines]
    if not rows:
        raise InputError(f"{file} holds no choice; expected one a line.")
    topics, left, right = (tuple(row[name] for row, _ in rows) for name in COLUMNS[:3])
    users = tuple(row["user"] for row, _ in rows) if "user" in header else ()
    return topics, left, right, np.array([sign for _, sign in rows], dtype=np.int8), users


def _chosen(row: dict[str, str], place: str) -> int:
    choice, sides = row["choice"], (row["left"], row["right"])
    if sides.count(choice) == 1:
        return 1 if choice == sides[0] else -1
    if choice.lower() not in CHOICE_SIGNS:
        raise InputError(f"{place}: '{choice}' is no choice; expected left, right, same, or one of the two systems.")
    return CHOICE_SIGNS[choice.lower()]
