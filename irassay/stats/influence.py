"""How much a mean difference and its paired t-test hang on single topics, and on how few of them."""

from dataclasses import dataclass

import numpy as np

from irassay.arrays import TIE, Floats, Ints

FEWEST = 2  # topics that a t-test needs


@dataclass(frozen=True, eq=False)
class Change:
    """Topics whose removal turns a verdict into its opposite, and how few could do."""

    removed: Ints  # in the order of removal, each the one that moves t most; empty where no removal does
    at_least: int  # fewer cannot do

    @property
    def possible(self) -> bool:
        """Whether any topics do."""
        return len(self.removed) > 0

    @property
    def smallest(self) -> bool:
        """Whether it is known that no fewer topics do."""
        return self.possible and self.at_least == len(self.removed)


def t_of(n: Floats | Ints | int, mean: Floats, squares: Floats) -> Floats:
    """[…] Student's t of n differences with this mean and these squared deviations from it, summed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(squares / (np.asarray(n) * (np.asarray(n) - 1)))
    return np.where(mean == 0, 0.0, t)


def p_of(t: Floats, n: int) -> Floats:
    """[…] the two-sided p of Student's t from n differences; that of their signs where they are all the same."""
    from scipy.special import stdtr

    return np.where(np.isinf(t), 2.0 ** (1 - np.asarray(n)), 2 * stdtr(np.asarray(n) - 1, -np.abs(t)))


def without_each(d: Floats, kept: Ints | None = None, span: float = 0.0) -> tuple[Floats, Floats]:
    """[topic], [topic] the mean of the others, and Student's t of them, with each of the differences left out.

    A mean or a spread below 1e-10 of `span`, the range of the scores, is 0, as in every test.

    >>> mean, t = without_each(np.array([0.1, 0.3, 0.2, 0.8]))
    >>> mean.round(3).tolist(), t.round(3).tolist()
    ([0.433, 0.367, 0.4, 0.2], [2.335, 1.677, 1.922, 3.464])
    """
    d = d if kept is None else d[kept]
    n = len(d) - 1
    if n < FEWEST:
        mean = (d.sum() - d) / n if n else np.full(len(d), np.nan)
        return mean, np.full(len(d), np.nan)
    centre = d.mean()
    c = d - centre
    rest = c.sum() - c
    mean = centre + rest / n
    squares = (c @ c) - c**2 - rest**2 / n
    mean = np.where(np.abs(mean) <= TIE * span, 0.0, mean)
    flat = squares <= n * (TIE * max(span, float(np.ptp(d)))) ** 2
    return mean, t_of(n, mean, np.where(flat, 0.0, squares))


def sign_lost(d: Floats) -> Ints:
    """The fewest topics without which the mean is 0 or has the other sign; empty where no removal does that.

    These are the largest differences in the direction of the mean.

    >>> sign_lost(np.array([0.5, 0.1, -0.2, 0.0])).tolist(), sign_lost(np.array([0.1, 0.2])).tolist()
    ([0], [])
    """
    way = np.sign(d.sum())
    order = np.argsort(-way * d, kind="stable")
    left = np.cumsum((way * d)[order][::-1])[::-1]  # [k] the sum once the first k are removed
    gone = np.flatnonzero(left <= TIE * np.abs(d).max(initial=0.0))
    return order[: gone[0]] if len(gone) and way else order[:0]


def verdict_lost(d: Floats, alpha: float) -> Change:
    """Topics without which a t-test that is significant at alpha is not, or one that is not is, the same way.

    They are found one after another, each being the topic whose removal moves t most [huang2024]; `at_least` comes
    from sums and sums of squares that no removal of so few topics can go beyond.
    """
    from scipy.special import stdtrit

    way = 1.0 if d.sum() >= 0 else -1.0
    d, span = way * d, float(np.ptp(d))
    critical = np.append(np.full(FEWEST, np.inf), stdtrit(np.arange(FEWEST, len(d) + 1) - 1, 1 - alpha / 2))
    whole = t_of(len(d), d.mean(), ((d - d.mean()) ** 2).sum())
    significant = bool(whole > critical[len(d)])
    kept, removed = np.arange(len(d)), list[int]()
    while len(kept) > FEWEST:
        t = without_each(d, kept, span)[1]
        at = int(np.argmin(t) if significant else np.argmax(t))
        removed.append(int(kept[at]))
        kept = np.delete(kept, at)
        if (t[at] > critical[len(kept)]) != significant:
            return Change(np.array(removed), _at_least(d, critical, significant))
    return Change(np.array([], dtype=np.int64), 0)


def _at_least(d: Floats, critical: Floats, significant: bool) -> int:
    """The fewest removals that sums and sums of squares, each taken at its best, do not rule out."""
    n = len(d) - np.arange(1, len(d) - 1)
    up, squares = np.sort(d), np.sort(d**2)
    if significant:  # the smallest sum and the largest squares that n topics have
        total, square = np.cumsum(up)[n - 1], np.cumsum(squares[::-1])[n - 1]
    else:
        total, square = np.cumsum(up[::-1])[n - 1], np.cumsum(squares)[n - 1]
    t = np.where(total > 0, np.inf, 0.0)
    within = square > total**2 / n
    t[within] = t_of(n[within], total[within] / n[within], square[within] - total[within] ** 2 / n[within])
    possible = (t > critical[n]) != significant
    return 1 + int(np.argmax(possible))
