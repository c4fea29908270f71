"""The view of how many topics a comparison takes."""

from collections.abc import Sequence

import numpy as np

from irassay.meta.plan import Components, power_of_t, topics_for_t
from irassay.views.view import Table, View, rows


def view(found: Sequence[Components], *, metrics: Sequence[str], difference: float, alpha: float, power: float) -> View:
    """How many topics each metric needs to see a difference."""
    topics = [topics_for_t(difference, c.residual, alpha=alpha, power=power) if c.residual > 0 else 2 for c in found]
    standard = [difference / np.sqrt(2 * c.residual) if c.residual > 0 else np.inf for c in found]
    now = [power_of_t(c.topics, difference, c.residual, alpha=alpha) if c.residual > 0 else 1.0 for c in found]
    columns = {
        "metric": metrics,
        "topics needed": topics,
        "power now": now,
        "standardised difference": standard,
        "residual variance": [c.residual for c in found],
        "topic variance": [c.topic for c in found],
        "system variance": [c.system for c in found],
        "E rho²": [c.relative() for c in found],
        "Phi": [c.absolute() for c in found],
    }
    sentences = [
        f"To see a difference of {difference:g} by {m} with probability {power:g} at {alpha:g} takes {t} topics; "
        f"there are {c.topics}."
        for m, t, c in zip(metrics, topics, found, strict=True)
    ]
    notes = (
        "a paired t-test of two systems; the variance of a difference is twice the residual variance [sakai2016]",
        "metrics differ in scale: compare topics at equal standardised differences, not at equal raw ones",
    )
    return View(
        "Topics needed",
        tuple(sentences),
        (Table("plan", tuple(columns), rows(*columns.values())),),
        notes,
        cite=("sakai2016", "bodoff2007"),
    )
