"""The metrics of the catalogue, one family a file; importing them registers them."""

from irassay.metrics import adaptive, classic, cube, effort, session, static, utility

__all__ = ["adaptive", "classic", "cube", "effort", "session", "static", "utility"]
