"""The five design goals of moffat2012 for a metric and its user model, as named checks."""

from dataclasses import replace

import numpy as np

from irassay.arrays import Floats
from irassay.meta.axioms.numeric import Finding, Lab, check, from_the_ranking
from irassay.metrics.cwl import examined
from irassay.metrics.metric import Metric
from irassay.rankings.batch import Rankings

FAR, SEEN_AT, LEAST_WEIGHT = 1000, 100, 1e-6  # ranks of an endless list, and the weight that rank 100 must have
WALKS = 20_000  # rankings, at most, on which a user model is followed


@check("ranking_only", "moffat2012", "depends on the ranking only")
def ranking_only(lab: Lab) -> Finding:
    """The score should depend on the ranking alone, not on how many other documents were judged relevant."""
    return from_the_ranking(lab)


@check("untruncated", "moffat2012", "top-weighted, not truncated")
def untruncated(lab: Lab) -> Finding:
    """Attention should fall smoothly with the rank, and never quite end."""
    if (weights := _endless(lab, FAR)) is None:
        return _no_model(lab)
    C, W = weights
    if not W.any():
        said = "never stops where nothing is relevant: its attention does not fall, and its weights have no value there"
        return _fails(f"{lab.name} {said}.")
    longer = _endless(lab, 2 * FAR)
    at = f"rank {SEEN_AT}"
    if W[: FAR - 1].min() <= 0:
        gone = int(np.argmax(W <= 0)) + 1
        return _fails(f"{lab.name} gives rank {gone} no weight.")
    if longer is None or abs(longer[1][SEEN_AT - 1] / W[SEEN_AT - 1] - 1) > 1e-6:
        return _fails(f"{lab.name}: the weight of {at} depends on the length of a list without relevant results.")
    if W[SEEN_AT - 1] < LEAST_WEIGHT:
        return _fails(f"{lab.name} gives {at} a weight of {W[SEEN_AT - 1]:.1e}, less than {LEAST_WEIGHT:g}.")
    bend = np.diff(np.log(C[: FAR - 1]))
    if bend.min() < -1e-12 and bend.max() > 1e-12:
        return _fails(f"{lab.name}: the weights fall now faster, now slower.")
    return Finding(True, f"{lab.name} gives {at} a weight of {W[SEEN_AT - 1]:.1e}.")


@check("patience", "moffat2012", "less likely to stop as ranks go by")
def patience(lab: Lab) -> Finding:
    """Who goes on past results that are not relevant should be no more likely to stop at the next one."""
    if (weights := _endless(lab, FAR)) is None:
        return _no_model(lab)
    falls = np.diff(weights[0][: FAR - 1]) < -1e-12
    C = _continuation(lab)
    impatient = 0 if C is None else int((np.diff(C, axis=1) < -1e-12).any(axis=1).sum())
    rows = 1 if C is None else len(C)
    where = f"with relevant results it does so somewhere in {impatient:,} of {rows:,} rankings of {_depth(lab)}"
    if falls.any():
        rank = int(np.argmax(falls)) + 2
        return _fails(f"Where nothing is relevant, {lab.name} grows more likely to stop at rank {rank}; {where}.")
    return Finding(True, f"Where nothing is relevant, {lab.name} grows no more likely to stop; {where}.", 1)


@check("adapts", "moffat2012", "adapts to what is found")
def adapts(lab: Lab) -> Finding:
    """Going on should depend on what was found."""
    C = _continuation(lab)
    if C is None:
        return _no_model(lab)
    differs = (np.abs(C - C[:1]) > 1e-12).any(axis=1)
    if not differs.any():
        return Finding(False, f"{lab.name} goes on alike on all rankings.", len(C), len(C) - 1)
    first = lab.space.first(_depth(lab))
    one, other = lab.space.text(first), lab.space.text(first + int(np.argmax(differs)))
    return Finding(True, f"{lab.name} does not go on alike on {one} and {other}.", len(C))


@check("goal", "moffat2012", "has a goal")
def goal(lab: Lab) -> Finding:
    """A parameter should say how much the user wants, and who wants more should look at more results."""
    metric, name = lab.metric, lab.metric.meaning.goal
    if not metric.is_model:
        return _no_model(lab)
    if not name:
        return _fails(f"{lab.name} has no parameter for what the user wants.")
    value = metric.params[name]
    more = metric(**{name: 2 * value})
    less, far = (_expected_depth(m, lab.space.max_grade) for m in (metric, more))
    looks = f"{metric.name} looks at {less:.4g} and {far:.4g} results on average"
    said = f"With {name} = {value:g} and {2 * value:g}, {looks}."
    return Finding(bool(far > less), said, 1, int(far <= less))


def _fails(sentence: str) -> Finding:
    return Finding(False, sentence, 1, 1)


def _no_model(lab: Lab) -> Finding:
    return Finding(None, f"{lab.name} is not a user model.", 0)


def _nothing_found(depth: int, top: int) -> Rankings:
    batch = Rankings.of(np.zeros((1, depth)), best=[1.0] * 10, max_grade=top)
    return replace(batch, carries=frozenset({"aspects", "turns", "weights"}))


def _endless(lab: Lab, depth: int) -> tuple[Floats, Floats] | None:
    """C and W of a user model by rank [depth], on a list without relevant results; None where there is no model."""
    metric = lab.metric
    if not metric.is_model:
        return None
    whole = metric if metric.meaning.sized else replace(metric, cutoff=None)
    browsing = whole.browse(whole.seen(_nothing_found(depth, lab.space.max_grade)))
    C, W = np.zeros(depth), np.zeros(depth)
    seen = min(depth, browsing.C.shape[1])
    C[:seen] = browsing.C[0, :seen]
    V = examined(browsing.C)[0, :seen]
    total = float(browsing.expected_depth()[0])
    W[:seen] = V / total if np.isfinite(total) else 0.0
    return C, W


def _expected_depth(metric: Metric, top: int) -> float:
    return float(metric.browse(metric.seen(_nothing_found(FAR, top))).expected_depth()[0])


def _depth(lab: Lab) -> int:
    """The length of the rankings on which the model is followed."""
    return max(d for d in range(1, lab.space.depth + 1) if d == 1 or lab.space.q**d <= WALKS)


def _continuation(lab: Lab) -> Floats | None:
    """[n, depth] C on every ranking of one length; None where there is no user model."""
    if not lab.metric.is_model:
        return None
    depth = _depth(lab)
    strings = lab.space.strings(depth)
    C = lab.metric.browse(lab.metric.seen(strings.rankings())).C
    return np.broadcast_to(C[:, :depth], (len(strings.index), min(depth, C.shape[1])))
