"""Lists that end on purpose, marked by a terminal document."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from irassay.arrays import Floats, share
from irassay.domains import Domain
from irassay.metrics.catalogue.intent import canonical_metric
from irassay.metrics.decorators import metric
from irassay.metrics.grammar import parse
from irassay.metrics.parameters import FRACTION
from irassay.rankings.batch import Rankings
from irassay.rankings.scenarios import extended_pool

AnyMetric = Annotated[str, Domain("metric", canonical=canonical_metric), "The metric that scores the closed list."]
Worth = Annotated[
    float | None,
    FRACTION,
    "Probability that the terminal document is relevant; by default, the share of relevant documents in the list.",
]


@metric(
    "Terminal", cite=("liu2016", "albahem2018"), takes={}, needs="pool", starts_at_zero=False, has_inner=True,
    unchecked="its definition, because only the idea of the original paper was available",
    formula=r"\text{Terminal} &= r_t \cdot \text{metric}(d_1, \ldots, d_n, \tau) \qquad r_t = \frac{B_n}{R} \\ "
    r"&+ (1 - r_t) \cdot \text{metric}(d_1, \ldots, d_n, \text{not } \tau)",
)  # fmt: skip
def Terminal(r: Rankings, metric: AnyMetric = "AP", r_t: Worth = None) -> Floats:
    """A metric's score with a terminal document at the end of the list, worth more the fewer documents are missed.

    The terminal document comes after
    the last result and counts as one more document to find. It has the lowest relevant grade with probability r_t, and
    the score is the expectation over that. By default r_t is the share of relevant documents in the list, and 1 if
    there are none. A cutoff of the inner metric counts the terminal document as a rank; an outer one, as in
    Terminal(metric='AP')@10, cuts the list before the terminal document is added.
    """
    inner = parse(metric)
    rel = inner.params.get("rel", 1)
    chance = recall_share(r, rel) if r_t is None else np.ravel(r_t)
    lowest = min(float(math.ceil(rel)), r.max_grade)
    relevant, not_relevant = inner.score(closed_lists(r, lowest, lowest)), inner.score(closed_lists(r, lowest, 0.0))
    return np.asarray(chance * relevant + (1 - chance) * not_relevant)


def recall_share(r: Rankings, rel: float) -> Floats:
    """[n] the share of the topic's relevant documents that are in the list; 1 if there are none."""
    relevant = ((r.pool.grade >= rel) & r.pool.listed).sum(axis=1)[r.topic]
    return np.where(relevant == 0, 1.0, share(((r.grade >= rel) & r.judged).sum(axis=1), relevant))


def closed_lists(r: Rankings, pool_grade: float, grade: float) -> Rankings:
    """The lists with one more result, which has this grade, and pools with one more document of grade `pool_grade`."""
    wide, row, topics = r.to_depth(r.depth + 1), np.arange(len(r)), np.arange(len(r.pool.size))

    def placed(array: Any, value: Any) -> Any:
        array = array.copy()
        array[row, r.retrieved] = value
        return array

    return replace(
        wide,
        grade=placed(wide.grade, grade),
        judged=placed(wide.judged, True),
        retrieved=r.retrieved + 1,
        pool=r.pool.once(
            ("closed", pool_grade), lambda: extended_pool(r.pool, topics, np.ones_like(topics), pool_grade)
        ),
        aspects=placed(wide.aspects, np.where(r.pool.weights[r.topic] > 0, grade, 0)),
    )
