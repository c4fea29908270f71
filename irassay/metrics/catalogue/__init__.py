"""The metrics of the catalogue, one family a file; importing them registers them."""

from irassay.metrics.catalogue import (
    adaptive,
    classic,
    cube,
    diversity,
    effort,
    intent,
    ntcir,
    session,
    static,
    trec,
    truncated,
    utility,
)

__all__ = [
    "adaptive", "classic", "cube", "diversity", "effort", "intent", "ntcir", "session", "static", "trec", "truncated",
    "utility",
]  # fmt: skip
