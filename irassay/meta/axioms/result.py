"""The result of testing axioms: counts, counterexamples, and what follows from several axioms together."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.axioms.checks import CheckFinding, Verdict
from irassay.meta.axioms.induction import InducedRelations
from irassay.meta.axioms.relations import Axiom, named_axiom
from irassay.meta.axioms.witness import Witness
from irassay.rankings.enumeration import Space
from irassay.results import Result
from irassay.saving import register_saved

KINDS = {"space": Space, "witness": Witness, "induced": InducedRelations, "verdict": Verdict, "finding": CheckFinding}
for name, kind in KINDS.items():
    register_saved(name, kind)


@dataclass(frozen=True, eq=False, repr=False)
class Axioms(Result):
    """How often each metric breaks each axiom, with the smallest counterexamples.

    The last axis of counts is: without cases that hold the empty ranking (as albahem2018 counts), and with them.
    """

    saved_as: ClassVar[str] = "axioms"

    space: Space
    metrics: tuple[str, ...]
    axioms: tuple[Axiom, ...] = field(metadata={"name_in_files": "properties"})
    cases: Ints  # [metric, axiom, 2]
    violations: Ints  # [metric, axiom, 2]
    witnesses: tuple[Witness, ...]
    verdicts: tuple[Verdict, ...]  # of the checks
    induced: InducedRelations | None  # what follows from the axioms together; None if that was not counted
    exact: tuple[bool, ...]  # [metric] whether scores were compared as fractions
    shortest: Floats  # [metric, ranking] scores of the shortest rankings
    cite: tuple[str, ...]
    sampled: int = 0  # rankings drawn for each metric and axiom; 0: every ranking was tested

    @property
    def properties(self) -> tuple[Axiom, ...]:
        """The axioms, under the name that they had in 0.1.0."""
        return self.axioms

    @property
    def share(self) -> Floats:
        """[metric, axiom] the share of cases that are violations; NaN if an axiom has no cases."""
        cases = self.cases[:, :, 0]
        return np.divide(self.violations[:, :, 0], cases, out=np.full(cases.shape, np.nan), where=cases > 0)

    @property
    def holds(self) -> Bools:
        """[metric, axiom] whether there is no violation."""
        return self.violations[:, :, 0] == 0

    @property
    def all_hold(self) -> tuple[bool, ...]:
        """[metric] whether no axiom is broken and no check fails."""
        return tuple(broken == 0 for broken in self._broken_counts())

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and how many axioms and checks each breaks, fewest first."""
        broken = self._broken_counts()
        return [(self.metrics[m], broken[m]) for m in np.argsort(broken, kind="stable")]

    def _broken_counts(self) -> list[int]:
        """[metric] how many axioms are broken and checks fail."""
        failed = [verdict.metric for verdict in self.verdicts if verdict.finding.holds is False]
        return [int((~holds).sum()) + failed.count(m) for m, holds in zip(self.metrics, self.holds, strict=True)]

    def count(self, metric: str, name: str) -> tuple[int, int]:
        """(violations, cases) of an axiom, by the names of metric and axiom."""
        m, p = self.metrics.index(metric), [axiom.name for axiom in self.axioms].index(named_axiom(name).name)
        return int(self.violations[m, p, 0]), int(self.cases[m, p, 0])

    def witness(self, metric: str, name: str) -> Witness | None:
        """The smallest pair on which a metric breaks an axiom; None if it breaks none."""
        axiom = named_axiom(name).name
        return next((w for w in self.witnesses if w.metric == metric and w.axiom.name == axiom), None)
