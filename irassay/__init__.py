"""irassay scores search runs with every effectiveness metric, and tests the metrics themselves."""

from importlib import import_module
from typing import Any

_WHERE = {
    "InputError": "errors",
    "Rankings": "rankings.batch",
    "Pool": "rankings.batch",
    "Metric": "metrics.metric",
    "parse": "metrics.grammar",
    "catalogue": "metrics.grammar",
    "user_model": "metrics.register",
    "stop_model": "metrics.register",
    "metric": "metrics.register",
    "axiom": "meta.axioms.relations",
    "axioms": "meta.axioms.method",
    "compare": "meta.comparison",
    "plan": "meta.plan",
    "PairedTest": "stats.paired_test",
    "context": "parallel",
    "load": "results",
    "simulate": "simulation",
    "define_metrics": "userfile",
    "explain": "metrics.explanation",
    "Run": "io.trec",
    "Qrels": "io.trec",
    "read_run": "io.trec",
    "read_runs": "io.trec",
    "read_qrels": "io.trec",
    "score": "scoring.score",
    "JudgingPolicy": "judging.policy",
    "ScoringPolicy": "scoring.policy",
    "Note": "notes",
    "Scores": "scores",
    "read_scores": "io.tables",
    "write_scores": "io.tables",
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
