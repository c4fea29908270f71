"""How much a mean difference and its paired t-test depend on single topics, and on how few of them."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import TIE, Floats, Ints
from irassay.stats.jackknife import student_critical
from irassay.stats.power import topics_for_sign_flips

MIN_TOPICS = 2  # topics that a t-test needs


@dataclass(frozen=True, eq=False)
class VerdictChange:
    """Topics whose removal reverses a verdict, with the sign of the difference unchanged, and a bound on how few."""

    removed: Ints  # the largest difference first; empty if no such topics were found
    at_least: int  # a smaller number of topics cannot reverse the verdict; 0: no number can

    @property
    def possible(self) -> bool:
        """Whether such topics were found."""
        return len(self.removed) > 0

    @property
    def smallest(self) -> bool:
        """Whether it is certain that no smaller number of topics reverses the verdict."""
        return self.possible and self.at_least == len(self.removed)


def student_t(n: Floats | Ints | int, mean: Floats, squares: Floats) -> Floats:
    """[…] Student's t of n differences with this mean and this sum of squared deviations from it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(squares / (np.asarray(n) * (np.asarray(n) - 1)))
    return np.where(mean == 0, 0.0, t)


def paired_t(d: Floats) -> Floats:
    """[…] Student's t of differences […, topic]; infinite if they are all equal.

    >>> paired_t(np.array([[0.1, 0.3, 0.2], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0]])).round(4)
    array([3.4641,    inf, 0.    ])
    """
    mean = d.mean(axis=-1)
    return student_t(d.shape[-1], mean, ((d - mean[..., None]) ** 2).sum(axis=-1))


def student_p(t: Floats, n: Ints | int) -> Floats:
    """[…] two-sided p of Student's t of n differences; if they are all equal, p of their signs."""
    from scipy.special import stdtr

    return np.where(np.isinf(t), 2.0 ** (1 - np.asarray(n)), 2 * stdtr(np.asarray(n) - 1, -np.abs(t)))


def leave_one_out(d: Floats, span: float = 0.0) -> tuple[Floats, Floats]:
    """[topic], [topic] the mean and Student's t of the differences without each topic.

    A mean or a spread below 1e-10 of `span`, the range of the scores, counts as 0, as in every test.

    >>> mean, t = leave_one_out(np.array([0.1, 0.3, 0.2, 0.8]))
    >>> mean.round(3).tolist(), t.round(3).tolist()
    ([0.433, 0.367, 0.4, 0.2], [2.335, 1.677, 1.922, 3.464])
    """
    n = len(d) - 1
    if n < MIN_TOPICS:
        mean = (d.sum() - d) / n if n else np.full(len(d), np.nan)
        return mean, np.full(len(d), np.nan)
    centre = np.median(d)  # any would do; with this one, equal differences have squared deviations of exactly 0
    c = d - centre
    rest = c.sum() - c
    mean = centre + rest / n
    squares = (c @ c) - c**2 - rest**2 / n
    mean = np.where(np.abs(mean) <= TIE * span, 0.0, mean)
    flat = squares <= n * (TIE * max(span, float(np.ptp(d)))) ** 2
    return mean, student_t(n, mean, np.where(flat, 0.0, squares))


def sign_flipping_topics(d: Floats) -> Ints:
    """The fewest topics without which the mean is 0 or has the opposite sign; empty if there are none.

    These are the topics with the largest differences in the direction of the mean.

    >>> [sign_flipping_topics(np.array(d)).tolist() for d in ([0.5, 0.1, -0.2, 0.0], [0.1, 0.2])]
    [[0], []]
    """
    sign = np.sign(d.sum())
    order = np.argsort(-sign * d, kind="stable")
    rest = np.cumsum((sign * d)[order][::-1])[::-1]  # [k] the sum without the first k
    enough = np.flatnonzero(rest <= TIE * np.abs(d).max(initial=0.0))
    return order[: enough[0]] if len(enough) and sign else order[:0]


def verdict_flipping_topics(d: Floats, alpha: float) -> VerdictChange:
    """Topics without which a t-test at alpha changes between significant and not, in the same direction.

    With S the sum of n differences and Q that of their squares, t exceeds its critical value c where S > sqrt(g Q),
    g = c² n / (n - 1 + c²); the region of (S, Q) where it does not is convex. So only stretches of topics, in the order
    of their differences, need be tried. To make t large, a stretch is kept, which is exact. To make it small, one is
    removed, and no removal of that many topics goes beyond mixtures of two neighbouring stretches.
    """
    sign = 1.0 if d.sum() >= 0 else -1.0
    order = np.argsort(-sign * d, kind="stable")
    d, tie = (sign * d)[order], TIE * float(np.ptp(d))
    total, at_least, slack = len(d), 0, 1e-12 * float(np.abs(d).sum())
    significant = _significant(d, alpha, tie)
    sums = np.concatenate([np.zeros((2, 1)), np.cumsum([d, d**2], axis=1)], axis=1)
    for removed in range(1, total - MIN_TOPICS + 1):
        n = total - removed
        size = removed if significant else n  # of a stretch
        stretch = sums[:, size:] - sums[:, :-size]  # [sum or squares, start]
        rest = sums[:, -1:] - stretch if significant else stretch
        c = student_critical(alpha, n)
        g = c**2 * n / (n - 1 + c**2)
        beyond = rest[0] - np.sqrt(g * np.maximum(0.0, rest[1]))  # above 0: significant, were there no rounding
        if significant:
            margin = -np.append(beyond, _smallest_between(rest[0], rest[1], g))
        else:
            margin = np.where(rest[0] > slack, beyond, -np.inf)
        too_few = n < topics_for_sign_flips(alpha)  # for a small enough p where differences have no spread
        if not at_least and (margin.max() >= -slack or (significant and too_few)):
            at_least = removed
        if not significant and too_few:
            margin[d[: len(margin)] - d[n - 1 :] <= tie] = -np.inf
        start = int(np.argmax(margin[: len(beyond)]))
        inside = np.arange(start, start + size)
        out = inside if significant else np.delete(np.arange(total), inside)
        if at_least and _significant(np.delete(d, out), alpha, tie) != significant:
            return VerdictChange(order[out], at_least)
    return VerdictChange(order[:0], at_least)


def _significant(d: Floats, alpha: float, tie: float) -> bool:
    """Whether the mean of these differences is significantly above 0."""
    n, mean = len(d), float(d.mean())
    squares = 0.0 if np.ptp(d) <= tie else float(((d - mean) ** 2).sum())
    return mean > tie and bool(student_p(student_t(n, np.array(mean), np.array(squares)), n) < alpha)


def _smallest_between(total: Floats, squares: Floats, g: float) -> Floats:
    """[start] the smallest S - sqrt(g Q) on the line from each (S, Q) to the next."""
    rise, run = np.diff(total), np.diff(squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = g * (run / (2 * rise)) ** 2  # where the line is a tangent
        share = np.clip(np.nan_to_num((q - squares[:-1]) / run), 0.0, 1.0)
    return total[:-1] + share * rise - np.sqrt(g * np.maximum(0.0, squares[:-1] + share * run))
