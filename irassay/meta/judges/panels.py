"""The best single judge and the best panels of judges, chosen on some topics and tried on the others."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.judges.agreement import GradeTables, reference_tables
from irassay.meta.judges.labels import Labels
from irassay.saving import Saved
from irassay.stats.draws import name_codes
from irassay.stats.jackknife import DeleteOne, jackknife_error, kept_topics

FOLDS = 10
HALVES = 200  # halves of the topics in which a judge is chosen anew
RULES = ("single", "majority", "median")


@dataclass(frozen=True, eq=False)
class Panels(Saved):
    """Agreement of the best judge and the best panels with the reference, on topics not used to choose them."""

    saved_as: ClassVar[str] = "panels"

    by: str  # the statistic by which they are chosen and tried
    rules: tuple[str, ...]  # [rule] single, majority, median
    members: tuple[tuple[str, ...], ...]  # [rule] chosen on all topics, the best first
    held_out: Floats  # [rule] the statistic over held-out topics
    low: Floats  # [rule]
    high: Floats  # [rule]
    gain_low: Floats  # [rule] interval of its gain over the best single judge on held-out topics
    gain_high: Floats  # [rule]
    seen: Floats  # [rule] the statistic on the topics that were used to choose, which is too good

    @property
    def best(self) -> int:
        """The rule that agrees best with the reference on held-out topics."""
        return int(np.nanargmax(np.where(np.isnan(self.held_out), -np.inf, self.held_out)))


def panels(labels: Labels, by: str, alpha: float, seed: int) -> Panels:
    """The panels that a statistic chooses without each of ten folds of the topics, tried on that fold.

    A panel has the judges that agree best with the reference, an odd number of them or all; its size is chosen too.
    Among grades with equally many votes, majority takes the lowest; median takes the lower of two middle grades.
    """
    fold = np.random.default_rng(seed).permutation(np.arange(len(labels.topics)) % FOLDS)[name_codes(labels.topics)]
    tried = np.zeros((len(RULES), len(labels.topics), len(labels.grades), len(labels.grades)))
    for out in np.unique(fold):
        tried[:, fold == out] = _best_panels(labels, by, fold != out)[0][:, fold == out]
    held_out = _tables(labels, tried)
    which = held_out.names.index(by)
    counts, members = _best_panels(labels, by, np.ones(len(fold), dtype=np.bool_))
    tries = held_out.estimates()  # [rule, statistic]
    value, without, counted = tries.estimate[:, which], tries.without[:, :, which], held_out.topics
    size = tries.size[:, :, which] if tries.size is not None else None
    low, high = (ends[:, which] for ends in tries.correlation_interval(alpha))
    if 0 < (fixed := tries.error[0, which]) < (error := _error_of_choice(labels, held_out, by, fold, seed)):
        single = DeleteOne(value, value + error / fixed * (without - value), counted, size)
        low[0], high[0] = (ends[0] for ends in single.correlation_interval(alpha))
    gain_low, gain_high = DeleteOne(value - value[0], without - without[:, :1], counted, size).interval(alpha)
    seen = _tables(labels, counts).statistics()[:, which]
    names = tuple(tuple(labels.judges[j] for j in each) for each in members)
    return Panels(by, RULES, names, value, low, high, gain_low, gain_high, seen)


def _error_of_choice(labels: Labels, held_out: GradeTables, by: str, fold: Ints, seed: int) -> float:
    """The standard error of the single judge's statistic on held-out topics if the choice is made anew as well.

    A judge that is good on a topic is chosen less often without it. So the statistic varies up to 1.6 times as much
    over studies as if the choice were fixed, most of all if judges are equal. Choices jump, so half of the topics are
    left out, as `jackknife_error` says.
    """
    singles, out_of = reference_tables(labels), len(fold) // 2
    which = singles.names.index(by)
    kept = kept_topics(len(fold), out_of, HALVES, seed)[:, name_codes(labels.topics)] * 1.0  # [half, topic]
    every = np.einsum("kt,tjcd->kjcd", kept, singles.counts)
    tried = np.zeros((len(kept), 1, *every.shape[2:]))
    for out in np.unique(fold):
        part = np.einsum("kt,tjcd->kjcd", kept[:, fold == out], singles.counts[fold == out])
        chosen = np.nan_to_num(singles.statistics(every - part)[..., which], nan=-2.0).argmax(axis=1)
        tried[:, 0] += part[np.arange(len(kept)), chosen]
    found = replace(held_out, counts=held_out.counts[:, :1]).statistics(tried)[:, 0, which]
    found = found[~np.isnan(found)]
    return float(jackknife_error(found, len(fold), out_of)) if len(found) else 0.0


def _best_panels(labels: Labels, by: str, topics: Bools) -> tuple[Floats, list[list[int]]]:
    """[rule, topic, grade, grade] the counts of the best panel under each rule on the kept topics, and its judges."""
    singles = reference_tables(labels)
    which = singles.names.index(by)
    chosen_by = singles.statistics(singles.counts[topics].sum(axis=0))[:, which]
    order = 1 + np.argsort(-np.nan_to_num(chosen_by, nan=-2.0), kind="stable")
    sizes = [size for size in range(1, len(order) + 1) if size % 2 or size == len(order)]
    votes = np.zeros(labels.votes.shape[1:])
    counts: list[list[Floats]] = [[], []]
    for place, judge in enumerate(order):
        votes += labels.votes[judge]
        if place + 1 in sizes:
            for rule, grades in enumerate((majority(votes), median(votes))):
                counts[rule].append(_grade_counts(labels, grades))
    chosen, members = [counts[0][0]], [[int(order[0])]]
    for each in counts:
        tables = _tables(labels, np.stack(each))
        agreement = tables.statistics(tables.counts[topics].sum(axis=0))[:, which]
        best = int(np.argmax(np.nan_to_num(agreement, nan=-2.0)))
        chosen.append(each[best])
        members.append([int(j) for j in order[: sizes[best]]])
    return np.stack(chosen), members


def majority(votes: Floats) -> Ints:
    """[document] the place of the grade with most votes [document, grade], the lowest if tied; -1 without votes.

    >>> majority(np.array([[1.0, 2.0], [1.0, 1.0], [0.0, 0.0]]))
    array([ 1,  0, -1])
    """
    return np.where(votes.sum(axis=1) > 0, votes.argmax(axis=1), -1)


def median(votes: Floats) -> Ints:
    """[document] the place of the middle grade of the votes, the lower of two; -1 without votes.

    >>> median(np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    array([ 2,  0, -1])
    """
    number = votes.sum(axis=1)
    return np.where(number > 0, (np.cumsum(votes, axis=1) >= number[:, None] / 2).argmax(axis=1), -1)


def _grade_counts(labels: Labels, grades: Ints) -> Floats:
    """[topic, grade, grade] documents by the reference's grade and this one."""
    size = len(labels.grades)
    voted = grades >= 0
    cell = (labels.topic[voted] * size + labels.given[0][voted]) * size + grades[voted]
    return np.bincount(cell, minlength=len(labels.topics) * size**2).reshape(-1, size, size).astype(np.float64)


def _tables(labels: Labels, counts: Floats) -> GradeTables:
    """Tables of counts [judge, topic, grade, grade]."""
    return GradeTables(counts.swapaxes(0, 1), labels.grades, labels.thresholds)
