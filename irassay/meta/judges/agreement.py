"""Agreement of every judge with the reference: kappas and alphas with intervals over topics, leniency, likeness."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.judges.labels import Labels
from irassay.parallel import check_cancelled
from irassay.stats.corrections import holm
from irassay.stats.jackknife import DeleteOne, kept_topics
from irassay.stats.rater_agreement import (
    Scale,
    Weights,
    binary_tables,
    chance_disagreement,
    cohen_kappa,
    coincidence_table,
    disagreement_weights,
    krippendorff_alpha,
    squared_distances,
)
from irassay.stats.selection import Selection, selection

WEIGHTS: dict[str, Weights] = {"kappa": "none", "linear kappa": "linear", "quadratic kappa": "quadratic"}
SCALES: dict[str, Scale] = {"nominal alpha": "nominal", "ordinal alpha": "ordinal", "interval alpha": "interval"}

TRIALS_OF_HALF = 999  # resamples for each half of the topics, of which there are many


@dataclass(frozen=True, eq=False)
class GradeTables:
    """Counts of pairs of grades by two judges, by topic, and statistics computed from them."""

    counts: Floats  # [topic, judge, grade, grade]
    grades: Floats  # [grade]
    thresholds: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """[statistic] kappas, kappas of binary labels, alphas."""
        return (*WEIGHTS, *(f"kappa >= {grade:g}" for grade in self.thresholds), *SCALES)

    @property
    def topics(self) -> Bools:
        """[topic, judge] whether there is a pair of grades."""
        return self.counts.sum(axis=(2, 3)) > 0

    def statistics(self, tables: Floats | None = None) -> Floats:
        """[..., judge, statistic] of tables [..., judge, grade, grade]; of all topics together if none are given.

        Kappa weights disagreements by the places of grades among those that the two judges use on all topics, as
        scikit-learn does; interval alpha by the grades themselves.
        """
        tables = self.counts.sum(axis=0) if tables is None else tables
        alphas = _alphas(tables + tables.swapaxes(-1, -2), self.grades)
        return np.stack([*self._by_kappa(cohen_kappa, tables), *alphas], axis=-1)

    def _by_kappa(self, function: Callable[[Floats, Floats], Floats], tables: Floats) -> list[Floats]:
        """[kappa][...] a function of tables [..., judge, grade, grade] and of the weights of disagreements."""
        values = [function(tables, self._kappa_weights(kind)) for kind in WEIGHTS.values()]
        for grade in self.thresholds:
            place = int(np.searchsorted(self.grades, grade))
            value = function(binary_tables(tables, place), 1 - np.eye(2)) if place else np.nan
            values.append(np.broadcast_to(value, tables.shape[:-2]))
        return values

    def _kappa_weights(self, kind: Weights) -> Floats:
        """[judge, grade, grade] the weights of disagreements, by the grades that the judge or the reference uses."""
        total = self.counts.sum(axis=0)  # [judge, grade, grade]
        return disagreement_weights((total.sum(axis=1) + total.sum(axis=2)) > 0, kind)

    def contributions(self, by: str) -> Floats:
        """[topic, judge] what each topic adds to a statistic, whose mean over topics is the statistic.

        A kappa or alpha is 1 - O / E, with the disagreements observed and expected by chance. A topic adds T (dE - O) /
        E, of which O is its own disagreements and dE is how much it adds to E, to first order. If judges are equal, two
        judges' contributions differ by as much in one direction as in the other in every topic, whatever its documents
        and grades.
        """
        if by in WEIGHTS:
            tables, weight = self.counts, self._kappa_weights(WEIGHTS[by])
        else:
            tables = self.counts + self.counts.swapaxes(-1, -2)
            weight = squared_distances(tables.sum(axis=0), self.grades, SCALES[by])
        chance, observed = chance_disagreement(tables, weight), np.einsum("tjcd,jcd->tj", tables, weight)
        documents = tables.sum(axis=(2, 3))  # [topic, judge]
        total, expected = documents.sum(axis=0), chance.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return len(tables) * ((2 * chance - total * observed) / expected - documents / total)

    def estimates(self) -> DeleteOne:
        """[judge, statistic] with every topic left out in turn.

        A topic weighs by its share of the disagreement expected by chance; in alphas, by its documents.
        """
        without = self.statistics(self.counts.sum(axis=0) - self.counts)
        documents = [self.counts.sum(axis=(2, 3))] * len(SCALES)
        size = np.stack([*self._by_kappa(chance_disagreement, self.counts), *documents], axis=-1)
        return DeleteOne(self.statistics(), without, self.topics[:, :, None], size)


def reference_tables(labels: Labels) -> GradeTables:
    """The tables of the reference with every other judge."""
    return GradeTables(np.moveaxis(labels.counts[:, 0, :, 1:], 1, 2), labels.grades, labels.thresholds)


def judge_selection(
    tables: GradeTables, by: str, alpha: float, seed: int, names: Sequence[str], trials: int | None = None
) -> Selection:
    """Which judges are behind others by a statistic, on the topics of these tables.

    A topic's contribution is left out, not the topic: without a topic that has most documents of a rare grade, another
    kappa is left, and equal judges would be separated in up to 18 % of studies.
    """
    estimate, added = tables.statistics()[:, tables.names.index(by)], tables.contributions(by)
    added += estimate - added.mean(axis=0)  # alpha corrects its chance for few documents, which the contributions omit
    with np.errstate(invalid="ignore"):
        without = (len(added) * estimate - added) / (len(added) - 1)
    return selection(estimate, without, alpha, seed, names, trials, weight=np.ones_like(added))


def share_of_halves(tables: GradeTables, by: str, alpha: float, seed: int, names: Sequence[str], halves: int) -> Floats:
    """[judge] in which share of random halves of the topics the judge is behind no other; NaN with one topic."""
    topics = len(tables.counts)
    if topics < 2:
        return np.full(len(names), np.nan)
    first = np.zeros(len(names))
    kept = kept_topics(topics, topics // 2, halves, seed)
    for half in kept:
        check_cancelled()
        part = replace(tables, counts=tables.counts[half])
        first += ~judge_selection(part, by, alpha, seed, names, TRIALS_OF_HALF).behind.any(axis=1)
    return first / len(kept)


def overall_alpha(labels: Labels) -> DeleteOne:
    """[statistic] nominal, ordinal and interval alpha over all judges."""
    votes = labels.votes.sum(axis=0)  # [document, grade]
    each = np.stack([coincidence_table(votes[documents]) for documents in labels.documents])  # [topic, grade, grade]
    total, without = (
        np.stack(_alphas(table, labels.grades), axis=-1) for table in (each.sum(axis=0), each.sum(axis=0) - each)
    )
    size = each.sum(axis=(1, 2))[:, None]
    return DeleteOne(total, without, size > 0, size)


def _alphas(coincidences: Floats, grades: Floats) -> list[Floats]:
    """[scale][...] nominal, ordinal and interval alpha of tables [..., grade, grade]."""
    return [krippendorff_alpha(coincidences, grades, scale) for scale in SCALES.values()]


def likeness(labels: Labels) -> Floats:
    """[judge, judge] ordinal alpha of every two judges, the reference first; 1 on the diagonal."""
    counts = labels.counts.sum(axis=0).transpose(0, 2, 1, 3)  # [judge, judge, grade, grade]
    alpha = krippendorff_alpha(counts + counts.swapaxes(-1, -2), labels.grades, "ordinal")
    np.fill_diagonal(alpha, 1.0)
    return alpha


def judge_map(similarity: Floats) -> tuple[Ints, Floats]:
    """[judge] an order with similar judges side by side, and [judge, 2] a map: classical scaling of 1 - similarity."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    distance = np.clip(1 - np.nan_to_num(similarity, nan=0.0), 0, None)
    distance = (distance + distance.T) / 2
    first, second = np.triu_indices(len(distance), k=1)
    order = leaves_list(linkage(distance[first, second], "average", optimal_ordering=True)).astype(np.int64)
    centring = np.eye(len(distance)) - 1 / len(distance)
    values, vectors = np.linalg.eigh(-0.5 * centring @ distance**2 @ centring)
    largest = np.argsort(-values)[:2]
    points = vectors[:, largest] * np.sqrt(np.clip(values[largest], 0, None))
    points *= np.where(points[0] > 0, -1.0, 1.0)  # the reference at the lower left: signs of vectors are arbitrary
    return order, points


def topic_sums(labels: Labels, values: Floats) -> Floats:
    """[judge, topic] the sums of values [judge, document]."""
    topics = len(labels.topics)
    return np.stack([np.bincount(labels.topic, row, minlength=topics) for row in values])


def leniency_fields(labels: Labels, alpha: float) -> dict[str, Any]:
    """How much higher each judge grades than the reference: on average, by topic, and by the reference's grade.

    [judge] with its interval and its p-value, corrected over judges by Holm, [judge, topic] and [judge, grade], without
    the reference.
    """
    value = labels.grades[labels.given]
    both = labels.judged[1:] & labels.judged[0]
    gap = np.where(both, value[1:] - value[0], 0.0)  # [judge, document]
    scale = labels.given[0][:, None] == np.searchsorted(labels.grades, labels.scale)
    sums, number = topic_sums(labels, gap), topic_sums(labels, both.astype(np.float64))
    total, documents = sums.sum(axis=1), number.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (total - sums.T) / (documents - number.T)  # [topic, judge]
        mean = DeleteOne(total / documents, without, number.T > 0)
        topics = mean.topics
        # without leniency, sums have mean 0 whatever the size of topics; p of the ratio errs in up to 9 % of studies
        p = DeleteOne(total / topics, (total - sums.T) / (topics - 1), number.T > 0).p
        by_topic, by_grade = sums / number, (gap @ scale) / (both.astype(np.float64) @ scale)
    low, high = mean.interval(alpha)
    known = ~np.isnan(p)
    p[known] = holm(p[known])
    return {
        "leniency": mean.estimate,
        "leniency_low": low,
        "leniency_high": high,
        "leniency_p": p,
        "leniency_topics": by_topic,
        "leniency_grades": by_grade,
    }
