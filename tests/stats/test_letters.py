"""Compact letter displays against R's multcompView, on real and random tables of significance."""

import json
from pathlib import Path

import numpy as np
import pytest

from irassay.arrays import Bools
from irassay.stats.letters import insert_and_absorb_columns, letter_columns


def table(pairs: str) -> Bools:
    """[place, place] who differs, from a 0 or 1 for each pair."""
    places = round((1 + np.sqrt(1 + 8 * len(pairs))) / 2)
    different = np.zeros((places, places), dtype=np.bool_)
    different[np.triu_indices(places, k=1)] = [bit == "1" for bit in pairs]
    return different | different.T


def test_letters_before_sweeping_are_those_of_multcompview(oracles: Path) -> None:
    cases = json.loads((oracles / "meta/letters/multcompview.json").read_text())
    assert len(cases) > 25 and max(len(case["letters"]) for case in cases) > 20
    for case in cases:
        different = table(case["different"])
        held = insert_and_absorb_columns(different)
        assert held is not None
        assert sorted("".join(map(str, column.astype(int))) for column in held) == sorted(case["letters"])
        swept = letter_columns(different)
        assert len(swept) <= len(held) and all((column <= held).all(axis=1).any() for column in swept)
        np.testing.assert_array_equal(swept.T.astype(int) @ swept.astype(int) > 0, ~different)


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_letters_that_become_too_many_keep_the_law(share: float) -> None:
    rng = np.random.default_rng(1)
    different = table("".join("1" if x < share else "0" for x in rng.random(60 * 59 // 2)))
    held = letter_columns(different)
    np.testing.assert_array_equal(held.T.astype(int) @ held.astype(int) > 0, ~different)
