"""Discriminative power: how many pairs of systems a metric discriminates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.complete_scores import CompleteScores, complete_scores
from irassay.meta.shared_options import ALL_PAIRS, Groups, refuse_without_team
from irassay.method import method
from irassay.notes import Note
from irassay.results import Result
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.corrections import corrected_p
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_sample import sample
from irassay.stats.paired_test import PairedTest, find_test
from irassay.stats.resolved_pairs import SignificanceRule, excess_error_of_share, resolved_shares, significance_rule
from irassay.stats.selection import Selection, selection, without_each
from irassay.stats.skewed_scales import skew_misleads

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
    trials: int  # resamples drawn; 0 for a test by formula
    seed: int
    levels: tuple[float, ...]
    first: Ints  # [pair]
    second: Ints  # [pair]
    difference: Floats  # [pair, metric] mean of the first minus mean of the second, costs negated
    p: Floats  # [pair, metric]
    threshold: Floats  # [level, metric] difference needed, the median over pairs; NaN if the test has none
    spread: Floats  # [metric] best mean minus worst mean
    constant: Bools  # [metric] every system has the same mean
    across: Bools  # [pair] the two systems are of different teams; all true if teams are not known
    dropped: tuple[str, ...]  # the worst tenth of the systems by mean rank
    p_without: Floats  # [remaining pair, metric] p-values without the dropped systems
    threshold_ends: Floats = field(default_factory=lambda: np.empty(0))  # [end, level, metric] its range over pairs
    drawn: int = 0  # random resamples that p-values come from; 0 if none are random, or in files of earlier versions
    selection: Selection | None = None  # of the metrics by power at the main level; None in files of earlier versions
    skewed: tuple[str, ...] = ()  # metrics with skewed scores of unequal scale, by which the test errs too often

    @property
    def main_level(self) -> float:
        """The level at which metrics are compared: 0.05 if it is among the levels, otherwise the first."""
        return 0.05 if 0.05 in self.levels else self.levels[0]

    @property
    def grouped(self) -> bool:
        """Whether teams are known."""
        return not bool(self.across.all())

    def power(self, alpha: float = 0.05, among: Among = "all") -> Floats:
        """[metric] the share of pairs with p < alpha: of all pairs, those across teams, or those within a team."""
        pairs = {"all": np.ones_like(self.across), "across": self.across, "within": ~self.across}[among]
        return np.mean(self.p[pairs] < alpha, axis=0) if pairs.any() else np.full(len(self.metrics), np.nan)

    def power_without(self, alpha: float = 0.05) -> Floats:
        """[metric] the power over the systems that remain when the worst tenth is dropped."""
        return np.mean(self.p_without < alpha, axis=0)

    def asl(self) -> Floats:
        """[pair, metric] the ASL curves: achieved significance levels from the largest to the smallest."""
        return -np.sort(-self.p, axis=0)

    def asl_area(self) -> Floats:
        """[metric] the area under the ASL curve, which is the mean p; lower is better."""
        return self.p.mean(axis=0)

    def smallest_significant(self, alpha: float = 0.05) -> Floats:
        """[metric] the smallest difference of means that is significant; NaN if none is."""
        gap = np.where(self.p < alpha, np.abs(self.difference), np.inf).min(axis=0)
        return np.where(np.isinf(gap), np.nan, gap)

    def largest_nonsignificant(self, alpha: float = 0.05) -> Floats:
        """[metric] the largest difference of means that is not significant; 0 if all are significant."""
        return np.where(self.p < alpha, 0.0, np.abs(self.difference)).max(axis=0)

    def significance_rule(self, values: Floats, alpha: float) -> SignificanceRule:
        """When a difference is significant on some of the topics, for the scores [system, topic, metric] tested."""
        threshold = self.threshold[self.levels.index(alpha)]
        return significance_rule(
            find_test(self.test), self.correction, self.difference, self.p, threshold, values, alpha
        )

    def ranked(self, alpha: float = 0.05) -> list[tuple[str, float]]:
        """The metrics and their power, the most powerful first."""
        power = self.power(alpha)
        return [(self.metrics[m], float(power[m])) for m in np.lexsort((self.asl_area(), -power))]


def check_levels(levels: tuple[float, ...]) -> None:
    """Refuses to count the pairs at no level of significance."""
    if not levels:
        raise InputError("Discriminative power needs a level of significance; give one in ", argument("levels"), ".")


@method(
    "How many pairs of systems does a metric discriminate?",
    cite="sakai2006 carterette2012 chen2023",
    affine=True,
    draws=True,
    check=check_levels,
    least_runs=2,
    examples=("irassay meta discrimination qrels.txt runs/ -m nDCG@10 -m AP --groups groups.tsv",),
)
def discrimination(
    scores: Scores,
    *,
    test: PairedTest = ALL_PAIRS,
    levels: Annotated[
        tuple[float, ...], Option("Levels of significance, separated by commas.", low=0, high=1, open="both")
    ] = (0.01, 0.05, 0.10),
    groups: Groups = None,
) -> Discrimination:
    """Count the pairs of systems that metrics discriminate (chen2023, section 6): power, ASL curves, thresholds.

    All metrics are tested on the same systems, topics and resamples [sakai2006, carterette2012], by default as
    `compare` does. The papers use Tukey's HSD, which `compat` selects. `groups` gives the team of each system. Runs of
    one team are near-duplicates, so pairs across teams are also reported separately. All pairs of metrics are compared
    at once by their power, as in a report: by what each topic contributes, and random signs of these contributions.

    >>> cube = np.array([[0.1, 0.2, 0.1, 0.3], [0.6, 0.7, 0.5, 0.9], [0.5, 0.8, 0.6, 0.7]])[:, :, None]
    >>> discrimination(Scores(cube, ("A", "B", "C"), tuple("1234"), ("AP",)), test=PairedTest("t")).power(0.05)
    array([0.66666667])
    """
    complete = complete_scores(scores, "Discriminative power")
    found = discriminated_pairs(complete, test, levels, groups)
    return replace(found, selection=power_selection(complete, found), skewed=_skewed_metrics(complete, found))


def _skewed_metrics(complete: CompleteScores, result: Discrimination) -> tuple[str, ...]:
    """The metrics by whose scores the test errs too often; none if it cannot find any pair on so few topics."""
    test = find_test(result.test)
    every_resample = result.trials > 0 and not result.drawn  # is tried, so that no p is below 1 / their number
    if test.skew_safe or (every_resample and 1 / result.trials >= result.main_level):
        return ()
    pairs = sample(complete.values)
    return tuple(name for m, name in enumerate(result.metrics) if skew_misleads(pairs, m, test.by_ranks))


def power_selection(complete: CompleteScores, result: Discrimination) -> Selection:
    """Which metrics may have the highest power at the main level, by the power without each topic.

    What is significant without a topic is decided with the critical value of the test on all topics.
    """
    alpha, names = result.main_level, complete.scores.metrics
    [sets] = without_each(np.ones((1, result.topics), np.bool_))
    rule = result.significance_rule(complete.values, alpha)
    shares = resolved_shares(complete.values, None, 0, complete.noise, sets[1:], rule)[0]
    excess = excess_error_of_share(result.topics)
    return selection(result.power(alpha), shares, alpha, result.seed, names, excess=excess)


def discriminated_pairs(
    complete: CompleteScores, test: PairedTest, levels: Sequence[float], groups: Mapping[str, str] | None = None
) -> Discrimination:
    """The pairs that metrics discriminate, without a comparison of the metrics."""
    sampled = sample(complete.values, names=complete.scores.systems)
    tests = test.pair_tests(sampled, intervals=False)
    deciding = test.interval_tests(tests, sampled)
    p = test.corrected_p(tests, deciding)
    across = _across_teams(complete.scores.systems, groups, tests)
    kept = kept_systems(complete)
    median, *ends = _thresholds(tests, test, levels)
    return Discrimination(
        metrics=complete.scores.metrics,
        systems=complete.scores.systems,
        topics=len(complete.scores.topics),
        test=test.test,
        correction=test.correction,
        trials=tests.trials,
        seed=test.seed,
        levels=tuple(levels),
        first=tests.i,
        second=tests.j,
        difference=tests.difference,
        p=p,
        threshold=median,
        threshold_ends=np.stack(ends),
        spread=np.ptp(complete.means, axis=0),
        constant=complete.constant,
        across=across,
        dropped=tuple(np.array(complete.scores.systems)[~kept].tolist()),
        p_without=_remaining_p(complete, test, tests, p, kept),
        drawn=deciding.drawn(test.correction),
        notes=(*complete.notes, *_notes(tests, levels, across, groups is not None, not kept.all())),
    )


def kept_systems(complete: CompleteScores, share: float = 0.1) -> Bools:
    """[system] false for the worst tenth by mean rank under all metrics, so that all metrics lose the same systems.

    At least one system is dropped, and at least two are kept.
    """
    means = complete.means
    systems = len(means)
    places = [np.searchsorted(np.sort(column), column, side) for column in means.T for side in ("left", "right")]
    rank = np.mean(places, axis=0)  # [system] tied systems share their mean rank; the worst is smallest
    dropped = min(max(1, int(share * systems)), systems - 2)
    kept = np.ones(systems, dtype=np.bool_)
    kept[np.argsort(rank, kind="stable")[: max(0, dropped)]] = False
    return kept


def _remaining_p(complete: CompleteScores, test: PairedTest, tests: PairTests, p: Floats, subset: Bools) -> Floats:
    """[remaining pair, metric] the corrected p-values of the pairs of kept systems."""
    if subset.all():
        return p
    if tests.test.family or test.correction == "max-t":
        names = [complete.scores.systems[s] for s in np.flatnonzero(subset)]
        return test.run(complete.values[subset], names=names, intervals=False)[1]
    return corrected_p(tests.p[subset[tests.i] & subset[tests.j]], test.correction)


def _thresholds(tests: PairTests, test: PairedTest, levels: Sequence[float]) -> Floats:
    """[3, level, metric] the difference needed: median, smallest and largest over pairs; NaN without a threshold."""
    if test.correction != "none" or not tests.simultaneous:
        return np.full((3, len(levels), tests.p.shape[1]), np.nan)
    possible = np.where([tests.can_reject(level) for level in levels], 0.0, np.nan)[:, None, None]
    needed = possible + np.stack([tests.threshold(level) for level in levels])  # [level, pair, metric]
    needed[np.broadcast_to(~needed.any(axis=1, keepdims=True), needed.shape)] = np.nan  # if no difference has a spread
    return np.stack([np.median(needed, axis=1), needed.min(axis=1), needed.max(axis=1)])


def _across_teams(systems: Sequence[str], groups: Mapping[str, str] | None, tests: PairTests) -> Bools:
    """[pair] whether the two systems are of different teams; all true if teams are not known."""
    if groups is None:
        return np.ones(len(tests.i), dtype=np.bool_)
    refuse_without_team(systems, groups)
    teams = np.array([groups[system] for system in systems])
    return np.asarray(teams[tests.i] != teams[tests.j])


def constant_pair_notes(tests: PairTests) -> list[str]:
    """A note on pairs that differ by a constant, if the test divides by the spread of differences."""
    flat = int(tests.constant.sum(axis=0).max())
    if not flat or not tests.test.studentized:
        return []
    pairs = f"Up to {flat} of {len(tests.i)} pairs differ by the same amount on every topic under some metric"
    return [f"{pairs}; without any spread, their p is from the signs of topics."]


def _notes(tests: PairTests, levels: Sequence[float], across: Bools, has_teams: bool, has_dropped: bool) -> list[str]:
    """Notes on what limits the test."""
    notes = constant_pair_notes(tests)
    if not all(map(tests.can_reject, levels)):
        text = f"With {tests.topics} topics no p-value can fall below {1 / tests.trials:.2g}."
        notes.append(Note(text, caveat=True))
    if tests.test.caveat:
        hint = " (see the power without the worst runs)" if tests.test.one_threshold and has_dropped else ""
        notes.append(f"{tests.test.caveat.removesuffix('.')}{hint}.")
    if tests.trials and not tests.exact and not tests.compat and 1 / (tests.trials + 1) >= 0.01:
        notes.append(f"With {tests.trials} resamples no p-value can be below {1 / (tests.trials + 1):.2g}.")
    if has_teams and across.all():
        notes.append("Every system is of a different team, so there are no pairs within a team.")
    return notes
