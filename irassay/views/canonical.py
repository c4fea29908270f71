"""Canonical metrics, in bold in tables and named so in charts: those with their browsing model's own aggregation."""

from collections.abc import Sequence

from irassay.metrics.grids import canonical_metrics

CANONICAL = "Bold, and “canonical” in charts: the aggregation with which a browsing model was published."


def canonical_cells(metrics: Sequence[str], column: int = 0) -> frozenset[tuple[int, int]]:
    """(row, column) of the canonical metrics in a table with the metrics of its rows."""
    canonical_names = set(canonical_metrics(metrics))
    return frozenset((row, column) for row, metric in enumerate(metrics) if metric in canonical_names)


def canonical_note(metrics: Sequence[str]) -> tuple[str, ...]:
    """The note on marks, if there are any."""
    return (CANONICAL,) if canonical_metrics(metrics) else ()


def starred_names(metrics: Sequence[str]) -> dict[str, str]:
    """Metrics to their names in charts."""
    return {metric: f"{metric}{star}" for metric, star in stars(metrics).items()}


def stars(metrics: Sequence[str]) -> dict[str, str]:
    """Metrics to what follows their names in charts."""
    canonical_names = set(canonical_metrics(metrics))
    return {metric: ", canonical" if metric in canonical_names else "" for metric in metrics}
