"""Which paired test is carried out, and how."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError
from irassay.prose import did_you_mean
from irassay.settings import MAX_DRAWS, Option, Record
from irassay.stats.corrections import corrected_p
from irassay.stats.pair_tests import PairTests, Test
from irassay.stats.paired import Sample, sample
from irassay.stats.tests import TESTS

DEFAULT_TRIALS = 10_000  # resamples, where none are asked for

if TYPE_CHECKING:
    TestName = str
else:
    TestName = Literal[tuple(sorted(TESTS))]
CorrectionName = Literal["none", "bonferroni", "holm", "bh", "by", "max-t"]


def find_test(name: str) -> Test:
    """The test of this name.

    >>> find_test("t").summary
    "Is the mean difference larger than its standard error explains (paired Student's t)?"
    """
    if name not in TESTS:
        hint = did_you_mean(name, TESTS)
        there = f"{hint} The tests are" if hint else "the tests are"
        raise InputError(f"There is no test called '{name}'; {there} {', '.join(sorted(TESTS))}.")
    return TESTS[name]


def equivalent_test(test: Test, tests: int) -> Test:
    """The test of one pair that a family test is where there is one test only; otherwise the test itself.

    >>> equivalent_test(find_test("anova-tukey"), 1).name, equivalent_test(find_test("anova-tukey"), 3).name
    ('t', 'anova-tukey')
    """
    return find_test(test.alone) if tests == 1 and test.alone else test


@dataclass(frozen=True)
class PairedTest(Record):
    """How pairs of systems are tested.

    >>> table = np.array([[0.7, 0.3, 0.2, 0.6, 0.4], [0.5, 0.1, 0.0, 0.2, 0.4]])  # [system, topic]
    >>> PairedTest("t", "holm").run(table[:, :, None])[1].round(4)
    array([[0.0341]])
    """

    test: Annotated[TestName, Option("Which test.", panel="Testing")] = "max-t"
    correction: Annotated[
        CorrectionName, Option("Correction for many pairs.", flag="--correct", key="correct", panel="Testing")
    ] = "none"
    trials: Annotated[int | None, Option("Resamples.", shown="10000", low=1, high=MAX_DRAWS, panel="Testing")] = None
    seed: Annotated[int, Option("Seed of all that is random.", low=0, panel="Testing")] = 0
    compat: Annotated[bool, Option("As the papers: p-values c/B and their other choices.", panel="Testing")] = (
        False  # c/B, not (c+1)/(B+1)
    )
    band: Annotated[float, Option("Dead band of the sign test.", low=0, panel="Testing")] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        test = find_test(self.test)
        if test.family and self.correction != "none":
            raise InputError(
                f"The test '{self.test}' is of all pairs together and needs no correction; found '{self.correction}'. "
                "Leave the correction out, or use a test of one pair at a time, such as t."
            )
        if not test.resamples and self.correction != "max-t":
            if self.trials is not None:
                raise InputError(f"The test '{self.test}' does not resample; leave out trials={self.trials}.")
            if self.compat:
                raise InputError(
                    f"The test '{self.test}' does not resample, so that its p-value is no c/B; leave out compat."
                )
        if self.band and not test.banded:
            banded = " and ".join(each.label for each in TESTS.values() if each.banded)
            raise InputError(f"Only the {banded} has a dead band; leave out band={self.band:g} with '{self.test}'.")

    @property
    def corrects(self) -> bool:
        """Whether p-values hold for several tests together: of all pairs at once, or by a correction."""
        return find_test(self.test).family or self.correction != "none"

    @property
    def resamples(self) -> int:
        """How many resamples a test that resamples draws."""
        return DEFAULT_TRIALS if self.trials is None else self.trials

    def share(self, count: Ints, trials: int, exact: bool) -> Floats:
        """The p-value of `count` resamples at least as extreme: (c+1)/(B+1), or c/B where that is exact or asked."""
        return count / trials if exact or self.compat else (count + 1) / (trials + 1)

    def run(
        self,
        values: Floats,
        baseline: int | None = None,
        names: Sequence[str] | None = None,
        intervals: bool = True,
    ) -> tuple[PairTests, Floats]:
        """The test of every pair by scores [system, topic, metric], and the p-values [pair, metric] as corrected.

        With the systems' names nothing depends on the order in which they are given. Without `intervals` what only they
        need is not computed, and they must not be asked for.
        """
        scores = sample(values, baseline, names=names)
        found = self.of(scores, intervals)
        return found, self.corrected(found, self.joint(found, scores))

    def of(self, scores: Sample, intervals: bool = True) -> PairTests:
        """The test of every pair; all metrics see the same resamples, so each gets the p-values it would get alone."""
        test = find_test(self.test)
        if scores.alternative != "two-sided" and not test.directed:
            raise InputError(
                f"The test '{self.test}' has no direction and cannot be one-sided ({scores.alternative}); "
                "use max-t, t or another test of signed differences."
            )
        if scores.united and test.family and not test.unites:
            raise InputError(
                f"The test '{self.test}' measures differences in the metric's own unit, so that several metrics cannot "
                "be one family; use max-t-stepdown, or a test of one pair at a time with a correction."
            )
        found = test.function(scores, self)
        return PairTests(
            test,
            scores.systems,
            scores.topics,
            scores.i,
            scores.j,
            scores.in_units(scores.difference).T,
            scores.in_units(scores.error).T,
            found.statistic.T,
            found.p.T,
            scores.constant.T,
            scores.in_units(found.unit).T,
            found.null.T,
            found.trials,
            found.exact,
            self.seed,
            self.compat,
            found.centred().T if intervals and found.centred is not None else np.empty((0, scores.metrics)),
            scores.alternative,
            scores.united,
        )

    def joint(self, found: PairTests, scores: Sample) -> PairTests:
        """What intervals come from: max-t where that is the correction, otherwise the test itself."""
        if self.correction != "max-t":
            return found
        return replace(self, test="max-t", correction="none", band=0.0).of(scores)

    def corrected(self, found: PairTests, joint: PairTests) -> Floats:
        """The p-values corrected for the number of pairs."""
        if self.correction == "max-t":
            return joint.p
        return corrected_p(found.p.reshape(-1) if found.united else found.p, self.correction).reshape(found.p.shape)


def test_label(test: str, correction: str = "none") -> str:
    """A test of pairs of systems as sentences call it.

    >>> test_label("tukey"), test_label("t"), test_label("t", "holm")
    ('randomised Tukey HSD', 'paired t, uncorrected', 'paired t, holm')
    """
    found = find_test(test)
    return found.short if found.family else f"{found.short}, {'uncorrected' if correction == 'none' else correction}"
