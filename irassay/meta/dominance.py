"""Dominance: whether a system beats another for every user, whatever attention pays to ranks."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.shared_options import Alpha
from irassay.meta.system_lookup import named_system
from irassay.method import method
from irassay.metrics.grammar import catalogue
from irassay.metrics.metric import Metric
from irassay.prose import count_phrase
from irassay.rankings.batch import Rankings
from irassay.rankings.gain import gains
from irassay.results import Result
from irassay.scoring.grade_cube import GradeCube
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import Option
from irassay.stats.every_user import (
    first_crossing,
    goal_grid,
    holm_of_certificates,
    insq_attention,
    pair_curves,
    persistence_grid,
    rbp_attention,
)

NOISE = 1e-10  # share of the largest mean gain, below which a lead is 0
MAX_PARTS = 60  # of the smallest gain, one of which is a unit of all gains
COVERED_UP_TO = "only on lists cut to the depth"
SMALL_UNIT = 1e-7  # of the largest gain, to which other gains are rounded


@dataclass(frozen=True, eq=False, repr=False)
class Dominance(Result):
    """Which systems beat which for every attention that does not grow with rank.

    A pair has two directions: the first system minus the second, and the reverse.
    """

    saved_as: ClassVar[str] = "dominance"

    systems: tuple[str, ...]
    named: tuple[str, ...]  # systems that pictures must show
    topics: int
    depth: int
    gain: str
    grades: Floats  # [grade] above 0 in the judgements, retrieved or not
    alpha: float
    curves: Floats  # [system, rank] the mean gain cumulated over ranks
    dominates: Bools  # [pair, direction] for every attention that does not grow with rank
    every_gain: Bools  # [pair, direction] and for every gain that does not fall with the grade
    every_convex: Bools  # [pair, direction] for every attention that is convex too
    worst_k: Ints  # [pair, direction] the rank k at which the system has the smallest lead divided by k
    worst_lead: Floats  # [pair, direction] its lead there
    p_star: Floats  # [pair] the smallest persistence at which RBP changes sides; NaN if it never does
    T_star: Floats  # [pair] the smallest goal at which INSQ changes sides; NaN if it never does
    p: Floats  # [pair, direction] that it leads at every rank
    p_elsewhere: Floats  # [pair, direction] the same at the ranks that enough topics reach
    gain_p: Floats  # [pair, direction] that it leads at every rank by every grade
    rare_loss_p: Floats  # [pair, direction] the chance that rare losses are not seen in one of all the systems
    gain_rare_loss_p: Floats  # [pair, direction] the same for every grade
    not_shown: tuple[str, ...]  # [pair] the ranks that too few topics reach, as 1-3,7; '' if there is none
    covers: dict[str, str]  # by metric: what certifies a system for it, as `covered_by` says
    named_metrics: tuple[str, ...]

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """[pair] the first and second systems."""
        return np.triu_indices(len(self.systems), k=1)

    @property
    def corrected_p(self) -> Floats:
        """[pair, direction] p with Holm's correction over all directed pairs."""
        return self._holm_p(self.p, self.rare_loss_p)

    @property
    def corrected_p_elsewhere(self) -> Floats:
        """[pair, direction] the same for p_elsewhere."""
        return self._holm_p(self.p_elsewhere, self.rare_loss_p)

    @property
    def corrected_gain_p(self) -> Floats:
        """[pair, direction] the same for gain_p."""
        return self._holm_p(self.gain_p, self.gain_rare_loss_p)

    def _holm_p(self, p: Floats, rare_loss_p: Floats) -> Floats:
        return holm_of_certificates(p, rare_loss_p, self.alpha)

    @property
    def significant(self) -> Bools:
        """[pair, direction] whether the corrected p-value of a dominating system is below alpha."""
        return self.dominates & (self.corrected_p < self.alpha)

    @property
    def significant_elsewhere(self) -> Bools:
        """[pair, direction] the same for users whose attention does not drop after ranks that are not shown."""
        return self.dominates & (self.corrected_p_elsewhere < self.alpha)

    @property
    def share_certified(self) -> float:
        """The share of pairs of which one dominates the other."""
        return float(self.dominates.any(axis=1).mean())

    def matrix(self, directed: Bools) -> Bools:
        """[system, system] a property of directed pairs; row against column."""
        first, second = self.pairs
        square = np.zeros((len(self.systems),) * 2, dtype=np.bool_)
        square[first, second], square[second, first] = directed[:, 0], directed[:, 1]
        return square

    @property
    def order(self) -> Ints:
        """The systems, those that dominate more others than dominate them first; ties by the mean curve."""
        wins = self.matrix(self.dominates)
        net = wins.sum(axis=1) - wins.sum(axis=0)
        return np.lexsort((np.arange(len(net)), -self.curves.mean(axis=1), -net))

    def ranked(self) -> list[tuple[str, float]]:
        """The systems and how many others each dominates, in order."""
        wins = self.matrix(self.dominates).sum(axis=1)
        return [(self.systems[s], float(wins[s])) for s in self.order]

    def direction(self, system: str, other: str) -> tuple[int, int]:
        """The pair and the direction of one system against another."""
        one, two = (self.systems.index(name) for name in (system, other))
        first, second = self.pairs
        return int(np.flatnonzero((first == min(one, two)) & (second == max(one, two)))[0]), int(one > two)

    def lead(self, system: str, other: str) -> Floats:
        """[rank] the mean lead of one system over another in the first k ranks, divided by k."""
        one, two = (self.systems.index(name) for name in (system, other))
        lead = self.curves[one] - self.curves[two]
        lead[np.abs(lead) <= NOISE * self.curves.max(initial=0.0)] = 0.0
        return lead / np.arange(1, self.depth + 1)


@method(
    "Does a system beat another for every user?",
    cite="ferrante2015 moffat2013 berger1982 hall1992 holm1979",
    least_runs=2,
    examples=("irassay meta dominance qrels.txt runs/ --depth 100",),
)
def dominance(
    judged: JudgedRuns,
    *,
    gain: Annotated[Literal["linear", "exp", "binary"], "Gain of each grade."] = "linear",
    show: Annotated[
        tuple[str, ...], Option("A system that pictures must show; may be repeated.", metavar="SYSTEM")
    ] = (),
    alpha: Alpha = 0.05,
) -> Dominance:
    """Find systems that beat others for every user whose attention does not grow with rank, and test it.

    One system beats another for all these users if it has at least the other's mean gain in the first k ranks, at every
    k. For every gain map it must do so by the number of results of every grade or better. A lead is significant if it
    is at every rank (the largest p, with Holm's correction over directed pairs).
    """
    checked_alpha(alpha)
    lists = GradeCube.of(judged)
    systems, depth = lists.systems, lists.grade.shape[2]
    if len(systems) < 2:
        raise InputError(f"Dominance compares systems; found {count_phrase(len(systems), 'run')}, expected 2 or more.")
    show = tuple(named_system(name, "show", systems, ()) for name in show)
    top = lists.max_grade
    gained = gains(lists.grade, gain, top, judged.scoring.level)
    levels = gains(lists.grades, gain, top, judged.scoring.level)
    unit = common_unit(levels)
    first, second = np.triu_indices(len(systems), k=1)
    ideal = gains(lists.ideal, gain, top, judged.scoring.level)
    found = pair_curves(
        _cumulated_gains(np.rint(gained / unit)), alpha, levels.max(initial=unit) / unit, _mean_curve(ideal / unit)
    )
    by_grade = (
        pair_curves(_cumulated_gains(lists.grade >= grade), alpha, ideal=_mean_curve(lists.ideal >= grade))
        for grade in lists.grades
    )
    for_every_gain = [found, *by_grade]
    crossing = np.flatnonzero(~found.dominates.any(axis=1))
    step = gained.mean(axis=1)
    step = step[first[crossing]] - step[second[crossing]]
    p_star, T_star = np.full((2, len(first)), np.nan)
    p_star[crossing] = first_crossing(step, rbp_attention, persistence_grid(depth))
    T_star[crossing] = first_crossing(step, insq_attention, goal_grid(depth))
    return Dominance(
        systems=systems,
        named=tuple(show),
        topics=len(lists.topics),
        depth=depth,
        gain=gain,
        grades=lists.grades,
        alpha=alpha,
        curves=gained.mean(axis=1).cumsum(axis=1),
        dominates=found.dominates,
        every_gain=np.logical_and.reduce([each.dominates for each in for_every_gain]),
        every_convex=found.convex,
        worst_k=found.worst,
        worst_lead=found.worst_lead * unit,
        p_star=p_star,
        T_star=T_star,
        p=found.p,
        p_elsewhere=found.p_elsewhere,
        gain_p=np.maximum.reduce([each.p for each in for_every_gain]),
        rare_loss_p=found.rare_loss_p,
        gain_rare_loss_p=np.maximum.reduce([each.rare_loss_p for each in for_every_gain]),
        not_shown=tuple(map(_rank_ranges, found.shown)),
        covers=covered_metrics(judged, lists, levels),
        named_metrics=tuple(map(str, judged.parsed_metrics)),
        notes=lists.notes,
    )


def _cumulated_gains(gained: Floats | Bools) -> Ints:
    """[system, topic, rank] whole gains cumulated over ranks, in as few bits as possible, which is faster."""
    bits = np.min_scalar_type(-int(gained.sum(axis=2).max(initial=0)) - 1)
    return gained.cumsum(axis=2, dtype=bits)


def _mean_curve(gained: Floats | Bools) -> Floats:
    """[rank] gains [topic, rank] cumulated over ranks, the mean over topics."""
    return gained.mean(axis=0).cumsum()


def common_unit(levels: Floats) -> float:
    """The largest number of which all gains [grade] are multiples, or a very small one if there is none.

    >>> common_unit(np.array([0.5, 1.0])), common_unit(np.array([0.4, 1.0]))
    (0.5, 0.2)
    """
    positive = levels[levels > 0]
    if not len(positive):
        return 1.0
    for parts in range(1, MAX_PARTS):
        times = positive / (unit := float(positive.min()) / parts)
        if np.allclose(times, np.rint(times), rtol=0, atol=1e-9):
            return unit
    return float(positive.max()) * SMALL_UNIT


def _rank_ranges(shown: Bools) -> str:
    """The ranks [rank] that are not shown, as ranges.

    >>> _rank_ranges(np.array([False, False, True, False]))
    '1-2,4'
    """
    ranks = np.flatnonzero(~shown) + 1
    if not len(ranks):
        return ""
    parts = np.split(ranks, np.flatnonzero(np.diff(ranks) > 1) + 1)
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts)


def covered_metrics(judged: JudgedRuns, lists: GradeCube, levels: Floats) -> dict[str, str]:
    """What certifies a system for each of the named metrics, and for those of the catalogue that it covers."""
    static = [
        each
        for metric in catalogue().values()
        for each in (metric, metric @ min(10, lists.grade.shape[2]))
        if each.static
    ]
    metrics = {str(metric): metric for metric in (*judged.parsed_metrics, *static)}
    return {name: covered_by(metric, lists, levels, judged.judging.depth) for name, metric in metrics.items()}


def covered_by(metric: Metric, lists: GradeCube, levels: Floats, depth: int | None) -> str:
    """What certifies a system for this metric: 'dominates', 'every gain map', or 'no' if its users are others.

    A certificate is for the metric's gains if they are proportional to its own [grade]; others need every gain map.
    """
    if not metric.static:
        return "no"
    cut = depth is not None and lists.grade.shape[2] == depth
    if cut and (metric.reach is None or metric.reach > lists.grade.shape[2]):
        return COVERED_UP_TO
    if isinstance(metric.meaning.defaults.get("h"), tuple):  # gains by thresholds, one for each grade
        return "every gain map"
    view = metric.seen(Rankings.of([0.0], max_grade=lists.max_grade)).metric_view
    own = gains(lists.grades, view.gain, metric.params.get("max_grade") or lists.max_grade, view.rel, view.raw)
    scale = own.max(initial=0.0) / max(levels.max(initial=0.0), 1e-300)
    return "dominates" if np.allclose(own, scale * levels, rtol=1e-12, atol=0) else "every gain map"
