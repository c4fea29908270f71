"""NTCIREVAL's metrics for finding one highly relevant document, and normalised cumulative utility."""

from typing import Annotated, Any

import numpy as np

from irassay.arrays import Bools, Floats, share
from irassay.domains import Domain
from irassay.errors import InputError
from irassay.metrics.catalogue.classic import GAINS, blended_ratio
from irassay.metrics.decorators import metric
from irassay.metrics.parameters import GainWeight, one_of
from irassay.rankings.batch import Rankings
from irassay.rankings.gain import by_grade

Stop = Annotated[
    str,
    one_of("gu", "rb", "u"),
    "How often users stop at each relevant document: by gain (gu), rank (rb), or equally (u).",
]
Fading = Annotated[
    float, Domain("number", 0, 1, "low"), "Weight of each relevant document relative to the one before, for rb."
]

BLENDED_RATIO = r" \\ \text{BR}(i) &= \frac{B_i + \beta G_i}{i + \beta G^*_i}"  # its formula


def first_true(rows: Bools) -> Bools:
    """[n, depth] true at the first true place of each row."""
    return rows & (rows.cumsum(axis=1) == 1)


def first_of_top_grade(r: Rankings) -> Bools:
    """[n, depth] true at the first result of the highest grade in the list."""
    top = np.where(r.relevant, r.grade, 0.0).max(axis=1, initial=0.0, keepdims=True)
    return first_true(r.relevant & (r.grade == top))


@metric(
    "O", cite="sakai2007", takes=GAINS, raw=True, needs="pool", aliases="O-measure O_measure",
    formula=r"\text{O} &= \text{BR}(\min \{ i : b_i = 1 \})" + BLENDED_RATIO,
)  # fmt: skip
def O(r: Rankings, beta: GainWeight = 1.0) -> Floats:  # noqa: E743  its name in the papers
    """Precision blended with the share of the ideal gain, at the first relevant result."""
    return np.asarray((blended_ratio(r, beta) * first_true(r.relevant)).sum(axis=1))


@metric(
    "P_measure", cite="sakai2007", takes=GAINS, raw=True, needs="pool", aliases="P-measure",
    formula=r"\text{P-measure} &= \text{BR}(\rho) \qquad \rho = \min \{ i : x_i = \max_j x_j \}" + BLENDED_RATIO,
)  # fmt: skip
def P_measure(r: Rankings, beta: GainWeight = 1.0) -> Floats:
    """Precision blended with the share of the ideal gain, at the first result of the highest grade in the list."""
    return np.asarray((blended_ratio(r, beta) * first_of_top_grade(r)).sum(axis=1))


@metric(
    "P_plus", cite="sakai2007", takes=GAINS, raw=True, needs="pool", aliases="P+ Pplus P-plus",
    formula=r"\text{P}^{+} &= \frac{1}{B_\rho} \sum_{i=1}^{\rho} b_i \, \text{BR}(i) "
    r"\qquad \rho = \min \{ i : x_i = \max_j x_j \}" + BLENDED_RATIO,
)  # fmt: skip
def P_plus(r: Rankings, beta: GainWeight = 1.0) -> Floats:
    """The mean blended ratio over relevant results down to the first one of the highest grade in the list."""
    ahead = first_of_top_grade(r)[:, ::-1].cumsum(axis=1)[:, ::-1] > 0
    stops = r.relevant & ahead
    return share((blended_ratio(r, beta) * stops).sum(axis=1), stops.sum(axis=1))


StopValues = Annotated[
    tuple[float, ...] | None,
    Domain("table", 0, optional=True, example="(1,2,3)"),
    "How often users stop at a document of each grade from 1 up, for gu; by default, by its gain.",
]


def stop_values(r: Rankings, stops: tuple[float, ...]) -> Floats:
    """[n, depth] the stop value of each relevant result, by grade."""
    values = by_grade(np.maximum(r.grade, 0.0), (0.0, *stops), r.max_grade, "stop values from grade 0 up")
    return values * r.relevant


NCU_VARIANTS: dict[str, dict[str, Any]] = {
    "NCUguP": {"stop": "gu", "beta": 0.0}, "NCUguBR": {"stop": "gu"},
    "NCUrbP": {"stop": "rb", "beta": 0.0}, "NCUrbBR": {"stop": "rb"},
}  # fmt: skip


@metric(
    "NCU", cite="sakai2008", takes=GAINS, raw=True, needs="pool", variants=NCU_VARIANTS,
    formula=r"\text{NCU} &= \sum_{i} b_i \, P(i) \, \text{BR}(i) \qquad \text{BR}(i) = \frac{B_i + \beta G_i}"
    r"{i + \beta G^*_i} \\ "
    r"P_{\text{gu}}(i) &= \frac{g_i}{\sum_j g^*_j} \qquad P_{\text{rb}}(i) = \frac{\gamma^{B_i - 1}}"
    r"{\sum_{j=1}^{R} \gamma^{j-1}} \qquad P_{\text{u}}(i) = \frac{1}{R}",
)  # fmt: skip
def NCU(
    r: Rankings, stop: Stop = "gu", beta: GainWeight = 1.0, gamma: Fading = 0.99, stops: StopValues = None
) -> Floats:
    """The expected blended ratio where users stop: at relevant documents, by gain (gu), rank (rb) or equally (u).

    With beta=0 the ratio is precision. `stops` are the stop values of NTCIREVAL (-s), which gu then uses for gains.
    """
    relevant_count = r.relevant_known
    if stops is not None and stop != "gu":
        raise InputError(f"stops has no effect with stop='{stop}'; leave it out, or use stop='gu'.")
    if stops is not None:
        weight = stop_values(r, stops)
        total = r.at_best(("stops", stops), lambda ideal: stop_values(ideal, stops).sum(axis=1))
    elif stop == "gu":
        weight, total = r.gain, r.at_best("all gain", lambda ideal: np.asarray(ideal.gain.sum(axis=1)))
    elif stop == "rb":
        weight = gamma ** np.maximum(r.relevant.cumsum(axis=1) - 1.0, 0.0)
        total = np.where(gamma == 1, relevant_count, (1 - gamma**relevant_count) / max(1 - gamma, 1e-300))
    else:
        weight, total = np.ones_like(r.gain), relevant_count.astype(np.float64)
    return share((blended_ratio(r, beta) * weight * r.relevant).sum(axis=1), total)
