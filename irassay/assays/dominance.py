"""Which metrics are dominated: behind a rival on one criterion, if the rival is shown to be no worse on all others."""

import numpy as np

from irassay.arrays import Bools
from irassay.assays.assay import Assay
from irassay.assays.axiom_results import broken_sets
from irassay.assays.criteria import AGREEMENT, AXIOMS, CONSISTENCY, POWER, ROBUSTNESS
from irassay.assays.profile import Profile

MERITS = (POWER, CONSISTENCY, ROBUSTNESS)  # agreement with other metrics is no merit in itself


def available_criteria(assay: Assay) -> tuple[str, ...]:
    """The criteria that this assay has, axioms last."""
    estimated = () if assay.profile is None else tuple(each.name for each in assay.profile.criteria)
    return (*estimated, AXIOMS) if assay.axioms else estimated


def behind_on(assay: Assay, name: str) -> Bools:
    """[metric, metric] whether the row is behind the column on a criterion; for axioms, breaks those and others too."""
    if name == AXIOMS:
        broken = broken_sets(assay)
        return np.array([[a is not None and b is not None and b < a for b in broken] for a in broken], dtype=np.bool_)
    each = assay.profile.by(name) if assay.profile else None
    none = np.zeros((len(assay.metrics),) * 2, dtype=np.bool_)
    return none if each is None or each.selection is None else each.selection.behind


def no_worse_on(assay: Assay, profile: Profile, name: str) -> Bools:
    """[metric, metric] whether the column is shown to be no worse than the row; for axioms, breaks none that it keeps.

    It is not shown if they cannot be compared.
    """
    if name == AXIOMS:
        broken = broken_sets(assay)
        return np.array([[a is not None and b is not None and b <= a for b in broken] for a in broken], dtype=np.bool_)
    each = profile.by(name)
    if each is None or each.selection is None:
        return np.zeros((len(assay.metrics),) * 2, dtype=np.bool_)
    return each.selection.non_inferior(profile.margin).T | each.selection.behind


def dominated_by(assay: Assay) -> Bools:
    """[metric, metric] whether the row is dominated by the column: behind it on a criterion, and it is no worse on all.

    A rival that is itself behind, be it by less than the margin, does not dominate. Neither less agreement with other
    metrics nor broken axioms dominate by themselves: the first is no fault, and the second may never matter here.
    """
    criteria = available_criteria(assay)
    behind = [behind_on(assay, name) for name in criteria if name not in (AGREEMENT, AXIOMS)]
    if assay.profile is None or not behind:
        return np.zeros((len(assay.metrics),) * 2, dtype=np.bool_)
    no_worse = [no_worse_on(assay, assay.profile, name) & ~behind_on(assay, name).T for name in criteria]
    return np.any(behind, axis=0) & np.all(no_worse, axis=0)
