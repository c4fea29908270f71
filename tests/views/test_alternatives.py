"""The view of alternatives."""

import json

import pytest

from irassay.views.view import view_of
from tests.support.examples import RESULTS


def test_points_carry_their_role() -> None:
    points = json.dumps(dict(view_of(RESULTS["alternatives"]).charts)["alternatives"]().to_dict())
    assert '"role": "reference"' in points and '"tau"' in points


def test_the_first_sentence_says_whether_a_replacement_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    result = RESULTS["alternatives"]
    others = [name for name in result.metrics if name != result.reference][:2]

    def first_sentence(chosen: list[str], confirmed: list[str]) -> str:
        monkeypatch.setattr(type(result), "chosen", lambda self: chosen)
        monkeypatch.setattr(type(result), "confirmed", lambda self: confirmed)
        return str(view_of(result).sentences[0])

    assert " could replace " in first_sentence(others, others[:1])
    assert first_sentence(others, []).startswith("No metric is confirmed as a replacement for ")
    assert first_sentence([], []).startswith("No metric could replace ")
