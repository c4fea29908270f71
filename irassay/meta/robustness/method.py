"""Robustness: whether metrics rank systems the same under other judgements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.agreement import signed_decisions
from irassay.meta.complete_scores import (
    best_first,
    checked_alpha,
    complete_scores,
    mean_of_known,
)
from irassay.meta.robustness.altered_judgements import Confusion, check_any_alteration
from irassay.meta.robustness.case_measures import case_measures
from irassay.meta.robustness.other_qrels import OtherQrels, qrels_source
from irassay.meta.shared_options import Alpha, Groups
from irassay.method import method
from irassay.parallel import map_blocks
from irassay.prose import count_phrase
from irassay.results import Result
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.settings import MAX_DRAWS, Option
from irassay.stats.jackknife import normal_critical
from irassay.stats.levels import alpha_of_level
from irassay.stats.paired_test import PairedTest

if TYPE_CHECKING:
    from irassay.meta.robustness.rejudged_scores import RejudgedScores


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Result):
    """How rankings, scores and significant differences change under each other set of judgements."""

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
    judged: Ints  # [case] documents judged; 0 if unknown
    tau: Floats  # [case, metric] tau-b of the two rankings of the systems; NaN where one is all tied
    tau_ap: Floats  # [case, metric] the same, but errors at the top cost more
    fall: Floats  # [case, metric] the largest number of ranks that a system loses; ties share their mean rank
    fallen: Ints  # [case, metric] that system
    fall_top: Floats  # [case, metric] the largest number of ranks that one of the first ten loses
    own_fall: Floats  # [case, metric] the same for the runs of the team that is left out; NaN in other cases
    bias: Floats  # [case, metric] mean over systems of the score minus that under the reference
    relative_bias: Floats  # [case, metric] as a share of the mean score under the reference; NaN where that is 0
    slope: Floats  # [case, metric] of the change of a system's score on its score under the reference
    SSA: Ints  # [case, metric] pairs significant under both judgements, the same system better
    SSD: Ints  # [case, metric] significant under both, the other system better
    SN: Ints  # [case, metric] significant under the reference only
    NS: Ints  # [case, metric] significant under the others only
    NN: Ints  # [case, metric]
    constant: Bools  # [metric] every system has the same mean under the reference
    tau_error: Floats = field(default_factory=lambda: np.empty(0))  # [case, metric] over topics, by the jackknife; NaN
    # for cases that are drawn, whose spread is that over repeats

    def cases(self) -> list[tuple[str, str]]:
        """The kinds and levels of alteration, in the order given."""
        return list(dict.fromkeys(zip(self.kind, self.level, strict=True)))

    def rows(self, kind: str, level: str) -> Ints:
        """The rows of the repeats of one alteration."""
        return np.array([i for i, case in enumerate(zip(self.kind, self.level, strict=True)) if case == (kind, level)])

    def mean(self, what: str, kind: str, level: str) -> Floats:
        """[metric] the mean over repeats of tau, tau_ap, bias, SSA, …; NaN where all are NaN."""
        return mean_of_known(getattr(self, what)[self.rows(kind, level)])

    def sd(self, what: str, kind: str, level: str) -> Floats:
        """[metric] the standard deviation over repeats; 0 for a single one."""
        values = getattr(self, what)[self.rows(kind, level)]
        return np.sqrt(mean_of_known((values - mean_of_known(values)) ** 2) * len(values) / max(1, len(values) - 1))

    def interval(self, level: float | None = None) -> tuple[Floats, Floats]:
        """[case, metric] the ends of the jackknife interval of tau over topics; NaN for cases that are drawn."""
        error = self.tau_error if self.tau_error.size else np.full_like(self.tau, np.nan)
        reach = normal_critical(alpha_of_level(level, self.alpha)) * error
        return np.maximum(self.tau - reach, -1.0), np.minimum(self.tau + reach, 1.0)

    def significance(self, outcome: str) -> Floats:
        """[case, metric] the share kept, lost or reversed of the pairs significant under the reference."""
        counts = {"kept": self.SSA, "lost": self.SN, "reversed": self.SSD}[outcome]
        with np.errstate(invalid="ignore"):
            return counts / (self.SSA + self.SN + self.SSD)

    def ranked(self, kind: str | None = None, level: str | None = None) -> list[tuple[str, float]]:
        """The metrics and their mean tau under one alteration (by default the first), most robust first, NaN last."""
        first = next(case for case in self.cases() if kind in (None, case[0]) and level in (None, case[1]))
        kind, level = kind or first[0], level or first[1]
        return best_first(self.metrics, self.mean("tau", kind, level))


def check_alterations(
    other: Any, thin: Any, pool_depth: Any, noise: Any, groups: Any, found_within: int | None
) -> None:
    """Refuses to alter judgements in no way, and a depth of finds without the teams that find."""
    if found_within is not None and groups is None:
        raise InputError(
            argument("found_within"), " needs the teams of the runs; give ", argument("groups"), ", or leave it out."
        )
    check_any_alteration(any(given is not None for given in (other, noise, groups)) or bool(thin or pool_depth))


@method(
    "Do metrics rank systems the same under other judgements?",
    cite="buckley2004 buttcher2007 yilmaz2008",
    draws=True,
    check=check_alterations,
    least_runs=2,
    scores_by="all",
    examples=("irassay meta robustness qrels.txt runs/ -m nDCG@10 -m AP --thin 0.3,0.7",),
)
def robustness(
    judged: JudgedRuns,
    *,
    other: Annotated[OtherQrels | Any | None, "Other judgements of the same topics, such as a model's."] = None,
    thin: Annotated[
        tuple[float, ...], Option("Shares of judged documents to keep: 0.1,0.3,…", low=0, high=1, open="low")
    ] = (),
    pool_depth: Annotated[tuple[int, ...], Option("Depths to cut the pool to: 5,10,…", low=1)] = (),
    noise: Annotated[
        Confusion | Mapping[float, Mapping[float, float]] | None, "Grade confusion table: from, to, probability."
    ] = None,
    groups: Groups = None,
    found_within: Annotated[
        int | None, Option("With --groups: depth within which a document counts as a team's find.", low=1)
    ] = None,
    repeats: Annotated[int, Option("Number of draws per share kept or noise setting.", low=1, high=MAX_DRAWS)] = 20,
    alpha: Alpha = 0.05,
    test: PairedTest = PairedTest("t"),
) -> Robustness:
    """Whether metrics rank systems the same under other, fewer or noisier judgements.

    Shares to keep and noise are drawn `repeats` times. With `groups` the unique finds of each team are left out in
    turn. The top of the scale stays that of the original judgements [buckley2004, buttcher2007].
    """
    from irassay.meta.robustness.rejudged_scores import rejudged_scores

    reference, cases = rejudged_scores(
        judged,
        other=qrels_source(other),
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
    """Robustness from scores under the reference judgements and under others.

    `others` come from `rejudged_scores`, or are plain Scores. Only systems, topics and metrics that all share are used.

    >>> one = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.9], [0.7, 0.8, 0.8]])[:, :, None]
    >>> two = Scores(one[[0, 2, 1]] / 2, ("A", "B", "C"), ("1", "2", "3"), ("AP",))
    >>> found = robustness_of_scores(Scores(one, ("A", "B", "C"), ("1", "2", "3"), ("AP",)), two)
    >>> found.tau.round(3), found.fall, found.systems[found.fallen[0, 0]]
    (array([[0.333]]), array([[1.]]), 'C')
    """
    checked_alpha(alpha)
    cases = _rejudged_cases(others)
    shared_names, notes = _shared_names(reference, [case.scores for case in cases])
    base = complete_scores(reference.select(**shared_names), "Robustness")
    tests, p = test.run(base.values, names=base.scores.systems)
    decisions = signed_decisions(tests.difference, p, alpha)
    sign = np.where(reference.select(metrics=shared_names["metrics"]).higher_is_better, 1.0, -1.0)
    each = map_blocks(case_measures, cases, (test, alpha, base, decisions, sign), doing="testing")
    measured: dict[str, Any] = {name: np.stack([case[name] for case in each]) for name in each[0]}
    tied = int(np.isnan(measured["tau"][:, ~base.constant]).any(axis=1).sum())
    if tied:
        notes.append(
            f"In {count_phrase(tied, 'case')} all systems tie under some metric, which has no ranking and no tau there."
        )
    return Robustness(
        metrics=base.scores.metrics,
        systems=base.scores.systems,
        topics=len(base.scores.topics),
        pairs=len(p),
        test=test.test,
        correction=test.correction,
        alpha=alpha,
        kind=tuple(case.kind for case in cases),
        level=tuple(case.level for case in cases),
        repeat=np.array([case.repeat for case in cases]),
        judged=np.array([case.judged for case in cases]),
        **measured,
        constant=base.constant,
        notes=(*base.notes, *notes),
    )


def _rejudged_cases(others: "Sequence[RejudgedScores] | Sequence[Scores] | Scores") -> "list[RejudgedScores]":
    from irassay.meta.robustness.rejudged_scores import RejudgedScores

    given: list[Any] = [others] if isinstance(others, Scores) else list(others)
    if not given:
        raise InputError("Robustness needs scores under other judgements; found none.")
    names = ["other"] if len(given) == 1 else [f"other {n}" for n in range(1, len(given) + 1)]
    return [
        RejudgedScores("other", name, 0, one, 0) if isinstance(one, Scores) else one
        for name, one in zip(names, given, strict=True)
    ]


def _shared_names(reference: Scores, others: Sequence[Scores]) -> tuple[dict[str, list[Any]], list[str]]:
    """The systems, topics and metrics that all share, topics without missing scores; and notes on what was left out."""
    chosen: dict[str, list[Any]] = {}
    notes = []
    for kind, attribute in (("systems", "systems"), ("metrics", "metrics"), ("topics", "keys")):
        names = getattr(reference, attribute)
        shared = set(names).intersection(*(getattr(other, attribute) for other in others))
        chosen[kind] = [name for name in names if name in shared]
        if not shared:
            raise InputError(f"The two sets of scores have no {kind} in common; check that they belong together.")
        if len(shared) < len(names):
            missing = len(names) - len(shared)
            notes.append(f"Left out: {missing} of {len(names)} {kind} that are not there under all judgements.")
    complete = set.intersection(*(set(scores.select(**chosen).complete().keys) for scores in (reference, *others)))
    if missing := len(chosen["topics"]) - len(complete):
        notes.append(f"Left out: {missing} of {len(chosen['topics'])} topics on which some system has no score.")
    chosen["topics"] = [key for key in chosen["topics"] if key in complete]
    return chosen, notes
