"""The settings of a paired test, and how it is run."""

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np

from irassay.arrays import Floats, Ints
from irassay.errors import InputError, argument
from irassay.prose import did_you_mean
from irassay.settings import MAX_DRAWS, Option, Record
from irassay.stats.corrections import corrected_p
from irassay.stats.draws import Draws
from irassay.stats.pair_tests import PairTests, Test
from irassay.stats.paired_sample import Sample, sample
from irassay.stats.tests import TESTS

DEFAULT_TRIALS = 10_000  # resamples
PAPERS_TEST = "tukey"  # of all pairs together, in the papers

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
        choices = f"{hint} The tests are" if hint else "the tests are"
        raise InputError(f"There is no test called '{name}'; {choices} {', '.join(sorted(TESTS))}.")
    return TESTS[name]


def equivalent_test(test: Test, tests: int) -> Test:
    """The test of one pair that a family test reduces to when there is only one; otherwise the test itself.

    >>> equivalent_test(find_test("anova-tukey"), 1).name, equivalent_test(find_test("anova-tukey"), 3).name
    ('t', 'anova-tukey')
    """
    return find_test(test.one_pair_test) if tests == 1 and test.one_pair_test else test


@dataclass(frozen=True)
class PairedTest(Record):
    """The settings of a test of pairs of systems.

    >>> table = np.array([[0.7, 0.3, 0.2, 0.6, 0.4], [0.5, 0.1, 0.0, 0.2, 0.4]])  # [system, topic]
    >>> PairedTest("t", "holm").run(table[:, :, None])[1].round(4)
    array([[0.0341]])
    """

    test: Annotated[TestName, Option("Significance test.", panel="Testing")] = "max-t"
    correction: Annotated[
        CorrectionName, Option("Correction for multiple comparisons.", flag="--correct", key="correct", panel="Testing")
    ] = "none"
    trials: Annotated[
        int | None, Option("Number of resamples.", shown="10000", low=1, high=MAX_DRAWS, panel="Testing")
    ] = None
    seed: Annotated[int, Option("Random seed.", low=0, panel="Testing")] = 0
    compat: Annotated[
        bool, Option("Follow the papers: p-values c/B, and Tukey's HSD unless a test is given.", panel="Testing")
    ] = False  # c/B, not (c+1)/(B+1)
    band: Annotated[
        float, Option("Differences up to this size count as ties in the sign test.", low=0, panel="Testing")
    ] = 0.0
    correct: InitVar[CorrectionName | None] = field(default=None, kw_only=True)  # correction, as the option spells it

    def __post_init__(self, correct: CorrectionName | None) -> None:
        if correct is not None:
            if self.correction != "none":
                raise InputError("PairedTest got both correction and correct, the same setting; give only correction.")
            object.__setattr__(self, "correction", correct)
        super().__post_init__()
        test = find_test(self.test)
        if test.family and self.correction != "none":
            raise InputError(
                f"The test '{self.test}' covers all pairs together and needs no correction; found '{self.correction}'. "
                "Leave the correction out, or use a test of one pair at a time, such as t.",
                argument="correction",
            )
        if not test.resamples and self.correction != "max-t":
            reason = f"The test '{self.test}' does not resample"
            if self.trials is not None:
                raise InputError(f"{reason}; leave out ", argument("trials", self.trials), ".")
            if self.compat:
                raise InputError(f"{reason}, so it has no p-value c/B; leave out ", argument("compat"), ".")
        if self.band and not test.banded:
            banded = " and ".join(each.label for each in TESTS.values() if each.banded)
            band = argument("band", self.band)
            raise InputError(f"Only the {banded} has a dead band, not '{self.test}'; leave out ", band, ".")

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """This default with a user's values; `compat` without a test selects the papers' test of all pairs."""
        follows_papers = values.get("compat") and "test" not in values and find_test(self.test).flips_signs
        return super().with_values({"test": PAPERS_TEST, **values} if follows_papers else values)

    @property
    def used_values(self) -> dict[str, Any]:
        """The fields that the test uses: with draws, their number and seed; a dead band only if the test has one."""
        test = find_test(self.test)
        unused = set() if test.resamples or self.correction == "max-t" else {"trials", "seed"}
        unused |= set() if test.banded else {"band"}
        values = super().used_values | ({} if "trials" in unused else {"trials": self.resamples})
        return {name: value for name, value in values.items() if name not in unused}

    @property
    def corrects(self) -> bool:
        """Whether p-values hold for several pairs together: by a family test, or by a correction."""
        return find_test(self.test).corrects(self.correction)

    @property
    def resamples(self) -> int:
        """The number of resamples, if the test resamples."""
        return DEFAULT_TRIALS if self.trials is None else self.trials

    def p_value(self, count: Ints, draws: Draws[Any]) -> Floats:
        """p where c of B resamples are at least as extreme: (c+1)/(B+1), or c/B if enumerated or with `compat`."""
        return count / draws.trials if draws.exact or self.compat else (count + 1) / (draws.trials + 1)

    def run(
        self, values: Floats, baseline: int | None = None, names: Sequence[str] | None = None, intervals: bool = True
    ) -> tuple[PairTests, Floats]:
        """The test of every pair by scores [system, topic, metric], and the corrected p-values [pair, metric].

        With the systems' names, the result does not depend on the order of the systems. Without `intervals`, what only
        they need is not computed, and they are not available.
        """
        scores = sample(values, baseline, names=names)
        tests = self.pair_tests(scores, intervals)
        return tests, self.corrected_p(tests, self.interval_tests(tests, scores))

    def pair_tests(self, scores: Sample, intervals: bool = True) -> PairTests:
        """The test of every pair; all metrics see the same resamples, so each gets the p-values it would get alone."""
        self.check_use(scores.alternative, scores.united)
        test = find_test(self.test)
        outcome = test.function(scores, self)
        nothing = np.empty((0, scores.metrics))
        return PairTests(
            test,
            scores.systems,
            scores.topics,
            scores.i,
            scores.j,
            scores.in_units(scores.difference).T,
            scores.in_units(scores.error).T,
            outcome.statistic.T,
            outcome.p.T,
            scores.constant.T,
            scores.in_units(outcome.unit).T,
            nothing if outcome.null is None else outcome.null.T,
            outcome.trials,
            outcome.exact,
            self.seed,
            self.compat,
            outcome.centred().T if intervals and outcome.centred is not None else nothing,
            scores.alternative,
            scores.united,
        )

    def check_use(self, alternative: str, united: bool) -> None:
        """Refuses a direction, or a family of several metrics, that the test does not have."""
        test = find_test(self.test)
        if alternative != "two-sided" and not test.directed:
            reason = f"The test '{self.test}' has no direction, so it cannot be one-sided ({alternative})"
            fix = "use max-t, t or another test of signed differences"
            raise InputError(f"{reason}; {fix}.", argument="alternative", value=alternative)
        if united and test.family and not test.unites:
            raise InputError(
                f"The test '{self.test}' measures differences in the metric's own unit, so several metrics cannot be "
                "one family; use max-t-stepdown, or a test of one pair at a time with a correction.",
                argument="across_metrics",
            )

    def interval_tests(self, tests: PairTests, scores: Sample) -> PairTests:
        """The tests that intervals come from: max-t if that is the correction, otherwise these."""
        if self.correction != "max-t":
            return tests
        return replace(self, test="max-t", correction="none", band=0.0).pair_tests(scores)

    def corrected_p(self, tests: PairTests, interval_tests: PairTests) -> Floats:
        """The p-values corrected for the number of pairs."""
        if self.correction == "max-t":
            return interval_tests.p
        return corrected_p(tests.p.reshape(-1) if tests.united else tests.p, self.correction).reshape(tests.p.shape)


def paired_test_label(name: str, correction: str = "none") -> str:
    """A test and its correction, as sentences and headings name them.

    >>> paired_test_label("tukey"), paired_test_label("t"), paired_test_label("t", "holm")
    ('randomised Tukey HSD', 'paired t, uncorrected', 'paired t, holm')
    """
    test = find_test(name)
    return test.short if test.family else f"{test.short}, {'uncorrected' if correction == 'none' else correction}"
