"""What the axioms say of metrics: counts, examples, and what follows from several axioms together."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irassay.arrays import Bools, Floats, Ints
from irassay.meta.axioms.induction import Induced
from irassay.meta.axioms.numeric import Finding, Verdict
from irassay.meta.axioms.relations import Axiom, named
from irassay.meta.axioms.witness import Witness
from irassay.rankings.enumeration import Space
from irassay.results import Result, saved_as

for name, kind in {
    "space": Space,
    "witness": Witness,
    "induced": Induced,
    "verdict": Verdict,
    "finding": Finding,
}.items():
    saved_as(name, kind)


@dataclass(frozen=True, eq=False, repr=False)
class Axioms(Result):
    """How often each metric breaks each property, with the smallest examples.

    Counts end in an axis of two: without cases that touch the empty ranking (as albahem2018 counts), and with them.
    """

    saved_as: ClassVar[str] = "axioms"

    space: Space
    metrics: tuple[str, ...]
    properties: tuple[Axiom, ...]
    cases: Ints  # [metric, property, 2]
    violations: Ints  # [metric, property, 2]
    witnesses: tuple[Witness, ...]
    verdicts: tuple[Verdict, ...]  # of the named checks
    induced: Induced | None  # what the properties say together; None where that was not counted
    exact: tuple[bool, ...]  # [metric] compared as fractions
    shortest: Floats  # [metric, ranking] scores of the first few rankings
    cite: tuple[str, ...]
    sampled: int = 0  # rankings drawn for each metric and property; 0: every ranking was looked at

    @property
    def share(self) -> Floats:
        """[metric, property] violations among the cases; NaN where a property has no cases."""
        cases = self.cases[:, :, 0]
        nothing = np.full(cases.shape, np.nan)
        return np.divide(self.violations[:, :, 0], cases, out=nothing, where=cases > 0)

    @property
    def holds(self) -> Bools:
        """[metric, property] whether there is no violation."""
        return self.violations[:, :, 0] == 0

    @property
    def all_hold(self) -> tuple[bool, ...]:
        """[metric] whether no property is broken and no check fails."""
        failed = {verdict.metric for verdict in self.verdicts if verdict.finding.holds is False}
        return tuple(bool(ok.all()) and m not in failed for m, ok in zip(self.metrics, self.holds, strict=True))

    def ranked(self) -> list[tuple[str, int]]:
        """The metrics and how many properties and checks they break, the fewest first."""
        failed = [verdict.metric for verdict in self.verdicts if verdict.finding.holds is False]
        broken = [int((~ok).sum()) + failed.count(m) for m, ok in zip(self.metrics, self.holds, strict=True)]
        return [(self.metrics[m], broken[m]) for m in np.argsort(broken, kind="stable")]

    def count(self, metric: str, name: str) -> tuple[int, int]:
        """(violations, cases) of a property, by the names of metric and property."""
        m, p = self.metrics.index(metric), [axiom.name for axiom in self.properties].index(named(name).name)
        return int(self.violations[m, p, 0]), int(self.cases[m, p, 0])

    def witness(self, metric: str, name: str) -> Witness | None:
        """The smallest case in which a metric breaks a property."""
        wanted = named(name).name
        return next((w for w in self.witnesses if w.metric == metric and w.axiom.name == wanted), None)
