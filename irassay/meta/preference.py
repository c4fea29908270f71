"""Preference: whether a metric prefers the result list that people prefer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np

from irassay.argument_types import FromFile
from irassay.arrays import Floats, Ints, Signs
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import best_first
from irassay.meta.satisfaction.ratings import headed_table
from irassay.meta.shared_options import Seed, Trials
from irassay.method import method
from irassay.notes import Note
from irassay.prose import count_phrase, first_few
from irassay.provenance import shown_name
from irassay.results import Result
from irassay.saving import Saved
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.clusters import group_sums, repeat_table, sign_flip
from irassay.stats.draws import name_codes
from irassay.stats.levels import require_level_95
from irassay.stats.selection import Selection, selection

ALPHA = 0.05  # at which a metric is behind another
VERY_FEW_CLUSTERS = 6  # topics or users, below which no sign flips are significant at 5 %
FEW_CLUSTERS = 20  # topics or users, below which bootstrap intervals are too narrow in simulations
CHOICE_SIGNS = {"left": 1, "right": -1, "same": 0, "tie": 0, "1": 1, "-1": -1, "0": 0}
COLUMNS = ("topic", "left", "right", "choice")


@dataclass(frozen=True, eq=False)
class Choices(Saved, FromFile):
    """People's choices between two result lists for a topic."""

    saved_as: ClassVar[str] = "choices"

    topics: tuple[str, ...]  # [choice]
    left: tuple[str, ...]  # [choice] the system on the left
    right: tuple[str, ...]  # [choice]
    chosen: Signs  # [choice] 1 for the left one, -1 for the right one, 0 for neither
    users: tuple[str, ...] = ()  # [choice] or empty

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The choices in a table with a header: topic, left, right, choice and, if known, user.

        A choice is left, right or same; 1, -1 or 0; or the name of a system.
        """
        header, lines = headed_table(Path(path))
        if not set(COLUMNS) <= set(header):
            columns = ", ".join(COLUMNS)
            found, expected = f"'{' '.join(header)}'", f"a header with {columns}"
            raise InputError(file=shown_name(path), line=1, found=found, expected=expected)
        rows = [(row, _choice_sign(row, path, number)) for number, row in lines]
        if not rows:
            raise InputError(file=shown_name(path), found="no choice", expected="one per line")
        topics, left, right = (tuple(row[name] for row, _ in rows) for name in COLUMNS[:3])
        users = tuple(row["user"] for row, _ in rows) if "user" in header else ()
        return cls(topics, left, right, np.array([sign for _, sign in rows], dtype=np.int8), users)


@dataclass(frozen=True, eq=False, repr=False)
class Preference(Result):
    """How often each metric prefers the result list that people chose."""

    saved_as: ClassVar[str] = "preference"

    metrics: tuple[str, ...]
    agree: Ints  # [metric] choices that the metric agrees with
    differ: Ints  # [metric] choices that it disagrees with
    tied: Ints  # [metric] choices on which it scores both lists the same
    agreement: Floats  # [metric] the share of choices it agrees with; ties count half
    low: Floats  # [metric] the ends of its 95 % interval
    high: Floats  # [metric]
    p: Floats  # [metric] of the test that the metric does as well as a coin
    pair_p: Floats  # [metric, other] of the test that two metrics agree with people equally often
    topics: int  # with a choice
    undecided: int  # choices for neither list
    unscored: int  # choices for which a metric has no score
    clusters: str  # 'topic' or 'user': whose choices are kept together in intervals and tests
    trials: int
    seed: int
    selection: Selection | None = None  # which metrics may agree most; None with one topic or user, and in old files

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """[metric] the ends of the interval of the agreement, which is known at 0.95 only."""
        require_level_95(level)
        return self.low, self.high

    def choices(self) -> int:
        """How many choices are counted."""
        return int(self.agree[0] + self.differ[0] + self.tied[0])

    def strict(self) -> Floats:
        """[metric] the share of choices that it agrees with; ties count as disagreement."""
        return self.agree / self.choices()

    def gamma(self) -> Floats:
        """[metric] agreements minus disagreements, as a share of both; NaN if the metric always ties."""
        decided = self.agree + self.differ
        return (self.agree - self.differ) / np.where(decided, decided, np.nan)

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their agreement, best first."""
        return best_first(self.metrics, self.agreement)


@method(
    "Does a metric prefer the result list that people prefer?",
    cite="sanderson2010",
    affine=True,
    least_runs=2,
    examples=("irassay meta preference --scores scores.tsv --choices choices.tsv",),
)
def preference(
    scores: Scores,
    *,
    choices: Annotated[
        Choices | None,
        Option(
            "Choices between the lists of two runs: topic left right choice (user).",
            needed="Give people's choices (topic left right choice) with ",
        ),
    ] = None,
    clusters: Annotated[Literal["topic", "user"], "Keep choices of one topic, or of one user, together."] = "topic",
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Preference:
    """Measure how often a metric prefers the list that people chose, with an interval (sanderson2010).

    Choices for neither list, and choices for which a metric has no score, are left out and counted. Choices on one
    topic, or by one user, are kept together in intervals and tests. Which metrics may agree most is tested for all
    pairs of metrics at once.
    """
    assert choices is not None  # it is needed
    if not scores.metrics:
        raise InputError("Preference needs at least one metric; name one.")
    lead, scored, unscored = _leads(scores, choices)
    is_decided = choices.chosen[scored] != 0
    kept = scored[is_decided]
    if not len(kept):
        raise InputError("No choice prefers a list and has scores for both; check the names of topics and systems.")
    names = {"topic": choices.topics, "user": choices.users}.get(clusters)
    if not names:
        raise InputError("The choices name no user; leave out ", argument("clusters", clusters), ".")
    group = name_codes([names[i] for i in kept])
    share = lead[is_decided].T * choices.chosen[kept]  # [metric, choice] 1 agrees, -1 disagrees, 0 tied
    sums = group_sums(share.astype(np.float64), group)  # [metric, cluster]
    first, second = np.triu_indices(len(scores.metrics), k=1)
    pairs = np.ones((len(sums), len(sums)))
    pairs[first, second] = pairs[second, first] = sign_flip(sums[first] - sums[second], trials, seed)
    sizes = np.bincount(group).astype(np.float64)
    low, high = _ends(sums, sizes, trials, seed)
    low, high = (np.where(low < high, end, np.nan) for end in (low, high))
    without_interval = [metric for metric, end in zip(scores.metrics, low, strict=True) if np.isnan(end)]
    return Preference(
        metrics=scores.metrics,
        agree=(share > 0).sum(axis=1),
        differ=(share < 0).sum(axis=1),
        tied=(share == 0).sum(axis=1),
        agreement=_agreement(sums.sum(axis=1), sizes.sum()),
        low=low,
        high=high,
        p=sign_flip(sums, trials, seed),
        pair_p=pairs,
        topics=len({choices.topics[i] for i in kept}),
        undecided=int((~is_decided).sum()),
        unscored=unscored,
        clusters=clusters,
        trials=trials,
        seed=seed,
        selection=_agreement_selection(sums, sizes, trials, seed, scores.metrics) if len(sizes) > 1 else None,
        notes=(*scores.notes, *_interval_notes(without_interval, len(sizes), clusters)),
    )


def _interval_notes(without_interval: Sequence[str], clusters: int, noun: str) -> list[str]:
    """Notes on metrics without an interval, and on intervals over few topics or users."""
    notes: list[str] = []
    if without_interval:
        notes.append(f"no interval for {first_few(without_interval)}, because all resamples give the same agreement")
    if clusters < VERY_FEW_CLUSTERS:
        text = f"There are choices of only {count_phrase(clusters, noun)}; intervals and tests say little."
        notes.append(Note(text, caveat=True))
    elif clusters < FEW_CLUSTERS:
        coverage = "in simulations, 90% of 95% intervals contained the true value with 10 topics or users, 93% with 25"
        notes.append(Note(f"With {count_phrase(clusters, noun)} intervals are too narrow: {coverage}.", caveat=True))
    return notes


def _leads(scores: Scores, choices: Choices) -> tuple[Signs, Ints, int]:
    """[choice, metric] the metric's own choice, the choices that have all scores, and how many do not."""
    values, noise = scores.oriented().values, scores.noise()
    system = {name: i for i, name in enumerate(scores.systems)}
    topic = {name: i for i, name in enumerate(scores.topics)}
    if len(topic) < len(scores.topics):
        raise InputError("Topics of several collections have the same name; give one collection at a time.")
    rows = zip(choices.topics, choices.left, choices.right, strict=True)
    known = [n for n, (t, a, b) in enumerate(rows) if t in topic and a in system and b in system]
    left, right = ([system[side[n]] for n in known] for side in (choices.left, choices.right))
    t = [topic[choices.topics[n]] for n in known]
    gap = values[left, t] - values[right, t] if known else np.empty((0, len(noise)))
    has_scores = ~np.isnan(gap).any(axis=1)
    scored, gap = np.array(known, dtype=np.int64)[has_scores], gap[has_scores]
    return np.subtract(gap > noise, gap < -noise, dtype=np.int8), scored, len(choices.topics) - len(scored)


def _ends(sums: Floats, sizes: Floats, trials: int, seed: int) -> tuple[Floats, Floats]:
    """The ends of the percentile interval of the agreement, from resampled clusters."""
    weight = repeat_table(len(sizes), trials, seed)  # [cluster, trial]
    resampled = _agreement(sums @ weight, sizes @ weight)  # [metric, trial]
    low, high = np.quantile(resampled, [0.025, 0.975], axis=1)
    return low, high


def _agreement(total: Floats, choices: Floats | float) -> Floats:
    """The share of choices agreed with, from agreements minus disagreements; ties count half."""
    return (total / choices + 1) / 2


def _agreement_selection(sums: Floats, sizes: Floats, trials: int, seed: int, names: Sequence[str]) -> Selection:
    """Which metrics may agree with most choices, from the sums [metric, cluster] and choices [cluster]."""
    without = _agreement(sums.sum(axis=1) - sums.T, (sizes.sum() - sizes)[:, None])  # [cluster, metric]
    weight = np.broadcast_to((sizes / sizes.mean())[:, None], without.shape)
    return selection(_agreement(sums.sum(axis=1), sizes.sum()), without, ALPHA, seed, names, trials, weight)


def _choice_sign(row: dict[str, str], file: str | Path, line: int) -> int:
    """1 for the left list, -1 for the right one, 0 for neither."""
    choice, sides = row["choice"], (row["left"], row["right"])
    if sides.count(choice) == 1:
        return 1 if choice == sides[0] else -1
    if choice.lower() not in CHOICE_SIGNS:
        expected = "a choice: left, right, same, or one of the two systems"
        raise InputError(file=shown_name(file), line=line, found=f"'{choice}'", expected=expected)
    return CHOICE_SIGNS[choice.lower()]
