"""The level of relevance set for all metrics: which metrics it changes, and whether any grade reaches it."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from irassay.errors import InputError, option_in_parentheses
from irassay.metrics.grammar import parse
from irassay.metrics.metric import Metric
from irassay.notes import Note
from irassay.rankings.batch import Rankings

TOP_GRADE = 3  # of the lists that metrics are tried on
TRIED_DEPTH = 3


def metric_at_level(metric: Metric, rel: float | None, always: bool = False) -> Metric:
    """The metric, and the one inside it if it wraps another, at a level of relevance, unless it has its own.

    A metric whose score no level changes stays as it is, unless `always` is set.
    """
    if rel is None:
        return metric
    if "metric" in metric.params:
        metric = metric(metric=str(metric_at_level(parse(metric.params["metric"]), rel, always)))
    own = "rel" in {*dict(metric.given), *metric.typed_parameters}
    if "rel" not in metric.params or own or not (always or level_matters(metric)):
        return metric
    return replace(_with_level(metric, rel), typed_parameters=metric.typed_parameters)


def _with_level(metric: Metric, rel: float) -> Metric:
    """The metric at a level of relevance, with the same gains."""
    return metric(rel=rel, **{other: metric.params[other] for other in metric.meaning.implies.get("rel", ())})


@cache
def level_matters(metric: Metric) -> bool:
    """Whether a level of relevance can change the score.

    Tried on every list of three results with four grades, over pools with and without further documents.

    >>> level_matters(parse("AP")), level_matters(parse("RBP")), level_matters(parse("RBP(gain='binary')"))
    (True, False, True)
    """
    gain = metric.params.get("gain")
    top = len(gain) - 1 if isinstance(gain, tuple) else int(metric.params.get("max_grade") or TOP_GRADE)
    if metric.meaning.needs - {"pool"}:
        return True
    grades = np.array(list(product(range(top + 1), repeat=TRIED_DEPTH)), dtype=float)
    more = np.tile(np.repeat(np.arange(top, -1.0, -1.0), TRIED_DEPTH), (len(grades), 1))
    try:
        batches = (Rankings.of(grades, best=pool, max_grade=top) for pool in (more, grades))
        at_levels = [_with_level(metric, level) for level in range(2, top + 1)]
        return any(not np.array_equal(each.score(r), metric.score(r)) for r in batches for each in at_levels)
    except InputError:
        return True


def level_notes(metrics: list[Metric], largest: float) -> list[Note]:
    """A note on metrics for which nothing is relevant because no grade reaches their level."""
    above = [m for m in metrics if "rel" in dict(m.given) and m.params["rel"] > largest]
    if not above:
        return []
    levels = ", ".join(sorted({f"{m.params['rel']:g}" for m in above}))
    labels = ", ".join(dict.fromkeys(m.label for m in above))
    start = f"nothing is relevant for {labels}: the largest grade given is {largest:g}, and the level"
    return [Note((start, option_in_parentheses("rel"), f" is {levels}"))]
