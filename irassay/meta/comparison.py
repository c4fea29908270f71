"""A comparison of systems: differences with intervals, effect sizes, corrected p-values, groups, ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.parallel import Progress
from irassay.stats.corrections import corrected
from irassay.stats.formulas import won_and_lost
from irassay.stats.paired import NOISE, sample
from irassay.stats.tests import PairTest, find_test, pvalues


@dataclass(frozen=True, eq=False)
class Comparison:
    """Which systems differ, by how much, and how sure that is, by one metric."""

    saved_as: ClassVar[str] = "comparison"
    systems: tuple[str, ...]
    baseline: str | None
    mean: Floats  # [system]
    test: PairTest
    correction: str
    alpha: float
    p: Floats  # [pair] corrected; the test's own are in test.p
    low: Floats  # [pair] ends of the confidence interval of the mean difference
    high: Floats  # [pair]
    simultaneous: bool  # the intervals hold for all pairs together
    wins: Ints  # [pair] topics on which system i is ahead
    ties: Ints  # [pair]
    losses: Ints  # [pair]

    @property
    def significant(self) -> Bools:
        """[pair] corrected p < alpha."""
        return self.p < self.alpha

    @property
    def effect(self) -> Floats:
        """[pair] d_z: the mean difference in standard deviations of the differences [cohen1988]."""
        return effect_size(self.test)

    @property
    def unbiased_effect(self) -> Floats:
        """[pair] g_z: d_z corrected for its bias with few topics [hedges1981]."""
        return effect_size(self.test) * (1 - 3 / (4 * (self.test.topics - 1) - 1))

    def verdicts(self) -> NDArray[np.int8]:
        """[system, system] 1 where the row's system is significantly better than the column's, -1 worse, 0 neither."""
        table = np.zeros((len(self.systems), len(self.systems)), dtype=np.int8)
        sign = np.where(self.significant, np.sign(self.test.difference), 0).astype(np.int8)
        table[self.test.i, self.test.j] = sign
        table[self.test.j, self.test.i] = -sign
        return table

    def ranked(self) -> Ints:
        """[system] the systems' numbers, best mean first; equal means in the order given."""
        return np.argsort(-self.mean, kind="stable")

    def ranks(self) -> tuple[Ints, Ints]:
        """[system] the best and the worst rank each system may have: no pair outside them by the family test.

        1 + the number of systems significantly better, and K - the number significantly worse. With a
        correction that holds for all pairs together, so do these.
        """
        verdicts = self.verdicts()
        best = 1 + np.count_nonzero(verdicts < 0, axis=1)
        return best, len(self.systems) - np.count_nonzero(verdicts > 0, axis=1)

    def groups(self) -> tuple[str, ...]:
        """[system] letters: systems that share one are neighbours by mean and not told apart.

        A group is a longest run of systems, in order of their means, without a significant pair inside.
        """
        if self.baseline is not None:
            raise InputError("Groups need all pairs of systems; against a baseline most were not tested.")
        order = self.ranked()
        found = runs(self.verdicts()[np.ix_(order, order)] != 0)
        letters: list[list[str]] = [[] for _ in self.systems]
        for number, (start, end) in enumerate(found):
            for place in range(start, end):
                letters[order[place]].append(letter(number))
        separator = "" if len(found) <= 26 else ","
        return tuple(separator.join(each) for each in letters)


def effect_size(test: PairTest) -> Floats:
    """[pair] d_z = mean / sd of the differences; 0 where both are 0, NaN where only the sd is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = test.difference / (test.error * np.sqrt(test.topics))
    return np.where(test.constant, np.nan, np.where(test.difference == 0, 0.0, size))


def runs(different: Bools) -> list[tuple[int, int]]:
    """Longest stretches start..end-1 of [place, place] that hold no pair that differs, in order.

    >>> runs(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [(0, 2), (1, 3)]
    """
    places = len(different)
    upper = np.triu(different, k=1)
    latest = np.where(upper, np.arange(1, places + 1)[:, None], 0).max(axis=0)  # [end] first start without a clash
    starts = np.maximum.accumulate(latest)
    last = np.append(starts[1:] != starts[:-1], True)  # the next place no longer fits
    return [(int(starts[end]), int(end) + 1) for end in np.flatnonzero(last)]


def letter(number: int) -> str:
    """The name of a group: a to z, then aa, ab, and so on.

    >>> [letter(n) for n in (0, 25, 26, 27, 702)]
    ['a', 'z', 'aa', 'ab', 'aaa']
    """
    name = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        name = "abcdefghijklmnopqrstuvwxyz"[place] + name
    return name


def comparison(
    X: Floats,
    systems: Sequence[str],
    test: str = "max-t",
    correction: str = "none",
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    trials: int = 10_000,
    seed: int = 0,
    compat: bool = False,
    noise: float = NOISE,
    band: float = 0.0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Comparison:
    """Compares systems by their scores [topic, system]: all pairs, or all with a baseline.

    `correction` is none, bonferroni, holm, bh, by or max-t. A test of all pairs together (tukey,
    anova-tukey, max-t, max-t-stepdown) takes none. Intervals are at 1 - alpha: simultaneous under a family
    test, max-t or bonferroni, otherwise Student's for one pair at a time.
    """
    names = tuple(systems)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"Two systems are called '{twice[0]}'; give each its own name.")
    if baseline is not None and baseline not in names:
        raise InputError(f"There is no system called '{baseline}' to be the baseline; there are {', '.join(names)}.")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; found {alpha:g}.")
    if find_test(test).family and correction != "none":
        raise InputError(
            f"The test '{test}' is of all pairs together and needs no correction; found '{correction}'. "
            "Leave the correction out, or use a test of one pair at a time, such as t."
        )
    base = None if baseline is None else names.index(baseline)

    def run(name: str) -> PairTest:
        return pvalues(
            X,
            name,
            baseline=base,
            trials=trials,
            seed=seed,
            compat=compat,
            noise=noise,
            band=band,
            jobs=jobs,
            progress=progress,
        )

    found = run(test)
    if found.systems != len(names):
        raise InputError(f"The scores are of {found.systems} systems, but {len(names)} names were given.")
    joint = run("max-t") if correction == "max-t" else found
    p = joint.p if correction == "max-t" else corrected(found.p, correction)
    low, high = joint.interval(alpha / len(p) if correction == "bonferroni" else alpha)
    scores = sample(np.asarray(X, dtype=np.float64).T[:, :, None], base, noise)
    wins, losses = (each[0] for each in won_and_lost(scores))
    return Comparison(
        systems=names,
        baseline=baseline,
        mean=scores.mean[0],
        test=found,
        correction=correction,
        alpha=alpha,
        p=p,
        low=low,
        high=high,
        simultaneous=joint.simultaneous or correction == "bonferroni",
        wins=wins,
        ties=found.topics - wins - losses,
        losses=losses,
    )
