"""Declarations as plain data: what the index has, and in a worker also what users' files add."""

from functools import cache
from typing import Any

from irassay.declarations import index, metric_entry


def metric_entries() -> dict[str, dict[str, Any]]:
    """Every metric of this process, with its sentence and its parameters as records."""
    from irassay.metrics.grammar import catalogue

    return {name: built_in_entries().get(name) or _user_entry(metric) for name, metric in catalogue().items()}


@cache
def built_in_entries() -> dict[str, dict[str, Any]]:
    """The metrics of the index, with their sentences and parameters."""
    return {name: metric_entry(name) for name in index()["metrics"]}


def _user_entry(metric: Any) -> dict[str, Any]:
    """The entry of a metric that a user's file declares."""
    import math

    from irassay.declarations import doc

    declaration = metric.declaration
    parameters = [
        {"name": name, "default": each.default, **each.packed()} for name, each in declaration.parameters.items()
    ]
    return {
        "aliases": list(declaration.aliases),
        "cutoff": declaration.sized,
        "needs": sorted(declaration.needs),
        "number_is": declaration.number_is,
        "range": [None if math.isinf(end) else end for end in metric.range],
        "cite": list(declaration.cite),
        "sentence": " ".join(doc(declaration.function).split("\n\n")[0].split()),
        "parameters": parameters,
    }


def metric_parts(text: str) -> dict[str, Any]:
    """What a metric string says: name, every parameter with its value, those that are its own, cutoff and spelling."""
    from irassay.metrics.decorators import MODEL_PARAMETERS
    from irassay.metrics.grammar import parse

    metric = parse(text)
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in metric.params.items()}
    is_plain = (str, int, float, list, type(None))
    plain = {name: value if isinstance(value, is_plain) else str(value) for name, value in values.items()}
    return {
        "name": metric.name, "parameters": plain, "cutoff": metric.cutoff, "metric": str(metric), "label": metric.label,
        "is_model": metric.is_model, "is_built_in": metric.name in built_in_entries(),
        "own": [name for name in plain if name not in {*MODEL_PARAMETERS, "unit"}],  # all cutoffs have a unit
    }  # fmt: skip
