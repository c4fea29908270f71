"""Other names of metrics: trec_eval's, and those of ir_measures, ranx, cwl_eval, ndeval and NTCIREVAL.

Each metric declares its own: `aliases=`, `trec_eval=` and `variants=`. The index has those of the catalogue, so that a
name is understood before the metric's file is imported.
"""

from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from typing import Any

from irassay.declarations import index, is_built_in
from irassay.errors import InputError
from irassay.metrics.declaration import Declaration
from irassay.metrics.metric import METRICS

Meaning = tuple[str, Mapping[str, Any]]  # the metric that an alias stands for, and the parameters that it implies


REGISTERED: dict[str, Meaning] = {}  # the aliases of metrics whose files were imported


def known_aliases() -> Mapping[str, Meaning]:
    """The meaning of every alias: of registered metrics, and of those in the index."""
    return ChainMap(REGISTERED, _index_aliases())


@cache
def _index_aliases() -> dict[str, Meaning]:
    meanings: dict[str, Meaning] = {}
    for name, entry in index()["metrics"].items():
        variants = entry.get("variants", {})
        for alias in (*entry.get("trec_eval", ()), *entry.get("aliases", ()), *variants):
            if alias != name:
                meanings[alias] = (name, variants.get(alias, {}))
    return meanings


def number_parameter(name: str) -> str:
    """The parameter that a number after a metric's name sets; '' if it is the cutoff.

    >>> number_parameter("RBP"), number_parameter("nDCG")
    ('p', '')
    """
    if metric := METRICS.get(name):  # one look-up: another thread may be sorting the catalogue
        return metric.declaration.number_is
    return str(index()["metrics"].get(name, {}).get("number_is", ""))


def register_aliases(declaration: Declaration) -> None:
    """Adds the aliases of a metric; a user's metric may not take an alias of another one."""
    name, ours = declaration.name, is_built_in(declaration.function)
    for alias, implied in declaration.all_aliases.items():
        other = alias if alias in index()["metrics"] or alias in METRICS else known_aliases().get(alias, (name,))[0]
        if other != name and not ours:
            raise InputError(f"{name}: the alias {alias} already stands for {other}; choose another.")
        if alias != name:
            REGISTERED[alias] = (name, implied)
