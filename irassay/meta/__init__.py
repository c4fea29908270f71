"""The meta-evaluations: one question a file, and the function that answers it has the file's name.

They are imported here by name, so that `irassay.meta.discrimination` is the function whatever was imported before.
"""

import irassay.meta.axioms.method  # noqa: F401  enters its method
from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.comparison import compare
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.plan import plan
from irassay.meta.preference import preference
from irassay.meta.robustness.method import robustness
from irassay.meta.satisfaction.fitting import fitting, sensitivity
from irassay.meta.satisfaction.method import satisfaction
from irassay.meta.similarity import similarity
from irassay.meta.standings import by_round
from irassay.meta.unanimity import unanimity
from irassay.metrics.grids import grid

__all__ = [
    "agreement",
    "alternatives",
    "by_round",
    "compare",
    "consistency",
    "discrimination",
    "fitting",
    "grid",
    "intuitiveness",
    "plan",
    "preference",
    "robustness",
    "satisfaction",
    "sensitivity",
    "similarity",
    "unanimity",
]
