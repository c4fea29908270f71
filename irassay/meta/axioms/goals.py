"""The five design goals of moffat2012 for a metric and its user model, as checks."""

from dataclasses import replace

import numpy as np

from irassay.arrays import Floats
from irassay.meta.axioms.checks import CheckFinding, metric_check, pool_finding
from irassay.meta.axioms.enumerated_scores import MetricScores
from irassay.metrics.cwl import examination_probability
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings

LONG_LIST, TESTED_RANK, SMALLEST_WEIGHT = 1000, 100, 1e-6  # rank 100 of an endless list must have this weight
MODEL_RANKINGS = 20_000  # largest number of rankings on which a user model is followed


@metric_check("ranking_only", "moffat2012", "depends on the ranking only")
def ranking_only(scores: MetricScores) -> CheckFinding:
    """The score should depend only on the ranking, not on how many other documents were judged relevant."""
    return pool_finding(scores)


@metric_check("untruncated", "moffat2012", "top-weighted, not truncated", models_only=True)
def untruncated(scores: MetricScores) -> CheckFinding:
    """Attention should fall smoothly with rank and never quite end."""
    C, W = _continuation_and_weights(scores, LONG_LIST)
    rank = f"rank {TESTED_RANK}"
    weight = W[TESTED_RANK - 1]
    if not W.any():
        return _failure(f"{scores.name} never stops if nothing is relevant, so its attention does not fall.")
    if W[: LONG_LIST - 1].min() <= 0:
        return _failure(f"{scores.name} gives rank {int(np.argmax(W <= 0)) + 1} no weight.")
    longer = _continuation_and_weights(scores, 2 * LONG_LIST)[1]
    if abs(longer[TESTED_RANK - 1] / weight - 1) > 1e-6:
        where = "the length of a list without relevant results"
        return _failure(f"{scores.name}: the weight of {rank} depends on {where}.")
    if weight < SMALLEST_WEIGHT:
        return _failure(f"{scores.name} gives {rank} a weight of {weight:.1e}, below {SMALLEST_WEIGHT:g}.")
    bend = np.diff(np.log(C[: LONG_LIST - 1]))
    if bend.min() < -1e-12 and bend.max() > 1e-12:
        return _failure(f"{scores.name}: the weights do not fall smoothly.")
    return CheckFinding(True, f"{scores.name} gives {rank} a weight of {weight:.1e}, not below {SMALLEST_WEIGHT:g}.")


@metric_check("patience", "moffat2012", "less likely to stop as ranks go by", models_only=True)
def patience(scores: MetricScores) -> CheckFinding:
    """A user who goes on past results that are not relevant should be no more likely to stop at the next one."""
    falls = np.diff(_continuation_and_weights(scores, LONG_LIST)[0][: LONG_LIST - 1]) < -1e-12
    C = _continuation(scores)
    impatient = int((np.diff(C, axis=1) < -1e-12).any(axis=1).sum())
    among = f"It becomes so in {impatient:,} of all {len(C):,} rankings of {_model_depth(scores)} results"
    if falls.any():
        rank = int(np.argmax(falls)) + 2
        return _failure(f"If nothing is relevant, {scores.name} becomes more likely to stop at rank {rank}. {among}.")
    return CheckFinding(True, f"If nothing is relevant, {scores.name} never becomes more likely to stop. {among}.", 1)


@metric_check("adapts", "moffat2012", "adapts to what is found", models_only=True)
def adapts(scores: MetricScores) -> CheckFinding:
    """Whether a user goes on should depend on what was found."""
    space = scores.space
    C = _continuation(scores)
    differs = (np.abs(C - C[:1]) > 1e-12).any(axis=1)
    if not differs.any():
        sentence = f"The user of {scores.name} goes on with the same probabilities on every ranking."
        return CheckFinding(False, sentence, len(C), len(C) - 1)
    first = space.first(_model_depth(scores))
    one, other = space.text(first), space.text(first + int(np.argmax(differs)))
    sentence = f"The user of {scores.name} goes on with different probabilities on the rankings {one} and {other}."
    return CheckFinding(True, sentence, len(C))


@metric_check("goal", "moffat2012", "has a goal", models_only=True)
def goal(scores: MetricScores) -> CheckFinding:
    """A parameter should say how much the user wants, and a user who wants more should look at more results."""
    metric, name = scores.metric, scores.metric.meaning.goal
    if not name:
        return _failure(f"{scores.name} has no parameter for how much the user wants.")
    value = metric.params[name]
    less, more = (_expected_depth(m, scores.space.max_grade) for m in (metric, metric(**{name: 2 * value})))
    looks = f"the user of {metric.name} looks at {less:.4g} results on average if none is relevant"
    sentence = f"With {name} = {value:g}, {looks}, and at {more:.4g} with {name} = {2 * value:g}."
    return CheckFinding(bool(more > less), sentence, 1, int(more <= less))


def _failure(sentence: str) -> CheckFinding:
    return CheckFinding(False, sentence, 1, 1)


def _irrelevant_list(depth: int, top: int) -> Rankings:
    """One list without relevant results."""
    batch = Rankings.of(np.zeros((1, depth)), best=[1.0] * 10, max_grade=top)
    return replace(batch, carries=frozenset({"aspects", "turns", "weights"}))


def _continuation_and_weights(scores: MetricScores, depth: int) -> tuple[Floats, Floats]:
    """C and W of a user model by rank [depth], on a list without relevant results."""
    metric = scores.metric
    uncut = metric if metric.meaning.sized else replace(metric, cutoff=None)
    browsing = uncut.browse(uncut.seen(_irrelevant_list(depth, scores.space.max_grade)))
    C, W = np.zeros(depth), np.zeros(depth)
    seen = min(depth, browsing.C.shape[1])
    C[:seen] = browsing.C[0, :seen]
    V = examination_probability(browsing.C)[0, :seen]
    total = float(browsing.expected_depth()[0])
    W[:seen] = V / total if np.isfinite(total) else 0.0
    return C, W


def _expected_depth(metric: Metric, top: int) -> float:
    return float(metric.browse(metric.seen(_irrelevant_list(LONG_LIST, top))).expected_depth()[0])


def _model_depth(scores: MetricScores) -> int:
    """The length of the rankings on which the user model is followed."""
    space = scores.space
    return max(d for d in range(1, space.depth + 1) if d == 1 or space.q**d <= MODEL_RANKINGS)


def _continuation(scores: MetricScores) -> Floats:
    """[n, depth] C of a user model on every ranking of one length."""
    depth = _model_depth(scores)
    strings = scores.space.strings(depth)
    C = scores.metric.browse(scores.metric.seen(strings.rankings())).C
    return np.broadcast_to(C[:, :depth], (len(strings.index), min(depth, C.shape[1])))
