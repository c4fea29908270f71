"""Paired tests as tests ask for them: of tables, and with trials for whatever test resamples."""

from dataclasses import replace
from typing import Any

import numpy as np

from irassay.arrays import TIE, Floats
from irassay.scores import Scores
from irassay.stats.pair_tests import PairTests
from irassay.stats.paired_sample import sample
from irassay.stats.paired_test import PairedTest, find_test


def paired_test(test: str = "max-t", correction: str = "none", **given: Any) -> PairedTest:
    """The test, without trials and compat where it does not resample."""
    idle = not find_test(test).resamples and correction != "max-t"
    kept = {name: value for name, value in given.items() if not (idle and name in ("trials", "compat"))}
    return replace(PairedTest(test, correction), **kept)  # type: ignore[arg-type]


def pvalues_many(
    cube: Floats, test: str = "max-t", *, baseline: int | None = None, noise: float = TIE, **given: Any
) -> PairTests:
    """The test of every pair by scores [system, topic, metric]."""
    return paired_test(test, **given).pair_tests(sample(cube, baseline, noise))


def pvalues(X: Floats, test: str = "max-t", **given: Any) -> PairTests:
    """The test of every pair by scores [topic, system]."""
    return pvalues_many(np.asarray(X).T[:, :, None], test, **given).metric(0)


def scores_of(X: Floats, systems: Any) -> Scores:
    """A table [topic, system] as the scores of one metric."""
    return Scores(np.asarray(X).T[:, :, None], tuple(systems), tuple(f"{t:04}" for t in range(len(X))), ("AP",))
