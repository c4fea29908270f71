"""The meta-evaluations: one question a file, and the function that answers it has the file's name.

They are imported here by name, so that `irassay.meta.discrimination` is the function whatever was imported before.
"""

from irassay.meta.agreement import agreement
from irassay.meta.alternatives import alternatives
from irassay.meta.consistency import consistency
from irassay.meta.discrimination import discrimination
from irassay.meta.grids import grid
from irassay.meta.intuitiveness import intuitiveness
from irassay.meta.preference import preference
from irassay.meta.robustness import robustness
from irassay.meta.satisfaction import satisfaction
from irassay.meta.saving import read_result, write_result
from irassay.meta.similarity import similarity
from irassay.meta.unanimity import unanimity

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
