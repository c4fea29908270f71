"""Discriminative power: how many pairs of systems a metric discriminates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import CompleteScores, complete_scores
from irassay.meta.shared_options import Groups
from irassay.method import method
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scores import Scores
from irassay.stats.corrections import corrected_p
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_test import PairedTest

Among = Literal["all", "across", "within"]


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Result):
    """Which pairs of systems each metric discriminates, and at what level of significance."""

    saved_as: ClassVar[str] = "discrimination"

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: int
    test: str
    correction: str
    trials: int  # resamples drawn; 0 where a formula answers
    seed: int
    levels: tuple[float, ...]
    first: Ints  # [pair]
    second: Ints  # [pair]
    difference: Floats  # [pair, metric] mean of the first less mean of the second, costs negated
    p: Floats  # [pair, metric]
    threshold: Floats  # [level, metric] difference needed, the median over pairs; NaN where the test has none
    spread: Floats  # [metric] best mean less worst mean
    constant: Bools  # [metric] every system has the same mean
    across: Bools  # [pair] the two systems are of different teams; all true where teams are not known
    dropped: tuple[str, ...]  # the worst tenth of the systems by mean rank
    p_without: Floats  # [fewer pairs, metric] p-values when these are left out

    @property
    def grouped(self) -> bool:
        """Whether teams are known."""
        return not bool(self.across.all())

    def power(self, alpha: float = 0.05, among: Among = "all") -> Floats:
        """[metric] the share of pairs with p < alpha: of all, across teams, or within a team."""
        chosen = {"all": np.ones_like(self.across), "across": self.across, "within": ~self.across}[among]
        if not chosen.any():
            return np.full(len(self.metrics), np.nan)
        return np.mean(self.p[chosen] < alpha, axis=0)

    def power_without(self, alpha: float = 0.05) -> Floats:
        """[metric] the power over the systems that are left when the worst tenth is dropped."""
        return np.mean(self.p_without < alpha, axis=0)

    def asl(self) -> Floats:
        """[pair, metric] the ASL curves: achieved significance levels from the largest to the smallest."""
        return -np.sort(-self.p, axis=0)

    def asl_area(self) -> Floats:
        """[metric] the area under the ASL curve, pairs counted as shares of all: the mean p. Less is better."""
        return self.p.mean(axis=0)

    def smallest_significant(self, alpha: float = 0.05) -> Floats:
        """[metric] the smallest difference of means that was significant; NaN where none was."""
        gap = np.where(self.p < alpha, np.abs(self.difference), np.inf).min(axis=0)
        return np.where(np.isinf(gap), np.nan, gap)

    def largest_nonsignificant(self, alpha: float = 0.05) -> Floats:
        """[metric] the largest difference of means that was not significant: all beyond it were. 0 where all were."""
        return np.where(self.p < alpha, 0.0, np.abs(self.difference)).max(axis=0)

    def ranked(self, alpha: float = 0.05) -> list[tuple[str, float]]:
        """The metrics and their power, the most powerful first."""
        power = self.power(alpha)
        order = np.lexsort((self.asl_area(), -power))
        return [(self.metrics[m], float(power[m])) for m in order]


@method(
    "How many pairs of systems does a metric discriminate?",
    cite="sakai2006 carterette2012 chen2023",
    affine=True,
    examples=("irassay meta discrimination qrels.txt runs/ -m nDCG@10 -m AP --groups groups.tsv",),
)
def discrimination(
    scores: Scores,
    *,
    test: PairedTest = PairedTest("tukey"),
    levels: Annotated[tuple[float, ...], "Levels of significance, separated by commas."] = (0.01, 0.05, 0.10),
    groups: Groups = None,
) -> Discrimination:
    """How many pairs of systems a metric discriminates (chen2023, section 6): power, ASL curves, differences needed.

    All metrics see the same systems, topics and resamples [sakai2006, carterette2012]. `groups` names the team of each
    system: runs of one team are near-duplicates, so that pairs across teams are reported separately.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> discrimination(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t")).power(0.05)
    array([0.66666667])
    """
    if not len(levels):
        raise InputError(f"Discriminative power needs a level of significance; found none in {argument('levels')}.")
    for level in levels:
        if not 0 < level < 1:
            raise InputError(f"A level of significance lies between 0 and 1; found {level:g}.")
    made = complete_scores(scores, "Discriminative power")
    found, p = test.run(made.values, names=made.scores.systems, intervals=False)
    across = _across(made.scores.systems, groups, found)
    kept = best_systems(made)
    return Discrimination(
        metrics=made.scores.metrics,
        systems=made.scores.systems,
        topics=len(made.scores.topics),
        test=test.test,
        correction=test.correction,
        trials=found.trials,
        seed=test.seed,
        levels=tuple(levels),
        first=found.i,
        second=found.j,
        difference=found.difference,
        p=p,
        threshold=_thresholds(found, test, levels),
        spread=np.ptp(made.means, axis=0),
        constant=made.constant,
        across=across,
        dropped=tuple(np.array(made.scores.systems)[~kept].tolist()),
        p_without=_without(made, test, found, p, kept),
        notes=(*made.notes, *_caveats(found, across, groups is not None, not kept.all())),
    )


def best_systems(made: CompleteScores, share: float = 0.1) -> Bools:
    """[system] true but for the worst tenth by mean rank under all metrics, so that all lose the same systems.

    At least one system goes, and at least two stay.
    """
    means = made.means
    systems = len(means)
    places = [np.searchsorted(np.sort(column), column, side) for column in means.T for side in ("left", "right")]
    rank = np.mean(places, axis=0)  # [system] the mean of the ranks that ties share; worst is smallest
    goes = min(max(1, int(share * systems)), systems - 2)
    kept = np.ones(systems, dtype=np.bool_)
    kept[np.argsort(rank, kind="stable")[: max(0, goes)]] = False
    return kept


def _without(made: CompleteScores, how: PairedTest, found: PairTests, p: Floats, kept: Bools) -> Floats:
    if kept.all():
        return p
    if found.test.family or how.correction == "max-t":
        names = [made.scores.systems[s] for s in np.flatnonzero(kept)]
        return how.run(made.values[kept], names=names, intervals=False)[1]
    return corrected_p(found.p[kept[found.i] & kept[found.j]], how.correction)


def _thresholds(found: PairTests, how: PairedTest, levels: Sequence[float]) -> Floats:
    if how.correction != "none" or not found.simultaneous:
        return np.full((len(levels), found.p.shape[1]), np.nan)
    return np.array([np.median(found.threshold(level), axis=0) for level in levels])


def _across(systems: Sequence[str], groups: Mapping[str, str] | None, found: PairTests) -> Bools:
    if groups is None:
        return np.ones(len(found.i), dtype=np.bool_)
    unknown = [system for system in systems if system not in groups]
    if unknown:
        raise InputError(
            f"{count_phrase(len(unknown), 'system')} without a team in the groups, such as {unknown[0]}; "
            "add a line 'system team' for each."
        )
    teams = np.array([groups[system] for system in systems])
    return np.asarray(teams[found.i] != teams[found.j])


def constant_pair_notes(found: PairTests) -> list[str]:
    """A sentence on pairs without any spread, where the test divides by it."""
    flat = int(found.constant.sum(axis=0).max())
    if not flat or not found.test.studentized:
        return []
    return [
        f"Up to {flat} of {len(found.i)} pairs differ by the same amount on every topic under some metric; there is no "
        "spread to judge that by, and they count as told apart."
    ]


def _caveats(found: PairTests, across: Bools, grouped: bool, without: bool) -> list[str]:
    said = constant_pair_notes(found)
    if found.test.caveat:
        see = " (see the power without the worst tenth)." if found.test.one_threshold and without else "."
        said.append(found.test.caveat.removesuffix(".") + see)
    if found.trials and not found.exact and not found.compat and 1 / (found.trials + 1) >= 0.01:
        said.append(f"With {found.trials} resamples no p-value can fall below {1 / (found.trials + 1):.2g}.")
    if grouped and across.all():
        said.append("Every system is of another team, so that there are no pairs within a team.")
    return said
