"""Intuitiveness: where two metrics disagree, which of them sides with the simple ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from irassay.arrays import Bools, Counts, Floats, Ints
from irassay.errors import InputError
from irassay.meta.complete_scores import checked_alpha
from irassay.meta.pair_verdicts import PairwiseResult, TestedMetrics, case_counts, tested_metrics, verdict_blocks
from irassay.meta.shared_options import Seed, SimpleNames, SimpleSets, TestedNames, Trials
from irassay.meta.wins_by_round import standings_by_round
from irassay.method import method
from irassay.notes import Note
from irassay.scores import Scores
from irassay.settings import Option
from irassay.stats.clustered import binomial_sign, sign_flip, t_tail, two_way_error

TESTS = ("topics", "runs", "binomial", "none")


@dataclass(frozen=True, eq=False, repr=False)
class Intuitiveness(PairwiseResult):
    """How often each metric sided with the simple ones where it disagreed with another.

    The last two axes are the metric in question and the one it disagrees with.
    """

    saved_as: ClassVar[str] = "intuitiveness"

    cases: Ints  # [collection, set, metric, other] pairs of systems on a topic, both with all scores
    disagreements: Ints  # [collection, set, metric, other]
    correct: Ints  # [collection, set, metric, other] disagreements in which all simple metrics agree with the metric
    binomial: Floats  # [collection, set, metric, other] p of the sign test over cases, as published
    by_topic: Floats  # [collection, set, metric, other] p when topics may change sides, cases of a topic together
    by_run: Floats  # [collection, set, metric, other] p of the jackknife over systems and topics
    error: Floats  # [collection, set, metric, other] its standard error, of the difference of the two shares
    ties: str
    trials: int
    seed: int

    def shares(self) -> Floats:
        """[collection, set, metric, other] correct / disagreements; NaN where there is no disagreement."""
        with np.errstate(invalid="ignore"):
            return self.correct / np.where(self.disagreements, self.disagreements, np.nan)

    def disagreement_rate(self) -> Floats:
        """[collection, set, metric, other] the share of cases in which the two disagree."""
        with np.errstate(invalid="ignore"):
            return self.disagreements / np.where(self.cases, self.cases, np.nan)

    def dropped(self) -> Ints:
        """[collection, set, metric, other] cases left out because a score is missing."""
        systems, topics = np.array(self.systems), np.array(self.topics)
        return (systems * (systems - 1) // 2 * topics)[:, None, None, None] - self.cases

    def p(self, test: str = "topics") -> Floats:
        """[collection, set, metric, other] of one of the tests; 0 for 'none', which asks for no significance."""
        if test not in TESTS:
            raise InputError(f"The tests of intuitiveness are {', '.join(TESTS)}; found '{test}'.")
        tests = {"topics": self.by_topic, "runs": self.by_run, "binomial": self.binomial}
        return tests.get(test, np.zeros_like(self.binomial))

    def beats(self, test: str = "topics", alpha: float = 0.05) -> Bools:
        """[collection, set, metric, other] the metric is more often right than the other, and significantly so."""
        return (self.p(test) < checked_alpha(alpha)) & (self.correct > self.correct.swapaxes(2, 3))

    def survivors(self, test: str = "topics", alpha: float = 0.05) -> tuple[int, int]:
        """How many verdicts of the published sign test stand under another test, and of how many."""
        published = self.beats("binomial", alpha)
        return int((published & self.beats(test, alpha)).sum()), int(published.sum())


@method(
    "When two metrics disagree, which one sides with the simple ones?",
    cite="albahem2019 sakai2012 fisher1935 owen2007",
    affine=True,
    compares_metrics=True,
    by_iteration=standings_by_round,
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
        Option("Whether a tie of a simple metric agrees.", flag="--simple-ties", key="simple_ties"),
    ] = "strict",
    trials: Trials = 10_000,
    seed: Seed = 0,
) -> Intuitiveness:
    """When two metrics disagree, which one sides with the simple ones (albahem2019, Algorithm 1).

    `simple_sets` is 'together', 'each', 'all' for every combination, or a list of sets. With strict ties all
    simple metrics must prefer the same system; with lenient ones [sakai2012] a simple metric that ties agrees
    with both sides, and the tests leave out what both sides win.

    >>> values = np.array([[3.0, 1, 1], [2.0, 2, 2], [1.0, 3, 3]])[:, None, :]
    >>> found = intuitiveness(Scores(values, ("A", "B", "C"), ("1",), ("m", "n", "q")), simple=("q",))
    >>> found.shares()[0, 0].tolist()
    [[nan, 0.0], [1.0, nan]]
    """
    asked = tested_metrics(scores, simple, tested, simple_sets, least=2)
    found = [_collection(asked, part, ties, trials, seed) for part in asked.parts.values()]
    notes = (*scores.notes, *asked.missing(), *_mute(asked))
    return Intuitiveness(**asked.result(found), ties=ties, trials=trials, seed=seed, notes=notes)


def _collection(asked: TestedMetrics, part: Scores, ties: str, trials: int, seed: int) -> dict[str, Any]:
    """[set, metric, other] each array of the result, for one collection."""
    known = (~np.isnan(part.values)).transpose(1, 0, 2)  # [topic, system, metric]
    metrics = len(asked.metrics)
    pair = np.triu_indices(metrics, k=1)
    found: list[dict[str, Floats]] = []
    leads = []
    for chosen in asked.simple:
        have = known[:, :, :metrics] & known[:, :, chosen].all(axis=2, keepdims=True)
        correct, shared, disagreements = _counts(part, metrics, chosen, ties)
        of_topic = correct.sum(axis=1, dtype=np.float64) / 2  # every case was counted for both of its systems
        leads.append((of_topic - of_topic.swapaxes(1, 2))[:, *pair].T)  # [pair, topic]
        found.append({"cases": case_counts(have, have)} | _tests(correct, shared, disagreements, pair))
    p = sign_flip(np.concatenate(leads), trials, seed).reshape(len(leads), -1)  # [set, pair]
    arrays: dict[str, Any] = {name: np.stack([one[name] for one in found]) for name in found[0]}
    arrays |= {name: arrays[name].astype(np.int64) for name in ("cases", "disagreements", "correct")}
    return arrays | {"by_topic": np.stack([_square(row, pair, metrics, 1.0) for row in p])}


def _counts(part: Scores, metrics: int, chosen: Sequence[int], ties: str) -> tuple[Counts, Counts, Counts]:
    """[topic, system, metric, other] correct, those of them in which the other is correct too, disagreements."""
    shape = (len(part.topics), len(part.systems), metrics, metrics)
    correct, shared, disagreements = (np.empty(shape, dtype=np.float32) for _ in range(3))
    for block, said in verdict_blocks(part):
        simple_better, simple_worse = said.better[:, :, chosen], said.worse[:, :, chosen]
        known = said.known[:, :, chosen].all(axis=2, keepdims=True)
        if ties == "lenient":
            up, down = (
                known & ~simple_worse.any(axis=2, keepdims=True),
                known & ~simple_better.any(axis=2, keepdims=True),
            )
        else:
            up, down = simple_better.all(axis=2, keepdims=True), simple_worse.all(axis=2, keepdims=True)
        better, worse = (array[:, :, :metrics] & known for array in (said.better, said.worse))
        against, favour = _number(worse).swapaxes(2, 3), _number(better).swapaxes(2, 3)
        apart = _number(better) @ against  # the metric says better, the other worse
        disagreements[block] = apart + apart.swapaxes(2, 3)
        correct[block] = _number(better & up) @ against + _number(worse & down) @ favour
        if ties == "lenient":
            both = _number(better & up & down) @ against
            shared[block] = both + both.swapaxes(2, 3)
    if ties == "strict":
        shared[:] = 0
    return correct, shared, disagreements


def _number(true: Bools) -> Counts:
    return true.astype(np.float32)


def _tests(correct: Counts, shared: Counts, disagreements: Counts, pair: tuple[Ints, Ints]) -> dict[str, Floats]:
    """[metric, other] disagreements, correct, p of the sign test and of the jackknife, and the jackknife's error."""
    topics, systems, metrics = correct.shape[:3]
    total, both, apart = (array.sum(axis=(0, 1), dtype=np.float64) / 2 for array in (correct, shared, disagreements))
    alone = total - both
    binomial = binomial_sign(np.maximum(alone, alone.T), alone + alone.T)
    error = np.full((metrics, metrics), np.nan)
    if systems > 3 and topics > 1:
        mine, others = correct[:, :, *pair], correct[:, :, *pair[::-1]]
        error = _square(two_way_error((mine, others, disagreements[:, :, *pair]), _difference), pair, metrics, np.nan)
    run = t_tail(_difference(total, total.T, apart), error, min(systems, topics) - 1)
    return {"disagreements": apart, "correct": total, "binomial": binomial, "by_run": run, "error": error}


def _difference(mine: Floats, others: Floats, disagreements: Floats) -> Floats:
    """The two metrics' shares, one less the other; 0 where they never disagree."""
    return (mine - others) / np.maximum(disagreements, 1)


def _square(values: Floats, pair: tuple[Ints, Ints], metrics: int, diagonal: float) -> Floats:
    """[metric, other] from [pair], the same for both orders."""
    matrix = np.full((metrics, metrics), diagonal)
    matrix[pair] = matrix[pair[::-1]] = values
    return matrix


def _mute(asked: TestedMetrics) -> list[Note]:
    """A note on simple metrics that are constant, and so silence every set they are in."""
    simple = dict.fromkeys(name for chosen in asked.sets for name in chosen)
    mute = [n for n in simple if all(not part.noise()[part.metrics.index(n)] for part in asked.parts.values())]
    note = "{metrics} is constant, so that no set of simple metrics with it ever prefers a system."
    return [Note(note, metrics=mute)] if mute else []
