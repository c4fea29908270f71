"""Keywords fill the records that they are fields of."""

import numpy as np
import pytest

import irassay as ia
from irassay.errors import InputError
from irassay.judging.policy import JudgingPolicy
from irassay.keywords import composed_records
from irassay.scoring.policy import ScoringPolicy


def test_flat_keywords_fill_the_records_and_unknown_ones_are_named() -> None:
    records = {"judging": JudgingPolicy(), "scoring": ScoringPolicy()}
    made = composed_records({"missing": "skip", "rel": 2, "depth": None}, **records)
    assert made == {"judging": JudgingPolicy(missing="skip"), "scoring": ScoringPolicy(rel=2)}
    with pytest.raises(InputError, match="takes no mising; did you mean missing"):
        composed_records({"mising": "skip"}, **records)
    with pytest.raises(InputError, match="missing must be one of zero, skip, error; found 'never'"):
        composed_records({"missing": "never"}, **records)


def test_policies_and_flat_keywords_score_the_same() -> None:
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1, "c": 2}, "2": {"a": 1}}
    flat = ia.score(run, qrels, ["AP", "P@1"], rel=2, missing="skip", bounds=True)
    policies = ia.score(
        run,
        qrels,
        ["AP", "P@1"],
        judging=ia.JudgingPolicy(missing="skip"),
        scoring=ia.ScoringPolicy(rel=2),
        bounds=True,
    )
    np.testing.assert_array_equal(flat.values, policies.values)
    assert flat.metrics == policies.metrics and flat.notes == policies.notes
