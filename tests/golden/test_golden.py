"""Every command prints what it printed before; CHANGES.md lists what was changed on purpose, and why."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from irassay.cli.program import command_and_rest
from irassay.declarations import index
from irassay.errors import InputError
from tests.golden.cases import CASES, Case
from tests.golden.compare import differences
from tests.golden.make import expected_of
from tests.golden.run import ROOT, run

expected = cache(expected_of)
WITHOUT_CASE = {  # commands, and where they are tested
    "completion": "a script for a shell, which tests/cli/test_help.py runs there",
    "trec_eval": "tests/cli/test_trec_eval.py compares it with trec_eval itself",
}


def test_every_case_has_a_name_of_its_own_and_an_expectation() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert set(names) == {name for group in {case.group for case in CASES} for name in expected(group)}


def test_every_command_has_a_case() -> None:
    commands = index()["commands"]
    commands_run = {_command(case.argv, commands) for case in CASES}
    assert set(commands) - commands_run == set(WITHOUT_CASE), "add a case to tests/golden/cases.py"


def _command(words: Sequence[str], commands: Mapping[str, Any]) -> str:
    """The command of a case; empty if it names none."""
    try:
        return command_and_rest(words, commands)[0]
    except (InputError, IndexError):
        return ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_a_user_sees_is_what_it_was(case: Case) -> None:
    if case.shared and not (ROOT.parent / "shared" / "data").is_dir():
        pytest.skip("needs the published collections in ../shared, which are not part of the repository")
    record: dict[str, Any] = expected(case.group)[case.name]
    difference = differences(record, run(case))
    assert not difference, f"irassay {' '.join(case.argv)}\n{difference}"
