"""How far every judge agrees with the reference: kappas and alphas with intervals over topics, leniency, likeness."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.meta.judges.labels import Labels
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
    """Counts of grades of two judges, by topic, and the statistics that are made of them."""

    counts: Floats  # [topic, judge, grade, grade]
    grades: Floats  # [grade]
    thresholds: tuple[float, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """[statistic] kappas, kappas of binary labels, alphas."""
        return (*WEIGHTS, *(f"kappa >= {grade:g}" for grade in self.thresholds), *SCALES)

    def statistics(self, weight: Floats | None = None) -> Floats:
        """[resample, judge, statistic] with topics weighted [resample, topic]; as they are, where no weights are given.

        Weights of kappa go by the places of grades among those that the two judges use, as scikit-learn's do; interval
        alpha by the grades themselves.
        """
        whole = self.counts.sum(axis=0)  # [judge, grade, grade]
        used = (whole.sum(axis=1) + whole.sum(axis=2)) > 0
        topics = len(self.counts)
        drawn = whole[None] if weight is None else weight @ self.counts.reshape(topics, -1)
        drawn = drawn.reshape(-1, *whole.shape)
        found = [cohen_kappa(drawn, disagreement_weights(used, kind)) for kind in WEIGHTS.values()]
        binary = 1 - np.eye(2)
        for grade in self.thresholds:
            place = int(np.searchsorted(self.grades, grade))
            found.append(cohen_kappa(binary_tables(drawn, place), binary) if place else np.full(drawn.shape[:2], np.nan))
        met = drawn + drawn.swapaxes(-1, -2)
        found += [krippendorff_alpha(met, self.grades, scale) for scale in SCALES.values()]
        return np.stack(found, axis=-1)


def reference_tables(labels: Labels) -> GradeTables:
    """The tables of the reference with every other judge."""
    return GradeTables(np.moveaxis(labels.counts[:, 0, :, 1:], 1, 2), labels.grades, labels.thresholds)


def topic_resamples(topics: int, draws: int, seed: int) -> Floats:
    """[draw, topic] how often each topic is drawn, topics drawn with replacement."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(topics, np.full(topics, 1 / topics), size=draws).astype(np.float64)


def percentile_interval(found: Floats, alpha: float) -> tuple[Floats, Floats]:
    """[...] the ends of the percentile interval of resampled statistics [resample, ...]; NaN where none is known."""
    ends = np.quantile(found, [alpha / 2, 1 - alpha / 2], axis=0)
    if np.isnan(ends).any():
        known = np.isnan(found).all(axis=0)
        filled = np.where(known, 0.0, found)
        ends = np.where(known, np.nan, np.nanquantile(filled, [alpha / 2, 1 - alpha / 2], axis=0))
    return ends[0], ends[1]


def overall_alpha(labels: Labels, weight: Floats) -> tuple[Floats, Floats]:
    """[statistic] nominal, ordinal and interval alpha over all judges; [resample, statistic] with topics weighted."""
    votes = labels.votes.sum(axis=0)  # [document, grade]
    each = np.stack([coincidence_table(votes[documents]) for documents in labels.documents])  # [topic, grade, grade]
    whole = each.sum(axis=0)
    drawn = (weight @ each.reshape(len(each), -1)).reshape(-1, *whole.shape)
    found, again = (
        np.stack([krippendorff_alpha(met, labels.grades, scale) for scale in SCALES.values()], axis=-1)
        for met in (whole, drawn)
    )
    return found, again


def likeness(labels: Labels) -> Floats:
    """[judge, judge] ordinal alpha of every two judges, the reference first; 1 on the diagonal."""
    counts = labels.counts.sum(axis=0).transpose(0, 2, 1, 3)  # [judge, judge, grade, grade]
    found = krippendorff_alpha(counts + counts.swapaxes(-1, -2), labels.grades, "ordinal")
    np.fill_diagonal(found, 1.0)
    return found


def judge_map(alike: Floats) -> tuple[Ints, Floats]:
    """[judge] an order in which like judges are neighbours, and [judge, 2] a map: classical scaling of 1 - alpha."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    far = np.clip(1 - np.nan_to_num(alike, nan=0.0), 0, None)
    far = (far + far.T) / 2
    first, second = np.triu_indices(len(far), k=1)
    order = leaves_list(linkage(far[first, second], "average", optimal_ordering=True)).astype(np.int64)
    middle = np.eye(len(far)) - 1 / len(far)
    values, vectors = np.linalg.eigh(-0.5 * middle @ far**2 @ middle)
    top = np.argsort(-values)[:2]
    at = vectors[:, top] * np.sqrt(np.clip(values[top], 0, None))
    at *= np.where(at[0] > 0, -1.0, 1.0)  # the reference to the left and below: signs of vectors are arbitrary
    return order, at


def topic_sums(labels: Labels, values: Floats) -> Floats:
    """[judge, topic] the sums of values [judge, document]."""
    topics = len(labels.topics)
    return np.stack([np.bincount(labels.topic, row, minlength=topics) for row in values])


def leniency(labels: Labels, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """How much higher a judge grades than the reference, in grades: by topic, by the reference's grade, resampled.

    [judge, topic], [judge, grade] and [resample, judge], the others alone.
    """
    value = labels.grades[labels.given]
    both = labels.judged[1:] & labels.judged[0]
    gap = np.where(both, value[1:] - value[0], 0.0)  # [judge, document]
    scale = labels.given[0][:, None] == np.searchsorted(labels.grades, labels.scale)
    with np.errstate(invalid="ignore"):
        sums, number = topic_sums(labels, gap), topic_sums(labels, both.astype(np.float64))
        by_grade = (gap @ scale) / (both.astype(np.float64) @ scale)
        drawn = (weight @ sums.T) / (weight @ number.T)
        return sums / number, by_grade, drawn
