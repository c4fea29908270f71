"""Intuitiveness: when two metrics disagree, which one sides with the simple metrics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Counts, Floats, Ints
from irassay.errors import InputError
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.pair_verdicts import (
    MetricSelection,
    PairwiseResult,
    case_counts,
    check_simple_metrics,
    metric_selection,
    simple_and_tested,
    verdict_blocks,
)
from irassay.meta.shared_options import Seed, SimpleNames, SimpleSets, TestedNames, Trials
from irassay.meta.wins_by_round import standings_by_round
from irassay.method import method
from irassay.notes import Note
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.clusters import binomial_sign, sign_flip, t_tail, two_way_error

TESTS = ("topics", "runs", "binomial", "none")


@dataclass(frozen=True, eq=False, repr=False)
class Intuitiveness(PairwiseResult):
    """How often each metric sides with the simple metrics when it disagrees with another metric.

    The last two axes of arrays are the metric and the one it disagrees with.
    """

    saved_as: ClassVar[str] = "intuitiveness"

    cases: Ints  # [collection, set, metric, other] pairs of systems on a topic for which all scores are known
    disagreements: Ints  # [collection, set, metric, other]
    correct: Ints  # [collection, set, metric, other] disagreements in which all simple metrics side with the metric
    binomial: Floats  # [collection, set, metric, other] p of the sign test over cases, as published
    by_topic: Floats  # [collection, set, metric, other] p of the sign-flip test, by topic
    by_run: Floats  # [collection, set, metric, other] p of the jackknife over systems and topics
    error: Floats  # [collection, set, metric, other] its standard error, of the difference of the two shares
    ties: str
    trials: int
    seed: int

    def shares(self) -> Floats:
        """[collection, set, metric, other] correct / disagreements; NaN if the two never disagree."""
        return self.correct / np.where(self.disagreements, self.disagreements, np.nan)

    def disagreement_rate(self) -> Floats:
        """[collection, set, metric, other] the share of cases in which the two disagree."""
        return self.disagreements / np.where(self.cases, self.cases, np.nan)

    def dropped(self) -> Ints:
        """[collection, set, metric, other] cases left out because a score is missing."""
        systems, topics = np.array(self.systems), np.array(self.topics)
        return (systems * (systems - 1) // 2 * topics)[:, None, None, None] - self.cases

    def p(self, test: str = "topics") -> Floats:
        """[collection, set, metric, other] the p-values of one of the tests; 0 for 'none'."""
        if test not in TESTS:
            raise InputError(argument="test", value=test, expected=f"one of {', '.join(TESTS)}")
        tests = {"topics": self.by_topic, "runs": self.by_run, "binomial": self.binomial}
        return tests.get(test, np.zeros_like(self.binomial))

    def beats(self, test: str = "topics", alpha: float = 0.05) -> Bools:
        """[collection, set, metric, other] whether the metric is correct significantly more often than the other."""
        return (self.p(test) < checked_alpha(alpha)) & (self.correct > self.correct.swapaxes(2, 3))

    def survivors(self, test: str = "topics", alpha: float = 0.05) -> tuple[int, int]:
        """How many verdicts of the published sign test also hold under another test, and how many there are."""
        published = self.beats("binomial", alpha)
        return int((published & self.beats(test, alpha)).sum()), int(published.sum())


def check_intuitiveness(simple: Sequence[str], tested: Sequence[str], expected: Scores | None = None) -> None:
    """Refuses to compare with no simple metric, and fewer than two others."""
    check_simple_metrics(simple)
    if expected is not None:
        simple_and_tested(expected, simple, tested, least=2)


@method(
    "When two metrics disagree, which one sides with the simple ones?",
    cite="albahem2019 sakai2012 fisher1935 owen2007",
    affine=True,
    compares_metrics=True,
    by_iteration=standings_by_round,
    check=check_intuitiveness,
    least_runs=2,
    examples=("irassay meta intuitiveness qrels.txt runs/ -m nDCG@10 -m AP --simple P@10 --simple RR",),
)
def intuitiveness(
    scores: Scores,
    *,
    simple: SimpleNames = (),
    tested: TestedNames = (),
    simple_sets: SimpleSets = "together",
    ties: Annotated[
        Literal["strict", "lenient"],
        Option("Whether a tie in a simple metric counts as agreement.", flag="--simple-ties", key="simple_ties"),
    ] = "strict",
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Intuitiveness:
    """Count how often a metric sides with the simple ones when it disagrees with another (albahem2019, Algorithm 1).

    `simple_sets` is 'together', 'each', 'all' for every combination, or a list of sets. With strict ties, all simple
    metrics must prefer the same system. With lenient ties [sakai2012], a simple metric that ties agrees with both
    sides, and the tests leave out disagreements in which both sides are correct.

    >>> values = np.array([[3.0, 1, 1], [2.0, 2, 2], [1.0, 3, 3]])[:, None, :]
    >>> found = intuitiveness(Scores(values, ("A", "B", "C"), ("1",), ("m", "n", "q")), simple=("q",))
    >>> found.shares()[0, 0].tolist()
    [[nan, 0.0], [1.0, nan]]
    """
    selection = metric_selection(scores, simple, tested, simple_sets, least=2)
    parts = [_collection_arrays(selection, part, ties, trials, seed) for part in selection.parts.values()]
    notes = (*scores.notes, *selection.missing_score_notes(), *_constant_simple_notes(selection))
    return Intuitiveness(**selection.result(parts), ties=ties, trials=trials, seed=seed, notes=notes)


def _collection_arrays(selection: MetricSelection, part: Scores, ties: str, trials: int, seed: int) -> dict[str, Any]:
    """[set, metric, other] each array of the result, for one collection."""
    has_score = (~np.isnan(part.values)).transpose(1, 0, 2)  # [topic, system, metric]
    metrics = len(selection.metrics)
    pair = np.triu_indices(metrics, k=1)
    by_set: list[dict[str, Floats]] = []
    leads = []
    for chosen in selection.simple:
        has_all = has_score[:, :, :metrics] & has_score[:, :, chosen].all(axis=2, keepdims=True)
        correct, shared, disagreements = _counts(part, metrics, chosen, ties)
        by_topic = correct.sum(axis=1, dtype=np.float64) / 2  # every case is counted for both of its systems
        leads.append((by_topic - by_topic.swapaxes(1, 2))[:, *pair].T)  # [pair, topic]
        by_set.append({"cases": case_counts(has_all)} | _tests(correct, shared, disagreements, pair))
    p = sign_flip(np.concatenate(leads), trials, seed).reshape(len(leads), -1)  # [set, pair]
    stacked: dict[str, Any] = {name: np.stack([arrays[name] for arrays in by_set]) for name in by_set[0]}
    stacked |= {name: stacked[name].astype(np.int64) for name in ("cases", "disagreements", "correct")}
    return stacked | {"by_topic": np.stack([_square(row, pair, metrics, 1.0) for row in p])}


def _counts(part: Scores, metrics: int, chosen: Sequence[int], ties: str) -> tuple[Counts, Counts, Counts]:
    """[topic, system, metric, other] correct, those of them in which the other is correct too, disagreements."""
    shape = (len(part.topics), len(part.systems), metrics, metrics)
    correct, shared, disagreements = (np.zeros(shape, dtype=np.float32) for _ in range(3))
    for block, verdicts in verdict_blocks(part):
        simple_better, simple_worse = verdicts.better[:, :, chosen], verdicts.worse[:, :, chosen]
        known = verdicts.known[:, :, chosen].all(axis=2, keepdims=True)
        if ties == "lenient":
            up, down = (known & ~side.any(axis=2, keepdims=True) for side in (simple_worse, simple_better))
        else:
            up, down = (side.all(axis=2, keepdims=True) for side in (simple_better, simple_worse))
        better, worse = (side[:, :, :metrics] & known for side in (verdicts.better, verdicts.worse))
        other_worse, other_better = _as_floats(worse).swapaxes(2, 3), _as_floats(better).swapaxes(2, 3)
        opposed = _as_floats(better) @ other_worse
        disagreements[block] = opposed + opposed.swapaxes(2, 3)
        correct[block] = _as_floats(better & up) @ other_worse + _as_floats(worse & down) @ other_better
        if ties == "lenient":
            both = _as_floats(better & up & down) @ other_worse
            shared[block] = both + both.swapaxes(2, 3)
    return correct, shared, disagreements


def _as_floats(mask: Bools) -> Counts:
    """The mask as 0 and 1, for matrix products by BLAS."""
    return mask.astype(np.float32)


def _tests(correct: Counts, shared: Counts, disagreements: Counts, pair: tuple[Ints, Ints]) -> dict[str, Floats]:
    """[metric, other] disagreements, correct, p of the sign test and of the jackknife, and the jackknife's error."""
    topics, systems, metrics = correct.shape[:3]
    total, both, opposed = (array.sum(axis=(0, 1), dtype=np.float64) / 2 for array in (correct, shared, disagreements))
    alone = total - both
    binomial = binomial_sign(np.maximum(alone, alone.T), alone + alone.T)
    mine, others = correct[:, :, *pair], correct[:, :, *pair[::-1]]
    error = _square(two_way_error((mine, others, disagreements[:, :, *pair]), _difference), pair, metrics, np.nan)
    by_run = t_tail(_difference(total, total.T, opposed), error, min(systems, topics) - 1)
    return {"disagreements": opposed, "correct": total, "binomial": binomial, "by_run": by_run, "error": error}


def _difference(mine: Floats, others: Floats, disagreements: Floats) -> Floats:
    """The share of one metric minus that of the other; 0 if they never disagree."""
    return (mine - others) / np.maximum(disagreements, 1)


def _square(values: Floats, pair: tuple[Ints, Ints], metrics: int, diagonal: float) -> Floats:
    """[metric, other] from [pair], the same for both orders."""
    matrix = np.full((metrics, metrics), diagonal)
    matrix[pair] = matrix[pair[::-1]] = values
    return matrix


def _constant_simple_notes(selection: MetricSelection) -> list[Note]:
    """A note on constant simple metrics, because no set with one of them ever prefers a system."""
    simple, parts = dict.fromkeys(name for names in selection.sets for name in names), selection.parts.values()
    constant = [name for name in simple if all(not part.noise()[part.metrics.index(name)] for part in parts)]
    note = "{metrics} is constant, so no set of simple metrics that contains it ever prefers a system."
    return [Note(note, metrics=constant)] if constant else []
