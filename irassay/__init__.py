"""irassay scores search runs, and tests the metrics that score them."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# Public names and their modules, which are imported on first use. Metrics are found by name too.
NAMES = {
    "errors": "InputError",
    "domains": "Domain",
    "notes": "Note",
    "parallel": "Cancelled context",
    "results": "Result load",
    "settings": "Option",
    "method": "method",
    "rankings.pool": "Pool",
    "rankings.batch": "Rankings",
    "metrics.metric": "Metric",
    "metrics.grammar": "catalogue parse",
    "metrics.grids": "grid",
    "metrics.decorators": "metric stop_model user_model",
    "metrics.explanation": "explain",
    "metrics.listing": "metrics",
    "scores": "Scores",
    "io.trec": "Qrels Run read_qrels read_run read_runs",
    "io.tables": "read_scores write_scores",
    "io.validation": "validate",
    "judging.policy": "JudgingPolicy",
    "scoring.policy": "ScoringPolicy",
    "scoring.score": "score",
    "scoring.judged_runs": "JudgedRuns",
    "stats.paired_test": "PairedTest",
    "meta.comparison": "compare",
    "meta.table": "table",
    "meta.check": "check",
    "meta.diff.method": "diff",
    "meta.plan": "plan",
    "meta.topics": "topics",
    "meta.claim": "claim",
    "meta.judges.method": "judges",
    "meta.axioms.method": "axioms",
    "meta.axioms.relations": "axiom",
    "meta.satisfaction.rated": "RatedUnits",
    "userfile": "define",
    "simulation": "simulate",
    "assays.assay": "assay",
    "papers": "reproduce",
    "views.view": "Table View",
    "reports.page": "report",
}
_WHERE = {name: module for module, names in NAMES.items() for name in names.split()}
_PACKAGES = ("meta", "papers", "stats")

__all__ = [*_WHERE, *_PACKAGES, "__version__"]


class _Package(ModuleType):
    """This package, in which a public name is not replaced when a module of the same name is imported.

    That matters for `irassay.method` and `irassay.metrics`; `from irassay.method import Method` finds the module.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _WHERE and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        found = getattr(import_module(f"irassay.{_WHERE[name]}"), name)
    elif name in _PACKAGES:
        found = import_module(f"irassay.{name}")
    elif name == "__version__":
        found = import_module("importlib.metadata").version("irassay")
    else:
        from irassay.declarations import index

        if name not in index()["metrics"]:
            raise AttributeError(f"module 'irassay' has no attribute {name!r}")
        found = import_module("irassay.metrics.listing").documented_metric(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from irassay.declarations import index

    return sorted([*__all__, *index()["metrics"]])
