"""Moved to irassay/instrument.py; import from there (this file goes away)."""

from irassay.instrument import METRICS, Metric

__all__ = ["METRICS", "Metric"]
