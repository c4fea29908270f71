"""Tests of all pairs of systems together: their p-values need no further correction."""

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.parallel import each_block, map_blocks
from irassay.stats.draws import Block, shuffles, signs
from irassay.stats.paired import ELEMENTS, Outcome, Plan, Sample, paired_test
from irassay.stats.resampling import SLACK, system_rows, tally
from irassay.stats.studentized_range import range_tail

TIED = 1e-9  # means of shuffled scores are compared up to this share of the largest range


@paired_test("tukey", cite="carterette2012", family=True, resamples=True)
def tukey(sample: Sample, plan: Plan) -> Outcome:
    """Is the difference larger than the range of means when scores are shuffled within topics (randomised HSD)?

    One threshold for all pairs. It takes the systems to be exchangeable: with equal means, two noisy systems
    and 18 stable ones it gave a false alarm in 30 % of families instead of 5 %; and one poor run among the
    others raises the threshold for all, so the verdict on two systems depends on the runs included. All
    shuffles are tried where they are few.
    """
    draws = shuffles(sample.topics, sample.systems, plan.trials, plan.seed)
    scores = np.ascontiguousarray(sample.values.transpose(1, 2, 0))  # [topic, system, metric]
    if sample.metrics == 1:
        scores = scores[:, :, 0]
    step = max(1, ELEMENTS // (sample.systems * sample.metrics))

    def block(place: Block) -> Floats:
        order = draws.draw(place)  # [trial, topic, system]
        ranges = []
        for start in range(0, place.size, step):
            part = order[start : start + step]
            total = scores[0].take(part[:, 0], axis=0)  # [trial, system(, metric)]
            for topic in range(1, sample.topics):
                total += scores[topic].take(part[:, topic], axis=0)
            ranges.append(np.ptp(total, axis=1).reshape(len(part), sample.metrics))
        return np.concatenate(ranges)  # [trial, metric]

    found = map_blocks(block, draws.blocks, plan.jobs, progress=plan.progress)
    null = np.sort(np.concatenate(found).T / sample.topics, axis=1)
    gap = np.abs(sample.difference)
    p = plan.share(_at_least(null, gap - TIED * null[:, -1:]), draws.trials, draws.exact)
    unit = np.ones_like(gap)
    return Outcome(sample.difference, p, unit, null, draws.trials, draws.exact)


@paired_test("anova-tukey", cite="tukey1949", family=True)
def anova_tukey(sample: Sample, plan: Plan) -> Outcome:
    """Is the difference larger than the studentised range after a two-way analysis of variance (Tukey's HSD)?

    It takes the residuals to be normal and of one variance for all systems: with equal means, two noisy
    systems and 18 stable ones it gave a false alarm in 32 % of families instead of 5 %.
    """
    topics, systems = sample.topics, sample.systems
    freedom = (systems - 1) * (topics - 1)
    variance = np.array([residual_variance(table) for table in sample.values])
    variance[variance <= (sample.noise * sample.span) ** 2] = 0.0
    unit = np.repeat(np.sqrt(variance / topics)[:, None], len(sample.i), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(sample.difference == 0, 0.0, np.abs(sample.difference) / unit)
    p = range_tail(q.ravel(), systems, freedom).reshape(q.shape)
    return Outcome(q, p, unit, np.empty((sample.metrics, 0)))


@paired_test("max-t", cite="westfall1993", family=True, resamples=True)
def max_t(sample: Sample, plan: Plan) -> Outcome:
    """Is t larger than the largest t of all pairs when topics change sign at random (studentised max-T)?

    One sign a topic, shared by all pairs and metrics, keeps their dependence. Every pair is measured by its
    own spread, so unequal spreads or a poor run among the others hardly disturb it (at most 5.7 % of
    families with a false alarm at 5 %). With strongly skewed differences it gave 10 %, where t with Holm's
    correction gave 6 %. Its intervals hold for all pairs together. All signs are tried where there are few topics.
    """
    draws = signs(sample.topics, plan.trials, plan.seed)
    rows = system_rows(sample.values)
    observed, scale = _cosine(sample)

    def block(place: Block) -> Floats:
        sums = (rows @ draws.draw(place)).reshape(sample.metrics, sample.systems, place.size)
        largest = np.zeros((sample.metrics, place.size))
        room = np.empty((sample.systems, place.size))
        for metric in range(sample.metrics):
            for anchor, others, where in sample.anchors():
                gap = room[: where.stop - where.start]  # [pair, trial]
                np.subtract(sums[metric, others], sums[metric, anchor], out=gap)
                gap *= scale[metric, where, None]
                np.abs(gap, out=gap)
                np.maximum(largest[metric], gap.max(axis=0), out=largest[metric])
        return largest

    found = map_blocks(block, draws.blocks, plan.jobs, progress=plan.progress)
    null = np.sort(np.concatenate(found, axis=1), axis=1)
    p = plan.share(_at_least(null, observed - SLACK), draws.trials, draws.exact)
    return Outcome(sample.t, p, sample.error, _as_t(null, sample.topics), draws.trials, draws.exact)


@paired_test("max-t-stepdown", cite="westfall1993", family=True, resamples=True)
def max_t_stepdown(sample: Sample, plan: Plan) -> Outcome:
    """Is t larger than the largest t of the pairs not yet told apart, topics changing sign at random?

    As max-t, but pairs already found different leave the competition, so it finds somewhat more. Intervals
    that hold for all pairs together do not come of stepping down; those given are max-t's, a little wider.
    """
    draws = signs(sample.topics, plan.trials, plan.seed)
    rows = system_rows(sample.values)
    observed, scale = _cosine(sample)
    order = np.argsort(observed, axis=1, kind="stable")  # [metric, pair] smallest first
    bar = np.take_along_axis(observed, order, axis=1) - SLACK
    step = max(8, ELEMENTS // len(sample.i) // 8 * 8)

    def block(place: Block) -> tuple[Ints, Floats]:
        weight = draws.draw(place)
        count = np.zeros(bar.shape, dtype=np.int64)
        largest = np.empty((sample.metrics, place.size))
        for start in range(0, place.size, step):
            part = slice(start, start + step)
            sums = (rows @ weight[:, part]).reshape(sample.metrics, sample.systems, -1)
            for metric in range(sample.metrics):
                line = order[metric]
                gap = sums[metric, sample.i[line]] - sums[metric, sample.j[line]]  # [pair, trial]
                gap *= scale[metric, line, None]
                np.abs(gap, out=gap)
                np.maximum.accumulate(gap, axis=0, out=gap)
                count[metric] += tally(gap >= bar[metric, :, None])
                largest[metric, part] = gap[-1]
        return count, largest

    count = np.zeros(bar.shape, dtype=np.int64)
    largest = []
    for some, tops in each_block(block, draws.blocks, plan.jobs, progress=plan.progress):
        count += some
        largest.append(tops)
    count = np.maximum.accumulate(count[:, ::-1], axis=1)[:, ::-1]  # never smaller than of a more extreme pair
    back = np.argsort(order, axis=1)
    p = plan.share(np.take_along_axis(count, back, axis=1), draws.trials, draws.exact)
    null = _as_t(np.sort(np.concatenate(largest, axis=1), axis=1), sample.topics)
    return Outcome(sample.t, p, sample.error, null, draws.trials, draws.exact)


def _cosine(sample: Sample) -> tuple[Floats, Floats]:
    """[metric, pair] |t| as a number from 0 to 1, and what turns a sum of differences into it.

    With Q the sum of the squared differences, which signs do not change, and S their sum, |t| grows with
    u = |S| / sqrt(T Q), the cosine of the angle between the differences and a constant.
    """
    squares = sample.squares + sample.topics * sample.difference**2
    with np.errstate(divide="ignore"):
        scale = np.where(squares == 0, 0.0, 1 / np.sqrt(sample.topics * squares))
    return sample.topics * np.abs(sample.difference) * scale, scale


def _as_t(u: Floats, topics: int) -> Floats:
    """|t| from its cosine: t² = (T-1) u² / (1 - u²)."""
    with np.errstate(divide="ignore"):
        return u * np.sqrt((topics - 1) / np.maximum(0.0, 1 - u**2))


def residual_variance(table: Floats) -> float:
    """The mean square that topics and systems leave unexplained in a table [topic, system].

    >>> residual_variance(np.array([[1.0, 2.0], [3.0, 5.0]]))
    0.25
    """
    topics, systems = table.shape
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    return float((residual**2).sum() / ((topics - 1) * (systems - 1)))


def _at_least(null: Floats, bar: Floats) -> Ints:
    """[metric, pair] how many of the ascending [metric, trial] are at least [metric, pair]."""
    return np.stack([len(row) - np.searchsorted(row, at) for row, at in zip(null, bar, strict=True)])
