"""irassay scores search runs with every effectiveness metric, and tests the metrics themselves."""

from importlib import import_module
from typing import Any

_WHERE = {
    "InputError": "errors",
    "Rankings": "rankings",
    "Pool": "rankings",
    "Metric": "instrument",
    "parse": "grammar",
    "catalogue": "grammar",
    "user_model": "declare",
    "stop_model": "declare",
    "metric": "declare",
    "axiom": "properties.relations",
    "axioms": "meta.axioms",
    "simulate": "simulation",
    "define_metrics": "userfile",
    "explain": "explanation",
    "Run": "trec",
    "Qrels": "trec",
    "read_run": "trec",
    "read_runs": "trec",
    "read_qrels": "trec",
    "score": "evaluate",
    "Scores": "scores",
    "read_scores": "tables",
    "write_scores": "tables",
}
_PACKAGES = ("meta", "stats", "papers")

__all__ = [*_WHERE, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        found = getattr(import_module(f"irassay.{_WHERE[name]}"), name)
    elif name in _PACKAGES:
        found = import_module(f"irassay.{name}")
    else:
        raise AttributeError(f"module 'irassay' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
