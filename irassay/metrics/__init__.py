"""The metrics of the catalogue, one family a file; importing them registers them."""

from irassay.metrics import adaptive, classic, effort, static

__all__ = ["adaptive", "classic", "effort", "static"]
