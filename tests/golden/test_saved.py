"""What version 0.1.0 saved is still read, and shown."""

from pathlib import Path

import pytest

import irassay

SAVED = sorted((Path(__file__).parent / "saved").glob("*.json"))


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_result_saved_by_0_1_0_is_loaded_and_shown(path: Path, tmp_path: Path) -> None:
    result = irassay.load(path)
    shown = str(result)
    assert shown.strip()
    if hasattr(result, "save"):
        result.save(tmp_path / "again.json")
        assert str(irassay.load(tmp_path / "again.json")) == shown
