"""Did search get worse? The new run against the old one, with a tolerance, for continuous integration."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from irassay.arrays import TIE, Bools, Floats, Ints
from irassay.errors import InputError, argument
from irassay.meta.shared_options import SMALLEST_ALPHA
from irassay.meta.system_lookup import system_by_name
from irassay.method import method
from irassay.metrics.grammar import parse
from irassay.notes import Note
from irassay.prose import first_few
from irassay.results import Result
from irassay.score_names import quoted_name
from irassay.scores import Scores
from irassay.scoring.judged_runs import JudgedRuns
from irassay.scoring.runs_or_scores import RunsOrScores
from irassay.settings import DefaultMetrics, Option
from irassay.stats.corrections import holm
from irassay.stats.noninferiority import (
    loss_limit,
    student_limits,
    topics_to_pass,
    topics_to_see,
    unseen_share,
    worse_p,
)

Verdict = Literal["no worse", "worse", "undecided"]
FailOn = Literal["unproven", "worse"]
DEFAULT_METRICS = ("nDCG@10", "AP")


@dataclass(frozen=True, eq=False, repr=False)
class Check(Result):
    """Whether a new run is no worse than an old one, under each of several metrics."""

    saved_as: ClassVar[str] = "check"

    metrics: tuple[str, ...]
    new: str
    old: str
    topics: tuple[str, ...]
    values: Floats  # [new and old, metric, topic]
    higher_is_better: tuple[bool, ...]  # [metric]
    span: Floats  # [metric] the range of the metric, which no loss on a topic exceeds
    identical: bool  # the two rankings of every topic are the same
    tolerance: float
    alpha: float
    fail_on: FailOn

    @cached_property
    def change(self) -> Floats:
        """[metric, topic] new minus old, or old minus new for a cost: a loss is negative; ties are exactly 0."""
        sign = np.where(self.higher_is_better, 1.0, -1.0)[:, None]
        change = (self.values[0] - self.values[1]) * sign
        observed = np.ptp(self.values, axis=(0, 2))[:, None]
        return np.where(np.abs(change) <= TIE * observed, 0.0, change)

    @property
    def mean_change(self) -> Floats:
        """[metric] the mean change."""
        return np.asarray(self.change.mean(axis=1))

    @cached_property
    def limits(self) -> tuple[Floats, Floats]:
        """[metric], [metric] Student's lower and upper one-sided limit of the mean change at 1 - alpha."""
        return student_limits(self.change, self.alpha)

    @cached_property
    def loss_limit(self) -> Floats:
        """[metric] the lower limit of the mean change that allows for a few large losses."""
        return loss_limit(self.change, self.alpha)

    @cached_property
    def p_worse(self) -> Floats:
        """[metric] p that the mean is worse by more than the tolerance, corrected by Holm over metrics."""
        return holm(worse_p(self.change, self.tolerance))

    @property
    def changed(self) -> Ints:
        """[metric] the number of topics whose score changed."""
        return np.count_nonzero(self.change, axis=1)

    @property
    def unseen_share(self) -> float:
        """The share of topics that may be hit unseen: the rule of three."""
        return unseen_share(len(self.topics), self.alpha)

    @property
    def losses_could_matter(self) -> Bools:
        """[metric] losses that no topic shows could exceed the tolerance."""
        matter = self.unseen_share * self.span > self.tolerance
        return np.asarray(matter & (not self.identical), dtype=np.bool_)

    @property
    def may_hide_losses(self) -> Bools:
        """[metric] fewer than half of the topics changed, and losses that none shows could exceed the tolerance."""
        return self.losses_could_matter & (2 * self.changed < len(self.topics))

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """[metric] no worse, worse or undecided."""
        lower = np.minimum(self.limits[0], self.loss_limit)
        no_worse = ((lower > -self.tolerance) & ~self.may_hide_losses) | self.identical
        return tuple(
            "no worse" if passes else "worse" if p < self.alpha else "undecided"
            for passes, p in zip(no_worse, self.p_worse, strict=True)
        )

    @cached_property
    def topics_needed(self) -> Ints:
        """[metric] the topics with which a system of unchanged quality would pass in 80 % of cases; -1 if none."""
        needed = topics_to_pass(self.change, self.tolerance, self.alpha)
        for m in np.flatnonzero(self.may_hide_losses):
            needed[m] = -1 if needed[m] < 0 else max(needed[m], topics_to_see(self.span[m], self.tolerance, self.alpha))
        return needed

    @property
    def failing(self) -> tuple[str, ...]:
        """The metrics because of which the check fails."""
        fails = ("worse",) if self.fail_on == "worse" else ("worse", "undecided")
        return tuple(metric for metric, verdict in zip(self.metrics, self.verdicts, strict=True) if verdict in fails)

    @property
    def passed(self) -> bool:
        """Whether the check passes."""
        return not self.failing

    @property
    def status(self) -> int:
        """The exit status: 0 if the check passes, 1 if it fails."""
        return int(not self.passed)

    def lost_most(self, m: int) -> Ints:
        """The positions of the topics that lost by a metric, largest loss first."""
        order = np.argsort(self.change[m], kind="stable")
        return order[self.change[m][order] < 0]

    def ranked(self) -> list[tuple[str, float]]:
        """The metrics and their mean changes, largest first."""
        order = np.argsort(-self.mean_change, kind="stable")
        return [(self.metrics[m], float(self.mean_change[m])) for m in order]

    def to_junit(self) -> str:
        """A JUnit report with a test case for every metric."""
        return self._formatted("junit")


@method(
    "Did search get worse?",
    cite="student1908 berger1982 fay1997 hanley1983",
    path="check",
    two_runs="A check compares two runs, the new one and the old one",
    scores_by="all",
    examples=(
        "irassay check qrels.txt new.run old.run -m nDCG@10,AP --tolerance 0.01",
        "irassay check qrels.txt new.run old.run -m AP --fail-on worse --format markdown",
    ),
)
def check(
    evaluated: Annotated[RunsOrScores, DefaultMetrics(DEFAULT_METRICS)],
    *,
    tolerance: Annotated[float, Option("Loss of the mean that is acceptable, in the metric's unit.", low=0)] = 0.005,
    alpha: Annotated[
        float, Option("Chance of a false pass, and of a false 'worse'.", low=SMALLEST_ALPHA, high=1, open="high")
    ] = 0.05,
    fail_on: Annotated[
        FailOn, Option("Fail unless every metric is proven to be no worse, or only if one is worse.")
    ] = "unproven",
    new: Annotated[str | None, Option("The new run: its name, file or tag.", shown="the first")] = None,
    old: Annotated[str | None, Option("The old run: its name, file or tag.", shown="the second")] = None,
) -> Check:
    """Check that a new run is no worse than an old one by more than a tolerance.

    The exit status is 0 if so, and 1 if not.

    Give judgements, the new run, then the old one, or a score table. By each metric the new run is no worse, worse or
    undecided. It is no worse if the mean change over topics is above -tolerance with confidence 1 - alpha; it is worse
    if the change is below -tolerance, corrected by Holm over metrics. To pass, it must be no worse by every metric.

    The limits are Student's. Where few topics lose, and lose much, these are too optimistic; a limit for sums of a few
    losses must lie above -tolerance too. Where fewer than half of the topics changed, losses on 3/T of the topics could
    go unseen, so nothing is proven while 3/T times the range of the metric exceeds the tolerance. Where more changed, a
    pass assumes that no topic loses much more than those seen, and says so. Runs that rank the same documents in the
    same order pass.

    >>> cube = np.array([[0.5, 0.3, 0.4, 0.6], [0.2, 0.1, 0.1, 0.2]])[:, :, None]
    >>> check(Scores(cube, ("new", "old"), tuple("1234"), ("AP",)), tolerance=0.01).verdicts
    ('no worse',)
    """
    evaluated = evaluated.with_default_metrics(DEFAULT_METRICS)
    scores = evaluated.scores if evaluated.judged is None else evaluated.judged.scores()
    assert scores is not None
    if not scores.metrics:
        raise InputError("A check needs at least one metric; name one.")
    names = _pair(scores, new, old, evaluated.judged)
    complete = scores.select(systems=dict.fromkeys(names)).complete()
    if len(complete.topics) < 2:
        count = f"at least two topics that both runs have; found {len(complete.topics)}"
        raise InputError(f"A check needs {count}. Give runs and judgements that share more topics.")
    both = complete.select(systems=dict.fromkeys(names)).values
    values = np.ascontiguousarray(np.moveaxis(both if len(both) == 2 else both[[0, 0]], 2, 1))
    is_same = names[0] == names[1] or (evaluated.judged is not None and _rank_alike(evaluated.judged, names, values))
    return Check(
        complete.metrics,
        *names,
        tuple(quoted_name(key).strip("'") for key in complete.keys),
        values,
        complete.higher_is_better,
        _ranges(complete.metrics, values),
        is_same,
        tolerance,
        alpha,
        fail_on,
        notes=(*complete.notes, *_mean_notes(complete)),
    )


def _pair(scores: Scores, new: str | None, old: str | None, judged: JudgedRuns | None) -> tuple[str, str]:
    """The new and the old system; the same twice if one file is given as both."""
    systems = scores.systems
    first = None if new is None else system_by_name(scores, new, "new")
    second = None if old is None else system_by_name(scores, old, "old")
    if first is not None and second is not None:
        return first, second
    if len(systems) == 1 and judged is not None and isinstance(judged.runs, Sequence) and len(judged.runs) == 2:
        return systems[0], systems[0]
    if len(systems) != 2:
        named = (", or name two of them with ", argument("new"), " and ", argument("old"))
        found = f"found {len(systems)} ({first_few(systems)})"
        fix = (". Give two", *(named if len(systems) > 2 else ()), ".")
        raise InputError(f"{check.traits.two_runs}; {found}", *fix, argument="inputs")
    if first is None and second is None:
        return systems[0], systems[1]
    other = next(name for name in systems if name != (first or second))
    return (first, other) if first is not None else (other, second or "")


def _rank_alike(judged: JudgedRuns, names: tuple[str, str], values: Floats) -> bool:
    """Whether two runs rank the same documents in the same order; read again only if their scores are the same."""
    if not np.array_equal(values[0], values[1]):
        return False
    from irassay.judging.runs import judged_runs

    runs = judged_runs(judged.runs, judged.qrels, judged.judging)
    lists = [runs.judged_run(run) for run in runs.runs if run.name in names]
    one, two = (each.keys() for each in lists)
    return len(one) == len(two) and all(map(np.array_equal, one, two))


def _ranges(metrics: Sequence[str], values: Floats) -> Floats:
    """[metric] the range of each metric; that of its scores if it has no limits, at least 1 if they are in [0, 1]."""
    spans = []
    for m, name in enumerate(metrics):
        try:
            low, high = parse(name).range
        except InputError:
            low, high = (0.0, 1.0) if values[:, m].min() >= 0 and values[:, m].max() <= 1 else (0.0, np.inf)
        spans.append(high - low if np.isfinite(high - low) else float(np.ptp(values[:, m])))
    return np.array(spans)


def _mean_notes(scores: Scores) -> list[Note]:
    """Notes on metrics that are not means over topics, and on costs."""
    other = [metric for metric, over in zip(scores.metrics, scores.over_topics, strict=True) if over != "mean"]
    costs = [metric for metric, up in zip(scores.metrics, scores.higher_is_better, strict=True) if not up]
    notes = [Note("the mean over topics is checked for {metrics}", metrics=other)] if other else []
    text = "lower is better for {metrics}; the change is old minus new, so that a loss is negative"
    return [*notes, *([Note(text, metrics=costs, caveat=True)] if costs else [])]
