"""Nothing that a user sees has changed since version 0.1.0, but for what CHANGES.md lists."""

from functools import cache
from typing import Any

import pytest

from tests.golden.cases import CASES, Case
from tests.golden.compare import differences
from tests.golden.make import expected_of
from tests.golden.run import ROOT, run

expected = cache(expected_of)


def test_every_case_has_a_name_of_its_own_and_an_expectation() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert set(names) == {name for group in {case.group for case in CASES} for name in expected(group)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_user_sees_is_what_it_was(case: Case) -> None:
    if case.shared and not (ROOT.parent / "shared" / "data").is_dir():
        pytest.skip("needs the published collections in ../shared, which are not part of the repository")
    record: dict[str, Any] = expected(case.group)[case.name]
    told = differences(record, run(case))
    assert not told, f"irassay {' '.join(case.argv)}\n{told}"
