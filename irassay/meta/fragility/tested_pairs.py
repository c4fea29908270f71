"""The pairs of systems whose fragility is sought, their test, and its critical value, which is frozen."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.meta.claimed_pair import claimed_pair
from irassay.meta.fragility.regraded_lists import RegradedLists
from irassay.scores import Scores
from irassay.stats.paired_test import PairedTest

FragilityTest = Literal["t", "bonferroni", "max-t"]  # tests with one critical value of t


@dataclass(frozen=True, eq=False)
class Claims:
    """The pairs to try, better system first if it was not given, and the topics they are compared on."""

    systems: Ints  # that are tested together
    pairs: list[tuple[int, int]]
    given: bool  # one pair, in the direction of the claim
    topics: Ints  # in the order of their names


def tested_claims(
    scores: Scores, lists: Sequence[RegradedLists], pair: Sequence[str], top: int | None, skip: bool
) -> Claims:
    """The claims about the systems, and the topics that all of these have."""
    claim = claimed_pair(scores, pair)
    means = np.nan_to_num(np.nanmean(scores.oriented().values[:, :, 0], axis=1), nan=-np.inf)
    order = np.argsort(-means, kind="stable")[:top]
    systems = np.union1d(order, list(claim)) if claim else order
    has_score = np.logical_and.reduce(~np.isnan(scores.values[systems, :, 0]), axis=0)
    if skip:
        has_score &= np.stack([lists[s].lists.retrieved > 0 for s in systems]).all(axis=0)
    by_name = np.argsort(np.array(scores.topics), kind="stable")
    topics = by_name[has_score[by_name]]
    if len(topics) < 3:
        raise InputError(
            f"A test needs at least 3 topics that every system has; found {len(topics)}. Give more topics."
        )
    pairs = [claim] if claim else [(int(a), int(b)) for a, b in combinations(order, 2)]
    return Claims(systems, pairs, claim is not None, topics)


def fragility_test(test: FragilityTest, trials: int, seed: int) -> PairedTest:
    """The settings of the test."""
    if test == "max-t":
        return PairedTest("max-t", trials=trials, seed=seed)
    return PairedTest("t", "bonferroni" if test == "bonferroni" else "none")


class TestedPairs:
    """The pairs of systems, tested, with the critical value of t that is frozen."""

    def __init__(self, values: Floats, claims: Claims, names: Sequence[str], alpha: float, test: PairedTest) -> None:
        self.values = values
        place = {int(s): n for n, s in enumerate(claims.systems)}
        tests, p = test.run(values[claims.systems][:, :, None], names=[names[s] for s in claims.systems])
        pairs = zip(tests.i, tests.j, p[:, 0], strict=True)
        self._p = {(int(i), int(j)): float(each) for i, j, each in pairs}
        self._place = place
        family = len(self._p)
        level = alpha / family if test.correction == "bonferroni" else alpha
        self.critical = float(np.max(tests.critical(level)))
        self.alone = test.test == "t" and test.correction == "none"
        which = "the paired t-test" if test.test == "t" else "the max-T test"
        together = "this pair alone" if family == 1 else "each pair alone" if self.alone else f"all {family:,} pairs"
        self.family = f"{which} for {together}{', with the Bonferroni correction' if level < alpha else ''}"

    def pair(self, first: int, second: int) -> tuple[Floats, float]:
        """[topic] the differences of a pair, and the p of its test."""
        i, j = sorted((self._place[first], self._place[second]))
        return self.values[first] - self.values[second], self._p[i, j]
