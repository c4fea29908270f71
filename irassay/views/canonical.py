"""Canonical metrics, which tables set in bold and charts star: the usual aggregation of a browsing model."""

from collections.abc import Sequence

from irassay.metrics.grids import canonical

CANONICAL = "Bold (* in charts): the canonical aggregation of a browsing model."


def marked(metrics: Sequence[str], column: int = 0) -> frozenset[tuple[int, int]]:
    """The cells of the canonical metrics in a table with a row for each metric."""
    found = set(canonical(metrics))
    return frozenset((row, column) for row, metric in enumerate(metrics) if metric in found)


def on_canonical(metrics: Sequence[str]) -> tuple[str, ...]:
    """The note on marks, where there are any."""
    return (CANONICAL,) if canonical(metrics) else ()


def starred(metrics: Sequence[str]) -> dict[str, str]:
    """What each metric is called in a chart."""
    return {metric: f"{metric}{star}" for metric, star in stars(metrics).items()}


def stars(metrics: Sequence[str]) -> dict[str, str]:
    """What follows the name of each metric in a chart."""
    found = set(canonical(metrics))
    return {metric: " *" if metric in found else "" for metric in metrics}
