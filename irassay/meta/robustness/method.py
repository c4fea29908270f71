"""Robustness: whether a metric says the same of the systems when the judgements are others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError
from irassay.meta.agreement import outcome_counts, signed_decisions
from irassay.meta.complete_scores import ROUNDING_SHARE, CompleteScores, best_first, complete_scores, checked_alpha, mean_of_known
from irassay.meta.robustness.other_qrels import OtherQrels
from irassay.meta.robustness.perturb import Confusion
from irassay.meta.shared_options import Alpha, Groups, alpha_of_level
from irassay.method import method
from irassay.parallel import map_blocks
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.compare_correlations import midranks
from irassay.stats.correlation import tau_ap
from irassay.stats.jackknife import halved_means, jackknife_error, normal_critical
from irassay.stats.paired_test import PairedTest
from irassay.stats.rank_codes import RankCodes, rank_codes, taus

if TYPE_CHECKING:
    from irassay.meta.robustness.rejudge import RejudgedScores

TOP_SYSTEMS = 10  # systems whose fall is looked at apart


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """What becomes of rankings, scores and significant differences under each other set of judgements."""

    saved_as: ClassVar[str] = "robustness"

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: int
    pairs: int
    test: str
    correction: str
    alpha: float
    kind: tuple[str, ...]  # [case] other, thin, pool, noise, team
    level: tuple[str, ...]  # [case] the share kept, the depth, the team
    repeat: Ints  # [case]
    judged: Ints  # [case] documents judged; 0 where that is not known
    tau: Floats  # [case, metric] tau-b of the two rankings of the systems; NaN where one is all tied
    tau_ap: Floats  # [case, metric] the same with errors at the top costing more
    fall: Floats  # [case, metric] most places that a system loses, ties sharing their mean place
    fallen: Ints  # [case, metric] that system
    fall_top: Floats  # [case, metric] most places that one of the first ten loses
    own_fall: Floats  # [case, metric] most places that a run of the team that was left out loses; NaN elsewhere
    bias: Floats  # [case, metric] mean over systems of the score less that under the reference
    relative_bias: Floats  # [case, metric] as a share of the mean score under the reference; NaN where that is 0
    slope: Floats  # [case, metric] by how much a score changes more for a system that is better by 1
    SSA: Ints  # [case, metric] pairs significant under both judgements, the same system better
    SSD: Ints  # [case, metric] significant under both, the other system better
    SN: Ints  # [case, metric] significant under the reference only
    NS: Ints  # [case, metric] significant under the others only
    NN: Ints  # [case, metric]
    constant: Bools  # [metric] every system has the same mean under the reference
    tau_error: Floats = field(default_factory=lambda: np.empty(0))  # [case, metric] over topics, by the jackknife; NaN
    # where a case is drawn, whose spread is that of its repeats

    def cases(self) -> list[tuple[str, str]]:
        """What was altered and how much, repeats together, in the order given."""
        return list(dict.fromkeys(zip(self.kind, self.level, strict=True)))

    def rows(self, kind: str, level: str) -> Ints:
        """The numbers of the repeats of one alteration."""
        return np.array([i for i, case in enumerate(zip(self.kind, self.level, strict=True)) if case == (kind, level)])

    def mean(self, what: str, kind: str, level: str) -> Floats:
        """[metric] the mean over repeats of tau, tau_ap, bias, SSA, …; NaN where there is no number in any."""
        return mean_of_known(getattr(self, what)[self.rows(kind, level)])

    def sd(self, what: str, kind: str, level: str) -> Floats:
        """[metric] the standard deviation over repeats; 0 for a single one."""
        found = getattr(self, what)[self.rows(kind, level)]
        return np.sqrt(mean_of_known((found - mean_of_known(found)) ** 2) * len(found) / max(1, len(found) - 1))

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[case, metric] the ends of the jackknife interval of tau over topics; NaN where cases are drawn."""
        error = self.tau_error if self.tau_error.size else np.full_like(self.tau, np.nan)
        reach = normal_critical(alpha_of_level(level, self.alpha)) * error
        return np.maximum(self.tau - reach, -1.0), np.minimum(self.tau + reach, 1.0)

    def significance(self, outcome: str) -> Floats:
        """[case, metric] one of kept, lost and reversed, as shares of the pairs significant under the reference."""
        counts = {"kept": self.SSA, "lost": self.SN, "reversed": self.SSD}[outcome]
        with np.errstate(invalid="ignore"):
            return counts / (self.SSA + self.SN + self.SSD)

    def ranked(self, kind: str | None = None, level: str | None = None) -> list[tuple[str, float]]:
        """The metrics and their mean tau under one alteration, or the first; most robust first, without any last."""
        first = next(case for case in self.cases() if kind in (None, case[0]) and level in (None, case[1]))
        kind, level = kind or first[0], level or first[1]
        return best_first(self.metrics, self.mean("tau", kind, level))


@method(
    "Do metrics rank the same systems alike under other judgements?",
    cite="buckley2004 buttcher2007 yilmaz2008",
    examples=("irassay meta robustness qrels.txt runs/ -m nDCG@10 -m AP --thin 0.3,0.7",),
)
def robustness(
    judged: JudgedRuns,
    *,
    other: Annotated[OtherQrels | Any | None, "Other judgements of the same topics, such as an LLM's."] = None,
    thin: Annotated[tuple[float, ...], "Shares of judged documents to keep: 0.1,0.3,…"] = (),
    pool_depth: Annotated[tuple[int, ...], "Depths to cut the pool to: 5,10,…"] = (),
    noise: Annotated[
        Confusion | Mapping[float, Mapping[float, float]] | None,
        "How grades are mistaken: a table from to probability.",
    ] = None,
    groups: Groups = None,
    found_within: Annotated[int | None, Option("With groups: a team found what it has among so many results.")] = None,
    repeats: Annotated[int, Option("Draws of each thinning or noise.", low=1, high=MAX_DRAWS)] = 20,
    alpha: Alpha = 0.05,
    test: PairedTest = PairedTest("t"),
) -> Robustness:
    """Whether metrics rank the same systems alike under other, fewer or noisier judgements.

    Shares to keep and noise are drawn `repeats` times. With `groups` every team's unique finds are left out in turn.
    The top of the scale stays that of the first judgements [buckley2004, buttcher2007].
    """
    from irassay.meta.robustness.rejudge import rejudged_scores

    if found_within is not None and groups is None:
        raise InputError(
            "What a team found is asked for with groups; give the team of each run, or leave found_within out."
        )
    reference, cases = rejudged_scores(
        judged,
        other=other.source if isinstance(other, OtherQrels) else other,
        thin=thin,
        pool_depth=pool_depth,
        noise=noise,  # type: ignore[arg-type]
        groups=groups,
        found_within=found_within,
        repeats=repeats,
        seed=test.seed,
    )
    return robustness_of_scores(reference, cases, test, alpha)


def robustness_of_scores(
    reference: Scores,
    others: "Sequence[RejudgedScores] | Sequence[Scores] | Scores",
    test: PairedTest = PairedTest("t"),
    alpha: float = 0.05,
) -> Robustness:
    """The scores under the reference judgements compared with those of the same systems under others.

    `others` come from `rejudge.rejudged`, or are plain Scores. Systems, topics and metrics are those that all have.

    >>> one = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.9], [0.7, 0.8, 0.8]])[:, :, None]
    >>> two = Scores(one[[0, 2, 1]] / 2, ("A", "B", "C"), ("1", "2", "3"), ("AP",))
    >>> found = robustness_of_scores(Scores(one, ("A", "B", "C"), ("1", "2", "3"), ("AP",)), two)
    >>> found.tau.round(3), found.fall, found.systems[found.fallen[0, 0]]
    (array([[0.333]]), array([[1.]]), 'C')
    """
    checked_alpha(alpha)
    given = _cases(others)
    chosen, notes = _shared(reference, [case.scores for case in given])
    base = complete_scores(_part(reference, chosen), "Robustness")
    found, p = test.run(base.values, names=base.scores.systems)
    decisions = signed_decisions(found.difference, p, alpha)
    codes_before = rank_codes(base.means.T, base.noise)  # [metric, system]
    sign = np.where(reference.select(metrics=chosen["metrics"]).higher_is_better, 1.0, -1.0)
    before = _Before(test, alpha, chosen, base, decisions, codes_before, sign)
    each = map_blocks(_case_measures, given, before, doing="testing")
    measured: dict[str, Any] = {name: np.stack([case[name] for case in each]) for name in each[0]}
    flat = np.isnan(measured["tau"][:, ~base.constant])
    if flat.any():
        notes.append(
            f"In {count_phrase(int(flat.sum()), 'case')} all systems tie under a metric: it has no ranking and no tau there."
        )
    return Robustness(
        metrics=base.scores.metrics,
        systems=base.scores.systems,
        topics=len(base.scores.topics),
        pairs=len(p),
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        kind=tuple(case.kind for case in given),
        level=tuple(case.level for case in given),
        repeat=np.array([case.repeat for case in given]),
        judged=np.array([case.judged for case in given]),
        **measured,
        constant=base.constant,
        notes=(*base.notes, *notes),
    )


@dataclass(frozen=True, eq=False)
class _Before:
    """What each case is compared with: the test, and the results under the reference judgements."""

    test: PairedTest
    alpha: float
    chosen: dict[str, list[Any]]  # the systems, topics and metrics that all cases have
    base: CompleteScores
    decisions: Any  # as `decided` returns them
    codes: RankCodes  # [metric, system] the rank codes
    sign: Floats  # [metric] -1 where lower is better


def _case_measures(case: "RejudgedScores", before: _Before) -> dict[str, Any]:
    """The measures of one case, each [metric]."""
    base, test, sign = before.base, before.test, before.sign
    made = complete_scores(_part(case.scores, before.chosen), "Robustness")
    tests, p_now = test.run(made.values, names=made.scores.systems)
    counts = outcome_counts(before.decisions, signed_decisions(tests.difference, p_now, before.alpha))  # [metric, metric]
    return {
        "tau_error": _tau_error(base, made, test.seed) if case.kind == "other" else np.full(len(before.codes), np.nan),
        **_rankings(before.codes, made, [base.scores.systems.index(name) for name in case.own]),
        **_levels(base.means * sign, made.means * sign),
        **{name: count.diagonal() for name, count in counts.items()},
    }


def _cases(others: "Sequence[RejudgedScores] | Sequence[Scores] | Scores") -> "list[RejudgedScores]":
    from irassay.meta.robustness.rejudge import RejudgedScores

    listed: list[Any] = [others] if isinstance(others, Scores) else list(others)
    if not listed:
        raise InputError("Robustness needs scores under other judgements to compare with; found none.")
    names = ["other"] if len(listed) == 1 else [f"other {n}" for n in range(1, len(listed) + 1)]
    return [
        RejudgedScores("other", name, 0, one, 0) if isinstance(one, Scores) else one
        for name, one in zip(names, listed, strict=True)
    ]


def _shared(reference: Scores, others: Sequence[Scores]) -> tuple[dict[str, list[Any]], list[str]]:
    """The systems, topics and metrics that all have, topics without holes; sentences on what was left out."""
    chosen: dict[str, list[Any]] = {}
    notes = []
    for kind, attribute in (("systems", "systems"), ("metrics", "metrics"), ("topics", "keys")):
        names = getattr(reference, attribute)
        known = set(names).intersection(*(getattr(other, attribute) for other in others))
        chosen[kind] = [name for name in names if name in known]
        if not known:
            raise InputError(f"The two sets of scores have no {kind} in common; check that they belong together.")
        if len(known) < len(names):
            notes.append(f"Left out: {len(names) - len(known)} of {len(names)} {kind}, not there under all judgements.")
    whole = set(_part(reference, chosen).complete().keys)
    for other in others:
        whole &= set(_part(other, chosen).complete().keys)
    if len(whole) < len(chosen["topics"]):
        lost = len(chosen["topics"]) - len(whole)
        notes.append(f"Left out: {lost} of {len(chosen['topics'])} topics, on which some system has no score.")
    chosen["topics"] = [key for key in chosen["topics"] if key in whole]
    return chosen, notes


def _part(scores: Scores, chosen: dict[str, list[Any]]) -> Scores:
    return scores.select(chosen["systems"], chosen["topics"], chosen["metrics"])


def _rankings(before: RankCodes, made: CompleteScores, own: list[int]) -> dict[str, Any]:
    """How the ranking of the systems changed."""
    now = rank_codes(made.means.T, made.noise)
    ranks = [midranks(-each) for each in (before, now)]  # [metric, system] 1 is best
    fall = ranks[1] - ranks[0]
    top = np.where(ranks[0] <= TOP_SYSTEMS, fall, -np.inf).max(axis=1)
    known = (np.ptp(before, axis=1) > 0) & (np.ptp(now, axis=1) > 0)
    close = np.full(len(now), np.nan)
    if known.any():
        close[known] = tau_ap(before[known].astype(np.float64), now[known].astype(np.float64), ties="b")
    return {
        "tau": taus(before, now),
        "tau_ap": close,
        "fall": fall.max(axis=1),
        "fallen": fall.argmax(axis=1),
        "fall_top": np.where(np.isinf(top), np.nan, top),
        "own_fall": fall[:, own].max(axis=1) if own else np.full(len(now), np.nan),
    }


def _tau_error(base: CompleteScores, made: CompleteScores, seed: int) -> Floats:
    """[metric] the standard error of tau over topics, by the delete-d jackknife [shao1989]."""
    systems, topics, metrics = base.values.shape
    fewer = halved_means(seed, base.values, made.values)
    codes = [
        rank_codes(means.reshape(-1, systems), np.tile(each.noise, len(means)))
        for means, each in zip(fewer, (base, made), strict=True)
    ]
    return jackknife_error(taus(*codes).reshape(-1, metrics), topics, topics // 2)


def _levels(before: Floats, now: Floats) -> dict[str, Any]:
    """How the mean scores [system, metric] changed: on average, and with the system's score."""
    change = now - before
    scale = np.maximum(np.abs(before).max(axis=0), np.abs(now).max(axis=0))
    change = np.where(np.abs(change) <= ROUNDING_SHARE * scale, 0.0, change)  # the same sum taken in another order
    bias, mean = change.mean(axis=0), before.mean(axis=0)
    bias = np.where(np.abs(bias) <= ROUNDING_SHARE * scale, 0.0, bias)
    centred = before - mean
    spread = (centred**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "bias": bias,
            "relative_bias": np.where(mean == 0, np.nan, bias / mean),
            "slope": np.where(spread == 0, np.nan, (centred * change).sum(axis=0) / spread),
        }
