"""The meta-evaluations: one question a file, and the function that answers it has the file's name.

They are imported here by name, so that `irassay.meta.discrimination` is the function whatever was imported before.
"""

from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.preference import preference
from irassay.meta.robustness.method import robustness
from irassay.meta.satisfaction.method import satisfaction
from irassay.meta.similarity import similarity
from irassay.meta.unanimity import unanimity
from irassay.metrics.grids import grid
from irassay.saving import read_result, write_result

__all__ = [
    "agreement",
    "alternatives",
    "consistency",
    "discrimination",
    "grid",
    "intuitiveness",
    "preference",
    "read_result",
    "robustness",
    "satisfaction",
    "similarity",
    "unanimity",
    "write_result",
]
