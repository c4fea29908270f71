"""The view of how many topics a comparison takes."""

from irassay.meta.plan import Plan
from irassay.views.view import View, by_column


def view(result: Plan) -> View:
    """How many topics each metric needs to see a difference."""
    metrics, found = result.metrics, result.components
    topics, difference, power, alpha = result.topics().tolist(), result.difference, result.wanted, result.alpha
    columns = {
        "metric": metrics,
        "topics needed": topics,
        "power now": result.power(),
        "standardised difference": result.standardised(),
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
        *result.notes,
        "a paired t-test of two systems; the variance of a difference is twice the residual variance [sakai2016]",
        "metrics differ in scale: compare topics at equal standardised differences, not at equal raw ones",
    )
    cite = ("sakai2016", "bodoff2007")
    return View("Topics needed", tuple(sentences), (by_column("plan", columns),), notes, cite=cite)
