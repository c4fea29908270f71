"""Agreement of every judge with the reference: kappas and alphas with intervals over topics, leniency, likeness."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.judges.labels import Labels
from irassay.stats.draws import name_codes
from irassay.stats.rater_agreement import (
    Scale,
    Weights,
    binary_tables,
    cohen_kappa,
    coincidence_table,
    disagreement_weights,
    krippendorff_alpha,
)

WEIGHTS: dict[str, Weights] = {"kappa": "none", "linear kappa": "linear", "quadratic kappa": "quadratic"}
SCALES: dict[str, Scale] = {"nominal alpha": "nominal", "ordinal alpha": "ordinal", "interval alpha": "interval"}


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

    def statistics(self, weight: Floats | None = None) -> Floats:
        """[resample, judge, statistic] with topics weighted [resample, topic]; with equal weights if none are given.

        Kappa weights disagreements by the places of grades among those that the two judges use, as scikit-learn does;
        interval alpha by the grades themselves.
        """
        total = self.counts.sum(axis=0)  # [judge, grade, grade]
        used = (total.sum(axis=1) + total.sum(axis=2)) > 0
        drawn = total[None] if weight is None else weight @ self.counts.reshape(len(self.counts), -1)
        drawn = drawn.reshape(-1, *total.shape)
        values = [cohen_kappa(drawn, disagreement_weights(used, kind)) for kind in WEIGHTS.values()]
        for grade in self.thresholds:
            place = int(np.searchsorted(self.grades, grade))
            binary = cohen_kappa(binary_tables(drawn, place), 1 - np.eye(2)) if place else np.nan
            values.append(np.broadcast_to(binary, drawn.shape[:2]))
        coincidences = drawn + drawn.swapaxes(-1, -2)
        values += _alphas(coincidences, self.grades)
        return np.stack(values, axis=-1)


def reference_tables(labels: Labels) -> GradeTables:
    """The tables of the reference with every other judge."""
    return GradeTables(np.moveaxis(labels.counts[:, 0, :, 1:], 1, 2), labels.grades, labels.thresholds)


def topic_resamples(topics: Sequence[str], draws: int, seed: int) -> Floats:
    """[draw, topic] how often each topic is drawn, with replacement, in the order of their names."""
    rng, size = np.random.default_rng(seed), len(topics)
    return rng.multinomial(size, np.full(size, 1 / size), size=draws).astype(np.float64)[:, name_codes(topics)]


def percentile_interval(statistics: Floats, alpha: float) -> tuple[Floats, Floats]:
    """[...] the ends of the percentile interval of resampled statistics [resample, ...]; NaN where all are NaN."""
    ends = np.quantile(statistics, [alpha / 2, 1 - alpha / 2], axis=0)
    if np.isnan(ends).any():
        unknown = np.isnan(statistics).all(axis=0)
        filled = np.where(unknown, 0.0, statistics)
        ends = np.where(unknown, np.nan, np.nanquantile(filled, [alpha / 2, 1 - alpha / 2], axis=0))
    return ends[0], ends[1]


def interval_fields(name: str, statistics: Floats, alpha: float) -> dict[str, Any]:
    """The ends of the percentile interval as the fields NAME_low and NAME_high of a result."""
    low, high = percentile_interval(statistics, alpha)
    return {f"{name}_low": low, f"{name}_high": high}


def overall_alpha(labels: Labels, weight: Floats) -> tuple[Floats, Floats]:
    """[statistic] nominal, ordinal and interval alpha over all judges; [resample, statistic] with topics weighted."""
    votes = labels.votes.sum(axis=0)  # [document, grade]
    each = np.stack([coincidence_table(votes[documents]) for documents in labels.documents])  # [topic, grade, grade]
    total = each.sum(axis=0)
    drawn = (weight @ each.reshape(len(each), -1)).reshape(-1, *total.shape)
    return np.stack(_alphas(total, labels.grades), axis=-1), np.stack(_alphas(drawn, labels.grades), axis=-1)


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


def leniency_fields(labels: Labels, weight: Floats, alpha: float) -> dict[str, Any]:
    """How much higher each judge grades than the reference: on average, by topic, and by the reference's grade.

    [judge] with the ends of its interval, [judge, topic] and [judge, grade], without the reference.
    """
    value = labels.grades[labels.given]
    both = labels.judged[1:] & labels.judged[0]
    gap = np.where(both, value[1:] - value[0], 0.0)  # [judge, document]
    scale = labels.given[0][:, None] == np.searchsorted(labels.grades, labels.scale)
    with np.errstate(invalid="ignore"):
        sums, number = topic_sums(labels, gap), topic_sums(labels, both.astype(np.float64))
        mean, drawn = ((w @ sums.T) / (w @ number.T) for w in (np.ones((1, len(labels.topics))), weight))
        return {
            "leniency": mean[0],
            **interval_fields("leniency", drawn, alpha),
            "leniency_topics": sums / number,
            "leniency_grades": (gap @ scale) / (both.astype(np.float64) @ scale),
        }
